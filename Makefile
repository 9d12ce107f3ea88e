# `make demo` opens a table without hardware, `make test` runs every check. Both set up what is missing.

# The newest that is there and that the locks have wheels for: for 3.15 lz4 has none.
PYTHON ?= $(shell for minor in 14 13 12 11; do \
	python3.$$minor -c 'import ensurepip' 2>/dev/null && echo python3.$$minor && break; done)
VENV := .venv
BIN := $(VENV)/bin
FRONTEND := controller/web/frontend
STATIC := controller/web/static
SHOE_READER := hardware/shoe-reader
# Two more than a small machine has processors: many tests wait for pages, lines and processes. Each worker
# takes 7 s of processor time to import and collect everything; with 3 both processors were idle a third of the run.
JOBS ?= 4
SPREAD = -n $(JOBS) --dist loadscope --no-loadscope-reorder
SCREENSHOTS ?= build/screenshots

# What is imported is compiled once, also where a machine forbids it: a test's process begins in half the time.
unexport PYTHONDONTWRITEBYTECODE

# A home that cannot be written keeps no caches.
ifneq ($(shell test -w "$$HOME" && echo writable),writable)
export XDG_CACHE_HOME := $(CURDIR)/$(VENV)/cache
export npm_config_cache := $(CURDIR)/$(VENV)/cache/npm
endif

