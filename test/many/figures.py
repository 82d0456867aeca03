#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""figures.py [--tptrace CMD] - path, span, states, network and replays of small jobs, worked out by hand."""
import argparse
import csv
import json
import os
import re
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import ranks as many  # noqa: E402


def check_path(tptrace):
    """Worked out by hand: the path of all ranks, how short a job could be, and its figures by rank, host and phase."""
    texts = [many.trace(rank, steps).replace(many.FIRST, many.PHASES + many.FIRST)
             for rank, steps in enumerate(many.sender()[0])]
    got = many.total(tptrace, texts)
    path = got["ready_path"]
    parts = [(part["rank"], part["name"], part["work_ns"]) for part in path.pop("parts") if part["work_ns"]]
    assert path == {"work_ns": 910, "delay_ns": 0, "message_ns": 2, "before_ns": 0, "crossings": 1}, path
    assert parts == [(0, "late", 900), (1, "even", 10)], parts
    assert (got["span_ns"], got["bound_ns"], got["parallelism"]) == (910, 910, round(1020 / 910, 4)), got["span_ns"]
    assert sum(ns for state in got["states"].values() for ns in state.values()) == got["cumulative_ns"], got["states"]
    assert sum(got["states"]["message"].values()) == 1 + 802, got["states"]
    waits = [(row["rank"], row["waits_ns"], row["late_ns"], row["message_ns"]) for row in got["by_rank"]]
    assert waits == [(0, 0, 800, 1), (1, 800, 0, 802)], waits
    assert [[row[key] for key in ("host", "processes", "waits_ns")] for row in got["by_host"]] == [["n", 2, 800]], got
    phases = [list(row.values()) for row in got["phases"]]
    assert phases == [["a", 2, 100, 50, 1, 0, 1], ["b", 2, 920, 860, 1.8696, 0, 1]], phases


def check_inflated(tptrace):
    """A job's span is refused where a rank's own is: one that waited for a CPU for most of its work."""
    for ran, refused in ((100, True), (900, False)):
        texts = [many.busy(0, 900, (0, 0), (1000, ran)), many.busy(1, 100)]
        got = many.total(tptrace, texts)
        assert (got["inflated"], got["bound_ns"] < 100) == (refused, refused), (ran, got["bound_ns"])
        with tempfile.TemporaryDirectory(prefix="tptrace-ranks.") as folder:
            many.put(folder, texts)
            screens = [many.report(tptrace, path, "--verbose") for path in (folder, f"{folder}/0.tpt")]
        assert [("parallelism is unknown" in text) for text in screens] == 2 * [refused], (ran, screens)


def check_network(tptrace):
    """The fastest message takes 2,000; of a long one, each byte 0.1 more."""
    ends = [("to", 1, ["bytes 0"], ["bytes 1000000"]), ("from", 0, [], [])]
    at = [((10_000, 10_100), (10_000, 20_200)), ((100, 12_000), (100, 122_100))]
    ranks = [[step for i in (0, 1)
              for step in (("even", at[r][i][0]),
                           many.call(at[r][i][1], many.message(field, other, i + 1) + more[i]))] + [("even", 10)]
             for r, (field, other, *more) in enumerate(ends)]
    got = many.total(tptrace, ranks, "--what-if")
    assert (got["mpi"]["latency_ns"], got["mpi"]["bytes_per_s"]) == (2_000, 10 ** 10), got["mpi"]
    rows = {row["what"]: row["elapsed_ns"] for row in got["what_if"] if row["rank"] is None}
    assert (rows["half the latency"], rows["twice the bandwidth"]) == (121_110, 72_110), rows


def check_widths(tptrace):
    """Each rank has twice its own workers: a row says of how many to how many, where they differ."""
    for ranks, said in (((1, 2), "ranks had 2 to 4 workers"), ((2, 2), "each rank had 4 workers")):
        texts = [many.trace(rank, steps).replace("workers=1", f"workers={workers}")
                 for workers, (rank, steps) in zip(ranks, enumerate(many.sender()[0]))]
        with tempfile.TemporaryDirectory(prefix="tptrace-ranks.") as folder:
            many.put(folder, texts)
            assert said in many.report(tptrace, folder, "--what-if"), (ranks, said)
        row = many.total(tptrace, texts, "--what-if")["what_if"][-1]
        assert (row["least_workers"], row["workers"]) == (2 * ranks[0], 2 * ranks[1]), row


def check_what_if(tptrace):
    """Worked out by hand: a message is under way for as long as recorded, from whatever is later."""
    for ranks, wanted in ((many.sender, {("rank twice as fast", 0): 462, ("messages at once", None): 910,
                                    ("even work", None): 553}),
                          (many.barrier, {("rank twice as fast", 1): 461, ("messages at once", None): 910}),
                          (many.barrier_begun_early, {("rank twice as fast", 1): 861}),
                          (many.root_sends, {("rank twice as fast", 1): 461}),
                          (many.receiver, {("rank twice as fast", 1): 462}),
                          (many.sender_beside_longer, {("rank twice as fast", 0): 1500}),
                          (many.receiver_of_buffered, {("rank twice as fast", 1): 902})):
        rows = many.total(tptrace, ranks()[0], "--what-if")["what_if"]
        got = {(row["what"], row["rank"]): row["elapsed_ns"] for row in rows}
        assert wanted.items() <= got.items(), (ranks.__name__, wanted, got)


