#!/usr/bin/env python3
"""Measures what --monotone costs on generated tables that are monotone.

    python3 docs/bench/monotone.py PROGRAM [--rows 300,1000,4000] [--seeds N]

The label of a table is monotone in income, debt and age. It also depends on region and hour, in which it is not monotone, and on
chance. For each number of rows, the script runs three races: with default options, with only the algorithms that support --monotone,
and with --monotone. It prints the means over the seeds of the log loss on 20,000 other rows, of the largest change of a probability
in the forbidden direction when only one column of such a row changes, and of the processor time. Needs only Python.
"""
import argparse, csv, math, os, random, resource, subprocess, tempfile

HEADER = ["income", "debt", "age", "hour", "region"]
MONOTONE = ["--monotone", "income=increasing", "--monotone", "debt=decreasing", "--monotone", "age=increasing"]
RACES = {"default": [], "without network": ["--algorithm", "BFIF01,BSIX01,BSEV02"], "--monotone": MONOTONE}
REGIONS = {"north": 0.5, "south": -0.5, "east": 0.0, "west": 0.8}


def draw(rng):
    return [round(math.exp(rng.gauss(10, 0.6))), round(rng.expovariate(1 / 8000)), rng.randint(18, 80), rng.randint(0, 23), rng.choice(sorted(REGIONS))]


def probability(row):
    income, debt, age, hour, region = row
    score = 1.5 * (math.log(income) - 10) - 1.2 * min(debt / 10000, 2) + (0.8 if age >= 30 else 0) + 0.01 * (age - 18) + 0.4 * math.sin(hour / 24 * 2 * math.pi) + REGIONS[region]
    return 1 / (1 + math.exp(-score))


def write(path, rows, labels=None):
    with open(path, "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["id"] + HEADER + (["paid"] if labels else []))
        out.writerows([i] + row + ([labels[i]] if labels else []) for i, row in enumerate(rows))


def sweeps(rng):
    """Returns rows, and the index of the first row and the direction of each sweep of one column."""
    rows, starts = [], []
    for _ in range(60):
        base = draw(rng)
        for column, sign, values in ((0, 1, range(4000, 84000, 2000)), (1, -1, range(0, 40000, 1000)), (2, 1, range(20, 60))):
            starts.append((len(rows), sign))
            rows += [base[:column] + [value] + base[column + 1 :] for value in values]
    return rows, starts


def run(program, options, folder):
    env = {"PATH": os.environ["PATH"], "HOME": folder}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([program, "run", "train.csv", "--blind", "blind.csv", "-o", "out.csv", "--force", "--no-receipt", "--quiet", "--label", "paid", "--id", "id"] + options, cwd=folder, env=env, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(os.path.join(folder, "out.csv"), newline="") as file:
        found = [float(row["probability_yes"]) for row in csv.DictReader(file)]
    return found, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(program, rows, seed):
    rng = random.Random(1000 * seed + rows)
    train, blind = [draw(rng) for _ in range(rows)], [draw(rng) for _ in range(20000)]
    labels = ["yes" if rng.random() < probability(row) else "no" for row in train]
    swept, starts = sweeps(rng)
    results = {}
    for name, options in RACES.items():
        with tempfile.TemporaryDirectory() as folder:
            write(os.path.join(folder, "train.csv"), train, labels)
            write(os.path.join(folder, "blind.csv"), blind + swept)
            found, seconds = run(program, options, folder)
        loss = 0
        for row, q in zip(blind, found):  # the expected log loss, which has less noise than that of drawn labels
            p, q = probability(row), min(max(q, 1e-9), 1 - 1e-9)
            loss -= p * math.log(q) + (1 - p) * math.log(1 - q)
        wrong = 0
        for start, sign in starts:
            curve = found[len(blind) + start :][:40]
            wrong = max([wrong] + [sign * (a - b) for a, b in zip(curve, curve[1:])])
        results[name] = (loss / len(blind), wrong, seconds)
    return results


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--rows", default="300,1000,4000")
    parser.add_argument("--seeds", type=int, default=4)
    args = parser.parse_args()
    program = os.path.abspath(args.program)
    for rows in map(int, args.rows.split(",")):
        found = [measure(program, rows, seed) for seed in range(1, args.seeds + 1)]
        for name in RACES:
            loss, wrong, seconds = (sum(f[name][i] for f in found) / len(found) for i in range(3))
            ratios = [math.log(f[name][0] / f["default"][0]) for f in found]
            mean = sum(ratios) / len(ratios)
            error = math.sqrt(sum((r - mean) ** 2 for r in ratios) / max(len(ratios) - 1, 1) / len(ratios))
            print("%6d  %-16s log loss %.4f (× %.4f ± %.4f)  against a direction %.4f  %.1f s" % (rows, name, loss, math.exp(mean), error, wrong, seconds), flush=True)


main()
