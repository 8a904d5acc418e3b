#!/usr/bin/env python3
"""Compares races for different metrics by the blind scores of their models.

    git clone --depth 1 https://github.com/jbrownlee/Datasets
    python3 docs/bench/metrics.py make Datasets FOLDER
    python3 docs/bench/metrics.py compare FOLDER METRIC PROGRAM "PROGRAM --metric METRIC" ... [--seeds N] [--first SEED] [--only NAMES]

`make` writes public tables into FOLDER, each a CSV with a header and the label last. `compare` sets 30 % of the rows of each class
aside. Each command, such as "./foretell" or "./foretell --metric rocAuc", trains on the other rows. `foretell score` scores its
predictions of the rows set aside. METRIC is a list of metrics, such as rocAuc,f1[rare], where [rare] stands for the class with the fewest rows, here and
in the commands. For each table the means over the seeds are printed. At the end, each command is compared with the first:

- the mean difference of the metric, with its standard error over the tables,
- the geometric mean of the ratios of the losses. The loss is the log loss or 1 − METRIC; a loss below 0.005 counts as 0.005,
- the numbers of tables on which the command is better and worse.

Needs only Python.
"""
import argparse, csv, json, math, os, random, subprocess, sys, tempfile

# name: (file, the column of the label)
CSV = {
    "sonar": ("sonar.csv", -1), "ionosphere": ("ionosphere.csv", -1), "pima": ("pima-indians-diabetes.csv", -1),
    "banknote": ("banknote_authentication.csv", -1), "breast": ("breast-cancer.csv", -1), "wisconsin": ("breast-cancer-wisconsin.csv", -1),
    "haberman": ("haberman.csv", -1), "oil": ("oil-spill.csv", -1), "phoneme": ("phoneme.csv", -1), "glass": ("glass.csv", -1),
    "ecoli": ("ecoli.csv", -1), "seeds": ("wheat-seeds.csv", -1), "thyroid": ("new-thyroid.csv", -1), "wine": ("wine.csv", -1),
    "colic": ("horse-colic.csv", 23),
}


