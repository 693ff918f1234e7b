"""The labelling function λ : A × S → Z ⊎ {null} (paper, §4): λ(a, s) is observed in state s *reached by* action a."""

from collections.abc import Callable, Container, Hashable, Iterable, Mapping
from types import MappingProxyType
from typing import Self

import numpy as np

from . import document
from .errors import ModelError
from .names import Names
from .nrmdp import NRMDP
from .words import NULL


class Labelling:
    """λ, from a function (a, s) -> z or a mapping {(a, s): z} whose missing pairs are null.

    Null is a letter like any other exactly if it is listed among the observations.

    >>> lam = Labelling({("go", "shop"): "bread"}, ["bread"])
    >>> lam("go", "shop"), lam("go", "street")
    ('bread', 'null')
    >>> lam.with_null_as_letter().observations
    ('bread', 'null')
    """

    function: Mapping | Callable
    observations: Names

    def __init__(self, function: Mapping | Callable, observations: Iterable[Hashable]) -> None:
        if isinstance(function, Mapping):
            function = MappingProxyType(dict(function))
        self.__dict__.update(function=function, observations=Names(observations, "observation"))

    def __setattr__(self, name: str, value: object = None) -> None:
        raise AttributeError(f"a labelling is frozen: {name!r} cannot be changed")

    __delattr__ = __setattr__

    def __repr__(self) -> str:
        return f"Labelling({', '.join(map(str, self.observations))})"

    def __reduce__(self):  # a mapping proxy does not pickle
        function = dict(self.function) if isinstance(self.function, Mapping) else self.function
        return Labelling, (function, tuple(self.observations))

    def __call__(self, action: Hashable, state: Hashable) -> Hashable:
        """The observation in `state`, reached by `action`."""
        if isinstance(self.function, MappingProxyType):
            z = self.function.get((action, state), NULL)
        else:
            z = self.function(action, state)
        if z != NULL and z not in self.observations:
            raise ModelError(f"λ({action!r}, {state!r}) is {z!r}, which is neither an observation nor null")
        return z

    def with_null_as_letter(self) -> Self:
        """The same λ for an agent that cannot tell null apart: null becomes one more letter."""
        return self if NULL in self.observations else Labelling(self.function, (*self.observations, NULL))

    def table(self, mdp: NRMDP) -> np.ndarray:
        """λ joined to M, checked: `table[a, s]` is the position of λ(a, s) in `observations`, −1 for null.

        >>> street = NRMDP(["street", "shop"], ["go"], lambda s, a: {"shop": 1.0}, "street")
        >>> Labelling({("go", "shop"): "bread"}, ["bread"]).table(street).tolist()
        [[-1, 0]]
        """
        self.check(mdp.actions, mdp.states)
        position = {NULL: -1} | {z: i for i, z in enumerate(self.observations)}
        return np.array([[position[self(a, s)] for s in mdp.states] for a in mdp.actions], dtype=np.int32)

    def check(self, actions: Container, states: Container) -> None:
        """Raise where a mapping labels what is not a pair of these: it would never be seen."""
        for key in self.function if isinstance(self.function, Mapping) else ():
            if not (isinstance(key, tuple) and len(key) == 2 and key[0] in actions and key[1] in states):
                raise ModelError(f"λ is given for {key!r}, which is not an (action, state) pair of the model")

    def to_json(self, mdp: NRMDP) -> str:
        """λ as it is on M, as a JSON document."""
        self.check(mdp.actions, mdp.states)
        return document.dump("labelling", {
            "observations": [document.name_to_json(z) for z in self.observations],
            "labels": [[document.name_to_json(name) for name in (a, s, self(a, s))]
                       for a in mdp.actions for s in mdp.states if self(a, s) != NULL],
        })

    @classmethod
    def from_json(cls, text: str, source: str = "text") -> Self:
        """The labelling in a JSON document; `source` is what errors call it."""

        def build(content: dict) -> Self:
            letters = document.names_from_json(content["observations"], "observation")
            labels = [tuple(map(document.name_from_json, label)) for label in content["labels"]]
            pairs = Names(((a, s) for a, s, _ in labels), "labelled pair")
            labelling = cls({(a, s): z for a, s, z in labels}, letters)
            for pair in pairs:
                labelling(*pair)  # raises where it is no observation
            return labelling

        return document.load(text, "labelling", build, source)
