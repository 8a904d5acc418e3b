#!/usr/bin/env python3
"""Writes tables with columns of lists and of codes, for cuts.py.

    python3 docs/bench/items.py FOLDER [--rows 1000,4000]

The label of languages-N depends on three of the twelve items of a list (C++;SQL;C#), on a number and on chance. That of genres-N
depends on items of several words, which are separated by commas. The label of diagnoses-N depends on the first three characters of a
code such as E11.9, and that of parts-N on the first two of a code such as AB-1234. That of serials-N depends on the first two characters
of a code such as AB7K2P9, which has no words in common with others. Nearly every row has its own part and serial. The labels of the
tables whose names begin with "no-" depend on the numbers and on chance, but neither on items nor on codes. Needs only Python.
"""
import argparse, csv, math, os, random

LANGUAGES = ["C", "C++", "C#", "F#", "Go", "Java", "JavaScript", "Python", "R", "Rust", "SQL", "TypeScript"]
GENRES = ["Action & Adventure", "Comedy", "Crime", "Documentary", "Drama", "Family", "Fantasy", "Horror", "Music", "Mystery", "Romance", "Romantic Comedy", "Science Fiction", "TV Drama", "War", "Western"]


def choose(rng, items, weights):
    """Returns a random subset of items, in their order, with at least one item."""
    while True:
        chosen = [item for item, weight in zip(items, weights) if rng.random() < weight]
        if chosen:
            return chosen


def frequencies(names, rng):
    return [0.08 + 0.35 * rng.random() for _ in names]


def draw_languages(rng, world):
    chosen = choose(rng, LANGUAGES, world["weights"])
    score = 2 * ("C++" in chosen) - 2 * ("C#" in chosen) + ("R" in chosen)
    return ";".join(chosen), score


def draw_genres(rng, world):
    chosen = choose(rng, GENRES, world["weights"])
    score = 2 * ("Comedy" in chosen) - 2 * ("Romantic Comedy" in chosen) + ("TV Drama" in chosen) - ("Drama" in chosen)
    return ", ".join(chosen), score


def draw_diagnosis(rng, world):
    code, effect = rng.choices(world["codes"], world["weights"])[0]
    return code + rng.choice(["", ".0", ".1", ".2", ".5", ".8", ".9"]), effect


def draw_part(rng, world):
    code, effect = rng.choices(world["codes"], world["weights"])[0]
    return "%s-%04d" % (code, rng.randrange(10000)), effect


def draw_serial(rng, world):
    code, effect = rng.choices(world["codes"], world["weights"])[0]
    return code + "%d%s%d%s%d" % (rng.randrange(10), rng.choice("KPRX"), rng.randrange(10), rng.choice("KPRX"), rng.randrange(10)), effect


def new_world(name, rng):
    """Returns the codes with their effects on the label, and the weights with which codes or items are drawn."""
    if name == "diagnoses":
        codes = sorted({rng.choice("CEFGIJKM") + "%02d" % rng.randrange(100) for _ in range(60)})
    elif name in ("parts", "serials"):
        codes = sorted({rng.choice("ABCDEFGH") + rng.choice("KLMNPRST") for _ in range(30)})
    else:
        return {"weights": frequencies(LANGUAGES if name == "languages" else GENRES, rng)}
    return {"codes": [(code, rng.gauss(0, 1.5)) for code in codes], "weights": [1 / (1 + i) ** 0.7 for i in range(len(codes))]}


DRAWS = {"languages": draw_languages, "genres": draw_genres, "diagnoses": draw_diagnosis, "parts": draw_part, "serials": draw_serial}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--rows", default="1000,4000")
    args = parser.parse_args()
    os.makedirs(args.folder, exist_ok=True)
    for name, draw in DRAWS.items():
        for rows in map(int, args.rows.split(",")):
            for prefix, matters in (("", 1), ("no-", 0)):
                rng = random.Random("%s %d" % (name, rows))
                world = new_world(name, rng)
                with open(os.path.join(args.folder, f"{prefix}{name}-{rows}.csv"), "w", newline="") as file:
                    out = csv.writer(file, lineterminator="\n")
                    out.writerow([name, "years", "size", "label"])
                    for _ in range(rows):
                        cell, effect = draw(rng, world)
                        years, size = rng.randrange(40), round(rng.gauss(0, 1), 2)
                        score = matters * effect + 0.05 * (years - 20) + 0.5 * size
                        label = "yes" if rng.random() < 1 / (1 + math.exp(-score)) else "no"
                        out.writerow([cell, years, size, label])


main()
