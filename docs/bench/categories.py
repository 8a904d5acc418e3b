#!/usr/bin/env python3
"""Writes tables with several small categories, for cuts.py and metrics.py.

    git clone --depth 1 https://github.com/vincentarelbundock/Rdatasets && python3 docs/bench/categories.py Rdatasets FOLDER [ROWS]

With ROWS, at most this number of rows of each table is written, in random order. The label is the last column of each table, y. Identifiers, and columns that follow from the label, are omitted. Needs only Python.
"""
import csv, os, random, subprocess, sys

# by name: the file, the label, and the columns that are omitted
TABLES = {
    "arrests": ("carData/Arrests", "released", ""),
    "benefits": ("Ecdat/Benefits", "ui", "state"),
    "ces11": ("carData/CES11", "abortion", "id"),
    "chile": ("carData/Chile", "vote", ""),
    "hmda": ("AER/HMDA", "deny", ""),
    "insurance": ("AER/HealthInsurance", "insurance", ""),
    "males": ("Ecdat/Males", "union", "nr,wage"),
    "mathlevel": ("Ecdat/Mathlevel", "mathlevel", ""),
    "monica": ("DAAG/monica", "outcome", ""),
    "nasscds": ("DAAG/nassCDS", "dead", "weight,injSeverity,caseid"),
    "resumes": ("AER/ResumeNames", "call", "name"),
    "smokeban": ("AER/SmokeBan", "smoker", ""),
    "verbagg": ("lme4/VerbAgg", "resp", "id,r2"),
    "wvs": ("carData/WVS", "poverty", ""),
}


def main():
    if len(sys.argv) < 3 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    source, folder, *limit = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    for name, (path, label, omitted) in TABLES.items():
        text = subprocess.run(["git", "-C", source, "show", "HEAD:csv/%s.csv" % path], check=True, capture_output=True, text=True).stdout
        rows = list(csv.DictReader(text.splitlines()))
        columns = [column for column in rows[0] if column not in {"rownames", label, *omitted.split(",")}]
        with open(os.path.join(folder, name + ".csv"), "w", newline="") as file:
            out = csv.writer(file, lineterminator="\n")
            out.writerow(columns + ["y"])
            known = [row for row in rows if row[label] not in ("", "NA")]
            if limit:
                random.Random(1).shuffle(known)
                known = known[: int(limit[0])]
            out.writerows([row[column] if row[column] != "NA" else "" for column in columns] + ["is " + row[label]] for row in known)


main()
