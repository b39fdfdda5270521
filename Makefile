# What contributors and CI run. Needs Rust, gcc, make and Python 3; nothing else.
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

.PHONY: test test-rust test-docs test-tools test-slow model soak lint format fuzz bench demo help

help:
	@sed -n 's/^## //p' $(MAKEFILE_LIST)

## make test       every test (Rust, and the snippets in the docs)
test: test-tools test-rust test-docs

test-rust:
	@if $(CARGO) nextest --version >/dev/null 2>&1; then \
	  $(CARGO) nextest run --workspace --all-targets; \
	else \
	  CARGO=$(CARGO) tools/run_tests.py --limit $(TEST_LIMIT_S) --workspace --all-targets; \
	fi

test-docs:
	timeout --kill-after=10 $(DOC_LIMIT_S) $(CARGO) test --workspace --doc

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

## make bench      feedline against its ceilings and, with PEER_PYTHON=…, against tf.data
bench:
	bench/run.sh

## make demo       the tour
demo:
	$(CARGO) run --release -- demo
