#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py - programs that end, double, are replaced or get into trouble, traced and not.

What a program prints and how it ends must be the same as without tptrace; its traces must add up,
hold all tasks that were made, and say how the process ended.
"""
import functools
import glob
import json
import os
import platform
import re
import resource
import shutil
import struct
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import frame  # noqa: E402
import tracing  # noqa: E402
from tracing import explicit  # noqa: E402

ARGS = frame.arguments(__doc__)
BUILD, TPTRACE, SHIM = ARGS.build, ARGS.tptrace, ARGS.shim_omp


def compile_program(name, *flags, cc="gcc", omp=True, source=None):
    suffix = "".join(flags).replace("-", "").replace("/", "_").replace("=", "_")
    out = os.path.join(BUILD, "life", f"{name}-{cc}{'' if omp else '-serial'}{suffix}")
    os.makedirs(os.path.dirname(out), exist_ok=True)
    source = os.path.join(HERE, source or name + ".c")
    if not os.path.exists(out) or os.path.getmtime(out) < os.path.getmtime(source):
        subprocess.run([cc, "-D_GNU_SOURCE", "-O2", "-g", "-w", source, "-o", out + ".part",
                        *(["-fopenmp"] if omp else []), *flags, "-lpthread", "-ldl"], check=True)
        os.rename(out + ".part", out)
    return out


def run(command, preload=None, timeout=120, before=None, **env):
    full = tracing.environment(**env)
    if preload:
        full["LD_PRELOAD"] = preload
    return subprocess.run(command, capture_output=True, env=full, timeout=timeout, check=False,
                          errors="replace", text=True, preexec_fn=before)


def traces(folder):
    return sorted(glob.glob(f"{folder}/*.tpt*"), key=os.path.getmtime)


def figures(path):
    return tracing.report_of(TPTRACE, path)


def ended(path):
    lines = run([TPTRACE, "dump", path]).stdout.splitlines()
    (words,) = [line.split(" ", 2)[2] for line in lines if line.startswith("meta ended ")]
    return words.replace("%20", " ")


def same(folder, program, *arguments, shim=SHIM, status=None, before=None, **env):
    """Runs it without tptrace and with it; what it says and how it ends must not differ."""
    plain = run([program, *arguments], before=before, **env)
    traced = run([program, *arguments], preload=shim, before=before,
                 TPTRACE_OUTPUT=f"{folder}/", **env)
    assert (plain.stdout, plain.stderr, plain.returncode) == \
        (traced.stdout, traced.stderr, traced.returncode), (plain, traced)
    assert status is None or traced.returncode == status, traced
    return traced


TASKS = 1000

# way: exit status, and the traces in order of their ends: explicit tasks, how it ended
WAYS = {
    "exit": (20, [(TASKS, "cleanly")]),
    "_exit": (21, [(TASKS, "by _exit")]),
    "_Exit": (22, [(TASKS, "by _Exit")]),
    "quick_exit": (23, [(TASKS + 10, "by quick_exit")]),
    "abort": (-6, [(TASKS, "by abort")]),
    "assert": (-6, [(TASKS, "by assert")]),
    "threads": (32, [(TASKS, "by _exit")]),
    "handler": (31, [(TASKS, "by _exit")]),
    "caught_abort": (33, [(2 * TASKS, "cleanly")]),
    "exec_fails": (34, [(2 * TASKS, "cleanly")]),
    "exec_self": (20, [(TASKS, "by exec"), (TASKS, "cleanly")]),
    "execl": (35, [(TASKS, "by exec")]),
    "execlp": (35, [(TASKS, "by exec")]),
    "execle": (35, [(TASKS, "by exec")]),
    "execv": (35, [(TASKS, "by exec")]),
    "execvp": (35, [(TASKS, "by exec")]),
    "execve": (35, [(TASKS, "by exec")]),
    "execvpe": (35, [(TASKS, "by exec")]),
    "vfork": (36, [(2 * TASKS, "cleanly")]),
    "spawn": (37, [(2 * TASKS, "cleanly")]),
    "fork": (38, [(TASKS, "cleanly"), (TASKS, "by _exit"), (2 * TASKS, "cleanly")]),
    "fork_inside": (39, [(2 * TASKS + 1, "cleanly")]),
    "bare_fork": (40, [(TASKS, "by _exit")] * 2 + [(TASKS, "cleanly")]),
    "unknown_child": (44, [(2 * TASKS + 51, "cleanly")]),
    "double_fork": (42, [(TASKS, "cleanly"), (TASKS, "cleanly")]),
    "daemon": (0, [(TASKS, "by daemon"), (TASKS, "cleanly")]),
    "late_fork": (38, [(TASKS, "cleanly"), (TASKS, "by _exit"), (TASKS, "cleanly")]),
    "late_daemon": (0, [(TASKS, "cleanly")]),
    "main_ends": (0, [(2 * TASKS + 10, "cleanly")]),
    "late_main_ends": (0, [(TASKS + 10, "cleanly")]),
}


def way_test(way, status, wanted):
    def check(folder):
        program = compile_program("ends")
        same(folder, program, way, status=status)
        for _ in range(100):  # a daemon's end is not the run's
            found = sorted((explicit(figures(path)), ended(path)) for path in traces(folder)
                           if b"tptrend" in open(path, "rb").read()[-16:])
            if found == sorted(wanted):
                return
            subprocess.run(["sleep", "0.05"], check=True)
        raise AssertionError((way, "found", found, "wanted", wanted))
    return check


frame.TESTS += [(f"way_{way}", way_test(way, *wanted)) for way, wanted in WAYS.items()]


@frame.test
def flight_recorder_ends_once(folder):
    """What a program does after an end that did not end it comes into the same file."""
    for way in ("exit", "quick_exit", "caught_abort", "exec_fails", "exec_self", "fork", "double_fork"):
        status, wanted = WAYS[way]
        os.mkdir(f"{folder}/{way}")
        same(f"{folder}/{way}", compile_program("ends"), way, status=status, TPTRACE_KEEP="last")
        found = sorted((explicit(figures(path)), ended(path)) for path in traces(f"{folder}/{way}"))
        assert found == sorted(wanted), (way, found)


@frame.test
def main_ends_beside_several_of_ours(folder):
    """None of the collector's threads keeps the process."""
    program = compile_program("ends")
    same(folder, program, "main_ends", status=0, TPTRACE_COLLECTOR_THREADS="2", TPTRACE_BUFFER="16K")
    (path,) = traces(folder)
    assert (explicit(figures(path)), ended(path)) == (2 * TASKS + 10, "cleanly"), path


