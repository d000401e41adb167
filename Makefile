# Everything sets itself up: a .venv with the versions of constraints.txt. Nothing needs to be done by hand.
.DEFAULT_GOAL := help
.PHONY: help run test check format bench soak clean

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PARALLEL := --numprocesses logical --maxprocesses 4 --dist worksteal
INSTALL := $(BIN)/python -m pip install --disable-pip-version-check --quiet --constraint constraints.txt

# What a run compiled, above all the tests with their asserts (8 s of a processor for each worker), the next one finds.
unexport PYTHONDONTWRITEBYTECODE

help:  ## show the targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile

$(VENV)/ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "hd needs Python 3.11 or newer; $$($(PYTHON) --version) was found. Set one: make PYTHON=python3.12 …"; exit 1; }
	@test -x $(BIN)/python || { echo "Setting up $(VENV) …"; $(PYTHON) -m venv $(VENV); }
	@$(INSTALL) --editable .
	@touch $@

$(VENV)/ready-dev: $(VENV)/ready tests/house/package.txt
	@echo "Installing what the tests need …"
	@$(INSTALL) --editable '.[dev]'
	@$(BIN)/python -m pip download --disable-pip-version-check --quiet --no-deps --no-binary :all: \
	  --dest $(VENV)/sources --requirement tests/house/package.txt
	@touch $@

run: $(VENV)/ready  ## talk to an agent in this folder (without a terminal: play one turn and print it)
	@if [ -t 0 ] && [ -t 1 ]; then \
	  $(BIN)/hd status >/dev/null 2>&1 || $(BIN)/hd web --background --port 0 >/dev/null || exit $$?; \
	  exec $(BIN)/htui; \
	else \
	  exec $(BIN)/hd run --demo "Give me a tour of this folder."; \
	fi

test: $(VENV)/ready-dev  ## run the tests, without the long ones
	@$(BIN)/python -m pytest $(PARALLEL) -m "not long"

check: $(VENV)/ready-dev  ## format, lint, types, contracts and all tests
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python -m pytest $(PARALLEL)

format: $(VENV)/ready-dev  ## format the code
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

bench: $(VENV)/ready-dev  ## measure speed and memory; writes bench.json
	@$(BIN)/python -m tests.bench

soak: $(VENV)/ready-dev  ## wear the daemon out and look what breaks; writes soak.json (PARTS="kills" SIZE=0.1 SEED=2)
	@$(BIN)/python -m tests.soak $(PARTS) --size $(or $(SIZE),1) --seed $(or $(SEED),1)

clean:  ## remove the environment and what tools left
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache dist bench.json soak.json
