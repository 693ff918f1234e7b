"""Directed graphs in the DOT language, as far as machines need it: nodes and edges with labels, and a start.

Comments, quotes, text in angle brackets, default attributes and chains a -> b -> c are read; subgraphs, ports and
undirected graphs are refused. The reader looks at one token at a time and never calls itself: no text nests too deeply.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from reprlib import repr as shortened
from typing import NamedTuple, NoReturn

from ..errors import FormatError

START = "__start0"
_TOKEN = re.compile(r"""
    (?P<space> \s++ | //[^\n]*+ | ^\#[^\n]*+ | /\*.*?\*/ )
  | (?P<quoted> "(?:[^"\\]++|\\.)*+" )
  | (?P<html> < )
  | (?P<word> [^\W\d]\w*+ | -?(?:\.[0-9]++ | [0-9]++(?:\.[0-9]*+)?) )
  | (?P<mark> -> | -- | [{}\[\];,=] )
""", re.VERBOSE | re.DOTALL | re.MULTILINE)


class Token(NamedTuple):
    """A piece of DOT and the line it begins on."""

    kind: str  # mark, word, text (what stands in quotes or in <…>) or end
    text: str
    line: int


class Node(NamedTuple):
    """What a node is labelled; where nothing says, its own name."""

    label: str
    line: int


class Edge(NamedTuple):
    """tail -> head, and the label if there is one."""

    tail: str
    head: str
    label: str | None
    line: int


class Digraph:
    """What a DOT text says of its nodes, in the order of their first mention, its edges, its start and itself.

    >>> graph = Digraph('digraph { colour=red; u -> v [label="map/10"]; __start0 -> u }')
    >>> graph.edges
    [Edge(tail='u', head='v', label='map/10', line=1)]
    >>> graph.start.head, list(graph.nodes), graph.attributes["colour"].text
    ('u', ['u', 'v'], 'red')
    """

    def __init__(self, text: str, source: str = "text") -> None:
        self.nodes: dict[str, Node] = {}
        self.edges: list[Edge] = []
        self.start: Edge | None = None
        self.attributes: dict[str, Token] = {}
        self._source, self._tokens = source, _tokens(text, source)
        self._token = next(self._tokens)
        self._read()
        if self.start is None:
            self._refuse(f"an edge from {START} to the start node")

    def _advance(self) -> Token:
        token, self._token = self._token, next(self._tokens)
        return token

    def _is(self, *texts: str, kind: str = "mark") -> bool:
        return self._token.kind == kind and self._token.text.lower() in texts

    def _skip(self, *texts: str, kind: str = "mark") -> bool:
        return self._is(*texts, kind=kind) and bool(self._advance())

    def _refuse(self, expected: str) -> NoReturn:
        found = shortened(self._token.text) if self._token.kind != "end" else "the end"
        raise FormatError(f"{self._source}, line {self._token.line}: expected {expected}, not {found}")

    def _read(self) -> None:
        self._skip("strict", kind="word")
        if not self._skip("digraph", kind="word"):
            self._refuse("a directed graph: digraph")
        if not self._is("{"):
            self._identifier()
        if not self._skip("{"):
            self._refuse("'{'")
        while not self._skip("}"):
            if not self._skip(";"):
                self._statement()
        if self._token.kind != "end":
            self._refuse("the end of the graph to be the end of the text")

    def _identifier(self) -> Token:
        if self._token.kind not in ("word", "text") or self._is("subgraph", kind="word"):
            self._refuse("a name, '->', '[' or '}'")
        return self._advance()

    def _statement(self) -> None:
        if self._is("node", "edge", kind="word"):
            self._advance()
            self._pairs()
        elif self._skip("graph", kind="word"):
            self.attributes |= self._pairs()
        else:
            chain = [self._identifier()]
            if self._skip("="):
                self.attributes[chain[0].text] = self._identifier()
                return
            while self._skip("->"):
                chain.append(self._identifier())
            label = self._pairs().get("label")
            self._take([name.text for name in chain], None if label is None else label.text, chain[0].line)

    def _take(self, chain: list[str], label: str | None, line: int) -> None:
        """A node, or the edges along a chain of nodes, with their label."""
        if START in chain[1:]:
            raise FormatError(f"{self._source}, line {line}: an edge leads to {START}")
        for name in chain:
            if name != START:
                self.nodes.setdefault(name, Node(name, line))
        if len(chain) == 1 and label is not None and chain[0] != START:
            self.nodes[chain[0]] = Node(label, line)
        for edge in (Edge(tail, head, label, line) for tail, head in pairwise(chain)):
            if edge.tail != START:
                self.edges.append(edge)
            elif self.start is None:
                self.start = edge
            else:
                raise FormatError(f"{self._source}, line {line}: a second start, {shortened(edge.head)}")

    def _pairs(self) -> dict[str, Token]:
        """The attributes in brackets, if there are any."""
        pairs = {}
        while self._skip("["):
            while not self._skip("]"):
                name = self._identifier().text
                if not self._skip("="):
                    self._refuse(f"a value for the attribute {shortened(name)}: '='")
                pairs[name] = self._identifier()
                self._skip(",", ";")
        return pairs


def _tokens(text: str, source: str) -> Iterator[Token]:
    """The tokens of DOT, the last of which is the end, again and again."""
    line, position = 1, 0
    while position < len(text):
        token = _TOKEN.match(text, position)
        if token is None:
            raise FormatError(f"{source}, line {line}: unexpected {shortened(text[position:position + 20])}")
        kind, end = token.lastgroup, token.end()
        if kind == "html":
            end = _html_end(text, position)
            if end is None:
                raise FormatError(f"{source}, line {line}: '<' without its '>'")
            yield Token("text", text[position + 1:end - 1], line)
        elif kind == "quoted":
            yield Token("text", re.sub(r'\\(["\\]|\n)', lambda match: match[1].strip(), token[0][1:-1]), line)
        elif kind != "space":
            yield Token(kind, token[0], line)
        line, position = line + text.count("\n", position, end), end
    while True:
        yield Token("end", "", line)


def _html_end(text: str, position: int) -> int | None:
    """Where the text in angle brackets that begins here ends; there may be more of them within."""
    depth = 0
    for bracket in re.compile("[<>]").finditer(text, position):
        depth += 1 if bracket[0] == "<" else -1
        if not depth:
            return bracket.end()
    return None
