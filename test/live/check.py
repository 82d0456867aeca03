#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py - records real programs, whole and in trouble, and looks at what comes out."""
import argparse
import glob
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ARGS = argparse.ArgumentParser()
ARGS.add_argument("--build", default=os.path.join(HERE, "..", "..", "build"))
ARGS = ARGS.parse_args()
BUILD = os.path.abspath(ARGS.build)
TPTRACE = os.path.join(BUILD, "tptrace")
SHIM = os.path.join(BUILD, "libtpshim_omp.so")
TESTS = []


def test(function):
    TESTS.append(function)
    return function


def compile_program(name, flags=("-fopenmp",), cc="gcc"):
    out = os.path.join(BUILD, "live", name + "-" + "".join(flags).strip("-").replace("/", "_"))
    os.makedirs(os.path.dirname(out), exist_ok=True)
    source = os.path.join(HERE, name + ".c")
    if not os.path.exists(out) or os.path.getmtime(out) < os.path.getmtime(source):
        subprocess.run([cc, "-O2", "-g", source, "-o", out, *flags], check=True)
    return out


def run(command, preload=False, **env):
    full = dict(os.environ, **{key: str(value) for key, value in env.items()})
    full.pop("TPTRACE_OUTPUT", None) if "TPTRACE_OUTPUT" not in env else None
    if preload:
        full["LD_PRELOAD"] = SHIM
    return subprocess.run(command, capture_output=True, env=full, timeout=120,
                          cwd=env.get("PWD"), errors="replace", text=True)


def report(path, *options):
    return run([TPTRACE, "report", "--json", *options, path])


def figures(path):
    done = report(path)
    assert done.returncode == 0, (done.returncode, done.stderr)
    return json.loads(done.stdout)


def adds_up(f):
    columns = ("work_ns", "delay_ns", "no_work_sched_ns", "no_work_app_ns")
    assert sum(f[c] for c in columns) == f["elapsed_ns"] * f["workers"] == f["cumulative_ns"], f
    for rows in ("kinds", "workers_profile"):
        for c in columns:
            assert sum(row[c] for row in f[rows]) == f[c], (rows, c)
    assert sum(f["delay_by_edge"].values()) == f["delay_ns"]
    assert sum(f["ready_path"].values()) <= f["elapsed_ns"]


def one_line(text, *words):
    assert text.count("\n") == 1 and text.endswith("\n"), repr(text)
    for word in words:
        assert word in text, (word, text)


@test
def spin_is_within_two_percent(folder):
    """What a program does by construction.  A run whose threads had to wait for a core says nothing."""
    program = compile_program("spin")
    disturbed = 0
    for attempt in range(16):
        path = f"{folder}/{attempt}.tpt"
        # an idle worker that sleeps takes its time to wake up, which is delay, and rightly so
        done = run([program], preload=True, TPTRACE_OUTPUT=path, OMP_WAIT_POLICY="active")
        work, alone, without_core = map(int, done.stdout.split())
        f = figures(path)
        adds_up(f)
        off = max(abs(f["work_ns"] - work) / work, abs(f["no_work_app_ns"] - alone) / alone,
                  f["delay_ns"] / f["cumulative_ns"], f["no_work_sched_ns"] / f["cumulative_ns"])
        if off <= 0.02:
            return
        disturbed += without_core > 0.005 * work
        assert attempt + 1 - disturbed < 5, f"off by {off:.3f}: {f}"
    return "threads always had to wait for a core"


@test
def findings_are_where_they_should_be(folder):
    """A serial stretch in one program, tasks too fine in the other; and not the other way round."""
    def ids(program, *arguments):
        path = f"{folder}/{os.path.basename(program)}.tpt"
        run([program, *arguments], preload=True, TPTRACE_OUTPUT=path, OMP_NUM_THREADS=2)
        return {f["id"]: f for f in reversed(figures(path)["findings"])}

    found = ids(compile_program("spin"))
    assert "serial" in found and "fine" not in found, found
    assert "main._omp_fn.0, spin.c:" in found["serial"]["where"] and found["serial"]["try"]
    assert found["serial"]["lost_ns"] > 5e7, found  # of 1e8, and more where it waits for a core
    found = ids(compile_program("busy"), "0")
    assert "fine" in found and "fib._omp_fn" in found["fine"]["where"], found


@test
def record_keeps_output_and_status(folder):
    program = compile_program("busy")
    done = run([TPTRACE, "record", "-o", f"{folder}/%e-%p.tpt", "--", program, "0"])
    assert (done.stdout, done.returncode) == ("2584\n", 7), done
    one_line(done.stderr, "tptrace: ", ".tpt", "events")
    (trace,) = os.listdir(folder)
    f = figures(f"{folder}/{trace}")
    adds_up(f)
    explicit = sum(k["tasks"] for k in f["kinds"] if k["what"] == "task")
    regions = f["tasks"] - explicit - 1
    # fib(18) without cut-off makes 2 fib(19) - 2 tasks
    assert explicit % (2 * 4181 - 2) == 0 and explicit > 0, explicit
    assert regions % f["workers"] == 0
    done = run([TPTRACE, "record", "-q", "-o", f"{folder}/q.tpt", program, "0"])
    assert done.stderr == "", done.stderr


