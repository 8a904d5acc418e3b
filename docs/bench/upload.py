"""Uploads a CSV to a service, in turns with `curl -T` and with `foretell`, and compares the speeds.

    foretell serve &
    FORETELL_SERVER=http://127.0.0.1:8080 FORETELL_TOKEN=... python3 docs/bench/upload.py ./foretell TRAIN [TURNS]

For each turn it prints the MB/s of both transfers, their ratio, and the times and the memory of
the whole `foretell` command, which checks the file and then transfers it.
"""

import json
import os
import re
import subprocess
import sys
import time
import urllib.request

if len(sys.argv) < 3 or sys.argv[1].startswith("-"):
    sys.exit(__doc__)
binary, path = sys.argv[1:3]
turns = int(sys.argv[3]) if len(sys.argv) > 3 else 3
base, token = os.environ["FORETELL_SERVER"], os.environ["FORETELL_TOKEN"]
size = os.path.getsize(path)


def call(method, where, body=None):
    request = urllib.request.Request(base + where, method=method, data=body and json.dumps(body).encode())
    request.add_header("Authorization", "Bearer " + token)
    request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request) as answer:
        text = answer.read()
        return json.loads(text) if text else None


def remove(key):
    """Waits until the service has prepared a dataset, which would slow the next transfer, and deletes the dataset."""
    while call("GET", "/api/v1/datasets/" + key)["status"] == "PROCESSING":
        time.sleep(0.2)
    call("DELETE", "/api/v1/datasets/" + key)


def curl(name):
    created = call("POST", "/api/v1/datasets", {"datasetName": name})
    info = created["datasetUploadInfo"]
    headers = ["Authorization: Bearer " + token, "Content-Type: text/csv", *info["extraHeaders"].splitlines()]
    options = [part for header in headers if header for part in ("-H", header)]
    done = subprocess.run(
        ["curl", "-sSf", "--noproxy", "*", "-T", path, *options, "-o", os.devnull, "-w", "%{time_total}", info["uploadUrl"]],
        check=True, capture_output=True, text=True,
    )
    remove(created["datasetKey"])
    return size / 1e6 / float(done.stdout)


def client(name):
    trace = name + ".debug"
    done = subprocess.run(
        ["/usr/bin/time", "-f", "%e %M", binary, "datasets", "create", name, path, "--no-wait", "-q", "--debug=" + trace],
        check=True, capture_output=True, text=True,
    )
    with open(trace) as file:
        put = file.read().split("> PUT ")[1]
    os.remove(trace)
    number, unit = re.search(r"OK in ([0-9.]+)(m?s)", put).groups()
    remove(done.stdout.strip())
    seconds, memory = done.stderr.split()[-2:]
    return size / 1e6 / (float(number) / (1000 if unit == "ms" else 1)), float(seconds), int(memory) * 1024 / 1e6


for turn in range(turns):
    name = f"bench-{int(time.time())}-{turn}"
    theirs = curl(name)
    ours, seconds, memory = client(name)
    print(f"curl {theirs:.0f} MB/s, foretell {ours:.0f} MB/s: {ours / theirs:.2f}; with its check {seconds:.1f} s, {memory:.0f} MB of memory", flush=True)
