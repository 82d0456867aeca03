#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ranks.py [--tptrace CMD] - what ranks of a job waited for each other, in small traces with known answers.

A case gives for each rank what it does, one after the other, and the findings: {(id, late rank, its code): ns}.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

FIRST = "0 w0 root 0.1\n"
HEAD = """tptrace text 2
clock ns
meta rank {rank}
meta host {host}
runtime 0 name=x workers=1
site 1 name=even file=a.c line=1
site 2 name=late file=a.c line=2
site 3 name=MPI file=a.c line=3
site 4 name=exchange file=a.c line=4
0 w0 root 0.1
"""
PHASES = "mark 0 phase a\nmark 50 phase b\n"
CASES = {}
FACTS = {  # of the first finding
    "sender": {"waiting_rank": 1, "waits": 1, "longest_block": 800, "other_ranks": 0, "kind_work": 900, "times_mean": 2,
               "variant": "more work"},
    "messages_small": {"messages": 1000, "mean_bytes": 8, "each": 10, "ranks": 2},
    "sender_of_same_work": {"kind_work": 900, "times_mean": 1, "variant": "as others"},
}

FACT_IDS = set()  # all that were found

GAINS = {  # of the first finding: as replayed, without what others do meanwhile
    "sender": 912 - 562,  # 450 of late on rank 0, while rank 1 takes 1 + 450 / 110 times as long
    "sender_of_same_work": 800,  # it is sent before the tasks run
    "sender_beside_longer": 0,  # rank 1 has another task up to its end
    "branches_off": 10,  # the last call comes 10 earlier: its task then begins with the one that creates it
    "branches_off_of_same_work": 10,
    "imbalance": 906 - 439,  # (900 + 100 + 300) / 3 on each
    "imbalance_in_turn": 802,
    "messages_small": 5000,
}


def case(function):
    CASES[function.__name__] = function
    return function


def message(field, rank, order=1, comm=1, tag=7, ranks=None):
    lines = [f"{field} {rank}", f"comm {comm}", f"order {order}"]
    return lines + ([f"tag {tag}"] if field in ("to", "from") else [f"ranks {ranks}"])


def call(until, *messages):
    """The main task is in MPI until then."""
    return ("call", until, messages)


def trace(rank, steps, host="n"):
    text, now, number = HEAD.format(rank=rank, host=host), 0, 1
    for what, *rest in steps:
        if what == "call":
            until, messages = rest
            text += f"{now} w0 wait message site=3\n"
            text += "".join(f"- w0 message {line}\n" for each in messages for line in each)
            now = until
        else:
            number += 1
            text += f"{now} w0 create 0.{number} site={1 if what == 'even' else 2}\n{now} w0 resume 0.1\n"
            text += f"{now} w0 wait children\n{now} w0 begin 0.{number}\n"
            now += rest[0]
            text += f"{now} w0 end\n"
        text += f"{now} w0 resume 0.1\n"
    return text if what == "call" else text + f"{now} w0 end\n"  # a main that does not end has its last calls cut off


def even(*at):
    """Ranks of which the one that is there longest runs other code."""
    return [("late" if ns == max(at) else "even", ns) for ns in at]


def collective(field, root, *at, after=901):
    """All do as much as is said, then the call; who need not wait does not."""
    works = even(*at)
    return [[works[rank], call(after, message(field, root, ranks=len(at))), ("even", 10)] for rank in range(len(at))]


# ---- senders and receivers ----

@case
def sender():
    return [[("late", 900), call(901, message("to", 1)), ("even", 10)],
            [("even", 100), call(902, message("from", 0)), ("even", 10)]], {("late_sender", 0, "late"): 800}


@case
def sender_of_same_work():
    return [[("late", 900), call(901, message("to", 1)), ("even", 10)],
            [("even", 100), call(902, message("from", 0)), ("late", 900)]], {("late_sender", 0, "late"): 800}


@case
def sender_in_time():
    return [[("even", 90), call(91, message("to", 1)), ("even", 900)],
            [("even", 100), call(102, message("from", 0)), ("even", 900)]], {}


@case
def sender_of_several():
    """The last of those that a call waits for counts."""
    return [[("late", 900), call(901, message("to", 2)), ("even", 10)],
            [("even", 300), call(301, message("to", 2)), ("even", 10)],
            [("even", 100), call(902, message("from", 1), message("from", 0)), ("even", 10)]], \
        {("late_sender", 0, "late"): 800}


