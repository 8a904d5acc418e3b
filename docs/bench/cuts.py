#!/usr/bin/env python3
"""Compares variants of `foretell run` by blind log loss and processor time.

    python3 docs/bench/cuts.py FOLDER [--seeds N] [--rows N] [--percent N] OLD NEW...

FOLDER has one CSV per data set, with a header and the label last. OLD and each NEW is a command, such as
"./foretell" or "FT_X=1 ./foretell --effort fast": variables, the program, and flags of `run`. For each set and
seed, a quarter of the rows of each class, or N percent of them (--percent), is set aside. If a class has only one row, it is not
set aside. Each command trains on the other rows and predicts the rows set aside. The commands take turns, so that other work on
the machine slows all of them. For each set, a line has the log loss, the error and the processor seconds of each command, each the
mean over the seeds. With several seeds it also has the geometric mean of the ratios of the log loss to OLD; the number after ± is its
standard error over the seeds. The last lines are the geometric means of the ratios to OLD, with their standard errors over the sets after ±.
A log loss below 0.01 counts as 0.01. --rows uses only the first rows of a random order. Needs only Python.
"""
import argparse, csv, json, math, os, random, resource, subprocess, sys, tempfile

FLOOR = 0.01


def divide(path, seed, limit, percent):
    """Returns the header, the rows to train on and the rows to predict, in random order."""
    with open(path, newline="") as file:
        header, *rows = list(csv.reader(file))
    rng = random.Random(seed)
    rng.shuffle(rows)
    rows = rows[:limit]
    by_class = {}
    for row in rows:
        by_class.setdefault(row[-1], []).append(row)
    blind = [row for name in sorted(by_class) for row in by_class[name][: len(by_class[name]) * percent // 100]]
    train = [row for name in sorted(by_class) for row in by_class[name][len(by_class[name]) * percent // 100 :]]
    rng.shuffle(train)
    rng.shuffle(blind)
    return header, train, blind


def write(path, header, rows, labelled):
    with open(path, "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["ROWID"] + (header if labelled else header[:-1]))
        for number, row in enumerate(rows):
            out.writerow(["%s%d" % ("t" if labelled else "b", number)] + (row if labelled else row[:-1]))


def measure(command, folder, label, truth):
    """Returns the log loss, the error and the processor seconds of a command."""
    words = command.split()
    variables = [word for word in words if "=" in word and not word.startswith("-")]
    words = words[len(variables) :]
    out = os.path.join(folder, "out.csv")
    if os.path.exists(out):
        os.remove(out)
    with tempfile.TemporaryDirectory() as home:
        env = dict(os.environ, HOME=home, FORETELL_PROGRESS="none", **dict(word.split("=", 1) for word in variables))
        args = [words[0], "run", folder + "/train.csv", "--blind", folder + "/blind.csv", "-o", out, "--id", "ROWID", "--label", label, "--json", "--force"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(args + words[1:], env=env, capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit("%s\n%s" % (args, done.stderr))
    with open(out, newline="") as file:
        rows = list(csv.DictReader(file))
    loss = -sum(math.log(max(float(row["probability_" + truth[row["ROWID"]]]), 1e-15)) for row in rows) / len(rows)
    wrong = sum(row["prediction"] != truth[row["ROWID"]] for row in rows) / len(rows)
    return loss, wrong, after.ru_utime - before.ru_utime


def geometric(ratios):
    return math.exp(sum(math.log(ratio) for ratio in ratios) / len(ratios))


def standard_error(ratios):
    """The standard error of geometric(ratios)."""
    mean, n = geometric(ratios), len(ratios)
    return mean * math.sqrt(sum(math.log(ratio / mean) ** 2 for ratio in ratios) / max(n * (n - 1), 1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("commands", nargs="+")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--rows", type=int)
    parser.add_argument("--percent", type=int, default=25)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    totals = {}
    for name in sorted(os.listdir(args.folder)):
        if not name.endswith(".csv") or args.only and name[:-4] not in args.only.split(","):
            continue
        sums = [[0.0] * 3 for _ in args.commands]
        losses = [[] for _ in args.commands]  # by command, then by seed
        for seed in range(1, args.seeds + 1):
            header, train, blind = divide(os.path.join(args.folder, name), seed, args.rows, args.percent)
            with tempfile.TemporaryDirectory() as folder:
                write(folder + "/train.csv", header, train, True)
                write(folder + "/blind.csv", header, blind, False)
                truth = {"b%d" % number: row[-1] for number, row in enumerate(blind)}
                for i, command in enumerate(args.commands):
                    measured = measure(command, folder, header[-1], truth)
                    losses[i].append(max(measured[0], FLOOR))
                    for j, value in enumerate(measured):
                        sums[i][j] += value / args.seeds
        for i, one in enumerate(sums):
            ratios = [loss / first for loss, first in zip(losses[i], losses[0])]
            compared = "  log loss × %.4f ± %.4f" % (geometric(ratios), standard_error(ratios)) if i > 0 and args.seeds > 1 else ""
            print("%-14s %d  log loss %.4f  error %.4f  %6.1f s" % (name[:-4], i, *one) + compared, flush=True)
            totals.setdefault(i, []).append((max(one[0], FLOOR) / max(sums[0][0], FLOOR), one[2] / sums[0][2]))
    for i, command in enumerate(args.commands):
        losses, seconds = zip(*totals[i])
        print("log loss × %.4f ± %.4f  seconds × %.3f ± %.3f  %s" % (geometric(losses), standard_error(losses), geometric(seconds), standard_error(seconds), command))


main()
