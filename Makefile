# What contributors and CI run. Needs Rust, gcc, make and Python 3; nothing else.
CARGO ?= cargo
# A hang fails: nextest ends a single test after a minute, and without nextest the whole run has a limit.
TEST_LIMIT_S ?= 900
FUZZ_SECONDS ?= 60

.PHONY: test test-rust test-docs test-slow lint format fuzz bench demo help

help:
	@sed -n 's/^## //p' $(MAKEFILE_LIST)

## make test       every test (Rust, and the snippets in the docs)
test: test-rust test-docs

test-rust:
	@if $(CARGO) nextest --version >/dev/null 2>&1; then \
	  $(CARGO) nextest run --workspace --all-targets; \
	else \
	  timeout --kill-after=10 $(TEST_LIMIT_S) $(CARGO) test --workspace --all-targets; \
	fi

test-docs:
	timeout --kill-after=10 $(TEST_LIMIT_S) $(CARGO) test --workspace --doc

## make test-slow  the property tests with 50 times as many cases
test-slow:
	PROPTEST_CASES=20000 timeout --kill-after=10 7200 $(CARGO) test --release --workspace

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