@case
def sender_by_order():
    """Messages of one tag are told apart by their order, and others by tag and communicator."""
    return [[("even", 10), call(11, message("to", 1)), ("late", 400), call(412, message("to", 1, 2)),
             call(413, message("to", 1, tag=8)), call(414, message("to", 1, comm=2)), ("even", 10)],
            [("even", 20), call(23, message("from", 0)), call(414, message("from", 0, 2)),
             call(415, message("from", 0, comm=2)), call(416, message("from", 0, tag=8)), ("even", 10)]], \
        {("late_sender", 0, "late"): 388}


@case
def sender_waits_too():
    """Rank 2 waits for rank 1, which waits for rank 0: all of it is for what rank 0 runs."""
    return [[("late", 900), call(901, message("to", 1)), ("even", 10)],
            [("even", 100), call(902, message("from", 0)), call(903, message("to", 2)), ("even", 10)],
            [("even", 200), call(904, message("from", 1)), ("even", 10)]], {("late_sender", 0, "late"): 800 + 700}


@case
def sender_probed():
    """The receiver probes first: it is there that it waits."""
    probe, take = message("from", 0) + ["again 1"], message("from", 0)
    return [[("late", 900), call(901, message("to", 1)), ("even", 10)],
            [("even", 100), call(902, probe), call(905, take), ("even", 10)]], {("late_sender", 0, "late"): 800}


@case
def receiver_of_begun():
    """The send does not block, and is waited for."""
    begins, ends = message("to", 1), message("to", 1) + ["again 1"]
    return [[("even", 100), call(101, begins), call(902, ends), ("even", 10)],
            [("late", 900), call(901, message("from", 0)), ("even", 10)]], {("late_receiver", 1, "late"): 799}


@case
def receiver():
    return [[("even", 100), call(902, message("to", 1)), ("even", 10)],
            [("late", 900), call(901, message("from", 0)), ("even", 10)]], {("late_receiver", 1, "late"): 800}


@case
def receiver_of_buffered():
    """The send was over before."""
    return [[("even", 100), call(102, message("to", 1)), ("even", 800)],
            [("even", 900), call(901, message("from", 0)), ("even", 10)]], {}


# ---- collective calls ----

@case
def barrier():
    return collective("all", 0, 100, 900, 300), {("late_collective", 1, "late"): 800 + 600}


@case
def barrier_even():
    return collective("all", 0, 900, 900, 900), {}


@case
def barrier_begun_early():
    """Ranks that begin the call early wait only where they end it."""
    both = message("all", 0, ranks=2)
    return [[("even", 100), call(101, both), ("even", 400), call(1250, both), ("even", 10)],
            [("late", 900), call(900, both), ("even", 300), call(1201, both), ("even", 10)]], \
        {("late_collective", 1, "late"): 399}


@case
def barrier_behind():
    """Behind the last tasks; the second call waits for nobody but the first."""
    both = call(901, message("all", 0, 1, ranks=2)), call(903, message("all", 0, 2, ranks=2))
    return [[("even", 100), *both], [("late", 900), *both]], {("late_collective", 1, "late"): 800}


@case
def sender_waits_too_behind():
    return [[("even", 100), call(901, message("from", 1)), call(902, message("to", 2))],
            [("late", 900), call(901, message("to", 0))],
            [("even", 100), call(903, message("from", 0))]], {("late_sender", 1, "late"): 800 + 800}


@case
def root_sends():
    return collective("from-root", 1, 100, 900, 300), {("late_collective", 1, "late"): 800 + 600}


@case
def root_sends_early():
    """Nobody waits for those that only receive."""
    return collective("from-root", 0, 100, 900, 300), {}


@case
def root_receives():
    """Only the root waits."""
    return collective("to-root", 0, 100, 900, 300), {("late_collective", 1, "late"): 800}


@case
def scan():
    """Each waits for lower ranks."""
    return collective("scan", 0, 300, 900, 100), {("late_collective", 1, "late"): 800}


# ---- messages ----

def chatter(n, size, late=100):
    """Rank 0 sends n messages of so many bytes; each call takes 10."""
    ends = [[("late", late)], [("even", 100)]]
    for number in range(1, n + 1):
        for rank, (field, other) in enumerate((("to", 1), ("from", 0))):
            ends[rank].append(call(late + number * 10, message(field, other, number) + [f"bytes {size}"]))
    return [end + [("even", 1000)] for end in ends]


@case
def messages_small():
    return chatter(500, 8), {("small_messages", None, "main"): 2 * 500 * 10}


