#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""archive.py [--tptrace CMD] - the ranks of a job as one export: OTF2, read back by otf2-print, and Perfetto's."""
import argparse
import collections
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "export"))
import ranks as many  # noqa: E402
import readers  # noqa: E402

POINT = re.compile(r'MPI_(SEND|RECV) +(\d+) +(\d+) +(?:Receiver|Sender): (\d+) \(.* <(\d+)>\), '
                   r'Communicator: "(.*)" <\d+>, Tag: (\d+), ')
CALL = re.compile(r'MPI_COLLECTIVE_END +(\d+) +(\d+) +Operation: (\w+), '
                  r'Communicator: "(.*)" <\d+>, Root: (\w+)')
LOCATION = re.compile(r'LOCATION +(\d+) +Name: ".*" <\d+>, Type: (\w+), .*, Group: ".*" <(\d+)>')
GROUP = re.compile(r'LOCATION_GROUP +(\d+) +Name: "(?:rank (\d+)(?: of world (\d+))?: )?')
Archive = collections.namedtuple("Archive", "ranks sent received calls")


def is_possible(tptrace):
    """Whether it can be written, and read."""
    done = subprocess.run([tptrace, "export", "--to", "otf2", "-o", "x", "x"],
                          capture_output=True, text=True, check=False)
    return "no otf2" not in done.stderr and shutil.which("otf2-print") is not None


def otf2_print(path, *options):
    done = subprocess.run(["otf2-print", *options, f"{path}/traces.otf2"],
                          capture_output=True, text=True, check=True)
    assert not done.stderr, done.stderr
    return done.stdout.splitlines()


def read(tptrace, folder, *options):
    """{(sender, receiver, communicator, tag): its times}, and {(operation, communicator, root):
    [(rank, its time)]}."""
    with tempfile.TemporaryDirectory(prefix="tptrace-archive.") as place:
        path = os.path.join(place, "out")
        subprocess.run([tptrace, "export", "--to", "otf2", "-o", path, *options, folder],
                       capture_output=True, check=True)
        definitions, events = otf2_print(path, "-G"), otf2_print(path)
    group = {int(found[1]): int(found[2] or 0) if not found[3] else (int(found[3]), int(found[2]))
             for found in filter(None, map(GROUP.match, definitions))}
    rank_of = {int(found[1]): group[int(found[3])]
               for found in filter(None, map(LOCATION.match, definitions))}
    archive = Archive(sorted(group.values(), key=str), *(collections.defaultdict(list) for _ in range(3)))
    assert len(rank_of) >= 2 * len(group), definitions
    for found in filter(None, map(POINT.match, events)):
        here, other = rank_of[int(found[2])], rank_of[int(found[5])]
        to = archive.sent if found[1] == "SEND" else archive.received
        ends = (here, other) if found[1] == "SEND" else (other, here)
        to[(*ends, found[6], int(found[7]))].append(int(found[3]))
    for found in filter(None, map(CALL.match, events)):
        at = (rank_of[int(found[1])], int(found[2]))
        archive.calls[(found[3], found[4], found[5])].append(at)
    return archive


def check_matched(archive):
    """As many are received as were sent, in their order, and none before."""
    assert archive.sent.keys() == archive.received.keys(), archive
    for key, sent in archive.sent.items():
        received = archive.received[key]
        assert len(sent) == len(received), (key, sent, received)
        assert all(s <= r for s, r in zip(sent, received)), (key, sent, received)


def small_job():
    """Of three ranks, which begin at other times; rank 1 is no member of communicator 2."""
    call, message = many.call, many.message
    barrier = call(700, message("all", 0, ranks=3))
    bcast = call(702, message("from-root", 2, comm=2, ranks=2))
    return [[("even", 100), call(110, message("to", 1)), call(120, message("to", 2, comm=2)),
            barrier, bcast],
           [("even", 50), call(130, message("from", 0)), barrier, ("even", 9)],
           [("even", 600), call(640, message("from", 0, comm=2)), barrier, bcast]]


def check_small(tptrace):
    with tempfile.TemporaryDirectory(prefix="tptrace-ranks.") as folder:
        many.put(folder, small_job())
        archive = read(tptrace, folder)
    check_matched(archive)
    assert archive.ranks == [0, 1, 2], archive.ranks
    keys = [(0, 1, "MPI_COMM_WORLD", 7), (0, 2, "comm 2", 7)]
    assert archive.sent == dict(zip(keys, ([100], [110]))), archive.sent
    assert archive.received == dict(zip(keys, ([130], [640]))), archive.received
    assert {call: sorted(at) for call, at in archive.calls.items()} == {
        ("BARRIER", "MPI_COMM_WORLD", "NONE"): [(0, 700), (1, 700), (2, 700)],
        ("BCAST", "comm 2", "1"): [(0, 702), (2, 702)]}, archive.calls


