#!/usr/bin/env python3
"""Compares the profiles of wide tables from `foretell check --json` with values that pandas computes.

    python3 docs/bench/profile.py ./foretell [COLUMNSxROWS ...]

Each table has an ID, columns of decimals, long floats, integers, texts and constants, some with missing
cells, and a label: whether column f28 is above 2.9. For up to 500 columns the script compares the kind and
the numbers of missing cells and of different values. For columns of numbers it also compares the lowest,
highest, mean, standard deviation and median. A value that the profile marks as an estimate is counted, not
compared. The profile must also have the warning that f28 determines the label. The exit status is 1 if
anything differs.

Needs pandas (1.5.3 was used) and numpy.
"""

import json
import math
import os
import random
import resource
import subprocess
import sys
import tempfile
import time

import pandas

TABLES = ["1000x1000", "5000x200", "20000x100", "50000x200", "50000x1000"]
COMPARED = 500


def make(path, columns, rows, rng):
    """Writes a table row by row, so that the table does not have to fit in memory."""
    def cell(column):
        kind = column % 10
        if column == 28:
            return "%.1f" % (rng.randint(10, 50) / 10)
        if kind == 3 and rng.random() < 0.15:
            return ""
        if kind < 4:
            return "%.3f" % rng.random()
        if kind == 4:
            return repr(rng.gauss(0, 1))
        if kind == 5:
            return str(rng.randint(0, 2))
        if kind == 6:
            return str(rng.randint(-1000, 1000))
        if kind == 7:
            return "" if rng.random() < 0.05 else rng.choice(["AA", "AB", "BB"])
        if kind == 8:
            return "g" + str(rng.randint(0, 300))
        return "7" if column % 100 == 9 else "%.2e" % (rng.random() * 1e9)

    with open(path, "w") as file:
        file.write("ID," + ",".join("f%d" % i for i in range(columns)) + ",label\n")
        for row in range(rows):
            cells = [cell(i) for i in range(columns)]
            label = "hi" if float(cells[28]) > 2.9 else "lo"
            file.write("r%d,%s,%s\n" % (row, ",".join(cells), label))


def differences(ours, theirs):
    """Returns the differences between a column of the profile and that of pandas, and the number of values that are estimates."""
    found, estimates = [], 0
    numeric = pandas.api.types.is_numeric_dtype(theirs)

    def compare(what, got, want):
        if isinstance(want, float) and math.isclose(got, want, rel_tol=1e-9, abs_tol=1e-12) or got == want:
            return
        found.append("%s: %s is %r, not %r" % (ours["name"], what, got, want))

    compare("kind", ours["kind"], "numeric" if numeric else "category")
    compare("missing", ours["missing"], int(theirs.isna().sum()))
    if ours.get("distinctEstimate"):
        estimates += 1
    else:
        compare("distinct", ours["distinct"], int(theirs.nunique()))
    if numeric and not found:
        numbers = ours["numbers"]
        compare("min", numbers["min"], float(theirs.min()))
        compare("max", numbers["max"], float(theirs.max()))
        compare("mean", numbers["mean"], float(theirs.mean()))
        compare("stdDev", numbers["stdDev"], float(theirs.std(ddof=0)))
        if numbers.get("medianEstimate"):
            estimates += 1
        else:
            compare("median", numbers["median"], float(theirs.median()))
    return found, estimates


def check(binary, table, folder):
    columns, rows = map(int, table.split("x"))
    path = os.path.join(folder, table + ".csv")
    rng = random.Random(columns * 31 + rows)
    make(path, columns, rows, rng)
    began = time.monotonic()
    run = subprocess.run([binary, "check", path, "--json"], capture_output=True, check=False)
    seconds = time.monotonic() - began
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    if run.returncode != 0:
        print(table, "exit", run.returncode, run.stderr.decode()[:300])
        return False
    report = json.loads(run.stdout)
    chosen = sorted(rng.sample(range(columns), min(columns, COMPARED)) + ([28] if columns > COMPARED else []))
    names = ["f%d" % i for i in set(chosen)]
    frame = pandas.read_csv(path, usecols=names, keep_default_na=False, na_values=[""])
    byname = {c["name"]: c for c in report["columns"]}
    found, estimates = [], 0
    for name in names:
        more, some = differences(byname[name], frame[name])
        found, estimates = found + more, estimates + some
    leak = any(f["code"] == "leaking-column" and "f28" in (f.get("name", "") + f["message"]) for f in report["findings"])
    if not leak:
        found.append("f28 is not said to tell the label")
    print("%-12s %6.1f MB  %5.1f s  at most %4.0f MB  %d columns compared, %d differences, %d estimates" % (
        table, os.path.getsize(path) / 1e6, seconds, memory, len(names), len(found), estimates))
    for line in found[:10]:
        print("   ", line)
    os.remove(path)
    return not found


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        good = [check(sys.argv[1], table, folder) for table in sys.argv[2:] or TABLES]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
