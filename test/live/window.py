#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""window.py [--build DIR] - what elapsed x P covers, and how much of it is the recorder's own.

    turns    two runtimes take turns on two workers: P is two, and each runtime has its own time
    stopped  the collector stops until the program waits for it: the report states that time
    around   the report states the time before and after the regions as head and tail
    tail     on every runtime the window ends with the tasks, not with what the runtime does at its own end
"""
import mmap
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "lib"), os.path.join(HERE, "..", "port")]
import runtimes  # noqa: E402
import frame  # noqa: E402
import tracing  # noqa: E402

TURNS = 5
STILL_S = 1.0           # so long nothing moves: the program is held
MOST_STILL_S = 6
PATIENCE_S = 60
TAIL_NS = 400e6         # of test/port/tail.c
GRAIN_NS = 20e6         # the kernel tells when a process was forked to 10 ms


def compiled(build, source, *flags):
    out = os.path.join(build, "live", os.path.splitext(source)[0])
    os.makedirs(os.path.dirname(out), exist_ok=True)
    compiler = "g++" if source.endswith(".cc") else "gcc"
    done = subprocess.run([compiler, "-O2", "-g", "-fopenmp", os.path.join(HERE, source), "-o", out, *flags],
                          capture_output=True, text=True, check=False)
    return out if done.returncode == 0 else None


def record(build, trace, *command, status=0):
    done = subprocess.run([f"{build}/tptrace", "record", "-q", "-o", trace, "--", *command], timeout=100,
                          capture_output=True, text=True, env=tracing.environment(), check=False)
    assert done.returncode == status, (done.returncode, done.stderr)
    return tracing.report_of(f"{build}/tptrace", trace) | {"said": done.stdout}


def text_of(build, trace):
    text = subprocess.run([f"{build}/tptrace", "report", trace], capture_output=True, text=True,
                          timeout=100, check=True).stdout
    return " ".join(text.split())   # however its lines break


def meta_of(build, trace):
    lines = subprocess.run([f"{build}/tptrace", "dump", trace], capture_output=True, text=True,
                           timeout=100, check=True).stdout.splitlines()
    return {line.split()[1]: " ".join(line.split()[2:]) for line in lines if line.startswith("meta ")}


def turns(build, folder):
    program = compiled(build, "turns.cc", "-ltbb")
    if not program:
        print("skip turns: no oneTBB")
        return
    got = record(build, f"{folder}/turns.tpt", program, str(TURNS))
    rows = {row["name"]: row for row in got["runtimes"]}
    assert set(rows) == {"libgomp", "oneTBB"}, rows
    assert {row["workers"] for row in rows.values()} == {2}, rows
    assert got["workers"] == 2, got["workers"]      # 3 threads ran tasks, but never at once
    unseen = [row for row in got["workers_profile"] if row["worker"] is None]
    assert len(unseen) == (len(got["workers_profile"]) - len(unseen) < 2), got["workers_profile"]
    assert rows["libgomp"]["tasks"] >= 66 * TURNS, rows
    for row in rows.values():
        assert row["elapsed_ns"] < got["elapsed_ns"], rows
        assert sum(row[part] for part in tracing.PARTS) == row["workers"] * row["elapsed_ns"], row
    first = min(rows.values(), key=lambda row: row["from_ns"])
    assert first["name"] == "libgomp", rows


def children(pid):
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as f:
                name, rest = f.read().rsplit(")", 1)
        except OSError:
            continue
        if int(rest.split()[1]) == pid:
            found.append((int(entry), name.split("(", 1)[1]))
    return found


def sleeps(pid):
    """Whether no thread of the process runs or wants to."""
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/stat", encoding="utf-8", errors="replace") as f:
                if f.read().rsplit(")", 1)[1].split()[0] == "R":
                    return False
    except OSError:
        return False
    return True


def wait_until(true, what):
    until = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < until, what
        time.sleep(.02)


def holds_still(victim, n_tasks):
    """Waits until the program has slept for a while; false if that does not happen.

    It would not wait for ever, either: after 10 s it goes on without its collector (preload/watch.h).
    """
    until, last = time.monotonic() + MOST_STILL_S, [n_tasks(), time.monotonic()]
    while time.monotonic() < until:
        if n_tasks() != last[0] or not sleeps(victim):
            last = [n_tasks(), time.monotonic()]
        if time.monotonic() - last[1] > STILL_S:
            return True
        time.sleep(.02)
    return False


def stopped(build, folder):
    program, shared, trace = compiled(build, "stopped.c"), f"{folder}/shared", f"{folder}/stopped.tpt"
    with open(shared, "wb") as f:
        f.write(bytes(4096))
    with open(shared, "r+b") as f, mmap.mmap(f.fileno(), 4096) as memory:
        n_tasks = lambda: struct.unpack_from("Q", memory)[0]
        run = subprocess.Popen([f"{build}/tptrace", "record", "-q", "--buffer=64K", "-o", trace, "--",
                                program, shared], env=tracing.environment(OMP_WAIT_POLICY="passive"))
        try:
            wait_until(lambda: n_tasks() > 1000, "the program makes no tasks")
            victim = [pid for pid, name in children(run.pid) if name == "stopped"][0]
            collector = [pid for pid, name in children(run.pid) if name.startswith("tptrace")]
            assert len(collector) == 1, children(run.pid)
            os.kill(collector[0], signal.SIGSTOP)
            try:
                held = holds_still(victim, n_tasks)
            finally:
                os.kill(collector[0], signal.SIGCONT)
            before = n_tasks()
            wait_until(lambda: n_tasks() > before, "the program does not go on")
        finally:
            struct.pack_into("Q", memory, 8, 1)
            try:
                run.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                run.kill()
                raise
        made = n_tasks()
    got = tracing.report_of(f"{build}/tptrace", trace)
    tracer = sum(got["states"]["tracer"].values())
    assert sum(kind["tracer_ns"] for kind in got["kinds"]) == tracer, got["kinds"]
    if not held:
        print("skip stopped: the program had no CPU to fill its ring with")
        return
    assert got["events_lost"] or tracing.explicit(got) == made, (made, got["tasks"])
    assert tracer > STILL_S / 2 * 1e9, got["states"]
    text = text_of(build, trace)
    assert "tptrace held workers for" in text and "held by tptrace" in text, text
    part = tracing.report_of(f"{build}/tptrace", trace, "--from", "0", "--to", f"{got['elapsed_ns'] // 2}ns")
    rest = tracing.report_of(f"{build}/tptrace", trace, "--from", f"{got['elapsed_ns'] // 2}ns")
    halves = sum(sum(half["states"]["tracer"].values()) for half in (part, rest))
    assert abs(halves - tracer) <= 1e-3 * tracer, (halves, tracer)


def around(build, folder):
    program, trace = compiled(build, "around.c"), f"{folder}/around.tpt"
    got = record(build, trace, program)
    assert got["head_ns"] >= 200e6 and got["tail_ns"] >= 100e6, (got["head_ns"], got["tail_ns"])
    assert " before its first call of the runtime, " in text_of(build, trace)
    said = meta_of(build, trace)
    assert int(said["cpus"]) >= 1 and int(said["ended_ns"]) > int(said["began_ns"]), said
    child = record(build, f"{folder}/child.tpt", program, "fork")
    began, forked = int(meta_of(build, f"{folder}/child.tpt")["began_ns"]), int(child["said"])
    assert began > forked - GRAIN_NS and child["head_ns"] >= 200e6 - GRAIN_NS, (began, forked)
    killed = record(build, f"{folder}/killed.tpt", program, "kill", status=-signal.SIGKILL)
    assert killed["head_ns"] >= 200e6 and killed["tail_ns"] >= 100e6, killed["tail_ns"]
    subprocess.run([program], check=True, timeout=100, env=tracing.environment(
        LD_PRELOAD=f"{build}/libtpshim_omp.so", TPTRACE_OUTPUT=f"{folder}/inside.tpt"))
    inside = tracing.report_of(f"{build}/tptrace", f"{folder}/inside.tpt")
    assert inside["head_ns"] >= 200e6 and inside["tail_ns"] >= 100e6, (inside["head_ns"], inside["tail_ns"])


def tail(build, folder):
    """By `record` and by LD_PRELOAD alone; the tail before the runtime is shut down, and after."""
    for runtime in runtimes.find(build):
        if runtime.missing:
            print(f"skip tail of {runtime.name}: {runtime.missing}")
            continue
        program = runtimes.build_program(build, runtime, "tail")
        environment = runtimes.clean_environment() | runtime.environment(2, folder)
        preload = f"{runtimes.shim_of(build, runtime)}:{build}/libtpshim_pthread.so"
        for when in ("1", "-s") if runtime.key != "starpu" else ("-s",):    # starpu_shutdown() waits for tasks
            record, trace = [f"{build}/tptrace", "record", "-q", "--force", "-o"], f"{folder}/{runtime.key}.tpt"
            runs = ([*record, trace, "--", program, when], {}), ([program, when],
                                                                 {"LD_PRELOAD": preload, "TPTRACE_OUTPUT": trace})
            for command, more in runs:
                subprocess.run(command, check=True, timeout=100, env=environment | more, stdout=subprocess.DEVNULL)
                got = tracing.report_of(f"{build}/tptrace", trace)
                assert tracing.explicit(got) == 4, (runtime.key, when, got["tasks"])
                assert got["tail_ns"] >= TAIL_NS, (runtime.key, command, got["elapsed_ns"], got["tail_ns"])
                os.unlink(trace)


def main():
    build = frame.arguments(__doc__).build
    failed = 0
    for test in (turns, stopped, around, tail):
        folder = tempfile.mkdtemp(prefix="tptrace-window.")
        try:
            test(build, folder)
            print(f"{test.__name__}: passed")
            shutil.rmtree(folder)
        except (AssertionError, subprocess.SubprocessError, KeyError) as error:
            failed += 1
            print(f"{test.__name__}: FAILED, see {folder}: {type(error).__name__}: {error}"[:2000])
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