@frame.test
def others_record_while_it_aborts(folder):
    same(folder, compile_program("ends"), "abort_beside", status=-6, TPTRACE_BUFFER="16K")
    (path,) = traces(folder)
    assert ended(path) == "by abort" and explicit(figures(path)) >= TASKS, (path, ended(path))
    assert run([TPTRACE, "report", "--strict", path]).returncode == 0, path


@frame.test
def beside_a_library_that_is_torn_down(folder):
    torn = compile_program("torn", "-shared", "-fPIC", omp=False)
    for shim in (f"{torn}:{SHIM}", f"{SHIM}:{torn}"):
        same(folder, compile_program("trouble"), "tasks", status=50, shim=shim)
    assert [explicit(figures(path)) for path in traces(folder)] == [TASKS] * 2, traces(folder)


@frame.test
def fork_ignored(folder):
    same(folder, compile_program("ends"), "fork", status=38, TPTRACE_FORK="ignore")
    assert [explicit(figures(path)) for path in traces(folder)] == [2 * TASKS], traces(folder)


@frame.test
def fork_beside_others(folder):
    same(folder, compile_program("ends"), "fork_beside", status=43)
    counts = [explicit(figures(path)) for path in traces(folder)]
    assert len(counts) == 61 and sorted(counts)[:60] == [10] * 60, counts


