#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py [--tptrace CMD] [--only NAME] - what `tptrace report` finds in runs with one planted cause each (cases.py).

The planted finding comes first, and has what was planted, to the ns; no other has more than 5 % of the loss.  In the
repaired run no finding has more than 5 % of elapsed x P.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

from cases import CASES

LARGE = .05  # of elapsed x P: below it a finding has no precedence over the machine
OTHERS = .05
WORDS = ("what", "try", "where", "facts")
REALS = ("busy", "entries_a_task", "factor", "feeds", "tasks_a_wait")  # which sentences say with a decimal
CONSTANTS = {"64", "256"}  # tasks that runtimes keep in a queue
FACTS = {  # what the first finding of a case says, too
    "serial_row": {"tasks": 20, "ran": 19000, "variant": "row"},
    "tail": {"longest": 10000, "median": 1000, "alone": 10000, "from": 10000, "variant": "late"},
    "tail_of_three": {"longest": 10000, "median": 1000, "variant": "late", "as_long": 3},
    "wait": {"longest": 3000, "median": 1000, "alone": 1000, "to": 3000, "variant": "uneven"},
    "wait_each": {"variant": "each"},
    "wait_each_child": {"variant": "each"},
    "wait_each_long": {"variant": "each"},
    "wait_few": {"variant": "few"},
    "wait_bag": {"variant": "few"},
    "wait_many": {"variant": "others"},
    "wait_below": {"variant": "below"},
    "tail_only": {"longest": 10000, "median": 10000, "alone": 10000, "from": 10000, "to": 20000, "variant": "late"},
    "imbalance_steps": {"busy": 1.75, "tasks": 4},
    "imbalance_turns": {"moves": 9},
    "serial_member": {"busy": 1, "variant": "member", "member": "loop, planted.c:1", "tasks": 4, "ran": 40000,
                      "stretches": 10, "longest": 4000, "from": 0, "to": 4000},
    "serial_region": {"variant": "region", "ran": 20000, "longest": 20000},
    "serial_gate": {"ran": 4000, "from": 4000, "tasks": 2, "stretches": 2, "longest": 2000, "variant": "gate"},
    "cutoff": {"called": 20, "tasks": 21, "left": 1, "ran": 20000, "busy": 1.05, "variant": "early"},
    "cutoff_inverted": {"called": 20, "tasks": 80, "wanted": 20, "called_mean": 50000, "others_mean": 10000,
                        "variant": "inverted"},
    "yields": {"tasks": 1, "yields": 200},
    "chain_late": {"variant": "late"},
    "unshared": {"tasks": 200, "variant": "one worker"},
    "unshared_without_cpu": {"waited_for_cpus": 400000, "variant": "no CPU"},
    "unshared_tbb": {"variant": "one worker"},
    "unshared_libgomp": {"variant": "one worker"},
    "unshared_each": {"tasks": 640, "rounds": 4, "variant": "one worker each time"},
    "over_idle": {"cpus": 1},
    "serial_token": {"tokens": 1},
    "serial_hot": {"hot": 0.769231, "hot_at": "merge, planted.c:40", "hot_in": "strcoll"},
    "serial_cold": {"hot": 0.74359, "hot_at": "merge, planted.c:30"},
    "blocked_thread": {"waits": 6, "longest_block": 3900},
    "lock": {"held": 1, "waits": 3, "median_wait": 6000, "longest_wait": 9000, "waiter_waits": 3,
             "longest_block": 9000, "locks": 1, "places": 1, "waiter": "scan, planted.c:1",
             "holder": "scan, planted.c:1", "task": "scan, planted.c:1", "work_held": 12000, "now": 12000},
    "lock_ordered": {"held_each": 3000, "task_work": 3000, "best": 3000},
    "lock_places": {"held": 1, "waits": 3, "median_wait": 6000, "longest_wait": 9000, "waiter_waits": 3,
                    "longest_block": 9000, "locks": 1, "places": 2, "waiter": "scan, planted.c:1",
                    "holder": "scan, planted.c:1", "task": "scan, planted.c:1", "work_held": 12000, "now": 12000},
    "lock_two": {"locks": 1, "held": 1, "waits": 1, "median_wait": 3000, "longest_wait": 3000, "waiter_waits": 1,
                 "holder_time": 3000, "held_each": 3000, "longest_block": 3000, "waiter": "scan, planted.c:1",
                 "holder": "scan, planted.c:1", "task": "scan, planted.c:1"},
    "lock_mutex": {"waited_for": 0.75, "waits": 3, "waiter_waits": 3, "waiter": "scan, planted.c:2",
                   "holder_2": "scan, planted.c:2", "task": "scan, planted.c:2"},
    "blocked": {"waits": 3, "waiter_waits": 3, "thing": "a condition variable"},
    "blocked_thread": {"thing": "the end of a thread"},
    "message": {"waits": 1, "rank": 3, "longest_block": 4000, "task": "scan, planted.c:1"},
    "device": {"waits": 1, "thing": "a device", "longest_block": 4000, "task": "scan, planted.c:1"},
    "blocked_futex": {"waits": 3, "waiter_waits": 3},
    "locking": {"variant": "free", "entries": 600, "entries_a_task": 300, "task": "scan, planted.c:1", "free": 1,
                "call": 20, "work_between": 90},
    "locking_several": {"variant": "several", "places": 6, "entries": 2520, "entries_a_task": 1260, "call": 20,
                        "task": "scan, planted.c:1"},
    "locking_waited": {"waits": 599, "median_wait": 800, "waiter_waits": 599, "calls": 599, "call": 100},
    "word_lock": {"held": 0.8, "waits": 19, "waiter_waits": 19, "locks": 1, "places": 1,
                  "waiter": "scan, planted.c:1", "holder": "scan, planted.c:1", "task": "scan, planted.c:1"},
    "word_short": {"held": 0.200803, "waits": 199, "waiter_waits": 199},
    "word": {"waited_for": 0.704433, "waits": 20, "median_wait": 700, "waiter_waits": 20, "holder_2_time": 700,
             "waiter": "use, planted.c:2", "holder_2": "use, planted.c:2", "task": "use, planted.c:2", "locks": 1,
             "places": 1, "holder": "make, planted.c:1", "holder_time": 13600},
    "code_atomic": {"variant": "atomic", "at": "part, planted.c:9", "apart": 0},
    "code_false_sharing": {"variant": "cache line", "at": "part, planted.c:9", "apart": 1},
    "code_mutex": {"variant": "lock", "function": "pthread_mutex_lock", "caller": "part, planted.c:7"},
    "loaded": {"variant": "other programs", "others": 1}, "loaded_own_little": {"variant": "other programs"},
    "loaded_own": {"variant": "own threads", "own_cpu": 12000},
    "loaded_collector": {"variant": "tptrace", "collector_cpu": 30000},
    "loaded_collector_too": {"variant": "both", "collector_cpu": 3000}, "loaded_both": {"variant": "both", "own_cpu": 3000},
    "code_mutex_waited": {"waits": 1, "function": "pthread_mutex_lock", "caller": "part, planted.c:3"},
    "code_spin": {"variant": "spin", "at": "part, planted.c:9", "of_cpu": 0.748744},
    "code_faults": {"at": "part, planted.c:9", "of_cpu": 0.748744, "variant": "first use"},
    "code_faults_anew": {"at": "part, planted.c:9", "variant": "anew"},
    "code_exceptions": {"function": "__cxa_allocate_exception", "caller": "part, planted.c:7"},
    "code_formatting": {"variant": "formatting", "caller": "part, planted.c:7", "of_cpu": 0.748744},
    "code_regex": {"variant": "regular expression", "function": "std::__detail::_Compiler<..>::_Compiler"},
    "code_format_cut": {"variant": "formatting", "of_cpu": 0.748744},
    "code_allocator_waits": {"variant": "allocator", "caller": "part, planted.c:7"},
    "asleep_timed": {"variant": "timed", "function": "usleep", "caller": "scan, planted.c:4", "there": 0.75},
    "asleep_stored": {"variant": "alone", "function": "fsync", "caller": "scan, planted.c:4", "there": 0.75},
    "code_syscalls": {"function": "write", "caller": "part, planted.c:7"},
    "over_both": {"waited_for_cpus": 200000, "without": 400000},
    "over_nested": {"waited_for_cpus": 20000, "regions": 2, "member": "inner, planted.c:2"},
    "code_zone": {"variant": "time zone", "function": "__tz_convert", "caller": "part, planted.c:7"},
    "code_library_lock": {"variant": "inside", "function": "getgrnam_r", "caller": "part, planted.c:7"},
    "code_rand": {"variant": "rand", "function": "rand", "caller": "part, planted.c:7", "of_cpu": 0.623116,
                        "together": 0.832215},
    "stretch": {"variant": "beside others"},
    "stretch_at_memory": {"variant": "memory beside others"},
    "asleep": {"variant": "alone"},
    "asleep_waited": {"variant": "waited for"},
    "asleep_mutex": {"under_lock": 0.327731, "variant": "perhaps under a lock"},
    "serial_first_long": {"variant": "head", "ran": 50000, "from": 10000, "to": 60000},
    "serial_blocked": {"doing": "blocked", "variant": "tail"},
    "serial_thread": {"ran": 5010, "stretches": 4, "longest": 3000, "from": 9010, "variant": "tail"},
    "serial_thread_blocked": {"doing": "blocked", "variant": "tail"},
    "fine": {"tasks": 200, "median": 100, "mean": 100, "cost": 380, "more": 76, "aim": 7600},
    "fine_regions": {"regions": 100, "region": 2000, "median": 500, "mean": 500},
    "fine_copies": {"create": 2816},
    "copies": {"tasks": 200, "copying": 500000, "of_calls": 0.833333, "creator": "main"},
    "fine_uneven": {"tasks": 200, "median": 100, "mean": 280, "cost": 560, "more": 40, "aim": 11200},
    "fine_few_long": {"tasks": 200, "median": 100, "mean": 100090},
    "fine_locked": {"under_lock": 0.798419},
    "fine_beside_lock": {"more": 27},
    "recorder_held": {"events": 404, "tasks": 1, "variant": "holds"},
}
SAYS = {  # and what it advises where no fact tells
    "tail_only": ("OMP_MAX_TASK_PRIORITY",),
    "imbalance_steps": ("tasks; nowait where the next loop",),
    "imbalance_turns": ("leave this barrier out where what follows does not need it",),
    "unshared_tbb": ("An arena of one slot",), "device_aside": ("give the workers other tasks meanwhile",),
    "unshared_libgomp": ("A taskloop of more than 64 tasks a thread",),
    "barred_starpu": ("StarPU runs no tasks in a thread that waits for some",),
    "lock_ordered": ("do before it what needs no order, or keep what each iteration makes",),
    "word_short": ("waiting costs more: take it once for several items",),
    "serial_thread_blocked": ("it waits for something (input, output, a lock)",),
    "fine_copies": ("see whether creating one copies much (firstprivate",),
    "fine_long_copies": ("see whether creating one copies much", "else call the short ones"),
    "fine_few_long": ("call the short ones, which most are",),
    "fine_one_region": ("1 parallel region, whose", "ask for fewer threads"),
    "fine_locked": ("first that lock: larger tasks would wait",),
    "recorder_held": ("call the runtime less often from these tasks (taskyield",),
}
ALSO = {  # facts that others of a case have
    "recorder_both": {"variant": "holds", "of_events": 8040, "event": 10},
    "serial_first_long": {"variant": "thread", "ran": 10000, "from": 0, "to": 10000},
    "lock_asleep": {"variant": "under a lock", "under_lock": 1, "lock": "lock 0x10 at critical, planted.c:3"},
}


