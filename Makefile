# Two commands: `make demo` shows what sordino does; `make test` checks it. Both set up what they need.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
JOBS   ?= 2

TABLES ?= 1000
SEED   ?= 0
LIMIT  ?= 20

EXAMPLES ?= 0.3

.PHONY: demo test check lint types clean bench docs picture notebook fuzz page experiments
.DEFAULT_GOAL := demo

$(VENV)/.made:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	touch $@

$(VENV)/.user: $(VENV)/.made pyproject.toml
	$(BIN)/python -m pip install --quiet --editable ".[report]"
	touch $@

$(VENV)/.dev: $(VENV)/.made pyproject.toml
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	$(BIN)/python -m pip install --quiet --editable ".[rules]" || echo "PyFIM needs a C compiler: its tests will skip"
	touch $@ $(VENV)/.user

$(VENV)/.bench: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --editable ".[dev,bench]"
	touch $@

# The reference is made from the code; the site needs no network, neither to be built nor to be read.
docs: $(VENV)/.dev
	$(BIN)/python scripts/reference.py
	$(BIN)/zensical build --clean
	cp src/sordino/release/check.html out/docs/check.html
	@echo "The documentation is in out/docs/index.html"

# check.html, the page that every release holds, from web/check; and the test vectors, which name its checksum.
page: $(VENV)/.dev
	$(BIN)/python scripts/check_page.py
	$(BIN)/python scripts/vectors.py

picture: $(VENV)/.dev
	$(BIN)/python scripts/picture.py
	$(BIN)/python scripts/studio_picture.py

# Every experiment of the papers that has no result yet (hours, on a quiet machine; it goes on where it stopped), and the
# page of the results: docs/experiments.md.
experiments: $(VENV)/.dev
	$(BIN)/python scripts/experiments.py run

notebook: $(VENV)/.dev
	$(BIN)/python scripts/notebook.py

demo: $(VENV)/.user
	mkdir -p out
	$(BIN)/sordino demo --out out/demo

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

# What the tests need is compiled first, by all processes together; each would compile all of it otherwise. So are the
# modules, where Python is told not to keep them: hundreds of commands that tests start would compile them anew.
# Without what takes longest: whole journeys in a browser, a cluster, processes killed at every moment, kernels as plain
# Python; and with fewer random tables. `make check`, which is what CI runs, leaves nothing out.
test: lint types
	$(BIN)/python -m compileall -q src
	$(BIN)/sordino warm --jobs $(JOBS)
	SORDINO_EXAMPLES=$(EXAMPLES) $(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m "not slow"

check: lint types
	$(BIN)/python -m compileall -q src
	$(BIN)/sordino warm --jobs $(JOBS)
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal --durations 30

# Random tables through everything, each answer held against the oracles. 10,000 tables: make fuzz TABLES=10000 SEED=1
fuzz: $(VENV)/.dev
	PYTHONPATH=tests $(BIN)/python -m fuzz run --tables $(TABLES) --seed $(SEED) --jobs $(JOBS) --limit $(LIMIT)

# The last three in small: the whole of them takes hours (docs/benchmarks.md says how).
bench: $(VENV)/.bench
	$(BIN)/python benchmarks/audit.py
	$(BIN)/python benchmarks/suppress.py
	$(BIN)/python benchmarks/templates.py
	$(BIN)/python benchmarks/rivals.py --quick
	$(BIN)/python benchmarks/personal.py --quick
	$(BIN)/python benchmarks/injector.py --quick

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
