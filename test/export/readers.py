# SPDX-License-Identifier: MIT
"""readers.py - reads each format back, and says what it has: nothing here comes from tptrace's own code.

Slices of viewers are given as a list of (worker, begin_ns, end_ns, name, is_call), by worker.  A slice's time less
that of the calls right inside it is its strands'.
"""
import collections
import csv
import decimal
import glob
import gzip
import io
import json
import os
import re
import sqlite3
import subprocess
import sys
import xml.etree.ElementTree

CALLS = {"create", "fork", "wait", "yield", "signal", "end", "end of the trace", "children", "group", "barrier",
         "dependences", "lock", "task or bit", "tasks", "mutex", "rwlock", "condition", "semaphore", "thread",
         "thread barrier", "oneTBB's own", "?"}


class Nest:
    """Slices of one worker, as they open and close."""

    def __init__(self, worker):
        self.worker, self.open, self.slices, self.last_ns = worker, [], [], 0

    def begin(self, ns, name, is_call):
        assert ns >= self.last_ns, (self.worker, ns, self.last_ns)
        assert bool(self.open) or not is_call, (self.worker, name)
        assert not self.open or self.open[-1][2] or is_call, (self.worker, "a task in a task, without a call", name)
        self.open.append((ns, name, is_call))
        self.last_ns = ns

    def end(self, ns, name=None):
        assert ns >= self.last_ns and self.open, (self.worker, ns, self.last_ns)
        begin, opened, is_call = self.open.pop()
        assert name is None or name == opened, (name, opened)
        self.slices.append((self.worker, begin, ns, opened, is_call))
        self.last_ns = ns

    def all(self):
        assert not self.open, (self.worker, self.open)
        return self.slices


def sums(slices):
    """Tasks' slices, strands, the time of these, and the sum of the instants at which they start: behind a call, one does."""
    tasks = [s for s in slices if not s[4]]
    calls = [s for s in slices if s[4]]
    return {"slices": len(tasks), "strands": len(tasks) + len(calls),
            "ns": sum(e - b for _, b, e, _, _ in tasks) - sum(e - b for _, b, e, _, _ in calls),
            "starts": sum(b for _, b, _, _, _ in tasks) + sum(e for _, _, e, _, _ in calls)}


def integral(changes):
    """Of a counter's (ns, value) up to its last change."""
    total, last, value = 0, 0, 0
    for ns, now in changes:
        assert ns >= last, (ns, last)
        total += value * (ns - last)
        last, value = ns, now
    assert value == 0, ("a counter that ends with", value)
    return total


# ---- perfetto: an independent decoder of protobuf, with as much of the public schema as is used ----

SCHEMA = {
    # google/pprof, proto/profile.proto
    "Profile": {1: ("sample_type", "ValueType"), 2: ("sample", "Sample"), 4: ("location", "Location"),
                5: ("function", "Function"), 6: ("string_table", str), 10: ("duration_nanos", int),
                11: ("period_type", "ValueType"), 12: ("period", int),
                13: ("comment", int), 14: ("default_sample_type", int)},
    "ValueType": {1: ("type", int), 2: ("unit", int)},
    "Sample": {1: ("location_id", int), 2: ("value", int), 3: ("label", "Label")},
    "Label": {1: ("key", int), 2: ("str", int)},
    "Location": {1: ("id", int), 3: ("address", int), 4: ("line", "Line")},
    "Line": {1: ("function_id", int), 2: ("line", int)},
    "Function": {1: ("id", int), 2: ("name", int), 3: ("system_name", int), 4: ("filename", int),
                 5: ("start_line", int)},
    # protos/perfetto/trace: field: (name, the message it holds, or what its bytes are)
    "Trace": {1: ("packet", "TracePacket")},
    "TracePacket": {8: ("timestamp", int), 10: ("trusted_packet_sequence_id", int), 11: ("track_event", "TrackEvent"),
                    12: ("interned_data", "InternedData"), 13: ("sequence_flags", int),
                    60: ("track_descriptor", "TrackDescriptor")},
    "TrackDescriptor": {1: ("uuid", int), 2: ("name", str), 3: ("process", "ProcessDescriptor"),
                        5: ("parent_uuid", int), 8: ("counter", "CounterDescriptor"), 11: ("child_ordering", int),
                        12: ("sibling_order_rank", int)},
    "ProcessDescriptor": {1: ("pid", int), 6: ("process_name", str)},
    "CounterDescriptor": {},
    "TrackEvent": {4: ("debug_annotations", "DebugAnnotation"), 9: ("type", int), 10: ("name_iid", int),
                   11: ("track_uuid", int), 23: ("name", str), 30: ("counter_value", int),
                   47: ("flow_ids", "fixed64"), 48: ("terminating_flow_ids", "fixed64"), 56: ("callstack_iid", int)},
    "DebugAnnotation": {1: ("name_iid", int), 3: ("uint_value", int), 6: ("string_value", str), 10: ("name", str)},
    "InternedData": {2: ("event_names", "EventName"), 3: ("debug_annotation_names", "EventName"),
                     5: ("function_names", "InternedString"), 6: ("frames", "Frame"), 7: ("callstacks", "Callstack")},
    "EventName": {1: ("iid", int), 2: ("name", str)},
    "InternedString": {1: ("iid", int), 2: ("str", str)},
    "Frame": {1: ("iid", int), 2: ("function_name_id", int)},
    "Callstack": {1: ("iid", int), 2: ("frame_ids", int)},
}


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            assert value < 1 << 64
            return value, at


