"""Run notebooks top to bottom and save them with their outputs: `python notebooks/execute.py [name …]`.

Widget state and the kernel's version are left out, so that the same code gives the same file.
"""

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient


def execute(path: Path) -> None:
    """Run one notebook in place, each cell stamped with its place in the run."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": path.parent}}).execute()
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
                         "language_info": {"name": "python"}}
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
        cell.metadata.pop("execution", None)  # time stamps
    nbformat.write(notebook, path)


if __name__ == "__main__":
    here = Path(__file__).parent
    for path in sorted(here.glob("*.ipynb")):
        if not sys.argv[1:] or any(path.name.startswith(name) for name in sys.argv[1:]):
            print(path.name, flush=True)
            execute(path)
