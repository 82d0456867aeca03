#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""record.py - tptrace record is a parent that the program does not notice, nor who started it."""
import glob
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import frame  # noqa: E402
import tracing  # noqa: E402


class Check:
    def __init__(self, options):
        self.tptrace = options.tptrace
        self.scratch = tempfile.mkdtemp(prefix="record-",
                                        dir=os.path.join(options.build, "kill"))
        self.program = os.path.join(options.build, "kill", "tasks")
        self.failed = 0

    def must(self, condition, what):
        if not condition:
            self.failed += 1
            print(f"FAIL {what} ({self.scratch})", flush=True)

    def start(self, *arguments, record=("record", "-q"), **how):
        command = [self.program, *arguments]
        if record:
            command = [self.tptrace, *record, "--", *command]
        return subprocess.Popen(command, cwd=self.scratch, text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, **how)

    def info(self, trace):
        done = subprocess.run([self.tptrace, "info", trace], capture_output=True, text=True,
                              check=False)
        return dict(line.split(": ", 1) for line in done.stdout.splitlines() if ": " in line)

    def traces(self):
        """What is there, and away with it."""
        infos = []
        for path in sorted(glob.glob(os.path.join(self.scratch, "*.tpt*"))):
            infos.append(self.info(path))
            os.unlink(path)
        return infos

    def nothing_changes(self):
        read_end, write_end = os.pipe()

        def strange():
            os.umask(0o27)
            signal.signal(signal.SIGTTIN, signal.SIG_IGN)
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2, signal.SIGCHLD])
        for ignored in (False, True):
            said = []
            for record in ((), ("record", "-q")):
                def prepare():
                    strange()
                    if ignored:
                        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
                process = self.start("state", record=record, preexec_fn=prepare,
                                     pass_fds=[write_end], stdin=subprocess.DEVNULL)
                out, err = process.communicate(timeout=60)
                said.append((process.returncode, out.replace(" 1\n", " ?\n")
                             .replace(" 0\n", " ?\n"), err))
            self.must(said[0] == said[1], f"not the same under record:\n{said[0]}\n{said[1]}")
        os.close(read_end)
        os.close(write_end)
        self.must([t.get("ended") for t in self.traces()] == ["cleanly"] * 2, "no clean end")

    def signals_go_on(self):
        for number, want in ((signal.SIGTERM, -15), (signal.SIGUSR1, 9), (signal.SIGHUP, -1),
                             (signal.SIGINT, -2)):
            process = self.start("sleep", start_new_session=True)
            self.must(process.stdout.readline() == "here\n", "it does not begin")
            process.send_signal(number)
            out, _ = process.communicate(timeout=60)
            self.must(process.returncode == want,
                      f"after {number.name} the status is {process.returncode}, not {want}")
            self.must((out == "usr1\n") == (number == signal.SIGUSR1), f"it says {out!r}")
            self.must(len(self.traces()) == 1, "not one trace")

    def stopped(self):
        """A record that has stopped with its program, and that program's pid."""
        process = self.start("sleep", start_new_session=True)
        self.must(process.stdout.readline() == "here\n", "it does not begin")
        listed = subprocess.run(["ps", "--ppid", str(process.pid), "-o", "pid=,comm="],
                                capture_output=True, text=True, check=True).stdout
        program = [int(l.split()[0]) for l in listed.splitlines() if "tasks" in l][0]
        os.kill(program, signal.SIGSTOP)
        _, status = os.waitpid(process.pid, os.WUNTRACED)
        self.must(os.WIFSTOPPED(status), "it does not stop with its program")
        return process, program

    @staticmethod
    def is_stopped(process):
        with open(f"/proc/{process.pid}/stat", encoding="utf-8") as f:
            return f.read().rpartition(")")[2].split()[0] == "T"

    def goes_on_with_it(self):
        """Somebody lets the program go on, or kills it while both are stopped."""
        for number, want in ((signal.SIGCONT, 9), (signal.SIGKILL, -9)):
            process, program = self.stopped()
            os.kill(program, number)
            until = time.monotonic() + 30
            while self.is_stopped(process) and time.monotonic() < until:
                time.sleep(.01)
            self.must(not self.is_stopped(process), f"it stays stopped after {number.name} to its program")
            process.send_signal(signal.SIGCONT)
            process.send_signal(signal.SIGUSR1)
            process.communicate(timeout=60)
            self.must(process.returncode == want, f"after {number.name} its status is {process.returncode}")
            self.traces()

    def stops_and_goes_on(self):
        process, _ = self.stopped()
        os.kill(process.pid, signal.SIGCONT)
        time.sleep(.1)
        process.send_signal(signal.SIGUSR1)
        process.communicate(timeout=60)
        self.must(process.returncode == 9, f"stopped, its status is {process.returncode}")
        self.traces()

    def daemon_is_collected(self):
        process = self.start("daemon", record=("record",), env={
            k: v for k, v in os.environ.items() if not k.startswith("TPTRACE")})
        _, err = process.communicate(timeout=60)
        self.must(process.returncode == 0, f"the status is {process.returncode}")
        ended = [t.get("ended") for t in self.traces()]
        self.must(ended == ["cleanly"], f"its traces ended: {ended}; {err}")

    def collector_dies(self):
        """The program goes on all the same; where memory runs out, the kernel takes the collector first."""
        process = self.start("sleep", start_new_session=True)
        self.must(process.stdout.readline() == "here\n", "it does not begin")
        listed = subprocess.run(["ps", "--ppid", str(process.pid), "-o", "pid=,comm="],
                                capture_output=True, text=True, check=True).stdout
        pids = [int(l.split()[0]) for l in listed.splitlines() if "tptrace" in l]
        self.must(len(pids) == 1, f"there is not one collector: {listed}")
        with open(f"/proc/{pids[0]}/oom_score_adj", encoding="ascii") as f:
            self.must(f.read() == "1000\n", "its collector is not the first to be killed for memory")
        os.kill(pids[0], signal.SIGKILL)
        process.send_signal(signal.SIGUSR1)
        _, err = process.communicate(timeout=60)
        self.must(process.returncode == 9, f"without collector its status is {process.returncode}")
        self.must("collector" in err, "nobody says that the collector is gone")
        self.traces()

    def without_socket(self):
        """A name that nobody listens to: the thread inside does it, and says so if asked."""
        process = self.start("", record=(), env=dict(
            os.environ, TPTRACE_COLLECTOR="tptrace.nobody", TPTRACE_VERBOSE="1",
            LD_PRELOAD=os.path.join(os.path.dirname(self.tptrace), "libtpshim_omp.so")))
        _, err = process.communicate(timeout=60)
        self.must(process.returncode == 5 and "collecting inside the process" in err, f"it says {err}")
        self.must([t.get("ended") for t in self.traces()] == ["cleanly"], "no clean end")

    def limits(self):
        """Few descriptors, and small files: the program runs, and is collected."""
        for command in ("ulimit -n 4", "ulimit -f 2", "ulimit -v 300000"):
            process = subprocess.run(
                [self.tptrace, "record", "-q", "--", "sh", "-c", f"{command}; exec {self.program}"],
                cwd=self.scratch, capture_output=True, text=True, check=False, timeout=60)
            said = [l for l in process.stderr.splitlines() if "File too large" not in l]
            self.must(process.returncode == 5 and not said,
                      f"{command}: status {process.returncode}, {process.stderr}")
            self.traces()
        # too few for the collector to take in anybody: the program collects by itself, and record ends
        process = subprocess.run(
            ["sh", "-c", 'ulimit -n 8; exec "$0" record -q -- "$1"', self.tptrace, self.program],
            cwd=self.scratch, capture_output=True, text=True, check=False, timeout=60)
        self.must(process.returncode == 5, f"8 descriptors: {process.returncode}, {process.stderr}")
        self.traces()

    def full_file_system(self):
        """record reports a failed write, also if the first write is at the end."""
        folder = os.path.join(self.scratch, "full")
        os.mkdir(folder)
        for options in (["--collapse=off"], *3 * [["--keep=last", "--collapse=off"]]):
            process = subprocess.run(
                ["unshare", "-m", "sh", "-c",
                 'mount -t tmpfs -o size=4k none "$0" || exit 77; exec "$@"', folder,
                 self.tptrace, "record", "-q", *options, "-o", folder + "/", "--", self.program, "many"],
                cwd=self.scratch, capture_output=True, text=True, check=False, timeout=60)
            if process.returncode in (1, 77):
                print("skip full_file_system: no file system can be mounted here")
                return
            self.must(process.returncode == 5 and process.stderr.count("\n") == 1 and
                      "No space left on device" in process.stderr,
                      f"{options}: status {process.returncode}, {process.stderr}")


def main():
    tracing.heed_signals()
    options = frame.options(__doc__)
    check = Check(options)
    for part in (check.nothing_changes, check.signals_go_on, check.stops_and_goes_on, check.goes_on_with_it,
                 check.daemon_is_collected, check.collector_dies, check.without_socket,
                 check.limits, check.full_file_system):
        part()
    if not check.failed:
        subprocess.run(["rm", "-rf", check.scratch], check=True)
    print(f"record: {check.failed} failed")
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())
