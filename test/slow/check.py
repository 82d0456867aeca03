#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py [--build DIR] [NAME..] - tasks that are slowed on purpose, and predictions against such runs.

What is asked for must show in the trace itself, on a machine of any speed or load: each slowed strand is at least
FACTOR times as long as it would have been, which is its length without what the recorder says it spun; no other
strand is slowed; and tasks are the same.
"""
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "lib"), os.path.join(HERE, "..", "port")]
import runtimes  # noqa: E402
import frame  # noqa: E402
import tracing  # noqa: E402
from tracing import run  # noqa: E402

ARGS = frame.arguments(__doc__)
BUILD = ARGS.build
TPTRACE = ARGS.tptrace
TASKS = 40
NS = 3  # of rounding, of a strand: of ticks, of file units, of the counter
SHARE = 1e-4  # how well the recorder knows its clock's rate


def record(path, program, *options, status=0, **env):
    return run(TPTRACE, "record", "-q", "-o", path, *options, "--", *program, status=status,
               **{"OMP_NUM_THREADS": 2, **env})


def lines():
    """Where two.c creates its tasks, or has their code: line -> which."""
    with open(os.path.join(HERE, "two.c"), encoding="utf-8") as source:
        text = source.read().split("\n")
    return {n: which for which in ("heavy", "light") for n, line in enumerate(text, 1)
            if re.search(rf"PORT_CREATE\(group, {which}|^static void {which}\(|PORT_BODY\({which}", line)}


LINES = lines()


def which(kind):
    """heavy, light, or neither: main and what starts a team."""
    if kind["what"] != "task":
        return None
    return next((LINES[at["line"]] for at in (kind, kind["site"])
                 if at["line"] in LINES and (at["file"] or "").endswith("two.c")), None)


def spelled(kind):
    """As users may write it: file:line, or the name where that is all there is."""
    return f"{os.path.basename(kind['file'])}:{kind['line']}" if kind["file"] else kind["name"]


def tasks_of(report):
    found = {}
    for kind in report["kinds"]:
        found[which(kind)] = found.get(which(kind), 0) + kind["tasks"]
    return found


def strands(path):
    """(task id, length in ns, slowed ns or None) of each strand that is whole in the dump."""
    rate, running, slowed, found = [], {}, {}, []
    for line in run(TPTRACE, "dump", path).stdout.splitlines():
        words = line.split()
        if words[0] == "sync":
            rate.append((int(words[1]), int(words[2])))
        elif words[0] == "-" and words[2:4] == ["counter", "0"]:
            slowed[words[1]] = int(words[4])
        elif words[0].isdigit() and words[2] in ("root", "begin", "member", "start", "resume"):
            running[words[1]] = int(words[0]), words[3]
        elif words[0].isdigit() and words[1] in running:
            begin, task = running.pop(words[1])
            found.append((task, (int(words[0]) - begin) * per(rate), slowed.pop(words[1], None)))
    return found


def per(rate):
    (a, a_ns), (b, b_ns) = rate[0], rate[-1]
    return (b_ns - a_ns) / (b - a) if b > a else 1


def check_strands(path, factor):
    """Each slowed strand of the trace; how many they are, and of how many tasks."""
    found = [(task, ns, spun) for task, ns, spun in strands(path) if spun is not None]
    for task, ns, spun in found:
        own = ns - spun
        assert own > -NS and spun >= (factor - 1) * own * (1 - SHARE) - NS * factor, (task, ns, spun, factor)
    return len(found), len({task for task, _, _ in found})


def check_one(runtime, folder, factor, **env):
    plain, slow = (os.path.join(folder, f"{runtime.key}-{name}.tpt") for name in ("plain", "slow"))
    program = runtimes.build_program(BUILD, runtime, "../slow/two")
    env = {**runtime.environment(2, folder), **env}
    record(plain, [program], **env)
    before = tracing.report_of(TPTRACE, plain)
    assert before["slowed"] is None
    kind = next(kind for kind in before["kinds"] if which(kind) == "heavy")
    record(slow, [program], "--slow", f"{spelled(kind)}={factor}", "--slow-of", plain, **env)
    after = tracing.report_of(TPTRACE, slow)
    assert after["slowed"] == f"{spelled(kind)} x{factor:g}", after["slowed"]
    assert tasks_of(before) == tasks_of(after), (tasks_of(before), tasks_of(after))
    for kind in after["kinds"]:
        spun = kind["counters"]["slowed"]["total"]
        if which(kind) == "heavy":
            own = kind["work_ns"] - spun
            assert own > 0 and spun >= (factor - 1) * own * (1 - SHARE) - 4 * TASKS * NS * factor, (runtime.key, kind)
        else:
            assert spun == 0, (runtime.key, kind)
    n, of = check_strands(slow, factor)
    assert of == TASKS and n >= of * (2 if runtime.nests else 1), (runtime.key, n, of)
    return plain, slow


# ---- the checks ----

def check_runtimes(folder):
    """On each runtime."""
    n = 0
    for runtime in runtimes.find(BUILD):
        if runtime.missing or runtime.key == "steal":
            continue
        check_one(runtime, folder, 3)
        n += 1
    assert n >= 2, "too few runtimes"


def check_ways(folder):
    """Either clock, a collector inside, other counters beside it; the ring of a worker that is full at once."""
    check_one(GOMP, folder, 1.5, TPTRACE_CLOCK="monotonic")
    plain, _ = check_one(GOMP, folder, 1.5)
    kind = next(kind for kind in tracing.report_of(TPTRACE, plain)["kinds"] if which(kind) == "heavy")
    for options in (("--inside",), ("--buffer", "4K"), ("--callpaths",)):
        path = os.path.join(folder, "way.tpt")
        record(path, [PROGRAM], "--slow", f"{spelled(kind)}=x2", "--slow-of", plain, *options)
        assert check_strands(path, 2)[1] == TASKS, options
        os.unlink(path)
    record(path, [PROGRAM], "--slow", f"{spelled(kind)}=20", "--slow-of", plain, "--counters", "cpu-time")
    report = tracing.report_of(TPTRACE, path)
    assert [counter["name"] for counter in report["counters"]] == ["cpu-time", "slowed"]
    kind = next(kind for kind in report["kinds"] if which(kind) == "heavy")
    own = kind["work_ns"] - kind["counters"]["slowed"]["total"]
    assert 0 < kind["counters"]["cpu-time"]["total"] <= own + TASKS * 10000, "the spin is counted, too"


def check_several(folder):
    """Two kinds by two factors; the root tasks, whose strands are main()'s own; those of a team."""
    plain, path = (os.path.join(folder, name) for name in ("plain.tpt", "both.tpt"))
    record(plain, [PROGRAM])
    report = tracing.report_of(TPTRACE, plain)
    kinds = {spelled(kind): which(kind) for kind in report["kinds"] if which(kind)}
    slow = [f"--slow={name}={ {'heavy': 2, 'light': 4}[what]}" for name, what in kinds.items()]
    team = next(spelled(kind) for kind in report["kinds"] if kind["what"] == "implicit")
    record(path, [PROGRAM], *slow, "--slow", "root=8", "--slow", f"{team}=6", "--slow-of", plain)
    for kind in tracing.report_of(TPTRACE, path)["kinds"]:
        factor = {"heavy": 2, "light": 4}.get(which(kind), {"root": 8, "implicit": 6}.get(kind["what"]))
        spun = kind["counters"]["slowed"]["total"]
        assert spun >= (factor - 1) * (kind["work_ns"] - spun) * (1 - SHARE) - 4 * TASKS * NS * factor, kind
        assert spun > 0, kind


