# What the scripts of bench/ share; sourced from the root of the repository.

# Builds the benchmarks and the command, in every script alike: other packages would select other features and build everything anew.
build_programs() { cargo build --release --quiet -p feedline-bench -p feedline-cli; }

# The benchmarks, built already.
feedline_bench() { "${CARGO_TARGET_DIR:-target}/release/feedline-bench" "$@"; }

# A script of a peer's, with the interpreter of its environment in front. What it says beside its results is shown only if it fails.
peer_script() {
  local messages
  messages=$(mktemp)
  if ! TF_CPP_MIN_LOG_LEVEL=3 CUDA_VISIBLE_DEVICES= "$@" 2>"$messages"; then
    tail -n 20 "$messages" >&2
    rm -f "$messages"
    echo "failed: $*" >&2
    return 1
  fi
  rm -f "$messages"
}

# The machine a run was made on.
describe_machine() {
  grep -m1 "model name" /proc/cpuinfo | sed 's/.*: /cpu: /'
  echo "cores: $(nproc)"
  grep -E "MemTotal" /proc/meminfo | tr -s ' '
  echo "kernel: $(uname -r)"
  uptime | sed 's/.*load/load/'
  rustc --version
}
