#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""commands.py - what tptrace record runs: programs under other tools, with sanitizers, with modes of all sorts.

The program makes a number of tasks and ends with 7, and its trace must have them all.
"""
import errno
import glob
import itertools
import os
import resource
import shutil
import socket
import struct
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import frame  # noqa: E402
import tracing  # noqa: E402

ARGS = frame.arguments(__doc__)
BUILD, TPTRACE, SHIM = ARGS.build, ARGS.tptrace, ARGS.shim_omp
TASKS = 40
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


def compile_tasks(*flags, cc="gcc", name="tasks"):
    """The program; None if this compiler cannot make it so."""
    kind = "".join(flags).replace("/", "_").replace("-", "").replace("=", "_").replace(",", "_")
    out = os.path.join(BUILD, "record", f"{name}-{cc}{kind[-80:]}")
    os.makedirs(os.path.dirname(out), exist_ok=True)
    source = os.path.join(HERE, name + ".c")
    if not os.path.exists(out) or os.path.getmtime(out) < os.path.getmtime(source):
        done = subprocess.run([cc, "-O1", "-g", "-fopenmp", "-D_GNU_SOURCE", source, "-o", out + ".part", *flags],
                              capture_output=True, check=False)
        if done.returncode:
            return None
        os.rename(out + ".part", out)
    return out


def run(command, timeout=120, **how):
    env = tracing.environment(**how.pop("env", {}))
    return subprocess.run(command, capture_output=True, text=True, errors="replace", env=env,
                          timeout=timeout, check=False, **how)


def record(folder, *command, options=(), **how):
    return run([TPTRACE, "record", "-o", f"{folder}/", *options, "--", *command], **how)


def traces(folder):
    return sorted(glob.glob(f"{folder}/*.tpt*"))


def one_trace(folder, done, tasks=TASKS):
    """The trace that there is, with all its tasks; and away with it."""
    (path,) = traces(folder) or [None]
    assert path, done
    report = tracing.report_of(TPTRACE, path)
    assert tracing.explicit(report) == tasks and report["events_lost"] == 0, (report, done)
    os.unlink(path)
    return report


def has(*tools):
    return all(shutil.which(tool) for tool in tools)


def works(*command):
    """Whether that tool can do here what it is for; some need a permission, or a CPU."""
    return has(command[0]) and run([*command, "true"]).returncode == 0


def under_filter(*flags):
    """The program, and what runs it under a filter of system calls."""
    program, forbids = compile_tasks(), compile_tasks(*flags, name="forbids")
    if run([forbids, program]).returncode == 77:
        raise frame.Skip("no filters here")
    return program, forbids


@frame.test
def under_valgrind(folder):
    """It refuses a mremap() of no bytes, by which rings are mapped elsewhere."""
    if not works("valgrind", "-q"):
        return "no valgrind"
    program = compile_tasks()
    for options in ((), ("--inside",)):
        done = record(folder, "valgrind", "-q", program, options=options)
        assert (done.stdout, done.returncode) == (f"{TASKS}\n", 7), done
        assert "not recorded" not in done.stderr, done
        one_trace(folder, done)
    return None


@frame.test
def under_other_tools(folder):
    """Each starts the program; some stay, some become it."""
    program = compile_tasks()
    commands = [["env", "A=B"], ["nice"], ["taskset", "1"], ["timeout", "60"], ["setsid", "-w"],
                ["strace", "-f", "-o", "/dev/null"], ["gdb", "-nx", "-batch", "-ex", "run", "--args"],
                ["perf", "stat", "-o", "/dev/null"], ["time", "-o", "/dev/null"], ["stdbuf", "-o0"]]
    for command in commands:
        if not works(*command):
            print(f"skip record of {command[0]}: not installed, or not allowed", flush=True)
            continue
        done = record(folder, *command, program)
        assert str(TASKS) in done.stdout.split("\n"), (command, done)
        assert done.returncode == (0 if command[0] == "gdb" else 7), (command, done)
        one_trace(folder, done)
    for shell in (f"{program}; exit $?", f"exec {program}", f"( {program} )", f"{program} | cat; exit 7"):
        done = record(folder, "sh", "-c", shell)
        assert (done.stdout, done.returncode) == (f"{TASKS}\n", 7), (shell, done)
        one_trace(folder, done)


@frame.test
def without_its_environment(folder):
    """What was asked for stands, though the program takes it out of its environment before its first task."""
    program = compile_tasks()
    for what in ("forget", "title"):
        for options in ((), ("--inside",)):
            done = record(folder, program, what, options=(*options, "--counters", "page-faults"))
            assert (done.stdout, done.returncode) == (f"{TASKS}\n", 7), done
            report = one_trace(folder, done)
            assert report["counters"], (what, options, report)


def asan_of_clang():
    done = run(["clang", "-print-file-name=libclang_rt.asan-x86_64.so"])
    path = done.stdout.strip()
    return path if os.path.isabs(path) and os.path.exists(path) else None


def sanitized():
    """What to compile with, and what the runtime says of a write behind memory."""
    yield "gcc", ("-fsanitize=address",), "heap-buffer-overflow"
    yield "gcc", ("-fsanitize=undefined",), ""
    yield "gcc", ("-fsanitize=leak",), ""
    yield "gcc", ("-fsanitize=thread",), None
    if has("clang"):
        yield "clang", ("-fsanitize=address",), "heap-buffer-overflow"
        yield "clang", ("-fsanitize=thread",), None
        library = asan_of_clang()
        if library:
            yield "clang", ("-fsanitize=address", "-shared-libasan",
                            "-Wl,-rpath," + os.path.dirname(library)), "heap-buffer-overflow"


# all that is read before the program begins
EARLY_OPTIONS = ("--keep=last", "--collapse=off", "--clock=monotonic", "--overflow=drop", "--collector-threads=2",
                 "--buffer=1M", "--max-size=1G", "--toggle-signal=USR1", "--snapshot-signal=USR2")

UNHEARD = {"TSAN_OPTIONS": "report_bugs=0"}  # libgomp and libomp are not built with it


@frame.test
def with_sanitizers(folder):
    """A dynamic ASan wants to be first in LD_PRELOAD; what it finds is found under record, too.  Functions of libc's that
    a sanitizer has in their place cannot be called before the program begins.
    """
    for cc, flags, finds in sanitized():
        program = compile_tasks(*flags, cc=cc)
        if not program or run([program], env=UNHEARD).returncode != 7:  # some mind the kernel's memory layout
            print(f"skip with_sanitizers {cc} {' '.join(flags)}: does not work here", flush=True)
            continue
        for command in ([program], ["sh", "-c", f"{program}; exit $?"]):
            for options in ((), EARLY_OPTIONS):
                done = record(folder, *command, options=options, env=UNHEARD)
                assert (done.stdout, done.returncode) == (f"{TASKS}\n", 7), (cc, flags, done)
                # libomp calls that sanitizer's own tool
                one_trace(folder, done, 0 if (cc, *flags) == ("clang", "-fsanitize=thread") else TASKS)
        if not finds:
            continue
        plain, done = run([program, "overflow"]), record(folder, program, "overflow")
        assert finds in plain.stderr and finds in done.stderr, (plain, done)
        assert plain.returncode == done.returncode, (plain, done)
        for path in traces(folder):
            os.unlink(path)
    asan = compile_tasks("-fsanitize=address")
    if asan:  # what the user has set stays in force
        done = record(folder, asan, env={"ASAN_OPTIONS": "verify_asan_link_order=1:exitcode=9"})
        assert "does not come first" in done.stderr and done.returncode == 9, done


def as_nobody(folder):
    """A copy of tptrace that another user gets to; the command that becomes that user, or None."""
    os.chmod(folder, 0o777)
    shutil.copy(TPTRACE, folder)
    for library in glob.glob(f"{BUILD}/lib*.so"):
        shutil.copy(library, folder)
    done = run([*NOBODY, f"{folder}/tptrace", "--version"])
    return NOBODY if done.returncode == 0 else None


def is_secure(user, program):
    """Whether the kernel says so: the loader then ignores this variable, too."""
    return "AT_SECURE" not in run([*user, "env", "LD_SHOW_AUXV=1", program]).stdout


@frame.test
def setuid_programs(folder):
    """Only what changes the user or the group is run in the loader's secure mode."""
    if os.getuid() != 0:
        return "needs root"
    user = as_nobody(folder)
    if not user:
        return "no other user gets here"
    program, out = f"{folder}/program", f"{folder}/out"
    os.mkdir(out)
    os.chmod(out, 0o777)
    cases = [(65534, 65534, 0o4755, None), (65534, 65534, 0o2755, None), (0, 0, 0o4755, "setuid"),
             (0, 0, 0o2755, "setgid"), (0, 0, 0o2745, None), (0, 0, 0o0755, None)]
    # struct vfs_cap_data, version 2: flags (1: effective), then permitted and inheritable twice; 13 is NET_RAW
    cases += [(0, 0, struct.pack("<5I", 0x02000000 | flag, permitted, inherited, 0, 0), refused)
              for flag, permitted, inherited, refused in ((1, 1 << 13, 0, "capabilities"),
                                                          (0, 1 << 13, 0, "capabilities"),
                                                          (0, 0, 1 << 13, None), (0, 0, 0, None))]
    for uid, gid, mode, refused in cases:
        shutil.copy(compile_tasks(), program)
        os.chown(program, uid, gid)
        os.chmod(program, mode if isinstance(mode, int) else 0o755)
        if isinstance(mode, bytes):
            try:
                os.setxattr(program, "security.capability", mode)
            except OSError:
                print("skip capabilities: this file system has none", flush=True)
                continue
        assert is_secure(user, program) == bool(refused), mode
        done = run([*user, f"{folder}/tptrace", "record", "-o", f"{out}/", program])
        if refused:
            assert done.returncode == 125 and done.stdout == "", (mode, done)
            assert refused in done.stderr and len(done.stderr.splitlines()) == 1, (mode, done)
        else:
            assert (done.stdout, done.returncode) == (f"{TASKS}\n", 7), (mode, done)
            one_trace(out, done)
    # and root becomes somebody else by such a bit
    os.chown(program, 65534, 65534)
    os.chmod(program, 0o4755)
    assert is_secure([], program)
    done = run([f"{folder}/tptrace", "record", "-o", f"{out}/", program])
    assert done.returncode == 125 and "setuid" in done.stderr, done
    return None