def check_forks(folder):
    """A forked child slows the same kind, whose tasks have other ids there; a program beside it is not slowed."""
    program = os.path.join(BUILD, "slow", "forks")
    plain = os.path.join(folder, "plain.tpt")
    record(plain, [program], TPTRACE_FORK="ignore")
    with open(os.path.join(HERE, "forks.c"), encoding="utf-8") as source:
        line = next(n for n, text in enumerate(source, 1) if "pragma omp task" in text)
    kinds = tracing.report_of(TPTRACE, plain)["kinds"]
    name = next(spelled(kind) for kind in kinds if line <= kind["line"] <= line + 1 and kind["tasks"] == 20)
    record(os.path.join(folder, "slow.%p.tpt"), ["sh", "-c", f"{program} && {PROGRAM}"], "--slow", f"{name}=2",
           "--slow-of", plain)
    slowed = []
    for path in os.listdir(folder):
        if path.startswith("slow."):
            n, of = check_strands(os.path.join(folder, path), 2)
            kinds = tracing.report_of(TPTRACE, os.path.join(folder, path))["kinds"]
            assert n == of and sum(kind["counters"]["slowed"]["total"] > 0 for kind in kinds) == (n > 0), kinds
            slowed.append(n)
            if not n:
                text = run(TPTRACE, "report", os.path.join(folder, path)).stdout
                assert "no such task ran" in text, text
    assert sorted(slowed) == [0, 20, 20], slowed


