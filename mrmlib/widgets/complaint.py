"""A complaint: what is wrong with a field, said beside it; nothing while the field is right."""

from html import escape

import ipywidgets


class Complaint(ipywidgets.HTML):
    """A line that takes no room while there is nothing to say.

    >>> complaint = Complaint()
    >>> complaint.say("c is 'ten', not a number")
    >>> complaint.value
    '<div role="alert" class="mrm-wrong">c is &#x27;ten&#x27;, not a number</div>'
    >>> complaint.say()
    >>> complaint.value, complaint.layout.display
    ('', 'none')
    """

    def __init__(self, **layout: str) -> None:
        super().__init__(layout={"display": "none", **layout})

    def say(self, *messages: str) -> None:
        """Say what is wrong, a line for each message."""
        self.value = "".join(f'<div role="alert" class="mrm-wrong">{escape(message)}</div>' for message in messages)
        self.layout.display = None if messages else "none"
