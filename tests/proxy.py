"""What an agent may touch of a world."""


class Proxy:
    """Reset, step and counters of an environment, and nothing else of it."""

    __slots__ = ("__actions", "__outcomes", "__resets", "reset", "step")

    def __init__(self, environment):
        self.reset, self.step = environment.reset, environment.step
        self.__actions = lambda: environment.actions
        self.__resets = lambda: environment.resets
        self.__outcomes = lambda: environment.outcomes

    actions = property(lambda self: self.__actions())
    resets = property(lambda self: self.__resets())
    outcomes = property(lambda self: self.__outcomes())
