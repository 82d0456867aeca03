#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py [--build DIR] [TEST...] - the recorder's clock: which one it takes, and what a trace says of it."""
import os
import platform
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import frame  # noqa: E402
import tracing  # noqa: E402
import planted  # noqa: E402
from planted import MS, SECOND, Clock  # noqa: E402

ARGS = frame.arguments(__doc__, other=(False, "say which clock is not the default one, and stop"))
BUILD = ARGS.build
TPTRACE = ARGS.tptrace
SHIM = os.path.join(BUILD, "libtpshim_omp.so")
CLOCKS = {"tsc": ("tsc", "cntvct", "monotonic"), "monotonic": ("monotonic",)}
TASKS, SMALL = 2049, 2046
LEAST_NS = 150_000_000  # its three naps
# units that read a clock
UPTIME_UNITS = ("clock", "clock_samples", "drain_thread", "flight", "flush", "patience", "settled", "watermark", "worker")


def built(source, *flags):
    out = os.path.join(BUILD, "clock", source.rsplit(".", 1)[0] + (".so" if "-shared" in flags else ""))
    os.makedirs(os.path.dirname(out), exist_ok=True)
    path = os.path.join(HERE, source)
    if not os.path.exists(out) or os.path.getmtime(out) < os.path.getmtime(path):
        subprocess.run(["gcc", "-O1", "-g", *flags, path, "-o", out], check=True)
    return out


def run(command, **env):
    return subprocess.run(command, env=tracing.environment(**env), capture_output=True, text=True, timeout=60, check=False)


def ways(out, **env):
    """The program, recorded by a collector outside and inside; the trace of each."""
    program = built("program.c", "-fopenmp")
    outside = out + "/outside.tpt"
    done = run([TPTRACE, "record", "-q", "-o", outside, "--", program], **env)
    assert done.returncode == 0 and done.stdout == f"tasks {TASKS}\n" and not done.stderr, done
    yield outside
    inside = out + "/inside.tpt"
    preload = ":".join(filter(None, [env.pop("LD_PRELOAD", ""), SHIM]))
    done = run([program], LD_PRELOAD=preload, TPTRACE_OUTPUT=inside, **env)
    assert done.returncode == 0 and done.stdout == f"tasks {TASKS}\n" and not done.stderr, done
    yield inside


def clock_of(path):
    text = run([TPTRACE, "dump", path]).stdout
    return next(line.split()[1] for line in text.splitlines() if line.startswith("clock "))


@frame.test
def either_clock(folder):
    for asked, clocks in CLOCKS.items():
        for path in ways(folder, TPTRACE_CLOCK=asked):
            assert clock_of(path) in clocks, (asked, clock_of(path))
            report = tracing.report_of(TPTRACE, path, "--strict")
            assert tracing.explicit(report) == TASKS, report
            assert report["elapsed_ns"] >= LEAST_NS, report["elapsed_ns"]
            os.remove(path)
        path = f"{folder}/{asked}.tpt"
        done = run([TPTRACE, "record", "-q", "--clock", asked, "-o", path, "--", built("program.c", "-fopenmp")])
        assert done.returncode == 0 and not done.stderr, done
        assert clock_of(path) in clocks, (asked, clock_of(path))


@frame.test
def unknown_clock(folder):
    """One line says so, and tptrace chooses; the option is an error."""
    for asked in ("tsc-by-cpu", "hpet"):
        done = run([TPTRACE, "record", "-q", "-o", f"{folder}/{asked}.tpt", "--", built("program.c", "-fopenmp")],
                   TPTRACE_CLOCK=asked)
        assert done.returncode == 0 and done.stdout == f"tasks {TASKS}\n", done
        assert done.stderr == f"tptrace: TPTRACE_CLOCK={asked}: neither tsc nor monotonic; tptrace chooses the clock\n", done
        done = run([TPTRACE, "record", "--clock", asked, "true"])
        assert done.returncode == 2 and asked in done.stderr, done


