# Everything starts from a fresh clone with Python >= 3.11 and make: the first target that needs it builds .venv.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/ready
EXTRAS := notebooks,tests,peers,cluster,site

.PHONY: help lab app test test-full lint pytest nbval notebooks experiments bench site clean

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

$(READY): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "mrmlib needs Python 3.11 or newer")'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[$(EXTRAS)]'
	touch $@

lab: $(READY)  ## open the notebooks in JupyterLab (prints the address; no display needed)
	$(BIN)/jupyter lab --allow-root --notebook-dir=notebooks --LabApp.default_url=/lab/tree/00_map_of_the_paper.ipynb

app: $(READY)  ## serve the playground as an app without code (prints the address)
	$(BIN)/voila --no-browser notebooks/12_playground.ipynb

test: lint pytest nbval  ## everything that must hold: ruff, pytest, doctests, coverage, nbval strict on every notebook

test-full: PYTEST_FLAGS := --full
test-full: test  ## the same, with every sampled count in full

lint: $(READY)
	$(BIN)/ruff check --quiet .

pytest: $(READY)
	$(BIN)/python -m pytest -q --cov=mrmlib $(PYTEST_FLAGS)

nbval: $(READY)
	$(BIN)/python -m pytest -q --nbval --nbval-current-env --nbval-cell-timeout=120 -o testpaths=notebooks -o addopts=

notebooks: $(READY)  ## run every notebook again, top to bottom, in place
	$(BIN)/python notebooks/execute.py

# A copy of its file, notebooks/rows/experiments.jsonl, is what notebooks 10 and 11 show.
experiments: $(READY)  ## both experiments at full size, within 15 minutes on 2 cores; goes on from build/experiments.jsonl
	mkdir -p build
	$(BIN)/python -m mrmlib.experiment.reproduce --out build/experiments.jsonl

bench: $(READY)  ## measure against the peers; rewrites benchmarks/README.md
	$(BIN)/python -m benchmarks

site: $(READY)  ## README, notebooks and library as static pages in build/site, to be read offline
	$(BIN)/python -m sphinx -q -c docs -d build/doctrees . build/site
	@echo "open build/site/index.html"

clean:  ## remove the environment and every cache
	rm -rf .venv .pytest_cache .ruff_cache .hypothesis .coverage build docs/api *.egg-info
	find . -name __pycache__ -prune -exec rm -rf {} +