@frame.test
def of_another_libc(folder):
    """Its loader would end the program, as ours asks for what only glibc has."""
    with open(compile_tasks(), "rb") as f:
        program = f.read()
    loader = program.index(b"/ld-linux", program.index(b"/lib"))
    start = program.rindex(b"/lib", 0, loader)
    end = program.index(b"\0", loader)
    other = b"/lib/ld-musl-x.so.1"
    with open(f"{folder}/other", "wb") as f:
        f.write(program[:start] + other.ljust(end - start, b"\0") + program[end:])
    os.chmod(f"{folder}/other", 0o755)
    done = record(folder, f"{folder}/other")
    assert done.returncode == 125 and "musl" in done.stderr and done.stderr.count("\n") == 1, done


def of_another_loader(folder):
    """A program whose loader is a stand-in for musl's: it writes LD_PRELOAD, and ends with 9."""
    loader, program = f"{folder}/ld-musl-x.so.1", f"{folder}/other"
    subprocess.run(["gcc", "-O1", "-nostdlib", "-static", "-ffreestanding", "-fno-stack-protector",
                    f"{HERE}/loader.c", "-o", loader], check=True)
    subprocess.run(["gcc", "-fopenmp", "-D_GNU_SOURCE", f"{HERE}/tasks.c", "-o", program,
                    f"-Wl,--dynamic-linker={loader}"], check=True)
    with open(f"{folder}/script", "w", encoding="utf-8") as f:
        f.write(f"#!{program}\n")
    os.chmod(f"{folder}/script", 0o755)
    return program


