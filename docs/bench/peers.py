#!/usr/bin/python3
"""Measures the times of other programs for reading, training and predicting, to compare with those of Foretell.

  peers.py make    CSV --rows N [--text]      a CSV of 28 numbers and a label, or of texts (--text); the same for every call
  peers.py read    CSV                        pandas.read_csv with its C engine
  peers.py train   TRAIN [--rows N]           a histogram booster on the rows of a CSV
  peers.py predict TRAIN BLIND -o OUT         CSV to CSV: read BLIND, predict, write OUT

A CSV has an ID first; TRAIN has the label last. Text columns are given to the booster as categories.
The booster is XGBoost (hist, leaf-wise), or LightGBM with --booster lightgbm where that is importable.
Each repetition prints one JSON line: the seconds on the clock for each step, and the processor seconds ("cpu") for training.
XGBoost bins in its first round, LightGBM before its first round. Therefore compare the sums bin + fit.
Needs Debian's python3-pandas and python3-xgboost. OMP_WAIT_POLICY=passive is set: otherwise
spinning threads make both boosters many times slower on a machine that has other work.
"""
import argparse, json, os, re, time

os.environ.setdefault("OMP_WAIT_POLICY", "passive")

import numpy as np
import pandas as pd


def clock(times, name, work):
    """Calls work and returns its result. Stores the seconds on the clock in times[name]."""
    start = time.perf_counter()
    result = work()
    times[name] = round(time.perf_counter() - start, 3)
    return result


def load(path, rows=None):
    return pd.read_csv(path, nrows=rows, na_values=[""], keep_default_na=False, low_memory=False)


def features(table, levels=None):
    """Returns the columns for the boosters: numbers, and categories in the order of levels. Without levels, the order is that of the table."""
    table = table.rename(columns=lambda name: re.sub(r"[^\w.-]", lambda found: "_%x_" % ord(found[0]), name))  # the boosters reject names with brackets
    out = table.copy()
    for name in table.columns:
        if name in levels if levels is not None else table[name].dtype == object:
            text = table[name].where(table[name].isna(), table[name].astype(str))
            out[name] = pd.Categorical(text, categories=levels[name] if levels else sorted(text.dropna().unique()))
    return out


def parameters(booster, classes, args):
    common = {"learning_rate": args.rate, "seed": args.seed}
    if booster == "lightgbm":
        goal = {"objective": "binary"} if classes == 2 else {"objective": "multiclass", "num_class": classes}
        return common | goal | {"num_leaves": args.leaves, "max_bin": args.bins - 1, "num_threads": args.threads, "verbosity": -1}
    goal = {"objective": "binary:logistic"} if classes == 2 else {"objective": "multi:softprob", "num_class": classes}
    shape = {"tree_method": "hist", "grow_policy": "lossguide", "max_leaves": args.leaves, "max_depth": 0, "max_bin": args.bins}
    return common | goal | shape | {"nthread": args.threads, "verbosity": 0}


def fit(table, args, times):
    """Trains on the labelled table; returns its labels and a function from a table to probabilities."""
    labels, y = np.unique(table.iloc[:, -1].astype(str), return_inverse=True)
    x, params = features(table.iloc[:, 1:-1]), parameters(args.booster, len(labels), args)
    cpu = time.process_time()
    if args.booster == "lightgbm":
        import lightgbm as booster
        data = clock(times, "bin", lambda: booster.Dataset(x, y, params=params).construct())
        wrap = lambda frame: frame
    else:
        import xgboost as booster
        wrap = lambda frame, target=None: booster.DMatrix(frame, target, enable_categorical=True, nthread=args.threads)
        data = clock(times, "bin", lambda: wrap(x, y))
    model = clock(times, "fit", lambda: booster.train(params, data, args.rounds))
    times["cpu"] = round(time.process_time() - cpu, 3)
    trees = args.rounds * (len(labels) if len(labels) > 2 else 1)
    times["rowFeatureTreesPerSecond"] = round(len(x) * x.shape[1] * trees / times["fit"])
    levels = {name: x[name].cat.categories for name in x if isinstance(x[name].dtype, pd.CategoricalDtype)}
    return labels, lambda blind: model.predict(wrap(features(blind, levels)))


def write(path, blind, labels, p):
    p = np.column_stack([1 - p, p]) if p.ndim == 1 else p
    out = blind.assign(prediction=labels[p.argmax(axis=1)], probability=p.max(axis=1))
    for i, label in enumerate(labels):
        out["probability_" + label] = p[:, i]
    out.to_csv(path, index=False)


