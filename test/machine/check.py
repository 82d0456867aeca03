#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py [--build DIR] [NAME..] - CPU times in traces, against what programs read of themselves.

No check assumes a load, a clock or a number of CPUs.  What a sample may be off by follows from the trace:
the time from a thread's first sample to the collector's first look, and from its last look to the end.
"""
import glob
import os
import re
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import frame  # noqa: E402
import tracing  # noqa: E402

ARGS = frame.arguments(__doc__)
BUILD, TPTRACE, PROGRAM = ARGS.build, ARGS.tptrace, os.path.join(ARGS.build, "machine", "program")
MS = 1000000
LAG = 10 * MS        # of the kernel's counts
EXACT = MS // 2      # from a thread's own reading to the one at its end


def kill_collector(path):
    """Kills the collector that writes a trace, once it says who it is."""
    for _ in range(1000):
        dump = subprocess.run([TPTRACE, "dump", path], capture_output=True, text=True, timeout=60, check=False)
        collector = re.search(r"^meta collector (\d+)$", dump.stdout, re.M)
        if collector and "\ncpu " in dump.stdout:
            return os.kill(int(collector[1]), signal.SIGKILL)
        time.sleep(.02)
    raise AssertionError(f"{path}: no collector")


class Trace:
    """A recorded run: what the program printed, the samples, the report; None of them if the program exits with 77."""

    def __init__(self, folder, *program, inside=False, prefix=(), status=0, meanwhile=None, **env):
        self.path = os.path.join(folder, f"run{len(os.listdir(folder))}.tpt")
        env = {"OMP_WAIT_POLICY": "passive", "TPTRACE_VERBOSE": 0, **env}
        if inside:
            env.update(LD_PRELOAD=os.path.join(BUILD, "libtpshim_omp.so"), TPTRACE_OUTPUT=self.path)
            command = [*prefix, PROGRAM, *map(str, program)]
        else:
            command = [*prefix, TPTRACE, "record", "-o", self.path, "--", PROGRAM, *map(str, program)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder,
                              env=tracing.environment(**env)) as process:
            if meanwhile:
                meanwhile(self.path)
            out, errors = process.communicate(timeout=300)
        self.cannot = errors if process.returncode == 77 else None
        if self.cannot:
            return
        assert process.returncode == status, (command, process.returncode, errors)
        self.out = out
        self.own = [list(map(int, words)) for words in re.findall(r"^thread" + r" (\d+)" * 6 + "$", out, re.M)]
        self.read()

    def read(self):
        dump = subprocess.run([TPTRACE, "dump", self.path], capture_output=True, text=True, timeout=120, check=False)
        self.meta = dict(re.findall(r"^meta (\S+) (.*)$", dump.stdout, re.M))
        syncs = [tuple(map(int, pair)) for pair in re.findall(r"^sync (\d+) (\d+)$", dump.stdout, re.M)]
        (units, ns), (last_units, last_ns) = syncs[0], syncs[-1]
        self.lanes = {}
        self.process = [int(run) for run in re.findall(r"^process \d+ run=(\d+)$", dump.stdout, re.M)]
        for worker, at, run, wait in re.findall(r"^cpu w(\d+) (\d+) run=(\d+)(?: wait=(\d+))?$", dump.stdout, re.M):
            at = ns + (int(at) - units) * (last_ns - ns) // (last_units - units)
            self.lanes.setdefault(int(worker), []).append((at, int(run), int(wait) if wait else None))
        self.beside = set(map(int, re.findall(r"^- w(\d+) no-worker$", dump.stdout, re.M)))
        self.report = tracing.report_of(TPTRACE, self.path)
        self.machine = self.report["machine"]
        self.check()

    def check(self):
        """What holds of any trace."""
        for worker, lane in self.lanes.items():
            for before, after in zip(lane, lane[1:]):
                assert before[0] <= after[0] and before[1] <= after[1], (worker, before, after)
                assert None in (before[2], after[2]) or before[2] <= after[2], (worker, before, after)
        assert self.process == sorted(self.process), self.process
        rows, machine, elapsed = self.report["workers_profile"], self.machine, self.report["elapsed_ns"]
        for row in rows:
            assert (row["cpu_ns"] or 0) + (row["cpu_wait_ns"] or 0) <= elapsed + len(self.lanes), row
        for key in ("cpu_ns", "cpu_wait_ns"):
            own = sum(row[key] or 0 for row in rows if row["worker"] not in self.beside)
            assert own <= (machine[key] or 0), (key, machine)
        if machine["known_ns"]:
            for what in ("work_off_cpu", "work_cpu_wait"):
                assert 0 <= machine[f"{what}_least_ns"] <= machine[f"{what}_most_ns"] <= self.report["work_ns"], machine
        return True

    def sums(self, which):
        return sum(max(sample[which] or 0 for sample in lane) for lane in self.lanes.values())

    def unseen(self):
        """Time that the collector's looks do not cover, of all workers."""
        return sum(lane[min(1, len(lane) - 1)][0] - lane[0][0] + lane[-1][0] - lane[max(len(lane) - 3, 0)][0]
                   for lane in self.lanes.values())

    def own_run(self):
        return sum(own[3] - own[1] for own in self.own)

    def own_wait(self):
        return sum(own[4] - own[2] for own in self.own)

    def compare(self, ended=True, waits=True):
        """The sums are what the threads read at their ends, as far as the looks go."""
        run, wait, n = self.sums(1), self.sums(2), len(self.own)
        slack = n * EXACT if ended else self.unseen() + n * LAG
        assert run >= self.own_run() - slack, (run, self.own_run(), slack)
        if ended:  # and what they did before their first and after their last task
            rest = sum(int(self.meta["ended_ns"]) - own[5] for own in self.own)
            began = sum(own[1] for own in self.own)
            assert run <= self.own_run() + began + rest, (run, self.own_run(), began, rest)
            if waits:  # threads that live to the end are seen there
                last = max(own[5] for own in self.own) - 2 * MS
                assert all(lane[-1][0] >= last for lane in self.lanes.values()), (last, self.lanes)
        if waits and counts_waits():
            assert wait >= self.own_wait() - self.unseen() - n * LAG, (wait, self.own_wait(), self.unseen())


