#!/usr/bin/env python3
"""Writes tables whose classes (nearly) never overlap: make.py DIR

Each is DIR/NAME/{train,blind,answers}.csv. A fixed seed: every run writes the same bytes.
"""
import csv, os, random, sys


def separable(r):
    x = [r.gauss(0, 1) for _ in range(4)]
    return [f"{v:.4f}" for v in x], "yes" if x[0] + 0.5 * x[1] > 0 else "no"


def banknote(r):
    """Four measurements of two clouds that overlap a little."""
    fake = r.random() < 0.445
    centre = (-1.9, -1.0, 2.1, -1.2) if fake else (2.3, 4.3, 0.8, -1.1)
    spread = (1.2, 1.8, 1.5, 1.5) if fake else (1.2, 1.8, 1.4, 1.5)
    return [f"{r.gauss(c, s):.4f}" for c, s in zip(centre, spread)], "fake" if fake else "true"


def mushroom(r):
    """Twelve categories; the label follows from three of them without exception."""
    x = [r.choice("abcdefghi"[: 2 + i % 8]) for i in range(12)]
    poisonous = x[7] in "acfg" or (x[3] in "bd" and x[5] != "a")
    return x, "poisonous" if poisonous else "edible"


def write(folder, name, draw, train, blind, seed):
    r = random.Random(seed)
    os.makedirs(os.path.join(folder, name), exist_ok=True)
    rows = [(f"r{i}", *draw(r)) for i in range(train + blind)]
    head = [f"x{i + 1}" for i in range(len(rows[0][1]))]

    def save(file, header, lines):
        with open(os.path.join(folder, name, file), "w", newline="") as f:
            w = csv.writer(f, lineterminator="\n")
            w.writerow(header)
            w.writerows(lines)

    save("train.csv", ["ID", *head, "label"], ([i, *x, y] for i, x, y in rows[:train]))
    save("blind.csv", ["ID", *head], ([i, *x] for i, x, _ in rows[train:]))
    save("answers.csv", ["ID", "label"], ([i, y] for i, _, y in rows[train:]))


for seed in (1, 2):
    write(sys.argv[1], f"separable-{seed}", separable, 1000, 5000, seed)
    write(sys.argv[1], f"banknote-{seed}", banknote, 1000, 5000, 10 + seed)
    write(sys.argv[1], f"mushroom-{seed}", mushroom, 1000, 5000, 20 + seed)
