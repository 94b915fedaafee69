#!/bin/sh
# Fuzzing: tests/fuzz/run.sh [--seconds N] [--runs N] [--seed N] [TARGET...]
#
# Fuzzes all targets, or the given ones, for N seconds (default 10) or N executions each, whichever comes first, and prints
# a Markdown table. New inputs are kept in target/fuzz/corpus, and the next run starts with them. Inputs that crash, hang
# (60 s) or take 2 GB go to target/fuzz/found, and make the exit code 1. Without a seed every run is different.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${CARGO_TARGET_DIR:-$here/../../target}/fuzz
seconds=10
runs=-1
seed=0
while :; do
    case ${1:-} in
    --seconds) seconds=$2 ;;
    --runs) runs=$2 seconds=${seconds_given:-0} ;;
    --seed) seed=$2 ;;
    -*) sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
    *) break ;;
    esac
    [ "$1" != --seconds ] || seconds_given=$2
    shift 2
done
[ $# -gt 0 ] || set -- score recipe frames csv tuning_log store bulk update

RUSTC_WRAPPER="$here/rustc.sh" cargo build --locked --quiet --release --manifest-path "$here/Cargo.toml" --target-dir "$out"

# The number after a word in libFuzzer's last progress line.
last() { sed -n "s/.*[[:space:]]$1[: ]*\([0-9][0-9]*\).*/\1/p" "$report" | tail -1; }

status=0
echo "| target | executions | seconds | edges | features | inputs kept | crashes, hangs |"
echo "|---|---|---|---|---|---|---|"
for target; do
    mkdir -p "$out/corpus/$target" "$out/found"
    report=$out/$target.log
    case $target in score) longest=400 ;; recipe) longest=300 ;; frames) longest=300 ;; store) longest=1025 ;; update) longest=32 ;; *) longest=2048 ;; esac
    found=0
    "$out/release/$target" "$out/corpus/$target" "$here/corpus/$target" -max_len=$longest -max_total_time="$seconds" \
        -runs="$runs" -seed="$seed" -timeout=60 -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$out/found/$target-" \
        >"$report" 2>&1 || {
            found=1 status=1
            echo "$target: $report ends with" >&2
            tail -n 40 "$report" >&2
        }
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$report")
    taken=$(sed -n 's/^Done [0-9]* runs in \([0-9]*\) second.*/\1/p' "$report")
    echo "| $target | ${executions:-?} | ${taken:-?} | $(last cov) | $(last ft) | $(last corp) | $found |"
done
exit $status
