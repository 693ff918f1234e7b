"""The versioned JSON form that every saved thing shares: a header that says what it is, names and exact numbers.

Floats are written with the shortest digits that read back to the same bits. A name may be a string, a number, a truth
value, None, or a tuple of names (written as a list). An error names the line of the part at fault; a fault of the model
as a whole is told at line 1, where the document begins.
"""

import json
import math
import re
import sys
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from reprlib import repr as shortened
from typing import Any

from .errors import FormatError, ModelError, MrmError
from .names import Names

VERSION = 1
LIMIT = 16 * 2**20
"""The most characters of a text that any reader looks at; parsed, each may take some thirty bytes of memory."""

_TOKEN = re.compile(r'''"(?:[^"\\]++|\\.)*+" | [{}\[\]:] | NaN | -?Infinity |
                        -?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)? | \w++''', re.DOTALL | re.VERBOSE)


def dump(kind: str, content: dict[str, Any]) -> str:
    """The text of a document of this kind.

    >>> dump("greeting", {"word": "hello"})
    '{"mrmlib": "greeting", "version": 1, "word": "hello"}'
    """
    return json.dumps({"mrmlib": kind, "version": VERSION, **content}, ensure_ascii=False, allow_nan=False)


def load(text: str, kind: str, build: Callable[[dict[str, Any]], Any], source: str = "text") -> Any:
    """What `build` makes of the content of a document of this kind; `source` is what errors call the text.

    >>> load('{"mrmlib": "greeting", "version": 1, "word": "hello"}', "greeting", lambda content: content["word"])
    'hello'
    >>> load('{"mrmlib": "gree', "greeting", dict, "note.json")
    Traceback (most recent call last):
    mrmlib.errors.FormatError: note.json, line 1: Unterminated string starting at, column 12
    """
    content = parse(bounded(text, source), source)
    if not isinstance(content, dict) or content.get("mrmlib") != kind:
        raise FormatError(f"{source}, line 1: expected an mrmlib document of kind {kind!r}")
    if content.get("version") != VERSION:
        raise FormatError(f"{source}, line 1: version {shortened(content.get('version'))}, expected {VERSION}")
    parts = _Parts(content)
    try:
        return build(parts)
    except ModelError as error:
        raise FormatError(f"{source}, line 1: {error}") from error
    except MrmError as error:
        if str(error).startswith(f"{source}, line "):  # told by the reader of a document within this one
            raise
        raise FormatError(f"{source}, line {_line_of_part(text, parts.last)}: {error}") from error
    except KeyError as error:
        raise FormatError(f"{source}, line 1: a {kind} needs {error.args[0]!r}") from error
    except RecursionError:  # a name within a name within a name …
        raise FormatError(f"{source}, line 1: nested too deeply") from None
    except (TypeError, ValueError, AttributeError, IndexError) as error:
        raise FormatError(f"{source}, line 1: not the form of a {kind}: {error}") from error


def bounded(text: str, source: str = "text") -> str:
    """The text, if it is within LIMIT; every reader asks before it reads.

    >>> bounded("x" * 10**8, "junk.dot")
    Traceback (most recent call last):
    mrmlib.errors.FormatError: junk.dot, line 1: 100000000 characters are more than the 16777216 that are read
    """
    if len(text) > LIMIT:
        raise FormatError(f"{source}, line 1: {len(text)} characters are more than the {LIMIT} that are read")
    return text


@contextmanager
def at(source: str, line: int) -> Iterator[None]:
    """Whatever goes wrong within is told with its place.

    >>> with at("sale.dot", 7):
    ...     raise ModelError("the node 'u' is declared twice")
    Traceback (most recent call last):
    mrmlib.errors.FormatError: sale.dot, line 7: the node 'u' is declared twice
    """
    try:
        yield
    except MrmError as error:
        raise FormatError(f"{source}, line {line}: {error}") from error


class _Parts(dict):
    """The parts of a document; remembers which of them was looked at last."""

    last = ""

    def __getitem__(self, key: str) -> Any:
        self.last = key
        return super().__getitem__(key)