def ways_to_start(program):
    """Commands of glibc that start it, each by another call."""
    folder, name = os.path.split(program)
    python = f"""
import ctypes, os, sys
os.environ["PATH"] = "{folder}:" + os.environ["PATH"]
libc, path, name = ctypes.CDLL(None), b"{program}", b"{name}"
argv = (ctypes.c_char_p * 2)(name, None)
envp = (ctypes.c_char_p * (len(os.environb) + 1))(*[k + b"=" + v for k, v in os.environb.items()], None)
"""
    calls = ["os.execv(path, [name])", "os.execve(path, [name], os.environ)", "libc.execl(path, name, None)",
             "libc.execlp(name, name, None)", "libc.execle(path, name, None, envp)", "libc.execvp(name, argv)",
             "libc.execvpe(name, argv, envp)", "os.execve(os.open(path, 0), [name], os.environ)",
             "libc.execveat(os.open(path, 0), b'', argv, envp, 0x1000)", "libc.execveat(-100, path, argv, envp, 0)"]
    calls += [f"sys.exit(os.waitpid(os.{call}, [name], os.environ), 0)[1] >> 8)"
              for call in ("posix_spawn(path", "posix_spawnp(name")]
    for call in calls:
        yield [sys.executable, "-c", python + call]
    yield from (["sh", "-c", f"{program}; exit $?"], ["env", program], ["sh", "-c", f"exec {folder}/script"])


