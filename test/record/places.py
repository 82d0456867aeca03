#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""places.py - record in places that refuse new files or writes, and with closed descriptors.

The program does not notice, one line says what happened, and no file is left that is no trace.
"""
import contextlib
import functools
import glob
import os
import re
import resource
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import frame  # noqa: E402
import tracing  # noqa: E402

ARGS = frame.arguments(__doc__)
BUILD = ARGS.build
TPTRACE = ARGS.tptrace
PROGRAM = os.path.join(BUILD, "record", "tasks-gcc")
SHIM = os.path.join(BUILD, "libtpshim_omp.so")
TASKS = 40
RESERVE = 32 << 10 # DRAIN_RESERVE_BYTES
WAYS = {"outside": [TPTRACE, "record"], "inside": [TPTRACE, "record", "--inside"],
        "by hand": ["env", f"LD_PRELOAD={SHIM}"]}


def run(command, **how):
    env = tracing.environment(**how.pop("env", {}))
    return subprocess.run(command, capture_output=True, text=True, errors="replace", env=env, timeout=120,
                          check=False, **how)


def says_one(done, *words):
    assert (done.stdout, done.returncode) == (f"{TASKS}\n", 7), done
    lines = done.stderr.splitlines()
    assert len(lines) == 1 and all(word in lines[0] for word in words), (words, done)


def rings(folder):
    """Ring files of programs that were traced into it, or in it, and have ended."""
    left = []
    for ring in glob.glob("/dev/shm/tptrace.*"):
        with contextlib.suppress(OSError):  # it is somebody else's, or its process lives
            if tracing.is_left(ring, folder):
                left.append(ring)
    return left


@frame.test
def where_no_file_can_be_made(folder):
    os.mkfifo(f"{folder}/fifo")
    os.symlink(f"{folder}/none/x", f"{folder}/link")
    os.mkdir(f"{folder}/gone")
    for way in WAYS.values():
        for output, words in ((f"{folder}/none/x", ("No such file",)), (f"{folder}/fifo", ("not a regular file",)),
                              ("/dev/null", ("not a regular file",)), ("x" * 300, ("too long",)),
                              ("a%qb", ("valid are %e",))):
            done = run([*way, PROGRAM], cwd=folder, env={"TPTRACE_OUTPUT": output})
            says_one(done, "tptrace: ", "nothing is recorded", "TPTRACE_OUTPUT", *words)
        assert sorted(os.listdir(folder)) == ["fifo", "gone", "link"], os.listdir(folder)
        assert not rings(folder), rings(folder)
        command = f"cd {folder}/gone && rmdir ../gone && exec \"$@\""
        done = run(["sh", "-c", command, "sh", *way, PROGRAM])
        os.mkdir(f"{folder}/gone")
        says_one(done, "nothing is recorded")


@frame.test
def who_reads_it(folder):
    """The command that the line names, given where the line was said, reads that trace: of a rank, with the others."""
    rank = {"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "2"}
    for output, env, want in (("", {}, ""), ("in/", {}, None), (f"{folder}/a", {}, None), ("", rank, " ."),
                              ("in/", rank, " in/")):
        done = run([*WAYS["outside"], PROGRAM], cwd=folder, env={"TPTRACE_OUTPUT": output, **env})
        trace, said = re.fullmatch(r"tptrace: (.*?): .*; read it with `tptrace report(.*)`\n", done.stderr).groups()
        assert said == (f" {trace}" if want is None else want), (output, done)
        assert run([TPTRACE, "report", *said.split()], cwd=folder).returncode == 0, (output, said)


@frame.test
def where_standard_error_is_full(folder):
    """It is a file that may not grow, and what is said into it ends neither the program nor record."""
    with open(f"{folder}/said", "wb") as f:
        f.write(bytes(4096))
    for way in WAYS.values():
        for env in ({"TPTRACE_COLLAPSE": "often"}, {"TPTRACE_VERBOSE": "1"}):
            with open(f"{folder}/said", "ab") as said:
                done = subprocess.run([*way, PROGRAM], stdout=subprocess.PIPE, stderr=said, text=True, cwd=folder,
                                      env=tracing.environment(**env), timeout=120, check=False,
                                      preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
            assert (done.stdout, done.returncode) == (f"{TASKS}\n", 7), (way, env, done)


@frame.test
def where_the_flight_recorder_cannot_write(folder):
    """Collected inside, what it kept is in memory, and recover writes it elsewhere."""
    for way in ("inside", "by hand"):
        done = run([*WAYS[way], PROGRAM], cwd=folder, env={"TPTRACE_OUTPUT": f"{folder}/none/x", "TPTRACE_KEEP": "last"})
        (ring,) = rings(folder)
        assert (done.stdout, done.returncode) == (f"{TASKS}\n", 7) and f"`tptrace recover {ring}`" in done.stderr, done
        done = run([TPTRACE, "recover", ring], cwd=folder)
        assert done.returncode == 0 and not rings(folder), (done, rings(folder))
        (trace,) = glob.glob(f"{folder}/*.tpt")
        assert tracing.explicit(tracing.report_of(TPTRACE, trace)) == TASKS, done
        os.unlink(trace)


@frame.test
def where_a_file_is_there(folder):
    """It stays, and a line says where the trace goes, also with -q; --force replaces it, if it is a trace."""
    def record(*options, way="outside"):
        return run([*WAYS[way], "-q", *options, "-o", f"{folder}/x.tpt", PROGRAM])
    assert record().stderr == ""
    kept = os.stat(f"{folder}/x.tpt")
    for number, way in enumerate(("outside", "inside"), 1):
        says_one(record(way=way), f"{folder}/x.tpt is there already", f"written to {folder}/x.tpt.{number} (")
        assert tracing.explicit(tracing.report_of(TPTRACE, f"{folder}/x.tpt.{number}")) == TASKS
    assert os.stat(f"{folder}/x.tpt") == kept
    for way in ("outside", "inside"):
        done = record("--force", way=way)
        now = os.stat(f"{folder}/x.tpt")
        assert done.stderr == "" and (now.st_ino, now.st_mtime_ns) != (kept.st_ino, kept.st_mtime_ns) and len(os.listdir(folder)) == 3, done
        kept = now
    with open(f"{folder}/x.tpt", "w", encoding="utf-8") as file:
        file.write("a text\n")
    done = record("--force")
    assert done.returncode == 125 and done.stdout == "" and "is no trace" in done.stderr, done
    with open(f"{folder}/x.tpt", encoding="utf-8") as file:
        assert file.read() == "a text\n"


@frame.test
def where_nothing_fits(folder):
    """A full disk from the first byte, and in the middle; the flight recorder writes the newest events that fit."""
    script = """mount -t tmpfs -o size=64k none "$0" && cd "$0" && { head -c $1 /dev/zero >fill 2>/dev/null; shift; "$@"
                status=$?; ls >&2; for f in *.tpt; do test ! -e $f || $TPTRACE info $f >&2; done; exit $status; }"""
    if run(["unshare", "-m", "mount", "-t", "tmpfs", "none", folder]).returncode:
        return "no mount here"
    for way in WAYS.values():
        done = run(["unshare", "-m", "sh", "-c", script, folder, "65536", *way, PROGRAM], env={"TPTRACE": TPTRACE})
        said, *left = done.stderr.splitlines()
        assert (done.stdout, done.returncode) == (f"{TASKS}\n", 7), done
        assert "No space left" in said and "nothing is recorded" in said and left == ["fill"], done
        done = run(["unshare", "-m", "sh", "-c", script, folder, "61440", *way, PROGRAM, "9000"],
                   env={"TPTRACE": TPTRACE, "TPTRACE_COLLAPSE": "off"})
        assert (done.stdout, done.returncode) == ("9000\n", 7), done
        said, *left = done.stderr.splitlines()
        assert "No space left" in said and ("until now is kept" in said or "nothing is recorded" in said), done
        assert "state: whole" in left and "unwritten: no space left" in left, done  # and it is a trace
    way = [TPTRACE, "record", "--keep", "last"]
    done = run(["unshare", "-m", "sh", "-c", script.replace("info $f", "report $f"), folder, "32768", *way, PROGRAM, "300000"],
               env={"TPTRACE": TPTRACE, "TPTRACE_COLLAPSE": "off", "TPTRACE_BUFFER": "16K"})
    assert (done.stdout, done.returncode) == ("300000\n", 7), done
    assert "No space left on device: only the newest" in done.stderr and "only the newest events were kept" in done.stderr, done
    done = run(["unshare", "-m", "sh", "-c", script, folder, "32768", *WAYS["by hand"], PROGRAM, "300000"],
               env={"TPTRACE": TPTRACE, "TPTRACE_COLLAPSE": "off", "TPTRACE_KEEP": "last", "TPTRACE_OUTPUT": "x.tpt"})
    ring = re.search("`tptrace recover (/dev/shm/.*)` writes it", done.stderr)
    assert (done.stdout, done.returncode) == ("300000\n", 7) and ring, done
    done = run([TPTRACE, "recover", ring[1]], cwd=folder)
    assert done.returncode == 0 and tracing.explicit(tracing.report_of(TPTRACE, f"{folder}/x.tpt")) == 300000, done
    return None


def events_of(trace):
    """Of the program, but for holds by the recorder."""
    dump = run([TPTRACE, "dump", trace]).stdout
    return len(re.findall(r"^[-\d]+ w\d+ (?!lost|since|until|next-id|tracer)", dump, re.M))


@frame.test
def where_a_trace_ends_too_soon(folder):
    """It has its end, and says how many tasks and events it lacks, from when on and why.  All are there or counted."""
    if run(["unshare", "-m", "mount", "-t", "tmpfs", "none", folder]).returncode:
        return "no mount here"
    full = """mount -t tmpfs -o size=$SPACE none "$0" && cd "$0" && to=$1 && shift && { "$@"; status=$?; cp *.tpt "$to"; exit $status; }"""
    env, tasks = {"TPTRACE_COLLAPSE": "off", "OMP_THREAD_LIMIT": "1"}, 300000
    os.mkdir(f"{folder}/small")
    for name, way in WAYS.items():
        made, program = [], [*way, PROGRAM, str(tasks)]
        for why, command in ((None, ["sh", "-c", 'to=$0; "$@"; status=$?; mv *.tpt "$to"; exit $status']),
                             ("no space left", ["unshare", "-m", "sh", "-c", full, f"{folder}/small"]),
                             ("file size limit reached", ["sh", "-c", 'ulimit -f $((SPACE / 512)); to=$0; "$@"; status=$?; mv *.tpt "$to"; exit $status'])):
            trace = f"{folder}/out.trace"
            done = run([*command, trace, *program], cwd=folder, env=env)
            assert (done.stdout, done.returncode) == (f"{tasks}\n", 7), done
            if not why: # as much compresses well or badly, as the machine is quiet or not
                env["SPACE"] = str((os.path.getsize(trace) + RESERVE) // 2) # half of what is not kept for the end
            report = tracing.report_of(TPTRACE, trace, "--strict", status=3 if why else 0)
            assert report["complete"] and report["ended"] == "cleanly", report
            assert {loss["why"] for loss in report["losses"]} == ({why} if why else set()), report["losses"]
            assert all(loss["from_ns"] < loss["to_ns"] for loss in report["losses"]), report["losses"]
            assert tracing.explicit(report) + report["tasks_lost"] == tasks, (name, why, report["tasks"], report["tasks_lost"])
            made.append(events_of(trace) + report["events_lost"])
            os.unlink(trace)
        assert all(made[0] <= n <= made[0] * 1.01 for n in made), (name, made)
    return None


@frame.test
def where_files_are_limited(folder):
    """SIGXFSZ ends neither record nor the program: no file is longer than no byte, for both or for the program alone."""
    for way in WAYS.values():
        done = run([*way, PROGRAM], cwd=folder, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)))
        assert (done.stdout, done.returncode) == (f"{TASKS}\n", 7), done
        said = done.stderr.splitlines()[-1]
        assert "File too large; nothing is recorded; raise the limit on file sizes" in said, done
        done = run([*way, "sh", "-c", 'ulimit -f 0; exec "$0"', PROGRAM], cwd=folder)
        assert (done.stdout, done.returncode) == (f"{TASKS}\n", 7), done
        assert "File too large; nothing is recorded" in done.stderr.splitlines()[-1], done
        assert not os.listdir(folder), os.listdir(folder)
    done = run([*WAYS["outside"], PROGRAM], cwd=folder, env={"TPTRACE_VERBOSE": "1"},
               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20)))
    (why,) = [line for line in done.stderr.splitlines() if "external collector" in line]
    assert done.returncode == 7 and "ulimit -f" in why and "File too large" in why, done


@frame.test
def where_no_directory_is(folder):
    """NAME/ is made, but for a command that cannot be recorded."""
    for options in ((), ("--inside",)):
        for command, made in (([PROGRAM], True), (["/no/such/program"], False)):
            new = f"{folder}/new{len(options)}{made}"
            done = run([TPTRACE, "record", *options, "-o", f"{new}/", *command])
            assert done.returncode == (7 if made else 127) and os.path.isdir(new) == made, done
            assert not made or len(os.listdir(new)) == 1, done


@frame.test
def where_memory_is_limited(folder):
    """The program runs wherever it does alone, and is recorded, or record says that it is not."""
    for most in (8, 16, 21, 27, 28, 32, 52, 64):
        limit = functools.partial(resource.setrlimit, resource.RLIMIT_DATA, (most << 20, most << 20))
        alone = run([PROGRAM], preexec_fn=limit)
        done = run([TPTRACE, "record", "-o", f"{folder}/{most}.tpt", PROGRAM], preexec_fn=limit)
        assert (done.stdout, done.returncode) == (alone.stdout, alone.returncode), (most, alone, done)
        assert ("nothing is recorded" in done.stderr) == (most < 28) != os.path.exists(f"{folder}/{most}.tpt"), done


def plugins(folder):
    """A program of each runtime of which there is a stand-in, as a library that `plugged` loads."""
    program = f"{folder}/plugged"
    subprocess.run(["gcc", "-O1", "-w", f"{HERE}/plugged.c", "-o", program, "-ldl"], check=True)
    for shim, runtime, name in (("qth", "qthread", "fork"), ("mth", "myth", "create"), ("abt", "abt", "fib")):
        if os.path.exists(f"{BUILD}/runtime/lib{runtime}.so"):
            library = f"{folder}/{shim}.so"
            subprocess.run(["gcc", "-O1", "-g", "-w", "-shared", "-fPIC", "-Dmain=plugged",
                            f"-I{HERE}/../runtime/{runtime}", f"-I{HERE}/../..", f"{HERE}/../work/{shim}/{name}.c", "-o", library, f"-L{BUILD}/runtime",
                            f"-Wl,-rpath,{os.path.abspath(BUILD)}/runtime", f"-l{runtime}", "-lpthread"], check=True)
            yield shim, [program, library]


@frame.test
def where_memory_is_limited_and_a_runtime_is_loaded(folder):
    """No shim is left out, whatever the program is linked to."""
    seen = 0
    for shim, program in plugins(folder):
        limit = functools.partial(resource.setrlimit, resource.RLIMIT_DATA, (48 << 20, 48 << 20))
        alone = run(program, preexec_fn=limit)
        done = run([TPTRACE, "record", "-o", f"{folder}/{shim}.tpt", *program], preexec_fn=limit)
        assert (done.stdout, done.returncode) == (alone.stdout, alone.returncode), (shim, alone, done)
        tasks = re.search(r"tptrace-tasks (\d+)", alone.stdout)
        report = tracing.report_of(TPTRACE, f"{folder}/{shim}.tpt", "--strict")
        assert tracing.explicit(report) == int(tasks[1]), (shim, tasks, report["tasks"])
        seen += 1
    return None if seen == 3 else "not each runtime has a stand-in (make runtimes)"


@frame.test
def where_descriptors_are_limited(folder):
    """There is a trace of all, or one line says what is missing: descriptors, not a place."""
    right = (f"{TASKS}\n", 7)
    ways = {**WAYS, "kept": [TPTRACE, "record", "--keep", "last"]}
    for most in range(3, 26):
        limit = functools.partial(resource.setrlimit, resource.RLIMIT_NOFILE, (most, most))
        alone = run([PROGRAM], preexec_fn=limit)
        for name, way in ways.items():
            trace = f"{folder}/{name}{most}.tpt"
            done = run([*way, PROGRAM], preexec_fn=limit, env={"TPTRACE_OUTPUT": trace})
            if most < 4: # the loader itself needs one
                assert done.returncode == 127 == alone.returncode, (most, name, done)
                continue
            assert (done.stdout, done.returncode) == (alone.stdout, alone.returncode) == right, (most, name, done)
            said = [line for line in done.stderr.splitlines() if "read it with" not in line]
            if os.path.exists(trace):
                report = tracing.report_of(TPTRACE, trace, "--strict")
                assert not said and tracing.explicit(report) == TASKS, (most, name, done)
            else:
                kept = [line for line in said if "`tptrace recover " in line]
                assert len(said) == 1 + len(kept) and len(kept) == (name == "kept"), (most, name, done)
                assert most == 4 and "Too many open files; nothing is recorded; raise the limit" in said[0], done
                for line in kept: # so it is no secret
                    os.unlink(re.search("`tptrace recover (.*)`", line)[1])


@frame.test
def with_a_name_that_a_terminal_obeys(folder):
    name = b"\x1b]0;x\x07\x7f\xc2\x9bz\xff"
    program = os.path.join(os.fsencode(folder), name)
    shutil.copy(PROGRAM, program)
    for way in WAYS.values():
        done = subprocess.run([*way, program], cwd=folder, capture_output=True, timeout=120, check=False,
                              env=tracing.environment(TPTRACE_VERBOSE=1))
        assert (done.returncode, len(done.stderr.splitlines())) == (7, 1), done
        assert not re.search(rb"[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xff", done.stderr), done
    missing = subprocess.run([TPTRACE, "record", program + b"none"], capture_output=True, timeout=120, check=False)
    assert missing.returncode == 127 and b"\x1b" not in missing.stderr and b"\x7f" not in missing.stderr, missing


@frame.test
def with_descriptors_closed(folder):
    """The program has them closed, too, and no message of record's goes where it should not."""
    seen = "import os, sys; sys.exit(sum(1 << fd for fd in range(3) if os.path.exists(f'/proc/self/fd/{fd}')))"
    for closed in range(8):
        close = " ".join(f"{fd}>&-" for fd in range(3) if closed >> fd & 1)
        plain = run(["sh", "-c", f"exec \"$@\" {close}", "sh", sys.executable, "-c", seen])
        for way in WAYS.values():
            done = run(["sh", "-c", f"exec \"$@\" {close}", "sh", *way, sys.executable, "-c", seen], cwd=folder)
            assert done.returncode == plain.returncode, (closed, way, plain, done)
            done = run(["sh", "-c", f"exec \"$@\" {close}", "sh", *way, PROGRAM], cwd=folder)
            assert done.returncode == 7 and done.stdout == ("" if closed & 2 else f"{TASKS}\n"), (close, done)
            (path,) = glob.glob(f"{folder}/*.tpt")
            assert tracing.explicit(tracing.report_of(TPTRACE, path)) == TASKS, done
            os.unlink(path)
    if run(["strace", "-V"]).returncode if os.path.exists("/usr/bin/strace") else 1:
        return "no strace: not seen where messages go"
    log = f"{folder}/log"
    run(["sh", "-c", "exec \"$@\" 0>&- 1>&- 2>&-", "sh", "strace", "-y", "-e", "trace=write", "-o", log,
         *WAYS["outside"], "true"], cwd=folder)
    with open(log, encoding="utf-8", errors="replace") as f:
        told = [line for line in f if "tptrace: no task" in line]
    assert told and all("/dev/null" in line for line in told), told
    return None


def main():
    if not os.path.exists(PROGRAM):
        os.makedirs(os.path.dirname(PROGRAM), exist_ok=True)
        subprocess.run(["gcc", "-O1", "-g", "-fopenmp", "-D_GNU_SOURCE", os.path.join(HERE, "tasks.c"), "-o", PROGRAM],
                       check=True)
    return frame.run("places", ARGS)


if __name__ == "__main__":
    sys.exit(main())
