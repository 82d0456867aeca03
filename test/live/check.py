#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py - records real programs, healthy and in trouble, and checks their traces and reports."""
import glob
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import frame  # noqa: E402
import tracing  # noqa: E402
from tracing import explicit  # noqa: E402

ARGS = frame.arguments(__doc__)
BUILD, TPTRACE, SHIM = ARGS.build, ARGS.tptrace, ARGS.shim_omp


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
    return tracing.report_of(TPTRACE, path)


def one_line(text, *words):
    assert text.count("\n") == 1 and text.endswith("\n"), repr(text)
    for word in words:
        assert word in text, (word, text)


@frame.test
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
        off = max(abs(f["work_ns"] - work) / work, abs(f["no_work_app_ns"] - alone) / alone,
                  f["delay_ns"] / f["cumulative_ns"], f["no_work_sched_ns"] / f["cumulative_ns"])
        if off <= 0.02:
            return
        disturbed += without_core > 0.005 * work
        assert attempt + 1 - disturbed < 5, f"off by {off:.3f}: {f}"
    return "threads always had to wait for a core"


@frame.test
def findings_are_where_they_should_be(folder):
    """A serial stretch in one program, tasks too fine in the other; and not the other way round."""
    def ids(program, *arguments):
        path = f"{folder}/{os.path.basename(program)}.{len(os.listdir(folder))}.tpt"
        done = run([program, *arguments], preload=True, TPTRACE_OUTPUT=path, OMP_NUM_THREADS=2)
        return done.stdout, {f["id"]: f for f in reversed(figures(path)["findings"])}

    for _ in range(8):
        said, found = ids(compile_program("spin"))
        work, _, without_core = map(int, said.split())
        serial = found.get("serial", {"where": "", "lost_ns": 0})
        if "main, spin.c:" in serial["where"] and serial["try"] and "fine" not in found and \
                abs(serial["lost_ns"] / 1e8 - 1) < 0.5:
            break
        assert without_core > 0.005 * work, found
    else:
        return "threads always had to wait for a core"
    for _ in range(8):
        _, found = ids(compile_program("busy"), "0")
        if "fib, omp_tasks.h:" in found.get("fine", {"where": ""})["where"]:
            return None
        assert "loaded" in found, found
    return "threads always had to wait for a core"


@frame.test
def record_keeps_output_and_status(folder):
    program = compile_program("busy")
    done = run([TPTRACE, "record", "-o", f"{folder}/%e-%p.tpt", "--", program, "0"])
    assert (done.stdout, done.returncode) == ("2584\n", 7), done
    one_line(done.stderr, "tptrace: ", ".tpt", "events")
    (trace,) = os.listdir(folder)
    f = figures(f"{folder}/{trace}")
    made = explicit(f)
    regions = f["tasks"] - made - 1
    # fib(18) without cut-off makes 2 fib(19) - 2 tasks
    assert made % (2 * 4181 - 2) == 0 and made > 0, made
    assert regions % f["workers"] == 0
    done = run([TPTRACE, "record", "-q", "-o", f"{folder}/q.tpt", program, "0"])
    assert done.stderr == "", done.stderr


def plugins(folder, *names):
    """One shared object a name, all of the same size."""
    source = os.path.join(HERE, "plugin_so.c")
    for name in names:
        subprocess.run(["gcc", "-O2", "-g", "-fopenmp", "-shared", "-fPIC", f"-DNAME={name}", source,
                        "-o", f"{folder}/{name}.so"], check=True)
    return [f"{folder}/{name}.so" for name in names]


