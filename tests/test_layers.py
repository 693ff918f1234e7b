"""Data flows one way: a module imports only from the rows above its own, or from its left in its own row."""

import ast
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import mrmlib

ROWS = (
    ("errors", "names", "document", "words"),
    ("nrmdp", "labelling", "machine", "store"),
    ("synchronise",),
    ("solve", "mcts", "within"),
    ("environment", "experience"),
    ("teacher", "learner", "counterexample", "table", "tree", "lstar", "conformance"),
    ("agents",),
    ("domains",),
    ("experiment",),
    ("tables", "figures", "interop"),
    ("widgets",),
)
"""A package counts as one module. A module may be listed before it exists; none may exist without being listed."""

PLACE = {module: (row, place) for row, modules in enumerate(ROWS) for place, module in enumerate(modules)}
LIBRARY = Path(mrmlib.__file__).parent
FILES = sorted(path.relative_to(LIBRARY) for path in LIBRARY.rglob("*.py") if path != LIBRARY / "__init__.py")
NOTEBOOK_PACKAGES = {"matplotlib", "IPython", "ipywidgets", "jupyterlab", "anywidget", "aalpy", "stormpy", "joblib",
                     "distributed", "tqdm", "gymnasium", "voila"}


def dotted(path):
    """figures/grid.py → figures.grid, domains/__init__.py → domains"""
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def imports(path):
    """The files of the library that a file imports, wherever in it; what only a type checker or a shell sees, aside."""
    tree = ast.parse((LIBRARY / path).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "__name__ == '__main__'"):
            node.body = []
    package = ("mrmlib", *path.parent.parts)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            named = [alias.name.split(".") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[:len(package) - node.level + 1] if node.level else ()
            named = [[*base, *(node.module or "").split("."), alias.name] for alias in node.names]
        else:
            continue
        yield from {file_of([part for part in parts[1:] if part]) for parts in named if parts[0] == "mrmlib"}


def file_of(parts):
    """The file that a dotted path names, or the one that holds the name at its end."""
    for length in range(len(parts), 0, -1):
        for file in (Path(*parts[:length]).with_suffix(".py"), Path(*parts[:length], "__init__.py")):
            if (LIBRARY / file).is_file():
                return file
    return Path("__init__.py")


def test_imports_of_every_form_are_seen():
    """`from . import x`, `from ..x import y` and, in a package, `from .x import y`."""
    assert "document" in {dotted(file) for file in imports(Path("nrmdp.py"))}
    assert {"nrmdp", "domains.grid"} <= {dotted(file) for file in imports(Path("domains/cookie.py"))}


@pytest.mark.parametrize("path", FILES, ids=dotted)
def test_a_module_imports_only_from_above_or_from_its_left(path):
    module = path.parts[0].removesuffix(".py")
    assert module in PLACE, f"{module} has no row"
    for other in imports(path):
        there = other.parts[0].removesuffix(".py")
        assert there != "__init__", f"{dotted(path)} imports the whole of mrmlib"
        assert there in PLACE, f"{there} has no row"
        assert there == module or PLACE[there] < PLACE[module], f"{dotted(path)} imports {dotted(other)}"


def test_no_module_imports_itself_in_a_circle():
    """This holds inside the packages too, where the rows say nothing."""
    list(TopologicalSorter({path: list(imports(path)) for path in FILES}).static_order())


def test_conformance_imports_neither_table_nor_lstar():
    conformance = [path for path in FILES if path.parts[0].removesuffix(".py") == "conformance"]
    assert not {dotted(other) for path in conformance for other in imports(path)} & {"table", "lstar"}


def test_importing_the_library_needs_no_notebook_and_no_peer():
    script = "import sys, mrmlib; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    assert "mrmlib" in loaded
    assert not NOTEBOOK_PACKAGES & set(loaded)


CORE = {module for row in ROWS[1:-2] for module in row}
"""All but the tools at the bottom and what shows and joins at the top."""


@pytest.mark.parametrize("path", [path for path in FILES if path.parts[0].removesuffix(".py") in CORE
                                  and path.stem != "__main__"], ids=dotted)
def test_a_module_of_the_core_names_its_part_of_the_paper_or_says_that_it_goes_beyond(path):
    assert "paper" in ast.get_docstring(ast.parse((LIBRARY / path).read_text(encoding="utf-8")))
