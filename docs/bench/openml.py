#!/usr/bin/env python3
"""Writes tables of numbers from openml-datasets, for cuts.py.

    git clone --depth 1 https://github.com/datasets/openml-datasets && python3 docs/bench/openml.py openml-datasets FOLDER [TABLE]…

Without TABLE, it writes the tables of the list below. The label is the last column of each table. Identifiers, and columns that follow from the label, are omitted. Needs only Python.
"""
import csv, os, sys

# by name: the numbers of the columns that are omitted
TABLES = {
    "MagicTelescope": [0],
    "cardiotocography": range(25, 35),
    "climate-model-simulation-crashes": [],
    "eeg-eye-state": [],
    "electricity": [],
    "jm1": [],
    "mfeat-morphological": [],
    "mfeat-zernike": [],
    "mozilla4": [0],
    "optdigits": [],
    "page-blocks": [],
    "pc1": [],
    "pc3": [],
    "pendigits": [],
    "satimage": [],
    "segment": [],
    "sick": [],
    "wall-robot-navigation": [],
    "waveform-5000": [],
    "wdbc": [],
}


def main():
    if len(sys.argv) < 3 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    source, folder, *names = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    for name in names or TABLES:
        omitted = TABLES.get(name, [])
        with open(os.path.join(source, "data", name, name + ".csv"), newline="") as file:
            header, *rows = [[cell for i, cell in enumerate(row) if i not in omitted] for row in csv.reader(file)]
        with open(os.path.join(folder, name + ".csv"), "w", newline="") as file:
            out = csv.writer(file, lineterminator="\n")
            out.writerow(header)
            out.writerows(["" if cell.strip("'") == "?" else cell.strip("'") for cell in row[:-1]] + ["is " + row[-1]] for row in rows)


main()
