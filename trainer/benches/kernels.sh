#!/bin/sh
# Counts the instructions of the inner loops of training and scoring with callgrind. The same program on the same kind of processor
# gives the same counts, to within a few hundred instructions. Prints a Markdown table. Arguments: numbers of rows (default 2000 8000).
# Needs Rust, and valgrind (Debian and Ubuntu: apt install valgrind).
#
# Valgrind does not support AVX-512, and its cpuid says so. The code then takes its AVX2 paths, and those are counted. A real run on an
# AVX-512 processor executes fewer, wider instructions.
set -eu
cd "$(dirname "$0")/../.."
command -v valgrind >/dev/null || {
    echo "kernels.sh needs valgrind: apt install valgrind" >&2
    exit 1
}
[ $# -gt 0 ] || set -- 2000 8000
kernels="column features gram neighbours local box-qp accumulate csv score-f32 score-i16"
binary=$(cargo bench -q -p pual-trainer --bench kernels --no-run --message-format=json |
    sed -n 's/.*"name":"kernels".*"executable":"\([^"]*\)".*/\1/p')
# Valgrind counts each byte of a `rep stosb` or `rep movsb` as an instruction: make glibc clear and copy with vectors instead.
export GLIBC_TUNABLES=glibc.cpu.x86_rep_stosb_threshold=1000000000:glibc.cpu.x86_rep_movsb_threshold=1000000000
log=$(mktemp)
trap 'rm -f "$log"' EXIT
printf '%s, %s, %s\n\n' "$(valgrind --version)" "$(rustc --version | cut -d' ' -f1,2)" "$(uname -m)"
echo "| kernel | rows | instructions | per item | item |"
echo "|---|---|---|---|---|"
for kernel in $kernels; do
    for rows; do
        answer=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect='*counted_region*' \
            "$binary" "$kernel" "$rows" 2>"$log") || {
            cat "$log" >&2
            exit 1
        }
        counted=$(sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$log")
        # If callgrind does not find the region, it counts nothing.
        [ "${counted:-0}" -gt 0 ] || {
            echo "kernels.sh: callgrind counted nothing in $kernel" >&2
            exit 1
        }
        items=${answer%% *}
        awk -v kernel="$kernel" -v rows="$rows" -v counted="$counted" -v items="$items" -v item="${answer#* }" \
            'BEGIN { printf "| %s | %d | %d | %.2f | %s |\n", kernel, rows, counted, counted / items, item }'
    done
done
