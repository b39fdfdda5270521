#!/usr/bin/env bash
# Runs each fuzz target (or the ones named) for a bounded time: fuzz/run.sh SECONDS [TARGET...]
# Works on stable Rust: the coverage instrumentation is LLVM's own, asked for by flags. Needs g++ for libFuzzer.
# With FUZZ_SANITIZER=address the targets, and all they use, are built with AddressSanitizer. Its runtime comes with every Rust for x86-64
# Linux; the flag that asks for it is one of nightly's, which RUSTC_BOOTSTRAP has the stable compiler take, too.
# FUZZ_TIMEOUT: seconds of the clock after which a run counts as one that hangs (10); more of them where others keep the cores busy.
set -euo pipefail
cd "$(dirname "$0")"
seconds=${1:?usage: fuzz/run.sh SECONDS [TARGET...]}
shift
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(framing example sequence_example record_index decompress image_probe jpeg_decode png_pixels gif_pixels bmp_pixels webp_pixels resample csv csv_file fixed_length json_lines json_paths tensor_proto cache_chunk)
export RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
-Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1"
if [ -n "${FUZZ_SANITIZER:-}" ]; then
  export RUSTC_BOOTSTRAP=1 RUSTFLAGS="$RUSTFLAGS -Zsanitizer=$FUZZ_SANITIZER"
  # Beside what is built without it.
  export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/$FUZZ_SANITIZER"
fi
host=$(rustc -vV | sed -n 's/^host: //p')
# With a target named, build scripts and macros are left without the flags.
features=()
[[ " ${targets[*]} " != *" cache_chunk "* ]] || features=(--features engine)
cargo build --release --quiet --target "$host" "${features[@]}" "${targets[@]/#/--bin=}"
out=$(cargo metadata --no-deps --format-version 1 | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')/$host/release
# The records of the golden cases are good starting points.
python3 - <<'PYTHON'
import json, pathlib
images = json.loads(pathlib.Path("../crates/feedline-exec/tests/golden/images.json").read_text())
for format in ("png", "gif", "bmp", "webp"):
    folder = pathlib.Path("corpus") / f"{format}_pixels"
    folder.mkdir(parents=True, exist_ok=True)
    files = {case["inputs"][0]["values"][0] for case in images if case["operation"] == f"image.decode_{format}"}
    for index, file in enumerate(sorted(files)):
        (folder / f"golden-{index:04}").write_bytes(bytes.fromhex(file))
for target, name in (("example", "parse_cases"), ("sequence_example", "sequence_cases")):
    folder = pathlib.Path("corpus") / target
    folder.mkdir(parents=True, exist_ok=True)
    cases = json.loads(pathlib.Path(f"../crates/feedline-formats/tests/golden/{name}.json").read_text())
    for index, record in enumerate(sorted({record for case in cases for record in case["records"]})):
        (folder / f"golden-{index:04}").write_bytes(bytes.fromhex(record))
PYTHON
mkdir -p corpus/jpeg_decode
cp ../crates/feedline-image/tests/jpegs/*.jpg corpus/jpeg_decode/
for target in "${targets[@]}"; do
  mkdir -p "corpus/$target"
  echo "fuzzing $target for $seconds s"
  status=0
  "$out/$target" -max_total_time="$seconds" -timeout="${FUZZ_TIMEOUT:-10}" -rss_limit_mb=2048 -max_len=4096 -print_final_stats=1 \
    -artifact_prefix="corpus/$target-failed-" "corpus/$target" >"corpus/$target.log" 2>&1 || status=$?
  grep -E "ERROR|panicked|SUMMARY|stat::number_of_executed_units|DONE|ASSERT|assertion|left:|right:" "corpus/$target.log" || true
  if ls "corpus/$target-failed-"* >/dev/null 2>&1; then
    echo "$target failed on:" "corpus/$target-failed-"*
    exit 1
  fi
  if [ "$status" -ne 0 ]; then
    echo "$target ended with status $status; see fuzz/corpus/$target.log"
    exit 1
  fi
done
echo "all targets clean"
