"""Run every benchmark, each in a process of its own, and keep what they print in README.md."""

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

TOPICS = ("solving", "suites", "planning", "living", "learning")
PEERS = ("stormpy", "aalpy", "numba", "numpy", "scipy")
HEAD = """# Benchmarks

Made by `make bench`. Machines are noisy, so what counts are ratios: each figure of ours stands beside a peer's (or a
limit's) from the same run on the same machine. Where a peer is better, the table says so.

Versions: {versions}.

{in_short}
"""


def measured(topic: str) -> str:
    """The section that a benchmark prints."""
    print(f"measuring {topic} …", file=sys.stderr, flush=True)
    command = [sys.executable, "-m", f"benchmarks.{topic}"]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


if __name__ == "__main__":
    versions = ", ".join(f"{name} {version(name)}" for name in PEERS)
    sections = {topic: measured(topic) for topic in TOPICS}
    in_short = "\n".join(f"- **{topic.capitalize()}**{line.removeprefix('In short')}" for topic, section in
                         sections.items() for line in section.splitlines() if line.startswith("In short: "))
    page = "\n".join([HEAD.format(versions=versions, in_short=in_short), *sections.values()])
    Path(__file__).with_name("README.md").write_text(page)
    print(page)
