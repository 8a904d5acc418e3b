"""Kills processes of a team service at random while clients work, then checks that nothing is lost.

    python3 docs/bench/kills.py ./foretell FOLDER [KILLS] [SEED] [OUTAGE]

Starts PostgreSQL, versitygw (in PATH), two services and two workers in FOLDER. Clients create datasets,
upload, train and predict until the end. Meanwhile the script kills one process at a time with SIGKILL and
starts it again. With OUTAGE, it instead stops PostgreSQL and then the S3 server for OUTAGE seconds each.
At the end it checks that the service still has everything that it accepted with a 2xx: each dataset with its bytes,
one model for each race, and equal predictions of all models. Every stored file must belong to a row of the database, unless a
process was killed between storing the two.
"""

import glob
import hashlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

if len(sys.argv) < 3 or sys.argv[1].startswith("-"):
    sys.exit(__doc__)
binary, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
kills = int(sys.argv[3]) if len(sys.argv) > 3 else 200
chance = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
outage = float(sys.argv[5]) if len(sys.argv) > 5 else 0
BASE = 19000 + chance.randrange(500) * 8
POSTGRES, S3, SERVICES = BASE, BASE + 1, [BASE + 2, BASE + 3]
programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
environment = dict(
    os.environ,
    FORETELL_DATABASE=f"postgres://foretell@127.0.0.1:{POSTGRES}/postgres?sslmode=disable",
    FORETELL_STORAGE=f"s3://foretell/kills?endpoint=http://127.0.0.1:{S3}",
    AWS_ACCESS_KEY_ID="foretell",
    AWS_SECRET_ACCESS_KEY="foretell-kills",
    ROOT_ACCESS_KEY="foretell",
    ROOT_SECRET_KEY="foretell-kills",
)


def postgres_user():
    if os.getuid() == 0:
        import pwd

        user = pwd.getpwnam("postgres")
        os.setgid(user.pw_gid)
        os.setuid(user.pw_uid)


