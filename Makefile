# Everything that these commands install or write lands in .venv/, apart from Debian packages that a test needs.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CACHE := $(CURDIR)/$(VENV)/cache
PEERS := $(VENV)/peers
TESTS ?= tests
# Most of the tests' time is waiting: for servers, terminals and the browser.
WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) \* 3)

export PIP_CACHE_DIR := $(CACHE)/pip
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export NPM_CONFIG_CACHE := $(CACHE)/npm
export PYRIGHT_PYTHON_CACHE_DIR := $(CACHE)/pyright
export HYPOTHESIS_STORAGE_DIRECTORY := $(CACHE)/hypothesis

.PHONY: demo test check bench bench-compare prove mutate samples pictures format clean

demo: $(VENV)/installed ## the interface on the built-in server
	@$(BIN)/sightline demo

test: $(VENV)/tested $(PEERS)/installed chromium ## all tests, with the real servers and the browser they need
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(TESTS)

check: $(VENV)/tested ## format, lint, types, import rules
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports --cache-dir $(CACHE)/imports
	$(BIN)/pyright

bench: $(VENV)/tested chromium ## every figure against its yardstick and its aim; takes under eight minutes
	$(BIN)/python -m benchmarks $(PARTS)

bench-compare: $(VENV)/tested ## the last two runs of make bench, row by row
	$(BIN)/python -m benchmarks.compare

prove: $(VENV)/tested ## the invariants of the boundary on 100,000 cases each; takes long
	PROOF_CASES=$${PROOF_CASES:-100000} PROOF_SEED=$${PROOF_SEED:-$$(date +%s)} $(BIN)/python -m pytest -q -n auto --timeout 0 tests/proof

mutate: $(VENV)/tested ## whether a test notices each guard that is removed; takes long; RESUME=FILE goes on where that file ends
	$(BIN)/python -m tests.mutation.mutate $(if $(RESUME),--resume $(RESUME))

samples: $(VENV)/tested chromium ## the recordings that come with the package, made again from the demo
	$(BIN)/python -m tests.recording.samples

pictures: $(VENV)/tested ## the pictures in docs/, taken from the demo
	$(BIN)/python -m tests.pictures

format: $(VENV)/tested
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV)

$(VENV)/made:
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/installed: $(VENV)/made pyproject.toml constraints.txt
	$(BIN)/pip install -q -c constraints.txt -e .
	@touch $@

$(VENV)/tested: $(VENV)/made pyproject.toml constraints.txt
	$(BIN)/pip install -q -c constraints.txt -e '.[test]'
	@touch $@ $(VENV)/installed

# Third-party servers have needs of their own, so they get an environment of their own.
$(PEERS)/installed: $(VENV)/made tests/peers/requirements.txt tests/peers/fastmcp-requirements.txt tests/peers/npm-packages.txt
	$(PYTHON) -m venv $(PEERS)/python
	$(PEERS)/python/bin/pip install -q -r tests/peers/requirements.txt
	$(PYTHON) -m venv $(PEERS)/fastmcp
	$(PEERS)/fastmcp/bin/pip install -q -c constraints.txt -r tests/peers/fastmcp-requirements.txt
	@if command -v npm >/dev/null; then \
	  npm install --silent --no-audit --no-fund --fetch-retries=1 --fetch-timeout=20000 --prefix $(PEERS) \
	    $$(cat tests/peers/npm-packages.txt) </dev/null \
	  || { [ -z "$$CI" ] && echo "the npm servers could not be installed: the tests with them will not run"; }; \
	else echo "no npm here: the tests with npm servers will not run"; fi
	@touch $@

.PHONY: chromium
chromium:
	@command -v chromium >/dev/null || { \
	  sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
	  $$sudo apt-get update -qq && $$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null; }
