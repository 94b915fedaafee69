#!/bin/sh
# Do two builds of the program write the same models, byte for byte?
#     tests/same_bytes.sh OLD_PUAL NEW_PUAL [OLD_PYTHON NEW_PYTHON]
# PYTHON is an interpreter that can import pual. The old program generates the data. Exit code 1 if a model differs.
set -u
[ $# -eq 2 ] || [ $# -eq 4 ] || { sed -n '2,4s/^# *//p' "$0" >&2; exit 2; }
absolute() { case $1 in /*) echo "$1" ;; *) echo "$PWD/$1" ;; esac; }
old=$(absolute "$1") new=$(absolute "$2")
old_python=$(absolute "${3-}") new_python=$(absolute "${4-}")
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2

"$old" synth cold-chain --rows 400 --seed 1 -o cold.csv &&
    "$old" synth trifurcate --rows 300 --seed 2 -o three.csv &&
    "$old" synth trifurcate --rows 20000 --seed 3 -o many.csv || exit 2

different=0 trainings=0
# compare NAME: compares the two models of the training called NAME.
compare() {
    name=$1
    trainings=$((trainings + 1))
    if cmp -s old.pual new.pual; then
        echo "same       $(wc -c < new.pual) bytes  $name"
    else
        echo "DIFFERENT  $name"
        different=$((different + 1))
    fi
    rm -f old.pual new.pual
}
# train DATA FLAGS...
train() {
    for program in old new; do
        eval "binary=\$$program"
        "$binary" train "$@" --no-config -o "$program.pual" > "$program.log" 2>&1 ||
            { echo "$program failed: $*"; tail -3 "$program.log"; echo "$program" > "$program.pual"; }
    done
    compare "$*"
}

train cold.csv --method auto
train cold.csv --method auto --threads 1 --seed 7
train cold.csv --method pual --encoding i16 --threads 2
train three.csv --method pual --ensemble 1 --encoding f32 --threads 1
train three.csv --method pual --ensemble 1 --encoding f32 --threads 2
train cold.csv --method pual --solver admm --no-tune
train cold.csv --method pual --solver algorithm2
train three.csv --method gllc --encoding i8 --budget 256B
train cold.csv --method bls-svm --kernel linear --no-compress
train three.csv --method bsvm --encoding i16
train cold.csv --method upu --no-tune
train cold.csv --method nnpu --no-tune --encoding i8
train many.csv --method gllc --sample 2000 --threads 1
train many.csv --method gllc --sample 2000 --threads 2

if [ $# -eq 4 ]; then
    cat > fit.py <<'PYTHON'
import sys, numpy as np
from pual import PUAL
with open("cold.csv") as file:
    names = file.readline().strip().split(",")
    rows = np.array([[float(cell or 0) for cell in line.split(",")] for line in file])
label = names.index("label")
features = [i for i, name in enumerate(names) if name != "label"]
PUAL(method="pual", ensemble=1, random_state=3).fit(rows[:, features], rows[:, label].astype(int)).export(sys.argv[1])
PYTHON
    for program in old new; do
        eval "python=\$${program}_python"
        "$python" fit.py $program.pual || echo $program > $program.pual
    done
    compare "Python"
fi
echo "$different of $trainings models differ"
[ "$different" -eq 0 ]