SAYS_NOT = {"loaded_own": "other programs", "serial_token": "a serial filter", "blocked_thread": "own means", "barred_starpu": "taskgroup", "unshared_tbb": "taskloop", "unshared_libgomp": "task_arena", "lock_ordered": "several locks", "lock_asleep": "more workers than CPUs", "chain_after": "begin it earlier", "fine_locked": "as much work into a task", "fine_one_region": "around the loop"}  # what no finding of a case says
HOT = r"{} % of the tasks' CPU time is {}\."
MARKS = {  # what the screen has of a case: where over time its findings are, and where the CPU time goes
    "chain": r"\nfindings +\|1+\|\n",
    "imbalance_steps": r"\nfindings +\|( *1{6,8}){10} *\|\n",
    "wait_many": r"\nfindings +\|( +111?){10} *\|\n",
    "code_hot": HOT.format(100, "at part, planted.c:7, most in getenv"),
    "code_hot_chosen": HOT.format(100, "at part, planted.c:7, most in strcmp"),
    "code_hot_memory_lambdas": HOT.format(75, "to allocate, free and copy memory, most at ~<lambda>, planted.c:7"),
    "code_hot_own": HOT.format(75, "at part, planted.c:9"),
    "code_hot_memory": HOT.format(75, "to allocate, free and copy memory, most at part, planted.c:7"),
    "code_hot_own_of_kinds": HOT.format(67, "at part, planted.c:9"),
    "code_hot_memory_everywhere": HOT.format(75, "to allocate, free and copy memory"),
    "code_atomic": r"^(?!(.|\n)*tasks' CPU time)",  # a finding has most of it
}


