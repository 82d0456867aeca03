#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""left.py - what a command leaves behind: record adopts it, waits for it, and its trace is as the command's would be."""
import glob
import itertools
import os
import shutil
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import frame  # noqa: E402
import tracing  # noqa: E402

ARGS = frame.arguments(__doc__)
BUILD = ARGS.build
TASKS, UMASK = 40, 0o027
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
PATIENCE = 90


class Place:
    """A folder with tptrace and the program, which any user gets to."""

    def __init__(self, folder, user=()):
        self.folder, self.user = folder, list(user)
        os.chmod(folder, 0o777)
        for file in (f"{BUILD}/tptrace", f"{BUILD}/record/left", *glob.glob(f"{BUILD}/lib*.so")):
            shutil.copy(file, folder)
        self.tptrace, self.program = f"{folder}/tptrace", f"{folder}/left"
        self.out = f"{folder}/out"
        os.mkdir(self.out)
        os.chmod(self.out, 0o777)

    def begin(self, *command, **env):
        return subprocess.Popen([*self.user, *command], cwd=self.out, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env=tracing.environment(**env), preexec_fn=lambda: os.umask(UMASK))

    def run(self, *command, **env):
        with self.begin(*command, **env) as process:
            out, err = process.communicate(timeout=PATIENCE)
        return subprocess.CompletedProcess(command, process.returncode, out, err)

    def check_trace(self, ended, done):
        """z.tpt and nothing else, with all tasks and the mode that the umask leaves; and away with it."""
        left = sorted(os.listdir(self.out))
        assert left == ["n", "z.tpt"], (left, done)
        path = f"{self.out}/z.tpt"
        assert os.stat(path).st_mode & 0o777 == 0o666 & ~UMASK, (oct(os.stat(path).st_mode), done)
        assert tracing.explicit(tracing.report_of(self.tptrace, path)) == TASKS, done
        info = dict(line.split(": ", 1) for line in self.run(self.tptrace, "info", path).stdout.splitlines() if ": " in line)
        assert info["state"] == "whole" and (not ended or info["ended"] == ended), (info, done)
        self.clear()

    def clear(self):
        for file in os.listdir(self.out):
            os.unlink(f"{self.out}/{file}")


def awaited(is_so, what):
    until = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < until, f"waited for {what} in vain"
        time.sleep(0.02)


HOW = {"exit": "cleanly", "_exit": "by _exit", "9": "killed by signal 9", "11": "killed by signal 11"}


def users():
    yield ()
    if os.getuid() == 0:
        yield NOBODY
    else:
        print("skip left as another user: needs root", flush=True)


@frame.test
def a_daemon(folder):
    """As root and as an ordinary user; by one fork and by two; it says how it ended, whatever it was."""
    os.chmod(folder, 0o755)
    for i, user in enumerate(users()):
        os.mkdir(f"{folder}/{i}")
        place = Place(f"{folder}/{i}", user)
        for forks, bare, how in itertools.product((0, 1, 2, 3), ("kept", "bare"), HOW):
            if how != "9" and (forks, bare) != (2, "kept"):
                continue
            done = place.run(place.tptrace, "record", "-o", "z.tpt", "--", place.program, str(forks), bare, how, f"{place.out}/n")
            alone = 0 if forks else -int(how)
            assert done.returncode == alone, done
            assert "nothing is recorded" not in done.stderr and "z.tpt" in done.stderr, done
            place.check_trace(HOW[how], done)


@frame.test
def a_daemon_that_collects_by_itself(folder):
    """Nobody waits for it; its trace is where, and of the mode, that record was started with."""
    place = Place(folder)
    shim = f"{folder}/libtpshim_omp.so"
    for way in ((place.tptrace, "record", "--inside", "-o", "z.tpt", "--"), ("env", f"LD_PRELOAD={shim}", f"TPTRACE_OUTPUT={place.out}/z.tpt")):
        done = place.run(*way, place.program, "2", "bare", "exit", f"{place.out}/n")
        assert done.returncode == 0 and "nothing is recorded" not in done.stderr, done
        awaited(lambda: "state: whole" in place.run(place.tptrace, "info", f"{place.out}/z.tpt").stdout, "a whole trace")
        place.check_trace("cleanly", done)


@frame.test
def a_job_of_a_shell(folder):
    """It may still be a shell when the command ends, or its child sleep before it begins; the status is the command's."""
    place = Place(folder)
    job = f"{place.program} 0 kept exit {place.out}/n"
    for script, status in ((f"{job} & exit 3", 3), (f"( {job} ) & exit 3", 3), (f"(exec env {job}) & kill -9 $$", -9),
                           (f"(nice sh -c '{job}; true') & exit 3", 3)):
        done = place.run(place.tptrace, "record", "-o", "z.tpt", "--", "sh", "-c", script)
        assert done.returncode == status and "nothing is recorded" not in done.stderr, done
        place.check_trace("cleanly", done)