def on_machine(folder, listed):
    """Runs a command where the kernel keeps time by kvm-clock, and lists these clocks; None if that cannot be."""
    script = "mount --bind $1 $3/current_clocksource && mount --bind $2 $3/available_clocksource && shift 3 && exec \"$@\""
    for name, said in (("now", "kvm-clock\n"), ("listed", listed)):
        with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
            file.write(said)

    def within(*command):
        return run(["unshare", "-rm", "sh", "-c", script, "sh", f"{folder}/now", f"{folder}/listed",
                    "/sys/devices/system/clocksource/clocksource0", *command])
    return None if within("true").returncode else within


@frame.test
def clock_of_a_virtual_machine(folder):
    """The kernel keeps time by a clock of its own: the counter, if the kernel lists that, or is not asked for its time."""
    if platform.machine() != "x86_64":
        return "no x86-64"
    program = built("program.c", "-fopenmp")
    served = run([built("served.c")]).returncode
    taken = {}
    for available, listed in (("known", "kvm-clock tsc acpi_pm \n"), ("unknown", "kvm-clock acpi_pm \n")):
        within = on_machine(folder, listed)
        if not within:
            return "no mount namespace"
        for how in ("record", "inside") * 3:  # more often than once: a busy machine's CPUs cannot always be compared
            path = f"{folder}/{how}.tpt"
            command = [TPTRACE, "record", "-q", "-o", path, "--", program]
            if how == "inside":
                command = [f"LD_PRELOAD={SHIM}", f"TPTRACE_OUTPUT={path}", program]
            done = within("env", "-u", "TPTRACE_CLOCK", *command)
            assert done.returncode == 0 and done.stdout == f"tasks {TASKS}\n", done
            taken.setdefault(available, set()).add(clock_of(path))
            report = tracing.report_of(TPTRACE, path, "--strict")
            assert tracing.explicit(report) == TASKS and report["elapsed_ns"] >= LEAST_NS, report
            os.remove(path)
    print(f"    {taken}, {'without' if served == 0 else 'with'} a system call")
    assert ("tsc" in taken["unknown"]) == ("tsc" in taken["known"] and served == 0) or served == 77, taken
    return None


@frame.test
def counters_that_differ(folder):
    """CPUs' counters are 1 ms apart: the clock is the kernel's, and the trace says why."""
    within = platform.machine() == "x86_64" and on_machine(folder, "kvm-clock tsc \n")
    if not within or len(os.sched_getaffinity(0)) < 2:
        return "no x86-64, no mount namespace, or one CPU"
    jumps, path = built("jumps.c", "-shared", "-fPIC", "-D_GNU_SOURCE"), f"{folder}/apart.tpt"
    done = within("env", "-u", "TPTRACE_CLOCK", "JUMPS_BY_MS=1", "JUMPS_APART=1", f"LD_PRELOAD={jumps}:{SHIM}",
                  f"TPTRACE_OUTPUT={path}", built("program.c", "-fopenmp"))
    assert done.returncode == 0 and done.stdout == f"tasks {TASKS}\n", done
    if "not on this machine" in done.stderr:
        return "the counter cannot be made to differ here"
    assert clock_of(path) == "monotonic", clock_of(path)
    report = tracing.report_of(TPTRACE, path, "--strict")
    assert tracing.explicit(report) == TASKS and report["elapsed_ns"] >= LEAST_NS, report
    info = run([TPTRACE, "info", path]).stdout
    assert "clock not tsc: counters of CPUs differ by 1.0" in info or "differ by 99" in info, info
    return None


