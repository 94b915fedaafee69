#!/bin/sh
# Cargo calls this in place of rustc ($1): the product and the parsers it relies on get libFuzzer's counters, everything
# else is left as it is. All of it on stable Rust; there is no unsafe code in the product, hence no sanitizer either.
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
pual_* | csv | csv_core | postcard | cobs | serde_json | score | frames | tuning_log | store | bulk)
    set -- "$@" --cfg fuzzing -C passes=sancov-module -C llvm-args=-sanitizer-coverage-level=4 \
        -C llvm-args=-sanitizer-coverage-inline-8bit-counters -C llvm-args=-sanitizer-coverage-pc-table \
        -C llvm-args=-sanitizer-coverage-trace-compares
    ;;
esac
exec "$rustc" "$@"
