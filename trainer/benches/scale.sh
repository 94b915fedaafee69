#!/bin/sh
# Measures time, memory and F1 of one fit to 1,000 to 1,000,000 rows: ours, scikit-learn's, pulearn's and linfa-svm's, in one run.
# Builds both Rust programs, creates a Python environment under target/, and passes its flags (--help) on to scale.py.
# Exits with 1 if a target is missed. Needs Rust and python3 with venv (Debian: apt install python3-venv).
set -eu
cd "$(dirname "$0")/../.."
target="${CARGO_TARGET_DIR:-target}"
cargo build -q --release -p pual
cargo build -q --release --locked --manifest-path trainer/benches/linfa/Cargo.toml --target-dir "$target/linfa"
venv="$target/scale-venv"
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
# pulearn 0.2.0 works with scikit-learn 1.9.1 (it does not require a particular version); linfa-svm 0.8.1 is pinned in its Cargo.lock.
"$venv/bin/python" -c 'import sklearn, pulearn' 2>/dev/null ||
    "$venv/bin/pip" install -q numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 pulearn==0.2.0
# No __pycache__ next to the sources.
export PYTHONDONTWRITEBYTECODE=1
exec "$venv/bin/python" trainer/benches/scale.py "$target/release/pual" "$target/linfa/release/linfa-fit" "$@"
