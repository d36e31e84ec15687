# Every command makes the environment it needs, once, in .venv. GNU make, POSIX sh, Python 3.11+.
MAKEFLAGS += --no-builtin-rules --no-print-directory
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help verify test lint format types docs bench browser theorems clean

VENV := .venv
RUN := $(VENV)/bin
PIP := $(RUN)/python -m pip --quiet --quiet --disable-pip-version-check install --no-compile --constraint constraints.txt
INPUTS := pyproject.toml constraints.txt hatch_build.py
EXTRAS := torch,hf,prove,optimal,exact,plot,fast
WORKERS := 2

help:
	@echo 'make verify   verify two masks: one that holds, one that leaks at depth two'
	@echo 'make test     run every test'
	@echo 'make lint     ruff and the import contracts'
	@echo 'make format   let ruff rewrite what it can'
	@echo 'make types    mypy and pyright'
	@echo 'make docs     build the pages into docs/_build/html'
	@echo 'make bench    one table: this package and its peers'
	@echo 'make browser  install chromium, without which the tests of the page are skipped'
	@echo 'make theorems compile the general theorems with Coq and re-check them without axioms'
	@echo 'make clean    remove what these commands made'

$(VENV)/.python:
	@for name in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	  if "$$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	    echo "making $(VENV) with $$name" && exec "$$name" -m venv $(VENV); \
	  fi; \
	done; \
	echo 'no Python on the PATH is 3.11 or newer; install one, for example as python3.11' >&2; exit 1
	@touch $@

$(VENV)/.core: $(VENV)/.python $(INPUTS)
	@echo 'installing attnproof'
	@$(PIP) --editable .
	@touch $@

# torch is asked for alone and by its exact version: a range may be answered with a build many times as large
$(VENV)/.dev: $(VENV)/.python $(INPUTS)
	@echo 'installing torch'
	@$(PIP) torch==2.13.0
	@echo 'installing attnproof, its extras and the tools'
	@$(PIP) --upgrade pip
	@$(PIP) --editable '.[$(EXTRAS)]' --group dev
	@touch $@ $(VENV)/.core

verify: $(VENV)/.core
	@PATH="$(CURDIR)/$(RUN):$$PATH" sh docs/examples/verify.sh

# the tests start hundreds of processes: bytecode is kept, whatever the environment says, and in $(VENV);
# the workers share the cores, so that each takes one thread
test: $(VENV)/.dev
	@PYTHONDONTWRITEBYTECODE= PYTHONPYCACHEPREFIX='$(CURDIR)/$(VENV)/bytecode' OMP_NUM_THREADS=1 \
	  $(RUN)/python -m pytest -n $(WORKERS)

lint: $(VENV)/.dev
	@$(RUN)/ruff check .
	@$(RUN)/ruff format --check .
	@$(RUN)/lint-imports

format: $(VENV)/.dev
	@$(RUN)/ruff check --fix .
	@$(RUN)/ruff format .

types: $(VENV)/.dev
	@$(RUN)/mypy
	@$(RUN)/pyright --pythonpath $(RUN)/python

docs: $(VENV)/.dev
	@$(RUN)/sphinx-build -W --keep-going -q docs docs/_build/html
	@echo 'docs/_build/html/index.html'

bench: $(VENV)/.dev
	@$(RUN)/python -m tests.benchmarks

# playwright drives the system's browser; where there is none, and no Debian, its tests are skipped
browser:
	@if { command -v chromium || command -v chromium-browser || command -v google-chrome; } \
	  >/dev/null; then :; \
	elif ! command -v apt-get >/dev/null; then echo 'no chromium: the tests of the page are skipped'; \
	else \
	  echo 'installing chromium'; \
	  if [ "$$(id -u)" = 0 ]; then root=; else root=sudo; fi; \
	  $$root apt-get -qq update && \
	  $$root apt-get -qq -y install --no-install-recommends chromium >/dev/null; \
	fi

# Coq and its finite types are Debian's; the digest says which sources they accepted
theorems:
	@if ! command -v coqc >/dev/null; then \
	  echo 'installing Coq'; \
	  if [ "$$(id -u)" = 0 ]; then root=; else root=sudo; fi; \
	  $$root apt-get -qq update && \
	  $$root apt-get -qq -y install --no-install-recommends coq libcoq-mathcomp-ssreflect >/dev/null; \
	fi
	@MAKEFLAGS= $(MAKE) -C proofs/theorems check
	@proofs/theorems/digest.sh >proofs/theorems/digest.new
	@mv proofs/theorems/digest.new proofs/theorems/digest

clean:
	@rm -rf $(VENV) build dist docs/_build .hypothesis .*_cache
	@rm -f src/attnproof/proofs src/attnproof/symbolic src/attnproof/numeric
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
