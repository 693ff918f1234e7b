"""Play a role: be the agent in a world with a hidden machine, or the teacher of a machine that only you know."""

import ipywidgets

from ..panel import Panel
from .playing import BeTheAgent
from .teaching import BeTheTeacher


class PlayARole(Panel):
    """Two tabs, one for each role.

    >>> panel = PlayARole()
    >>> panel
    <PlayARole: Be the agent, be the teacher>
    >>> panel.agent.press("ArrowUp")
    >>> panel.agent.game.world.actions
    1
    >>> panel.close()
    """

    def __init__(self) -> None:
        self.agent, self.teacher = BeTheAgent(), BeTheTeacher()
        tabs = ipywidgets.Tab((self.agent, self.teacher), titles=("Be the agent", "Be the teacher"))
        super().__init__("Be the agent, be the teacher", "Find out by walking how a world pays, and see what L* needs "
                         "for the same; or think of a machine, and let L* find it by asking you.", [tabs])

    def stop(self) -> None:
        """End what runs in the background."""
        self.agent.stop()