def protobuf(data, message):
    found = collections.defaultdict(list)
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        name, kind = SCHEMA[message][tag >> 3]
        wire = tag & 7
        assert wire == {int: 0, "fixed64": 1}.get(kind, 2), (message, name, wire)
        if wire == 0:
            value, at = varint(data, at)
        elif wire == 1:
            value, at = int.from_bytes(data[at:at + 8], "little"), at + 8
        else:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            assert len(value) == size
            value = value.decode("utf-8") if kind is str else protobuf(value, kind)
        found[name].append(value)
    return found


def perfetto_packets(path):
    """By sequence: {uuid: track}, the names of events, the stacks, and the events in order of time."""
    with open(path, "rb") as file:
        packets = protobuf(file.read(), "Trace")["packet"]
    found = {}
    for packet in packets:
        (sequence,) = packet["trusted_packet_sequence_id"]
        assert sequence in found or packet["sequence_flags"] == [1], packet
        tracks, names, stacks, events = found.setdefault(sequence, ({}, {}, {}, []))
        for data in packet["interned_data"]:
            names.update((n["iid"][0], n["name"][0]) for n in data["event_names"])
            stacks.update((s["iid"][0], s["frame_ids"]) for s in data["callstacks"])
        for track in packet["track_descriptor"]:
            tracks[track["uuid"][0]] = track
        for event in packet["track_event"]:
            events.append((packet["timestamp"][0], event))
    for *_, events in found.values():
        events.sort(key=lambda e: e[0])  # stable, as its importer is
    return found


def perfetto(path):
    found = perfetto_packets(path)
    assert list(found) == [1], found.keys()
    return _perfetto_events(*found[1])


def perfetto_messages(path):
    """Of ranks: {process: its name}, {flow: [the (process, time) that sends, .. that receive]}; no two of them share a
    track or a flow of tasks, and none receives what is not sent."""
    sent, received, seen = {}, collections.defaultdict(list), set()
    found = perfetto_packets(path)
    for process, (tracks, names, _, events) in found.items():
        own = {("track", uuid) for uuid in tracks}.union(
            ("flow", flow) for _, event in events for flow in event["flow_ids"] if not flow >> 63)
        assert len(own) > len(tracks) and not own & seen, (process, own & seen)
        seen |= own
        assert all(track.get("parent_uuid", list(tracks)[:1])[0] in tracks for track in tracks.values())
        for ns, event in events:
            name = names[event["name_iid"][0]] if event["name_iid"] else None
            if name == "sends":
                sent.update((flow, (process, ns)) for flow in event["flow_ids"])
            elif name == "receives":
                for flow in event["terminating_flow_ids"]:
                    received[flow].append((process, ns))
    assert sent.keys() >= received.keys(), (sent, received)
    names = {process: next(iter(of[0].values()))["name"][0] for process, of in found.items()}
    return names, {flow: [at, *sorted(received[flow])] for flow, at in sent.items()}