def check_told(folder):
    """Every command that compares says that a run was slowed, or refuses it."""
    plain, slow = check_one(GOMP, folder, 2)
    text = run(TPTRACE, "report", slow).stdout
    assert re.search(r"^SLOWED ON PURPOSE: .* x2; .* of work are that", text, re.M), text
    assert "SLOWED" not in run(TPTRACE, "report", plain).stdout
    diff = run(TPTRACE, "diff", plain, slow, status=None).stdout
    assert re.search(r"^B was slowed on purpose .*x2\.", diff, re.M) and "A was" not in diff, diff
    sides = json.loads(run(TPTRACE, "diff", "--json", plain, slow, status=None).stdout)["sides"]
    assert [bool(side["slowed"]) for side in sides] == [False, True], sides
    assert "not slowed alike" in run(TPTRACE, "diff", f"{plain},{slow}", plain, status=2).stderr
    assert "slowed on purpose" in run(TPTRACE, "predict", "--at", "n=9", slow, slow, status=None).stderr
    assert "slowed on purpose" in run(TPTRACE, "simulate", slow).stderr
    assert "name it after --against" in run(TPTRACE, "simulate", "--against", slow, slow, status=1).stderr
    assert "not slowed" in run(TPTRACE, "simulate", "--against", plain, plain, status=1).stderr
    done = json.loads(run(TPTRACE, "simulate", "--json", "--against", slow, plain).stdout)
    assert done["verdict"] == "too few runs" and done["kinds"][0]["reached"] >= 2 * (1 - SHARE), done


def check_refused(folder):
    """What cannot be slowed is one line, and nothing runs."""
    plain, copy = os.path.join(folder, "plain.tpt"), os.path.join(folder, "copy")
    with open(PROGRAM, "rb") as old, open(copy, "wb") as new:
        new.write(old.read())
    os.chmod(copy, 0o755)
    record(plain, [copy])
    bad = [(("--slow", text), "") for text in ("x", "=2", "x=0.9", "x=1", "x=2000", "x=nan", "x=")]
    bad += [(("--slow", "nowhere=2"), "no kind `nowhere`"), (("--slow-of", plain), "--slow-of needs"),
            (tuple("--slow=root=2" for _ in range(9)), "at most 8")]
    for options, why in bad:
        if "--slow-of" not in options:
            options += "--slow-of", plain
        done = record(os.path.join(folder, "no.tpt"), [copy], *options, status=2)
        assert done.stderr.count("\n") <= 2 and why in done.stderr and not done.stdout, (options, done.stderr)
    missing = record(os.path.join(folder, "no.tpt"), [copy], "--slow", "root=2", "--slow-of", "none.tpt", status=2)
    assert missing.stderr.count("\n") == 1, missing.stderr
    with open(copy, "wb") as new, open(FORKS, "rb") as other:
        new.write(other.read())
    done = record(os.path.join(folder, "no.tpt"), [copy], "--slow", "root=2", "--slow-of", plain, status=2)
    assert "has changed since" in done.stderr and done.stderr.count("\n") == 1, done.stderr
    assert not os.path.exists(os.path.join(folder, "no.tpt"))
    # by hand: the program goes on without
    shim = os.path.join(BUILD, "libtpshim_omp.so")
    for value in ("x", "x=2", "x=2000@", "x=2000@a:f:", "x=999@root", "x=2000@root|", "=2000@root y", "x=2000@a:g:1"):
        path = os.path.join(folder, "hand.tpt")
        done = run(PROGRAM, LD_PRELOAD=shim, TPTRACE_OUTPUT=path, TPTRACE_SLOW=value, OMP_NUM_THREADS=2)
        assert "nothing is slowed" in done.stderr and tracing.report_of(TPTRACE, path)["slowed"] is None, value
        os.unlink(path)


