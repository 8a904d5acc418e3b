#!/usr/bin/python3
"""Writes goldens.json beside this file: small tables, and the class distributions
that scikit-learn's decision trees give to their rows.

Made with scikit-learn 1.2.1, numpy 1.24.2 (Debian's python3-sklearn); run as
/usr/bin/python3 goldens.py

A tree of a random forest is deterministic if it tries all features and is grown
from all rows. The tables are such that the best split is unique.
"""
import json
import os

import numpy as np
import sklearn
from sklearn.tree import DecisionTreeClassifier


def case(name, classes=2, min_leaf=1, leaves=None, seed=0):
    rng = np.random.RandomState(seed)
    x = rng.randint(0, 120, size=(300, 4)).astype(float)
    signal = np.sin(x[:, 0] / 20) + (x[:, 1] - 60) / 40 + np.where(x[:, 2] > x[:, 0], 0.6, -0.4)
    signal += 0.7 * rng.normal(size=len(x))
    y = np.digitize(signal, np.quantile(signal, np.arange(1, classes) / classes))
    trees = [
        DecisionTreeClassifier(criterion="gini", max_features=None, min_samples_leaf=min_leaf, max_leaf_nodes=leaves,
                               random_state=state).fit(x, y)
        for state in range(5)
    ]
    p = trees[0].predict_proba(x)
    if not all(np.array_equal(p, t.predict_proba(x)) for t in trees[1:]):
        return case(name, classes, min_leaf, leaves, seed + 100)  # ties, which scikit-learn breaks at random
    return {
        "name": name, "classes": classes, "minLeaf": min_leaf, "maxLeaves": leaves or 0,
        "x": x.astype(int).tolist(), "y": y.tolist(), "treeLeaves": int(trees[0].get_n_leaves()),
        "probabilities": np.round(p, 7).tolist(),
    }


cases = [
    case("leaves_of_ten_rows", min_leaf=10, seed=1),
    case("best_first", leaves=12, min_leaf=3, seed=2),
    case("four_classes", classes=4, min_leaf=12, seed=3),
    case("four_classes_best_first", classes=4, leaves=9, min_leaf=5, seed=4),
]
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "goldens.json"), "w") as f:
    json.dump({"sklearn": sklearn.__version__, "numpy": np.__version__, "cases": cases}, f, separators=(",", ":"))
    f.write("\n")