FACT_IDS = set()  # all that were found


def report_of(tptrace, trace, *options):
    env = {**os.environ, "COLUMNS": "100"}
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(trace.text())
        file.flush()
        done = subprocess.run([tptrace, "report", *options, file.name], capture_output=True, text=True, check=False, env=env)
    if done.returncode:
        raise ValueError(done.stderr.strip())
    return done.stdout


def time_said(ns):
    """As the report says a time: three digits and a unit."""
    value, unit = ns, 0
    while unit < 3 and value >= 999.5:
        value, unit = value / 1000, unit + 1
    digits = 0 if unit == 0 or value >= 99.95 else 1 if value >= 9.995 else 2
    return f"{value:.{digits}f} {('ns', 'us', 'ms', 's')[unit]}" if ns else "0"


def fact_said(fact):
    """A number as sentences say it; of locks that are free, and of entries a task, with other digits."""
    value = fact["value"]
    if fact["unit"] == "ns":
        return time_said(value)
    if fact["unit"] == "share":
        return f"{100 * value:.{1 if fact['id'] == 'free' and value < .995 else 0}f} %"
    if fact["id"] in REALS and (fact["id"] != "entries_a_task" or value < 10):
        return f"{value:.1f}"
    return str(value)


def numbers_said(finding):
    """Those in what it says, but for those in names."""
    text = finding["what"]
    for name in sorted((fact["value"] for fact in finding["facts"] if fact["unit"] == "text"), key=len, reverse=True):
        text = text.replace(name, "")
    for figure in ("lost_ns", "elapsed_ns"):
        text = text.replace(time_said(finding[figure]), "")
    return set(re.findall(r"(?<![\w.])w?(\d+(?:\.\d+)?(?: (?:ns|us|ms|s|%)(?!\w))?)", text))


