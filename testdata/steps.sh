#!/usr/bin/env bash
# Forty steps of a script that works with foretell, in the embedded service and
# against one that is served, whichever the environment says. Every command's
# JSON is read by jq; the first thing that is not as expected ends the script.
# It runs in a folder with train.csv and blind.csv.
set -euo pipefail

n=0
step() { n=$((n + 1)); printf 'step %d: %s\n' "$n" "$*" >&2; }
# fails STATUS COMMAND…: the command ends with that status, says why as JSON on
# standard error, and prints nothing.
fails() {
  local want=$1 got=0 out
  shift
  out=$("$@" --json 2>error.json) || got=$?
  [ "$got" = "$want" ] || { echo "exit $got, not $want: $*" >&2; cat error.json >&2; exit 1; }
  [ -z "$out" ] || { echo "printed by a failure: $out" >&2; exit 1; }
  jq -e --argjson exit "$want" 'select(.error) | .error | .exit == $exit and (.message | length > 0) and (.hint | length > 0)' <error.json >/dev/null
}

step "the version"
foretell version --json | jq -e '.version | length > 0' >/dev/null
step "where the work is done"
before=$(foretell status --json | jq -e .datasets)
step "look at both files"
foretell check train.csv blind.csv --json | jq -e '[.. | objects | select(.severity? == "defect")] | length == 0' >/dev/null
step "a dataset without data"
key=$(foretell datasets create steps-one --description 'made by a script' --json | jq -er .datasetKey)
step "is PENDING"
foretell datasets get "$key" --json | jq -e '.status == "PENDING" and .description == "made by a script"' >/dev/null
step "takes a file"
foretell datasets upload "$key" train.csv --json | jq -e '.status == "COMPLETED"' >/dev/null
step "and only one"
fails 9 foretell datasets upload "$key" train.csv
step "is waited for though it is done"
foretell datasets wait "$key" --json | jq -e '.rows == 60 and (.classes | length == 2)' >/dev/null
step "is found by its name"
foretell datasets get steps-one --json | jq -e --arg key "$key" '.datasetKey == $key' >/dev/null
step "and by the beginning of its key"
foretell datasets get "${key:0:10}" --json | jq -e '.datasetName == "steps-one"' >/dev/null
step "is listed"
foretell datasets list --json | jq -e --argjson before "$before" 'length == $before + 1' >/dev/null
step "with the fields that are asked for"
foretell datasets list --json --fields datasetName | jq -e 'map(keys) | add | unique == ["datasetName"]' >/dev/null
step "its name is taken"
fails 9 foretell datasets create steps-one
step "a name of two letters"
fails 2 foretell datasets create no
step "a dataset that is not there"
fails 3 foretell datasets get steps-none
step "a race"
race=$(foretell training create steps-one --algorithm BSIX01,BSEV02 --seed 1 --json | jq -er .trainingJobKey)
step "has ended with a model"
model=$(foretell training get "$race" --json | jq -er .modelKey)
step "and figures that are numbers"
foretell training get "$race" --json | jq -e '[.achievedPerformance, .testPerformance] | map(type == "number") | all' >/dev/null
step "shows its scores"
foretell training progress "$race" --json | jq -e '.jobs | length == 2 and all(.steps > 0)' >/dev/null
step "replays them as events"
foretell training watch "$race" --progress json --json 2>events.ndjson >/dev/null
jq -es '[.[] | select(.event == "score")] | group_by(.algorithm) | length == 2 and all(.[0].step == 1)' events.ndjson >/dev/null
step "is waited for"
foretell training wait "$race" --json | jq -e '.status == "COMPLETED"' >/dev/null
step "is listed, with its runs if they are asked for"
foretell training list steps-one --json | jq -e 'length == 1' >/dev/null
foretell training list steps-one --all --json | jq -e 'length == 3' >/dev/null
step "cannot be cancelled any more"
fails 9 foretell training cancel "$race"
step "a race towards what cannot be reached"
below=0
foretell training create steps-one --algorithm BSIX01 --threshold 0.99999 --json >below.json 2>error.json || below=$?
[ "$below" = 10 ]
jq -e '.status == "NOT_COMPLETED"' below.json >/dev/null
step "a threshold beyond 1"
fails 2 foretell training create steps-one --threshold 2
step "the models"
foretell models list steps-one --json | jq -e 'length == 2 and (map(select(.champion)) | length == 1)' >/dev/null
step "the champion by name"
foretell models get steps-one@champion --json | jq -e '.achievedPerformance | type == "number"' >/dev/null
step "the first version"
foretell models get steps-one@v1 --json | jq -e --arg key "$model" '.modelKey == $key' >/dev/null
step "its report"
foretell models report "$model" --json | jq -e '.classes | length == 2' >/dev/null
step "predictions"
made=$(foretell predictions create "$model" blind.csv -o out.csv --json | jq -er .predictionKey)
[ "$(wc -l <out.csv)" = "$(wc -l <blind.csv)" ]
step "proved again"
foretell predictions verify out.csv --blind blind.csv --json | jq -e '.rows == 8' >/dev/null
step "not written over"
fails 9 foretell predictions create "$model" blind.csv -o out.csv
step "as the service has them"
foretell predictions get "$made" --json | jq -e '.status == "COMPLETED"' >/dev/null
foretell predictions wait "$made" --json | jq -e '.rows == 8' >/dev/null
step "downloaded once more, the same"
foretell predictions download "$made" -o again.csv --blind blind.csv --json | jq -e '.path == "again.csv"' >/dev/null
cmp out.csv again.csv
step "listed"
foretell predictions list --json | jq -e 'map(select(.datasetName == "steps-one")) | length == 1' >/dev/null
step "all of it in one command"
foretell run train.csv --blind blind.csv --name steps-two --algorithm BSIX01 -o whole.csv --json | jq -e '.rows == 8 and .path == "whole.csv"' >/dev/null
step "a deletion that nobody confirmed"
fails 2 foretell datasets delete steps-one </dev/null
step "of a prediction, a model, a race"
foretell predictions delete "$made" --yes --json | jq -e --arg key "$made" '.predictionKey == $key' >/dev/null
foretell models delete "$model" --yes --json | jq -e --arg key "$model" '.modelKey == $key' >/dev/null
foretell training delete "$race" --yes --json | jq -e --arg key "$race" '.trainingJobKey == $key' >/dev/null
step "of the datasets"
foretell datasets delete steps-one --yes --json | jq -e --arg key "$key" '.datasetKey == $key' >/dev/null
foretell datasets delete steps-two --yes --json | jq -e .datasetKey >/dev/null
step "and all is as it was"
[ "$(foretell status --json | jq .datasets)" = "$before" ]
[ "$n" = 40 ]