def text_of(trace, *options):
    return subprocess.run([TPTRACE, "report", *options, trace.path], capture_output=True, text=True, timeout=60,
                          check=True).stdout


def counts_waits():
    """Whether this kernel counts waits for a CPU."""
    with open("/proc/self/schedstat", encoding="ascii") as file:
        return any(map(int, file.read().split()))


# ---- the checks ----

def burn(folder, **env):
    trace = Trace(folder, "burn", 2, 300, **env)
    assert trace.meta["cpu_times"] == ("schedstat" if counts_waits() else "stat"), trace.meta
    assert len(trace.own) == 2 == len(trace.lanes), trace.lanes
    trace.compare()
    assert trace.machine["cpus"] == len(os.sched_getaffinity(0)) or trace.machine["quota"], trace.machine
    if counts_waits():
        assert trace.machine["cpu_wait_ns"] is not None
    assert re.search(" CPU +CPU-wait", text_of(trace, "--by", "worker"))


def monotonic(folder):
    burn(folder, TPTRACE_CLOCK="monotonic")


def inside(folder):
    """The threads' own clocks, which are exact, and the kernel's counts of waits."""
    trace = Trace(folder, "burn", 2, 300, inside=True)
    assert trace.meta["cpu_times"] == "clock" and (trace.machine["cpu_wait_ns"] is not None) == counts_waits(), trace.machine
    trace.compare()


def files_kept(trace):
    """How many more files the program has open at its end; one may be a sample that is taken just then."""
    before, after = map(int, re.search(r"^open (\d+) (\d+)$", trace.out, re.M).groups())
    return after - before