def parts(folder):
    """Two libraries of tasks, which the ways that load them have there."""
    for i in range(2):
        part = compile_program("part", "-shared", "-fPIC", f"-DPART=part_number_{i}")
        os.symlink(part, f"{folder}/part{i}.so")


def trouble(folder, *arguments, **more):
    return same(folder, compile_program("trouble"), *arguments, status=50, **more)


def only(folder):
    (path,) = traces(folder)
    f = figures(path)
    done = run([TPTRACE, "report", "--strict", path])
    assert done.returncode == 0, done
    return f


def silent_or_told(folder, *arguments, **more):
    """The program is right; each trace opens, or is refused in one line; the report states each loss."""
    program = compile_program("trouble")
    plain = run([program, *arguments], before=more.get("before"))
    traced = run([program, *arguments], preload=SHIM, TPTRACE_OUTPUT=f"{folder}/", **more)
    if plain.returncode == 77:
        return "no filters of system calls here"
    assert (plain.stdout, plain.returncode) == (traced.stdout, traced.returncode), (plain, traced)
    said = traced.stderr.splitlines()
    assert len(said) <= 2 and all(line.startswith("tptrace: ") for line in said), said
    for path in traces(folder):
        done = run([TPTRACE, "report", "--json", "--strict", path])
        said += done.stderr.splitlines()
        assert done.returncode in (0, 1, 3) and len(said) <= 4, (path, done)
        if not said:
            n = explicit(json.loads(done.stdout))
            assert n == 300 if arguments[0] == "crowd" else n % TASKS == 0, done.stdout
    assert said or traces(folder), "there is no trace, and not a word of it"
    return None


@frame.test
def threads_that_come_and_go(folder):
    trouble(folder, "threads")
    f = only(folder)
    assert explicit(f) == 20000 and len(f["workers_profile"]) <= 8, f


@frame.test
def a_crowd_of_threads(folder):
    trouble(folder, "crowd", "300")
    f = only(folder)
    assert explicit(f) == 4500 and len(f["workers_profile"]) == 300, f["workers_profile"]


@frame.test
def a_filter_that_kills_who_opens_a_file(folder):
    """Once it is recorded, it opens no file that it does not open alone, nor do new threads, nor where memory is limited."""
    program = compile_program("trouble")
    plain = run([program, "killed"])
    if plain.returncode == 77:
        return "no filters of system calls here"
    for limit in (None, resource.RLIMIT_AS, resource.RLIMIT_DATA):
        before = limit and functools.partial(resource.setrlimit, limit, (8 << 30, 8 << 30))
        for options in ((), ("--inside",)):
            done = run([TPTRACE, "record", "-q", *options, "-o", f"{folder}/", program, "killed"], before=before)
            assert (done.stdout, done.returncode) == (plain.stdout, 50), (limit, options, done)
    assert [explicit(figures(path)) for path in traces(folder)] == [TASKS + 8 * 15] * 6, traces(folder)
    return None


@frame.test
def a_filter_that_kills_before_the_first_task(folder):
    """Set by libc, it finds the recording begun.  Set past libc, nothing is recorded, and that is said."""
    program = compile_program("trouble")
    plain = run([program, "killed_prctl"])
    if plain.returncode == 77:
        return "no filters of system calls here"
    for way in ("killed_prctl", "killed_syscall"):
        for options in ((), ("--inside",)):
            path = f"{folder}/{way}{len(options)}.tpt"
            done = run([TPTRACE, "record", "-q", *options, "-o", path, program, way])
            assert (done.stdout, done.stderr, done.returncode) == (plain.stdout, "", 50), (way, options, done)
            assert explicit(figures(path)) == TASKS, path
    if platform.machine() != "x86_64":
        return None
    done = run([TPTRACE, "record", "-o", f"{folder}/none.tpt", program, "killed_by_itself"])
    assert (done.stdout, done.returncode) == (plain.stdout, 50), done
    assert re.fullmatch("tptrace: 1 of the processes put a seccomp filter on themselves [^\n]*\n", done.stderr), done
    assert not os.path.exists(f"{folder}/none.tpt")
    return None


