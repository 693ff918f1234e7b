"""How the project's own files become pages of the site: the README its front page, the docstrings its reference."""

import inspect
import json
import re
import shutil
from importlib import import_module
from pathlib import Path

import mrmlib

LIBRARY = Path(mrmlib.__file__).parent
PANEL = "application/vnd.jupyter.widget-view+json"
NOTE = '<p class="panel">A panel stands here: it runs in JupyterLab (<code>make lab</code>).</p>'
CONTENTS = """
```{toctree}
:hidden:
:caption: Notebooks
:glob:
notebooks/*
```
```{toctree}
:hidden:
:caption: Library
docs/api/mrmlib
benchmarks/README
```
```{toctree}
:hidden:
:caption: Project
CONTRIBUTING
CHANGELOG
```
"""


def jupyter_anchor(heading):
    """The anchor that JupyterLab gives to a heading.

    >>> jupyter_anchor("A misprint that matters")
    'A-misprint-that-matters'
    """
    return heading.replace(" ", "-")


def complete(app, page, source):
    """Give the front page its table of contents, and each panel of a notebook a sentence in its place."""
    if page == app.config.root_doc:
        source[0] += CONTENTS
    elif page.startswith("notebooks/"):
        source[0] = json.dumps(without_panels(json.loads(source[0])))


def without_panels(notebook):
    """The notebook with a picture in place of each panel, which needs a kernel, or a sentence if it has no picture.

    >>> panel = {"data": {PANEL: {}, "text/plain": "VBox()"}}
    >>> without_panels({"cells": [{"outputs": [panel]}]})["cells"][0]["outputs"][0]["data"] == {"text/html": NOTE}
    True
    """
    for cell in notebook["cells"]:
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            if PANEL in data:
                pictures = {kind: picture for kind, picture in data.items() if kind.startswith("image/")}
                output["data"] = pictures or {"text/html": NOTE}
    return notebook


def as_restructured_text(app, what, name, thing, options, lines):
    """Sphinx reads docstrings as reStructuredText; ours are plain text with `code`, *stress*, lists and doctests."""
    lines[:] = [line if line.lstrip().startswith((">>>", "...")) else restructured(line) for line in lines]


def restructured(line):
    r"""A line of a docstring with every sign escaped that means something else to reStructuredText.

    >>> print(restructured("δ*_r is *closed* over |Z|: see `Table` and `table[a, s]`"))
    δ\*\_r is *closed* over \|Z\|: see `Table` and ``table[a, s]``
    """
    def translated(match):
        text = match.group()
        if text[0] == "`":
            return text if re.fullmatch(r"`[\w.]+`", text) else f"`{text}`"
        return text if len(text) > 1 else "\\" + text
    return re.sub(r"`[^`]+`|(?<!\w)\*\w[^*]*\*|[*|_\\]", translated, line)


def write_api(folder):
    """Write one page for each module, and one for the whole that lists every name of `import mrmlib`."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for path in sorted(LIBRARY.rglob("*.py")):
        if path.stem != "__main__":
            module = ".".join(path.relative_to(LIBRARY.parent).with_suffix("").parts).removesuffix(".__init__")
            text = package_page(module, path.parent) if path.stem == "__init__" else module_page(module)
            (folder / f"{module}.rst").write_text(text, encoding="utf-8")


def module_page(module):
    """The page of a module: its docstring, and those of its public names."""
    return f"{titled(module)}.. automodule:: {module}\n   :members:\n   :ignore-module-all:\n"


def package_page(package, folder):
    """The page of a package: its docstring, the names it gives with the first sentence of each, and its modules."""
    inner = sorted(path.stem for path in folder.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists())
    modules = "".join(f"   {package}.{name}\n" for name in inner if not name.startswith("__"))
    return (f"{titled(package)}.. automodule:: {package}\n   :no-members:\n\n{names_table(import_module(package))}"
            f".. toctree::\n   :maxdepth: 1\n   :caption: Modules\n\n{modules}")


def names_table(package):
    """Every function and class that a package gives, where it is described, and what it is."""
    things = {name: getattr(package, name) for name in getattr(package, "__all__", vars(package))}
    rows = "".join(f"   * - :py:obj:`{name} <{thing.__module__}.{name}>`\n     - {restructured(summary(thing))}\n"
                   for name, thing in sorted(things.items()) if inspect.isclass(thing) or inspect.isfunction(thing))
    return rows and f".. list-table::\n   :class: names\n\n{rows}\n"


def summary(thing):
    """The first paragraph of a docstring, on one line."""
    return " ".join(inspect.getdoc(thing).partition("\n\n")[0].split())


def titled(module):
    """A page's title: the module's name without its package."""
    name = module.rpartition(".")[2]
    return f"{name}\n{'=' * len(name)}\n\n"


def add_index(app, exception):
    """The front page under the name that a browser or a server looks for."""
    if exception is None:
        shutil.copy(app.outdir / "README.html", app.outdir / "index.html")