def has(finding, facts):
    """Whether it has these facts."""
    found = {fact["id"]: fact["value"] for fact in finding["facts"]}
    return len(found) == len(finding["facts"]) and facts.items() <= found.items()


def wrong(name, report, want):
    """What is wrong with the findings of a report."""
    lost = report["cumulative_ns"] - report["work_ns"]
    least = OTHERS * (lost if lost and want else report["cumulative_ns"])
    found = [(f["id"], f["where"].split(",")[0], f["lost_ns"]) for f in report["findings"]]
    explained = sum(f["lost_ns"] - f["in_work_ns"] for f in report["findings"])
    if report["tracer_ns"] > lost:
        yield f"tracer_ns is {report['tracer_ns']} of {lost}"
    if explained + report["not_explained_ns"] != lost:
        yield f"{explained} + {report['not_explained_ns']} not explained are not {lost}"
    by_loss = sorted(report["findings"], key=lambda finding: -finding["lost_ns"])
    large = LARGE * report["cumulative_ns"]
    if report["findings"] != sorted(by_loss, key=lambda finding: (finding["id"] in ("loaded", "tracer") or
                                                                  finding["lost_ns"] < large)):
        yield "the most costly is not first, or what is no fault of the program is before its large findings"
    report["findings"] = by_loss
    for finding in report["findings"]:
        FACT_IDS.update(fact["id"] for fact in finding["facts"])
        if not all(finding[word] for word in WORDS) or finding["path_ns"] > finding["lost_ns"] or \
                finding["elapsed_ns"] != finding["lost_ns"] // report["workers"]:
            yield f"is not whole: {finding}"
        facts = {fact["id"]: fact["value"] for fact in finding["facts"]}
        others = report["workers"] - (facts.get("variant") != "thread")  # whose code is not seen to run
        if finding["id"] == "serial" and finding["lost_ns"] > others * facts["ran"]:
            yield f"others cannot have lost so much beside what ran: {finding}"
        for number in sorted(numbers_said(finding) - {fact_said(fact) for fact in finding["facts"]} - CONSTANTS):
            yield f"no fact is {number!r}: {finding}"
    if not any(has(finding, ALSO[name]) for finding in report["findings"][1:] if name in ALSO) and name in ALSO:
        yield f"no other has {ALSO[name]}: {report['findings'][1:]}"
    if name in FACTS and not has(*report["findings"][:1], FACTS[name]):
        yield f"has not the facts {FACTS[name]}: {report['findings'][0]['facts']}"
    if name in SAYS_NOT and any(SAYS_NOT[name] in finding["try"] for finding in report["findings"]):
        yield f"says {SAYS_NOT[name]!r}"
    said = "".join(finding["what"] + finding["try"] for finding in report["findings"][:1])
    for words in SAYS.get(name, ()):
        if words not in said:
            yield f"does not say {words!r}: {said}"
    for (cause, where), ns in want.items():
        if (cause, where, ns) not in found[:len(want)]:
            yield f"want {cause} at {where} of {ns}, found {found} of {lost}"
    for cause, where, ns in found:
        if (cause, where) not in want and ns > least:
            yield f"nobody planted {cause} at {where} of {ns}, of {lost}"