@frame.test
def filters_that_are_not_its_own(folder):
    """A child by vfork() has them, or they were asked for in vain: the process opens files as before."""
    program, host = compile_program("trouble"), compile_program("trouble", omp=False)
    if run([program, "filtered_child"]).returncode == 77:
        return "no filters of system calls here"
    parts(folder)
    for words in ([program, "filtered_child"], [host, "asked_and_load", folder]):
        for options in ((), ("--inside",)):
            path = f"{folder}/{words[1]}{len(options)}.tpt"
            done = run([TPTRACE, "record", "-q", *options, "-o", path, *words])
            assert (done.stdout, done.stderr, done.returncode) == (run(words).stdout, "", 50), (words, options, done)
            assert explicit(figures(path)) == (TASKS if words[0] == program else 600), path
    return None


@frame.test
def small_stacks(folder):
    trouble(folder, "smallest")
    assert explicit(only(folder)) == TASKS


@frame.test
def threads_that_end_inside_tasks(folder):
    trouble(folder, "ends_inside")
    assert explicit(only(folder)) == 1240


@frame.test
def threads_that_are_cancelled(folder):
    """None is while it holds a lock of the recorder, for which all others would wait."""
    for counters in ("", "page-faults"):
        os.mkdir(f"{folder}/with{counters}")
        trouble(f"{folder}/with{counters}", "cancelled", timeout=60, TPTRACE_COUNTERS=counters)
        assert explicit(only(f"{folder}/with{counters}")) == TASKS + 5 * 10


@frame.test
def code_that_comes_and_goes(folder):
    parts(folder)
    trouble(folder, "load", folder)
    f = only(folder)
    assert explicit(f) == 600, f
    assert all("part_number_" in k["name"] for k in f["kinds"] if k["what"] == "task"), f["kinds"]


@frame.test
def on_libomp(folder):
    """The same ways on LLVM's runtime, which other threads of keep at fork, with all shims."""
    if not shutil.which("clang"):
        return "no clang here"
    shims = run([TPTRACE, "record", "--print-shim"]).stdout.split()
    program = compile_program("ends", cc="clang")
    for way in ("_exit", "quick_exit", "abort", "exec_self", "fork", "vfork", "fork_inside"):
        status, wanted = WAYS[way]
        os.mkdir(f"{folder}/{way}")
        same(f"{folder}/{way}", program, way, status=status, shim=":".join(shims))
        found = sorted((explicit(figures(path)), ended(path)) for path in traces(f"{folder}/{way}"))
        assert found == sorted(wanted), (way, found)
    return None


@frame.test
def a_libomp_that_ends_early(folder):
    """With callbacks alone, a hard pause is told of; a soft one, an exit and an unloading are none."""
    if not shutil.which("clang"):
        return "no clang here"
    bare = os.path.join(BUILD, "bare", "libtpshim_omp.so")
    programs = [compile_program("early", cc="clang", omp=omp) for omp in (False, True)]
    part = compile_program("unload_omp", "-shared", "-fPIC", cc="clang")
    (found,) = re.findall(r"libomp\S* => (\S+)", run(["ldd", part]).stdout)
    copy, plugin = f"{folder}/{os.path.basename(found)}", f"{folder}/part.so"
    for source, out in ((found, copy), (part, plugin)):
        with open(source, "rb") as file:
            content = file.read()
        # DT_FLAGS_1 is DF_1_NODELETE; and a name of the same hash, so that the shim finds none
        content = content.replace(struct.pack("<QQ", 0x6ffffffb, 8),
                                  struct.pack("<QQ", 0x6ffffffb, 0))
        with open(out, "wb") as file:
            file.write(content.replace(b"_omp_task_alloc\0", b"_omp_task_bKloc\0"))
    # before the shim, libomp ends while the trace is still open, as one that is linked statically does
    first = f"{found}:{bare}"
    for name, way, tasks, shim in (("hard", "hard", 100, bare), ("soft", "soft", 200, bare),
                                   ("part", plugin, 100, bare), ("exit", "none", 200, first)):
        os.mkdir(f"{folder}/{name}")
        same(f"{folder}/{name}", programs[name != "part"], way, shim=shim, status=0,
             LD_LIBRARY_PATH=folder if name == "part" else "")
        (path,) = traces(f"{folder}/{name}")
        done = run([TPTRACE, "report", "--strict", path])
        assert explicit(figures(path)) == tasks, (name, figures(path))
        assert done.returncode == (3 if name == "hard" else 0), (name, done)
        assert ("libomp ended before the" in done.stdout) == (name == "hard"), (name, done.stdout)
    return None