@test
def quiet_without_terminal(folder):
    program = compile_program("busy")
    done = run([program, "0"], preload=True, TPTRACE_OUTPUT=f"{folder}/t.tpt")
    assert done.stderr == "" and os.path.exists(f"{folder}/t.tpt")
    done = run([program, "0"], preload=True, TPTRACE_OUTPUT=f"{folder}/u.tpt", TPTRACE_DISABLE=1)
    assert done.returncode == 7 and done.stderr == "" and not os.path.exists(f"{folder}/u.tpt")


@test
def never_overwrites(folder):
    program = compile_program("busy")
    for _ in range(3):
        run([program, "0"], preload=True, TPTRACE_OUTPUT=f"{folder}/t.tpt")
    assert sorted(os.listdir(folder)) == ["t.tpt", "t.tpt.1", "t.tpt.2"]
    os.symlink("/nowhere/at/all", f"{folder}/link.tpt")
    run([program, "0"], preload=True, TPTRACE_OUTPUT=f"{folder}/link.tpt")
    assert os.path.islink(f"{folder}/link.tpt") and os.path.exists(f"{folder}/link.tpt.1")


@test
def programs_without_tasks(folder):
    serial = compile_program("serial", flags=())
    done = run([serial], preload=True, TPTRACE_OUTPUT=f"{folder}/t.tpt")
    assert (done.stdout, done.stderr, done.returncode) == ("serial\n", "", 3)
    done = run([TPTRACE, "record", "-o", f"{folder}/t.tpt", serial])
    assert (done.stdout, done.returncode) == ("serial\n", 3)
    one_line(done.stderr, "no task of a runtime")
    static = compile_program("serial", flags=("-static",))
    done = run([TPTRACE, "record", static])
    assert done.returncode == 125 and done.stdout == ""
    one_line(done.stderr, "statically linked")
    assert os.listdir(folder) == []


@test
def setuid_is_refused(folder):
    if os.getuid() == 0:
        prefix = ["setpriv", "--reuid=65534", "--clear-groups"]
        os.chmod(folder, 0o755)
    else:
        prefix = []
    program = f"{folder}/suid"
    subprocess.run(["cp", compile_program("busy"), program], check=True)
    os.chmod(program, 0o4755)
    # where that user gets to
    subprocess.run(["cp", TPTRACE, *glob.glob(f"{BUILD}/lib*.so"), folder], check=True)
    done = run([*prefix, f"{folder}/tptrace", "record", program])
    if "setpriv" in done.stderr or "Permission denied" in done.stderr:
        return "this user cannot get there"
    assert done.returncode == 125, done
    one_line(done.stderr, "setuid")


