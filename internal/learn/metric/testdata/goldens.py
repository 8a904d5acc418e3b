#!/usr/bin/python3
"""Writes goldens.json beside this file: random predictions and their scores.

Made with scikit-learn 1.2.1, numpy 1.24.2, scipy 1.10.1 (Debian's
python3-sklearn); run as /usr/bin/python3 goldens.py
"""
import json
import os
import warnings

import numpy as np
import sklearn
from sklearn import metrics

warnings.filterwarnings("ignore")


def case(name, classes, rows, seed, absent=(), coarse=False, sharp=2.0):
    rng = np.random.RandomState(seed)
    prior = rng.dirichlet(np.full(classes, 2.0))
    prior[list(absent)] = 0
    y = rng.choice(classes, rows, p=prior / prior.sum())
    z = rng.normal(size=(rows, classes))
    z[np.arange(rows), y] += 1
    p = np.exp(sharp * z)
    p /= p.sum(axis=1, keepdims=True)
    if coarse:  # many ties
        p = np.round(p * 4) / 4
        p = (p + 0.05) / (p + 0.05).sum(axis=1, keepdims=True)
    p = p.astype(np.float32)
    d = p.argmax(axis=1)
    prf = metrics.precision_recall_fscore_support(y, d, labels=range(classes), zero_division=0)
    if classes == 2:
        auc = metrics.roc_auc_score(y, p[:, 1])
    else:
        auc = np.mean([metrics.roc_auc_score(y == c, p[:, c]) for c in range(classes) if c in y])
        if not absent and not coarse:  # the rescaling that sklearn asks for would undo ties
            q = p.astype(np.float64)
            q /= q.sum(axis=1, keepdims=True)
            assert abs(auc - metrics.roc_auc_score(y, q, multi_class="ovr", average="macro")) < 1e-6
    return {
        "name": name,
        "classes": classes,
        "labels": y.tolist(),
        "probabilities": [float(v) for v in p.ravel()],
        "accuracy": metrics.accuracy_score(y, d),
        "balancedAccuracy": metrics.balanced_accuracy_score(y, d),
        "macroF1": metrics.f1_score(y, d, average="macro", zero_division=0),
        "rocAuc": auc,
        "logLoss": metrics.log_loss(y, p, labels=range(classes)),
        "confusion": metrics.confusion_matrix(y, d, labels=range(classes)).ravel().tolist(),
        "precision": prf[0].tolist(),
        "recall": prf[1].tolist(),
        "f1": prf[2].tolist(),
        "support": prf[3].tolist(),
    }


cases = [
    case("binary", 2, 60, 1),
    case("binary_with_ties", 2, 60, 2, coarse=True),
    case("binary_certain", 2, 40, 3, sharp=30.0),
    case("five_classes", 5, 80, 4),
    case("five_classes_with_ties", 5, 80, 5, coarse=True),
    case("two_of_six_classes_absent", 6, 50, 6, absent=(1, 5)),
]
path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "goldens.json")
with open(path, "w") as f:
    json.dump({"sklearn": sklearn.__version__, "cases": cases}, f)
    f.write("\n")