def make(path, rows):
    """Writes a table whose label depends on products, a ring and thresholds of Gaussian columns, with noise."""
    draw = np.random.default_rng(rows)
    x = draw.standard_normal((rows, 28))
    score = np.hypot(x[:, 0], x[:, 1]) - 1.25 + x[:, 2] * x[:, 3] + (np.abs(x[:, 4] - x[:, 5]) > 1.3) + x[:, 6] + draw.logistic(size=rows)
    table = pd.DataFrame(x, columns=["f%02d" % i for i in range(28)])
    table.insert(0, "ID", np.arange(1, rows + 1))
    table["label"] = np.where(score > 0.5, "signal", "background")
    table.to_csv(path, index=False, float_format="%.5g")


def make_text(path, rows):
    """Writes a table of support tickets: codes and names with few to very many levels, a date, an amount and two sentences, some in quotes."""
    draw = np.random.default_rng(rows)
    words = np.array(["".join(draw.choice(list("etaoinshrdlucmfwyp"), size)) for size in draw.integers(2, 10, 20_000)])
    vocabulary = lambda size: words[np.minimum(draw.zipf(1.3, size) - 1, len(words) - 1)]
    def sentences(n, most):
        ends = np.cumsum(draw.integers(2, most, n))
        stream = vocabulary(ends[-1])
        return [" ".join(part) + (", " + part[0] if len(part) % 3 == 0 else "") for part in np.split(stream, ends[:-1])]
    mode = "w"
    for begin in range(0, rows, 100_000):
        n = min(100_000, rows - begin)
        day = np.datetime64("2024-01-01") + draw.integers(0, 900, n)
        table = pd.DataFrame({
            "ticket": [f"T-{i:09d}" for i in range(begin, begin + n)],
            "product": words[draw.integers(0, 12, n)], "region": words[draw.integers(20, 420, n)],
            "customer": [f"c{i:06d}" for i in draw.integers(0, 50_000, n)],
            "opened": np.datetime_as_string(day), "worth": [f"${x:,.2f}" for x in draw.lognormal(5, 1.5, n)],
            "subject": sentences(n, 8), "message": sentences(n, 30),
        })
        table["urgent"] = np.where((day.astype(int) % 7 > 4) ^ (draw.random(n) < 0.2), "yes", "no")
        table.to_csv(path, index=False, mode=mode, header=mode == "w")
        mode = "a"


def run(args, times):
    if args.command == "make":
        clock(times, "make", lambda: (make_text if args.text else make)(args.csv, args.rows))
        return args.rows
    if args.command == "read":
        table = clock(times, "read", lambda: load(args.csv))
        times["megabytesPerSecond"] = round(os.path.getsize(args.csv) / 1e6 / times["read"], 1)
        return len(table)
    table = clock(times, "readTrain", lambda: load(args.csv, args.rows))
    labels, predict = fit(table, args, times)
    if args.command == "train":
        return len(table)
    start = time.perf_counter()
    blind = clock(times, "read", lambda: load(args.blind))
    p = clock(times, "predict", lambda: predict(blind.iloc[:, 1:]))
    clock(times, "write", lambda: write(args.output, blind, labels, p))
    times["csvToCSV"] = round(time.perf_counter() - start, 3)
    return len(blind)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["make", "read", "train", "predict"])
    parser.add_argument("csv")
    parser.add_argument("blind", nargs="?", help="the rows to predict, for predict")
    parser.add_argument("-o", "--output", default=os.devnull)
    parser.add_argument("--booster", choices=["xgboost", "lightgbm"], default="xgboost")
    for name, value in (("rows", None), ("leaves", 31), ("rounds", 100), ("bins", 256), ("threads", os.cpu_count()), ("seed", 0), ("repeat", 1)):
        parser.add_argument("--" + name, type=int, default=value)
    parser.add_argument("--rate", type=float, default=0.1)
    parser.add_argument("--text", action="store_true", help="a CSV of texts, for make")
    args = parser.parse_args()
    if args.command == "predict" and not args.blind: parser.error("predict needs TRAIN and BLIND")
    if args.command == "make" and not args.rows: parser.error("make needs --rows")
    for _ in range(args.repeat):
        times = {}
        rows = run(args, times)
        print(json.dumps({"command": args.command, "rows": rows} | times), flush=True)


if __name__ == "__main__":
    main()
