#!/bin/sh
# Trains on a local Dask cluster of four workers, kills one of them, and compares the model with one machine's, byte for byte.
# Exits with 1 if they differ. Needs Rust and python3 with venv (Debian: apt install python3-venv).
set -eu
cd "$(dirname "$0")/../../.."
target="${CARGO_TARGET_DIR:-target}"
cargo build -q --release -p pual
venv="$target/dask-venv"
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/python" -c 'import distributed' 2>/dev/null || "$venv/bin/pip" install -q 'dask[distributed]==2026.7.1'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$venv/bin/python" trainer/examples/dask/sharded.py "$target/release/pual" "$folder/run" "$@"
