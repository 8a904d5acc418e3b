#!/usr/bin/env python3
"""Writes small public data sets for cuts.py, to measure changes of the engine for small tables.

    git clone --depth 1 https://github.com/jbrownlee/Datasets
    python3 docs/bench/small.py Datasets FOLDER
    python3 docs/bench/cuts.py FOLDER ./old ./new --seeds 2 --percent 30

Each is a CSV in FOLDER with a header and the label last. Needs scikit-learn, and R with the package mlbench
(Debian: python3-sklearn, python3-pandas, r-cran-mlbench).
"""
import csv, os, subprocess, sys, zipfile

from sklearn import datasets

R = """
library(mlbench)
w <- function(d, n) write.csv(d, paste0(n, ".csv"), row.names=FALSE, na="")
data(Sonar); w(Sonar, "sonar"); data(Glass); w(Glass, "glass"); data(Ionosphere); w(Ionosphere, "ionosphere")
data(PimaIndiansDiabetes); w(PimaIndiansDiabetes, "pima"); data(Vowel); w(Vowel[, c(2:10, 11)], "vowel")
data(Satellite); set.seed(1); w(Satellite[sample(nrow(Satellite), 1500), ], "satellite")
set.seed(2)
s <- function(z, n) w(data.frame(z$x, y=paste0("c", z$classes)), n)
s(mlbench.waveform(800), "waveform"); s(mlbench.twonorm(500, 20), "twonorm")
s(mlbench.ringnorm(500, 20), "ringnorm"); s(mlbench.threenorm(600, 10), "threenorm")
"""


def write(folder, name, header, rows):
    with open(os.path.join(folder, name + ".csv"), "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(header)
        out.writerows(rows)


def arff(source, archive, member):
    """Returns the names and rows of an ARFF file. A missing cell is empty."""
    with zipfile.ZipFile(os.path.join(source, archive)) as file:
        lines = file.read(member).decode("latin-1").splitlines()
    names = [line.split()[1].strip("'\"") for line in lines if line.lower().startswith("@attribute")]
    begin = next(i for i, line in enumerate(lines) if line.lower().startswith("@data")) + 1
    rows = [line.split(",") for line in lines[begin:] if line.strip() and not line.startswith("%")]
    return names, [["" if cell.strip() == "?" else cell.strip() for cell in row] for row in rows]


def main():
    if len(sys.argv) < 3 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    source, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    subprocess.run(["Rscript", "-e", R], cwd=folder, check=True)
    for name in ("wine", "breast_cancer", "digits"):
        table = getattr(datasets, "load_" + name)(as_frame=True)
        frame = table.data.copy()
        frame["y"] = ["c%d" % i for i in table.target]
        if name == "digits":
            frame = frame.sample(900, random_state=1)
        frame.to_csv(os.path.join(folder, name + ".csv"), index=False)
    with open(os.path.join(source, "wheat-seeds.csv"), newline="") as file:
        rows = [row[:-1] + ["c" + row[-1].strip()] for row in csv.reader(file) if row]
    write(folder, "seeds", ["x%d" % i for i in range(len(rows[0]) - 1)] + ["y"], rows)
    names, rows = arff(source, "weka-datasets.zip", "data/segment-test.arff")
    write(folder, "segment", names[:-1] + ["y"], rows)
    names, rows = arff(source, "weka-datasets-numeric.zip", "numeric/cleveland.arff")
    write(folder, "cleveland", names[:-1] + ["y"], [row[:-1] + ["no" if float(row[-1]) == 0 else "yes"] for row in rows])


main()
