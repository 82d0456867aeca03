#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""leave.py [--n N] - programs that unload their runtime, or leave while their threads run tasks.

Each is run N times without tptrace, with it inside, and under `tptrace record`.  Recording must not
make it crash where it does not by itself, nor miss tasks without a word.
"""
import glob
import math
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import frame  # noqa: E402
import tracing  # noqa: E402

ARGS = frame.arguments(__doc__, n=(6, "runs of each"))
BUILD, TPTRACE = ARGS.build, ARGS.tptrace
SHIMS = ":".join(os.path.join(BUILD, f"libtpshim_{name}.so") for name in ("omp", "tbb"))
COMPILERS = {"gomp": ("gcc", "-fopenmp"), "omp": ("clang", "-fopenmp"), "tbb": ("g++", "-ltbb")}
HOST = {"host": ("gcc", "-O1")}  # has no runtime itself


def compiled(name, runtime, *flags, shared=False, parts=()):
    """A program or plugin; `parts` of it are C, whatever the runtime's own source is."""
    cc, option = {**COMPILERS, **HOST}[runtime]
    out = os.path.join(BUILD, "life", f"{name}-{runtime}")
    os.makedirs(os.path.dirname(out), exist_ok=True)
    base = "tbb.cc" if runtime == "tbb" else "omp.c"
    own = os.path.join(HERE, f"{name}_{base}")
    sources = [own if runtime != "host" and os.path.exists(own) else os.path.join(HERE, f"{name}.c")]
    if not shutil.which(cc):
        raise frame.Skip(f"no {cc} here")
    objects = []
    for source in [os.path.join(HERE, part) for part in parts]:
        objects.append(f"{out}.{os.path.basename(source)}.o")
        subprocess.run(["gcc", "-D_GNU_SOURCE", "-O1", "-g", "-c", source, "-o", objects[-1]], check=True)
    if subprocess.run([cc, "-O1", "-g", *(["-shared", "-fPIC"] if shared else []), *objects, *sources, *flags,
                       option, "-o", out + ".part", "-lpthread", "-ldl"], check=False).returncode:
        raise frame.Skip(f"{cc} has no {runtime} here")
    os.rename(out + ".part", out)
    return out


