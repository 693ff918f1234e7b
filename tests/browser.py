"""A real browser at a real server: chromium, driven by Playwright, looks at JupyterLab or Voilà on loopback."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from urllib.request import ProxyHandler, build_opener

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--no-proxy-server", "--force-color-profile=srgb"]
SIZE, TALL = {"width": 1280, "height": 800}, {"width": 1280, "height": 1600}
OUTSIDE = re.compile(r"^https?://(?!127\.0\.0\.1[:/])")
SCREENSHOTS = Path(__file__).parent.parent / "build" / "screenshots"
PATIENCE = 30  # seconds for anything that is waited for
NEWS = '{"fetchNews": "false", "checkForUpdates": false}'
LAB = ["-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1", "--ServerApp.port_retries=0",
       "--IdentityProvider.token=", "--expose-app-in-browser", "--LabApp.news_url=None",
       "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
VOILA = ["-m", "voila", "--no-browser", "--Voila.ip=127.0.0.1", "--Voila.port_retries=0"]


def missing():
    """What is missing for these tests, in words; empty if nothing is."""
    if CHROMIUM is None:
        return "no chromium on this machine"
    return next((f"{name} is not installed" for name in ("playwright", "jupyterlab", "voila") if not find_spec(name)),
                "")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def surroundings(folder):
    """The environment of a server that keeps all it writes in `folder`."""
    places = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTERLAB_SETTINGS_DIR",
              "JUPYTERLAB_WORKSPACES_DIR", "IPYTHONDIR")
    made = {name: folder / name.lower() for name in places}
    for place in made.values():
        place.mkdir()
    settings = made["JUPYTERLAB_SETTINGS_DIR"] / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True)
    (settings / "notification.jupyterlab-settings").write_text(NEWS)
    return {**os.environ, **{name: str(place) for name, place in made.items()}, "PYDEVD_DISABLE_FILE_VALIDATION": "1"}


@contextmanager
def server(command, folder, *, ready=""):
    """The address of a server started with `command`; it is gone afterwards, and its kernels with it."""
    port, log = free_port(), folder / "server.log"
    address = f"http://127.0.0.1:{port}/"
    with log.open("w") as output:
        process = subprocess.Popen([sys.executable, *command, f"--port={port}"], cwd=folder, stdout=output,
                                   stderr=subprocess.STDOUT, env=surroundings(folder), start_new_session=True)
    try:
        _await(address + ready, process, log)
        yield address
    finally:
        _end(process)


def _await(address, process, log):
    opener, deadline = build_opener(ProxyHandler({})), time.monotonic() + PATIENCE
    while True:
        try:
            opener.open(address, timeout=5).close()
            return
        except OSError as error:
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"no server at {address}: {error}\n{log.read_text()}") from error
            time.sleep(0.1)


def _end(process):
    """First politely, so that it ends its kernels; then for certain."""
    for sign, seconds in ((signal.SIGTERM, 15), (signal.SIGKILL, 5)):
        if process.poll() is None:
            os.killpg(process.pid, sign)
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                continue


def copied(notebook, folder):
    """A notebook and the stored rows that it reads, in a folder where it may do as it likes."""
    shutil.copy(notebook, folder)
    shutil.copytree(notebook.parent / "rows", folder / "rows")


@contextmanager
def browser(folder):
    """A page of 1280 × 800 in a browser with a fresh profile."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        context = driver.chromium.launch_persistent_context(str(folder / "profile"), executable_path=CHROMIUM,
                                                            args=FLAGS, viewport=SIZE)
        try:
            context.set_default_timeout(1000 * PATIENCE)
            # Nothing leaves the machine: the same page comes up with a network and without.
            context.route(OUTSIDE, lambda route: route.fulfill(body="", content_type="text/css"))
            yield context
        finally:
            context.close()


