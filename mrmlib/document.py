"""The versioned JSON form that every saved thing shares: a header that says what it is, names and exact numbers.

Floats are written with the shortest digits that read back to the same bits. A name may be a string, a number, a truth
value, None, or a tuple of names (written as a list).
"""

import json
import math
from collections.abc import Callable, Hashable
from typing import Any

from .errors import FormatError, MrmError
from .names import Names

VERSION = 1


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
    content = _parse(text, source)
    if not isinstance(content, dict) or content.get("mrmlib") != kind:
        raise FormatError(f"{source}, line 1: expected an mrmlib document of kind {kind!r}")
    if content.get("version") != VERSION:
        raise FormatError(f"{source}, line 1: version {content.get('version')!r}, expected {VERSION}")
    try:
        return build(content)
    except MrmError as error:
        raise FormatError(f"{source}: {error}") from error
    except KeyError as error:
        raise FormatError(f"{source}: a {kind} needs {error.args[0]!r}") from error
    except RecursionError:  # a name within a name within a name …
        raise FormatError(f"{source}: nested too deeply") from None
    except (TypeError, ValueError, AttributeError, IndexError) as error:
        raise FormatError(f"{source}: not the form of a {kind}: {error}") from error


def _parse(text: str, source: str) -> Any:
    """JSON with the two leniencies of Python's reader closed: NaN/Infinity and repeated keys."""

    def finite(digits: str) -> float:
        value = float(digits)
        if not math.isfinite(value):
            raise FormatError(f"{source}: the number {digits} is not finite")
        return value

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        content = dict(pairs)
        if len(content) < len(pairs):
            raise FormatError(f"{source}: a key is repeated among {[key for key, _ in pairs]}")
        return content

    try:
        return json.loads(text, parse_float=finite, parse_constant=finite, object_pairs_hook=once)
    except json.JSONDecodeError as error:
        raise FormatError(f"{source}, line {error.lineno}: {error.msg}, column {error.colno}") from None
    except RecursionError:
        raise FormatError(f"{source}: nested too deeply") from None
    except FormatError:
        raise
    except ValueError as error:  # an integer with too many digits
        raise FormatError(f"{source}: {error}") from None


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
    return Names(map(name_from_json, forms), kind)