@case
def messages_small_and_late():
    return chatter(500, 8, 900), {("small_messages", None, "main"): 2 * 500 * 10, ("late_sender", 0, "late"): 800}


# ---- ranks that have more of the same ----

@case
def imbalance():
    """All run the same tasks, rank 2 for longest."""
    ranks = [[("even", ns), call(901, message("all", 0, ranks=3)), ("late", 5)] for ns in (100, 300, 900)]
    return ranks, {("rank_imbalance", 2, "even"): 800 + 600}


@case
def imbalance_in_turn():
    """Each works as much as the others, but not at the same time."""
    both = [call(901, message("all", 0, 1, ranks=2)), call(1801, message("all", 0, 2, ranks=2))]
    return [[("even", ns), both[0], ("even", 999 - ns), both[1], ("late", 5)] for ns in (100, 900)], \
        {("rank_imbalance", 0, "even"): 800 + 800}


@case
def imbalance_of_work():
    """Nobody waits: no collective call comes between."""
    return [[("even", 100), call(101, message("to", 1)), ("even", 10)],
            [("even", 900), call(901, message("from", 0)), ("even", 10)]], {}


# ---- calls that keep a worker ----

def keeps(ready_at):
    """Rank 1's only worker waits in MPI up to 900; another task is ready from then on."""
    text = HEAD.format(rank=1, host="n") + "site 5 name=waits file=a.c line=5\n0 w1 root 1.1\n"
    text += "0 w0 create 0.2 site=5\n0 w0 resume 0.1\n0 w0 wait children\n0 w0 begin 0.2\n100 w0 wait message site=3\n"
    text += "".join(f"- w0 message {line}\n" for line in message("from", 0))
    text += f"{ready_at} w1 create 1.2 site=1\n{ready_at} w1 resume 1.1\n"
    text += "900 w0 resume 0.2\n910 w0 end\n910 w0 begin 1.2\n1000 w0 end\n"
    text += "1000 w0 resume 0.1\n1000 w0 end\n1000 w1 end\n"
    return text.replace("workers=1", "workers=2")


def waits_in_team(workers, until=0):
    """Rank 1 waits from 100 to 902 for what rank 0 sends at 900; beside it worker 1 runs a task until then."""
    text = HEAD.format(rank=1, host="n").replace("workers=1", f"workers={workers}")
    if until:
        text += f"0 w0 create 0.2 site=1\n0 w0 resume 0.1\n0 w1 begin 0.2\n{until} w1 end\n"
    text += "100 w0 wait message site=3\n" + "".join(f"- w0 message {line}\n" for line in message("from", 0))
    text += "902 w0 resume 0.1\n"
    if until:
        end = max(until, 902)
        text += f"902 w0 wait children\n{end} w0 resume 0.1\n"
    return [[("late", 900), call(901, message("to", 1)), ("even", 10)], text + f"{until or 1000} w0 end\n"]


@case
def sender_idles_all():
    """Two more workers have nothing to run since nothing comes out of the call; what they lack then is its task's."""
    return waits_in_team(3), {("late_sender", 0, "late"): 3 * 800}


@case
def sender_idles_one():
    return waits_in_team(3, until=902), {("late_sender", 0, "late"): 2 * 800}


@case
def sender_beside_longer():
    """The third worker waits for the task that runs longest, not for the message."""
    return waits_in_team(3, until=1500), {("late_sender", 0, "late"): 800}


@case
def ready_meanwhile():
    """Only while nothing was ready it waits for the late rank; that part is shared evenly over the call."""
    return [[("late", 890), call(891, message("to", 1)), ("even", 10)], keeps(300)], \
        {("message_ready", 1, "waits"): 600, ("late_sender", 0, "late"): 197}


@case
def ready_never():
    return [[("late", 890), call(891, message("to", 1)), ("even", 10)], keeps(900)], {("late_sender", 0, "late"): 790}


# ---- calls beside each other ----

