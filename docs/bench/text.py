#!/usr/bin/env python3
"""Compares `foretell run` with scikit-learn and XGBoost on tables that have a column of text.

    python3 docs/bench/text.py make SOURCES FOLDER
    python3 docs/bench/text.py compare FOLDER [--only NAMES] [--peers NAMES] [PROGRAM...]

`make` writes one CSV per table into FOLDER, with a header and the label last:

    packages   the descriptions of Debian packages, the label is the section (apt-cache dumpavail)
    roles      the same with the installed size and the number of dependencies, the label is the role:: tag
    sms        the SMS Spam Collection (Almeida et al. 2011)
    movies     sentences of film reviews (Pang & Lee 2005)
    airlines   tweets about airlines with the name of the airline, the label is the mood
    banking    questions of a bank's customers, 77 classes (Casanueva et al. 2020)
    news       articles of the BBC (Greene & Cunningham 2006)

SOURCES has SMSSpamCollection, rt-polarity.pos and .neg, Tweets.csv, banking77.csv (the training file) and bbc-text.csv, which
many public repositories have. A table whose source is missing is left out.

`compare` sets a quarter of the rows of each class aside, and trains on the other rows. It prints the error and the log loss on the
rows set aside, and the processor seconds, of LogisticRegression on TfidfVectorizer, of XGBoost on TfidfVectorizer, and of each
PROGRAM, such as "./foretell" or "FT_X=1 ./foretell --effort fast". The first two also get the other columns, and have their default
options. Needs scikit-learn, XGBoost and pandas, unless --peers is empty.
"""
import argparse, csv, math, os, random, re, resource, subprocess, sys, tempfile

TEXTS = {"packages": "description", "roles": "description", "sms": "message", "movies": "sentence", "airlines": "tweet", "banking": "question", "news": "article"}