def without_proc(folder):
    """In a chroot without /proc, waits are unknown from then on, and CPU times go on."""
    root = os.path.join(folder, "root")
    os.mkdir(root)
    for prefix in ((), ("unshare", "-r")):
        trace = Trace(folder, "chroot", 2, 150, root, inside=True, prefix=prefix)
        if not trace.cannot:
            break
    if trace.cannot:
        print(f"skip without_proc: {trace.cannot.strip()}")
        return
    trace.compare(waits=False)
    left, there = map(int, re.search(r"^left (\d+) (\d+)$", trace.out, re.M).groups())
    before = [wait for lane in trace.lanes.values() for at, _, wait in [one for one in lane if one[0] < left][1:-1]]
    after = [wait for lane in trace.lanes.values() for at, _, wait in lane if at > there]
    assert not counts_waits() or None not in before, trace.lanes  # but for the first, the thread's own
    assert after and set(after) == {None}, (there, trace.lanes)
    assert trace.machine["cpu_ns"] > 0 and files_kept(trace) <= 1, (trace.machine, trace.out)


def other_user(folder):
    """A process that gives its rights away may still read its own counts."""
    trace = Trace(folder, "setuid", 2, 150, "-", inside=True)
    if trace.cannot:
        print(f"skip other_user: {trace.cannot.strip()}")
        return
    trace.compare()
    assert files_kept(trace) <= 1, trace.out
    assert not counts_waits() or all(lane[-1][2] is not None for lane in trace.lanes.values()), trace.lanes


def forked(folder):
    """A child has samples of its own threads."""
    trace = Trace(folder, "fork", 2, 150, "-", inside=True)
    assert all(int(n) <= int(before) + 1 for before, n in re.findall(r"^open (\d+) (\d+)$", trace.out, re.M)), trace.out
    (child,) = glob.glob(trace.path + ".*")
    for path in (child, trace.path):
        trace.path = path
        trace.read()
        assert len(trace.lanes) == 2 and trace.sums(1) >= 2 * 150 * MS, (path, trace.lanes)
        assert (trace.machine["cpu_wait_ns"] is not None) == counts_waits(), (path, trace.machine)


def crowd(folder, **how):
    """Sixteen threads on one CPU: they mostly wait, and no figure may hide that."""
    cpu = str(min(os.sched_getaffinity(0)))
    trace = Trace(folder, "burn", 16, 60, prefix=("taskset", "-c", cpu), **how)
    trace.compare()
    machine, report = trace.machine, trace.report
    assert machine["cpus"] == machine["affinity"] == 1 and machine["oversubscribed"], machine
    assert machine["cpu_ns"] <= report["elapsed_ns"] + 16 * LAG, (machine, report["elapsed_ns"])
    assert machine["work_off_cpu_least_ns"] >= report["work_ns"] / 2, (machine, report["work_ns"])
    on_cpu = report["work_ns"] - machine["work_off_cpu_most_ns"]
    assert report["lower_bound_ns"] <= report["elapsed_ns"], report
    assert 0 < on_cpu <= trace.sums(1), (on_cpu, trace.sums(1))
    text = text_of(trace)
    assert "oversubscribed" in text and ("had no CPU" in text or "on a CPU" in text), text
    if counts_waits():
        assert machine["inflated"] and machine["cpu_wait_ns"] >= report["work_ns"] / 2, machine
        assert "MORE WORKERS THAN CPUS" in text and " workers were in tasks" in text, text
        assert "the parallelism is unknown" in text_of(trace, "--verbose")


def masks(folder):
    """The CPUs that the masks of the workers leave, which the program's own at its beginning does not tell."""
    cpus = sorted(os.sched_getaffinity(0))
    for inside_it in (False, True):
        for place in ({"OMP_PROC_BIND": "true", "OMP_PLACES": f"{{{cpus[0]}}}"}, {}):
            trace = Trace(folder, "burn", 2, 50, inside=inside_it, **place)
            n = 1 if place else len(cpus)
            assert trace.meta["workers_affinity"] == str(n), (place, trace.meta)
            assert trace.machine["cpus"] <= n, trace.machine


def own_threads(folder):
    """What a thread had that is no worker is in the CPU time of the process."""
    for inside_it in (False, True):
        trace = Trace(folder, "own", 2, 100, inside=inside_it)
        (own,) = map(int, re.findall(r"^own (\d+)$", trace.out, re.M))
        beside = trace.process[-1] - trace.sums(1)
        assert own / 2 <= beside, (own, beside, trace.sums(1), trace.process)