def beside(n, alone, together, pairs=16):
    """Two workers of rank 0 call n times by themselves, and then together."""
    text, now = HEAD.format(rank=0, host="n").replace("workers=1", "workers=2") + "0 w1 root 1.1\n", 0
    sends = iter(range(1, 1000))

    def one(worker, root, begin, end):
        lines = "".join(f"- w{worker} message {line}\n" for line in message("to", 1, next(sends)))
        return [(begin, f"{begin} w{worker} wait message site=3\n{lines}"),
                (end, f"{end} w{worker} resume {root}\n")]
    for i in range(n):
        text += "".join(line for _, line in one(0, "0.1", now + 5, now + 5 + alone))
        now += 5 + alone
    for i in range(pairs):
        lines = one(0, "0.1", now + 5, now + 5 + together) + one(1, "1.1", now + 6, now + 6 + together)
        text += "".join(line for _, line in sorted(lines, key=lambda line: line[0]))
        now += together + 6
    end = now
    receives = "".join(f"- w0 message {line}\n" for i in range(1, n + 2 * pairs + 1) for line in message("from", 0, i))
    other = HEAD.format(rank=1, host="n") + f"{end + 5} w0 wait message site=3\n{receives}"
    other += f"{end + 6} w0 resume 0.1\n{end + 7} w0 end\n"
    return [text + f"{end} w0 end\n{end} w1 end\n", other]


@case
def beside_one_at_a_time():
    return beside(16, 100, 200), {("serial_mpi", 0, "MPI"): 2 * 16 * 100}


@case
def beside_side_by_side():
    return beside(16, 100, 140), {}


@case
def beside_not_enough():
    return beside(15, 100, 200), {}


# ---- waits for a CPU ----

def busy(rank, until, *samples):
    """Its worker had the CPU for so much of the time up to then, and waited for one else."""
    sends = message("from" if rank else "to", 1 - rank)
    steps = [("even" if rank else "late", until), call(901 + rank, sends), ("even", 10)]
    text = trace(rank, steps)
    head, body = text.split("0 w0 root 0.1\n", 1)
    head += "meta cpu_times schedstat\n"
    head += "".join(f"cpu w0 {ns} run={ran} wait={ns - ran}\n" for ns, ran in samples)
    return head + "0 w0 root 0.1\n" + body


@case
def cpu_wait():
    """The late rank waited for a CPU for half of the time: that is the machine's."""
    return [busy(0, 900, (0, 0), (1000, 500)), busy(1, 100)], {("late_sender", 0, "late"): 400}


@case
def cpu_wait_alone():
    """It did nothing else."""
    return [busy(0, 900, (0, 0), (1000, 0)), busy(1, 100)], {}


@case
def messages_large():
    return chatter(500, 5000), {}


@case
def messages_few():
    return chatter(499, 8), {}


# ---- what the late one ran ----

@case
def late_thread():
    """The sender's task was there early, but its worker ran others first."""
    text = HEAD.format(rank=0, host="n") + "0 w0 create 0.2 site=4\n0 w0 resume 0.1\n"
    text += "0 w0 create 0.3 site=2\n0 w0 resume 0.1\n"
    text += "0 w0 wait children\n0 w0 begin 0.3\n900 w0 end\n900 w0 begin 0.2\n910 w0 wait message site=3\n"
    text += "".join(f"- w0 message {line}\n" for line in message("to", 1))
    return [text + "911 w0 resume 0.2\n920 w0 end\n920 w0 resume 0.1\n920 w0 end\n",
            [("even", 100), call(912, message("from", 0)), ("even", 10)]], {("late_sender", 0, "late"): 800}


def branches(then):
    """After 10 the sender's task creates another one, which runs beside it for longer, and sends last."""
    text = HEAD.format(rank=0, host="n").replace("workers=1", "workers=2")
    text += "0 w0 create 0.2 site=2\n0 w0 resume 0.1\n"
    text += "0 w0 wait children\n0 w0 begin 0.2\n10 w0 create 0.3 site=4\n10 w0 resume 0.2\n10 w1 begin 0.3\n"
    for ns, worker, order in ((900, 0, 1), (905, 1, 2)):
        text += f"{ns} w{worker} wait message site=3\n"
        text += "".join(f"- w{worker} message {line}\n" for line in message("to", 1, order))
        text += f"{ns + 1} w{worker} resume 0.{worker + 2}\n{ns + 1} w{worker} end\n"
    return [text + "906 w0 resume 0.1\n906 w0 end\n",
            [("even", 100), call(902, message("from", 0, 1)), call(907, message("from", 0, 2)), then]], \
        {("late_sender", 0, "late"): 800}


@case
def branches_off():
    return branches(("even", 10))


@case
def branches_off_of_same_work():
    return branches(("late", 900))


