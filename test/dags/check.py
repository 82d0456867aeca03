#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py - random graphs of tasks, each by one construct of one runtime: every edge, the span, and simulate.

    python3 test/dags/check.py --build build [--construct omp_depend --compiler clang-14] [--seeds 1-40] [--own]

A program (dags.h) prints its own graph, and when each node's code began and ended.  Its trace must lead from one node
to another, without a third between, exactly where the program has an edge.  The span is at least the longest path by
the program's own clock, and at most that by the trace's strands; `simulate` is never faster than the longest path, nor
than the work on all workers.  --own also wants the span within 0.1 % of the program's clock: on a machine that has
nothing else to do.
"""
import argparse
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from itertools import permutations

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "test/lib"))
sys.path.insert(0, os.path.join(ROOT, "test/port"))
import runtimes  # noqa: E402
import tracing  # noqa: E402

WORKERS = 2
LONGER = 200  # with --own: what first calls, page faults and a runtime take is less than 0.1 % then
# construct, key of its runtime, further keys
CONSTRUCTS = (("omp_depend", "gomp", "omp"), ("omp_depobj", "gomp", "omp"),
              ("omp_groups", "gomp", "omp"), ("omp_modes", "gomp", "omp"),
              ("omp_target", "gomp", "omp"), ("omp_tree", "gomp", "omp"),
              ("omp_wait_depend", "gomp", "omp"), ("tbb_continue", "tbb"), ("tbb_join", "tbb"),
              ("tbb_keep", "tbb"), ("tbb_queue", "tbb"), ("tbb_several", "tbb"),
              ("tbb_limit", "tbb"), ("tbb_light", "tbb"),
              ("tbb_group", "tbb"), ("tbb_pipeline", "tbb"), ("mth_join", "mth"),
              ("starpu_tags", "starpu"), ("starpu_data", "starpu"),
              ("qth_precond", "qth"), ("qth_read", "qth"), ("task_needs", None), ("pth_threads", None))
UNLINKED = (("tbb_waits", "tbb", 5),)  # construct, key of its runtime, cases: whose messages have no edge


class Wrong(Exception):
    pass


def build_program(folder, construct, runtime):
    source = os.path.join(HERE, construct + ".c")
    source = source if os.path.exists(source) else source + "c"
    out = os.path.join(folder, f"{construct}-{runtime.key if runtime else 'marks'}")
    compiler = runtime.compiler if runtime else "gcc"
    flags, libs = (runtime.flags, runtime.libs) if runtime else ([], [])
    subprocess.run([compiler, "-O2", "-g", "-Wall", "-Wextra", "-Werror", "-I" + ROOT, *flags,
                    *runtimes.language(compiler), source, "-o", out, *libs], check=True)
    return out


def graph_of(text):
    """(edges, those that may be, nodes) that the program printed; a node is (thread, begin, end)."""
    edges, may, nodes = set(), set(), {}
    for line in text.splitlines():
        word, *numbers = line.split()
        numbers = list(map(int, numbers))
        if word == "edge":
            edges.add(tuple(numbers))
        elif word == "may":
            may.add(tuple(numbers))
        elif word == "node":
            nodes[numbers[0]] = tuple(numbers[1:])
    return edges, may, nodes


def longest(edges, length):
    """The longest path; edges lead to larger numbers."""
    path = {}
    for n in sorted(length):
        path[n] = length[n] + max((path[a] for a, b in edges if b == n), default=0)
    return max(path.values())


class Trace:
    def __init__(self, tptrace, path):
        database = path + ".sqlite"
        subprocess.run([tptrace, "export", "--to", "sqlite", "-o", database, path], check=True,
                       capture_output=True)
        with sqlite3.connect(database) as base:
            self.strands = base.execute("SELECT id, task, worker, start_ns, end_ns FROM strand "
                                        "WHERE worker IS NOT NULL").fetchall()
            self.after = {}
            for a, b in base.execute("SELECT from_strand, to_strand FROM edge"):
                self.after.setdefault(a, []).append(b)
        dump = subprocess.run([tptrace, "dump", path], check=True, capture_output=True, text=True).stdout
        self.begin_ns = self.begin_of(dump.splitlines())

    @staticmethod
    def begin_of(lines):
        """The window's begin on the program's clock."""
        sync = [list(map(int, words[1:3])) for words in map(str.split, lines) if words[0] == "sync"]
        first = min(int(words[0]) for words in map(str.split, lines) if words[0].isdigit())
        (t0, ns0), (t1, ns1) = sync[0], sync[-1]
        return ns0 + (first - t0) * (ns1 - ns0) / (t1 - t0)

    def find(self, nodes):
        """The strand of each node: threads are workers, we know not which."""
        threads = sorted({node[0] for node in nodes.values()})
        workers = sorted({strand[2] for strand in self.strands})
        for order in permutations(workers, len(threads)):
            worker_of = dict(zip(threads, order))
            found = {n: self.strand_at(worker_of[thread], begin, end)
                     for n, (thread, begin, end) in nodes.items()}
            if None not in found.values() and len(set(found.values())) == len(found):
                return found
        raise Wrong("the nodes' clocks lie in no strands")

    def strand_at(self, worker, begin, end):
        slack = 1000  # of a line between two readings of two clocks
        for strand, _, on, start, until in self.strands:
            if on == worker and start - slack <= begin - self.begin_ns and end - self.begin_ns <= until + slack:
                return strand
        return None

    def leads_to(self, strand, ends):
        """Which of the strands in `ends` are reached from there, by no other of them."""
        todo, seen, reached = [strand], set(), set()
        while todo:
            for b in self.after.get(todo.pop(), ()):
                if b in seen:
                    continue
                seen.add(b)
                if b in ends:
                    reached.add(b)
                else:
                    todo.append(b)
        return reached

    def work(self, found):
        """The work of all strands, and of each node: of its task, or of its strand if that has several."""
        work, task_of, length = {}, {}, {}
        for strand, task, _, start, end in self.strands:
            work[task] = work.get(task, 0) + end - start
            task_of[strand] = task
            length[strand] = end - start
        tasks = [task_of[strand] for strand in found.values()]
        return sum(work.values()), {n: work[task_of[s]] if tasks.count(task_of[s]) == 1 else length[s]
                                    for n, s in found.items()}


def check_edges(trace, found, edges, may):
    node_of = {strand: n for n, strand in found.items()}
    got = {(a, node_of[b]) for a, strand in found.items() for b in trace.leads_to(strand, set(node_of))}
    for a, b in sorted(edges - got):
        yield f"no edge from {a} to {b}"
    for a, b in sorted(got - edges - may):
        yield f"an edge from {a} to {b}, which the program does not have"


def check_span(report, points, trace, found, edges, may, nodes, own):
    length = {n: end - begin for n, (_, begin, end) in nodes.items()}
    work, node_work = trace.work(found)
    least = longest(edges, length)
    most = longest(edges | may, node_work) + work - sum(node_work.values())
    slack = 2000
    if not least - slack <= report["span_ns"] <= most + slack:
        yield f"span {report['span_ns']}, should be {least} to {most}"
    if own and abs(report["span_ns"] - least) > 0.001 * least:
        yield f"span {report['span_ns']}, is {100 * report['span_ns'] / least - 100:+.3f} % from {least}"
    for point in points:
        bound = max(least, sum(length.values()) / point["workers"])
        if point["elapsed_ns"] < bound - slack:
            yield f"simulated {point['elapsed_ns']} on {point['workers']}, faster than {bound:.0f}"


def record(tptrace, program, runtime, seed, folder, own):
    """The trace, and what the program printed."""
    trace = os.path.join(folder, "t.tpt")
    home = os.path.join(folder, "home")
    os.makedirs(home, exist_ok=True)
    env = {**runtimes.clean_environment(), **(runtime.environment(WORKERS, home) if runtime else {}),
           "LIBOMP_NUM_HIDDEN_HELPER_THREADS": str(WORKERS), "OMP_CANCELLATION": "true"}
    done = subprocess.run([tptrace, "record", "--force", "--collapse", "off", "-o", trace, "--", program,
                           str(seed), *([str(LONGER)] if own else [])],
                          env=env, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode:
        raise Wrong(f"exit status {done.returncode}: {done.stderr.strip()}")
    return trace, done.stdout


def wrong_with(tptrace, program, runtime, seed, folder, own):
    trace, text = record(tptrace, program, runtime, seed, folder, own)
    edges, may, nodes = graph_of(text)
    graph = Trace(tptrace, trace)
    os.unlink(trace + ".sqlite")
    found = graph.find(nodes)
    yield from check_edges(graph, found, edges, may)
    report = json.loads(subprocess.check_output([tptrace, "report", "--json", trace], text=True))
    yield from tracing.wrong_sums(report)
    yield from (f"unlinked: {row['unlinked']}" for row in report["runtimes"] if "unlinked" in row)
    if runtime and report["workers"] != WORKERS:
        yield f"{report['workers']} workers, should be {WORKERS}"
    simulated = subprocess.check_output([tptrace, "simulate", "--json", "-P", "1,2,4", trace], text=True)
    yield from check_span(report, json.loads(simulated)["points"], graph, found, edges, may, nodes,
                          own)


def check_construct(args, construct, runtime, folder):
    """How many seeds fail."""
    program = build_program(folder, construct, runtime)
    name = f"{construct} on {runtime.name if runtime else 'marks'}"
    bad = 0
    for seed in args.seeds:
        for _ in range(3 if args.own else 1):
            try:
                wrong = list(wrong_with(args.tptrace, program, runtime, seed, folder, args.own))
            except (Wrong, subprocess.SubprocessError) as e:
                wrong = [str(e)]
            if not wrong:
                break
        if wrong:
            bad += 1
            print(f"FAIL {name}, seed {seed}:", *wrong[:8], sep="\n    ")
    if not bad:
        print(f"ok {name}: {len(args.seeds)} graphs")
    return bad


def check_unlinked(args, construct, runtime, cases, folder):
    """How many cases are not said to lack edges, by each command that relies on them."""
    program = build_program(folder, construct, runtime)
    bad = 0
    for case in range(cases):
        trace, _ = record(args.tptrace, program, runtime, case, folder, False)
        report = json.loads(subprocess.check_output([args.tptrace, "report", "--json", trace], text=True))
        simulated = json.loads(subprocess.check_output([args.tptrace, "simulate", "--json", trace], text=True))
        said = [row["unlinked"] for row in report["runtimes"] if "unlinked" in row]
        if len(said) != 1 or simulated.get("unlinked") != said[0]:
            bad += 1
            print(f"FAIL {construct}, case {case}: nobody says which edges are missing")
    if not bad:
        print(f"ok {construct}: {cases} cases of missing edges")
    return bad


def seeds_of(text):
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--build", default="build", help="where `make` put everything (build)")
    p.add_argument("--construct", action="append", help="only this one")
    p.add_argument("--seeds", type=seeds_of, default=seeds_of("1-2"), help="N or N-M (1-2)")
    p.add_argument("--own", action="store_true", help="the span within 0.1 %% of the program's own clock")
    args = p.parse_args()
    args.tptrace = os.path.abspath(os.path.join(args.build, "tptrace"))
    known = {runtime.key: runtime for runtime in runtimes.find(os.path.abspath(args.build))}
    bad = 0
    with tracing.new_folder("tptrace-dags.") as folder:
        for construct, *keys in CONSTRUCTS:
            if args.construct and construct not in args.construct:
                continue
            for key in keys:
                runtime = known[key] if key else None
                if runtime and runtime.missing:
                    print(f"skip dags of {runtime.name}: {runtime.missing}")
                    continue
                if runtime and runtime.stand_in:
                    print(f"skip dags of the real {runtime.name}: only its stand-in is here")
                bad += check_construct(args, construct, runtime, folder)
        for construct, key, cases in UNLINKED:
            if (not args.construct or construct in args.construct) and not known[key].missing:
                bad += check_unlinked(args, construct, known[key], cases, folder)
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