@frame.test
def code_in_the_place_of_other_code(folder):
    """Plugins that are loaded one after the other to the same addresses: each has its own names."""
    program = compile_program("plugins", flags=("-fopenmp", "-ldl"))
    alpha, omega = plugins(folder, "alpha", "omega")
    order = [alpha, omega, alpha, omega]
    for option in ("-q", "--inside"):
        path = f"{folder}/{option}.tpt"
        done = run([TPTRACE, "record", option, "-o", path, "--", program, *order])
        assert done.returncode == 0, done
        if len(set(done.stdout.split())) != 1:
            return "plugins are not loaded to the same address"
        f = figures(path)
        tasks = {k["name"]: (k["tasks"], k["file"].endswith("plugin_so.c") and k["line"])
                 for k in f["kinds"] if k["what"] == "task"}
        assert tasks == {"alpha": (400, 10), "omega": (600, 10)}, tasks
        dump = run([TPTRACE, "dump", path]).stdout.splitlines()
        loaded = [line for line in dump
                  if line.startswith("module ") and line.endswith((alpha, omega))]
        assert len(loaded) == 2 and len({line.split()[2] for line in loaded}) == 1, loaded
        # what comes back has the sites that it had
        places = [line.split()[3:7] for line in dump if line.startswith("site ")]
        assert len(places) == len(set(map(tuple, places))), places


@frame.test
def threads_without_rings_are_told(folder):
    """By either collector.  With one arena: those of glibc take 128 MB each for a moment, and more
    than the half of the address space that the recorder leaves."""
    program = compile_program("busy")
    for option, workers, were in (("--buffer=64M", 8, "threads were"), ("--inside", 2, "tptrace: 1 thread was")):
        done = run([TPTRACE, "record", option, "-o", f"{folder}/{option}.tpt", "--",
                    "prlimit", "--as=300000000", program, "0"],
                   TPTRACE_BUFFER="64M", OMP_NUM_THREADS=workers, OMP_STACKSIZE="64k",
                   MALLOC_ARENA_MAX=1)
        assert (done.stdout, done.returncode) == ("2584\n", 7), done
        said = done.stderr.splitlines()
        assert said[0].endswith(f"{were} not recorded: no memory for their rings"), said
        assert len(said) == 2 and " events of " in said[1], said


@frame.test
def quiet_without_terminal(folder):
    program = compile_program("busy")
    done = run([program, "0"], preload=True, TPTRACE_OUTPUT=f"{folder}/t.tpt")
    assert done.stderr == "" and os.path.exists(f"{folder}/t.tpt")
    done = run([program, "0"], preload=True, TPTRACE_OUTPUT=f"{folder}/u.tpt", TPTRACE_DISABLE=1)
    assert done.returncode == 7 and done.stderr == "" and not os.path.exists(f"{folder}/u.tpt")


@frame.test
def never_overwrites(folder):
    program = compile_program("busy")
    for _ in range(3):
        run([program, "0"], preload=True, TPTRACE_OUTPUT=f"{folder}/t.tpt")
    assert sorted(os.listdir(folder)) == ["t.tpt", "t.tpt.1", "t.tpt.2"]
    os.symlink("/nowhere/at/all", f"{folder}/link.tpt")
    run([program, "0"], preload=True, TPTRACE_OUTPUT=f"{folder}/link.tpt")
    assert os.path.islink(f"{folder}/link.tpt") and os.path.exists(f"{folder}/link.tpt.1")


@frame.test
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


@frame.test
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


@frame.test
def wrong_calls(folder):
    for arguments, status in ((["record"], 2), (["record", "--bogus", "x"], 2), (["record", "-o", "a%q", "x"], 2), (["frobnicate"], 2),
                              (["report", "--by", "moon"], 2), (["report", "--top", "x"], 2),
                              (["record", "/no/such/program"], 127), (["dump", "a", "b"], 2),
                              (["record", "/etc/passwd"], 126), (["report", "/no/such.tpt"], 1),
                              (["report", folder], 1), (["load", "/no/such.txt"], 1), (["load", "/dev/null"], 1),
                              (["load", "/dev/zero"], 1), (["load", "-o", "-", "/dev/null"], 2)):
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


@frame.test
def command_as_it_began(folder):
    """Of a program that writes over its arguments, too."""
    words = [compile_program("argv"), "-n", "25", "a b", "é"]
    run([TPTRACE, "record", "-q", "-o", f"{folder}/outside.tpt", "--", *words])
    run(words, preload=True, TPTRACE_OUTPUT=f"{folder}/inside.tpt")
    for name in ("outside", "inside"):
        assert figures(f"{folder}/{name}.tpt")["command"] == " ".join(words), name


