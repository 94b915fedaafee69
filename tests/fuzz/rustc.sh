#!/bin/sh
# Cargo calls this instead of rustc ($1). It adds libFuzzer's counters to the product and the parsers it relies on, and leaves
# everything else as it is; stable Rust is enough. The product has no unsafe code, so there is no sanitizer. Comparisons are not
# traced: that took two thirds of the time, and the seeds already know the format. Cargo does not notice changes to this file: run
# `cargo clean` after one.
set -eu
rustc=$1
shift
name=
previous=
for argument in "$@"; do
    case $previous in --crate-name) name=$argument ;; esac
    previous=$argument
done
case $name in
pual_* | postcard | cobs | serde_json)
    set -- "$@" -C passes=sancov-module -C llvm-args=-sanitizer-coverage-level=4 \
        -C llvm-args=-sanitizer-coverage-inline-8bit-counters -C llvm-args=-sanitizer-coverage-pc-table
    ;;
esac
exec "$rustc" "$@"