@frame.test
def starting_another_libc(folder):
    """Below a shell: what is started finds no library of ours in LD_PRELOAD, and all others."""
    program = of_another_loader(folder)
    own = f"{folder}/own.so"
    subprocess.run(["gcc", "-shared", "-xc", "/dev/null", "-o", own], check=True)
    for command in ways_to_start(program):
        for preload, expected in ((None, ""), (own, f"LD_PRELOAD={own}")):
            done = record(folder, *command, env={"LD_PRELOAD": preload} if preload else {})
            assert (done.stdout, done.returncode) == (expected + "\n", 9), (command, done)
    done = record(folder, "sh", "-c", f"{program}; {compile_tasks()}; exit $?")
    assert (done.stdout, done.returncode) == (f"\n{TASKS}\n", 7), done
    one_trace(folder, done)


@frame.test
def in_another_time(folder):
    """A clock that the collector does not have: the program collects by itself."""
    space = ["unshare", "--time", "--monotonic", "100000"]
    if not works(*space):
        return "no time namespaces here"
    done = record(folder, *space, compile_tasks())
    assert done.returncode == 7, done
    (path,) = glob.glob(f"{folder}/*.tpt")
    assert tracing.explicit(tracing.report_of(TPTRACE, path)) == TASKS, done
    return None


@frame.test
def without_proc(folder):
    """As in a chroot where nobody mounted it."""
    program = compile_tasks()
    if run(["unshare", "-m", "mount", "-t", "tmpfs", "none", "/proc"]).returncode:
        return "no mount here"
    for options in ("", "--inside"):
        script = (f"mount -t tmpfs none /proc && cd {folder} && "
                  f"exec {TPTRACE} record -q {options} -- {program}")
        done = run(["unshare", "-m", "sh", "-c", script])
        assert (done.stdout, done.returncode, done.stderr) == (f"{TASKS}\n", 7, ""), done
        (path,) = traces(folder)
        info = run([TPTRACE, "info", path]).stdout.splitlines()
        assert f"exe: {program}" in info and f"command: {program}" in info, info
        one_trace(folder, done)
    return None


@frame.test
def where_creating_is_forbidden(folder):
    """A filter's EPERM is no other user's doing, and the program does not notice."""
    program, forbids = under_filter()
    done = run([forbids, program])
    for options in (("--inside",), ()):
        done = record(folder, forbids, program, options=options)
        assert (done.stdout, done.returncode) == (f"{TASKS}\n", 7), done
        if not options:  # who collects outside is not under the filter
            one_trace(folder, done)
            continue
        (line,) = done.stderr.splitlines()
        assert "filter" in line and "another user" not in line and folder in line, done
    return None


@frame.test
def in_a_container(folder):
    """record is under the filter, too: the program collects by itself, and record does not deny its trace."""
    program, forbids = under_filter("-DCONTAINER")
    for options in ((), ("--inside",)):
        done = run([forbids, TPTRACE, "record", *options, program], cwd=folder)
        assert (done.stdout, done.returncode) == (f"{TASKS}\n", 7) and not says_none(done), done
        one_trace(folder, done)
    return None


