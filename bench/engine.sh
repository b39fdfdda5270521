#!/usr/bin/env bash
# Runs the engine's pipelines and those of its peers in turns into bench/runs/NAME/ and prints the ratios.
#   bench/engine.sh                                               feedline and its ceilings
#   TF_PYTHON=a/bin/python TORCH_PYTHON=b/bin/python bench/engine.sh    and tf.data, torch and Grain
# Run it on an otherwise idle machine; with peers it takes some ten minutes. Inputs are those of bench/run.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
source bench/common.sh
rounds=${ROUNDS:-3}
data=bench/data
run=bench/runs/${RUN_NAME:-$(date +%Y-%m-%d)-$(uname -m)-$(nproc)cores-engine}
mkdir -p "$data" "$run"
rm -f "$run"/*.jsonl
build_programs

feedline_bench make "$data"
sync # what is still written to disk takes memory and cores from what is measured first: images came at two thirds of their speed
cat "$data"/*.tfrecord >/dev/null # into the page cache
describe_machine >"$run/machine.txt"

for round in $(seq "$rounds"); do
  echo "round $round of $rounds" >&2
  feedline_bench engine --repeat 7 >>"$run/memory.jsonl"
  [ -n "${TORCH_PYTHON:-}" ] && peer_script "$TORCH_PYTHON" bench/peers/engine_others.py --repeat 3 >>"$run/memory.jsonl"
  # Element by element tf.data takes long and is never the fastest: once.
  best_known=$([ "$round" = 1 ] || echo --best-known)
  [ -n "${TF_PYTHON:-}" ] && peer_script "$TF_PYTHON" bench/peers/engine_tfdata.py $best_known --repeat 3 >>"$run/memory.jsonl"
  feedline_bench tabular "$data"/tabular-*.tfrecord --repeat 5 >>"$run/tabular.jsonl"
  [ -n "${TF_PYTHON:-}" ] && peer_script "$TF_PYTHON" bench/peers/engine_tfdata.py --best-known --repeat 3 "$data"/tabular-*.tfrecord >>"$run/tabular.jsonl"
  feedline_bench engine "$data"/records-110k-*.tfrecord --repeat 7 >>"$run/records-110k.jsonl"
  feedline_bench engine "$data"/records-200-*.tfrecord --repeat 7 >>"$run/records-200.jsonl"
done
feedline_bench overlap --repeat 5 >"$run/overlap.jsonl"
python3 bench/engine_report.py "$run" | tee "$run/README.md"
