# On a fresh machine: git, make and Python >= 3.11 are enough. `make demo` and `make test` make .venv where it is missing.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
WORKERS ?= 2
# One thread per worker: the two workers share the cores without getting in each other's way.
PYTEST := OMP_NUM_THREADS=1 $(BIN)/pytest

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-compile lint format types imports docs check bench soak tools browser clean

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 15

setup: $(READY) ## make .venv with everything that development needs

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Chainrule needs Python 3.11 or newer; say make PYTHON=python3.x")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv || { rm -rf .venv; $(PYTHON) -m venv --without-pip .venv; }
	$(BIN)/python -m pip --version > /dev/null 2>&1 || $(PYTHON) -m pip --python $(BIN)/python install pip
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev,docs,export,web]'
	@touch $(READY)

demo: $(READY) ## train LeNet-5 on the digits (a minute) and say where its report lies
	rm -rf runs/demo
	$(BIN)/chainrule run digits-lenet --out runs/demo

test: $(READY) ## the whole suite, doctests and examples too, but the soak
	$(PYTEST) -n $(WORKERS) --dist loadfile
	$(MAKE) --no-print-directory test-compile

test-compile: $(READY) ## the tests of torch.compile, which the type hook would disturb
	$(PYTEST) -n $(WORKERS) -m compile

lint: $(READY) ## ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(READY) ## let ruff mend what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: $(READY) ## pyright, strict
	$(BIN)/pyright

imports: $(READY) ## rooms import only from rooms below them
	PYTHONPATH=src $(BIN)/lint-imports

docs: $(READY) ## the documentation in site/, every warning an error
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

check: lint types imports docs test ## all that CI runs

.venv/.peers: $(READY)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[peers]'
	@touch $@

bench: .venv/.peers ## the side-by-side tables, beside the peers
	@for file in $$(grep -l '__main__' bench/*.py); do echo "== $$file"; $(BIN)/python $$file || exit 1; done

soak: $(READY) ## the long proofs
	$(PYTEST) -m soak --timeout 0

tools: browser ## what tests need beyond Python packages: a browser, xz and a C++ compiler, where apt can install them
	@command -v g++ > /dev/null || command -v clang++ > /dev/null || { test "$$(id -u)" = 0 && apt-get install --yes g++; } \
		|| echo 'no C++ compiler: the test of compiled training is skipped'
	@command -v xz > /dev/null || { test "$$(id -u)" = 0 && apt-get install --yes xz-utils; } || echo 'no xz: its tests are skipped'

browser:
	@command -v chromium > /dev/null || { test "$$(id -u)" = 0 && apt-get update --quiet && apt-get install --yes chromium; } \
		|| echo 'no chromium: the tests of pages in a browser are skipped'

clean: ## forget what was built, but not the runs
	rm -rf .venv site .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
