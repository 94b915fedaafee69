#!/bin/sh
# Runs the whole speed comparison: builds the benchmark, creates a Python environment under target/, prints the ratios.
# Exits with 1 if a target is missed.
set -eu
cd "$(dirname "$0")/../.."
target="${CARGO_TARGET_DIR:-target}"
binary=$(cargo bench -q -p pual-trainer --bench speed --no-run --message-format=json |
    sed -n 's/.*"name":"speed".*"executable":"\([^"]*\)".*/\1/p')
venv="$target/bench-venv"
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/python" -c 'import sklearn' 2>/dev/null || "$venv/bin/pip" install -q scikit-learn==1.9.1
exec "$venv/bin/python" trainer/benches/speed.py "$binary"
