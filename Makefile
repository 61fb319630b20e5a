# Two commands matter: `make demo` and `make test`. Each sets up everything it needs in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CORE_CODE := $(wildcard src/deixis/native/*.cpp src/deixis/native/*.hpp)
CORE_SOURCES := $(CORE_CODE) src/deixis/native/unicode_tables.inc CMakeLists.txt pyproject.toml

# Half of the tests to each process, and to who is done first some of the other's: shared models are built once.
PYTEST := $(BIN)/python -m pytest -q -n 2 --dist worksteal

# The layers, what the pipeline gives on the frozen corpora, and the stages: what tells most in a minute.
STAGES := candidates cli decision detection kb nearest ranking
QUICK := tests/architecture/test_layers.py tests/golden $(STAGES:%=tests/unit/%)

.PHONY: help demo test quick lint browser java bench clean
.DEFAULT_GOAL := help

help:  ## show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(VENV)/.base:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip scikit-build-core nanobind cmake ninja
	@touch $@

$(VENV)/.built: $(VENV)/.base $(CORE_SOURCES)
	$(BIN)/python -m pip install --quiet --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.base pyproject.toml
	$(BIN)/python -m pip install --quiet --no-compile --group dev
	@$(BIN)/python -W ignore -m compileall -qq -j 0 $(VENV)/lib || true # on all processors, where pip uses one
	@touch $@

demo: $(VENV)/.built  ## build a linker from the shipped knowledge base and link a text
	@$(BIN)/deixis demo

lint: $(VENV)/.built $(VENV)/.dev  ## style, types, layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror $(CORE_CODE)
	$(BIN)/mypy
	$(BIN)/lint-imports

browser:  ## install Debian's chromium on this machine (as root or through sudo), for the workbench's tests
	@sh tools/install_browser.sh

java:  ## install Debian's Java 17 on this machine (as root or through sudo), for the tests of Spark
	@sh tools/install_java.sh

test: lint  ## everything a contributor must see green
	@sh tools/install_browser.sh --check || echo "Skipped: tests/browser, for want of chromium; 'make browser' installs it."
	@sh tools/install_java.sh --check || echo "Skipped: tests/doors/test_spark.py, for want of Java; 'make java' installs it."
	$(PYTEST)

quick: $(VENV)/.built $(VENV)/.dev  ## style, layers, goldens and the stages, in under a minute, while you work
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(PYTEST) -m "not slow" $(QUICK)

bench: $(VENV)/.built $(VENV)/.dev  ## measure speed against peers, each in its own environment
	$(BIN)/python -m benchmarks.speed

clean:  ## remove what the other targets made
	rm -rf $(VENV) .venv-* build dist