def report(tptrace, folder, *options):
    run = subprocess.run([tptrace, "report", *options, folder], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout


def put(folder, ranks, hosts="nnn"):
    for rank, steps in enumerate(ranks):
        with open(os.path.join(folder, f"{rank}.tpt"), "w", encoding="utf-8") as file:
            file.write(steps if isinstance(steps, str) else trace(rank, steps, hosts[rank]))


def total(tptrace, ranks, *options, **how):
    with tempfile.TemporaryDirectory(prefix="tptrace-ranks.") as folder:
        put(folder, ranks, **how)
        return json.loads(report(tptrace, folder, "--json", *options))["total"]


def facts_of(finding):
    return {fact["id"]: fact["value"] for fact in finding["facts"]}


def check_case(tptrace, function, phases=""):
    ranks, wanted = function()
    texts = [steps if isinstance(steps, str) else trace(rank, steps) for rank, steps in enumerate(ranks)]
    ranks = [text.replace(FIRST, phases + FIRST) for text in texts]
    got = total(tptrace, ranks, "--what-if")
    ends = max(int(ns) for text in ranks for ns in re.findall(r"^(\d+) w", text, re.M))
    assert list(got["what_if"][0].values()) == ["nothing", None, None, None, None, ends, 0], got["what_if"]
    of_all = [f for f in got["findings"] if "processes" not in facts_of(f)]
    found = {(f["id"], facts_of(f).get("rank"), f["where"].split(",")[0]): f["lost_ns"] for f in of_all}
    small = {key for key, ns in found.items() if key not in wanted and ns <= 12}  # main, between a task and a call
    assert {key: ns for key, ns in found.items() if key not in small} == wanted, (function.__name__, found)
    gain_ns = GAINS.get(function.__name__, None)
    assert gain_ns is None or of_all[0]["gain_ns"] == gain_ns, (function.__name__, of_all[0])
    FACT_IDS.update(fact["id"] for f in got["findings"] for fact in f["facts"])
    facts = facts_of(of_all[0]) if found else {}
    assert FACTS.get(function.__name__, {}).items() <= facts.items(), (function.__name__, facts)
    late_ns = sum(ns for (cause, _, _), ns in wanted.items() if "late" in cause or "imbalance" in cause)
    assert got["mpi"]["unmatched"] == 0 and got["mpi"]["late_ns"] + got["mpi"]["idle_ns"] >= late_ns, got["mpi"]


def check_manual():
    with open(os.path.join(os.path.dirname(__file__), "../../tools/man/tptrace-findings.7"), encoding="utf-8") as file:
        section = file.read().partition(".SH FACTS\n")[2].partition(".SH FINDINGS\n")[0]
    told = {fact for line in re.findall(r"^\.B (.*)", section, re.M) for fact in line.split(", ")}
    assert FACT_IDS and FACT_IDS <= told, FACT_IDS - told


def check_text(tptrace):
    with tempfile.TemporaryDirectory(prefix="tptrace-ranks.") as folder:
        put(folder, barrier()[0])
        text = " ".join(report(tptrace, folder).split())
    for part in ("0 messages and 1 collective call matched", "1 1.40 us LATE TO A COLLECTIVE CALL late, a.c:2",
                 "rank 0 waits 88 % of its core-seconds for rank 1's tasks of late, a.c:2: once in MPI, a.c:3, up to "
                 "800 ns; and 1 other rank", "with the cure below the job takes about 282 ns less"):
        assert part in text, (part, text)


def check_counts(tptrace):
    ranks = sender_waits_too()[0]
    mpi = total(tptrace, ranks)["mpi"]
    assert (mpi["messages"], mpi["collective_calls"], mpi["unmatched"], mpi["on_several_hosts"]) == (2, 0, 0, 0), mpi
    got = total(tptrace, ranks, hosts="nnm")  # of other hosts the times cannot be compared
    assert (got["mpi"]["messages"], got["mpi"]["on_several_hosts"], got["mpi"]["late_ns"]) == (2, 1, 800), got["mpi"]
    assert total(tptrace, ranks[:2])["mpi"]["unmatched"] == 1, "rank 2 is missing"
    mpi = total(tptrace, collective("all", 0, 100, 900, 300)[:2])["mpi"]
    assert (mpi["collective_calls"], mpi["unmatched"]) == (0, 2), mpi
    mpi = total(tptrace, [[("even", 5), call(6, ["to 1"])], [("even", 5), call(6, ["from 0"])]])["mpi"]
    assert (mpi["messages"], mpi["unmatched"]) == (0, 2), mpi
    assert "mpi" not in total(tptrace, [[("even", 5)], [("even", 5)]])


def round_trips(n):
    """Rank 0 asks ranks 1 and 2 in turn, and each answers late; what is sent is under way for 2 us, or up to 5."""
    ranks, now = [[], [], []], [0, 0, 0]

    def work(rank, what, until):
        ranks[rank].append((what, until - now[rank]))
        now[rank] = until

    def wait(rank, until, *messages):
        ranks[rank].append(call(until, *messages))
        now[rank] = until

    for i in range(n):
        at, other, order = 10_000_000 * (i + 1), 1 + i % 2, i // 2 + 1
        work(0, "even", at)
        wait(0, at + 100, message("to", other, order))
        work(other, "even", at - 5_000)
        wait(other, at + 2_000 + i % 4 * 1_000, message("from", 0, order))
        work(other, "late", at + 5_000_000)
        wait(other, at + 5_000_100, message("to", 0, order))
        wait(0, at + 5_002_000 + i % 3 * 1_000, message("from", other, order))
    return [trace(rank, steps + [("even", 10)], "nmk"[rank]) for rank, steps in enumerate(ranks)]


def on_clock(text, offset_ns, ppm, later_ppm=0):
    """What a host's clock would have shown, which from 2 s on drifts by so much more."""
    def shown(at):
        ns = int(at[1])
        return str(offset_ns + round(ns * (1 + ppm / 1e6) + max(ns - 2_000_000_000, 0) * later_ppm / 1e6))

    return re.sub(r"^(\d+)(?= w)", shown, text, flags=re.M)


def check_hosts(tptrace):
    """Hosts have a common clock by what they send each other: as the fastest messages take as long both ways, who is
    late is as if there were one. Without messages in both directions nobody is said to be late."""
    texts, clocks = round_trips(400), ((7_000_000_000, 0), (3_600_000_000_000, 40), (1_000, -35))
    truth = total(tptrace, [re.sub("(?m)^meta host .*", "meta host n", text) for text in texts])
    assert truth["mpi"]["on_several_hosts"] == truth["mpi"]["clock_error_ns"] == 0, truth["mpi"]
    got = total(tptrace, [on_clock(text, *clock) for text, clock in zip(texts, clocks)])
    # half of what the fastest round trips leave, and at the ends of the run no more than half of the slowest
    assert got["mpi"]["on_several_hosts"] == 800 and 2_000 <= got["mpi"]["clock_error_ns"] <= 4_500, got["mpi"]
    for wanted, found in zip(truth["findings"], got["findings"], strict=True):
        assert [wanted[key] for key in ("id", "where")] == [found[key] for key in ("id", "where")], (wanted, found)
        assert abs(wanted["lost_ns"] - found["lost_ns"]) <= 200 * 100, (wanted, found)
    assert {found["id"] for found in got["findings"]} >= {"late_sender"}, got["findings"]
    for later_ppm in (-10, -80, 500):  # no line is right then, and messages arrive early on all
        bent = total(tptrace, [texts[0], on_clock(texts[1], 3_600_000_000_000, 40, later_ppm), texts[2]])["mpi"]
        assert abs(bent["late_ns"] - truth["mpi"]["late_ns"]) <= 400 * bent["clock_error_ns"] < 1e8, (later_ppm, bent)
    one_way = [[("late", 900), call(901, message("to", 1)), ("even", 10)],
               [("even", 100), call(902, message("from", 0)), ("even", 10)]]
    mpi = total(tptrace, one_way, hosts="nm")["mpi"]
    assert (mpi["messages"], mpi["on_several_hosts"], mpi["clock_error_ns"], mpi["late_ns"]) == (1, 1, None, 0), mpi


def check_many(tptrace):
    """More ends than are sorted at once: each finds its other one, wherever that is."""
    calls = 70

    def wait(field, rank, n):
        return call(20 * n + 15, *(message(field, rank, 1000 * n + i + 1, tag=i % 7) for i in range(1000)))

    ranks = [[step for n in range(calls) for step in (("even", 5), wait(field, rank, n))] + [("even", 5)]
             for field, rank in (("to", 1), ("from", 0))]
    mpi = total(tptrace, ranks)["mpi"]
    assert (mpi["messages"], mpi["unmatched"]) == (1000 * calls, 0), mpi


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tptrace", default="build/tptrace")
    tptrace = parser.parse_args().tptrace
    for function in CASES.values():
        check_case(tptrace, function)
        check_case(tptrace, function, PHASES)
    check_manual()
    for check in (check_text, check_counts, check_hosts, check_many):
        check(tptrace)
    print(f"what {len(CASES)} jobs waited for is found")


if __name__ == "__main__":
    sys.exit(main())
