#!/usr/bin/env bash
# Photos as batches of ImageNet training and evaluation: feedline, the parts of its work, and its peers, in turns.
#   bench/imagenet.sh PHOTOS                            a folder of JPEGs; feedline and its ceilings
#   TF_PYTHON=a/bin/python bench/imagenet.sh PHOTOS     and tf.data, whose outputs are compared with feedline's
#   TORCH_PYTHON=…, DALI_PYTHON=…, FFCV_PYTHON=…        and torch's DataLoader with Pillow, DALI on the CPU, FFCV
#   WEBDATASET_PYTHON=…                                 and WebDataset
#   CEILING_PYTHON=…                                    and bare libjpeg-turbo, whole images on all cores (simplejpeg)
# Run it on an otherwise idle machine. Results go to bench/runs/NAME/.
set -euo pipefail
photos=$(realpath "${1:?a folder of JPEGs}")
cd "$(dirname "$0")/.."
source bench/common.sh
rounds=${ROUNDS:-3}
data=bench/data
run=bench/runs/${RUN_NAME:-$(date +%Y-%m-%d)-$(uname -m)-$(nproc)cores-imagenet}
mkdir -p "$data/imagenet" "$run"
rm -f "$run"/*.jsonl
build_programs

feedline_bench pack "$photos" "$data/imagenet.tfrecord"
"${CARGO_TARGET_DIR:-target}/release/feedline" --quiet convert "$data/imagenet.tfrecord" "$data/imagenet-ready" --shards 1 --jpeg-restarts --overwrite
ready=$data/imagenet-ready-00000-of-00001.tfrecord
cat "$data/imagenet.tfrecord" "$ready" >/dev/null # into the page cache
describe_machine >"$run/machine.txt"
for round in $(seq "$rounds"); do
  echo "round $round of $rounds" >&2
  feedline_bench imagenet "$data/imagenet.tfrecord" "$data/imagenet" --repeat "${REPEAT:-5}" >>"$run/imagenet.jsonl"
  # The rewrite is lossless: first of all, every batch of it is held against that of the plain JPEGs.
  feedline_bench imagenet "$ready" --same-as "$data/imagenet.tfrecord" --only "imagenet train" --repeat "${REPEAT:-5}" |
    sed 's/"group":"imagenet [a-z]*/&, crop-ready JPEGs/' | grep -v "without crop" >>"$run/imagenet.jsonl"
  [ -z "${TF_PYTHON:-}" ] || peer_script "$TF_PYTHON" bench/peers/imagenet_tfdata.py --repeat "${REPEAT:-5}" \
    "$data/imagenet.tfrecord" "$data/imagenet" >>"$run/imagenet.jsonl"
  [ -z "${CEILING_PYTHON:-}" ] || peer_script "$CEILING_PYTHON" bench/peers/imagenet_ceiling.py --repeat "${REPEAT:-5}" "$photos" >>"$run/imagenet.jsonl"
  for peer in torch webdataset dali ffcv; do
    python=${peer^^}_PYTHON
    [ -z "${!python:-}" ] || peer_script "${!python}" bench/peers/imagenet_others.py "$peer" --repeat "${REPEAT:-5}" "$photos" "$data/imagenet" >>"$run/imagenet.jsonl"
  done
done
python3 bench/imagenet_report.py "$run" | tee "$run/README.md"