@frame.test
def any_uptime(folder):
    """Just booted; at the moment when an event's 56 bits of ns are over; and after 126 years."""
    wraps = 2 ** 56 / 10 ** 9
    for name, at_s in (("booted", .5), ("wraps", wraps), ("old", 4e9)):
        offset = int(at_s - time.clock_gettime(time.CLOCK_MONOTONIC))  # in the second before
        within = ["unshare", "-rTf", f"--monotonic={offset}", f"--boottime={offset}"]
        if run([*within, "true"]).returncode:
            return "no time namespace"
        naps = 20 if name == "wraps" else 2
        for asked in CLOCKS:
            path = f"{folder}/{name}.{asked}.tpt"
            done = run([*within, TPTRACE, "record", "-q", "--clock", asked, "-o", path, "--",
                        built("program.c", "-fopenmp"), str(naps)])
            assert done.returncode == 0 and done.stdout == f"tasks {SMALL + naps}\n" and not done.stderr, (name, done)
            report = tracing.report_of(TPTRACE, path, "--strict")
            assert tracing.explicit(report) == SMALL + naps, (name, asked, report)
            assert report["elapsed_ns"] >= naps * 50 * MS, (name, asked, report["elapsed_ns"])
        for unit in UPTIME_UNITS if name != "wraps" else ():
            done = run([*within, f"{BUILD}/unit/{unit}_test"])
            assert done.returncode == 0, (name, unit, done)
    return None


@frame.test
def collapsed_or_not(folder):
    """What is collapsed depends on lengths in ticks: with either clock some of it is, and nothing is lost."""
    for asked in CLOCKS:
        for collapse in ("off", "100us"):
            for path in ways(folder, TPTRACE_CLOCK=asked, TPTRACE_COLLAPSE=collapse):
                report = tracing.report_of(TPTRACE, path, "--strict")
                assert tracing.explicit(report) == TASKS, report
                lines = map(str.split, run([TPTRACE, "dump", path]).stdout.splitlines())
                n = sum(int(words[4]) for words in lines if words[2:4] == ["collapsed", "tasks"])
                assert n > SMALL / 4 if collapse != "off" else n == 0, (path, n)
                os.remove(path)


@frame.test
def snapshots_and_stops(folder):
    """A run of some seconds has snapshots, whoever collects; to be stopped is no jump of the clock."""
    command = [built("program.c", "-fopenmp"), "50"]
    env = tracing.environment(TPTRACE_CLOCK="tsc")
    runs = {}
    for name, options in (("outside", ()), ("inside", ("--inside",)), ("last", ("--keep=last",))):
        path = f"{folder}/{name}.tpt"
        runs[path] = subprocess.Popen([TPTRACE, "record", "-q", *options, "-o", path, "--", *command], env=env,
                                      stdout=subprocess.PIPE, start_new_session=True)
    time.sleep(.7)
    for run_of in runs.values():
        os.killpg(run_of.pid, signal.SIGSTOP)
    time.sleep(.7)
    for run_of in runs.values():
        os.killpg(run_of.pid, signal.SIGCONT)
    for path, run_of in runs.items():
        assert run_of.wait(60) == 0 and run_of.stdout.read() == b"tasks 2096\n", path
        run_of.stdout.close()
        report = tracing.report_of(TPTRACE, path, "--strict")
        clock = report["clock"]
        if clock["source"] == "monotonic":
            return "no clock here but monotonic"
        assert clock["snapshots"] >= 1 and clock["jumps"] == 0 and clock["drift_ppm"] < 200, clock
    return None


