#!/usr/bin/env python3
"""Writes classification tables that are made from tables with a numeric target.

    git clone --depth 1 https://github.com/renatopp/arff-datasets
    python3 docs/bench/quantiles.py arff-datasets FOLDER [--classes 2]

The class of a row is the quantile of its target: with two classes, whether the target is at least the median. Equal targets have
the same class, so the classes may differ in size. FOLDER gets one CSV for each table, with the class last. Needs only Python.
"""
import argparse, bisect, csv, os, re

TABLES = ["kin8nm", "puma8NH", "bank32nh", "cal.housing", "elevators", "house8L", "fried", "2dplanes", "ailerons", "cpu.small", "puma32H"]


def read(path):
    """Returns the names of the columns and the rows of an ARFF file without quoted values."""
    names, rows, is_data = [], [], False
    with open(path) as file:
        for line in map(str.strip, file):
            if not line or line.startswith("%"):
                continue
            if is_data:
                rows.append(re.split(r"[,\s]+", line.rstrip(",")))
            elif line.lower().startswith("@attribute"):
                names.append(line.split()[1].strip("'\""))
            is_data = is_data or line.lower().startswith("@data")
    return names, rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("clone")
    parser.add_argument("folder")
    parser.add_argument("--classes", type=int, default=2)
    args = parser.parse_args()
    os.makedirs(args.folder, exist_ok=True)
    for table in TABLES:
        names, rows = read(os.path.join(args.clone, "regression", table + ".arff"))
        targets = sorted(float(row[-1]) for row in rows)
        cuts = [targets[len(targets) * i // args.classes] for i in range(1, args.classes)]
        with open(os.path.join(args.folder, table.replace(".", "") + ".csv"), "w", newline="") as file:
            out = csv.writer(file, lineterminator="\n")
            out.writerow(names[:-1] + ["target_class"])
            out.writerows(row[:-1] + ["c%d" % bisect.bisect_right(cuts, float(row[-1]))] for row in rows)


main()
