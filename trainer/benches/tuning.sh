#!/bin/sh
# Runs the comparison of searches in one go: builds `pual`, makes a Python environment under target/, prints the seconds.
# Exits with 1 when a bar is missed.
set -eu
cd "$(dirname "$0")/../.."
target="${CARGO_TARGET_DIR:-target}"
cargo build -q --release -p pual-trainer
venv="$target/bench-venv"
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/python" -c 'import sklearn' 2>/dev/null || "$venv/bin/pip" install -q scikit-learn==1.9.1
exec "$venv/bin/python" trainer/benches/tuning.py "$target/release/pual"
