"""The site, built once: its links lead somewhere, it fetches nothing from elsewhere, and what is stored is shown."""

import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import mrmlib as mrm
from docs.pages import LIBRARY, NOTE

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
FETCHED = {("script", "src"), ("img", "src"), ("img", "srcset"), ("iframe", "src"), ("source", "src"), ("video", "src"),
           ("embed", "src"), ("object", "data"), ("link", "href")}


class Page(HTMLParser):
    """What a page points to, what can be pointed to in it, and how many tags of each kind a cell's output has."""

    def __init__(self, text):
        super().__init__()
        self.links, self.fetched, self.anchors, self.shown, self.depth = [], [], set(), [], 0
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("id", "name"):
                self.anchors.add(value)
            if (tag, name) in FETCHED:
                self.fetched.append(value)
            elif name == "href":
                self.links.append(value)
        if tag == "div":
            self.depth += bool(self.depth) or "cell_output" in (dict(attributes).get("class") or "")
        elif self.depth:
            self.shown.append(tag)

    def handle_endtag(self, tag):
        if tag == "div" and self.depth:
            self.depth -= 1


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the built site; a warning of Sphinx fails the build."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-c", "docs", "-d", folder / "doctrees",
               ROOT, folder / "html"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / "html"


@pytest.fixture(scope="module")
def pages(site):
    return {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}


def test_the_front_page_is_the_readme(site):
    assert (site / "index.html").read_text() == (site / "README.html").read_text()


def test_every_link_leads_to_a_page_and_to_its_anchor(site, pages):
    broken = []
    for path, page in pages.items():
        for link in page.links + page.fetched:
            address = urlsplit(link)
            if address.scheme:
                continue
            target = (path.parent / unquote(address.path)).resolve() if address.path else path
            if not target.is_file() or (address.fragment and target in pages
                                        and unquote(address.fragment) not in pages[target].anchors):
                broken.append(f"{path.relative_to(site)} → {link}")
    assert broken == []


def test_no_page_and_no_style_fetches_anything_from_elsewhere(site, pages):
    fetched = [address for page in pages.values() for address in page.fetched]
    for style in site.rglob("*.css"):
        fetched += re.findall(r"(?:url\(|@import )['\"]?([^)'\";]+)", style.read_text())
    assert [address for address in fetched if urlsplit(address).scheme not in ("", "data") or address[:2] == "//"] == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_stored_picture_and_table_is_shown_once(path, site, pages):
    outputs = [output.get("data", {}) for cell in json.loads(path.read_text())["cells"]
               for output in cell.get("outputs", ())]
    html = ["".join(data.get("text/html", "")) for data in outputs]
    pictures = sum(any(kind.startswith("image/") for kind in data) for data in outputs)
    shown = pages[site / "notebooks" / f"{path.stem}.html"].shown
    assert shown.count("table") == sum(text.count("<table") for text in html)
    assert shown.count("img") == pictures
    assert "svg" not in shown, "the same picture twice"


def test_no_panel_leaves_a_trace_of_a_widget_where_none_can_run(site):
    for path in (site / "notebooks").glob("*.html"):
        assert "vnd.jupyter.widget" not in path.read_text(encoding="utf-8")
    assert "JupyterLab" in NOTE


def test_every_module_has_a_page_and_every_public_name_its_description(pages, site):
    modules = {".".join(path.relative_to(LIBRARY.parent).with_suffix("").parts).removesuffix(".__init__")
               for path in LIBRARY.rglob("*.py") if path.stem != "__main__"}
    described = {path.stem: page.anchors for path, page in pages.items() if path.parent == site / "docs" / "api"}
    assert set(described) == modules
    for name, thing in vars(mrm).items():
        if callable(thing):
            assert f"{thing.__module__}.{name}" in described[thing.__module__]


def test_doctests_are_shown(site):
    text = (site / "docs" / "api" / "mrmlib.machine.html").read_text(encoding="utf-8")
    assert text.count("&gt;&gt;&gt;") == (LIBRARY / "machine.py").read_text().count(">>>")
