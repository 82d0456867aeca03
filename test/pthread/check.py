#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py - the shim for pthread: programs behave with it as without it, and traces have the waits there were.

Programs that print what each call returns, in tasks, print the same; so they do beside a malloc() that locks, with
the sanitizers' own wrappers, and under valgrind.  Of a convoy of tasks the trace has as many waits, as long, as the
program measured, and none where one thread runs all; threads without tasks leave no events.  The shim of a runtime
stands before or behind it.
"""
import collections
import os
import re
import shutil
import subprocess
import sys

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", name) for name in ("port", "lib")]
import frame  # noqa: E402
import runtimes  # noqa: E402
import tracing  # noqa: E402

KINDS = "mutex|rwlock|cond|sem|thread|threads|address|future|futex"


class Check:
    def __init__(self, build, folder):
        self.build, self.folder, self.failed, self.n = build, folder, 0, 0
        self.tptrace = os.path.join(build, "tptrace")

    def program(self, name):
        return os.path.join(self.build, "pthread", name)

    def that(self, truth, message):
        self.n += 1
        if not truth:
            self.failed += 1
            print(f"FAIL {message}")

    def run(self, command, **env):
        return subprocess.run(command, env=tracing.environment(**env), capture_output=True, text=True, timeout=200,
                              check=False)

    def traced(self, name, *arguments, options=(), **env):
        """What it printed, and the events of its trace."""
        trace = os.path.join(self.folder, f"{name}.{self.n}.tpt")
        done = self.run([self.tptrace, "record", "-q", "--collapse=off", "-o", trace, *options, "--",
                         self.program(name), *arguments], TPTRACE_CLOCK="monotonic", **env)
        self.that(done.returncode == 0 and not done.stderr, f"{name} {arguments}: {done}")
        report = tracing.report_of(self.tptrace, trace)
        dump = self.run([self.tptrace, "dump", trace]).stdout
        return done.stdout, dump, report

    def alike(self, name, **env):
        """It prints the same traced, and untraced."""
        alone = self.run([self.program(name)], **env)
        self.that(alone.returncode == 0 and alone.stdout, f"{name}: {alone}")
        said, dump, _ = self.traced(name, **env)
        self.that(said == alone.stdout, f"{name} {env}: prints other lines\n" + "\n".join(
            sorted(set(said.split("\n")) ^ set(alone.stdout.split("\n")))))
        return dump


def waits_of(dump, kinds=KINDS):
    """The waits of a dump by kind, as (ns, object)."""
    began, waits = {}, []
    for line in dump.splitlines():
        words = line.split()
        if len(words) < 3 or not re.fullmatch(r"w\d+", words[1]):
            continue
        if words[2] == "wait" and re.fullmatch(kinds, words[3]):
            began[words[1]] = [int(words[0]), None]
        elif words[2] == "object" and words[1] in began:
            began[words[1]][1] = words[3]
        elif words[2] == "resume" and words[1] in began:
            since, thing = began.pop(words[1])
            waits.append((int(words[0]) - since, thing))
    return waits


def signals_of(dump):
    """What is signalled, but for ends of threads: a root that follows its thread's name is one of them."""
    threads = set(re.findall(r"follows (0x[0-9a-f]+)", dump))
    return [thing for thing in re.findall(r"signal (0x[0-9a-f]+)", dump) if thing not in threads]


def check_made(check):
    """Who makes a thread signals its name, which the thread's root follows, and its end; who joins it goes on after."""
    dump = check.alike("made")
    roots, joins, signalled = [], 0, set()
    waiting, newest = {}, {}
    for line in dump.splitlines():
        words = line.split()
        if len(words) < 3 or not re.fullmatch(r"w\d+", words[1]):
            continue
        worker = words[1]
        if words[2] == "root":
            newest[worker] = words[3]
        elif words[2] == "follows":
            roots.append((newest[worker], words[3] in signalled))
        elif words[2] == "signal":
            signalled.add(words[3])
        elif words[2:4] == ["wait", "thread"]:
            waiting[worker] = True
        elif words[2] == "object" and waiting.pop(worker, False):
            joins += words[3] in signalled
    followed = sum(known for _, known in roots)
    check.that(len({root for root, _ in roots}) == 8 and joins == 6, f"made: {roots}, {joins} joins")
    # four threads of main(), the first made before there was a task, and three of a task
    check.that(followed == 7 and dump.count(" no-worker") == 1, f"made: {followed} follow, {roots}")


