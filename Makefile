# What one types here. Every target does its own set-up, inside .venv and nowhere else.
#   PYTHON=python3.12 make demo    another interpreter (3.11 or newer)
#   make test ARGS="-k lock"       words for pytest
# Packages come from wherever your pip is told to get them.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input install -qq -c constraints.txt
ARGS ?=
JOBS ?= 2

.PHONY: help demo test check bench docs agents browser clean
.DELETE_ON_ERROR:

help:
	@echo "make demo    run the bundled example; needs no key and no network agent"
	@echo "make test    all tests"
	@echo "make check   ruff, mypy, import contracts, docs site"
	@echo "make bench   speed and size beside a hand-written floor (needs gcc)"
	@echo "make docs    the documentation site, in site/"
	@echo "make agents  real agent CLIs, in node_modules/ (needs npm)"
	@echo "make browser Chromium, in which tests look at pages (Debian, as root)"
	@echo "make clean   remove what these made; runs in artifacts/ are kept"

demo: $(VENV)/.demo
	@$(BIN)/audition demo $(ARGS)

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n $(JOBS) $(ARGS)

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

docs: $(VENV)/.dev
	$(BIN)/python docs/make_cli.py
	$(BIN)/python docs/make_checks.py
	$(BIN)/python docs/make_agents.py
	$(BIN)/python docs/make_lint.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "open site/index.html"

bench: $(VENV)/.demo
	$(BIN)/python benchmarks/measure.py $(ARGS)
	$(BIN)/python benchmarks/rules.py
	$(BIN)/python benchmarks/diff.py
	$(BIN)/python benchmarks/history.py
	@for agent in claude codex; do \
	  PATH="$(CURDIR)/node_modules/.bin:$$PATH" $(BIN)/python benchmarks/bare.py $$agent || exit 1; done

agents:
	@command -v npm >/dev/null || { echo "make agents: npm is not here; install Node.js first" >&2; exit 2; }
	npm install --no-save --no-audit --no-fund --loglevel=error
	@echo "installed into node_modules/.bin"

browser:
	@command -v chromium >/dev/null || command -v google-chrome >/dev/null || { \
	  command -v apt-get >/dev/null || { echo "make browser: install Chromium by hand" >&2; exit 2; }; \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null; }

clean:
	rm -rf $(VENV) site node_modules benchmarks/bin benchmarks/data .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

# The stamps live inside .venv, so that removing .venv undoes them too.
$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "audition needs Python 3.11 or newer; $(PYTHON) is: $$($(PYTHON) --version 2>&1)." >&2; \
	  echo "hint: name a newer one, as in: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 2; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
	  echo "$(PYTHON) cannot make a virtual environment: venv or ensurepip is missing." >&2; \
	  echo "hint: on Debian and Ubuntu: apt install python3-venv" >&2; exit 2; }
	@echo "making $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.demo: $(VENV)/.made pyproject.toml constraints.txt
	@echo "installing audition"
	@$(PIP) -e .
	@$(BIN)/python -m compileall -q src
	@touch $@

$(VENV)/.dev: $(VENV)/.made pyproject.toml constraints.txt
	@echo "installing audition and what its tests need"
	@$(PIP) -e '.[acp,claude,dev,mcp]'
	@touch $@ $(VENV)/.demo
