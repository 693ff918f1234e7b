"""A domain (paper, §6): a world (M, λ), the machine that pays in it, and what is known of both; and the list of all
domains."""

import importlib
import inspect
import json
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Self

from .. import document
from ..errors import FormatError, ModelError
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

    def to_json(self) -> str:
        """The whole domain as one JSON document that `from_json` reads back, λ as it is on M."""
        return document.dump("domain", {
            "name": self.name,
            "mdp": json.loads(self.mdp.to_json()),
            "labelling": json.loads(self.labelling.to_json(self.mdp)),
            "machine": json.loads(self.machine.to_json()),
            "grid": None if self.grid is None else json.loads(self.grid.to_json()),
            "epoch_starts": [document.name_to_json(s) for s in self.epoch_starts],
            "facts": {name: _fact_to_json(fact) for name, fact in self.facts.items()},
            "meanings": [[document.name_to_json(u), text] for u, text in self.meanings.items()],
        })

    @classmethod
    def from_json(cls, text: str, source: str = "text") -> Self:
        """The domain in a JSON document; `source` is what errors call it.

        >>> from mrmlib import domains
        >>> again = Domain.from_json(domains.assembly().to_json())
        >>> again.product == domains.assembly().product, again.grid == domains.assembly().grid
        (True, True)
        """
        return document.load(text, "domain", cls._from_content, source)

    @classmethod
    def _from_content(cls, content: dict[str, Any]) -> Self:
        if not isinstance(content["name"], str):
            raise FormatError(f"the name of a domain is a string, not {content['name']!r}")
        mdp, labelling, machine = (kind.from_json(json.dumps(content[part]), part) for part, kind in (
            ("mdp", NRMDP), ("labelling", Labelling), ("machine", MealyRewardMachine)))
        grid = content["grid"]
        return cls(content["name"], mdp, labelling, machine,
                   None if grid is None else Grid.from_json(json.dumps(grid), "grid"),
                   tuple(map(document.name_from_json, content["epoch_starts"])),
                   {name: _fact_from_json(form) for name, form in content["facts"].items()},
                   {document.name_from_json(u): meaning for u, meaning in content["meanings"]})


def _fact_to_json(fact: Any) -> Any:
    """A machine as its own document, else a plain value."""
    return json.loads(fact.to_json()) if isinstance(fact, MealyRewardMachine) else document.name_to_json(fact)


def _fact_from_json(form: Any) -> Any:
    if isinstance(form, dict):
        return MealyRewardMachine.from_json(json.dumps(form), "a fact")
    return document.name_from_json(form)


_registry: dict[str, Callable[..., Domain]] = {}


def register(make: Callable[..., Domain]) -> Callable[..., Domain]:
    """List a domain under the name of the function that makes it; use it as a decorator on your own.

    The same module may list a name again, as a cell does that runs twice; another module may not take it.

    >>> def cookie():
    ...     return Domain.from_json("…")
    >>> register(cookie)
    Traceback (most recent call last):
    mrmlib.errors.ModelError: the name 'cookie' is taken by mrmlib.domains.cookie.cookie
    """
    return _listed(make.__name__, make)


def registry() -> Mapping[str, Callable[..., Domain]]:
    """All domains by name, in the order in which they were registered.

    >>> tuple(registry())[:2]
    ('cookie', 'treasure_map')
    """
    return MappingProxyType(_registry)


def load(name: str) -> Callable[..., Domain]:
    """List the domain that a function of a module of yours makes, under the name "package.module:function".

    The module is imported, so the name must come from whoever runs the program, never from what a file says.

    >>> load("nowhere:town")
    Traceback (most recent call last):
    mrmlib.errors.ModelError: domain 'nowhere:town': No module named 'nowhere'
    """
    path, _, function = name.partition(":")
    if not all(part.isidentifier() for part in (*path.split("."), function)):
        raise ModelError(f"domain {name!r}: a domain of yours is named package.module:function")
    try:
        module = importlib.import_module(path)
    except ModuleNotFoundError as error:
        raise ModelError(f"domain {name!r}: {error}") from error
    make = getattr(module, function, None)
    if not callable(make):
        raise ModelError(f"domain {name!r}: the module {path!r} has no function {function!r}")
    return _listed(name, make)


def make(name: str, **settings: Any) -> Domain:
    """The domain of that name; "package.module:function" is loaded first.

    >>> make("cookie").name
    'cookie'
    """
    made = (load(name) if ":" in name and name not in _registry else _maker(name))(**settings)
    if not isinstance(made, Domain):
        raise ModelError(f"{name!r} makes {made!r}, which is not a Domain")
    return made


def read_settings(name: str, text: str) -> dict[str, Any]:
    """The settings of a listed domain in a text such as "apf=0.75,c=0", each read as its default is.

    >>> read_settings("treasure_map", "apf=0.75,c=0")
    {'apf': 0.75, 'c': 0.0}
    >>> read_settings("treasure_map", "wind=3")
    Traceback (most recent call last):
    mrmlib.errors.ModelError: treasure_map has no setting 'wind': it has apf, c
    """
    known = inspect.signature(_maker(name)).parameters
    read = {}
    for pair in filter(None, text.split(",")):
        setting, _, value = pair.partition("=")
        if setting not in known:
            raise ModelError(f"{name} has no setting {setting!r}: it has {', '.join(known) or 'none'}")
        if setting in read:
            raise ModelError(f"the setting {setting!r} of {name} is given twice in {text!r}")
        read[setting] = _read_as(known[setting].default, value, f"the setting {setting!r} of {name}")
    return read


def _read_as(default: Any, value: str, what: str) -> Any:
    if isinstance(default, bool):
        if value not in ("yes", "no"):
            raise ModelError(f"{what} is yes or no, not {value!r}")
        return value == "yes"
    try:
        return type(default)(value) if isinstance(default, int | float) else value
    except ValueError:
        raise ModelError(f"{what} is a number like {default}, not {value!r}") from None


def _maker(name: str) -> Callable[..., Domain]:
    if name not in _registry:
        raise ModelError(f"unknown domain {name!r}: there are {', '.join(_registry)}")
    return _registry[name]


def _listed(name: str, make: Callable[..., Domain]) -> Callable[..., Domain]:
    taken = _registry.get(name, make)
    if taken.__module__ != make.__module__:
        raise ModelError(f"the name {name!r} is taken by {taken.__module__}.{taken.__qualname__}")
    _registry[name] = make
    return make
