#!/usr/bin/python3
"""Measures the memory and the processor time of `foretell run` on large tables.

    docs/bench/scale.py make FILE [--rows 5000000] [--columns 28] [--most 240] [--words 0] [--seed 1]
    docs/bench/scale.py run ./foretell FILE… [-- OPTIONS OF run]

`make` writes a CSV with an ID, features and a label of two classes. Every fourth of the first 24 features is a category of 12
levels, the others are whole numbers from 0 to --most. The label depends on the first twelve features, with noise. With --words, the last feature
is a text of that many words, and some of the words depend on the label. A table of fewer rows with the same seed is a prefix of a longer one.

`run` trains on each file and prints the size of the file in millions of bytes, the seconds from start to end, the seconds of
processor time and the peak resident memory in millions of bytes, and the score that the command prints.
`make` needs Debian's python3-numpy.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time

CELLS = 250_000  # about the number of cells that are drawn at a time
LEVELS = 12


def make(path, rows, columns, most, words, seed):
    import numpy as np

    draw = np.random.default_rng(seed)
    is_category = [i % 4 == 3 and i < 24 for i in range(columns)]
    block = max(1, CELLS // columns)
    weights = draw.normal(size=12)
    effects = draw.normal(size=(columns, LEVELS))
    vocabulary = np.array(["".join(draw.choice(list("abcdefghijklmnopqrstuvwxyz"), draw.integers(3, 11))) for _ in range(20_000)])
    numbers = np.array([str(k) for k in range(most + 1)], dtype=object)
    levels = np.array([chr(65 + k) for k in range(LEVELS)], dtype=object)
    with open(path, "w") as file:
        names = ["id"] + ["c%d" % i if is_category[i] else "x%d" % i for i in range(columns)] + ["text"] * (words > 0) + ["label"]
        file.write(",".join(names) + "\n")
        for first in range(0, rows, block):
            draw = np.random.default_rng([seed, first])
            normal = draw.standard_normal((block, columns), dtype=np.float32)
            codes = np.clip(np.rint((normal / 6.5 + 0.5) * most), 0, most).astype(int)
            for i in np.flatnonzero(is_category):
                codes[:, i] = draw.integers(0, LEVELS, block)
            score = draw.logistic(size=block)
            for i in range(min(columns, 12)):
                x = normal[:, i]
                score += effects[i, codes[:, i]] if is_category[i] else weights[i] * (x * x - 1 if i % 3 == 1 else x)
            labels = np.where(score > 0, "yes", "no")
            cells = np.where(is_category, levels[np.minimum(codes, LEVELS - 1)], numbers[codes]).tolist()
            if words:
                drawn = np.minimum(20_000 * draw.random((block, words)) ** 3, 19_999).astype(int)
                drawn[:, 0] = np.where((score > 0) ^ (draw.random(block) < 0.2), 19_000, 19_001)
                texts = [" ".join(row) for row in vocabulary[drawn].tolist()]
            for k in range(min(block, rows - first)):
                text = "," + texts[k] if words else ""
                file.write("%d,%s%s,%s\n" % (first + k + 1, ",".join(cells[k]), text, labels[k]))


def run(program, path, options):
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "run", path, "--data-dir", os.path.join(folder, "data"), "--seed", "1", *options]
        began = time.perf_counter()
        with tempfile.TemporaryFile("w+") as out:
            process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, cwd=folder)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            seconds = time.perf_counter() - began
            out.seek(0)
            print(out.read(), file=sys.stderr)
        print("%s: %.0f MB, exit %d, %.0f s, %.0f s of CPU, %.0f MB of memory" % (
            os.path.basename(path), os.path.getsize(path) / 1e6, process.returncode, seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6), flush=True)


def main():
    arguments, options = sys.argv[1:], []
    if "--" in arguments:
        at = arguments.index("--")
        arguments, options = arguments[:at], arguments[at + 1:]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    maker = commands.add_parser("make")
    maker.add_argument("file")
    for name, default in (("rows", 5_000_000), ("columns", 28), ("most", 240), ("words", 0), ("seed", 1)):
        maker.add_argument("--" + name, type=int, default=default)
    runner = commands.add_parser("run")
    runner.add_argument("program")
    runner.add_argument("files", nargs="+")
    args = parser.parse_args(arguments)
    if args.command == "make":
        make(args.file, args.rows, args.columns, args.most, args.words, args.seed)
    else:
        for path in args.files:
            run(os.path.abspath(args.program), os.path.abspath(path), options)


main()
