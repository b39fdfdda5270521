#!/usr/bin/env bash
# Runs the engine's pipelines and those of its peers in turns into bench/runs/NAME/ and prints the ratios.
#   bench/engine.sh                                               feedline and its ceilings
#   TF_PYTHON=a/bin/python TORCH_PYTHON=b/bin/python bench/engine.sh    and tf.data, torch and Grain
# Run it on an otherwise idle machine; with peers it takes some ten minutes. Inputs are those of bench/run.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
rounds=${ROUNDS:-3}
data=bench/data
run=bench/runs/${RUN_NAME:-$(date +%Y-%m-%d)-$(uname -m)-$(nproc)cores-engine}
mkdir -p "$data" "$run"
rm -f "$run"/*.jsonl
cargo build --release --quiet -p feedline-bench
bench() { "${CARGO_TARGET_DIR:-target}/release/feedline-bench" "$@"; }
peer() { TF_CPP_MIN_LOG_LEVEL=3 CUDA_VISIBLE_DEVICES= "$@" 2>/dev/null; }

bench make "$data"
cat "$data"/*.tfrecord >/dev/null # into the page cache
{
  grep -m1 "model name" /proc/cpuinfo | sed 's/.*: /cpu: /'
  echo "cores: $(nproc)"
  grep -E "MemTotal" /proc/meminfo | tr -s ' '
  echo "kernel: $(uname -r)"
  rustc --version
} >"$run/machine.txt"

for round in $(seq "$rounds"); do
  echo "round $round of $rounds" >&2
  bench engine --repeat 7 >>"$run/memory.jsonl"
  [ -n "${TORCH_PYTHON:-}" ] && peer "$TORCH_PYTHON" bench/peers/engine_others.py --repeat 3 >>"$run/memory.jsonl"
  # tf.data takes long and is never the fastest in memory: once.
  [ -n "${TF_PYTHON:-}" ] && [ "$round" = 1 ] && peer "$TF_PYTHON" bench/peers/engine_tfdata.py --repeat 2 >>"$run/memory.jsonl"
  bench tabular "$data"/tabular-*.tfrecord --repeat 5 >>"$run/tabular.jsonl"
  [ -n "${TF_PYTHON:-}" ] && peer "$TF_PYTHON" bench/peers/engine_tfdata.py --best-known --repeat 3 "$data"/tabular-*.tfrecord >>"$run/tabular.jsonl"
  bench engine "$data"/records-110k-*.tfrecord --repeat 7 >>"$run/records-110k.jsonl"
  bench engine "$data"/records-200-*.tfrecord --repeat 7 >>"$run/records-200.jsonl"
done
bench overlap --repeat 5 >"$run/overlap.jsonl"
python3 bench/engine_report.py "$run" | tee "$run/README.md"