def commands():
    yield "postgres", [f"{programs}/postgres", "-D", f"{folder}/postgres", "-p", str(POSTGRES), "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "max_connections=200"], postgres_user
    yield "s3", ["versitygw", "--quiet", "--port", f"127.0.0.1:{S3}", "posix", "--sidecar", f"{folder}/metadata", f"{folder}/objects"], None
    for port in SERVICES:
        yield f"serve{port}", [binary, "serve", "--no-work", "--listen", f"127.0.0.1:{port}", "--data-dir", f"{folder}/serve{port}"], None
    for n in (1, 2):
        yield f"worker{n}", [binary, "worker", "--data-dir", f"{folder}/worker{n}"], None


processes = {}


def start(name):
    command, before = next((c, b) for n, c, b in commands() if n == name)
    with open(f"{folder}/{name}.log", "ab") as log:
        processes[name] = subprocess.Popen(command, stdout=log, stderr=log, env=environment, preexec_fn=before, start_new_session=True)


def stop_all():
    for process in reversed(list(processes.values())):
        if process.poll() is None:
            process.terminate()
            process.wait(30)


class Refused(Exception):
    """The service responded with a status 4xx, so the client must not repeat the request."""


lost_connections = [0]


def call(method, path, body=None, content="application/json", token=None, deadline=180, raw=False):
    """Repeats a request until a service responds, as the client does. Returns (status, body)."""
    end = time.time() + deadline
    while True:
        port = chance_of_thread().choice(SERVICES)
        url = path if path.startswith("http") else f"http://127.0.0.1:{port}{path}"
        request = urllib.request.Request(url, method=method, data=body)
        if body is not None:
            request.add_header("Content-Type", content)
        if token:
            request.add_header("Authorization", "Bearer " + token)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                data = answer.read()
                return answer.status, data if raw else json.loads(data or b"null")
        except urllib.error.HTTPError as error:
            if error.code < 500:
                raise Refused(error.code, error.read().decode()[:300]) from None
            if error.code == 503 and "Retry-After" not in error.headers:
                raise AssertionError(f"503 without Retry-After: {path}") from None
            if error.code == 500:
                raise AssertionError(f"500: {method} {path}: {error.read().decode()[:300]}") from None
        except (OSError, ValueError, EOFError) as error:
            lost_connections[0] += 1
            if isinstance(error, AssertionError):
                raise
        except Exception as error:  # http.client's own errors
            lost_connections[0] += 1
            if not type(error).__module__.startswith("http"):
                raise
        if time.time() > end:
            raise AssertionError(f"no answer for {deadline} s: {method} {path}")
        time.sleep(0.2)


threads = threading.local()


def chance_of_thread():
    if not hasattr(threads, "chance"):
        threads.chance = random.Random(threading.get_ident())
    return threads.chance


def form(data):
    boundary = "foretell-kills"
    return (
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\n'.encode() + data + f"\r\n--{boundary}--\r\n".encode(),
        f"multipart/form-data; boundary={boundary}",
    )


def table(rows, blind):
    values = random.Random(7)
    lines = ["ID,a,b,c" + ("" if blind else ",label")]
    for i in range(rows):
        a, b, c = (values.gauss(0, 1) for _ in range(3))
        lines.append(f"r{i},{a:.3f},{b:.3f},{c:.3f}" + ("" if blind else ",yes" if a + b * c > 0 else ",no"))
    return ("\n".join(lines) + "\n").encode()


TRAIN, BLIND = table(300, False), table(60, True)
accepted = {"dataset": {}, "training": {}, "prediction": {}}
problems = []
finish = threading.Event()


def once(method, path, body, content, token, what):
    """Sends a request that creates an object. If the connection is lost, it is unknown whether the object exists, so another one is created."""
    status, answer = call(method, path, body, content, token)
    assert status in (200, 201, 202), (status, answer)
    return answer


def client(number, token):
    turn = 0
    while not finish.is_set():
        turn += 1
        try:
            name = f"d{number}-{turn}-{chance_of_thread().randrange(10**9)}"
            body = json.dumps({"datasetName": name}).encode()
            try:
                dataset = once("POST", "/api/v1/datasets", body, "application/json", token, "dataset")["datasetKey"]
            except Refused as refused:
                if refused.args[0] == 409:  # the service processed the first request, but the response was lost
                    continue
                raise
            try:
                call("POST", f"/api/v1/datasets/{dataset}/data", *form(TRAIN), token)
            except Refused as refused:
                if refused.args[0] != 409:  # the upload succeeded, but the response was lost
                    raise
            accepted["dataset"][dataset] = hashlib.sha256(TRAIN).hexdigest()
            wait(f"/api/v1/datasets/{dataset}", token, ("COMPLETED",), ("FAILED",))
            body = json.dumps({"scalingFactor": 0, "performanceThreshold": None, "algorithms": ["BSIX01"], "seed": 1, "timeLimitSeconds": 600}).encode()
            race = once("POST", f"/api/v1/training/datasets/{dataset}", body, "application/json", token, "training")["trainingJobKey"]
            accepted["training"][race] = dataset
            ended = wait(f"/api/v1/training/{race}", token, ("COMPLETED",), ("FAILED", "NOT_COMPLETED", "TIMED_OUT", "CANCELLED"))
            prediction = once("POST", f"/api/v1/predictions/models/{ended['modelKey']}", *form(BLIND), token, "prediction")["predictionKey"]
            accepted["prediction"][prediction] = race
            wait(f"/api/v1/predictions/{prediction}", token, ("COMPLETED",), ("FAILED", "TIMEOUT"))
        except Exception as error:
            problems.append(f"client {number}: {type(error).__name__} {error}")


def wait(path, token, good, bad, deadline=300):
    end = time.time() + deadline
    while True:
        _, answer = call("GET", path, token=token)
        if answer["status"] in good:
            return answer
        if answer["status"] in bad or time.time() > end:
            raise AssertionError(f"{path}: {answer}")
        time.sleep(0.1)


def setup():
    os.makedirs(f"{folder}/objects/foretell", exist_ok=True)
    os.makedirs(f"{folder}/metadata", exist_ok=True)
    os.makedirs(f"{folder}/postgres", exist_ok=True)
    os.chmod(folder, 0o711)
    if os.getuid() == 0:
        import shutil

        shutil.chown(f"{folder}/postgres", "postgres")
    subprocess.run([f"{programs}/initdb", "--pgdata", f"{folder}/postgres", "--username", "foretell", "--auth", "trust", "--encoding", "UTF8", "--locale", "C.UTF-8"], check=True, preexec_fn=postgres_user, stdout=subprocess.DEVNULL)
    start("postgres")
    start("s3")
    for _ in range(50):
        if subprocess.run([binary, "migrate", "--data-dir", f"{folder}/serve{SERVICES[0]}"], env=environment, capture_output=True).returncode == 0:
            break
        time.sleep(0.2)
    for email in ("ada@example.org", "bob@example.org"):
        subprocess.run([binary, "users", "add", email, "--password-stdin", "--data-dir", f"{folder}/serve{SERVICES[0]}"], env=environment, input=b"correct-horse-9\n", check=True, capture_output=True)
    for name, _, _ in commands():
        if name not in processes:
            start(name)


def log_in(email):
    return call("POST", "/api/login", json.dumps({"username": email, "password": "correct-horse-9"}).encode())[1]


def disturb():
    names = list(processes)
    if outage:
        for name in ("postgres", "s3"):
            time.sleep(5)
            print(f"{name} is gone for {outage:.0f} s", flush=True)
            processes[name].send_signal(signal.SIGSTOP if chance.random() < 0.5 else signal.SIGINT)
            time.sleep(outage)
            processes[name].send_signal(signal.SIGCONT)
            time.sleep(1)
            if processes[name].poll() is not None:
                start(name)
            time.sleep(15)
        return
    for n in range(kills):
        time.sleep(chance.uniform(0.3, 3))
        name = chance.choice(names)
        try:
            if name == "postgres":
                os.killpg(processes[name].pid, signal.SIGKILL)
            processes[name].kill()
        except ProcessLookupError:
            pass
        processes[name].wait()
        time.sleep(chance.uniform(0, 1.5))
        revive()
        if n % 20 == 19:
            print(f"{n + 1} kills, {len(accepted['prediction'])} predictions, {lost_connections[0]} lost connections, {len(problems)} problems", flush=True)


def revive():
    """Starts the processes that are not running. A service that was started while its database was down has ended with an error."""
    for name, process in list(processes.items()):
        if process.poll() is not None:
            start(name)


def listed(path, token):
    """Returns the items of a page. The list of datasets is encoded as a string of JSON."""
    page = call("GET", path, token=token)[1]
    items = next(page[name] for name in ("datasets", "trainingJobs", "models", "predictions") if name in page)
    return json.loads(items) if isinstance(items, str) else items


def clean_up():
    """Waits until the killed processes count as dead, and restarts the services, which then remove the incomplete files of these processes."""
    time.sleep(12)
    for name in [name for name in processes if name.startswith("serve")]:
        processes[name].terminate()
        processes[name].wait(30)
        start(name)
    call("GET", "/readyz", raw=True)
    time.sleep(5)


def check(tokens):
    """Checks that the service has what it accepted. Returns the number of resources of each kind, and the number of resources with a file."""
    everything = {"datasets": [], "training": [], "models": [], "predictions": []}
    for token in tokens:
        datasets = listed("/api/v1/datasets?offset=0&limit=1000", token)
        everything["datasets"] += datasets
        everything["training"] += listed("/api/v1/training?offset=0&limit=1000&parentOnly=true", token)
        for dataset in datasets:
            everything["models"] += listed(f"/api/v1/models/datasets/{dataset['datasetKey']}?offset=0&limit=1000", token)
            everything["predictions"] += [{**p, "token": token} for p in listed(f"/api/v1/predictions/datasets/{dataset['datasetKey']}?offset=0&limit=1000", token)]
    found = {d["datasetKey"]: d for d in everything["datasets"]}
    for key in accepted["dataset"]:
        if found.get(key, {}).get("status") != "COMPLETED":
            problems.append(f"dataset {key}: {found.get(key)}")
    races = {t["trainingJobKey"]: t for t in everything["training"]}
    for key in accepted["training"]:
        if races.get(key, {}).get("status") != "COMPLETED" or not races[key].get("modelKey"):
            problems.append(f"training {key}: {races.get(key)}")
    if len(everything["models"]) != len([t for t in races.values() if t.get("modelKey")]):
        problems.append(f"{len(everything['models'])} models of {len(races)} races")
    first = None
    for prediction in everything["predictions"]:
        if prediction["status"] != "COMPLETED":
            problems.append(f"prediction: {prediction}")
            continue
        prediction = call("GET", f"/api/v1/predictions/{prediction['predictionKey']}", token=prediction["token"])[1]
        result = call("GET", prediction["predictionResultUrl"], raw=True)[1]
        first = first or result
        if result != first:
            problems.append(f"prediction {prediction['predictionKey']} differs from the first one")
    lost = accepted["prediction"].keys() - {p["predictionKey"] for p in everything["predictions"]}
    if lost:
        problems.append(f"lost predictions: {sorted(lost)}")
    uploaded = [dataset for dataset in everything["datasets"] if dataset["status"] == "COMPLETED"]
    return {kind: len(items) for kind, items in everything.items()}, len(uploaded) + len(everything["models"]) + len(everything["predictions"])


def main():
    os.makedirs(folder)
    setup()
    try:
        tokens = [log_in(email)["access_token"] for email in ("ada@example.org", "bob@example.org")]
        clients = [threading.Thread(target=client, args=(n, tokens[n % 2]), daemon=True) for n in range(4)]
        for thread in clients:
            thread.start()
        disturb()
        for _ in range(10):
            revive()
            time.sleep(1)
        finish.set()
        for thread in clients:
            thread.join(300)
        accepted_counts = {kind: len(keys) for kind, keys in accepted.items()}
        there, files = check(tokens)
        clean_up()
        doctor = subprocess.run([binary, "doctor", "--files", "--json", "--data-dir", f"{folder}/serve{SERVICES[0]}"], env=environment, capture_output=True, text=True)
        print("accepted", accepted_counts, "there", there, "lost connections", lost_connections[0])
        checked = next(c for c in json.loads(doctor.stdout) if c["check"] == "files")
        objects = len([name for name in os.listdir(f"{folder}/objects/foretell/kills") if name != "folder.id" and name != "orphans"])
        print("doctor --files:", checked["verdict"], checked["message"], "objects in the store:", objects)
        # A process that is killed after it has stored a file and before it has stored the row leaves an orphan,
        # which is kept for 30 days.
        counts = [int(number) for number in re.findall(r"(\d+) (?:orphaned )?files?\b", checked["message"])]
        if "contents match" not in checked["message"] or counts[0] != files or sum(counts) != objects:
            problems.append(f"{files} files should be in {objects} objects, but doctor says: {checked}")
    finally:
        stop_all()
    for problem in problems:
        print("PROBLEM", problem)
    sys.exit(bool(problems))


main()