@frame.test
def where_calls_are_forbidden(folder):
    """Those that record and its collector make: it ends as the program does, and says nothing untrue."""
    for call in ("sendto", "recvfrom", "recvmsg", "sendmsg", "socketpair", "pipe2", "signalfd4",
                 "poll", "ppoll", "waitid", "wait4", "setsid", "dup2", "clone", "eventfd2", "accept4", "getsockopt",
                 "fcntl"):
        for error in ("EPERM", "ENOSYS"):
            program, forbids = under_filter(f"-DCALL=SYS_{call}", f"-DERROR={error}")
            trace = f"{folder}/{call}-{error}.tpt"
            done = run([forbids, TPTRACE, "record", "-o", trace, program], cwd=folder)
            assert (done.stdout, done.returncode) == (f"{TASKS}\n", 7), (call, error, done)
            (line,) = done.stderr.splitlines()
            assert trace in line and "killed" not in line, (call, error, line)
            assert tracing.explicit(tracing.report_of(TPTRACE, trace)) == TASKS, (call, error)


@frame.test
def nobody_is_left_to_reap(folder):
    """record reaps its collector: in a container, where there may be no init, it would stay a zombie."""
    script = """if True:
        import ctypes, os, subprocess, sys
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)     # PR_SET_CHILD_SUBREAPER: orphans are ours
        subprocess.run(sys.argv[1:], check=False)
        try:
            print("left:", os.waitpid(-1, 0))
        except ChildProcessError:
            print("none")"""
    done = run([sys.executable, "-c", script, TPTRACE, "record", "-o", f"{folder}/", compile_tasks()])
    assert done.stdout.endswith("none\n"), done
    one_trace(folder, done)


@frame.test
def few_processes(folder):
    """As many as alone are enough (ulimit -u): the recorder takes none that the program's team needs, and says so."""
    if os.getuid() != 0 or not as_nobody(folder):
        return "needs root, and another user who gets here"
    program, team, users = shutil.copy(compile_tasks(), folder), 2, itertools.count(300000 + 100 * os.getpid())

    def limited(n, *command, **env):
        user = next(users)

        def become():
            resource.setrlimit(resource.RLIMIT_NPROC, (n, n))
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)
        return run(command, cwd=folder, preexec_fn=become, env={"OMP_NUM_THREADS": str(team), **env})
    try:
        counts = limited(team, program).returncode == 7 and limited(team - 1, program).returncode == 1
    except subprocess.SubprocessError:
        return "there are no such users here: a user namespace has few"
    if not counts:
        return "this user's limit counts others"
    record_it = f"{folder}/tptrace", "record"
    as_root = ("unshare", "-r")  # of a user namespace, which its limit holds for
    ways = [(), as_root] if limited(team - 1, *as_root, program).returncode == 1 else [()]
    commands = (record_it, {}), ((*record_it, "--inside"), {}), ((), {"LD_PRELOAD": f"{folder}/libtpshim_omp.so"})
    for n, way in itertools.product((*range(team, team + 6), 1000), ways):
        for command, env in commands:
            done = limited(n, *way, *command, program, **env)
            assert (done.stdout, done.returncode) == (f"{TASKS}\n", 7), (n, command, done)
            if not traces(folder):
                assert n < 1000 and "limit on processes" in done.stderr, (n, command, done)
                continue
            assert n > team, (n, command, done)
            one_trace(folder, done)
    for option in ((), ("--inside",)):  # as many threads as it is told to, whatever the CPUs
        done = limited(50, *record_it, *option, "--collector-threads", "64", program)
        assert done.returncode == 7 and "limit on processes" in done.stderr and not traces(folder), (option, done)
        done = limited(50, *record_it, *option, "--collector-threads", "4", program)
        one_trace(folder, done)
    wide = shutil.copy(compile_tasks("-DTEAM=12"), folder)  # than it is said to be: it lacks what the recorder takes
    for command, env in commands:
        done = {n: limited(n, *command, wide, **env) for n in (12, 13, 30)}
        failed = [n for n in done if done[n].returncode != 7]
        said = [n for n in done if done[n].stderr.count("are tptrace's: raise the limit on processes") == 1]
        assert said == failed and 0 < len(failed) < 3, (command, done)
    done = limited(1000, "prlimit", f"--as={8 << 30}", wide, OMP_STACKSIZE="1G", **commands[-1][1])  # it lacks memory
    assert done.returncode == 1 and "are tptrace's" not in done.stderr, done
    return None


