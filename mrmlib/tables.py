"""Tables: tidy rows, shown. A result becomes rows first; a table only chooses columns and digits."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any


@dataclass(frozen=True, repr=False)
class Table:
    """Rows (mappings from column to value) that a notebook shows as a table and a terminal as Markdown.

    >>> Table([{"APF": 0.95, "return": 1459.0}], digits={"return": 0})
    | APF | return |
    | --- | --- |
    | 0.95 | 1,459 |
    """

    rows: tuple[Mapping[str, Any], ...]
    columns: tuple[str, ...]
    caption: str
    digits: Mapping[str, int]

    def __init__(self, rows: Iterable[Mapping[str, Any]], columns: Iterable[str] | None = None, caption: str = "",
                 digits: Mapping[str, int] | None = None) -> None:
        rows = tuple(dict(row) for row in rows)
        columns = tuple(dict.fromkeys(name for row in rows for name in row)) if columns is None else tuple(columns)
        self.__dict__.update(rows=rows, columns=columns, caption=caption, digits=dict(digits or {}))

    def cells(self) -> list[list[str]]:
        """Each row's values as text, column by column."""
        return [[shown(row.get(name, ""), self.digits.get(name)) for name in self.columns] for row in self.rows]

    def __repr__(self) -> str:
        lines = [self.columns, ["---"] * len(self.columns), *self.cells()]
        return "\n".join("| " + " | ".join(line) + " |" for line in lines)

    def _repr_html_(self) -> str:
        caption = f"<caption>{escape(self.caption)}</caption>" if self.caption else ""
        sides = [_side(row.get(name) for row in self.rows) for name in self.columns]

        def line(tag: str, cells: Iterable[str]) -> str:
            return "".join(f"<{tag}{side}>{escape(cell)}</{tag}>" for cell, side in zip(cells, sides, strict=True))

        head, body = line("th", self.columns), "".join(f"<tr>{line('td', row)}</tr>" for row in self.cells())
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _side(column: Iterable[Any]) -> str:
    """Words begin at the left; what else is written (10 ± 2) keeps to one line, at the right as numbers are anyway."""
    texts = [shown(value) for value in column if isinstance(value, str | tuple)]
    if any(text[:1].isalpha() for text in texts):
        return ' style="text-align: left"'
    return ' style="white-space: nowrap"' if any(texts) else ""


def shown(value: Any, digits: int | None = None) -> str:
    """A value as it stands in a table: words joined by ·, numbers with thousands apart.

    >>> shown(("m", "g", "t")), shown(14000), shown(0.1234, 2), shown(True)
    ('m·g·t', '14,000', '0.12', 'yes')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple) and all(isinstance(part, str) for part in value):
        return "·".join(value) or "ε"
    if isinstance(value, float) and digits is None:
        return f"{value:,.6g}"
    if isinstance(value, int | float):
        return f"{value:,.{digits or 0}f}"
    return str(value)
