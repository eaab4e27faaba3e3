# Everything a checkout does. `make` alone lists it.

PYTHON ?= python3
WITH_ROS = scripts/with_ros
BENCHMARKS = $(patsubst benchmarks/%.py,%,$(wildcard benchmarks/[a-z]*.py)) \
	$(filter-out faults,$(patsubst benchmarks/%/__main__.py,%,$(wildcard benchmarks/*/__main__.py)))

.DEFAULT_GOAL := help
.PHONY: help setup test-setup model demo test test-optional test-unit test-ros test-system lint docs format colcon bench faults mutation \
	sbom audit clean

help:
	@echo 'make setup        virtual environment, ROS interfaces and launchers (a few minutes, once)'
	@echo 'make test-setup   also what tests and linters need (another few minutes, once)'
	@echo 'make model        fetch the default language model, 1.1 GB (MODEL=name: another one)'
	@echo 'make demo         watch a model solve a task in a simulated home'
	@echo '                  (TASK="..." SCENE=generated:3 SEED=1 MODEL=... PLANNER=...)'
	@echo '                  ROBOT=mobile, rover, two_arm or table_arm: robots by their files (examples/)'
	@echo 'make test         all tests and linters (test-unit, test-ros, test-system: only those)'
	@echo 'make test-optional  the tests of what make test does not bring: Chromium, PyTorch and a small'
	@echo '                  model, which it installs where it can (0.5 to 3 GB)'
	@echo 'make lint         ruff, mypy and the site'
	@echo 'make docs         the site of docs/, in build/site; a warning is an error'
	@echo 'make format       let ruff format the code'
	@echo 'make colcon       build and test the package as a ROS workspace does'
	@echo 'make bench        run the benchmarks (BENCH="..." only these)'
	@echo 'make faults       what happens when things break: docs/reliability.md (hours; goes on)'
	@echo '                  (ROWS="..." only these, RUNS=N of each, MUTATIONS=1: each can fail,'
	@echo '                  AGAIN=1: forget earlier runs)'
	@echo 'make mutation     the share of small changes in the code that tests notice (PARTS="src/...",'
	@echo '                  SAMPLE=60 of each, SEED=1 draws them)'
	@echo 'make sbom         bill of materials of the virtual environment, build/sbom.json'
	@echo 'make audit        known weaknesses of the dependencies (needs a network)'
	@echo 'make clean        remove what the above made, but not the fetched models'

setup:
	@$(PYTHON) scripts/set_up.py

test-setup:
	@$(PYTHON) scripts/set_up.py --tests

model: setup
	@.venv/bin/reactree model fetch $(if $(MODEL),"$(MODEL)")

# Make passes the variables of its command line on in the environment.
demo: setup
	@scripts/demo

test: test-setup
	@.venv/bin/python scripts/run_tests.py unit ros system lint

test-optional:
	@$(PYTHON) scripts/set_up.py --optional
	@.venv/bin/python scripts/run_tests.py optional

test-unit test-ros test-system: test-%: test-setup
	@.venv/bin/python scripts/run_tests.py $*

docs: test-setup
	@.venv/bin/python -m sphinx -W --keep-going -q -b html docs build/site
	@echo 'the site: build/site/index.html'

lint: test-setup
	@.venv/bin/python scripts/run_tests.py lint

format: test-setup
	@.venv/bin/ruff check --select I --fix --quiet .
	@.venv/bin/ruff format .

colcon:
	@$(PYTHON) scripts/set_up.py --colcon
	@scripts/colcon_build

bench: test-setup
	@set -e; for name in $(or $(BENCH),$(BENCHMARKS)); do \
		echo "=== $$name ==="; $(WITH_ROS) python -m benchmarks.$$name; done

faults: test-setup
	@$(WITH_ROS) python -m benchmarks.faults $(ROWS) $(if $(RUNS),--runs $(RUNS)) \
		$(if $(MUTATIONS),--mutations) $(if $(AGAIN),--again)

mutation: test-setup
	@$(WITH_ROS) python scripts/mutate.py $(PARTS) --sample $(or $(SAMPLE),60) --seed $(or $(SEED),1)

sbom: setup
	@$(PYTHON) scripts/audit.py sbom

audit:
	@$(PYTHON) scripts/audit.py audit

clean:
	rm -rf .venv .reactree build install log
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src test benchmarks examples scripts -name __pycache__ -type d -prune -exec rm -rf {} +