def check_diff(tptrace):
    """diff has of a job its span across ranks: here 900, and then what rank 1 does with it."""
    with tempfile.TemporaryDirectory(prefix="tptrace-ranks.") as place:
        for name, last in (("a", 500), ("b", 800)):
            os.mkdir(f"{place}/{name}")
            ranks = [[("late", 900), many.call(901, many.message("to", 1)), ("even", 10)],
                     [("even", 100), many.call(902, many.message("from", 0)), ("even", last)]]
            many.put(f"{place}/{name}", [many.trace(rank, steps).replace("meta host", f"meta job {name}\nmeta host")
                                         for rank, steps in enumerate(ranks)])
        done = subprocess.run([tptrace, "diff", "--json", f"{place}/a", f"{place}/b"], capture_output=True, check=False)
        screen = subprocess.run([tptrace, "diff", f"{place}/a", f"{place}/b"], capture_output=True, check=False,
                                text=True)
    got = json.loads(done.stdout)
    assert [got[side]["total"]["span_ns"] for side in "ab"] == [1400, 1700], done
    assert got["delta"]["span_ns"] == 300, got["delta"]
    assert re.search("(?m)^ *span +1.40 us +1.70 us", screen.stdout), screen.stdout


def check_many_hosts(tptrace):
    """Of 300 hosts, whose clocks are compared by barriers and a ring: it took the fourth power of their number."""
    n = 300
    ranks = [[("even", 100 + rank % 7), many.call(1_000, many.message("all", 0, ranks=n)), ("even", 100),
              many.call(2_000, many.message("to", (rank + 1) % n), many.message("from", (rank - 1) % n)),
              ("even", 100), many.call(3_000, many.message("all", 0, order=2, ranks=n)), ("even", 10)]
             for rank in range(n)]
    with tempfile.TemporaryDirectory(prefix="tptrace-ranks.") as folder:
        many.put(folder, ranks, hosts=[f"h{rank}" for rank in range(n)])
        done = subprocess.run([tptrace, "report", "-j1", "--json", folder], capture_output=True, check=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (60, 60)))
    assert done.returncode == 0, done
    mpi = json.loads(done.stdout)["total"]["mpi"]
    assert (mpi["messages"], mpi["collective_calls"]) == (n, 2) and 0 < mpi["clock_error_ns"] < 2_000, mpi


def check_plot(tptrace):
    """A job's timelines: what each rank's workers were in, and who waited for whom."""
    with tempfile.TemporaryDirectory(prefix="tptrace-ranks.") as folder:
        many.put(folder, many.sender()[0])
        subprocess.run([tptrace, "plot", "--what", "timelines", "-o", f"{folder}/x.csv", folder], check=True)
        with open(f"{folder}/x.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    found = {(rank, state): sum(int(row["ns"]) for row in rows if (row["rank"], row["state"]) == (rank, state))
             for rank in ("rank 0", "rank 1") for state in ("running", "message")}
    assert list(found.values()) == [910, 1, 110, 802], found
    waits = [list(row.values()) for row in rows if row["late_rank"]]
    assert waits == [["rank 1", "100", "902", "waits", "800", "rank 0"]], rows


def cause_of(finding):
    """Of the machine it has no place."""
    return finding["id"], "" if finding["id"] in ("loaded", "oversubscribed") else finding["where"]


def check_own(tptrace):
    """What processes find alone is in the job's report, once for a cause and place: the sum of what they lost, in the
    words of the one that lost most; but not what is too small for all, nor waits for messages, which ranks together
    know better."""
    folder = os.path.join(os.path.dirname(__file__), "../golden/findings/traces")
    texts = [open(os.path.join(folder, name), encoding="utf-8").read() for name in sorted(os.listdir(folder))]
    n_merged = 0
    for i in range(0, len(texts) - 2, 3):
        with tempfile.TemporaryDirectory(prefix="tptrace-ranks.") as job:
            slower = re.sub(r"^(\d+)(?= w)", lambda at: str(2 * int(at[1])), texts[i], flags=re.M)
            for k, text in enumerate([*texts[i:i + 3], slower]):
                with open(os.path.join(job, f"{k}.tpt"), "w", encoding="utf-8") as file:
                    file.write(text)
            got = json.loads(many.report(tptrace, job, "--json", "--together"))
        every = {}
        for process in got["processes"]:
            for f in process["findings"]:
                every.setdefault(cause_of(f), []).append(f)
        outside = sum(process[end] or 0 for process in got["processes"] for end in ("head_ns", "tail_ns"))
        assert got["total"]["outside_ns"] == outside, got["total"]["outside_ns"]
        least = 0.02 * got["total"]["cumulative_ns"]
        wanted = sorted((len(of), sum(f["lost_ns"] for f in of)) for of in every.values())
        found = [(many.facts_of(f)["processes"], f["lost_ns"]) for f in got["total"]["findings"]]
        assert sorted(found) == [(n, ns) for n, ns in wanted if ns >= least], (i, found, wanted)
        for f in got["total"]["findings"]:
            facts = many.facts_of(f)
            most = max(every[cause_of(f)], key=lambda one: one["lost_ns"])
            assert f["what"].endswith(":\n" + most["what"]) and f["try"] == most["try"], (f, most)
            assert facts["most"] == most["lost_ns"] and many.facts_of(most).items() <= facts.items(), (f, most)
            many.FACT_IDS.update(facts)
            n_merged += facts["processes"] > 1
    assert n_merged >= 10, n_merged
    alone = many.total(tptrace, many.sender_idles_all()[0])["findings"]  # rank 1 alone waits for a message
    assert {f["id"] for f in alone} == {"late_sender", "serial"}, alone
    many.check_manual()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tptrace", default="build/tptrace")
    tptrace = parser.parse_args().tptrace
    for check in (check_path, check_own, check_inflated, check_network, check_what_if,
                  check_widths, check_diff, check_many_hosts, check_plot):
        check(tptrace)
    print("figures of jobs are right")


if __name__ == "__main__":
    sys.exit(main())
