"""Times XGBoost's pred_contribs on 28 columns and 300 trees of 31 leaves.

    python3 docs/bench/explain.py

BenchmarkExplainTrees of internal/learn/model does the same with Foretell:

    go test -run '^$' -bench ExplainTrees -benchtime 1x ./internal/learn/model
"""

import time

import numpy as np
import xgboost as xgb

ROWS, COLUMNS, TREES, EXPLAINED = 20_000, 28, 300, 1_000

rng = np.random.default_rng(1)
x = rng.normal(size=(ROWS, COLUMNS)).astype(np.float32)
score = x @ ((COLUMNS - np.arange(COLUMNS)) / COLUMNS) + (x[:, 1:] * x[:, :-1] / 2).sum(1) + rng.normal(size=ROWS)
model = xgb.train(
    {"objective": "binary:logistic", "tree_method": "hist", "grow_policy": "lossguide", "max_leaves": 31, "max_depth": 0, "eta": 0.1},
    xgb.DMatrix(x, label=score > 0), TREES,
)
model.set_param({"nthread": 1})
began = time.process_time()
model.predict(xgb.DMatrix(x[:EXPLAINED]), pred_contribs=True)
print(f"XGBoost {xgb.__version__}: {(time.process_time() - began) * 1e3 / EXPLAINED:.2f} ms/row")
