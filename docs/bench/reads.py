"""Measures how many reads a second a service serves, and how long a read takes.

    python3 docs/bench/reads.py ./foretell FOLDER [postgres://USER@HOST/DATABASE?…]

Starts a service without jobs and without a limit of requests in FOLDER, on SQLite or on an empty PostgreSQL database, and
creates DATASETS (10000) datasets. Then 64 clients of wrk (apt install wrk), which run on the
same cores, read random datasets for SECONDS (15), and then pages of 20 datasets for the same
time. The processor time is that of the service, without the clients and PostgreSQL (Linux only).
"""

import http.client
import json
import os
import re
import subprocess
import sys
import time
import urllib.request

if len(sys.argv) < 3 or sys.argv[1].startswith("-"):
    sys.exit(__doc__)
binary, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
datasets = int(os.environ.get("DATASETS", 10000))
seconds = int(os.environ.get("SECONDS", 15))
PORT, PASSWORD = 19890, "a long password"
environment = {k: v for k, v in os.environ.items() if not k.startswith("FORETELL_")}
environment["FORETELL_DATA_DIR"] = folder
if len(sys.argv) > 3:
    environment["FORETELL_DATABASE"] = sys.argv[3]


def run(*args, **kw):
    return subprocess.run([binary, *args], env=environment, check=True, text=True, **kw)


def processor_time():
    """Returns the processor time of the service in seconds."""
    with open(f"/proc/{service.pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


service = subprocess.Popen([binary, "serve", "--no-work", "--requests-per-second", "0", "--listen", f"127.0.0.1:{PORT}", "-q"], env=environment)
try:
    for _ in range(100):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{PORT}/readyz").close()
            break
        except OSError:
            time.sleep(0.1)
    run("users", "add", "reads@example.com", "--password-stdin", input=PASSWORD + "\n", stdout=subprocess.DEVNULL)
    connection = http.client.HTTPConnection("127.0.0.1", PORT)

    def post(path, body, token=None):
        headers = {"Content-Type": "application/json"}
        if token:
            headers["Authorization"] = "Bearer " + token
        connection.request("POST", path, json.dumps(body), headers)
        answer = connection.getresponse()
        text = answer.read()
        assert answer.status < 300, text
        return json.loads(text)

    token = post("/api/login", {"username": "reads@example.com", "password": PASSWORD})["access_token"]
    began = time.time()
    keys = [post("/api/v1/datasets", {"datasetName": f"set {n}"}, token)["datasetKey"] for n in range(datasets)]
    print(f"created {datasets} datasets, {datasets / (time.time() - began):.0f} a second with one client", flush=True)
    script = os.path.join(folder, "reads.lua")
    with open(script, "w") as file:
        listed = ",".join(f'"{key}"' for key in keys)
        file.write(
            f'local keys = {{{listed}}}\nwrk.headers["Authorization"] = "Bearer {token}"\n'
            "function request() return wrk.format(nil, (string.gsub(wrk.path, 'KEY', keys[math.random(#keys)]))) end\n"
        )
    for name, path in [("a dataset", "/api/v1/datasets/KEY"), ("a page of 20", "/api/v1/datasets?offset=0&limit=20")]:
        command = ["wrk", "-t1", "-c64", f"-d{seconds}s", "--latency", "-s", script, f"http://127.0.0.1:{PORT}{path}"]
        used = processor_time()
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        used = (processor_time() - used) * 1e6 / int(re.search(r"(\d+) requests in", text)[1])
        assert "Non-2xx" not in text, text
        figures = dict(re.findall(r"(50%|99%|Requests/sec:) +(\S+)", text))
        print(f"{name}: {figures['Requests/sec:']} a second, median {figures['50%']}, p99 {figures['99%']}, {used:.0f} µs of processor time", flush=True)
finally:
    service.terminate()
    service.wait()
