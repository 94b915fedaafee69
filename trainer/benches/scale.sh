#!/bin/sh
# Seconds, memory and F1 of one fit from 1,000 to 1,000,000 rows, ours beside scikit-learn, pulearn and linfa-svm, in one run.
# Builds both Rust programs, makes a Python environment under target/, hands its flags (--help) to scale.py.
# Exits with 1 when a bar is missed. Needs Rust and python3 with venv (Debian: apt install python3-venv).
set -eu
cd "$(dirname "$0")/../.."
target="${CARGO_TARGET_DIR:-target}"
cargo build -q --release -p pual-trainer
cargo build -q --release --locked --manifest-path trainer/benches/linfa/Cargo.toml --target-dir "$target/linfa"
venv="$target/scale-venv"
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
# pulearn 0.2.0 works with scikit-learn 1.9.1 (it asks for no particular one); linfa-svm 0.8.1 is pinned in its Cargo.lock.
"$venv/bin/python" -c 'import sklearn, pulearn' 2>/dev/null ||
    "$venv/bin/pip" install -q numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 pulearn==0.2.0
# No __pycache__ beside the sources.
export PYTHONDONTWRITEBYTECODE=1
exec "$venv/bin/python" trainer/benches/scale.py "$target/release/pual" "$target/linfa/release/linfa-fit" "$@"