def write(folder, name, header, rows, least=50, limit=8000):
    """Writes the rows of the classes that have at least `least` rows, but not more than limit rows."""
    random.Random(7).shuffle(rows)
    counts = {}
    for row in rows:
        counts[row[-1]] = counts.get(row[-1], 0) + 1
    rows = [row for row in rows if counts[row[-1]] >= least][:limit]
    with open(os.path.join(folder, name + ".csv"), "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(header)
        out.writerows(rows)
    print("%s: %d rows, %d classes" % (name, len(rows), len({row[-1] for row in rows})))


def packages():
    """Returns the fields of each Debian package."""
    text = subprocess.run(["apt-cache", "dumpavail"], capture_output=True, text=True, check=True).stdout
    for stanza in text.split("\n\n"):
        fields = {}
        for line in stanza.split("\n"):
            name, colon, value = line.partition(": ")
            if colon and not line.startswith(" "):
                fields[name] = value
        if "Description" in fields:
            yield fields


def make(sources, folder):
    def source(name, **options):
        path = os.path.join(sources, name)
        return open(path, encoding="utf-8", errors="replace", newline="", **options) if os.path.exists(path) else None

    os.makedirs(folder, exist_ok=True)
    known = {}
    for p in packages():
        known.setdefault(p["Description"], p)
    write(folder, "packages", ["description", "section"], [[d, p["Section"].split("/")[-1]] for d, p in known.items() if "Section" in p], least=300)
    roles = []
    for d, p in known.items():
        role = re.search(r"role::([a-z-]+)", p.get("Tag", ""))
        if role:
            roles.append([d, p.get("Installed-Size", ""), p.get("Depends", "").count(",") + 1 if "Depends" in p else 0, role.group(1)])
    write(folder, "roles", ["description", "size", "dependencies", "role"], roles)
    if file := source("SMSSpamCollection"):
        write(folder, "sms", ["message", "kind"], [line.rstrip("\n").split("\t")[::-1] for line in file if "\t" in line])
    if file := source("rt-polarity.pos"):
        rows = [[line.strip(), "good"] for line in file] + [[line.strip(), "bad"] for line in source("rt-polarity.neg")]
        write(folder, "movies", ["sentence", "mood"], rows)
    if file := source("Tweets.csv"):
        rows = [[r["text"], r["airline"], r["airline_sentiment"]] for r in csv.DictReader(file)]
        write(folder, "airlines", ["tweet", "airline", "mood"], rows)
    if file := source("banking77.csv"):
        write(folder, "banking", ["question", "intent"], [[r["text"], r["category"]] for r in csv.DictReader(file)], least=30)
    if file := source("bbc-text.csv"):
        write(folder, "news", ["article", "topic"], [[r["text"], r["category"]] for r in csv.DictReader(file)])


def divide(path, seed=1):
    """Returns the header, the rows to train on and the rows to predict."""
    with open(path, newline="") as file:
        header, *rows = list(csv.reader(file))
    random.Random(seed).shuffle(rows)
    by_class = {}
    for row in rows:
        by_class.setdefault(row[-1], []).append(row)
    blind, train = [], []
    for name in sorted(by_class):
        blind += by_class[name][: len(by_class[name]) // 4]
        train += by_class[name][len(by_class[name]) // 4 :]
    random.Random(seed).shuffle(train)
    random.Random(seed).shuffle(blind)
    return header, train, blind


def peers(name, header, train, blind, titles):
    """Returns the error, the log loss and the processor seconds of each peer."""
    import numpy, pandas, scipy.sparse, xgboost
    from sklearn.compose import ColumnTransformer
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import log_loss
    from sklearn.preprocessing import LabelEncoder, OneHotEncoder, StandardScaler

    labels = LabelEncoder().fit([row[-1] for row in train])
    y, truth = labels.transform([row[-1] for row in train]), labels.transform([row[-1] for row in blind])
    frames = [pandas.DataFrame([row[:-1] for row in rows], columns=header[:-1]) for rows in (train, blind)]
    parts = [("text", TfidfVectorizer(), TEXTS[name])]
    for column in header[:-1]:
        if column == TEXTS[name]:
            continue
        try:
            for frame in frames:
                frame[column] = numpy.log1p(frame[column].astype(float).fillna(0))
            parts.append((column, StandardScaler(), [column]))
        except ValueError:
            parts.append((column, OneHotEncoder(handle_unknown="ignore"), [column]))
    encoder = ColumnTransformer(parts).fit(frames[0])
    x, blind_x = [scipy.sparse.csr_matrix(encoder.transform(frame)) for frame in frames]
    for title, model in ("logistic", LogisticRegression(max_iter=1000)), ("xgboost", xgboost.XGBClassifier(n_jobs=2)):
        if title not in titles:
            continue
        before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
        p = model.fit(x, y).predict_proba(blind_x)
        seconds = resource.getrusage(resource.RUSAGE_SELF).ru_utime - before
        print("%-10s %-40s error %.4f log loss %.4f, %.1f s" % (name, title, (p.argmax(1) != truth).mean(), log_loss(truth, p, labels=range(len(labels.classes_))), seconds), flush=True)


def measure(command, name, header, train, blind):
    """Returns the error, the log loss and the processor seconds of a command."""
    words = command.split()
    variables = [word for word in words if "=" in word and not word.startswith("-")]
    words = words[len(variables) :]
    with tempfile.TemporaryDirectory() as home:
        paths = [os.path.join(home, part) for part in ("train.csv", "blind.csv", "out.csv")]
        for path, rows, end in (paths[0], train, None), (paths[1], blind, -1):
            with open(path, "w", newline="") as file:
                out = csv.writer(file, lineterminator="\n")
                out.writerow(["ROWID"] + header[:end])
                out.writerows([["%s%d" % ("b" if end else "t", i)] + row[:end] for i, row in enumerate(rows)])
        env = dict(os.environ, HOME=home, FORETELL_PROGRESS="none", **dict(word.split("=", 1) for word in variables))
        args = [words[0], "run", paths[0], "--blind", paths[1], "-o", paths[2], "--id", "ROWID", "--label", header[-1], "--json", "--force"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = subprocess.run(args + words[1:], env=env, capture_output=True, text=True)
        seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        if done.returncode:
            sys.exit("%s\n%s" % (args, done.stderr))
        with open(paths[2], newline="") as file:
            rows = list(csv.DictReader(file))
    truth = [row[-1] for row in blind]
    loss = -sum(math.log(max(float(row["probability_" + label]), 1e-15)) for row, label in zip(rows, truth)) / len(rows)
    wrong = sum(row["prediction"] != label for row, label in zip(rows, truth)) / len(rows)
    print("%-10s %-40s error %.4f log loss %.4f, %.1f s" % (name, command[-40:], wrong, loss, seconds), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("action", choices=["make", "compare"])
    parser.add_argument("folder")
    parser.add_argument("rest", nargs="*")
    parser.add_argument("--only", default="")
    parser.add_argument("--peers", default="logistic,xgboost")
    args = parser.parse_intermixed_args()
    if args.action == "make":
        return make(args.folder, *args.rest)
    for name in args.only.split(",") if args.only else sorted(TEXTS):
        path = os.path.join(args.folder, name + ".csv")
        if os.path.exists(path):
            header, train, blind = divide(path)
            if args.peers:
                peers(name, header, train, blind, args.peers.split(","))
            for command in args.rest:
                measure(command, name, header, train, blind)


if __name__ == "__main__":
    main()
