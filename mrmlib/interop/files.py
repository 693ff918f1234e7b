"""A file read within bounds: its size is looked at before its content, and its text is UTF-8.

Nothing is ever executed or imported from a file: a reader turns text into a model, or refuses it with file and line.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from .. import document
from ..errors import FormatError

Model = TypeVar("Model")


def read(path: str | Path, reader: Callable[..., Model], limit: int = document.LIMIT) -> Model:
    """What the reader makes of the file: `reader(text, source=path)`; a file of more than `limit` bytes is refused.

    >>> from tempfile import TemporaryDirectory
    >>> from mrmlib.interop.dot import from_dot
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "one.dot"
    ...     _ = file.write_text('digraph { __start0 -> u; u -> u [label="map/10"] }')
    ...     read(file, from_dot).rewards(("map", "map"))
    (10.0, 10.0)
    """
    with open(path, "rb") as file:
        size = Path(path).stat().st_size
        # What is no plain file may tell no size: one byte more than the limit is never asked for.
        data = file.read(limit + 1) if size <= limit else b""
    if max(size, len(data)) > limit:
        raise FormatError(f"{path}, line 1: more than the {limit} bytes that are read")
    try:
        text = data.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FormatError(f"{path}, line {line}: not UTF-8 text: {error.reason}") from None
    return reader(text, source=str(path))
