# make chat               set up and talk to a model on this machine (MODEL=light: the small one)
# make test               set up and run the tests (ARGS="-k cascade -x")
# make lint               formatting, lint, types, who may import whom
# make lock               make the locks anew; the only thing that needs uv
# make clean              remove what setting up, building and testing left in the checkout

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
	command -v $$p >/dev/null 2>&1 && echo $$p && break; done)
UV ?= uv
MODEL ?=
ARGS ?=

LOCK = $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-header --no-annotate --extra build

.PHONY: chat test lint lock clean

chat: python
	@$(PYTHON) bootstrap.py chat $(MODEL)

test: python
	@$(PYTHON) bootstrap.py test $(ARGS)

lint: python
	@$(PYTHON) bootstrap.py lint

# A lock keeps its versions until it is removed or they are asked for: make lock UPGRADE=--upgrade
lock:
	$(LOCK) $(UPGRADE) pyproject.toml -o requirements.lock
	$(LOCK) $(UPGRADE) --extra dev --constraint requirements.lock pyproject.toml -o requirements-dev.lock

clean:
	rm -rf .venv .models build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find app memory widgets themes tests -name __pycache__ -type d -prune -exec rm -rf {} +

.PHONY: python
python:
	@test -n "$(PYTHON)" || { echo "Strata needs Python 3.11 or newer; none was found." >&2; exit 1; }
