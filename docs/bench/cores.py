#!/usr/bin/env python3
"""Measures the share of a command's processor time in which only one thread can run, also on a busy machine.

    python3 docs/bench/cores.py COMMAND…

The command runs with GOMAXPROCS=1 and then with GOMAXPROCS=2. During the second run the processor time of its threads is read
every 10 ms, and assigned to the number of threads that are then running or waiting for a core. The time with one such thread is
serial. The script prints the processor time of both runs, the serial share s of the second, and the speed-ups
1 / (s + (1 - s) / n) that Amdahl's law (1967) predicts for n cores. {} in an argument becomes a new folder. Needs Linux.
"""
import os
import subprocess
import sys
import tempfile
import time


def start(command, cores):
    environment = dict(os.environ, GOMAXPROCS=str(cores))
    return subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def finish(process):
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit("exit status %d" % process.returncode)
    return usage.ru_utime + usage.ru_stime


def sample(pid):
    """Returns the seconds of processor time of all threads, and the number of threads that run or wait for a core."""
    used, running = 0, 0
    for thread in os.listdir("/proc/%d/task" % pid):
        folder = "/proc/%d/task/%s/" % (pid, thread)
        try:
            used += int(open(folder + "schedstat").read().split()[0])
            running += open(folder + "stat").read().rsplit(")", 1)[1].split()[0] == "R"
        except (FileNotFoundError, ProcessLookupError):
            pass
    return used / 1e9, running


def observe(process):
    """Returns two processor times: with at most one running thread, and with more."""
    last, one, many = 0, 0, 0
    while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        used, running = sample(process.pid)
        if running > 1:
            many += max(used - last, 0)
        else:
            one += max(used - last, 0)
        last = max(used, last)
        time.sleep(0.01)
    return one, many


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    command = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        for cores in (1, 2):
            process = start([argument.replace("{}", "%s/%d" % (folder, cores)) for argument in command], cores)
            if cores == 1:
                single = finish(process)
            else:
                one, many = observe(process)
                double = finish(process)
    serial = one / (one + many)
    speedups = ", ".join("%.1f on %d" % (1 / (serial + (1 - serial) / n), n) for n in (2, 4, 8, 16))
    print("%.1f and %.1f s of CPU, serial %.3f, speed-up %s" % (single, double, serial, speedups), flush=True)


main()