@frame.test
def counter_that_jumps(folder):
    """For real: rdtsc faults, and its values jump.  The trace is whole, and the report says so."""
    if platform.machine() != "x86_64":
        return "not on this kind of processor"
    jumps, program, runs = built("jumps.c", "-shared", "-fPIC", "-D_GNU_SOURCE"), built("program.c", "-fopenmp"), {}
    for by_ms in (300, -300, 60000, -60000):
        env = tracing.environment(LD_PRELOAD=f"{jumps}:{SHIM}", TPTRACE_OUTPUT=f"{folder}/{by_ms}.tpt",
                                  TPTRACE_CLOCK="tsc", JUMPS_BY_MS=by_ms)
        runs[by_ms] = subprocess.Popen([program, "30"], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       text=True)
    skipped = None
    for by_ms, run_of in runs.items():
        out, err = run_of.communicate(timeout=60)
        assert run_of.returncode == 0 and out == "tasks 2076\n", (by_ms, run_of.returncode, out, err)
        path = f"{folder}/{by_ms}.tpt"
        report = tracing.report_of(TPTRACE, path, "--strict", skewed=True)
        clock = report["clock"]
        assert tracing.explicit(report) == 2076, report
        if "not on this machine" in err or clock["source"] != "tsc":
            skipped = "the counter cannot be made to jump here"
            continue
        assert clock["jumps"] >= 1, clock
        about(clock["jump_ns"], by_ms * MS, 20 * MS + abs(by_ms) * MS // 100)  # the rate is measured shortly
        told = run([TPTRACE, "report", path]).stdout.splitlines()
        assert any(line.startswith("CLOCK: the clock (tsc) jumped ") for line in told[:6]), told[:6]
        if by_ms > -60000:  # else it never came to where it was again
            assert report["elapsed_ns"] >= 1500 * MS, report["elapsed_ns"]
    return skipped


def report_of_planted(folder, clock, **how):
    path = folder + "/planted.txt"
    with open(path, "w", encoding="ascii") as file:
        file.write(planted.trace(clock, **how))
    text = run([TPTRACE, "report", path]).stdout
    told = [line for line in text.splitlines() if line.startswith("CLOCK: ")]
    return tracing.report_of(TPTRACE, path, "--strict", skewed=True), told, run([TPTRACE, "info", path]).stdout


def about(value, want, off):
    assert abs(value - want) <= off, (value, want, off)


WORK_NS = planted.TURNS * (planted.TASK_NS + (10 + 4 + 15) * MS)


@frame.test
def clocks_without_faults(folder):
    """At one rate, whatever it is; with snapshots and without; over a pause of the collector."""
    for rate in (.4, .83, 1):
        for how in ({}, {"every_ns": 0}, {"looks": (3 * SECOND + 5 * MS, 3 * SECOND + 6 * MS)}):
            report, told, info = report_of_planted(folder, Clock([(0, rate)]), **how)
            assert not told and report["clock"]["jumps"] == 0 and report["clock"]["drift_ppm"] == 0, report["clock"]
            assert "clock jumps: 0\n" in info and "clock drift: at most 200 ppm\n" in info, info
            about(report["elapsed_ns"], 10 * SECOND, 10)
            about(report["work_ns"], WORK_NS, 2000)


@frame.test
def clocks_that_jump(folder):
    """The report names the largest jump, its size and place; figures away from it are right."""
    for step, at, looks in ((10 * SECOND, 4_500 * MS, ()), (-5 * MS, 4_550 * MS, ()), (3 * MS, 7_250 * MS, ()),
                            (-3 * MS, 7_250 * MS, ()), (SECOND, 4_950 * MS, (4_900 * MS, 5_100 * MS))):
        report, told, info = report_of_planted(folder, Clock([(0, .8)], [(at, step * 8 // 10)]), looks=looks)
        clock = report["clock"]
        assert clock["jumps"] == 1 and len(told) == 1, (clock, told)
        about(clock["jump_ns"], step, 50_000)
        assert clock["jump_since_ns"] <= at <= clock["jump_until_ns"], clock
        about(clock["jump_until_ns"] - clock["jump_since_ns"], 100 * MS if looks else SECOND, 10)
        assert ("ahead" if step > 0 else "back") in told[0] and "clock jumps: 1, the largest by" in info, (told, info)
        about(report["elapsed_ns"], 10 * SECOND, 10)
        about(report["work_ns"], WORK_NS, 150 * MS if looks else 600 * MS)
    report, told, _ = report_of_planted(folder, Clock([(0, .8)], [(2_500 * MS, 8 * MS), (6_550 * MS, -8 * MS)]))
    assert report["clock"]["jumps"] == 2 and "2 times, once by" in told[0], (report["clock"], told)
    report, told, _ = report_of_planted(folder, Clock([(0, .8)], [(2_500 * MS, 40_000)]))
    assert report["clock"]["jumps"] == 0 and not told, (report["clock"], told)


@frame.test
def clock_that_is_set_back(folder):
    """As by a suspended machine: nothing knows how long things took from then on, but they were."""
    report, told, _ = report_of_planted(folder, Clock([(0, .8)], [(4_550 * MS, -10 * SECOND)]))
    clock = report["clock"]
    assert clock["jumps"] == 1 and "back between 4.00 s and 5.00 s" in told[0], (clock, told)
    about(clock["jump_ns"], -12_500 * MS, 50_000)
    assert report["tasks"] == report["tasks_ended"] == planted.TURNS + planted.TURNS // 2 + 1, report
    assert 4 * SECOND < report["elapsed_ns"] < 6 * SECOND, report["elapsed_ns"]


@frame.test
def workers_that_disagree(folder):
    """A task that began before it was made was made before, all the same."""
    for behind in (10 * MS + 1000, 19 * MS, 400 * MS):
        report, told, _ = report_of_planted(folder, Clock([(0, .8)]), behind_ns=behind)
        about(report["clock"]["skew_ns"], behind - 10 * MS, 10)
        assert len(told) == 1 and "two workers disagree by" in told[0], told
        assert report["tasks_ended"] == planted.TURNS + planted.TURNS // 2 + 1, report
        assert report["elapsed_ns"] == 10 * SECOND, report["elapsed_ns"]
        about(report["work_ns"], WORK_NS, planted.TURNS * behind)
    path = folder + "/never.txt"
    with open(path, "w", encoding="ascii") as file:
        lines = planted.trace(Clock([(0, .8)])).splitlines(True)
        file.writelines(line for line in lines if " create 0.50 " not in line)
    done = run([TPTRACE, "report", path])
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1, done
    for behind in (9 * MS, -5 * MS):
        report, told, _ = report_of_planted(folder, Clock([(0, .8)]), behind_ns=behind)
        assert report["clock"]["skew_ns"] == 0 and not told, (report["clock"], told)


@frame.test
def clocks_that_drift(folder):
    """The rate changes during the run: all figures are right, and the report says so if it matters."""
    for ppm in (-3000, 300, 9000):
        clock = Clock([(0, .8), (6 * SECOND, .8 * (1 + ppm / 1e6))])
        report, told, info = report_of_planted(folder, clock)
        assert report["clock"]["jumps"] == 0 and len(told) == (abs(ppm) > 2500), (report["clock"], told)
        about(report["clock"]["drift_ppm"], abs(ppm), abs(ppm) / 100)
        assert f" {report['clock']['drift_ppm']} ppm " in info, info
        about(report["elapsed_ns"], 10 * SECOND, 10)
        about(report["work_ns"], WORK_NS, 2000)
        report, told, _ = report_of_planted(folder, clock, every_ns=0)
        assert not told and abs(report["work_ns"] - WORK_NS) < WORK_NS / 100, report  # nobody could know


@frame.test
def faked_clock(folder):
    """The trace has the machine's time, whatever the program is made to believe."""
    faked = built("faked.c", "-shared", "-fPIC")
    for asked in CLOCKS:
        for path in ways(folder, TPTRACE_CLOCK=asked, LD_PRELOAD=faked):
            report = tracing.report_of(TPTRACE, path, "--strict")
            assert report["elapsed_ns"] >= LEAST_NS, (path, asked, report["elapsed_ns"])
            os.remove(path)


def main():
    if ARGS.other:
        with tracing.new_folder("tptrace-clock.") as folder:
            print("tsc" if clock_of(next(ways(folder))) == "monotonic" else "monotonic")
        return 0
    return frame.run("clock", ARGS)


if __name__ == "__main__":
    sys.exit(main())