def _perfetto_events(tracks, names, stacks, events):
    nests, counters, flows, ends, operations, goes_on = {}, collections.defaultdict(list), {}, {}, {}, {}
    found = {"facts": {}, "tasks": set(), "names": set(names.values()), "path": [], "counters": counters}
    name_of = {uuid: track["name"][0] for uuid, track in tracks.items()}
    for ns, event in events:
        track = event["track_uuid"][0]
        assert track in tracks and tracks[track].get("parent_uuid", [1])[0] in tracks
        name = (event["name"] or [names[i] for i in event["name_iid"]] or [None])[0]
        kind = event["type"][0]
        if kind == 4:
            assert tracks[track]["counter"], name_of[track]
            counters[name_of[track]].append((ns, event["counter_value"][0]))
        elif name_of[track] == "about this export":
            found["facts"] = {a["name"][0]: a["string_value"][0] for a in event["debug_annotations"]}
        elif name_of[track] == "ready path":
            found["path"].append((ns, kind))
        elif track % 2**32 >= 2**31:
            lane = operations.setdefault(track, [])
            lane.append([name_of[track], name, ns, *event["flow_ids"]] if kind == 1 else [ns])
        elif kind == 3:
            assert name in ("creates", "sends", "receives", "goes on")
            goes_on.update((flow, (ns, name_of[track])) for flow in event["terminating_flow_ids"] if name == "goes on")
            flows.update((flow, (ns, track)) for flow in event["flow_ids"] if name == "creates")
        elif kind == 1:
            task = [a["string_value"][0] for a in event["debug_annotations"]]
            found["tasks"].update(task)
            nests.setdefault(track, Nest(name_of[track])).begin(ns, name, not task)
            ends.update((flow, (ns, track)) for flow in event["terminating_flow_ids"])
            assert not task or event["callstack_iid"][0] in stacks
        else:
            nests[track].end(ns)
    assert flows.keys() == ends.keys() and all(flows[f][0] <= ends[f][0] for f in flows)
    found["slices"] = [s for nest in nests.values() for s in nest.all()]
    found["flows"], found["crossing"] = len(flows), sum(flows[f][1] != ends[f][1] for f in flows)
    found["operations"] = [(*begin[:3], *end, *(goes_on.pop(flow) for flow in begin[3:]))
                           for lane in operations.values() for begin, end in zip(lane[::2], lane[1::2])]
    assert not goes_on, goes_on
    return found


def pprof(path):
    """{its frames, from the outermost: ns}, as pprof would have it; repeated numbers may be packed, and are not."""
    with gzip.open(path) as file:
        data = protobuf(file.read(), "Profile")
    text, found = data["string_table"], collections.Counter()
    assert text[0] == "" and [text[t["type"][0]] for t in data["sample_type"]] == ["samples", "cpu"]
    functions = {f["id"][0]: text[f["name"][0]] for f in data["function"]}
    places = {place["id"][0]: functions[place["line"][0]["function_id"][0]] for place in data["location"]}
    for sample in data["sample"]:
        (label,) = sample["label"]
        stack = tuple(places[number] for number in reversed(sample["location_id"]))
        assert text[label["key"][0]] == "kind" and text[label["str"][0]] == stack[0]
        assert sample["value"][1] == sample["value"][0] * data["period"][0]
        found[stack] += sample["value"][1]
    return found


# ---- JSON ----

def unique(pairs):
    assert len({key for key, _ in pairs}) == len(pairs), pairs
    return dict(pairs)


def chrome_operations(events):
    """[(device, name, begin, end, and where a worker goes on then)] of those events, and of the names of threads."""
    names = {event["tid"]: event["args"]["name"] for _, event in events if event["ph"] == "M"}
    ends = {event["id"]: (ns, names[event["tid"]]) for ns, event in events if event["ph"] == "f"}
    found, begun = [], {}
    for ns, event in events:
        thread = event["tid"]
        if event["ph"] == "B":
            begun[thread] = [names[thread], event["name"], ns, []]
        elif event["ph"] == "s":
            begun[thread][3].append(ends.pop(event["id"]))
        elif event["ph"] == "E":
            device, name, begin, goes_on = begun.pop(thread)
            found.append((device, name, begin, ns, *goes_on))
    assert not begun and not ends, (begun, ends)
    return found


def chrome(path):
    with open(path, encoding="utf-8") as file:
        data = json.load(file, parse_float=decimal.Decimal, object_pairs_hook=unique)
    nests, flows, counters = {}, collections.defaultdict(list), collections.defaultdict(list)
    tasks, names, operations = set(), set(), []
    for event in sorted(data["traceEvents"], key=lambda e: e.get("ts", -1)):  # stable
        ns = int(event.get("ts", 0) * 1000)
        if event["name"] == "thread_name" if event["ph"] == "M" else event.get("cat") == "operation":
            operations.append((ns, event))
            continue
        nest = nests.setdefault(event.get("tid"), Nest(event.get("tid")))
        if event["ph"] == "B":
            nest.begin(ns, event["name"], event["cat"] == "call")
            tasks.update([event["args"]["task"]] if event["cat"] == "task" else [])
            names.add(event["name"])
        elif event["ph"] == "E":
            nest.end(ns)
        elif event["ph"] in "sf":
            flows[event["id"]].append((event["ph"], ns, event["tid"]))
        elif event["ph"] == "C":
            counters[event["name"]].append((ns, event["args"]["n"]))
    assert all([end[0] for end in ends] == ["s", "f"] for ends in flows.values()), flows
    return {"slices": [s for nest in nests.values() for s in nest.all()], "tasks": tasks, "names": names,
            "facts": data["otherData"], "flows": len(flows), "counters": counters,
            "operations": chrome_operations(operations),
            "crossing": sum(ends[0][2] != ends[1][2] for ends in flows.values())}