@frame.test
def reasons_of_refusals(folder):
    """Where a filter refuses the program, or who asks it, a call, what is said has that call's error."""
    why = os.strerror(errno.EXDEV)
    for call in ("socket", "connect", "getsockopt", "sendmsg", "recvmsg", "memfd_create", "ftruncate", "fcntl"):
        program, forbids = under_filter(f"-DCALL=SYS_{call}", "-DERROR=EXDEV")
        done = record(folder, forbids, program, env={"TPTRACE_VERBOSE": "1"})
        assert (done.stdout, done.returncode) == (f"{TASKS}\n", 7), (call, done)
        assert f": {why}; collecting inside" in done.stderr and "nothing is recorded" not in done.stderr, (call, done)
        one_trace(folder, done)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"\0tptrace.{os.getpid()}")
        listener.listen()
        for call in ("socket", "connect", "getsockopt", "fcntl"):
            _, forbids = under_filter(f"-DCALL=SYS_{call}", "-DERROR=EXDEV")
            done = run([forbids, TPTRACE, "stop", str(os.getpid())])
            assert done.returncode == 1 and done.stderr.endswith(f": {why}\n"), (call, done)


@frame.test
def where_the_limit_on_files_is_hidden(folder):
    """Nobody knows that a file becomes too long: no SIGXFSZ of the recorder's ends the program."""
    program, forbids = under_filter("-DCALL=SYS_prlimit64")
    for options in ((), ("--inside",)):
        for blocks in (0, 8, 2000):
            done = record(folder, "sh", "-c", f'ulimit -f {blocks}; exec "$0" "$1"', forbids, program, options=options)
            assert (done.stdout, done.returncode) == (f"{TASKS}\n", 7), (options, blocks, done)
            assert bool(traces(folder)) == bool(blocks) == ("nothing is recorded" not in done.stderr), (blocks, done)
            for trace in traces(folder):
                os.unlink(trace)
    return None


def says_none(done):
    return [line for line in done.stderr.splitlines() if "no task of a runtime" in line]


@frame.test
def no_task_is_said_when_there_was_none(folder):
    """record says so once, and only if no process below it has a trace, whoever wrote that."""
    program = compile_tasks()
    nested = [TPTRACE, "record", "-o", f"{folder}/"]
    with_tasks = [["sh", "-c", f"{program}; true"], [*nested, program], [*nested, "sh", "-c", f"{program}; true"],
                  [*nested, *nested, program], [*nested, "--inside", program],
                  [*nested, "--inside", "sh", "-c", f"{program}; true"],
                  [sys.executable, "-c", f"import subprocess; subprocess.run(['{program}'])"]]
    if works("strace", "-f", "-o", "/dev/null"):
        with_tasks.append(["strace", "-f", "-o", "/dev/null", program])
    if run(["unshare", "-n", "true"]).returncode == 0:  # the collector cannot be reached
        with_tasks.append(["unshare", "-n", program])
        with_tasks.append(["sh", "-c", f"unshare -n {program}; true"])
    for command in with_tasks:
        for options in ((), ("--inside",)):
            done = record(folder, *command, options=options)
            assert not says_none(done), (options, done)
            one_trace(folder, done)
    for command in (["true"], ["sh", "-c", "true; true"], [*nested, "true"], ["env", "-i", program]):
        done = record(folder, *command)
        (line,) = says_none(done)
        assert "nothing is recorded" in line and not traces(folder), done
    assert len(says_none(record(folder, "true", options=("--inside",)))) == 1
    for compiler in ("gcc", "clang"):  # LLVM's runtime is set up before the first task
        idle = compile_tasks(cc=compiler, name="idle")
        for command in ([idle], [*nested, idle], [*nested, "--inside", idle]) if idle else ():
            for options in ((), ("--inside",)):
                done = record(folder, *command, options=options)
                assert len(says_none(done)) == 1 and not traces(folder), (command, options, done)
    for command in (["/etc/passwd"], [f"{folder}/none"]):
        done = record(folder, *command)
        assert done.returncode in (126, 127) and len(done.stderr.splitlines()) == 1, done