# uv, or pip where it is 23.3 or newer.
export INSTALLER ?= uv
STAMPS := $(VENV)/stamps
PAGE := $(STATIC)/index.html
NODE_MODULES := $(FRONTEND)/node_modules/.package-lock.json
MICROPYTHON := $(SHOE_READER)/node_modules/.package-lock.json
FRONTEND_FILES := $(shell find $(FRONTEND) -type f -not -path '*/node_modules/*' -not -path '*/tests/*' -not -name view.ts 2>/dev/null) $(wildcard controller/i18n/*.json)

# Where tools/npm puts a Node.js, should the machine have none.
export PATH := $(PATH):$(CURDIR)/$(VENV)/node

# A demo needs no compiled engine and no simulated shoe reader.
STEPS := $(if $(filter demo,$(MAKECMDGOALS)),3,4)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo floor-demo screenshots test every-test test-fast fast-tests test-night hooks check test-web coverage audit lint lint-python lint-web format setup setup-run pure programs bench hardware hardware-night sanitize wheel deb release-check sbom lock notices clean

help: ## Show the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 15

demo: setup-run ## Open a table without hardware; ARGS="--headless" deals without a browser
	$(BIN)/stand17 demo $(ARGS)

floor-demo: setup ## Open the pit's page over simulated tables with faults, on a network of their own with archive and PostgreSQL; TABLES=12
	$(BIN)/python -m tools.floor_demo --tables $(or $(TABLES),12)

screenshots: setup ## Take the README's pictures anew, and keep one of every hold and every state of the pages in six sizes and five languages; SCREENSHOTS=FOLDER says where
	@mkdir -p $(SCREENSHOTS)
	$(BIN)/python -m tests.e2e.readme_pictures
	SCREENSHOTS=$(abspath $(SCREENSHOTS)) $(BIN)/python -m pytest -m "" tests/e2e/test_e2e_holds.py tests/e2e/test_e2e_every_state.py --timeout=1800

# Run once, with their lines counted.
COUNTED := tests/config tests/journal

# Every feed at both doors and the engine by itself. Two workers: each more costs what it imports.
FAST := tests/rules tests/engine

TIMED := TIMEFORMAT='%R s; of processor time %U s in programs and %S s in the system'; time

test: ## Run every check and every test but those of the night, the browser ones too
	+@bash -c "$(TIMED) $(MAKE) --no-print-directory every-test"

# What is installed goes side by side, and so does what is built and checked: much of it waits.
every-test:
	@$(MAKE) --no-print-directory --jobs 2 --output-sync=target $(STAMPS)/dev $(PAGE) programs
	@$(MAKE) --no-print-directory --jobs 2 --output-sync=target setup lint test-web coverage COVERED="$(COUNTED)" SPREAD=
	$(BIN)/python -m pytest $(SPREAD) -m "not night" --durations=25 $(addprefix --ignore=,$(COUNTED))

test-fast: ## Rules and engine, by every feed: what an edit of the engine breaks
	+@bash -c "$(TIMED) $(MAKE) --no-print-directory fast-tests"

# After an edit of the engine its sources run: to compile them takes longer than these tests.
fast-tests: JOBS := 2
fast-tests: $(STAMPS)/dev $(PAGE) $(MICROPYTHON) vision/native/_kernel.so
	@$(MAKE) --question $(STAMPS)/engine 2>/dev/null || \
		{ $(BIN)/python -m tools.compile --clean && $(BIN)/python -m tools.compile --kernel; }
	$(BIN)/python -m pytest $(SPREAD) -m "not browser and not night and not long" $(FAST)

test-night: setup programs ## Run what `make test` leaves out because it takes long
	$(BIN)/python -m pytest $(SPREAD) -m night --durations=25 --timeout=1800

hooks: ## Let git run `make test-fast` before each push
	git config core.hooksPath tools/hooks

check: setup lint test-web ## The same without a browser
	$(BIN)/python -m pytest $(SPREAD) -m 'not browser and not night'

test-web: $(PAGE) $(NODE_MODULES) ## Test the components of the screens, without a browser
	tools/npm --prefix $(FRONTEND) run --loglevel error test

# Counting lines nearly doubles a test's time, so it is done on what takes seconds, not on the whole run.
COVERED ?= tests/config tests/journal tests/recording tests/runtime tests/web
coverage: setup ## Tell which lines of runtime, journal, recordings and screens their own tests reach
	$(BIN)/python -m pytest $(SPREAD) -m 'not browser and not night' $(COVERED) --cov

lint: lint-python lint-web ## Style, types and import contracts

lint-python: $(STAMPS)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

lint-web: $(PAGE) $(NODE_MODULES) $(STAMPS)/dev
	tools/npm --prefix $(FRONTEND) run --loglevel error check

format: setup ## Lay out the files of Python and of the screens
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	tools/npm --prefix $(FRONTEND) run --loglevel error format

bench: setup ## Compare the engine with its rivals
	$(BIN)/stand17 bench engine

setup: $(STAMPS)/dev $(STAMPS)/engine $(PAGE) $(NODE_MODULES) $(MICROPYTHON)
setup-run: $(STAMPS)/run vision/native/_kernel.so $(PAGE)

programs: ## Install Chromium, ffmpeg and VLC where they are missing
	@tools/test-tools

$(STAMPS)/venv:
	@python=$(PYTHON); [ -n "$$python" ] || { echo "No Python 3.11 to 3.14 with ensurepip here: install one (on Debian" \
		"python3-venv), or say PYTHON=..."; exit 1; }; $$python -m venv $(VENV)
	@mkdir -p $(STAMPS) && touch $@

# The development lock contains the run lock. An install of the run lock would remove what only development needs.
$(STAMPS)/run: requirements/run.txt requirements/build.txt requirements/lock.txt pyproject.toml tools/install $(STAMPS)/venv
	@if [ $(STAMPS)/dev -nt requirements/dev.txt ] && [ $(STAMPS)/dev -nt pyproject.toml ]; then true; \
	elif [ -e $(STAMPS)/dev ]; then $(MAKE) --no-print-directory $(STAMPS)/dev; \
	else tools/step "1 of $(STEPS): what the table needs, about 460 MB in $(VENV)" tools/install run; fi
	@touch $@

$(STAMPS)/dev: requirements/dev.txt requirements/lock.txt requirements/oldest-pip.txt pyproject.toml tools/install $(STAMPS)/venv
	@tools/step "1 of $(STEPS): what the table and its tests need, about 1.5 GB in $(VENV)" tools/install dev
	@touch $@

$(STAMPS)/engine: $(wildcard controller/engine/*.py controller/engine/*/*.py controller/domain.py controller/irregularities.py vision/native/*.c) vision/native/__init__.py tools/compile.py tools/native_states.py | $(STAMPS)/dev
	@tools/step "2 of $(STEPS): compiling the engine and the reader's C functions" $(BIN)/python -m tools.compile
	@touch $@

# Where there is no compiler one is brought.
vision/native/_kernel.so: $(wildcard vision/native/*.c) vision/native/__init__.py | $(STAMPS)/run
	@tools/step "2 of $(STEPS): compiling the reader's C functions" $(BIN)/python -m tools.compile --kernel

pure: $(STAMPS)/dev ## Remove the compiled engine: its sources run
	$(BIN)/python -m tools.compile --clean
	@$(BIN)/python -m tools.compile --kernel
	@rm -f $(STAMPS)/engine

HARDWARE := build/hardware
# The tests of what needs build123d, SKiDL or the PIO emulator; the others run where the table's program is installed.
NEED_HARDWARE := $(addprefix tests/hardware/test_,geometry.py parts.py programs.py)
# Draws through the simulated reader at a real table; `make test-night` has ten thousand.
CARDS ?= 300
DRAWS ?= 10000
hardware: setup $(HARDWARE)/venv/stamp ## Build the shoe reader from code and test it: print, circuit, firmware; CARDS=300
	PYTHONPATH=.:$(SHOE_READER) $(HARDWARE)/venv/bin/python -m design.build $(HARDWARE)
	PYTHONPATH=. $(HARDWARE)/venv/bin/python -m pytest --confcutdir=tests/hardware --timeout=900 $(NEED_HARDWARE)
	$(BIN)/python -m pytest -m "not night" --timeout=900 tests/hardware
	PYTHONPATH=$(SHOE_READER) $(BIN)/python -m tests.hardware.many_passages $(CARDS)

hardware-night: setup ## Draw ten thousand cards through the simulated shoe reader, one count over several nights; DRAWS=10000
	PYTHONPATH=$(SHOE_READER) $(BIN)/python -m tests.hardware.many_passages $(DRAWS) $(HARDWARE)/draws.json

$(HARDWARE)/venv/stamp: requirements/hardware.txt | $(STAMPS)/dev
	$(PYTHON) -m venv $(HARDWARE)/venv
	$(BIN)/uv pip install --quiet --python $(HARDWARE)/venv/bin/python --require-hashes -r $<
	@touch $@

# Needs a network; what no index knows of is an error, too. The development lock holds all that a table may install.
audit: build/audit/stamp $(PAGE) ## Ask whether a pinned package, Python's or the page's, has a known hole
	build/audit/bin/pip-audit --strict --disable-pip --require-hashes -r requirements/dev.txt
	tools/npm --prefix $(FRONTEND) audit
	tools/npm --prefix $(SHOE_READER) audit

build/audit/stamp: requirements/audit.txt | $(STAMPS)/dev
	$(PYTHON) -m venv build/audit
	$(BIN)/uv pip install --quiet --python build/audit/bin/python --require-hashes -r $<
	@touch $@

sanitize: setup ## Run the reader's C functions under gcc's sanitizers; ARGS="--calls 100000 --seed 2"
	$(BIN)/python -m tests.vision.native.sanitize $(ARGS)

wheel: setup ## Build the wheels in dist/: compiled for this Python and platform, and pure
	$(BIN)/python -m tools.wheel

deb: setup ## Build Debian packages of the wheel in dist/: program and service
	$(BIN)/python -m tools.debian

release-check: setup ## Build the wheels, install each into a bare environment and try it there; ARGS="--no-bench"
	$(BIN)/python -m tests.release.wheel_check $(ARGS)

# From the locks, with their hashes. Licences, and what other wheels carry inside, no such list knows: THIRD_PARTY.md.
SBOM ?= dist
sbom: setup ## List what a table and its page are made of, as CycloneDX in dist/
	@mkdir -p $(SBOM)
	$(BIN)/cyclonedx-py requirements requirements/run.txt --pyproject pyproject.toml --output-reproducible \
		--of JSON -o $(SBOM)/stand17.cdx.json
	tools/npm --prefix $(FRONTEND) sbom --sbom-format cyclonedx --package-lock-only > $(SBOM)/stand17-page.cdx.json

FETCH := tools/npm --prefix $(FRONTEND) ci --silent --no-fund --no-audit && touch $(NODE_MODULES)

# A demo keeps neither Node.js nor what builds the page: 380 MB on a bare machine.
$(PAGE): $(FRONTEND_FILES) | $(STAMPS)/venv
	@tools/step "3 of $(STEPS): building the page, with 175 MB in $(FRONTEND)/node_modules" sh -c '\
		{ [ $(NODE_MODULES) -nt $(FRONTEND)/package-lock.json ] || { $(FETCH); }; } && \
		tools/npm --prefix $(FRONTEND) run --silent build'
	@[ $(STEPS) = 4 ] || [ -e $(STAMPS)/dev ] || rm -rf $(VENV)/node $(FRONTEND)/node_modules
	@touch $@

# For the checks of a page that is there.
$(NODE_MODULES): $(FRONTEND)/package-lock.json | $(PAGE)
	@$(FETCH)

# In which the tests run the shoe reader's firmware; a table needs none of it.
$(MICROPYTHON): $(SHOE_READER)/package-lock.json | $(STAMPS)/venv
	@tools/step "4 of $(STEPS): the shoe reader's simulator" \
		tools/npm --prefix $(SHOE_READER) ci --silent --no-fund --no-audit
	@touch $@

lock: setup ## Resolve requirements/*.txt where pyproject.toml asks for more; ARGS=--upgrade takes what is newest
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m tools.lock $(ARGS)

notices: setup $(PAGE) ## Rewrite THIRD_PARTY.md from what is installed
	$(BIN)/python -m tests.release.notices

clean: ## Remove everything that set-up and tests made
	rm -rf $(VENV) $(STATIC) $(FRONTEND)/node_modules $(SHOE_READER)/node_modules build dist
	rm -f *__mypyc*.so controller/engine/*.so controller/engine/*/*.so vision/*.so vision/native/*.so
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
	rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