RUN = """tptrace text 2
clock ns
meta exe /app
{slow}runtime 0 name=libgomp version=x workers=2
site 1 runtime=0 name=work
site 2 runtime=0 name=main
0 w0 root 0.1
1000 w0 create 0.2 site=1
1000 w0 resume 0.1
1000 w0 wait children site=2
1000 w1 begin 0.2
{counter}{end} w1 end
{end} w0 resume 0.1
{last} w0 end
"""


def made(folder, name, work, slowed=None):
    """The trace of a run: 1 us, a task of `work` us, 1 us; slowed by so much of it."""
    text, path = (os.path.join(folder, f"{name}.{end}") for end in ("txt", "tpt"))
    work = round(work * 1000)
    with open(text, "w", encoding="utf-8") as out:
        out.write(RUN.format(end=1000 + work, last=2000 + work,
                             slow="" if slowed is None else "meta slow work=2000@x:f:1\ncounter 0 name=slowed unit=ns\n",
                             counter=f"- w1 counter 0 {round(slowed * 1000)}\n" if slowed else ""))
    run(TPTRACE, "load", "-o", path, text)
    return path


def check_verdicts(folder):
    """Runs with known answers: one task of 98 us of 100, which is slowed to 196, is +98 %."""
    plain = [made(folder, f"plain{i}", 98 + 0.1 * i) for i in range(3)]
    cases = {"agrees": [(196 + 0.1 * i, 98) for i in range(3)],
             # more than what was spun: something else became slower, too
             "disagrees ": [(300 + 0.1 * i, 98) for i in range(3)],
             # the trace says so, but all that was slowed was hidden behind something else
             "disagrees": [(120 + 0.1 * i, 60) for i in range(3)],
             "too few runs": [(196, 98), (196.1, 98)],
             "too noisy": [(60, 30), (196, 98), (300, 150)],
             "nothing slowed": [(98 + 0.1 * i, 0) for i in range(3)]}
    for verdict, runs in cases.items():
        slow = [made(folder, f"{verdict}{i}".replace(" ", "-"), work, spun) for i, (work, spun) in enumerate(runs)]
        verdict = verdict.strip()
        command = (TPTRACE, "simulate", "--against", ",".join(slow), *plain)
        status = int(verdict == "disagrees")
        done = json.loads(run(*command, "--json", status=status).stdout)
        assert done["verdict"] == verdict, done
        reached = sum(work for work, _ in runs) / sum(work - spun for work, spun in runs)
        assert abs(done["kinds"][0]["reached"] - reached) < 1e-3, done
        work = 98.1 * reached
        assert abs(done["predicted"]["middle"] - (work - 98.1) / 100.1) < 0.01, done
        text = run(*command, status=status).stdout
        assert {"agrees": "\nagrees: ", "disagrees": "\nDISAGREES: "}.get(verdict, "\nnot decided: ") in text, text
    other = made(folder, "other", 98)
    text = run(TPTRACE, "dump", other).stdout.replace("meta exe /app", "meta exe /other")
    with open(os.path.join(folder, "o.txt"), "w", encoding="utf-8") as out:
        out.write(text)
    run(TPTRACE, "load", "-o", os.path.join(folder, "o.tpt"), os.path.join(folder, "o.txt"))
    assert "of different programs" in run(TPTRACE, "simulate", "--against", slow[0], os.path.join(folder, "o.tpt"),
                                       status=1).stderr
    for options in (("-P", "2"), ("--speed", "work=2"), ("--curve", "work"), ("--fewest-changes",)):
        run(TPTRACE, "simulate", "--against", slow[0], *options, plain[0], status=2)