def speedscope_samples(path):
    """{its frames, from the outermost: ns} of the profile of samples."""
    with open(path, encoding="utf-8") as file:
        data = json.load(file, object_pairs_hook=unique)
    found = collections.Counter()
    for profile in data["profiles"]:
        if profile["type"] == "sampled":
            assert len(profile["samples"]) == len(profile["weights"]) and profile["endValue"] == sum(profile["weights"])
            for stack, ns in zip(profile["samples"], profile["weights"]):
                found[tuple(data["shared"]["frames"][f]["name"] for f in stack)] += ns
    return found


def speedscope(path):
    with open(path, encoding="utf-8") as file:
        data = json.load(file, object_pairs_hook=unique)
    frames, slices = data["shared"]["frames"], []
    for profile in data["profiles"]:
        if profile["type"] == "sampled":
            continue
        nest = Nest(profile["name"])
        assert profile["type"] == "evented" and profile["unit"] == "nanoseconds"
        for event in profile["events"]:
            name = frames[event["frame"]]["name"]
            assert profile["startValue"] <= event["at"] <= profile["endValue"]
            if event["type"] == "O":
                # what is open says whether it is a call: they take turns
                nest.begin(event["at"], name, bool(nest.open) and not nest.open[-1][2])
            else:
                nest.end(event["at"], name)
        slices += nest.all()
    return {"slices": slices, "names": {f["name"] for f in frames}, "facts": data["tptrace"]}


# ---- otf2-print and python3-otf2, Debian's ----

def otf2(folder):
    sys.path.append("/usr/lib/python3/dist-packages")  # where Debian's modules are, for any Python 3.11
    import otf2 as lib  # pylint: disable=import-outside-toplevel,import-error
    path = os.path.join(folder, "traces.otf2")
    done = subprocess.run(["otf2-print", path], capture_output=True, text=True, errors="replace", check=True)
    assert not done.stderr, done.stderr
    lines = collections.Counter(line.split()[0] for line in done.stdout.split("\n") if line[:1].isupper())
    nests, tasks, counters = {}, collections.Counter(), collections.defaultdict(list)
    seen, ids = collections.Counter(), set()
    with lib.reader.open(path) as trace:
        for location, event in trace.events:
            what = type(event).__name__
            seen[what] += 1
            nest = nests.setdefault(location.name, Nest(location.name))
            if what == "Enter":
                ids.update(v for a, v in (event.attributes or {}).items() if a.name == "task")
                nest.begin(event.time, event.region.name, not event.attributes)
            elif what == "Leave":
                nest.end(event.time, event.region.name)
            elif what == "Metric":
                counters[event.metric.member.name if hasattr(event.metric, "member")
                         else event.metric.metric_class.members[0].name].append((event.time, event.values[0]))
            else:
                tasks[what] += 1
        names = {region.name for region in trace.definitions.regions}
    for word in ("ENTER", "LEAVE", "METRIC"):
        assert lines[word] == seen[word.capitalize()], (word, lines, seen)
    return {"slices": [s for nest in nests.values() for s in nest.all()], "tasks": ids, "names": names,
            "created": tasks["ThreadTaskCreate"], "completed": tasks["ThreadTaskComplete"], "counters": counters,
            "facts": otf2_properties(path)}


def otf2_properties(path):
    text = subprocess.run(["otf2-print", "-A", path], capture_output=True, text=True, check=True).stdout
    pairs = re.findall(r"^Property name +TPTRACE::(\w+)\nProperty value +(.*)", text, re.M)
    return {key.lower(): value for key, value in pairs}


# ---- paje, by pj_dump ----

