"""Measures the time of commands from start to end, and their peak memory. The commands run in turns.

    python3 docs/bench/start.py "foretell version" "gh version"
"""
import os
import sys
import time

TIMES = 20


def once(args):
    """Runs a command without showing its output. Returns its seconds and its peak resident megabytes."""
    began = time.perf_counter()
    pid = os.fork()
    if pid == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        os.execvp(args[0], args)
    _, _, usage = os.wait4(pid, 0)
    return time.perf_counter() - began, usage.ru_maxrss / 1024


if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
    sys.exit(__doc__)
commands = sys.argv[1:]
runs = {command: [] for command in commands}
for _ in range(TIMES):
    for command in commands:
        runs[command].append(once(command.split()))
for command, figures in runs.items():
    seconds = sorted(s for s, _ in figures)
    print(f"{command:32s} median {1000 * seconds[TIMES // 2]:.1f} ms, longest {1000 * seconds[-1]:.1f} ms, "
          f"{max(mb for _, mb in figures):.1f} MB")
