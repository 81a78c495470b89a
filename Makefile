# One command for each thing a developer does. `make` installs what it needs: Debian packages
# (tools/apt-packages.txt) and, in .venv, Python packages (pyproject.toml).
export CMAKE_BUILD_PARALLEL_LEVEL ?= $(shell nproc)

BIN := .venv/bin
# Tests of storage need servers to talk to.
CTEST := $(BIN)/python tests/servers/run.py -- ctest --no-tests=error
FUZZ_SECONDS ?= 60

.PHONY: help deps build test asan tsan lint format bench compare interop wheel demo fuzz clean

# $(call configure,preset): silent unless it fails.
configure = cmake --preset $(1) >build/$(1).log 2>&1 || { cat build/$(1).log; exit 1; }

help:  ## Show this list
	@sed -nE 's/^([a-z]+):.*## /\1\t/p' Makefile | expand -t 10

deps:  ## Install what is missing: Debian packages, .venv
	@tools/install_deps.sh

build: deps  ## Build the optimised library, the command and the Python extension
	@$(call configure,release)
	@cmake --build --preset release
	@ln -sf $(CURDIR)/build/release/cli/penstock $(BIN)/penstock

test: build asan tsan  ## Run every test: optimised, asan, tsan, fuzz corpora, Python
	$(CTEST) --preset release
	$(BIN)/pytest

.servers/made: tests/servers/versitygw.py | deps
	cd tests && $(CURDIR)/$(BIN)/python -m servers.versitygw
	@touch $@

asan: build .servers/made  ## Run the C++ tests with the address and undefined-behaviour sanitizers
	@$(call configure,asan)
	@cmake --build --preset asan
	$(CTEST) --preset asan

tsan: build .servers/made  ## Run the C++ tests of what has threads with the thread sanitizer
	@$(call configure,tsan)
	@cmake --build --preset tsan
	$(CTEST) --preset tsan

lint: deps  ## Check format, layers, types and names
	$(BIN)/pre-commit run --all-files --show-diff-on-failure
	@$(call configure,release)
	run-clang-tidy-19 -quiet -p build/release '$(CURDIR)/(src|cli|python)/(?!.*_(test|bench)\.cpp)'

format: deps  ## Format C++ and Python
	git ls-files -z --cached --others --exclude-standard '*.cpp' '*.h' | xargs -0 clang-format-19 -i
	$(BIN)/ruff format --quiet
	$(BIN)/ruff check --fix --quiet

bench: deps  ## Run the micro-benchmarks
	@$(call configure,bench)
	@cmake --build --preset bench
	@for program in $$(find build/bench -name '*_bench' -type f | sort); do $$program || exit 1; done

compare: build .demo/made  ## Compare with other loaders on this machine
	$(BIN)/python benchmarks/end_to_end/compare.py

interop: build .interop/made  ## Test that files go both ways between penstock and TensorFlow
	PENSTOCK_INTEROP_PYTHON=.interop/bin/python $(BIN)/pytest tests/python/test_tfrecord_tensorflow.py

.interop/made: pyproject.toml
	python3 -m venv --upgrade-deps .interop
	.interop/bin/python -m pip install --quiet --group interop
	@touch $@

wheel: deps  ## Build a wheel that carries its libraries, and try it in an environment of its own
	@rm -rf dist build/wheel
	$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir build/wheel .
	PATH=$(CURDIR)/$(BIN):$$PATH auditwheel repair --wheel-dir dist build/wheel/*.whl
	python3 -m venv build/wheel/venv
	build/wheel/venv/bin/pip install --quiet dist/*.whl
	cd build/wheel && venv/bin/python -c 'import penstock; print(penstock.__version__)'
	cd build/wheel && venv/bin/penstock --version

demo: build .demo/made  ## Make a small data set and show what penstock does with it
	$(BIN)/python tools/demo.py .demo

.demo/made: tools/demo_data.py | deps
	$(BIN)/python tools/demo_data.py .demo --count 400 --classes 10
	@touch $@

fuzz: deps  ## Fuzz each parser and codec for FUZZ_SECONDS (60) with libFuzzer
	@$(call configure,fuzz)
	@cmake --build --preset fuzz
	@tools/run_fuzzers.sh build/fuzz/tests $(FUZZ_SECONDS)

clean:  ## Remove what was built and made (not .venv, not .servers)
	rm -rf build dist .demo python/penstock/_core*.so