@test
def wrong_calls(folder):
    for arguments, status in ((["record"], 2), (["record", "--bogus", "x"], 2), (["frobnicate"], 2),
                              (["report", "--by", "moon"], 2), (["report", "--top", "x"], 2),
                              (["record", "/no/such/program"], 127), (["dump", "a", "b"], 2),
                              (["record", "/etc/passwd"], 126), (["report", "/no/such.tpt"], 1),
                              (["report", folder], 1), (["load", "/no/such.txt"], 1)):
        done = run([TPTRACE, *arguments])
        assert done.returncode == status and done.stdout == "", (arguments, done)
        one_line(done.stderr, "tptrace")
    for command in ("record", "report", "info", "dump", "load"):
        done = run([TPTRACE, command, "--help"])
        assert done.returncode == 0 and "usage: tptrace " + command in done.stdout, done
        assert done.stderr == ""
    done = run([TPTRACE, "report"], PWD=folder)
    assert done.returncode == 1
    one_line(done.stderr, "no trace")
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([TPTRACE, "--help"], stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1 and b"cannot write" in done.stderr


@test
def bad_files(folder):
    program = compile_program("busy")
    good = f"{folder}/good.tpt"
    run([program, "0"], preload=True, TPTRACE_OUTPUT=good)
    data = open(good, "rb").read()
    whole = figures(good)

    def status_of(content, *words):
        path = f"{folder}/bad.tpt"
        with open(path, "wb") as out:
            out.write(content)
        done = report(path)
        assert done.returncode in (0, 1), done
        if done.returncode == 1 or done.stderr:
            one_line(done.stderr, *words)
        if done.stdout:
            adds_up(json.loads(done.stdout))
        return done.returncode

    assert status_of(b"", "empty") == 1
    assert status_of(b"hello world, this is not a trace at all....", "not a tptrace") == 1
    assert status_of(data[:8] + b"\x09" + data[9:], "version 9") == 1
    for cut in [1, 20, 31, 32, 60, 100, *range(200, len(data) - 16, max(1, len(data) // 60))]:
        assert status_of(data[:cut], "bad.tpt") == 1 or cut in (32,), cut
    assert status_of(data[:-16]) == 0  # only the footer is missing
    step = max(1, len(data) // 150)
    for at in range(0, len(data), step):
        flipped = bytearray(data)
        flipped[at] ^= 0x41
        status_of(bytes(flipped))
    assert figures(good) == whole
    os.chmod(good, 0)
    if os.getuid() != 0:
        assert report(good).returncode == 1


@test
def killed_program_leaves_a_trace(folder):
    program = compile_program("busy")
    path = f"{folder}/t.tpt"
    env = dict(os.environ, LD_PRELOAD=SHIM, TPTRACE_OUTPUT=path)
    with subprocess.Popen([program, "60"], env=env) as process:
        time.sleep(1.5)
        process.send_signal(signal.SIGKILL)
    done = report(path)
    assert done.returncode in (0, 1), done
    one_line(done.stderr, path)
    f = json.loads(done.stdout)
    adds_up(f)
    assert f["tasks"] > 8360 and not f["complete"]
    assert report(path, "--strict").returncode in (1, 3)


@test
def full_disk(folder):
    """A file that may not grow beyond a limit: the program is right, what was written is readable."""
    program = compile_program("busy")
    path = f"{folder}/t.tpt"
    env = dict(os.environ, LD_PRELOAD=SHIM, TPTRACE_OUTPUT=path, TPTRACE_COLLAPSE="off")

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (200000, 200000))

    done = subprocess.run([program, "2"], env=env, preexec_fn=limit, capture_output=True,
                          text=True, timeout=60, check=False)
    assert (done.stdout, done.returncode) == ("2584\n", 7), done
    one_line(done.stderr, "cannot write")
    done = report(path)
    assert done.returncode in (0, 1) and done.stdout, done
    adds_up(json.loads(done.stdout))


@test
def unwritable_folder(folder):
    program = compile_program("busy")
    done = run([program, "0"], preload=True, TPTRACE_OUTPUT="/proc/nowhere/t.tpt")
    assert (done.stdout, done.returncode) == ("2584\n", 7), done
    one_line(done.stderr, "cannot create")


@test
def a_small_ring_loses_nothing_or_says_so(folder):
    program = compile_program("busy")
    for overflow in ("flush", "drop"):
        path = f"{folder}/{overflow}.tpt"
        done = run([program, "1"], preload=True, TPTRACE_OUTPUT=path, TPTRACE_BUFFER=16384,
                   TPTRACE_OVERFLOW=overflow)
        assert done.returncode == 7
        if overflow == "flush":
            f = figures(path)
            adds_up(f)
            assert f["events_lost"] == 0 and f["tasks_begun"] == f["tasks"] == f["tasks_ended"] + 1
        else:
            assert "lost" in done.stderr or figures(path)["events_lost"] == 0, done.stderr
            assert "lost" in run([TPTRACE, "info", path]).stdout


@test
def text_and_back(folder):
    program = compile_program("busy")
    path = f"{folder}/t.tpt"
    run([program, "0"], preload=True, TPTRACE_OUTPUT=path, OMP_NUM_THREADS=3)
    first = run([TPTRACE, "dump", path]).stdout
    with open(f"{folder}/t.txt", "w", encoding="utf-8") as out:
        out.write(first)
    done = run([TPTRACE, "load", "-o", f"{folder}/u.tpt", f"{folder}/t.txt"])
    assert done.returncode == 0, done
    assert run([TPTRACE, "dump", f"{folder}/u.tpt"]).stdout == first
    a, b = figures(path), figures(f"{folder}/u.tpt")
    a["file"] = b["file"]
    assert a == b


@test
def gcc_program_on_libomp(folder):
    """LLVM's libomp has libgomp's entry points, too: then only one of the two ways records."""
    libomp = "/usr/lib/llvm-14/lib/libomp.so.5"
    if not os.path.exists(libomp):
        return "no libomp 14 here"
    os.symlink(libomp, f"{folder}/libgomp.so.1")
    done = run([compile_program("busy"), "0"], preload=True, LD_LIBRARY_PATH=folder,
               TPTRACE_OUTPUT=f"{folder}/t.tpt")
    assert (done.stdout, done.stderr, done.returncode) == ("2584\n", "", 7), done
    f = figures(f"{folder}/t.tpt")
    adds_up(f)
    assert [r["name"] for r in f["runtimes"] if r["tasks"]] == ["libomp"], f["runtimes"]
    explicit = sum(k["tasks"] for k in f["kinds"] if k["what"] == "task")
    assert explicit % (2 * 4181 - 2) == 0 and explicit > 0, explicit


def main():
    passed = failed = skipped = 0
    for function in TESTS:
        with tempfile.TemporaryDirectory(prefix="tptrace-live.") as folder:
            try:
                why = function(folder)
                skipped += why is not None
                passed += why is None
                if why:
                    print(f"skip {function.__name__}: {why}")
            except Exception as error:  # every kind is a failure
                failed += 1
                print(f"FAIL {function.__name__}: {type(error).__name__}: {str(error)[:2000]}")
    print(f"live: {passed} passed, {failed} failed, {skipped} skipped")
    return failed > 0


sys.exit(main())
