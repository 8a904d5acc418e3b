#!/usr/bin/env python3
"""Prints the processor time of `foretell run` until four events: the upload begins, the race begins, there is a first score, and
there is a usable model.

    python3 docs/bench/first.py ./foretell FILE… [-- OPTIONS OF run]

A model is usable if its error on the validation rows is at most 1.1 times the lowest error of any step in the race. With two idle
cores, the time on the clock is between half of the processor time and all of it. Scores arrive with a delay, so the processor
time is an upper bound. Needs Linux.
"""
import json
import os
import subprocess
import sys
import tempfile
import time


def cpu(pid):
    fields = open("/proc/%d/stat" % pid).read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def run(program, path, options):
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        process = subprocess.Popen([program, "run", path, "--data-dir", folder + "/data", "--seed", "1", "--progress", "json", *options],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=folder)
        first, scores = {}, []
        for line in process.stderr:
            event = json.loads(line) if line.startswith("{") else {}
            name = event.get("event", "")
            if name and name not in first:
                first[name] = cpu(process.pid), time.perf_counter() - began
            if name == "score":
                scores.append((event["performance"], cpu(process.pid), time.perf_counter() - began))
        process.wait()
    most = 1 - 1.1 * (1 - max(score for score, _, _ in scores))
    first["usable"] = next((used, clock) for score, used, clock in scores if score >= most)
    print(path, " ".join(options), "exit", process.returncode)
    for name, text in (("transfer", "checked"), ("race", "race begins"), ("score", "first score"), ("usable", "usable model")):
        print("    %-13s %6.2f s of CPU, %6.2f s" % (text, *first[name]))
    print(flush=True)


if len(sys.argv) < 3 or sys.argv[1].startswith("-"):
    sys.exit(__doc__)
arguments, options = sys.argv[1:], []
if "--" in arguments:
    at = arguments.index("--")
    arguments, options = arguments[:at], arguments[at + 1:]
for path in arguments[1:]:
    run(os.path.abspath(arguments[0]), os.path.abspath(path), options)
