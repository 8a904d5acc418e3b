#!/usr/bin/env python3
"""Compares `foretell run` with the published results of AutoML systems in the AutoML benchmark (AMLB).

    python3 docs/bench/automl_data.py clone CLONES
    python3 docs/bench/automl_data.py write CLONES SHARED FOLDER
    python3 docs/bench/automl.py run FOLDER "./foretell --effort best" [--only NAME,…]     # flags of `run` are optional
    python3 docs/bench/automl.py table FOLDER CLONES/Coorsaa-automlbenchmark_shiny_app/data/classification_cleaned.csv

FOLDER has one CSV for each data set, with the label last.

run predicts each data set in ten folds: foretell trains on nine tenths of the rows and predicts the other tenth. The folds
are stratified by class. They differ from the folds of the benchmark, which are not in the repositories. The race has the
metric of the benchmark: rocAuc for two classes, logLoss for more. The result of each fold is stored in FOLDER/results.json, so
that an interrupted run continues.

table prints the mean of the ten folds for each data set and system, and the mean rank of each system. The published systems had one
hour and eight cores for each fold. Systems without results of all ten folds share the last ranks. Needs only Python.
"""
import argparse, collections, csv, json, math, os, random, subprocess, sys, tempfile

FOLDS = 10
SYSTEMS = {
    "AutoGluon_benchmark": "AutoGluon 0.3.1", "autosklearn": "auto-sklearn", "autosklearn2": "auto-sklearn 2", "flaml": "FLAML", "GAMA_benchmark": "GAMA",
    "H2OAutoML": "H2O AutoML", "lightautoml": "LightAutoML", "mljarsupervised_benchmark": "MLJAR", "mlr3automl": "mlr3automl", "TPOT": "TPOT",
    "TunedRandomForest": "tuned random forest",
}


def read(path):
    with open(path, newline="") as file:
        header, *rows = list(csv.reader(file))
    return header, rows


def divide(path):
    """Returns the header, the rows in random order, and the fold of each row. The folds are stratified by class."""
    header, rows = read(path)
    random.Random(1).shuffle(rows)
    seen, folds = collections.Counter(), []
    order = {name: i for i, name in enumerate(sorted({row[-1] for row in rows}))}
    for row in rows:
        folds.append((seen[row[-1]] + 3 * order[row[-1]]) % FOLDS)
        seen[row[-1]] += 1
    return header, rows, folds


def auc(scores, positive):
    """The area under the ROC curve: the share of pairs of a positive and a negative row in the right order. A tie counts as half."""
    order = sorted(range(len(scores)), key=lambda i: scores[i])
    ranks, i = [0.0] * len(scores), 0
    while i < len(order):
        j = i
        while j + 1 < len(order) and scores[order[j + 1]] == scores[order[i]]:
            j += 1
        for k in range(i, j + 1):
            ranks[order[k]] = (i + j) / 2 + 1
        i = j + 1
    n = sum(positive)
    return (sum(rank for rank, p in zip(ranks, positive) if p) - n * (n + 1) / 2) / (n * (len(scores) - n))


def predict(command, header, train, blind):
    """Returns the rows of the predictions, in the order of blind."""
    two = len({row[-1] for row in train}) == 2
    with tempfile.TemporaryDirectory() as folder:
        for name, rows, columns in (("train", train, header), ("blind", blind, header[:-1])):
            with open("%s/%s.csv" % (folder, name), "w", newline="") as file:
                out = csv.writer(file, lineterminator="\n")
                out.writerow(["ROWID"] + columns)
                out.writerows(["%s%d" % (name, i)] + row[: len(columns)] for i, row in enumerate(rows))
        program, *flags = command.split()
        args = [program, "run", *flags, folder + "/train.csv", "--blind", folder + "/blind.csv", "-o", folder + "/out.csv", "--id", "ROWID"]
        args += ["--label", header[-1], "--metric", "rocAuc" if two else "logLoss", "-q"]
        done = subprocess.run(args, env=dict(os.environ, HOME=folder), capture_output=True, text=True)
        if done.returncode:
            sys.exit("%s\n%s" % (args, done.stderr))
        with open(folder + "/out.csv", newline="") as file:
            return list(csv.DictReader(file))


def score(predicted, blind, classes):
    if len(classes) == 2:
        return auc([float(row["probability_" + classes[1]]) for row in predicted], [row[-1] == classes[1] for row in blind])
    return sum(math.log(max(float(row.get("probability_" + true[-1], 0)), 1e-15)) for row, true in zip(predicted, blind)) / len(blind)


def run(folder, command, only):
    path = os.path.join(folder, "results.json")
    results = json.load(open(path)) if os.path.exists(path) else {}
    names = sorted((name[:-4] for name in os.listdir(folder) if name.endswith(".csv")), key=lambda name: os.path.getsize(os.path.join(folder, name + ".csv")))
    for name in names:
        if only and name not in only:
            continue
        header, rows, folds = divide(os.path.join(folder, name + ".csv"))
        classes = sorted({row[-1] for row in rows})
        done = results.setdefault(name, [])
        for fold in range(len(done), FOLDS):
            train = [row for row, f in zip(rows, folds) if f != fold]
            blind = [row for row, f in zip(rows, folds) if f == fold]
            done.append(score(predict(command, header, train, blind), blind, classes))
            with open(path, "w") as file:
                json.dump(results, file)
        print("%-32s %.4f" % (name, sum(done) / FOLDS), flush=True)


def table(folder, published):
    with open(os.path.join(folder, "results.json")) as file:
        ours = {name: values for name, values in json.load(file).items() if len(values) == FOLDS}
    theirs = collections.defaultdict(lambda: collections.defaultdict(list))
    with open(published, newline="") as file:
        for row in csv.DictReader(file):
            if row["constraint"] == "1h8c_gp3" and row["framework"] in SYSTEMS and row["result"]:
                theirs[row["task"]][row["framework"]].append(float(row["result"]))
    ranks = collections.defaultdict(list)
    print("| data set | metric | Foretell | %s |" % " | ".join(SYSTEMS.values()))
    print("|---|---|%s" % ("---:|" * (len(SYSTEMS) + 1)))
    for name in sorted(ours, key=str.lower):
        means = {"Foretell": sum(ours[name]) / FOLDS}
        for system in SYSTEMS:
            values = theirs[name][system]
            means[system] = sum(values) / FOLDS if len(values) == FOLDS else -math.inf
        for system, mean in means.items():
            ranks[system].append(sum(other > mean for other in means.values()) + (1 + sum(other == mean for other in means.values())) / 2)
        loss = means["Foretell"] < 0
        print("| %s | %s | %s |" % (name, "log loss" if loss else "AUC", " | ".join("–" if math.isinf(m) else "%.4f" % abs(m) for m in means.values())))
    print("| **mean rank** | | %s |" % " | ".join("%.2f" % (sum(ranks[s]) / len(ranks[s])) for s in ["Foretell", *SYSTEMS]))


def main():
    if sys.argv[1:2] == ["table"] and len(sys.argv) == 4:
        table(*sys.argv[2:])
    elif sys.argv[1:2] == ["run"]:
        parser = argparse.ArgumentParser()
        parser.add_argument("folder")
        parser.add_argument("command")
        parser.add_argument("--only", default="")
        args = parser.parse_args(sys.argv[2:])
        run(args.folder, args.command, args.only.split(",") if args.only else [])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
