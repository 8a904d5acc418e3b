#!/usr/bin/python3
"""Writes goldens.json beside this file: small tables, and the raw scores that
XGBoost gives to their rows after each round.

Made with xgboost 1.7.4, numpy 1.24.2 (Debian's python3-xgboost); run as
/usr/bin/python3 goldens.py

The parameters are such that both methods are the same: every distinct value has
a bin of its own, every tree sees every row and feature, and the base score is
the smoothed frequency of the class.
"""
import json
import os

import numpy as np
import xgboost


def table(rows, classes, seed, missing):
    rng = np.random.RandomState(seed)
    x = rng.randint(0, 25, size=(rows, 4)).astype(float)
    signal = np.sin(x[:, 0] / 4) + (x[:, 1] - 12) / 8 + np.where(x[:, 2] > x[:, 0], 0.6, -0.4)
    signal += rng.normal(size=rows)
    y = np.digitize(signal, np.quantile(signal, np.arange(1, classes) / classes))
    if missing:
        x[rng.uniform(size=x.shape) < 0.1] = np.nan
    return x, y


def case(name, kind, classes=2, missing=False, rounds=5, rate=0.3, l2=1.0, leaves=0, depth=0, seed=0, test=False):
    x, y = table(480 if test else 240, classes, seed, missing)
    x, y, rest = x[:240], y[:240], (x[240:], y[240:])
    params = {
        "tree_method": "hist", "max_bin": 256, "eta": rate, "lambda": l2, "alpha": 0, "gamma": 0,
        "min_child_weight": 1e-3, "max_depth": depth, "max_leaves": leaves,
        "grow_policy": "lossguide" if leaves else "depthwise", "nthread": 1,
    }
    if classes == 2:
        params.update(objective="binary:logistic", base_score=(np.sum(y) + 1) / (len(y) + 2))
    else:
        # Classes of equal size: the base score does not matter. XGBoost's second
        # derivative is 2p(1-p), so that its gains are half of those for half the
        # penalty.
        params.update({"objective": "multi:softprob", "num_class": classes, "base_score": 0.5, "lambda": 2 * l2})
    data = xgboost.DMatrix(x, label=y)
    booster = xgboost.train(params, data, num_boost_round=rounds)
    scores, leaf = [], booster.predict(data, pred_leaf=True)
    for n in range(1, rounds + 1):
        margin = booster.predict(data, output_margin=True, iteration_range=(0, n))
        scores.append(np.round(margin.astype(float), 7).tolist())
    out = {
        "name": name, "kind": kind, "classes": classes, "rate": rate, "l2": l2, "leaves": leaves, "depth": depth,
        "x": [[None if np.isnan(v) else v for v in row] for row in x.tolist()], "y": y.tolist(),
        # The leaf of each row in the trees of the first round.
        "firstLeaves": leaf.reshape(len(y), rounds, -1)[:, 0, :].astype(int).tolist(),
    }
    if classes == 2:
        out["scores"] = scores
    if test:
        del out["scores"], out["firstLeaves"]
        p = booster.predict(xgboost.DMatrix(rest[0]))
        out.update(rounds=rounds, testX=rest[0].tolist(), testY=rest[1].tolist(),
                   testLogLoss=float(-np.mean(np.log(np.where(rest[1] == 1, p, 1 - p)))))
    return out


cases = [
    case("leafwise", "leafwise", leaves=8, seed=1),
    case("leafwise_strong_penalty", "leafwise", leaves=5, l2=20.0, rate=0.7, seed=2),
    case("leafwise_missing", "leafwise", leaves=6, missing=True, seed=3),
    case("leafwise_three_classes", "leafwise", classes=3, leaves=6, rounds=1, seed=4),
    case("symmetric_stumps", "symmetric", depth=1, rounds=8, seed=5),
    case("symmetric_stumps_missing", "symmetric", depth=1, rounds=8, missing=True, seed=6),
    # XGBoost has no symmetric trees: only the loss on other rows is compared.
    case("symmetric_trees", "symmetric", depth=4, rounds=20, rate=0.2, seed=7, test=True),
]
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "goldens.json"), "w") as f:
    json.dump({"xgboost": xgboost.__version__, "numpy": np.__version__, "cases": cases}, f, separators=(",", ":"))
    f.write("\n")