def crowd_inside(folder):
    crowd(folder, inside=True)


def sleepers(folder, **how):
    """Without a CPU, but not in wait of one."""
    trace = Trace(folder, "sleep", 2, 1000, **how)
    machine, work = trace.machine, trace.report["work_ns"]
    trace.compare()
    assert work >= 2 * 1000 * MS and machine["work_off_cpu_least_ns"] >= work / 2, (machine, work)
    assert machine["cpu_ns"] <= work / 4, machine
    if counts_waits():
        assert machine["cpu_wait_ns"] <= work / 2 and not machine["inflated"], machine
    assert ("on a CPU" if counts_waits() else "had no CPU") in text_of(trace)


def killed(folder):
    trace = Trace(folder, "kill", 2, 300, status=-signal.SIGKILL)
    trace.compare(ended=False)


def killed_inside(folder):
    """What the collector had written before the kill is there."""
    trace = Trace(folder, "kill", 2, 700, inside=True, status=-signal.SIGKILL)
    assert trace.lanes and trace.sums(1) > 0, trace.lanes
    subprocess.run([TPTRACE, "recover", trace.path], capture_output=True, check=True, timeout=60)
    trace.read()
    assert trace.sums(1) <= trace.own_run() + sum(own[1] for own in trace.own) + 2 * LAG, trace.lanes


def orphaned(folder):
    """The collector is killed; the one inside goes on with the same sums."""
    trace = Trace(folder, "burn", 2, 1000, meanwhile=kill_collector)
    assert trace.meta["collector_died"] == "1" and trace.meta["cpu_times"] == "clock", trace.meta
    assert not counts_waits() or None not in [wait for lane in trace.lanes.values() for _, _, wait in lane], trace.lanes
    trace.compare(waits=False)


def turns(folder):
    """Thirty threads that have one worker, one after the other: none is forgotten."""
    trace = Trace(folder, "turns", 30, 5)
    assert len(trace.own) == 30 and len(trace.lanes) < 30, trace.lanes
    trace.compare(waits=False)
    # the threads note what they had since they were made, but for the first, for which recording began
    run = trace.own[0][3] - trace.own[0][1] + sum(own[3] for own in trace.own[1:])
    assert trace.sums(1) >= run, (trace.sums(1), run)
    if counts_waits():
        wait = trace.own[0][4] - trace.own[0][2] + sum(own[4] for own in trace.own[1:])
        assert trace.sums(2) >= wait, (trace.sums(2), wait)
        assert None not in [sample[2] for lane in trace.lanes.values() for sample in lane], trace.lanes


def lossy(folder):
    """Samples do not depend on events: they are there where those are dropped or overwritten."""
    for env in ({"TPTRACE_OVERFLOW": "drop", "TPTRACE_BUFFER": "16K"},
                {"TPTRACE_KEEP": "last", "TPTRACE_MAX_SIZE": "256K"}):
        trace = Trace(folder, "burn", 2, 200, **env)
        trace.compare()


def thousand(folder):
    """Samples of many workers are fewer each, and small."""
    trace = Trace(folder, "burn", 1000, 1, prefix=("taskset", "-c", ",".join(map(str, os.sched_getaffinity(0)))))
    assert len(trace.own) == len(trace.lanes) == 1000, (len(trace.own), len(trace.lanes))
    trace.compare()
    n = sum(map(len, trace.lanes.values()))
    seconds = trace.report["elapsed_ns"] / 1e9
    assert n <= 1000 * (4 + 10 * seconds), (n, seconds)


def keep_traces(name, folder):
    for path in glob.glob(os.path.join(folder, "*.tpt")):
        os.replace(path, os.path.join(BUILD, "machine", f"{name}.tpt"))


CHECKS = [burn, monotonic, inside, without_proc, other_user, forked, crowd,
          crowd_inside, masks, own_threads, sleepers, killed, killed_inside, orphaned, turns, lossy, thousand]

if __name__ == "__main__":
    sys.exit(frame.run("machine", ARGS, [(check.__name__, check) for check in CHECKS], keep_traces))
