#!/usr/bin/env python3
"""Blind error, log loss and time of `foretell run` on every set of a directory.

measure.py FORETELL DIR [flags of run], such as: measure.py ./foretell /tmp/clean --metric rocAuc
"""
import csv, json, math, os, resource, subprocess, sys, tempfile, time

foretell, folder, flags = sys.argv[1], sys.argv[2], sys.argv[3:]
print("| set | winner | blind error | log loss | seconds | CPU seconds |\n|---|---|---|---|---|---|")
for name in sorted(os.listdir(folder)):
    with tempfile.TemporaryDirectory() as home:
        at = os.path.join(folder, name)
        out = os.path.join(home, "out.csv")
        env = dict(os.environ, FORETELL_DATA_DIR=home + "/data", FORETELL_CONFIG_DIR=home + "/config", FORETELL_PROGRESS="none")
        began, before = time.time(), resource.getrusage(resource.RUSAGE_CHILDREN)
        run = subprocess.run(
            [foretell, "run", at + "/train.csv", "--blind", at + "/blind.csv", "-o", out, "--json", *flags],
            env=env, check=True, capture_output=True,
        )
        took, after = time.time() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        answers = dict(list(csv.reader(open(at + "/answers.csv")))[1:])
        rows = list(csv.DictReader(open(out)))
        wrong = sum(r["prediction"] != answers[r["ID"]] for r in rows) / len(rows)
        loss = -sum(math.log(max(float(r["probability_" + answers[r["ID"]]]), 1e-15)) for r in rows) / len(rows)
        print(f"| {name} | {json.loads(run.stdout)['algorithm']} | {wrong:.4f} | {loss:.4f} | {took:.1f} | {cpu:.1f} |", flush=True)
