#!/usr/bin/env python3
"""Checks whether a table of automl_data.py is the data of the AutoML benchmark: compares scikit-learn's random forest on both.

    python3 docs/bench/automl_check.py FOLDER CLONES/Coorsaa-automlbenchmark_shiny_app/data/classification_cleaned.csv NAME…

For each data set, prints the mean score of ten folds on the table in FOLDER with its standard error, and the published mean of the benchmark's
RandomForest. The score is the area under the ROC curve for two classes, and minus the log loss for more. Categories are coded as integers.
Means of different divisions into folds differ by some thousandths. Classes with fewer than ten rows are not supported. Needs pandas and scikit-learn.
"""
import csv, os, sys, warnings

import pandas
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_score


def published(path, name):
    with open(path, newline="") as file:
        found = [float(row["result"]) for row in csv.DictReader(file)
                 if (row["task"], row["framework"], row["constraint"]) == (name, "RandomForest", "1h8c_gp3") and row["result"]]
    return sum(found) / len(found) if found else float("nan")


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    warnings.filterwarnings("ignore")
    folder, path, *names = sys.argv[1:]
    for name in names:
        table = pandas.read_csv(os.path.join(folder, name + ".csv"))
        labels, columns = table.iloc[:, -1], table.iloc[:, :-1].copy()
        for column in columns:
            if columns[column].dtype == object:
                columns[column] = columns[column].astype("category").cat.codes
        classes = sorted(labels.unique())
        two = len(classes) == 2
        scores = cross_val_score(
            RandomForestClassifier(300, random_state=1), columns.fillna(-1), labels == classes[1] if two else labels,
            cv=StratifiedKFold(10, shuffle=True, random_state=2), scoring="roc_auc" if two else "neg_log_loss",
        )
        print("%-40s %.4f ± %.4f  published %.4f" % (name, scores.mean(), scores.std() / 10**0.5, published(path, name)), flush=True)


main()
