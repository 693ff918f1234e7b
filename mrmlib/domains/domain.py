"""A domain: a world (M, λ), the machine that pays in it, and what is known of both."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from ..errors import ModelError
from ..labelling import Labelling
from ..machine import MealyRewardMachine
from ..nrmdp import MDP, NRMDP
from ..synchronise import product
from .grid import Grid


@dataclass(frozen=True)
class Domain:
    """M, λ and the machine, under a name; `facts` is what is known of them, for tests and tables.

    `meanings` says in a word or two what a node of the machine remembers. A domain that lives on a
    `grid` names its states by tuples that begin with the cell. `epoch_starts` are the states in which an epoch may
    begin; empty means that every epoch begins in s0.

    >>> from mrmlib import domains
    >>> domain = domains.treasure_map()
    >>> domain.name, len(domain.mdp.states), domain.facts["nodes"]
    ('treasure_map', 162, 6)
    """

    name: str
    mdp: NRMDP
    labelling: Labelling
    machine: MealyRewardMachine
    grid: Grid | None = None
    epoch_starts: tuple[Hashable, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    meanings: Mapping[Hashable, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.labelling.table(self.mdp)  # raises where λ and M do not fit
        self.machine.tables(self.labelling.observations)  # raises where the machine cannot read what λ shows
        for s in self.epoch_starts:
            self.mdp.states.index(s)

    @property
    def product(self) -> MDP:
        """M ⊗_λ MR: the world as one who knows the machine sees it."""
        return product(self.mdp, self.labelling, self.machine)


_registry: dict[str, Callable[..., Domain]] = {}


def register(make: Callable[..., Domain]) -> Callable[..., Domain]:
    """List a domain under the name of the function that makes it; use it as a decorator on your own."""
    _registry[make.__name__] = make
    return make


def registry() -> Mapping[str, Callable[..., Domain]]:
    """All domains by name, in the order in which they were registered.

    >>> tuple(registry())[:2]
    ('cookie', 'treasure_map')
    """
    return MappingProxyType(_registry)


def make(name: str, **settings: Any) -> Domain:
    """The domain of that name.

    >>> make("cookie").name
    'cookie'
    """
    if name not in _registry:
        raise ModelError(f"unknown domain {name!r}: there are {', '.join(_registry)}")
    return _registry[name](**settings)
