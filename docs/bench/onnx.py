"""Compares the predictions of ONNX models with those of Foretell.

    npm install --ignore-scripts onnxruntime-node
    python3 docs/bench/onnx.py FORETELL DATASETS WORK [SET …]

FORETELL is the program. DATASETS has a folder with train.csv and blind.csv for each set. Each
set is trained with the default options, unless WORK has its model already. All rows of
blind.csv are predicted. Up to 1,000 of them are predicted a second time, after a fifth of their
cells was emptied and a tenth was replaced by an unknown text. The table has the largest difference between the
probabilities that ONNX Runtime and `foretell predict` print, which rounds to six digits, and
the number of rows with different labels. The environment variable ONNXRUNTIME names the module of another runtime.
"""

import csv
import os
import pathlib
import random
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
if len(sys.argv) < 4 or sys.argv[1].startswith("-"):
    sys.exit(__doc__)
foretell, datasets, work = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
os.environ["HOME"] = str(work.resolve())


def run(*command):
    return subprocess.run([str(part) for part in command], check=True, stdout=subprocess.PIPE, text=True).stdout


def read(path, delimiter=","):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file, delimiter=delimiter))


def write_blind(source, target):
    """Copies a blind file and adds rows with missing and unknown cells."""
    rows, draw = read(source), random.Random(1)
    for row in rows[1:1001]:
        cells = [draw.choices([cell, "", "never seen"], [7, 2, 1])[0] for cell in row[1:]]
        rows.append(["again-" + row[0], *cells])
    with open(target, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


print("| set | rows | model file | ONNX file | largest difference | other labels |")
print("|---|---:|---:|---:|---:|---:|")
for name in sys.argv[4:] or sorted(path.parent.name for path in datasets.glob("*/train.csv")):
    at = work / name
    model, program, graph, blind = at.with_suffix(".model"), at.with_suffix(".py"), at.with_suffix(".onnx"), work / (name + ".blind.csv")
    if not model.exists():
        run(foretell, "run", datasets / name / "train.csv", "--name", name, "--progress", "none", "-q")
        run(foretell, "models", "export", name + "@champion", "-o", model, "-q")
    run(foretell, "models", "export", name + "@champion", "--format", "python", "-o", program, "--force", "-q")
    run(foretell, "models", "export", name + "@champion", "--format", "onnx", "-o", graph, "--force", "-q")
    write_blind(datasets / name / "blind.csv", blind)
    result, features, predicted = work / (name + ".result.csv"), work / (name + ".features.csv"), work / (name + ".tsv")
    run(foretell, "predict", blind, "--model", model, "-o", result, "--force", "--no-receipt", "-q")
    run(sys.executable, program, blind, "--features", "-o", features)
    run("node", HERE / "onnx.js", graph, features, predicted)
    want, got = read(result), read(predicted, "\t")
    column, largest, other = want[0].index("prediction"), 0, 0
    assert len(want) == len(got) + 1, (len(want), len(got))
    for row, (label, *probabilities) in zip(want[1:], got):
        other += row[column] != label
        largest = max(largest, *(abs(float(p) - float(q)) for p, q in zip(row[column + 2:], probabilities, strict=True)))
    sizes = [f"{path.stat().st_size / 1e6:.1f} MB" for path in (model, graph)]
    print(f"| {name} | {len(got):,} | {sizes[0]} | {sizes[1]} | {largest * 1e6:.2f} · 10⁻⁶ | {other} |", flush=True)
