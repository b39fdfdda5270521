#!/usr/bin/env bash
# Runs all measurements into bench/runs/DATE-MACHINE/ and prints the ratios.
#   bench/run.sh                                 feedline and its ceilings
#   PEER_PYTHON=venv/bin/python bench/run.sh     and tf.data, from an environment with tensorflow-cpu
# Run it on an otherwise idle machine; it takes some minutes. Inputs (about 1.8 GB) are made once in bench/data/.
set -euo pipefail
cd "$(dirname "$0")/.."
source bench/common.sh
repeat=${REPEAT:-5}
data=bench/data
run=bench/runs/${RUN_NAME:-$(date +%Y-%m-%d)-$(uname -m)-$(nproc)cores}
mkdir -p "$data" "$run"
build_programs
bench() { feedline_bench "$@" --repeat "$repeat"; }
# PEER_FLAGS=--quick tries fewer settings of the peer (--best-known: fewer still), PEER_REPEAT is for its repeats alone: it takes most of the time.
peer() { peer_script "$PEER_PYTHON" "bench/peers/$@" --repeat "${PEER_REPEAT:-$repeat}"; }
flags=${PEER_FLAGS:-}

bench make "$data"
cat "$data"/*.tfrecord >/dev/null # into the page cache

{
  describe_machine
  if [ -n "${PEER_PYTHON:-}" ]; then
    "$PEER_PYTHON" -c 'import importlib.metadata as m; print("tensorflow-cpu", m.version("tensorflow-cpu"))'
    echo "peer flags: ${flags:-none (the whole search)}"
  fi
} >"$run/machine.txt"

echo "raw records" >&2
bench records "$data"/records-110k-*.tfrecord >"$run/records-110k.jsonl"
bench records "$data"/records-200-*.tfrecord >"$run/records-200.jsonl"
echo "parsing" >&2
bench parse "$data"/tabular-*.tfrecord >"$run/parse.jsonl"
bench tabular "$data"/tabular-*.tfrecord >"$run/tabular.jsonl"
echo "writing" >&2
bench write "$data/written.tfrecord.bench" >"$run/write.jsonl"
if [ -n "${PEER_PYTHON:-}" ]; then
  echo "tf.data (minutes)" >&2
  peer tfdata_records.py $flags "$data"/records-110k-*.tfrecord >>"$run/records-110k.jsonl"
  peer tfdata_records.py $flags "$data"/records-200-*.tfrecord >>"$run/records-200.jsonl"
  peer tfdata_parse.py $flags "$data"/tabular-*.tfrecord >>"$run/parse.jsonl"
  peer tf_write.py "$data/tf-written.tfrecord.bench" >>"$run/write.jsonl"
fi
python3 bench/report.py "$run" | tee "$run/README.md"