def check_beside(check):
    """main(), in no task, is recorded from the first task on, as no worker: whoever it made before follows it."""
    dump = check.alike("beside")
    (main,) = re.findall(r"^- (w\d+) no-worker$", dump, re.M)
    made = re.findall(rf"^\d+ {main} signal (0x[0-9a-f]+)$", dump, re.M)
    followed = re.findall(r"^- w\d+ follows (0x[0-9a-f]+)$", dump, re.M)
    joins, once = len(re.findall(rf"^\d+ {main} wait thread ", dump, re.M)), {1} == set(map(followed.count, made))
    check.that(len(made) == 2 and once and joins == 2, f"beside: {made}, {followed}, {joins}")
    # .. until it runs tasks itself: here beside another team, so that all four are at work at once
    _, _, report = check.traced("beside", "team")
    check.that(report["workers"] == 4, f"beside team: {report['workers']} workers")


def check_convoy(check, name, kind, *more):
    said, dump, _ = check.traced(name, "4", *more)
    n, ns, elapsed, *blocked = map(int, re.findall(r"\d+", said))
    waits = waits_of(dump, kind)
    total = sum(length for length, _ in waits)
    what = f"{name} {more}: {len(waits)} waits of {total} ns in the trace; the program: {said}"
    spins = kind == "address"  # tbb::mutex does so before it blocks, and again if another was faster
    check.that(waits and (len(waits) == blocked[0] if spins else n / 2 <= len(waits) <= n), what)
    check.that((0 if spins else ns / 2) < total < ns and total < 4 * elapsed, what)
    check.that(len({thing for _, thing in waits}) == 1, f"{name}: more than one lock")
    signals = signals_of(dump)
    check.that(waits and signals.count(waits[0][1]) >= len(waits) / 2, f"{name}: {len(signals)} signals, {what}")
    said, dump, _ = check.traced(name, "1", *more)
    check.that(said.startswith("0 waits") and not waits_of(dump) and not signals_of(dump),
               f"{name} {more}: events of a free lock")
    said, dump, _ = check.traced(name, "4", *more, options=["--no-pthread"])
    check.that(kind == "address" or not waits_of(dump), f"{name}: --no-pthread")


def check_futures(check):
    """Also where the program has no libstdc++, and a plugin brings it later for itself alone."""
    dump = check.alike("futures")
    said = check.run([check.program("futures")]).stdout
    plugin = [sys.executable, "-c", f"import ctypes; ctypes.CDLL({check.program('libfutures.so')!r}).futures_run()"]
    trace = os.path.join(check.folder, "plugin.tpt")
    done = check.run([check.tptrace, "record", "-q", "--collapse=off", "-o", trace, "--", *plugin])
    check.that(done.returncode == 0 and done.stdout == said and not done.stderr, f"futures of a plugin: {done}")
    for what, text in (("futures", dump), ("plugin", check.run([check.tptrace, "dump", trace]).stdout)):
        waits = waits_of(text, "future")
        signals = set(re.findall(r"signal (0x[0-9a-f]+)", text))
        check.that(len(waits) >= 5 and signals & {thing for _, thing in waits}, f"{what}: {waits}, {signals}")
    _, dump, _ = check.traced("futures", options=["--no-pthread"])
    check.that(not waits_of(dump), "futures: --no-pthread")


def check_futexes(check):
    if not os.path.exists(check.program("futexes")):
        print("skip pthread futexes: not built")
        return
    dump = check.alike("futexes")
    waits = waits_of(dump, "futex")
    check.that(len({thing for _, thing in waits}) >= 5 and " nowait" in dump, f"futexes: {waits}")
    said, dump, report = check.traced("futexes", "3")
    n, ns = map(int, re.findall(r"\d+", said))
    waits = waits_of(dump, "futex")
    total = sum(length for length, _ in waits)
    least = 40 * 5000000  # what the program sleeps while two members do
    check.that(n == len(waits) == 40 and least < total < ns, f"futexes: {waits}, {said}")
    check.that(f"signal {waits[0][1]}" in dump, f"futexes: nobody releases {waits[0][1]}")
    busy = report["machine"]["cpu_wait_ns"] > report["cumulative_ns"] / 10  # then that is the cause
    check.that(busy or "blocked" in [f["id"] for f in report["findings"]], f"futexes: {report['findings']}")
    said, dump, report = check.traced("futexes", "1")
    check.that(said.startswith("0 waits") and not waits_of(dump) and not signals_of(dump), "futexes: a wait for none")
    check.that("blocked" not in [f["id"] for f in report["findings"]], f"futexes, 1: {report['findings']}")