def save(folder, name, rows, header=None):
    """Writes the rows of the classes with at least 8 rows. The last cell of a row is the label."""
    counts = {}
    for row in rows:
        counts[row[-1]] = counts.get(row[-1], 0) + 1
    rows = [row for row in rows if counts[row[-1]] >= 8]
    with open(os.path.join(folder, name + ".csv"), "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(header or ["x%d" % i for i in range(len(rows[0]) - 1)] + ["y"])
        out.writerows(rows)


def make(source, folder):
    os.makedirs(folder, exist_ok=True)
    for name, (path, label) in CSV.items():
        rows = []
        for row in csv.reader(open(os.path.join(source, path), newline="")):
            row = ["" if cell.strip().strip("'") in ("?", "nan") else cell.strip().strip("'") for cell in row]
            if row and row[label] != "":
                rows.append([cell for i, cell in enumerate(row) if i != label % len(row)] + ["c" + row[label]])
        save(folder, name, rows)
    for path, threshold in (("winequality-red", 7), ("abalone", 15)):
        rows = [row for row in csv.reader(open(os.path.join(source, path + ".csv"), newline=""), delimiter=";" if ";" in open(os.path.join(source, path + ".csv")).readline() else ",")]
        rows = [row for row in rows if row and row[-1].replace(".", "").isdigit()]
        save(folder, path.split("-")[0], [row[:-1] + ["high" if float(row[-1]) >= threshold else "low"] for row in rows])


def divide(path, seed):
    header, *rows = list(csv.reader(open(path, newline="")))
    random.Random(seed).shuffle(rows)
    by_class = {}
    for row in rows:
        by_class.setdefault(row[-1], []).append(row)
    blind = [row for name in sorted(by_class) for row in by_class[name][: len(by_class[name]) * 3 // 10]]
    train = [row for name in sorted(by_class) for row in by_class[name][len(by_class[name]) * 3 // 10 :]]
    random.Random(seed).shuffle(train)
    return header, train, blind


def write(path, header, rows):
    with open(path, "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["ROWID"] + header)
        out.writerows([["r%d" % i] + row for i, row in enumerate(rows)])


def measure(command, folder, metrics):
    words = command.split()
    variables = [word for word in words if "=" in word and not word.startswith("-") and "/" not in word.split("=")[0]]
    words = words[len(variables) :]
    with tempfile.TemporaryDirectory() as home:
        env = dict(os.environ, HOME=home, FORETELL_PROGRESS="none", **dict(word.split("=", 1) for word in variables))
        program = os.path.abspath(words[0])
        run = [program, "run", "train.csv", "--blind", "blind.csv", "-o", "out.csv", "--id", "ROWID", "--label", "y", "--force", "--json"] + words[1:]
        done = subprocess.run(run, cwd=folder, env=env, capture_output=True, text=True)
        if done.returncode:
            sys.exit("%s\n%s" % (run, done.stderr))
        scored = subprocess.run([program, "score", "out.csv", "answers.csv", "--label", "y", "--json"], cwd=folder, env=env, capture_output=True, text=True)
    if scored.returncode:
        sys.exit(scored.stderr)
    result = json.loads(scored.stdout)
    return {metric: value(result, metric) for metric in metrics}


def value(result, metric):
    base, _, label = metric.rstrip("]").partition("[")
    if label == "rare":
        return min(result["classes"], key=lambda c: c["rows"])[base]["value"]
    return result[metric]["value"]


def compare(args):
    sums, metrics = {}, args.metric.split(",")
    for name in sorted(os.listdir(args.folder)):
        if not name.endswith(".csv") or args.only and name[:-4] not in args.only.split(","):
            continue
        values = [[] for _ in args.commands]
        for seed in range(args.first, args.first + args.seeds):
            header, train, blind = divide(os.path.join(args.folder, name), seed)
            with tempfile.TemporaryDirectory() as folder:
                write(folder + "/train.csv", header, train)
                write(folder + "/answers.csv", header, blind)
                write(folder + "/blind.csv", header[:-1], [row[:-1] for row in blind])
                rare = min(sorted({row[-1] for row in train}), key=lambda c: sum(row[-1] == c for row in train))
                for i, command in enumerate(args.commands):
                    values[i].append(measure(command.replace("[rare]", "[%s]" % rare), folder, metrics))
        for metric in metrics:
            print("%-12s %-12s" % (name[:-4], metric), "  ".join("%.4f" % (sum(v[metric] for v in one) / len(one)) for one in values), flush=True)
        for i, one in enumerate(values):
            means = [{metric: sum(v[metric] for v in side) / args.seeds for metric in metrics} for side in (values[0], one)]
            sums.setdefault(i, []).append(means)
    for metric in metrics:
        loss = (lambda v: max(v, 0.005)) if metric == "logLoss" else (lambda v: max(1 - v, 0.005))
        for i, command in enumerate(args.commands):
            pairs = [(a[metric], b[metric]) for a, b in sums[i]]
            n = len(pairs)
            diffs, logs = [b - a for a, b in pairs], [math.log(loss(b) / loss(a)) for a, b in pairs]
            error = lambda x: math.sqrt(sum((v - sum(x) / n) ** 2 for v in x) / max(n - 1, 1) / n)
            better = sum(loss(b) < loss(a) for a, b in pairs)
            print("%-12s %-40s mean %.4f  difference %+.4f ± %.4f  ratio of the loss %.3f ± %.3f  better %d, worse %d" % (
                metric, command, sum(b for _, b in pairs) / n, sum(diffs) / n, error(diffs), math.exp(sum(logs) / n), error(logs),
                better, sum(loss(b) > loss(a) for a, b in pairs)))


parser = argparse.ArgumentParser()
parser.add_argument("action", choices=["make", "compare"])
parser.add_argument("folder")
parser.add_argument("metric")
parser.add_argument("commands", nargs="*")
parser.add_argument("--seeds", type=int, default=2)
parser.add_argument("--first", type=int, default=1)
parser.add_argument("--only", default="")
args = parser.parse_args()
if args.action == "make":
    make(args.folder, args.metric)
else:
    compare(args)