@frame.test
def linked_to_myth_dl(folder):
    """Its pthread functions are recorded where COMMAND is linked to it; where another program is, record says what to do."""
    library, program = f"{folder}/libmyth-dl.so.0", f"{folder}/dl"
    subprocess.run(["gcc", "-shared", "-fPIC", "-DLIBRARY", f"{HERE}/myth_dl.c", "-o", library, "-Wl,-soname,libmyth-dl.so.0"], check=True)
    subprocess.run(["gcc", f"{HERE}/myth_dl.c", "-o", program, "-Wl,--no-as-needed", library, f"-Wl,-rpath,{folder}"], check=True)
    for options in ((), ("--inside",)):
        done = record(folder, program, options=options)
        assert (done.stdout, done.returncode) == (f"{TASKS}\n", 7), done
        one_trace(folder, done)
    done = record(folder, "sh", "-c", f"{program}; exit $?")
    (line,) = says_none(done)
    assert (done.stdout, done.returncode) == (f"{TASKS}\n", 7) and not traces(folder), done
    assert f"{program} had libmyth-dl.so.0 in memory" in line and "libtpshim_mthdl.so" in line, line


@frame.test
def script_without_interpreter(folder):
    """posix_spawn() does not run it, as without tptrace."""
    program = compile_tasks(name="spawns")
    bare, done = run([program], cwd=folder), record(folder, program, cwd=folder)
    assert "by sh" not in bare.stdout, bare
    assert (done.stdout, done.returncode) == (bare.stdout, bare.returncode), (bare, done)


@frame.test
def nothing_is_said_or_touched_when_disabled(folder):
    """TPTRACE_DISABLE=1: not a word, whatever else is asked for, and an earlier trace stays."""
    program, out = compile_tasks(), f"{folder}/earlier.tpt"
    assert run([TPTRACE, "record", "-q", "-o", out, program]).returncode == 7
    for way in ((), ("--inside",)):
        for options in ((), ("--counters", "page-faults"), ("--counters", "PAPI_TOT_INS,PAPI_L3_TCM"), ("--slow", "main=2"),
                        ("--repeat", "2"), ("-o", out), ("-o", out, "--force"), ("-o", f"{folder}/new/")):
            done = run([TPTRACE, "record", *way, *options, program], cwd=folder, env={"TPTRACE_DISABLE": "1"})
            assert done.returncode == 7 and not done.stderr and set(done.stdout.split()) == {str(TASKS)}, (options, done)
            assert os.listdir(folder) == ["earlier.tpt"], (options, os.listdir(folder))


@frame.test
def another_user_is_no_missing_task(folder):
    """A program that has become somebody else collects by itself, if it may write; record says nothing more of it."""
    if os.getuid() != 0 or not as_nobody(folder):
        return "needs root, and another user who gets here"
    program, out = f"{folder}/program", f"{folder}/out"
    shutil.copy(compile_tasks(), program)
    os.mkdir(out)
    for mode, recorded in ((0o777, True), (0o700, False)):
        os.chmod(out, mode)
        done = run([f"{folder}/tptrace", "record", "-o", f"{out}/", *NOBODY, program])
        assert (done.stdout, done.returncode) == (f"{TASKS}\n", 7) and not says_none(done), done
        assert ("nothing is recorded" in done.stderr) != recorded, done
        if recorded:
            one_trace(out, done)
    return None


@frame.test
def a_program_that_ends_as_it_begins(folder):
    """While another thread starts the recording: there is a trace, or a line says that nothing is recorded."""
    program = compile_tasks("-pthread", name="brief")
    n_none = 0
    for i in range(60):
        done = record(folder, program, str(i * 100))
        traces = glob.glob(f"{folder}/*.tpt")
        assert done.returncode == 7 and len(done.stderr.splitlines()) == 1, (i, done)
        assert bool(traces) != ("nothing is recorded" in done.stderr), (i, traces, done)
        n_none += not traces
        for trace in traces:
            os.unlink(trace)
    assert n_none, "each recorded something"


if __name__ == "__main__":
    sys.exit(frame.run("record", ARGS))
