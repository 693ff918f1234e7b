"""Propositional formulas as guards: propositions, `!`, `&` and `|` in this order of strength, parentheses, truth.

A proposition is a word, or any text in JSON quotes; `true` and `false` may begin with a capital.
"""

import json
import re
from collections.abc import Collection, Iterator
from reprlib import repr as shortened
from typing import NoReturn

from ..errors import FormatError

Formula = str | bool | tuple
"""A proposition, a truth value, ("!", φ), or ("&" or "|", φ, ψ, …)."""

MAX_DEPTH = 100  # parentheses within parentheses

_TOKEN = re.compile(r'\s*+(?:(?P<word>\w++)|(?P<quoted>"(?:[^"\\]++|\\.)*+")|(?P<mark>[!&|()])|(?P<end>\Z))')
_TRUTH = {"true": True, "True": True, "false": False, "False": False}


def parse(text: str) -> Formula:
    """The formula that a text stands for.

    >>> parse("!a & (b | c)")
    ('&', ('!', 'a'), ('|', 'b', 'c'))
    >>> parse("a & ")
    Traceback (most recent call last):
    mrmlib.errors.FormatError: the formula 'a & ' has its end in column 5, where a proposition, '!' or '(' is expected
    """
    return _Parser(text).whole()


class _Parser:
    """Recursive descent, one token ahead."""

    def __init__(self, text: str) -> None:
        self.text, self.depth, self.position = text, 0, 0
        self.advance()

    def advance(self) -> None:
        token = _TOKEN.match(self.text, self.position)
        if token is None:
            rest = self.text[self.position:].lstrip()
            self.token, self.start = rest[0], len(self.text) - len(rest)
            self.refuse("a word or one of !&|()")
        self.kind, self.position = token.lastgroup, token.end()
        self.token, self.start = token[self.kind], token.start(self.kind)

    def refuse(self, expected: str) -> NoReturn:
        found = shortened(self.token) if self.token else "its end"
        raise FormatError(f"the formula {shortened(self.text)} has {found} in column {self.start + 1}, "
                          f"where {expected} is expected")

    def whole(self) -> Formula:
        formula = self.joined("|")
        if self.kind != "end":
            self.refuse("'&', '|' or the end")
        return formula

    def joined(self, mark: str) -> Formula:
        """Parts joined by `|`, or by `&`, which binds more strongly."""
        parts = []
        while True:
            parts.append(self.joined("&") if mark == "|" else self.negated())
            if self.token != mark or self.kind != "mark":
                return parts[0] if len(parts) == 1 else (mark, *parts)
            self.advance()

    def negated(self) -> Formula:
        odd = False
        while self.kind == "mark" and self.token == "!":
            odd = not odd
            self.advance()
        formula = self.atom()
        return ("!", formula) if odd else formula

    def atom(self) -> Formula:
        if self.kind == "mark" and self.token == "(":
            return self.enclosed()
        if self.kind == "word":
            atom = _TRUTH.get(self.token, self.token)
        elif self.kind == "quoted":
            try:
                atom = json.loads(self.token)
            except ValueError:
                self.refuse("a proposition in JSON quotes")
        else:
            self.refuse("a proposition, '!' or '('")
        self.advance()
        return atom

    def enclosed(self) -> Formula:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise FormatError(f"the formula {shortened(self.text)} is nested too deeply")
        self.advance()
        formula = self.joined("|")
        if self.kind != "mark" or self.token != ")":
            self.refuse("')'")
        self.depth -= 1
        self.advance()
        return formula


def holds(formula: Formula, true: Collection[str]) -> bool:
    """Is the formula true when these propositions are, and no others?

    >>> holds(parse("!a & (b | c)"), {"c"}), holds(parse("!a & (b | c)"), {"a", "c"})
    (True, False)
    """
    if not isinstance(formula, tuple):
        return formula in true if isinstance(formula, str) else formula
    mark, *parts = formula
    if mark == "!":
        return not holds(parts[0], true)
    return (all if mark == "&" else any)(holds(part, true) for part in parts)


def propositions(formula: Formula) -> Iterator[str]:
    """The propositions of a formula, in the order in which it names them.

    >>> list(propositions(parse("!b & (a | b)")))
    ['b', 'a', 'b']
    """
    if isinstance(formula, str):
        yield formula
    elif isinstance(formula, tuple):
        for part in formula[1:]:
            yield from propositions(part)


def quoted(proposition: str) -> str:
    """A proposition as formulas write it.

    >>> quoted("map"), quoted("a map"), quoted("true")
    ('map', '"a map"', '"true"')
    """
    return proposition if re.fullmatch(r"\w+", proposition) and proposition not in _TRUTH else json.dumps(proposition)