def run(how, command, folder):
    """Runs it plainly, with the collector inside, or outside; its exit status and output."""
    env = {"plain": {}, "inside": {"LD_PRELOAD": SHIMS}, "record": {}}[how]
    if how == "record":
        command = [TPTRACE, "record", "-q", "-o", f"{folder}/t.tpt", "--", *command]
    done = subprocess.run(command, env=tracing.environment(TPTRACE_OUTPUT=f"{folder}/t.tpt", **env),
                          capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, done.stdout, done.stderr


def trace(folder, strict=(0,)):
    """The figures of the only trace there is."""
    (path,) = glob.glob(f"{folder}/*.tpt*")
    done = subprocess.run([TPTRACE, "report", "--strict", path], capture_output=True, text=True, check=False,
                          env=tracing.environment(), timeout=120)
    assert done.returncode in strict, (path, done)
    return tracing.report_of(TPTRACE, path), done


def chance(a, b, n):
    """That of n runs with each, the second has so many more failures by chance (Fisher's exact test)."""
    def ways(k):
        return math.comb(n, k) * math.comb(n, a + b - k)
    return sum(ways(k) for k in range(b, min(n, a + b) + 1)) / math.comb(2 * n, a + b)


def compare(command, folder, status, look, n=ARGS.n, never=False):
    """No run fails with tptrace (`never`: alone it may crash, or hang), or no more than without, but by chance; of the
    others, the trace is looked at."""
    failed = dict.fromkeys(("inside", "record") if never else ("plain", "inside", "record"), 0)
    for _ in range(n):
        for how in failed:
            with tempfile.TemporaryDirectory(dir=folder) as inside:
                got, out, err = run(how, [part.replace("COUNT", f"{inside}/count") for part in command], inside)
                if got != status or err and "tptrace" not in err:  # the runtime's own assertion
                    failed[how] += 1
                elif how != "plain":
                    look(inside, how, out, err)
    if n > 16:
        print(f"  of {n} runs failed: {failed}", flush=True)
    if never:
        assert not any(failed.values()), failed
        return
    unlikely = 0.01 if n < 50 else 0.001
    for how in ("inside", "record"):
        more = failed[how] - failed["plain"]
        assert more <= 2 or chance(failed["plain"], failed[how], n) > unlikely, failed


def unload_test(runtime, how, n):
    def check(folder):
        host = compiled("unload", "host")
        plugin = compiled("unload", runtime, shared=True)
        shutil.copy(plugin, f"{folder}/plugin.so")

        def look(inside, _how, out, _err):
            figures, _ = trace(inside)
            assert out == f"{4950 * n}\n" and tracing.explicit(figures) == 100 * n, (out, figures["kinds"])
            kinds = [kind for kind in figures["kinds"] if kind["what"] == "task" and kind["tasks"]]
            assert all("unload_run" in kind["name"] or kind["module"] == f"{folder}/plugin.so" for kind in kinds), kinds
        compare([host, how, str(n), f"{folder}/plugin.so"], folder, 45, look, never=True)
    return check


for RUNTIME in COMPILERS:
    frame.TESTS.append((f"unload_{RUNTIME}", unload_test(RUNTIME, "return", 1)))
    frame.TESTS.append((f"unload_often_{RUNTIME}", unload_test(RUNTIME, "exit", 20)))


def leave_test(runtime, how, status):
    def check(folder):
        program = compiled("leave", runtime, parts=("leave.c",))

        def look(inside, mode, _out, err):
            with open(f"{inside}/count", "rb") as file:
                (made,) = struct.unpack("q", file.read(8))
            figures, done = trace(inside, (0, 3))
            found, said = tracing.explicit(figures), figures.get("tasks_after_end", 0)
            assert figures["complete"] and figures["events_lost"] == 0, figures
            # each thread may have made one that it had no time to record
            assert found <= made and (said or made - found <= 2), (mode, made, found, said)
            assert (done.returncode == 3) == (said > 0) == ("LOST: the trace ends at" in done.stdout), done
            assert err == "", err
        compare([program, how, "COUNT", "20000" if ARGS.n > 6 else "3000"], folder, status, look,
                max(ARGS.n, 16))
    return check


WAYS = {"exit": 46, "_exit": 46, "quick_exit": 46, "abort": -6, "exec": 46, "task_exit": 46, "task_abort": -6,
        "handler_exit": 46, "main_ends": 46}
SHORT = (("omp", "exit"), ("omp", "handler_exit"), ("omp", "exec"), ("gomp", "_exit"), ("gomp", "abort"), ("tbb", "_exit"))
for RUNTIME in COMPILERS:
    frame.TESTS += [(f"leave_{RUNTIME}_{WAY}", leave_test(RUNTIME, WAY, STATUS)) for WAY, STATUS in WAYS.items()
              if ARGS.n > 6 or (RUNTIME, WAY) in SHORT]


def late_test(how, late_ms, status):
    def check(folder):
        """What is made between the end of a trace and that of the program is in the trace, or is counted."""
        program, late = compiled("leave", "gomp", parts=("leave.c",)), compiled("late", "host", shared=True)
        before = set(glob.glob("/dev/shm/tptrace.*"))
        with subprocess.Popen([program, how, f"{folder}/count", "3000"], stderr=subprocess.PIPE,
                              env=tracing.environment(TPTRACE_OUTPUT=f"{folder}/t.tpt", LATE_MS=late_ms,
                                                      TPTRACE_BUFFER="16M", LD_PRELOAD=f"{SHIMS}:{late}")) as process:
            err = process.stderr.read()
        assert process.returncode == status and err == b"", (process.returncode, err)
        rings = [ring for ring in set(glob.glob("/dev/shm/tptrace.*")) - before
                 if ring.startswith(f"/dev/shm/tptrace.{process.pid}.")]
        assert len(rings) == (status == -9), rings
        if rings:
            tracing.run(TPTRACE, "recover", *rings, folder=folder)
        with open(f"{folder}/count", "rb") as file:
            (made,) = struct.unpack("q", file.read(8))
        figures, _ = trace(folder, (0, 3))
        found, said = tracing.explicit(figures), figures.get("tasks_after_end", 0)
        assert figures["complete"] and made - found - said <= 2, (made, found, said)
    return check


frame.TESTS += [(f"late_{HOW}_{LATE_MS}", late_test(HOW, LATE_MS, STATUS)) for HOW, LATE_MS, STATUS in
                (("exec", 300, 46), ("exec", 1000, 46), ("exit", 300, 46), ("exit", 1000, 46),
                 ("caught_abort", 0, -9), ("failed_exec", 0, -9),
                 *((f"{BY}_abort", 0, -6) for BY in ("late", "raised", "killed")))]


def threads_and_mappings(pid):
    with open(f"/proc/{pid}/maps", encoding="utf-8") as file:
        mappings = sum("memfd:tptrace" in line for line in file)
    return len(os.listdir(f"/proc/{pid}/task")), mappings


def collector_of(record, program):
    """The child of `tptrace record` that is not the program."""
    with open(f"/proc/{record}/task/{record}/children", encoding="utf-8") as file:
        (pid,) = [int(pid) for pid in file.read().split()
                  if os.readlink(f"/proc/{pid}/exe") == os.path.realpath(program)]
    return pid


def eventually(condition, what):
    for _ in range(600):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError(what())


def ends_of(folder):
    """How the traces ended that have an end."""
    ends = []
    traces = [path for path in glob.glob(f"{folder}/*.tpt*") if ".names-" not in path]  # where names are added, for a moment
    for path in sorted(traces, key=os.path.getmtime):
        with open(path, "rb") as file:
            if not file.read().endswith(b"tptrend\n"):
                continue
        figures = tracing.report_of(TPTRACE, path, "--strict")
        assert tracing.explicit(figures) == 100, (path, figures)
        ends.append(figures["ended"])
    return ends


def reexec_test(how, n):
    def check(folder):
        """One program after the other has its trace while the last one goes on; nothing stays of the others."""
        program = compiled("reexec", "gomp")
        with subprocess.Popen([TPTRACE, "record", "-q", "-o", f"{folder}/t.tpt", "--", program, how, str(n)],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=tracing.environment()) as record:
            assert record.stdout.read(1) == b"."
            n_ended = n + (how == "other")
            eventually(lambda: len(ends_of(folder)) == n_ended, lambda: (how, n_ended, ends_of(folder)))
            assert ends_of(folder) == ["by exec"] * n_ended, ends_of(folder)
            pid = collector_of(record.pid, TPTRACE)
            most = (3, 4) if how != "other" else (2, 1)  # threads, and mappings of a session and its workers
            eventually(lambda: all(a <= b for a, b in zip(threads_and_mappings(pid), most)),
                       lambda: threads_and_mappings(pid))
            record.stdin.close()
            assert record.wait(60) == (0 if how == "other" else 47)
        assert sorted(ends_of(folder)) == sorted(["by exec"] * n_ended + ["cleanly"] * (how != "other"))
    return check


frame.TESTS += [(f"reexec_{HOW}", reexec_test(HOW, N)) for HOW, N in
          (("call", 50 if ARGS.n > 6 else 20), ("bare", 50 if ARGS.n > 6 else 10), ("other", 1))]


sys.exit(frame.run("leave", ARGS))
