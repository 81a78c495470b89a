#!/usr/bin/env bash
# run_fuzzers.sh FOLDER SECONDS: runs every libFuzzer program of FOLDER for SECONDS. New inputs go to
# FOLDER/corpus, inputs that crash to FOLDER/crashes; add those to tests/fuzz/corpus with the fix.
set -euo pipefail
folder=$1
seconds=$2

mkdir -p "$folder/crashes"
for program in "$folder"/*_fuzz; do
  name=$(basename "$program" _fuzz)
  found=$folder/corpus/$name
  log=$folder/$name.log
  mkdir -p "$found"
  if ! "$program" -max_total_time="$seconds" -timeout=10 -print_final_stats=1 \
    -artifact_prefix="$folder/crashes/$name-" "$found" "tests/fuzz/corpus/$name" >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    echo "fuzz: $name: failed, see $log and $folder/crashes" >&2
    exit 1
  fi
  echo "fuzz: $name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs, none failed"
done
