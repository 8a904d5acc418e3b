#!/usr/bin/env bash
# Measures the throughput of workers with PostgreSQL, and checks that no race is lost or run twice:
#   docs/bench/workers.sh ./foretell postgres://USER@HOST/DATABASE?… WORKERS…
# Each of WORKERS is a number of workers with one core each (GOMAXPROCS=1). For each number
# the script runs RACES races (40) of ALGORITHMS (BSIX01) on TRAIN with seeds 1, 2, …
# in a new schema of the database. At the end it compares the models with those of the
# embedded service. With KILL=1 it kills a worker after a quarter of the races.
set -euo pipefail
if (($# < 3)) || [[ $1 == -* ]]; then
  sed -n '2,/^set /{s/^# \{0,1\}//p}' "$0" >&2
  exit 1
fi
foretell=$(realpath "$1") server=$2
shift 2
races=${RACES:-40} algorithms=${ALGORITHMS:-BSIX01}
train=$(realpath "${TRAIN:-$(dirname "$0")/../../testdata/credit-g/train.csv}")
temp=$(mktemp -d)
pids=()
cleanup() {
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null && wait "$pid" 2>/dev/null || true; done
  rm -rf "$temp"
}
trap cleanup EXIT
unset FORETELL_SERVER FORETELL_DATABASE FORETELL_DATA_DIR FORETELL_STORAGE
export HOME=$temp FORETELL_AUTH_STORAGE=none

# export_models FOLDER KEYS writes the model of each race, one file for each seed.
export_models() {
  mkdir "$1"
  local seed=0 key
  while read -r key; do
    seed=$((seed + 1))
    "$foretell" models export "$("$foretell" training get "$key" --fields modelKey | cut -f2)" -o "$1/$seed" -q >/dev/null
  done <"$2"
}

echo "embedded: training $races models" >&2
(
  export FORETELL_DATA_DIR=$temp/embedded
  "$foretell" datasets create bench "$train" -q >/dev/null
  for ((seed = 1; seed <= races; seed++)); do
    "$foretell" training create bench --algorithm "$algorithms" --seed "$seed" -q
  done >/dev/null
  "$foretell" training list --json | jq -r '.[] | select(.parentTrainingJobKey == null or .parentTrainingJobKey == "") | .trainingJobKey' | tac >"$temp/embedded.keys"
  export_models "$temp/embedded.models" "$temp/embedded.keys"
)

for workers; do
  schema=bench_$$_$workers dir=$temp/$workers
  psql "$server" -qc "CREATE SCHEMA $schema"
  database="$server&search_path=$schema"
  port=$((20000 + RANDOM % 10000))
  "$foretell" serve --no-work --listen "127.0.0.1:$port" --database "$database" --data-dir "$dir" -q 2>"$temp/serve.log" &
  pids+=($!)
  curl --silent --fail --output /dev/null --retry 20 --retry-delay 1 --retry-connrefused "http://127.0.0.1:$port/readyz"
  echo "a long password" | "$foretell" users add bench@example.com --password-stdin --database "$database" --data-dir "$dir" >/dev/null
  (
    export FORETELL_SERVER=http://127.0.0.1:$port FORETELL_USERNAME=bench@example.com FORETELL_PASSWORD="a long password"
    GOMAXPROCS=1 "$foretell" worker --database "$database" --data-dir "$dir" 2>"$temp/first.log" &
    first=$!
    "$foretell" datasets create bench "$train" -q >/dev/null
    kill "$first"; wait "$first"
    for ((seed = 1; seed <= races; seed++)); do
      "$foretell" training create bench --algorithm "$algorithms" --seed "$seed" --no-wait -q
    done >"$temp/$workers.keys"
    started=()
    begin=$(date +%s.%N)
    for ((i = 1; i <= workers; i++)); do
      GOMAXPROCS=1 "$foretell" worker --database "$database" --data-dir "$dir" 2>"$temp/$workers.$i.log" &
      started+=($!)
    done
    trap 'kill "${started[@]}" 2>/dev/null || true; wait' EXIT
    ended() { psql "$server" -Atc "SELECT count(*) FROM $schema.training WHERE parent IS NULL AND finished > 0"; }
    killed=
    until [ "$(ended)" = "$races" ]; do
      if [ -n "${KILL:-}" ] && [ -z "$killed" ] && [ "$(ended)" -ge $((races / 4)) ]; then
        kill -9 "${started[0]}"
        killed=yes
      fi
      sleep 0.2
    done
    seconds=$(echo "$(date +%s.%N) - $begin" | bc)
    export_models "$temp/$workers.models" "$temp/$workers.keys"
    begun=$(cat "$temp/$workers".*.log | grep -c 'msg="job begins".*kind=train' || true)
    models=$(psql "$server" -Atc "SELECT count(*) FROM $schema.model")
    different=0
    for ((seed = 1; seed <= races; seed++)); do
      cmp -s "$temp/embedded.models/$seed" "$temp/$workers.models/$seed" || different=$((different + 1))
    done
    cpu=$(for pid in "${started[@]}"; do awk '{ print ($14 + $15) / 100 }' "/proc/$pid/stat" 2>/dev/null || true; done | awk '{ sum += $1 } END { print sum }')
    kill "${started[@]}" 2>/dev/null || true
    wait "${started[@]}" 2>/dev/null || true
    printf '%s workers: %.1f races/minute, %.0f s, %s begun, %s models, %s differ from the embedded ones, %s s of CPU in the workers\n' \
      "$workers" "$(echo "60 * $races / $seconds" | bc -l)" "$seconds" "$begun" "$models" "$different" "$cpu"
  )
  kill "${pids[-1]}"
  wait "${pids[-1]}" || true
  PGOPTIONS="--client-min-messages=warning" psql "$server" -qc "DROP SCHEMA $schema CASCADE"
done
