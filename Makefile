# Two commands on a fresh machine: `make report` and `make test`. Both set up .venv once; `make docs
# package` builds the pages, wheel and sdist, and tries the wheel from outside the checkout.
PYTHON ?= python3
# Options for pip, for people whose index offers torch in several builds.
PIP_ARGS ?=
VENV := .venv
BIN := $(VENV)/bin

.PHONY: report article test lint coverage docs package clean benchmark fuzz kept readme

report: $(VENV)/.installed
	$(BIN)/femnets run --preset quick --run quick

test: lint
	$(BIN)/python -m pytest --numprocesses=logical --dist=loadfile

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Which lines the tests run, as a table and as pages in build/coverage: `make test`, twice as slow.
coverage: $(VENV)/.installed
	$(BIN)/python -m pytest --numprocesses=logical --dist=loadfile \
		--cov --cov-report=term --cov-report=html

# Random command lines, damaged files, partial reports and signals: an hour. FUZZ_SEED changes them.
FUZZ_SEED ?= 1
fuzz: $(VENV)/.installed
	$(BIN)/python -m pytest -m fuzz -s tests/fuzz --hypothesis-seed=$(FUZZ_SEED)

benchmark: $(VENV)/.installed
	$(BIN)/python -m pytest --benchmark

# The reference run, kept for readers: make kept RUN=paper WITH=again, then `make article readme`.
RUN ?= paper
WITH ?=
kept: $(VENV)/.installed
	$(BIN)/femnets export $(RUN) --to kept --out docs/paper $(addprefix --with ,$(WITH))

# The article from docs/paper alone: a statement that the kept run does not support stops it.
article: $(VENV)/.installed
	$(BIN)/python -m reports.article docs/paper

# README's results and picture, from docs/paper alone.
readme: $(VENV)/.installed
	$(BIN)/python -m reports.article docs/paper --readme README.md
	$(BIN)/python -m reports.article docs/paper --picture first docs/pictures/solve.png

docs: $(VENV)/.docs
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs build/docs
	@echo build/docs/index.html

# Without build isolation: setuptools is pinned in .venv, and nothing has to be fetched.
package: $(VENV)/.docs
	rm -rf dist build/lib build/bdist.*
	$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .
	$(BIN)/python -c "from setuptools import build_meta; build_meta.build_sdist('dist')" >/dev/null
	$(BIN)/python tests/outside/try_wheel.py dist

$(VENV)/.docs: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(PIP_ARGS) \
		--constraint constraints.txt --editable '.[test,dev,docs]'
	touch $@

# The stamp depends on what decides the installation, so a second call installs nothing.
$(VENV)/.installed: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(PIP_ARGS) \
		--constraint constraints.txt --editable '.[test,dev]'
	touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
