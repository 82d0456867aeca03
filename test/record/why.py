#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""why.py - where record sees no task it says why, if that is known: what, where, and what to do; and guesses nothing."""
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import frame  # noqa: E402
import tracing  # noqa: E402

ARGS = frame.arguments(__doc__)
TPTRACE = ARGS.tptrace
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
SAID = "tptrace: no task of a runtime that tptrace knows was seen before {} ended; nothing is recorded"
BARE = "was started without tptrace's libraries in LD_PRELOAD"
TASKS = 40


def run(command, folder, **env):
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=120, env=tracing.environment(**env), check=False)


def compiled(folder, name, source, *flags, cc="gcc"):
    """A program in the folder, NULL if it cannot be made here."""
    command = [cc, "-O1", "-D_GNU_SOURCE", "-o", f"{folder}/{name}", os.path.join(HERE, source), *flags]
    return shutil.which(cc) and subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode == 0


def programs(folder):
    """Makes those that there can be."""
    archive = subprocess.check_output(["gcc", "-print-file-name=libgomp.a"], text=True).strip()
    empty, linked = f"{folder}/empty.c", (f"-L{folder}", f"-Wl,--no-as-needed,-rpath,{folder}")
    with open(empty, "w", encoding="ascii") as f:
        f.write("int main(int n, char **v) { return n > 1 ? *(volatile char *)0 : 0; }\n")
    made = {"tasks": compiled(folder, "tasks", "tasks.c", "-fopenmp"),
            "idle": compiled(folder, "idle", "idle.c", "-fopenmp"),
            "llvm": compiled(folder, "llvm", "tasks.c", "-fopenmp", cc="clang"),
            "llvm_idle": compiled(folder, "llvm_idle", "idle.c", "-fopenmp", cc="clang"),
            "static": compiled(folder, "static", "tasks.c", "-fopenmp", "-static"),
            "mixed": compiled(folder, "mixed.o", "tasks.c", "-fopenmp", "-c")
                     and compiled(folder, "mixed", f"{folder}/mixed.o", archive, "-ldl", "-lpthread"),
            **{name: compiled(folder, f"lib{name}.so", empty, "-shared") and compiled(folder, name, empty, *linked, f"-l{name}")
               for name in ("hpx_core", "gomp-a34b3233")},
            "empty": compiled(folder, "empty", empty)}
    for name, there in made.items():
        if not there:
            print(f"skip why {name}: cannot be made here", flush=True)
    return {name for name, there in made.items() if there}


def cases(made):
    """(command, environment, what is said after that nothing is recorded); {} is the folder."""
    yield ["./empty"], {}, ": {}/empty had no task runtime in memory"
    yield ["./empty", "crash"], {}, r" \(see `tptrace record --help`\)"
    yield ["sh", "-c", "./empty; ./idle; ./empty"], {}, ": {}/idle had libgomp.so.* in memory, but no task and no parallel region"
    yield ["./hpx_core"], {}, r": {}/hpx_core uses HPX \(libhpx_core.so\), which tptrace does not trace"
    yield ["./gomp-a34b3233"], {}, ": {}/gomp-a34b3233 had libgomp-a34b3233.so in memory, but no task"
    for command in (["env", "-i", "./tasks"], ["env", "-u", "LD_PRELOAD", "./tasks"], ["sh", "-c", "env -i ./tasks; ./idle; date"],
                    ["sh", "-c", "cd /; exec env -i {}/tasks"], ["sh", "-c", "PATH={}:$PATH; unset LD_PRELOAD; tasks; true"],
                    ["perl", "-e", "%ENV = (); system('./tasks')"],
                    ["sh", "-c", "for i in 1 2 3; do for j in $(seq 50); do ./empty; done; env -i ./tasks; done"]):
        if shutil.which(command[0]):
            yield command, {}, ": {}/tasks " + BARE
    if "static" in made:
        yield ["sh", "-c", "./static; ./empty"], {}, ": {}/static is statically linked"
    if "mixed" in made:
        yield ["./mixed"], {}, ": {}/mixed has its task runtime linked into it statically"
    if "llvm" in made:
        yield ["./llvm_idle"], {}, ": {}/llvm_idle had libomp.so.* in memory, but no task and no parallel region"
        yield ["sh", "-c", "./llvm; true"], {"OMP_TOOL": "disabled"}, ": OMP_TOOL=disabled kept tptrace out of libomp.so.* of {}/llvm; unset"


def check(folder, done, command, pattern):
    lines = [line for line in done.stderr.splitlines() if line.startswith("tptrace: ")]
    wanted = re.escape(SAID.format(command[0])) + pattern.replace("{}", re.escape(folder))
    assert len(lines) == 1 and re.match(wanted, lines[0]), (command, wanted, done)
    assert not [name for name in os.listdir(folder) if name.endswith(".tpt")], os.listdir(folder)


def check_setuid(folder):
    """Another user's program below a shell: its loader ignores what is preloaded."""
    if os.getuid() != 0:
        return "needs root"
    os.chmod(folder, 0o777)
    for file in [TPTRACE, *(os.path.join(os.path.dirname(TPTRACE), name) for name in os.listdir(os.path.dirname(TPTRACE)) if name.endswith(".so"))]:
        shutil.copy(file, folder)
    shutil.copy(f"{folder}/tasks", f"{folder}/other")
    os.chmod(f"{folder}/other", 0o4755)
    done = run([*NOBODY, f"{folder}/tptrace", "record", "--", "sh", "-c", "./other; ./empty"], folder)
    check(folder, done, ["sh"], ": {}/other is setuid to another user: the loader ignores LD_PRELOAD")
    return None


def check_sandbox(folder):
    """Where neither the collector nor record's memory is: the trace is there, and record does not deny it."""
    sandbox = ["unshare", "-n", "-p", "-f", "--mount-proc"] if os.getuid() == 0 else ["unshare", "-r", "-n", "-p", "-f", "--mount-proc"]
    if run([*sandbox, "true"], folder).returncode:
        return "no sandbox here"
    done = run([TPTRACE, "record", "-q", "-o", "t.tpt", "--", *sandbox, "./tasks"], folder)
    (line,) = [line for line in done.stderr.splitlines() if "no task of a runtime" in line]
    assert f": {folder}/tasks runs in a sandbox" in line and "nothing is recorded" not in line, done
    assert tracing.explicit(tracing.report_of(TPTRACE, f"{folder}/t.tpt")) == TASKS, done
    return None


def main():
    with tracing.new_folder("tptrace-why.") as folder:
        def check_case(command, env, pattern):
            words = [word.replace("{}", folder) for word in command]
            return lambda _: check(folder, run([TPTRACE, "record", "--", *words], folder, **env), command, pattern)

        tests = [(" ".join(command), check_case(command, env, pattern)) for command, env, pattern in cases(programs(folder))]
        tests += [("setuid", lambda _: check_setuid(folder)), ("sandbox", lambda _: check_sandbox(folder))]
        return frame.run("why", ARGS, tests)


if __name__ == "__main__":
    sys.exit(main())
