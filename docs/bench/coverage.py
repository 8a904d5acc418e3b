#!/usr/bin/env python3
"""Measures how often the 95 % intervals of test scores and validation scores contain the true score.

    python3 docs/bench/coverage.py ./foretell ROWS [RACES]

Each of RACES (60) races with --effort fast trains on ROWS generated rows of two classes. The true scores are the scores of the model on
4,000 new rows. The script prints, for each part of the rows and each metric, the mean score, the mean true score, and the
fraction of the intervals that contain the true score. Needs numpy and scikit-learn.
"""
import csv, json, os, subprocess, sys, tempfile

if len(sys.argv) < 3 or sys.argv[1].startswith("-"):
    sys.exit(__doc__)

import numpy as np
from sklearn import metrics

CLASSES = ["no", "yes"]


def write(path, rng, rows):
    """Writes a table, and returns which of its rows have the class yes."""
    x = rng.normal(size=(rows, 4)).round(3)
    yes = rng.random(rows) < 1 / (1 + np.exp(1 - 1.2 * x[:, 0] + 0.8 * x[:, 1]))
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["a", "b", "c", "d", "y"])
        out.writerows([*cells, CLASSES[label]] for cells, label in zip(x, yes.astype(int)))
    return yes


def foretell(folder, *args):
    done = subprocess.run([program, *args], cwd=folder, env=dict(os.environ, HOME=folder, XDG_DATA_HOME=folder), capture_output=True, text=True)
    if done.returncode:
        sys.exit("%s\n%s" % (args, done.stderr))
    return done.stdout.strip()


def race(folder, seed, rows):
    """Returns the report of the model, and its true scores by metric."""
    rng = np.random.default_rng(seed)
    write(folder + "/train.csv", rng, rows)
    yes = write(folder + "/new.csv", rng, 4000)
    key = foretell(folder, "run", "train.csv", "--label", "y", "--id", "-", "--effort", "fast", "--seed", str(seed), "-q")
    report = json.loads(foretell(folder, "models", "report", key, "--json"))
    foretell(folder, "models", "export", key, "-o", "model", "--force", "-q")
    foretell(folder, "predict", "new.csv", "--id", "-", "--model", "model", "-o", "out.csv", "--force", "-q")
    with open(folder + "/out.csv", newline="") as file:
        out = list(csv.DictReader(file))
    p, predicted = np.array([float(row["probability_yes"]) for row in out]), np.array([row["prediction"] == "yes" for row in out])
    return report, {
        "accuracy": np.mean(predicted == yes), "balancedAccuracy": metrics.balanced_accuracy_score(yes, predicted), "macroF1": metrics.f1_score(yes, predicted, average="macro"),
        "rocAuc": metrics.roc_auc_score(yes, p), "prAuc": metrics.average_precision_score(yes, p),
        "logLoss": metrics.log_loss(yes, np.clip(p, 2**-23, 1 - 2**-23)), "brier": np.mean((p - yes) ** 2),
    }


program = os.path.abspath(sys.argv[1])
races = []
for seed in range(1, 1 + (int(sys.argv[3]) if len(sys.argv) > 3 else 60)):
    with tempfile.TemporaryDirectory() as temp:
        races.append(race(temp, seed, int(sys.argv[2])))
for part in ("test", "validation"):
    for name in races[0][1]:
        found = []
        for report, true in races:
            score, interval = report[part].get(name), (report[part].get("intervals") or {}).get(name)
            if score is not None and interval is not None:
                found.append((score, true[name], interval["low"] <= true[name] <= interval["high"]))
        if found:
            print("%-10s %-16s %3d races: mean %.3f, true %.3f, coverage %.2f" % (part, name, len(found), *np.mean(np.array(found, float), axis=0)))
