# Set-up is done once: each stamp under .venv is made again only when what it depends on changes.
SHELL := /bin/bash
VENV := .venv
BIN := $(VENV)/bin

# The first interpreter that really runs and is new enough; a shim on the path may do neither.
PYTHON ?= $(shell for python in python3.11 python3.12 python3.13 python3; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$python; break; }; done)
# Only a capable pip installs dependency groups and resolves extras of the lxml family.
PIP_REQUIREMENT := pip>=25.1
# Modules stay whole: their fixtures build a wheel or crawl a site once. They run in the order of their names, since the
# few tests of tests/integration take longest; ordered by number of tests, one of them would run alone at the end.
TEST_PROCESSES ?= 2
# A failed test has one more try and is named under RERUN (docs/decisions/0047); 0 for none.
RERUNS ?= 1

.PHONY: help crawl setup fmt lint types test check gate bench soak docs clean
.DEFAULT_GOAL := help

help: ## this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 18

crawl: $(VENV)/.runtime ## crawl URL=https://docs.example.org/ (or SITE=name for sites/name.toml)
	@if [ -n "$$URL" ]; then exec $(BIN)/scrapy crawl docs_site -a "url=$$URL"; \
	elif [ -n "$$SITE" ]; then exec $(BIN)/scrapy crawl docs_site -a "site=$$SITE"; \
	else exec $(BIN)/scrapy crawl docs_site; fi

setup: $(VENV)/.development ## the environment with everything that tests and linters need

fmt: $(VENV)/.development ## format the code and apply safe fixes
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .

lint: $(VENV)/.development ## style, formatting and the layer rules
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(VENV)/.development ## mypy, strict, on the shipped packages
	$(BIN)/mypy

test: $(VENV)/.development ## every test (ARGS="-k name" for some)
	$(BIN)/python -m pytest -n $(TEST_PROCESSES) --dist loadscope --no-loadscope-reorder --reruns $(RERUNS) -rR $(ARGS)

check: lint types test ## what CI runs

gate: $(VENV)/.development ## is all as good as it was? fails where a floor is missed (yardsticks too, where at hand)
	$(BIN)/python -m benchmarks.gate $(ARGS)

bench: $(VENV)/.development ## speed and memory, as ratios of things measured in the same run
	$(BIN)/python -m benchmarks $(ARGS)

soak: $(VENV)/.development ## long tests: every fault, random examples, 10,000 pages (docs/soak.md); an hour or two
	$(BIN)/python -m pytest -m soak tests/soak $(ARGS)
	PYTHONPATH=tests/support $(BIN)/python -m pytest -p many_examples -n $(TEST_PROCESSES) --timeout 3600 tests/properties
	$(BIN)/python -m benchmarks.memory --small 1000 --large 10000 --strict
	$(BIN)/python -m benchmarks.recrawl --pages 1000 --strict
	$(BIN)/python -m benchmarks.documents_long --strict

docs: $(VENV)/.development ## write docs/configuration.md again from the models
	$(BIN)/python docs/build_configuration.py

clean: ## the environment and all caches; never the data folder
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(VENV)/.pip:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed and was not found; name it with make PYTHON=..." >&2; exit 1; }
	@bash .ci/system-packages "$(PYTHON)"
	@echo "Setting up $(VENV) with $(PYTHON): done once, about a minute ..."
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "$(PIP_REQUIREMENT)"
	@touch $@

$(VENV)/.runtime: $(VENV)/.pip pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable .
	@touch $@

$(VENV)/.development: $(VENV)/.runtime
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --group dev
	@bash .ci/system-packages "$(BIN)/python" tests
	@touch $@
