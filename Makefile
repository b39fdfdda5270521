# What contributors and CI run. Needs Rust, gcc, make and Python 3 (3.11 or newer for the Python package); nothing else.
CARGO ?= cargo
# A hang fails: a single test is ended after a minute, by nextest or, where that is not installed, by tools/run_tests.py.
# The examples in the documentation are one program a crate and share a limit.
TEST_LIMIT_S ?= 60
DOC_LIMIT_S ?= 900
# The test runner's own tests end a hanging test after two seconds.
TOOLS_LIMIT_S ?= 120
FUZZ_SECONDS ?= 60
MODEL_SCHEDULES ?= 200000
SOAK_PIPELINES ?= 1000000
SOAK_BATCHES ?= 1000000

PYTHON ?= python3
# Where Python environments are made: beside what cargo builds.
ENVIRONMENTS := $(or $(CARGO_TARGET_DIR),target)
PYTHON_LIMIT_S ?= 900

.PHONY: python test test-rust test-docs test-python test-interop test-tools test-slow model soak soak-python lint format fuzz fuzz-images bench demo help

help:
	@sed -n 's/^## //p' $(MAKEFILE_LIST)

## make python     builds the wheel and installs it into an environment of its own, target/python
python: $(ENVIRONMENTS)/python/made
	rm -f $(ENVIRONMENTS)/wheels/feedline-*.whl
	$(ENVIRONMENTS)/python/bin/maturin build --release --quiet --interpreter $(ENVIRONMENTS)/python/bin/python --out $(ENVIRONMENTS)/wheels
	$(ENVIRONMENTS)/python/bin/pip install --quiet --force-reinstall --no-deps $(ENVIRONMENTS)/wheels/feedline-*.whl
	@echo "run it with $(ENVIRONMENTS)/python/bin/python"

## make test       every test (Rust, the snippets in the docs, and Python)
test: test-tools test-rust test-docs test-python

test-rust:
	@if $(CARGO) nextest --version >/dev/null 2>&1; then \
	  $(CARGO) nextest run --workspace --all-targets; \
	else \
	  CARGO=$(CARGO) tools/run_tests.py --limit $(TEST_LIMIT_S) --workspace --all-targets; \
	fi

test-docs:
	timeout --kill-after=10 $(DOC_LIMIT_S) $(CARGO) test --workspace --doc

# The environment is made once; delete the folder to make it anew.
$(ENVIRONMENTS)/python/made:
	$(PYTHON) tools/make_environment.py $(ENVIRONMENTS)/python
	$(ENVIRONMENTS)/python/bin/pip install --quiet "maturin>=1.9,<2" numpy
	touch $@

$(ENVIRONMENTS)/python-test/made: python/tests/requirements.txt
	$(PYTHON) tools/make_environment.py $(ENVIRONMENTS)/python-test
	$(ENVIRONMENTS)/python-test/bin/pip install --quiet --requirement python/tests/requirements.txt
	touch $@

$(ENVIRONMENTS)/python-interop/made: python/tests/requirements.txt python/tests/requirements-interop.txt
	$(PYTHON) tools/make_environment.py $(ENVIRONMENTS)/python-interop
	$(ENVIRONMENTS)/python-interop/bin/pip install --quiet --requirement python/tests/requirements.txt
	$(ENVIRONMENTS)/python-interop/bin/pip install --quiet --requirement python/tests/requirements-interop.txt
	touch $@

## make test-python  builds the wheel (unoptimized), checks the types and runs the tests of the Python package
test-python: $(ENVIRONMENTS)/python-test/made
	. $(ENVIRONMENTS)/python-test/bin/activate && maturin develop --quiet
	$(ENVIRONMENTS)/python-test/bin/mypy
	$(ENVIRONMENTS)/python-test/bin/stubtest feedline._native --allowlist python/tests/not_in_stubs.txt
	timeout --kill-after=10 $(PYTHON_LIMIT_S) $(ENVIRONMENTS)/python-test/bin/pytest

## make soak-python  SOAK_BATCHES (default a million) batches from Python, of traced functions and of Python's: memory must not grow
soak-python: $(ENVIRONMENTS)/python-test/made
	. $(ENVIRONMENTS)/python-test/bin/activate && maturin develop --release --quiet
	FEEDLINE_SOAK_BATCHES=$(SOAK_BATCHES) $(ENVIRONMENTS)/python-test/bin/pytest --timeout 7200 python/tests/test_iteration.py -k stays_flat

## make test-interop  the Python tests with torch, JAX and TensorFlow, which make test leaves out (a download of some GB)
test-interop: $(ENVIRONMENTS)/python-interop/made
	. $(ENVIRONMENTS)/python-interop/bin/activate && maturin develop --quiet
	timeout --kill-after=10 $(PYTHON_LIMIT_S) $(ENVIRONMENTS)/python-interop/bin/pytest python/tests/test_interop.py -rs

test-tools:
	timeout --kill-after=10 $(TOOLS_LIMIT_S) python3 -m unittest discover --quiet --start-directory tools

## make test-slow  the property tests with 50 times as many cases
test-slow:
	CARGO=$(CARGO) PROPTEST_CASES=20000 tools/run_tests.py --limit 3600 --release --workspace

## make model      the primitives that threads meet at, under MODEL_SCHEDULES (default 200,000) schedules each
model:
	FEEDLINE_MODEL_SCHEDULES=$(MODEL_SCHEDULES) $(CARGO) test --release -p feedline-exec --test model

## make soak       SOAK_PIPELINES (default a million) small pipelines, dropped anywhere: threads, files and memory must not grow
soak:
	FEEDLINE_SOAK_PIPELINES=$(SOAK_PIPELINES) nice $(CARGO) test --release -p feedline --test engine_random_plans \
	  -- --nocapture pipelines_dropped_anywhere_leave_nothing_behind

## make lint       formatting, clippy, documentation; warnings are errors
lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --quiet -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --quiet --document-private-items

## make format     rewrites the code in the house format
format:
	$(CARGO) fmt --all

## make fuzz       every fuzz target for FUZZ_SECONDS (default 60) each; needs g++
fuzz:
	fuzz/run.sh $(FUZZ_SECONDS)

## make fuzz-images  the targets of images under AddressSanitizer, for FUZZ_SECONDS each; needs g++
fuzz-images:
	FUZZ_SANITIZER=address fuzz/run.sh $(FUZZ_SECONDS) image_probe jpeg_decode png_pixels gif_pixels bmp_pixels webp_pixels resample

## make bench      feedline against its ceilings and, with PEER_PYTHON=…, against tf.data
bench:
	bench/run.sh

## make demo       the tour
demo:
	$(CARGO) run --release -- demo
