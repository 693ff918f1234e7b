"""The site's settings for Sphinx: `make site` renders README, notebooks and library to build/site."""

import mrmlib
from docs import pages

project, author = "mrmlib", "The mrmlib authors"
copyright = author
version = release = mrmlib.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.viewcode"]
root_doc = "README"
include_patterns = ["*.md", "benchmarks/README.md", "notebooks/*.ipynb", "docs/api/*.rst"]
exclude_patterns = [".*", "build", "**/.ipynb_checkpoints"]

nb_execution_mode = "off"  # the outputs are stored in the notebooks; `make nbval` checks them
nb_ipywidgets_js = {}  # they would come from another server
nb_mime_priority_overrides = [("html", "text/html", 0)]  # a picture is stored as SVG too: show it once
myst_heading_anchors = 3
myst_heading_slug_func = "docs.pages.jupyter_anchor"

default_role = "py:obj"
suppress_warnings = ["ref.python"]  # two modules may give the same name to a type: its link then goes to the first
add_module_names = False
viewcode_follow_imported_members = False
toc_object_entries_show_parents = "hide"
autodoc_member_order = "bysource"
python_maximum_signature_line_length = 200  # counted with the full names of types, which are not shown

html_theme = "furo"
html_title = "mrmlib"
html_static_path = ["style.css"]
html_css_files = ["style.css"]
html_copy_source = False


def setup(app):
    """Hang `pages` into the build."""
    pages.write_api(app.srcdir / "docs" / "api")
    app.connect("source-read", pages.complete)
    app.connect("autodoc-process-docstring", pages.as_restructured_text)
    app.connect("build-finished", pages.add_index)