@frame.test
def others_are_not_waited_for(folder):
    """A process that sleeps and has no task runtime; nor is anybody adopted where nothing is to be recorded."""
    place = Place(folder)
    for script, env in (("sleep 97 >/dev/null 2>&1 & exit 3", {}),
                        (f"{place.program} 0 kept wait {place.out}/n >/dev/null 2>&1 & exit 3", {"TPTRACE_DISABLE": "1"})):
        done = place.run(place.tptrace, "record", "-o", "z.tpt", "--", "sh", "-c", f"{script}", **env)
        assert done.returncode == 3, done
    awaited(lambda: os.path.exists(f"{place.out}/n"), "the program that is not recorded")
    place.clear()


@frame.test
def who_makes_no_task_is_not_waited_for(folder):
    """A daemon that has a task runtime in memory and never uses it keeps record for 10 s."""
    place = Place(folder)
    begin = time.monotonic()
    script = "LD_PRELOAD=$LD_PRELOAD:libgomp.so.1 sleep 97 >/dev/null 2>&1 & exit 3"
    done = place.run(place.tptrace, "record", "-o", "z.tpt", "--", "sh", "-c", script)
    assert done.returncode == 3 and "waiting for" in done.stderr, done
    assert time.monotonic() - begin > 9, done


@frame.test
def the_wait_is_said_and_ended(folder):
    """A daemon that never ends: record says for whom it waits; a signal ends that, and the trace is whole when it is dead."""
    place = Place(folder)
    for number in (signal.SIGINT, signal.SIGTERM):
        with place.begin(place.tptrace, "record", "-o", "z.tpt", "--", "sh", "-c",
                         f"{place.program} 1 bare wait {place.out}/n; exit 3") as process:
            line = process.stderr.readline()
            assert "waiting for" in line and ", left)" in line, line
            assert process.poll() is None
            process.send_signal(number)
            _, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 3 and "1 of the processes" in err and "nothing" not in err, (process.returncode, err)
        assert "still being recorded" in place.run(place.tptrace, "info", f"{place.out}/z.tpt").stdout
        os.unlink(f"{place.out}/n")
        awaited(lambda: "state: whole" in place.run(place.tptrace, "info", f"{place.out}/z.tpt").stdout, "a whole trace")
        with open(f"{place.out}/n", "w", encoding="ascii"):
            place.check_trace("cleanly", err)


@frame.test
def nobody_is_waited_for_who_outlives_a_signal(folder):
    """Whoever ends record by a signal, which goes to the command alone, gets it back."""
    place = Place(folder)
    with place.begin(place.tptrace, "record", "-o", "z.tpt", "--", "sh", "-c",
                     f"{place.program} 1 bare wait {place.out}/n; exec sleep 90") as process:
        awaited(lambda: os.path.exists(f"{place.out}/n"), "the daemon's tasks")
        process.terminate()
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == -signal.SIGTERM and "1 of the processes" in err, (process.returncode, err)
    os.unlink(f"{place.out}/n")
    awaited(lambda: "state: whole" in place.run(place.tptrace, "info", f"{place.out}/z.tpt").stdout, "a whole trace")
    place.clear()


@frame.test
def no_zombie_stays(folder):
    """While the command runs: it is not the one that waits for what its children leave."""
    place = Place(folder)
    with subprocess.Popen([place.tptrace, "record", "--", "sh", "-c", "for i in 1 2 3 4 5 6 7 8; do ( true & ); done; echo here; read line"],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=place.out,
                          env=tracing.environment()) as process:
        assert process.stdout.readline() == "here\n"

        def children():
            with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as f:
                return f.read().split()
        awaited(lambda: len(children()) == 2, f"the end of zombies: {children()}")  # the collector and sh
        process.communicate("\n", timeout=PATIENCE)
    assert process.returncode == 0


@frame.test
def the_first_process(folder):
    """Of a container: the kernel kills all others when it ends, so they get its signal first, and their traces an end."""
    if subprocess.run(["unshare", "-p", "-f", "--mount-proc", "true"], stderr=subprocess.DEVNULL, check=False).returncode:
        return "no PID namespace here"
    place = Place(folder)
    with place.begin("unshare", "-p", "-f", "--mount-proc", place.tptrace, "record", "-o", "z.tpt", "--", "sh", "-c",
                     f"{place.program} 2 bare wait {place.out}/n; exit 3") as process:
        assert "waiting for" in process.stderr.readline()
        with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as f:
            os.kill(int(f.read()), signal.SIGTERM)
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 3, (process.returncode, err)
    place.check_trace("killed by signal 15", err)
    return None


def main():
    os.makedirs(f"{BUILD}/record", exist_ok=True)
    subprocess.run(["gcc", "-O1", "-g", "-fopenmp", "-D_GNU_SOURCE", os.path.join(HERE, "left.c"), "-o", f"{BUILD}/record/left"],
                   check=True)
    return frame.run("left", ARGS)


if __name__ == "__main__":
    sys.exit(main())
