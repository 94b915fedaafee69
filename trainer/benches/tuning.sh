#!/bin/sh
# Runs the whole comparison of searches: builds `pual`, creates a Python environment under target/, prints the seconds.
# Exits with 1 if a target is missed.
set -eu
cd "$(dirname "$0")/../.."
target="${CARGO_TARGET_DIR:-target}"
cargo build -q --release -p pual
venv="$target/bench-venv"
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/python" -c 'import sklearn' 2>/dev/null || "$venv/bin/pip" install -q scikit-learn==1.9.1
exec "$venv/bin/python" trainer/benches/tuning.py "$target/release/pual"
