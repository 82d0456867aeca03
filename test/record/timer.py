#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""timer.py - samples by a timer's signal: the program ends as it does alone, and the function it is in has them."""
import os
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import frame  # noqa: E402
import tracing  # noqa: E402

ARGS = frame.arguments(__doc__)
BUILD, TPTRACE = ARGS.build, ARGS.tptrace
PROGRAM, FORBIDS = (os.path.join(BUILD, "record", name) for name in ("timer", "forbids-"))
WHATS = ("plain", "timers", "looks", "takes", "dies", "blocked", "small", "forks", "threads")
SAMPLE = "--sample=timer,100"
ENDS = "samples of stacks end where the program takes the timer's signal for itself"


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=tracing.environment(), check=False)
    return done.returncode, done.stdout, done.stderr


def record(folder, *command, under=()):
    """What the program did and record said, the meta lines, how many samples of running threads, the trace."""
    path = os.path.join(folder, "x.tpt")
    status, out, said = run(*under, TPTRACE, "record", "--force", "-o", path, SAMPLE, "--", *command)
    _, text, _ = run(TPTRACE, "dump", path)
    lines = [line.split() for line in text.splitlines()]
    meta = {words[1]: words[2] for words in lines if words[0] == "meta" and len(words) > 2}
    n = sum(words[0] == "sample" and not any(word.startswith("asleep=") for word in words) for words in lines)
    return (status, out), said, meta, n, path


@frame.test
def alone(folder):
    """Output, status and the signal that it ends by are those of a run without tptrace."""
    for what in WHATS:
        done, said, meta, n, _ = record(folder, PROGRAM, what)
        says = "plain\nforks\n" if what == "forks" else f"{what}\n"  # its child goes on as plain
        assert done == (-signal.SIGRTMAX if what == "dies" else 7, says), (what, done, said)
        assert (ENDS in said) == (what == "takes"), (what, said)
        assert (n > 5) == (what != "blocked"), (what, n, meta)
        if what == "blocked":
            assert int(meta["lost_samples"]) > 5, meta
        if what == "takes":
            assert int(meta["unsampled_threads"]) == 2, meta


@frame.test
def hot(folder):
    """Nearly all samples are of the function that takes the time, with its callers."""
    for under in ((), ("perf_event_open",), ("process_vm_readv",)):
        _, _, meta, taken, path = record(folder, PROGRAM, "hot", under=forbids(*under))
        code = tracing.report_of(TPTRACE, path)["code"]
        n = sum(row["samples"] for row in code if row["kind"])  # who waits polls, the longer the more others run
        hot = sum(row["samples"] for row in code if row["function"] == "burn")
        assert n > 5 and hot >= 0.9 * n, code
        if not under and os.uname().machine == "x86_64":
            assert int(meta.get("cut_stacks", 0)) <= 0.1 * taken, meta  # all others were followed to their ends


def forbids(*calls):
    """Under a filter that refuses the call."""
    for call in calls:
        subprocess.run(["gcc", f"-DCALL=SYS_{call}", os.path.join(HERE, "forbids.c"), "-o", FORBIDS + call], check=True)
    return [FORBIDS + call for call in calls]


@frame.test
def refused(folder):
    """Without timers, the program runs on without samples, and one line says why."""
    done, said, meta, n, _ = record(folder, PROGRAM, "plain", under=forbids("timer_create"))
    assert done == (7, "plain\n"), (done, said)
    assert said.count("no samples of stacks: timer_create: Operation not permitted") == 1, said
    assert n == 0 and "samples_off" in meta, meta
    for bad in ("timer,", "timer,0", "timerx", "timer,off"):
        status, _, said = run(TPTRACE, "record", f"--sample={bad}", "--", PROGRAM, "plain")
        assert status == 2 and len(said.splitlines()) <= 2 and bad in said, (status, said)
    for sample in (SAMPLE, "--sample", "--sample=500"):  # which only a collector outside takes
        status, out, said = run(TPTRACE, "record", "--inside", sample, "--", PROGRAM, "plain")
        assert (status, out) == (2, "") and "leave out --sample, or --inside" in said, (status, out, said)
    done, said, _, n, _ = record(folder, PROGRAM, "plain", under=forbids("signalfd4"))
    assert done == (7, "plain\n") and said.count("no samples of stacks: it collects by itself") == 1, (done, said)


@frame.test
def mapped(_):
    """Nothing of it is in a program that is not sampled so."""
    for options, has in (((), False), (("--sample=100",), False), (("--sample=off",), False), ((SAMPLE,), True),
                         (("--sample=off", "--inside"), False)):
        _, maps, _ = run(TPTRACE, "record", "-q", *options, "--", "cat", "/proc/self/maps")
        assert ("libtpprobe_timer" in maps) == has, (options, maps)


if __name__ == "__main__":
    os.makedirs(os.path.dirname(PROGRAM), exist_ok=True)
    # bound at once: to bind a function at its first call takes stack
    subprocess.run(["gcc", "-D_GNU_SOURCE", "-O1", "-g", "-Wall", "-Werror", "-fopenmp", os.path.join(HERE, "timer.c"),
                    "-o", PROGRAM, "-lpthread", "-Wl,-z,now"], check=True)
    sys.exit(frame.run("timer", ARGS))
