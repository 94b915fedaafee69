#!/bin/sh
# Builds the wheel, installs it in a fresh virtual environment, and runs its tests there, outside the source tree: scikit-learn's checks,
# and a byte-for-byte comparison of models with the command line's. Needs Rust, Python 3.10 or later with venv, and access to PyPI.
# `test.sh --wheel` only builds. Everything goes to target/python.
set -eu
cd "$(dirname "$0")"
here=$PWD
python=${PYTHON:-python3}
fail() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}
command -v "$python" >/dev/null || fail "$python not found; install Python 3.10 or later (Debian: apt install python3 python3-venv)"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' || fail "$("$python" --version) is too old: 3.10 or later is needed"
"$python" -c 'import venv, ensurepip' 2>/dev/null || fail "$python has no venv; install it (Debian: apt install python3-venv)"
command -v cargo >/dev/null || fail "cargo not found; install Rust from https://rustup.rs"

export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$here/../../target}"
mkdir -p "$CARGO_TARGET_DIR/python"
CARGO_TARGET_DIR=$(cd "$CARGO_TARGET_DIR" && pwd)
kept=$CARGO_TARGET_DIR/python

[ -x "$kept/build/bin/maturin" ] || {
    "$python" -m venv --clear "$kept/build"
    "$kept/build/bin/pip" install -q maturin==1.16.0
}
rm -rf "$kept/wheels"
"$kept/build/bin/maturin" build -q --release --locked --out "$kept/wheels"
wheel=$(ls "$kept"/wheels/pual-*.whl)
printf 'wheel: %s, %s bytes\n' "$(basename "$wheel")" "$(wc -c <"$wheel")"
[ "${1:-}" != --wheel ] || exit 0

for licence in LICENSE-MIT LICENSE-APACHE; do
    cmp "$licence" "../../$licence" || fail "$licence differs from the project's"
done
(cd ../.. && cargo build -q --locked --release --package pual)
"$python" -m venv --clear "$kept/clean"
"$kept/clean/bin/pip" install -q "$wheel" scikit-learn==1.9.1 pytest==9.2.0 pandas==3.1.1
outside=$(mktemp -d)
trap 'rm -rf "$outside"' EXIT
cd "$outside"
PUAL_BINARY="$CARGO_TARGET_DIR/release/pual" "$kept/clean/bin/python" -m pytest -q -p no:cacheprovider -c "$here/pyproject.toml" \
    --doctest-modules --pyargs pual "$here/tests"