def check_advice(folder):
    """The verdict stands beside the advice that it concerns, and withdraws it."""
    plain = [made(folder, f"plain{i}", 98 + 0.1 * i) for i in range(3)]
    sides = {"agrees": (196, 98), "disagrees": (300, 98), "nothing slowed": (98, 0)}
    slow = {verdict: ",".join(made(folder, f"{verdict.replace(' ', '-')}{i}", work + 0.1 * i, spun) for i in range(3))
            for verdict, (work, spun) in sides.items()}
    for verdicts in (("agrees",), ("disagrees",), ("nothing slowed",), ("agrees", "disagrees")):
        command = [TPTRACE, "report", "--what-if", *(word for v in verdicts for word in ("--against", slow[v])), *plain]
        report = json.loads(run(*command, "--json").stdout)
        told = report["what_if"]["experiments"]
        assert [e["verdict"] for e in told] == list(verdicts) and all(e["slowed"] == "work x2" for e in told), told
        for verdict, experiment in zip(verdicts, told):
            alone = json.loads(run(TPTRACE, "simulate", "--json", "--against", slow[verdict], *plain,
                                   status=int(verdict == "disagrees")).stdout)
            for key in ("measured", "predicted"):
                assert abs(alone[key]["middle"] - experiment[key]) < 1e-6, (alone, experiment)
        change = next(f for f in report["findings"] if f["id"] == "coarse")["what_if"][0]
        withdrawn = "disagrees" in verdicts
        assert change["withdrawn"] == withdrawn and change["experiments"] == list(range(len(verdicts))), change
        text = run(*command).stdout
        assert ("withdrawn: what --split work:" in text, "simulated: " in text) == (withdrawn, not withdrawn), text
        for verdict in verdicts:
            line = f"experiment work x2{': not decided, ' if verdict == 'nothing slowed' else ' '}{verdict}"
            assert text.count(line) == 1, text
        assert "concerns no advice" not in text, text
    short = made(folder, "short", 0.001)  # whose finding is of what main does alone, not of work
    text = run(TPTRACE, "report", "--what-if", "--against", made(folder, "twice", 0.002, 0.001), short).stdout
    assert text.count("experiment work x2: not decided, too few runs (concerns no advice)") == 1, text
    assert "experiments" not in json.loads(run(TPTRACE, "report", "--what-if", "--json", short).stdout)["what_if"]
    for options in (("--against", slow["agrees"]), ("--what-if", "--against", slow["agrees"], "--csv"),
                    ("--what-if", *("--against", slow["agrees"]) * 9)):
        done = run(TPTRACE, "report", *options, plain[0], status=2)
        assert done.stderr.count("\n") == 1 and "--against" in done.stderr and not done.stdout, done
    assert "name their traces" in run(TPTRACE, "report", "--what-if", "--against", slow["agrees"], status=2).stderr
    assert "not slowed" in run(TPTRACE, "report", "--what-if", "--against", plain[0], plain[1], status=1).stderr


GOMP = PROGRAM = None  # set in main()
FORKS = os.path.join(BUILD, "slow", "forks")
CHECKS = {name[6:]: check for name, check in list(globals().items())
          if name.startswith("check_") and name not in ("check_one", "check_strands")}


def main():
    global GOMP, PROGRAM
    GOMP = next(runtime for runtime in runtimes.find(BUILD) if runtime.key == "gomp")
    PROGRAM = runtimes.build_program(BUILD, GOMP, "../slow/two")
    return frame.run("slow", ARGS, CHECKS.items())


if __name__ == "__main__":
    sys.exit(main())