def check_orders(check):
    """Whichever of the two is asked first, threads of a runtime are the runtime's, and others the program's."""
    for runtime in runtimes.find(check.build):
        if runtime.missing or runtime.cannot("fib"):
            continue
        seen = {}
        for order in ([runtime.shim, "pthread"], ["pthread", runtime.shim]):
            trace = f"{check.folder}/{runtime.key}.{'.'.join(order)}.tpt"
            preload = ":".join(f"{check.build}/libtpshim_{name}.so" for name in order)
            done = check.run([runtimes.build_program(check.build, runtime, "fib")], LD_PRELOAD=preload,
                             TPTRACE_OUTPUT=trace, TPTRACE_COLLAPSE="off", **runtime.environment(2, check.folder))
            dump = check.run([check.tptrace, "dump", trace]).stdout
            kinds = re.findall(r"^\d+ w\d+ (root|member|create|signal|follows)\b", dump, re.M)
            seen[tuple(order)] = done.returncode, sorted(kinds)
        check.that(len(set(map(str, seen.values()))) == 1, f"{runtime.key}: " + ", ".join(
            f"{order}: {status} {dict(collections.Counter(kinds))}" for order, (status, kinds) in seen.items()))


def main():
    build = frame.arguments(__doc__).build
    with tracing.new_folder("pthread") as folder:
        check = Check(build, folder)
        dump = check.alike("locks")
        for kind, least in (("mutex", 50), ("rwlock", 10)):
            check.that(len(waits_of(dump, kind)) >= least, f"locks: few waits for a {kind}")
        dump = check.alike("waits")
        for kind, least in (("cond", 5), ("sem", 5), ("thread", 5), ("threads", 1)):
            check.that(len(waits_of(dump, kind)) >= least, f"waits: few waits for a {kind}")
        dump = check.alike("outside")
        kinds = KINDS.replace("thread|", "")  # but for main(), which made the thread with tasks, and five others
        check.that(not waits_of(dump, kinds) and len(signals_of(dump)) == 5, "outside: events of threads without tasks")
        check_made(check)
        check_beside(check)
        for name in ("locks", "waits"):
            check.alike(name, LD_PRELOAD=check.program("libearly.so"))
        check_futures(check)
        check_futexes(check)
        check_orders(check)
        check_convoy(check, "convoy-gcc", "mutex")
        for name, others in (("convoy-clang", ()), ("convoy-tbb", (("address", "tbb"),))):
            if not os.path.exists(check.program(name)):
                print(f"skip pthread {name}: not built")
                continue
            check_convoy(check, name, "mutex")
            for kind, *more in others:
                check_convoy(check, name, kind, *more)
        for name in ("library", "locks-asan", "waits-asan", "races", "races-tsan"):
            if not os.path.exists(check.program(name)):
                print(f"skip pthread {name}: not built")
            elif name == "waits-asan" and check.run([check.program(name)]).returncode:
                print(f"skip pthread {name}: the sanitizer ends it untraced, too")  # GCC 14's and later, at a second join
            else:
                check.alike(name)
        if shutil.which("valgrind"):
            shims = check.run([check.tptrace, "record", "--print-shim"]).stdout.split()
            for name in ("outside", "races"):
                done = check.run(["valgrind", "-q", "--error-exitcode=9", check.program(name)],
                                 LD_PRELOAD=":".join(shims), TPTRACE_OUTPUT=os.path.join(folder, "valgrind.tpt"))
                check.that(done.returncode == 0, f"valgrind {name}: {done}")
        else:
            print("skip pthread under valgrind: no valgrind")
        print(f"pthread: {check.n - check.failed} passed, {check.failed} failed")
    return check.failed > 0


sys.exit(main())