def paje(path):
    done = subprocess.run(["pj_dump", "-l", "9", path], capture_output=True, text=True, check=True)
    assert not done.stderr, done.stderr
    slices, links, variables = [], [], collections.defaultdict(list)
    facts, names = {}, set()
    for line in filter(None, done.stdout.split("\n")):
        part = [p.strip(" ") for p in line.split(", ")]
        if part[0] == "State":
            begin, end = (int((decimal.Decimal(p) * 10 ** 9).to_integral_value()) for p in part[3:5])
            name = ", ".join(part[7:])
            slices.append((part[1], begin, end, name, int(float(part[6])) % 2 == 1))
            names.add(name)
        elif part[0] == "Link":
            links.append((part[-3], part[-2]))
        elif part[0] == "Variable":
            begin, end = (int((decimal.Decimal(p) * 10 ** 9).to_integral_value()) for p in part[3:5])
            variables[part[2]].append((end - begin) * int(float(part[6])))
        elif part[0] == "Event":
            key, _, value = ", ".join(part[4:]).partition(": ")
            facts[key] = value
    return {"slices": slices, "flows": len(links), "crossing": sum(a != b for a, b in links), "facts": facts,
            "names": names, "integrals": {name: sum(of) for name, of in variables.items()}}


# ---- tables ----

def sqlite(path):
    db = sqlite3.connect(path)
    assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    return db


def table_names(db):
    """Those of the run are views of what is stored."""
    names = {name for name, in db.execute("SELECT name FROM sqlite_master WHERE type <> 'index'")}
    tables = {name for name, in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    return [name for name in names if name + "_stored" in names or (name in tables and not name.endswith("_stored"))]


def csv_tables(folder):
    """{table: rows}, of texts; the first row has the columns."""
    tables = {}
    for path in glob.glob(os.path.join(folder, "*.csv")):
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read()
        assert text.endswith("\r\n")
        tables[os.path.basename(path)[:-4]] = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    return tables


def folded_stacks(path):
    with open(path, encoding="utf-8") as file:
        lines = [line.rsplit(" ", 1) for line in file]
    return collections.Counter({tuple(stack.split(";")): int(ns) for stack, ns in lines})


def folded(path):
    with open(path, encoding="utf-8") as file:
        lines = [line.rstrip("\n").rsplit(" ", 1) for line in file]
    assert len({stack for stack, _ in lines}) == len(lines)
    return sum(int(ns) for _, ns in lines)


# ---- graphs: an XML parser, and graphviz ----

def acyclic(nodes, edges):
    into, out = collections.Counter(), collections.defaultdict(list)
    for source, target in edges:
        into[target] += 1
        out[source].append(target)
    free, n = [node for node in nodes if not into[node]], 0
    while free:
        n += 1
        for target in out[free.pop()]:
            into[target] -= 1
            if not into[target]:
                free.append(target)
    return n == len(nodes)


def graph(nodes, edges, facts):
    """Nodes are {id: attributes}, edges (source, target, attributes)."""
    assert all(a in nodes and b in nodes for a, b, _ in edges)
    assert acyclic(nodes, [(a, b) for a, b, edge in edges if edge["type"] != "depend"])
    tasks = [node for node in nodes.values() if node["type"] == "task"]
    assert {node["type"] for node in nodes.values()} <= {"task", "fork", "join"}
    return {"nodes": len(nodes), "tasks": sum(int(node["num_tasks"]) for node in tasks), "facts": facts,
            "work": sum(int(node["work_cycles"]) for node in tasks), "of_one": {node["task"] for node in tasks},
            "created": sum(int(edge["n"]) for a, b, edge in edges
                           if edge["type"] == "create" and nodes[b]["type"] == "task"),
            "depends": sum(int(edge["n"]) for _, _, edge in edges if edge["type"] == "depend"),
            "names": {node["label"].rpartition("\n")[0] for node in tasks}}


def graphml(path):
    space = "{http://graphml.graphdrawing.org/xmlns}"
    root = xml.etree.ElementTree.parse(path).getroot()
    names = {key.get("id"): key.get("attr.name") for key in root.iter(space + "key")}

    def data(element):
        return {names[item.get("key")]: item.text or "" for item in element.findall(space + "data")}
    whole = root.find(space + "graph")
    edges = [(e.get("source"), e.get("target"), data(e)) for e in whole.findall(space + "edge")]
    for _, _, edge in edges:
        edge["n"] = edge["weight"]
    return graph({n.get("id"): data(n) for n in whole.findall(space + "node")}, edges, data(whole))


def dot(path):
    done = subprocess.run(["dot", "-Tdot_json", path], capture_output=True, text=True, check=True)
    assert not done.stderr, done.stderr
    data = json.loads(done.stdout)
    nodes = {node["_gvid"]: node for node in data.get("objects", [])}
    for node in nodes.values():
        node["label"] = node["label"].replace("\\n", "\n").replace('\\\\', "\\").replace("&amp;", "&")
    edges = [(e["tail"], e["head"], e | {"n": e["num_tasks"]}) for e in data.get("edges", [])]
    return graph(nodes, edges, {key[8:]: value for key, value in data.items() if key.startswith("tptrace_")})
