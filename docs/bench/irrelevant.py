#!/usr/bin/env python3
"""Writes folds of a table with all columns, and without the columns of a negative importance.

    python3 docs/bench/irrelevant.py TABLE.csv FOLDER [FOLD…]      # folds from 0 to 9; default 0 1 2

TABLE.csv has the label last. The folds are those of automl.py. For each fold K, the folders FOLDER/all-K and FOLDER/selected-K
have train.csv, blind.csv and answers.csv. The importance of a column is estimated on at most 5,000 rows of train.csv with
128 extremely randomised trees, on the rows outside the bootstrap sample of each tree (Li et al. 2019, "A debiased MDI feature
importance measure for random forests"). Needs scikit-learn.
"""
import csv, os, sys

import numpy
from sklearn.ensemble import ExtraTreesClassifier

import automl


def to_numbers(cells):
    """Returns a column as numbers. Texts are numbered in their order, and missing values are below all others."""
    try:
        values = numpy.array([float(cell) if cell not in ("", "?", "NA") else numpy.nan for cell in cells])
    except ValueError:
        number = {text: i for i, text in enumerate(sorted(set(cells)))}
        return numpy.array([number[cell] for cell in cells], float)
    return numpy.where(numpy.isnan(values), numpy.nanmin(values) - 1, values)


def importance(x, y):
    """Returns the importance of each column of x for the classes y."""
    forest = ExtraTreesClassifier(128, max_features=min(x.shape[1], max(5, x.shape[1] // 3)), bootstrap=True, random_state=1).fit(x, y)
    total = numpy.zeros(x.shape[1])
    for tree in forest.estimators_:
        sample = numpy.random.RandomState(tree.random_state).randint(0, len(y), len(y))
        outside = numpy.setdiff1d(numpy.arange(len(y)), sample)
        nodes, share = tree.tree_, tree.tree_.value[:, 0, :]
        share = share / share.sum(axis=1, keepdims=True)
        parent = numpy.full(nodes.node_count, -1)
        for children in (nodes.children_left, nodes.children_right):
            parent[children[children >= 0]] = numpy.flatnonzero(children >= 0)
        row, node = tree.decision_path(x[outside].astype(numpy.float32)).nonzero()
        row, node = row[node > 0], node[node > 0]
        label = y[outside][row]
        numpy.add.at(total, nodes.feature[parent[node]], share[node, label] - share[parent[node], label])
    return total


def write(path, header, rows):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    header, rows, fold_of = automl.divide(sys.argv[1])
    for fold in [int(text) for text in sys.argv[3:]] or [0, 1, 2]:
        train = [row for row, one in zip(rows, fold_of) if one != fold]
        blind = [row for row, one in zip(rows, fold_of) if one == fold]
        columns = list(zip(*train))
        x = numpy.array([to_numbers(column) for column in columns[:-1]]).T
        y = numpy.unique(columns[-1], return_inverse=True)[1]
        sample = numpy.random.RandomState(0).permutation(len(y))[:5000]
        selected = [i for i, value in enumerate(importance(x[sample], y[sample])) if value >= 0]
        print(f"fold {fold}: {len(selected)} of {len(header) - 1} columns are selected")
        for name, kept in ("all", range(len(header) - 1)), ("selected", selected):
            folder = os.path.join(sys.argv[2], f"{name}-{fold}")
            os.makedirs(folder, exist_ok=True)
            label = len(header) - 1
            pick = lambda row, columns: [row[i] for i in columns]
            write(os.path.join(folder, "train.csv"), pick(header, [*kept, label]), [pick(row, [*kept, label]) for row in train])
            write(os.path.join(folder, "blind.csv"), pick(header, kept), [pick(row, kept) for row in blind])
            write(os.path.join(folder, "answers.csv"), header[label:], [row[label:] for row in blind])


if __name__ == "__main__":
    main()