@frame.test
def with_a_collector_outside(folder):
    program = compile_program("ends")
    for way in ("_exit", "abort", "exec_self", "exec_fails", "fork", "fork_inside", "vfork",
                "unknown_child"):
        status, wanted = WAYS[way]
        os.mkdir(f"{folder}/{way}")
        plain = run([program, way])
        done = run([TPTRACE, "record", "-q", "-o", f"{folder}/{way}/", program, way])
        assert (done.stdout, done.returncode) == (plain.stdout, plain.returncode), (way, done)
        found = sorted(explicit(figures(path)) for path in traces(f"{folder}/{way}"))
        assert found == sorted(n for n, _ in wanted), (way, found)


TSAN = "report_bugs=0:atexit_sleep_ms=0"  # else each end takes a second, for races that come late


def sanitized_test(cc, what):
    """The sanitizer's own findings, in the program or in its runtime, are the same, too."""
    has_archer = (cc, what) == ("clang", "thread")  # a tool of libomp's

    def check(folder):
        library = subprocess.run([cc, f"-print-file-name=lib{what[0]}san.so"], text=True,
                                 capture_output=True, check=False).stdout.strip()
        aslr = ["setarch", "-R"] if run(["setarch", "-R", "true"]).returncode == 0 else []
        try:
            program = compile_program("ends", f"-fsanitize={what}", cc=cc)
        except (OSError, subprocess.CalledProcessError):
            return f"no {cc} with {what} here"
        # a fork may come at any instant of the collector's: several of them
        for way, i in [("_exit", 1), ("exec_self", 1), ("abort", 1)] + [("fork", k) for k in range(6)]:
            os.makedirs(f"{folder}/{way}/{i}")
            shim = SHIM if cc == "clang" else f"{library}:{SHIM}"
            plain = run([*aslr, program, way], TSAN_OPTIONS=TSAN)
            done = run([*aslr, "env", f"LD_PRELOAD={shim}", program, way],
                       TSAN_OPTIONS=TSAN, TPTRACE_OUTPUT=f"{folder}/{way}/{i}/")
            assert (plain.stdout, plain.returncode) == (done.stdout, done.returncode), (plain, done)
            assert traces(f"{folder}/{way}/{i}"), (way, "no trace")
            for path in traces(f"{folder}/{way}/{i}"):
                # its own exit, when it finds leaks in a forked child, is not for us to see
                if way == "fork":
                    run([TPTRACE, "recover", path])
                n = explicit(figures(path))
                assert n >= TASKS or way == "fork" or has_archer, (path, n)
                if has_archer and way != "fork":
                    assert "libomp calls another tool" in run([TPTRACE, "report", path]).stdout, path
        return None
    return check


frame.TESTS += [(f"sanitized_{cc}_{what}", sanitized_test(cc, what))
          for cc in ("gcc", "clang") for what in ("address", "thread")]


def handlers_test(way):
    def check(folder):
        """Each task is in the trace, or was a handler's that came at the wrong time and said so."""
        program = compile_program("trouble")
        count = f"{folder}/count"
        if run([program, way, count]).returncode == 77:
            return "no single steps here"
        same(folder, program, way, count, status=50)
        (path,) = traces(folder)
        dump = run([TPTRACE, "dump", path]).stdout
        meta = re.search(r"^meta unrecorded_calls (\d+)$", dump, re.M)
        barred = int(meta[1]) if meta else 0
        assert barred % 4 == 0 and explicit(figures(path)) == \
            int(open(count, encoding="utf-8").read()) - 3 * barred // 4, (barred, figures(path))
        done = run([TPTRACE, "report", "--strict", path])
        assert done.returncode == (3 if barred else 0), done
        assert not barred or f"LOST: {barred} calls" in done.stdout, done.stdout
        assert barred or way != "stepped"
        return None
    return check


