#!/usr/bin/env python3
"""Writes tables of two to six numeric columns for cuts.py, to measure changes for tables of few columns.

    python3 docs/bench/few_columns.py FOLDER TABLE.csv…
    python3 docs/bench/cuts.py FOLDER "./old --effort fast" "./new --effort fast" --rows 6000

Each TABLE.csv has a header and the label last. For each number of columns, FOLDER gets a table with this many of its numeric
columns, drawn at random, and the label. Needs only Python.
"""
import csv, os, random, sys


def is_number(cell):
    try:
        return bool(cell) and float(cell) == float(cell)
    except ValueError:
        return False


def main():
    folder, *tables = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    for path in tables:
        with open(path, newline="") as file:
            header, *rows = csv.reader(file)
        name = os.path.splitext(os.path.basename(path))[0]
        numeric = [i for i in range(len(header) - 1) if all(is_number(row[i]) for row in rows) and len({row[i] for row in rows}) > 4]
        draw = random.Random(name)
        for columns in range(2, min(len(numeric), 6) + 1):
            chosen = sorted(draw.sample(numeric, columns)) + [len(header) - 1]
            with open(os.path.join(folder, "%s-%d.csv" % (name, columns)), "w", newline="") as file:
                csv.writer(file, lineterminator="\n").writerows([line[i] for i in chosen] for line in [header] + rows)


if len(sys.argv) < 3 or sys.argv[1].startswith("-"):
    sys.exit(__doc__)
main()
