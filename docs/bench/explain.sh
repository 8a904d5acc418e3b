#!/usr/bin/env bash
# Compares the processor time of explanations with LightGBM's pred_contrib: 10,000 rows of 28 numbers,
# 300 trees of 31 leaves, one thread and the same table. The two programs run in turns.
#
#   docs/bench/explain.sh LIGHTGBM [ROUNDS]
#
# LIGHTGBM is the command-line program of LightGBM. It can be built without CMake from the sources of
# LightGBM, fmt, fast_double_parser and Eigen:
#
#   g++ -std=c++17 -O3 -fopenmp -funroll-loops -DUSE_SOCKET -DMM_PREFETCH -DMM_MALLOC -DEIGEN_MPL2_ONLY
#
# Foretell's time is the difference between a benchmark of 11,000 rows and one of 1,000 rows, so
# that training is not counted. LightGBM's is the difference between a prediction with and without
# contributions, so that reading the file and the model is not counted.
set -euo pipefail
if (($# < 1)) || [[ $1 == -* ]]; then
  sed -n '2,/^set /{s/^# \{0,1\}//p}' "$0" >&2
  exit 1
fi
lightgbm=$(realpath "$1") rounds=${2:-3}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
root=$(cd "$(dirname "$0")/../.." && pwd)
(cd "$root" && go test -c -o "$folder/model.test" ./internal/learn/model)
cd "$folder"

# seconds prints the user time of a command, in seconds.
seconds() { { TIMEFORMAT=%U; time "$@" >log 2>&1; } 2>&1; }
explain() { ./model.test -test.run '^$' -test.bench ExplainTrees -test.benchtime "$1x"; }

FORETELL_BENCH_TABLE=$folder/train.csv explain 1 >log
head -10000 train.csv >rows.csv
"$lightgbm" task=train data=train.csv objective=binary num_trees=300 num_leaves=31 learning_rate=0.1 \
  output_model=model.txt verbosity=-1 >log
predict=(task=predict data=rows.csv input_model=model.txt output_result=result.txt num_threads=1 verbosity=-1)
for _ in $(seq "$rounds"); do
  ours=$(echo "$(seconds explain 11) - $(seconds explain 1)" | bc -l)
  theirs=$(echo "$(seconds "$lightgbm" "${predict[@]}" predict_contrib=true) - $(seconds "$lightgbm" "${predict[@]}")" | bc -l)
  awk -v a="$ours" -v b="$theirs" 'BEGIN { printf "10,000 rows: Foretell %.1f s, LightGBM %.1f s, ratio %.2f\n", a, b, a / b }'
done