@frame.test
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
            assert not list(tracing.wrong_sums(json.loads(done.stdout)))
        return done.returncode

    assert status_of(b"", "empty") == 1
    assert status_of(b"hello world, this is not a trace at all....", "not a tptrace") == 1
    assert status_of(data[:8] + b"\x09" + data[9:], "version 9") == 1
    index = int.from_bytes(data[-16:-8], "little")
    between, events = {32}, set()  # blocks of a header of 64 bytes and a body
    while max(between) < index:
        at = max(between)
        between.add(at + 64 + int.from_bytes(data[at + 8:at + 12], "little"))
        if data[at + 4] == 1:
            events.add(max(between))
    assert index in between, (index, between)
    for cut in [1, 20, 31, 60, 100, *between, *range(200, len(data) - 16, max(1, len(data) // 60))]:
        assert status_of(data[:cut], "bad.tpt") == (cut < min(events)), cut
    assert status_of(data[:-16]) == 0  # only the footer is missing
    assert status_of(data[:index]) == 0  # or what says where to find what is there
    step = max(1, len(data) // 150)
    for at in range(0, len(data), step):
        flipped = bytearray(data)
        flipped[at] ^= 0x41
        status_of(bytes(flipped))
    assert figures(good) == whole
    os.chmod(good, 0)
    if os.getuid() != 0:
        assert report(good).returncode == 1


@frame.test
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
    assert not list(tracing.wrong_sums(f))
    assert f["tasks"] > 8360 and not f["complete"]
    assert report(path, "--strict").returncode in (1, 3)


@frame.test
def full_disk(folder):
    """A file that may not grow beyond a limit: the program is right, and the trace says what it lacks."""
    program = compile_program("busy")
    path = f"{folder}/t.tpt"
    env = dict(os.environ, LD_PRELOAD=SHIM, TPTRACE_OUTPUT=path, TPTRACE_COLLAPSE="off")

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (200000, 200000))

    done = subprocess.run([program, "0", "50"], env=env, preexec_fn=limit, capture_output=True,
                          text=True, timeout=60, check=False)
    assert (done.stdout, done.returncode) == ("2584\n", 7), done
    one_line(done.stderr, "cannot write")
    done = report(path, "--strict")
    assert done.returncode == 3, done
    f = json.loads(done.stdout)
    assert not list(tracing.wrong_sums(f)) and f["complete"], f
    assert f["losses"] and {loss["why"] for loss in f["losses"]} == {"file size limit reached"}, f["losses"]


@frame.test
def unwritable_folder(folder):
    program = compile_program("busy")
    done = run([program, "0"], preload=True, TPTRACE_OUTPUT="/proc/nowhere/t.tpt")
    assert (done.stdout, done.returncode) == ("2584\n", 7), done
    one_line(done.stderr, "cannot create")


@frame.test
def a_small_ring_loses_nothing_or_says_so(folder):
    program = compile_program("busy")
    for overflow in ("flush", "drop"):
        path = f"{folder}/{overflow}.tpt"
        done = run([program, "1"], preload=True, TPTRACE_OUTPUT=path, TPTRACE_BUFFER=16384,
                   TPTRACE_OVERFLOW=overflow)
        assert done.returncode == 7
        if overflow == "flush":
            f = figures(path)
            assert f["events_lost"] == 0 and f["tasks_begun"] == f["tasks"] == f["tasks_ended"] + 1
        else:
            assert "lost" in done.stderr or figures(path)["events_lost"] == 0, done.stderr
            assert "lost" in run([TPTRACE, "info", path]).stdout


@frame.test
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


@frame.test
def gcc_program_on_libomp(folder):
    """LLVM's libomp has libgomp's entry points, too: then only one of the two ways records."""
    libomp = f"{tracing.compilers()[3]}/libomp.so.5"
    if not os.path.exists(libomp):
        return "no libomp here"
    os.symlink(libomp, f"{folder}/libgomp.so.1")
    done = run([compile_program("busy"), "0"], preload=True, LD_LIBRARY_PATH=folder,
               TPTRACE_OUTPUT=f"{folder}/t.tpt")
    assert (done.stdout, done.stderr, done.returncode) == ("2584\n", "", 7), done
    f = figures(f"{folder}/t.tpt")
    assert [r["name"] for r in f["runtimes"] if r["tasks"]] == ["libomp"], f["runtimes"]
    made = explicit(f)
    assert made % (2 * 4181 - 2) == 0 and made > 0, made


def calls_told(path):
    """What the trace says that calls take, by runtime."""
    runtimes = [line.split() for line in run([TPTRACE, "dump", path]).stdout.splitlines() if line.startswith("runtime ")]
    return {words[2]: int(word[9:]) for words in runtimes for word in words if word.startswith("calls-ps=")}


@frame.test
def what_calls_take_is_told(folder):
    """Each runtime's shim has tried it, also where libomp runs gcc's code; --compensate takes that."""
    libomp = f"{tracing.compilers()[3]}/libomp.so.5"
    cases = [("gcc", ("-fopenmp",), "libgomp", {})]
    if shutil.which("clang"):
        cases.append(("clang", ("-fopenmp=libomp",), "libomp", {}))
    if os.path.exists(libomp):
        os.symlink(libomp, f"{folder}/libgomp.so.1")
        cases.append(("gcc", ("-fopenmp",), "libomp", {"LD_LIBRARY_PATH": folder}))
    for number, (cc, flags, name, env) in enumerate(cases):
        path = f"{folder}/{number}.tpt"
        run([compile_program("busy", flags, cc), "0"], preload=True, TPTRACE_OUTPUT=path, **env)
        told = calls_told(path)
        assert told.get(f"name={name}", 0) > 0, (name, told)
        f = json.loads(report(path, "--compensate").stdout)
        assert f["compensated"]["calls_ps"] == told[f"name={name}"], (f["compensated"], told)


@frame.test
def a_trial_calls_no_runtime(folder):
    """The shim's trial reaches neither the runtime nor the trace: a libgomp that counts, and three tasks."""
    library = compile_program("counted_so", ("-shared", "-fPIC", "-Wl,-soname,libgomp.so.1"))
    os.symlink(library, f"{folder}/libgomp.so.1")
    program = compile_program("counted", (library,))
    env = {"LD_LIBRARY_PATH": folder, "TPTRACE_COLLAPSE": "off"}
    assert run([program], **env).stdout == "3 3 1\n"
    done = run([program], preload=True, TPTRACE_OUTPUT=f"{folder}/t.tpt", **env)
    assert (done.stdout, done.stderr, done.returncode) == ("3 3 1\n", "", 0), done
    assert calls_told(f"{folder}/t.tpt").get("name=libgomp", 0) > 0
    f = figures(f"{folder}/t.tpt")
    assert explicit(f) == 3, f["tasks"]
    dump = run([TPTRACE, "dump", f"{folder}/t.tpt"]).stdout.splitlines()
    kinds = [line.split()[2] for line in dump if line[:1].isdigit()]
    assert [kinds.count(kind) for kind in ("create", "begin", "end", "wait")] == [3, 3, 3, 1], kinds
    shims = [line.split()[1] for line in dump if line.startswith("module ") and "libtpshim" in line]
    assert not [line for line in dump if line.startswith("site ")
                and any(f"-module={module} " in f"{line} " for module in shims)], dump


@frame.test
def switched_off_calls_pass_us_by(folder):
    """What is not recorded jumps to the runtime's own functions, also to those that it had not called; what is does not."""
    program = compile_program("door", ("-fopenmp", "-ldl"))
    off = run([program], preload=True, TPTRACE_DISABLE=1)
    if off.returncode == 77:
        return "no doors on this machine"
    on = run([program], preload=True, TPTRACE_OUTPUT=f"{folder}/t.tpt")
    later = run([program], preload=True, TPTRACE_OUTPUT=f"{folder}/u.tpt", TPTRACE_START="off")
    assert (off.stdout, off.returncode) == (" ".join(["libgomp.so.1"] * 3) + "\n", 0), off
    for done in on, later:
        assert (done.stdout, done.returncode) == (" ".join(["libtpshim_omp.so"] * 3) + "\n", 0), done
    return None


sys.exit(frame.run("live", ARGS))
