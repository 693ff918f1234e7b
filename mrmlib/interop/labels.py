"""Names and numbers as the plain text of other tools' formats; every name comes back as it was.

A string stands as it is and an integer as its digits. Whatever would be mistaken for either, or does not fit on a line,
is marked: `json:` and its JSON form, so "7" is written `json:"7"` and the pair (5, 9) is written `json:[5, 9]`.
"""

import json
import math
import re
from collections.abc import Hashable
from reprlib import repr as shortened

from .. import document
from ..errors import FormatError

_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,17}")
_NUMBER = re.compile(r"[-+]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][-+]?[0-9]++)?")
_MARK = "json:"


def name_to_text(name: Hashable) -> str:
    """A name as printable text.

    >>> name_to_text("map"), name_to_text(7), name_to_text("7"), name_to_text((5, 9))
    ('map', '7', 'json:"7"', 'json:[5, 9]')
    """
    form = document.name_to_json(name)
    if type(form) is int and _INTEGER.fullmatch(str(form)):
        return str(form)
    # What other tools could take for a number ("²" is a digit to Python), or for nothing, is marked too.
    marked = not isinstance(form, str) or not form or form.lstrip("-").isdigit() or form.startswith(_MARK)
    return form if not marked and form.isprintable() else _MARK + json.dumps(form)


def name_from_text(text: str) -> Hashable:
    """The name that a text stands for.

    >>> name_from_text("map"), name_from_text("7"), name_from_text('json:"7"'), name_from_text("json:[5, 9]")
    ('map', 7, '7', (5, 9))
    """
    if _INTEGER.fullmatch(text):
        return int(text)
    if not text.startswith(_MARK):
        return text
    try:
        name = document.name_from_json(document.parse(text.removeprefix(_MARK), "its JSON"))
        hash(name)
    except FormatError as error:
        raise FormatError(f"{shortened(text)} is not a name: {error}") from None
    except (RecursionError, TypeError):
        raise FormatError(f"{shortened(text)} is not a name: names are strings, numbers and lists of them") from None
    return name


def number_from_text(text: str, what: str) -> float:
    """The finite number that a text stands for; `what` is what the error calls it.

    >>> number_from_text("-1e3", "the reward")
    -1000.0
    >>> number_from_text("1_000", "the reward")
    Traceback (most recent call last):
    mrmlib.errors.FormatError: the reward is '1_000', not a finite number
    """
    number = float(text) if _NUMBER.fullmatch(text) else math.nan
    if not math.isfinite(number):
        raise FormatError(f"{what} is {shortened(text)}, not a finite number")
    return number