def two_worlds():
    """Two ranks, and two that they spawned: both pairs do the same among themselves, the second ones later."""
    texts = []
    for world, later in ((11, 0), (12, 1000)):
        for rank, field in enumerate(("to", "from")):
            steps = [("even", 100 + later), many.call(130 + later, many.message(field, 1 - rank)),
                     many.call(150 + later, many.message("all", 0, ranks=2))]
            texts.append(many.trace(rank, steps).replace("meta host", f"meta job j\nmeta launcher {world}\nmeta host"))
    return texts


def check_worlds(tptrace, otf2):
    """The ranks of each world send each other what they sent, and nobody of the other."""
    names = "rank 0", "rank 1", "rank 0 of world 2", "rank 1 of world 2"
    with tempfile.TemporaryDirectory(prefix="tptrace-ranks.") as folder:
        many.put(folder, two_worlds(), hosts="nnnn")
        ranks, arrows, _ = read_perfetto(tptrace, folder)
        screen = many.report(tptrace, folder, "--what-if", "--by", "rank")
        total = json.loads(many.report(tptrace, folder, "--json", "--what-if"))["total"]
        archive = otf2 and read(tptrace, folder)
        if shutil.which("pj_dump"):
            subprocess.run([tptrace, "export", "--to", "paje", "-o", f"{folder}.paje", folder], check=True,
                           capture_output=True)
            text = subprocess.run(["pj_dump", "-l", "9", f"{folder}.paje"], check=True, capture_output=True, text=True)
            os.remove(f"{folder}.paje")
            lines = [line.split(", ") for line in text.stdout.splitlines()]
            assert sorted(part[6] for part in lines if part[2] == "process") == sorted(names), lines
            links = [(part[7], part[8]) for part in lines if part[2] == "message"]
            assert sorted(links) == [names[:2], names[2:]], links
    assert sorted(name.split(":")[0] for name in ranks.values()) == sorted(names), ranks
    for line in ("1 of world 2  ", "rank 1 of world 2  "):
        assert "\n" + line in screen, screen
    assert {row["world"] for row in total["what_if"] if row["what"] == "rank twice as fast"} == {2}, total["what_if"]
    assert {part["world"] for part in total["ready_path"]["parts"]} == {2}, total["ready_path"]
    assert sorted(tuple(ns for _, ns in at) for at in arrows.values()) == [(100, 130), (1100, 1130)], arrows
    if otf2:
        check_matched(archive)
        assert archive.ranks == [(2, 0), (2, 1), 0, 1], archive.ranks
        assert dict(archive.sent) == {(0, 1, "MPI_COMM_WORLD", 7): [100],
                                      ((2, 0), (2, 1), "MPI_COMM_WORLD of world 2", 7): [1100]}, archive.sent
        assert sorted(len(at) for at in archive.calls.values()) == [2, 2], archive.calls


def read_perfetto(tptrace, folder):
    """Its ranks and arrows, and what was said."""
    out = f"{folder}/out"
    with open(out, "wb") as file:
        done = subprocess.run([tptrace, "export", "--to", "perfetto", "-o", "-", folder], stdout=file,
                              stderr=subprocess.PIPE, check=True, text=True)
    found = readers.perfetto_messages(out)
    os.remove(out)
    return *found, done.stderr


def check_perfetto(tptrace):
    """One file, in which an arrow goes from each sender to who receives; a barrier has none."""
    with tempfile.TemporaryDirectory(prefix="tptrace-ranks.") as folder:
        many.put(folder, small_job())
        ranks, arrows, _ = read_perfetto(tptrace, folder)
    assert [name[:8] for name in ranks.values()] == ["rank 0: ", "rank 1: ", "rank 2: "], ranks
    assert sorted(arrows.values()) == [[(1, 100), (2, 130)], [(1, 110), (3, 640)], [(3, 700), (1, 702)]], arrows


def check_paje(tptrace):
    """One file, in order of time, in which a link goes from each sender to who receives."""
    if not shutil.which("pj_dump"):
        print("skip a job in Paje's format: there is no pj_dump")
        return
    with tempfile.TemporaryDirectory(prefix="tptrace-ranks.") as folder:
        many.put(folder, small_job())
        out = f"{folder}/out"
        subprocess.run([tptrace, "export", "--to", "paje", "-o", out, folder], check=True, capture_output=True)
        found = readers.paje(out)
        text = subprocess.run(["pj_dump", "-l", "9", out], check=True, capture_output=True, text=True).stdout
    lines = [line.split(", ") for line in text.splitlines()]
    links = [(part[7], part[8], float(part[3]), float(part[4])) for part in lines if part[2] == "message"]
    assert sorted(links) == [("rank 0", "rank 1", 100e-9, 130e-9), ("rank 0", "rank 2", 110e-9, 640e-9)], links
    assert sorted(part[6] for part in lines if part[2] == "process") == ["rank 0", "rank 1", "rank 2"], lines
    assert found["flows"] == 2 + sum(part[2] == "create" for part in lines), found["flows"]


