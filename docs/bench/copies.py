#!/usr/bin/env python3
"""Makes a table in which the rows of a class are repeated, and a blind table without copies.

    python3 docs/bench/copies.py FOLDER [SEED]

Writes FOLDER/train.csv, with 2,000 different rows, where each row of class yes occurs five times, and FOLDER/blind.csv and
FOLDER/answers.csv, with 3,000 new rows. The probability of class yes depends on two numbers and a column of 300 towns. Two more
numbers have no effect. Needs only Python.
"""
import csv, math, os, random, sys


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    folder, seed = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0
    rng = random.Random(seed)
    effects = [0.5 * rng.gauss(0, 1) for _ in range(300)]
    train, blind = [], []
    for row in range(5000):
        x, z, w, v, town = rng.gauss(0, 1), rng.gauss(0, 1), rng.gauss(0, 1), rng.gauss(0, 1), rng.randrange(300)
        label = "yes" if rng.random() < 1 / (1 + math.exp(2 - 1.5 * x - z - effects[town])) else "no"
        cells = ["%.4f" % x, "%.4f" % z, "%.4f" % w, "%.4f" % v, "town%d" % town, label]
        if row < 2000:
            train += [cells] * (5 if label == "yes" else 1)
        else:
            blind.append(cells)
    os.makedirs(folder, exist_ok=True)
    header = ["id", "x", "z", "w", "v", "town", "label"]
    for name, rows, columns in [("train", train, range(7)), ("blind", blind, range(6)), ("answers", blind, [0, 6])]:
        with open(os.path.join(folder, name + ".csv"), "w", newline="") as file:
            out = csv.writer(file, lineterminator="\n")
            for number, row in enumerate([header[1:]] + rows):
                row = ["id" if number == 0 else "r%d" % number] + row
                out.writerow([row[column] for column in columns])


main()
