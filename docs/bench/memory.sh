#!/usr/bin/env bash
# Prints the peak memory of `foretell run FILE` in MB, with all algorithms or with the named ones:
#   docs/bench/memory.sh ./foretell FILE [ALGORITHM]…
# FILE may also be ROWSxFEATURESxCLASSES, which generates a table of normal numbers whose
# classes depend on the first features. With ROWSxFEATURESxCLASSESxLEVELS, the numbers are rounded
# to LEVELS texts, so that the features are categories.
set -euo pipefail
if (($# < 2)) || [[ $1 == -* ]]; then
  sed -n '2,/^set /{s/^# \{0,1\}//p}' "$0" >&2
  exit 1
fi
foretell=$1 file=$2
shift 2
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
if [[ $file =~ ^([0-9]+)x([0-9]+)x([0-9]+)(x([0-9]+))?$ ]]; then
  file=$temp/table.csv
  awk -v rows="${BASH_REMATCH[1]}" -v features="${BASH_REMATCH[2]}" -v classes="${BASH_REMATCH[3]}" -v levels="${BASH_REMATCH[5]:-0}" '
    function normal() { return sqrt(-2 * log(1 - rand())) * cos(6.2831853 * rand()) }
    BEGIN {
      srand(1)
      used = features < 8 ? features : 8
      for (c = 0; c < classes; c++) for (i = 1; i <= used; i++) weight[c, i] = normal()
      printf "id"; for (i = 1; i <= features; i++) printf ",x%d", i; print ",y"
      for (row = 1; row <= rows; row++) {
        printf "%d", row
        for (i = 1; i <= features; i++) {
          x[i] = levels ? 4 * rand() - 2 : normal()
          if (levels) printf ",l%d", (x[i] + 2) / 4 * levels
          else printf ",%.4f", x[i]
        }
        best = -1e9
        for (c = 0; c < classes; c++) {
          score = normal()
          for (i = 1; i <= used; i++) score += x[i] * weight[c, i]
          if (score > best) { best = score; label = c }
        }
        print ",c" label
      }
    }' >"$file"
fi
flags=()
for name; do flags+=(--algorithm "$name"); done
FORETELL_MEMORY=none /usr/bin/time -f '%M %U' -o "$temp/time" "$foretell" run "$file" --data-dir "$temp/data" "${flags[@]}" -q >/dev/null
awk '{ printf "%.0f MB, %.0f s of CPU\n", $1 * 1024 / 1e6, $2 }' "$temp/time"