def check_paje_without_room(tptrace):
    """The lines of all ranks wait in a file: if that cannot be written, nothing is made, and a line says why."""
    most = (4096, resource.RLIM_INFINITY)
    with tempfile.TemporaryDirectory(prefix="tptrace-ranks.") as folder:
        many.put(folder, small_job())
        done = subprocess.run([tptrace, "export", "--to", "paje", "-o", "-", folder],
                              capture_output=True, check=False, text=True,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, most))
    assert (done.returncode, done.stderr.count("\n")) == (1, 1), done
    assert done.stderr.endswith(": File too large\n"), done.stderr


def on_hosts(one_host=False):
    """Three ranks whose hosts' clocks are up to an hour and 75 ppm apart, or have one."""
    texts = many.round_trips(400)
    if one_host:
        return [re.sub("(?m)^meta host .*", "meta host n", text) for text in texts]
    clocks = ((7_000_000_000, 0), (3_600_000_000_000, 40), (1_000, -35))
    return [many.on_clock(text, *clock) for text, clock in zip(texts, clocks)]


def check_times(got, truth):
    """{message: [sent, received]} is as on one clock, as far as clocks are known: the fastest messages take 2 us both
    ways.  Times count from the earliest window, of whichever rank that is."""
    assert len(got) == 800 and got.keys() == truth.keys(), (len(got), len(truth))
    apart = min(got.values())[0] - min(truth.values())[0]
    for key, (sent, received) in got.items():
        assert sent <= received, (key, sent, received)
        assert all(abs(ns - apart - wanted) <= 2_000 for ns, wanted in zip((sent, received), truth[key])), (
            key, sent, received, truth[key], apart)


def message_times(arrows, archive):
    """Of Perfetto's file, and of OTF2's archive."""
    yield {flow: [ns for _, ns in ends] for flow, ends in arrows.items()}
    if archive:
        yield {(key, i): ends for key in archive.sent
               for i, ends in enumerate(zip(archive.sent[key], archive.received[key], strict=True))}


def check_hosts(tptrace, otf2):
    """Messages arrive after they were sent, and when they did, as if hosts had one clock."""
    found = []
    for one_host in True, False:
        with tempfile.TemporaryDirectory(prefix="tptrace-ranks.") as folder:
            many.put(folder, on_hosts(one_host))
            _, arrows, said = read_perfetto(tptrace, folder)
            found.append(message_times(arrows, otf2 and read(tptrace, folder)))
        assert "clocks" not in said, said
    for truth, got in zip(*found, strict=True):
        check_times(got, truth)


def check_apart(tptrace):
    """Without messages in both directions times are the hosts', and it is said."""
    one_way = [[("late", 900), many.call(901, many.message("to", 1)), ("even", 10)],
               [("even", 100), many.call(902, many.message("from", 0)), ("even", 10)]]
    with tempfile.TemporaryDirectory(prefix="tptrace-ranks.") as folder:
        many.put(folder, one_way, hosts="nm")
        _, arrows, said = read_perfetto(tptrace, folder)
    assert list(arrows.values()) == [[(1, 900), (2, 902)]], arrows
    assert "times of 1 of 2 ranks are on their own hosts' clocks" in said, said


def check_others(tptrace):
    """What are no ranks of one job are archives of their own."""
    with tempfile.TemporaryDirectory(prefix="tptrace-ranks.") as folder:
        many.put(folder, [[("even", 5)], [("even", 5)]])
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as file:
                text = re.sub("meta rank.*\n", "", file.read())
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        subprocess.run([tptrace, "export", "--to", "otf2", "-o", f"{folder}/out", folder],
                       capture_output=True, check=True)
        assert len(os.listdir(f"{folder}/out")) == 2, os.listdir(f"{folder}/out")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tptrace", default="build/tptrace")
    tptrace = os.path.abspath(parser.parse_args().tptrace)
    otf2 = is_possible(tptrace)
    check_perfetto(tptrace)
    check_paje(tptrace)
    check_paje_without_room(tptrace)
    check_hosts(tptrace, otf2)
    check_apart(tptrace)
    check_worlds(tptrace, otf2)
    if not otf2:
        print("skip one OTF2 archive of a job: libotf2 or otf2-print is missing")
        return 0
    check_small(tptrace)
    check_others(tptrace)
    print("one archive of a job is right")
    return 0


if __name__ == "__main__":
    sys.exit(main())
