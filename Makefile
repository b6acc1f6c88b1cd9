PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin

.PHONY: install check lint types test sweep bench

install: ## a virtual environment with everything for work on the project
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q -e ".[dev]"

check: lint types test ## what has to pass before a change lands

lint:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types:
	$(BIN)/mypy

test:
	$(BIN)/python -m pytest

sweep: ## the main job
	$(BIN)/python -m fastrag_bench -m chunker=recursive,semantic k=5,10

bench: ## each script prints its own ratios
	for script in benchmarks/*.py; do $(BIN)/python $$script || exit 1; done