class Visit:
    """A notebook open in a browser: its panels, the errors the browser was told of, what it wanted from outside."""

    def __init__(self, page, name):
        self.page, self.name, self.errors, self.outside = page, name, [], []
        page.on("request", lambda request: OUTSIDE.match(request.url) and self.outside.append(request.url))
        page.on("console", lambda message: message.type == "error" and self.errors.append(
            f"{message.text} ({message.location['url']})"))
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    def open_in_lab(self, address, notebook):
        """Open a notebook in JupyterLab and run all its cells."""
        self.page.goto(f"{address}lab/tree/{notebook}")
        self.page.wait_for_function(
            "() => window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'")
        self.page.evaluate("() => window.jupyterapp.commands.execute('application:toggle-left-area')")
        self.page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')")
        wrong = self.page.locator('[data-mime-type="application/vnd.jupyter.stderr"], .jp-mod-error')
        assert not wrong.count(), wrong.first.inner_text()

    def run(self, code):
        """Run Python code in the notebook's kernel, beside its cells; what it prints comes back."""
        return self.page.evaluate("""async (code) => {
            const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
            const future = kernel.requestExecute({ code, store_history: false });
            let said = "";
            future.onIOPub = (message) => { said += message.content.text ?? message.content.evalue ?? ""; };
            await future.done;
            return said;
        }""", code)

    def panel(self, title):
        """The panel of that title, in view."""
        found = self.page.locator(".mrm-panel").filter(has=self.page.locator("h3", has_text=title))
        found.wait_for()
        found.scroll_into_view_if_needed()
        return found

    def cell_kinds(self):
        """The kinds of the notebook's cells, and which of them is the active one."""
        return self.page.evaluate("""() => {
            const content = window.jupyterapp.shell.currentWidget.content;
            return [content.activeCellIndex, content.widgets.map((cell) => cell.model.type)];
        }""")

    def clear_outputs(self):
        """Clear the outputs of all cells, which takes every panel off the page."""
        self.page.evaluate("() => window.jupyterapp.commands.execute('notebook:clear-all-cell-outputs')")

    def until(self, holds, seconds=5):
        """Wait until something holds that only the kernel knows."""
        deadline = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < deadline, "it never came to hold"
            self.page.wait_for_timeout(50)

    def await_frame(self, panel):
        """Wait until the live grid of a panel has drawn the agent somewhere else."""
        panel.locator(".mrm-live-grid").evaluate("""(grid) => new Promise((done) => {
            const watcher = new MutationObserver(() => { watcher.disconnect(); done(); });
            watcher.observe(grid, { attributes: true, attributeFilter: ["data-frame"] });
        })""")

    def seconds_to_still(self, panel, button):
        """Click a button; how long until the live grid of the panel has drawn its last frame."""
        handle = button.element_handle()
        return panel.locator(".mrm-live-grid").evaluate("""(grid, button) => new Promise((done) => {
            const began = performance.now();
            let last = began, waiting = 0;
            const still = () => { watcher.disconnect(); done((last - began) / 1000); };
            const watcher = new MutationObserver(() => {
                last = performance.now();
                clearTimeout(waiting);
                waiting = setTimeout(still, 1200);
            });
            watcher.observe(grid, { attributes: true, attributeFilter: ["data-frame"] });
            waiting = setTimeout(still, 1200);
            button.click();
        })""", handle)

    def frames(self, panel, seconds):
        """How many frames the live grid of a panel draws in so many seconds."""
        return panel.locator(".mrm-live-grid").evaluate("""(grid, seconds) => new Promise((done) => {
            let frames = 0;
            const watcher = new MutationObserver((changes) => { frames += changes.length; });
            watcher.observe(grid, { attributes: true, attributeFilter: ["data-frame"] });
            setTimeout(() => { watcher.disconnect(); done(frames); }, 1000 * seconds);
        })""", seconds)

    def keep(self, what, panel):
        """Keep a picture of a panel as it is now, all of it."""
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        self.page.set_viewport_size(TALL)
        panel.scroll_into_view_if_needed()
        panel.screenshot(path=SCREENSHOTS / f"{self.name}_{what}.png")
        self.page.set_viewport_size(SIZE)


def button(panel, label):
    """The button that says so; an icon before it is no part of the text."""
    return panel.locator("button.jupyter-button").filter(has_text=re.compile(rf"^\s*{re.escape(label)}\s*$"))


def press(panel, label):
    button(panel, label).click()


def field(panel, label):
    """The input beside a label."""
    return panel.locator(".widget-inline-hbox").filter(has=panel.page.locator("label", has_text=label)).locator(
        "input, textarea, select").first


def retype(panel, before, after):
    """Type something else into the field that says `before`."""
    found = [made for made in panel.locator("input").all() if made.input_value() == before]
    found[0].fill(after)
    found[0].press("Enter")


def overhang(panel):
    """By how many pixels the widest thing in a panel is wider than the panel itself."""
    return panel.evaluate("""(panel) => {
        const edge = panel.getBoundingClientRect().right;
        const scrolled = (part) => part !== panel && getComputedStyle(part).overflowX !== "visible";
        const inside = (part) => { for (let up = part.parentElement; up !== panel; up = up.parentElement)
            if (scrolled(up)) return true; return false; };
        return Math.max(...[...panel.querySelectorAll("*")].filter((part) => !inside(part)).map(
            (part) => part.getBoundingClientRect().right - edge));
    }""")
