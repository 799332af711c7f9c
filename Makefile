# Two commands on a fresh machine: `make report` and `make test`. Both set up .venv once.
PYTHON ?= python3
# Options for pip, for people whose index offers torch in several builds.
PIP_ARGS ?=
VENV := .venv
BIN := $(VENV)/bin

.PHONY: report test lint clean benchmark

report: $(VENV)/.installed
	$(BIN)/femnets run --preset quick --run quick

test: lint
	$(BIN)/python -m pytest --numprocesses=logical --dist=loadfile

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

benchmark: $(VENV)/.installed
	$(BIN)/python -m pytest --benchmark

# The stamp depends on what decides the installation, so a second call installs nothing.
$(VENV)/.installed: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(PIP_ARGS) \
		--constraint constraints.txt --editable '.[test]'
	touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