frame.TESTS += [(f"handlers_{way}", handlers_test(way)) for way in ("handler", "stepped")]


@frame.test
def sites_that_find_no_room(folder):
    """Their tasks are counted, and the trace says how many have no name."""
    program = compile_program("trouble")
    if run([program, "no_sites"]).returncode == 77:
        return "no filters of system calls here"
    for collapse in ("100us", "off"):
        os.mkdir(f"{folder}/{collapse}")
        done = run([program, "no_sites"], preload=SHIM, TPTRACE_OUTPUT=f"{folder}/{collapse}/", TPTRACE_COLLAPSE=collapse)
        assert done.returncode == 50 and done.stdout == run([program, "no_sites"]).stdout, done
        assert re.fullmatch(r"tptrace: \d+ places of the program have no name: [^\n]+\n", done.stderr), done
        (path,) = traces(f"{folder}/{collapse}")
        dump = run([TPTRACE, "dump", path]).stdout
        assert "site=65535" in dump or " tally site=65535 " in dump, "no site was without room: the test is void"
        assert "\nmeta unnamed_sites " in dump and explicit(figures(path)) == 2 * TASKS, dump[:1000]
    return None


@frame.test
def descriptors_are_the_programs(folder):
    """Its own file is number 2; or it closes everything that is open."""
    for way in ("reuse", "reuse_first"):
        own = f"{folder}/own"
        run([compile_program("trouble"), way, own], preload=SHIM, TPTRACE_VERBOSE=1,
            TPTRACE_OUTPUT=f"{folder}/" if way == "reuse" else "/no/such/folder/t.tpt")
        assert open(own, encoding="utf-8").read() == "", open(own, encoding="utf-8").read()
    return silent_or_told(folder, "close_all")


@frame.test
def its_folder_is_gone(folder):
    gone = f"{folder}/gone"
    done = {}
    for shim in (None, SHIM):
        os.mkdir(gone)
        done[shim] = run([compile_program("trouble"), "no_folder", gone], preload=shim,
                         before=lambda: os.chdir(gone))
    assert (done[None].stdout, done[None].returncode) == (done[SHIM].stdout, done[SHIM].returncode)
    assert done[SHIM].stderr.startswith("tptrace: ") and done[SHIM].stderr.count("\n") == 1, done


def limit_test(which, most):
    def check(folder):
        return silent_or_told(folder, "crowd" if which in ("AS", "DATA") else "tasks", "20",
                              before=lambda: resource.setrlimit(
                                  getattr(resource, f"RLIMIT_{which}"), (most, most)))
    return check


frame.TESTS += [(f"limit_{which}_{most}", limit_test(which, most)) for which, most in
          (("FSIZE", 0), ("FSIZE", 40), ("FSIZE", 1000), ("NOFILE", 4),
           ("NOFILE", 5), ("STACK", 65536),
           *(("AS", most << 20) for most in (20, 22, 23, 24, 28, 44, 64)),
           *(("DATA", most << 20) for most in (12, 13, 14, 16, 20, 24, 28, 44)))]


def forbid_test(call):
    def check(folder):
        for way in ("forbid", "forbid_late"):
            os.mkdir(f"{folder}/{way}")
            why = silent_or_told(f"{folder}/{way}", way, call)
            if why:
                return why
        return None
    return check


frame.TESTS += [(f"forbid_{call}", forbid_test(call)) for call in re.findall(
    r"\{ \"(\w+)\", SYS_", open(os.path.join(HERE, "trouble.c"), encoding="utf-8").read())]


sys.exit(frame.run("life", ARGS))