def parse(text: str, source: str = "text") -> Any:
    """JSON with the two leniencies of Python's reader closed: NaN/Infinity and repeated keys.

    >>> parse('{"a": 1, "b": 2, "a": 3}', "note.json")
    Traceback (most recent call last):
    mrmlib.errors.FormatError: note.json, line 1: a key is repeated among ['a', 'b', 'a']
    """

    def finite(digits: str) -> float:
        value = float(digits)
        if not math.isfinite(value):
            line = next(line for token, line in _tokens(text) if token == digits)
            raise FormatError(f"{source}, line {line}: the number {shortened(digits)[1:-1]} is not finite")
        return value

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        content = dict(pairs)
        if len(content) < len(pairs):
            keys = shortened([key for key, _ in pairs])
            raise FormatError(f"{source}, line {_line_of_repeated_key(text)}: a key is repeated among {keys}")
        return content

    try:
        return json.loads(text, parse_float=finite, parse_constant=finite, object_pairs_hook=once)
    except json.JSONDecodeError as error:
        raise FormatError(f"{source}, line {error.lineno}: {error.msg}, column {error.colno}") from None
    except RecursionError:
        raise FormatError(f"{source}, line 1: nested too deeply") from None
    except FormatError:
        raise
    except ValueError as error:  # an integer with too many digits
        line = next(line for token, line in _tokens(text)
                    if len(digits := token.lstrip("-")) > sys.get_int_max_str_digits() and digits.isdigit())
        raise FormatError(f"{source}, line {line}: {error}") from None


def _tokens(text: str) -> Iterator[tuple[str, int]]:
    """The tokens of JSON, each with its line; commas are left out."""
    line, seen = 1, 0
    for token in _TOKEN.finditer(text):
        line, seen = line + text.count("\n", seen, token.start()), token.start()
        yield token[0], line


def _line_of_part(text: str, key: str) -> int:
    """The line on which a part of a sound document begins."""
    depth, before = 0, ""
    for token, line in _tokens(text):
        if depth == 1 and token[0] == '"' and before != ":" and json.loads(token) == key:
            return line
        depth += (token in "{[") - (token in "]}")
        before = token
    return 1


def _line_of_repeated_key(text: str) -> int:
    """The line of a key that its object has already, in the first object to end that has such a key."""
    around = []  # what is open: its bracket, its keys, the lines of the repeated ones
    before = ""
    for token, line in _tokens(text):
        if token in "{[":
            around.append((token, set(), []))
        elif token in "]}":
            _, _, repeated = around.pop()
            if repeated:
                return repeated[0]
        elif token[0] == '"' and before != ":" and around[-1][0] == "{":
            _, keys, repeated = around[-1]
            key = json.loads(token)
            repeated += [line] if key in keys else []
            keys.add(key)
        before = token
    raise AssertionError("no key is repeated")


def name_to_json(name: Hashable) -> Any:
    """A name as JSON.

    >>> name_to_json((5, 9)), name_to_json("m")
    ([5, 9], 'm')
    """
    if isinstance(name, tuple):
        return [name_to_json(part) for part in name]
    if name is None or type(name) in (str, bool, int) or (type(name) is float and math.isfinite(name)):
        return name
    raise FormatError(f"the name {name!r} has no JSON form: use strings, numbers, or tuples of them")


def name_from_json(form: Any) -> Hashable:
    """The name that JSON stands for.

    >>> name_from_json([5, [9, "x"]])
    (5, (9, 'x'))
    """
    return tuple(name_from_json(part) for part in form) if isinstance(form, list) else form


def names_from_json(forms: Any, kind: str) -> Names:
    """The distinct names in a list; `kind` is what the errors call them.

    >>> names_from_json([[1, 2], "x"], "state")
    ((1, 2), 'x')
    """
    if not isinstance(forms, list):
        raise FormatError(f"expected a list of {kind}s, not {forms!r}")
    try:
        return Names(map(name_from_json, forms), kind)
    except ModelError as error:
        raise FormatError(str(error)) from error