def unexplained(tptrace):
    """Planted causes and facts that the manual does not have, and whether it is as the table of causes."""
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
    with open(os.path.join(root, "tools/man/tptrace-findings.7"), encoding="utf-8") as file:
        text = file.read()
    known = re.findall(r"^\.SS (\w+):", text, flags=re.M)
    yield from sorted({cause for _, want in (case() for case in CASES.values()) for cause, _ in want} - {*known})
    yield from sorted({re.sub("_[23]", "", known) for known in FACT_IDS} - {*re.findall(r"\w+", text[text.index(".SH FACTS"):text.index(".SH FINDINGS")])})
    if subprocess.run([os.path.join(root, "scripts/findings-page"), "--check", tptrace], check=False).returncode:
        yield "the section FINDINGS"


def unlisted(tptrace):
    """Findings that are not in the message for one that there is not."""
    done = subprocess.run([tptrace, "report", "--explain", "nosuch"], capture_output=True, text=True, check=False)
    words = re.findall(r"\w+", done.stderr)
    yield from ([] if done.returncode == 2 and done.stderr.count("\n") == 1 else [f"exit {done.returncode}"])
    yield from sorted({cause for _, want in (case() for case in CASES.values()) for cause, _ in want} - {*words})


def gains(tptrace):
    """Findings whose gain is not what their best change took from the simulated run; else, what is at stake."""
    report = json.loads(report_of(tptrace, CASES["lock"]()[0], "--json", "--what-if"))
    for finding in report["findings"]:
        tried = [report["what_if"]["elapsed_ns"] - change["elapsed_ns"] for change in finding["what_if"]]
        if finding["gain_ns"] != max([0, *tried]) if tried else finding["gain_ns"] != finding["elapsed_ns"]:
            yield finding["id"]
    if not any(finding["what_if"] for finding in report["findings"]):
        yield "nothing is simulated"


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tptrace", default=os.path.join(here, "../../../build/tptrace"))
    parser.add_argument("--only", default="", help="cases whose name holds this")
    args = parser.parse_args()
    failed = n = 0
    for name, case in CASES.items():
        if args.only not in name:
            continue
        trace, want = case()
        try:
            faults = list(wrong(name, json.loads(report_of(args.tptrace, trace, "--json")), want))
            mark = MARKS.get(name, "").replace(" ", r"\s+" if name.startswith("code") else " ")
            if not re.search(mark, report_of(args.tptrace, trace)):
                faults.append(f"the screen does not have {MARKS[name]}")
        except ValueError as error:
            faults = [str(error)]
        n, failed = n + 1, failed + bool(faults)
        if faults:
            print(name, *faults, sep="\n    ")
    odd = [] if args.only else [*unexplained(args.tptrace), *unlisted(args.tptrace), *gains(args.tptrace)]
    if odd:
        print("not explained as the manual does:", *odd)
        failed += 1
    print(f"{n - failed} passed, {failed} failed")
    return 1 if failed or not n else 0


if __name__ == "__main__":
    sys.exit(main())
