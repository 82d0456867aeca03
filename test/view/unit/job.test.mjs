// SPDX-License-Identifier: MIT
// job.test.mjs - rows of a job: where they are, what they add up to, and who has more work.
import assert from "node:assert/strict";
import { test } from "node:test";
import { headline_of } from "../../../tools/view/page/job.js";
import { geometry } from "../../../tools/view/page/job_draw.js";
import {
    STATES,
    Series,
    all_keys,
    complete,
    keys_above,
    notes_of,
    name_of_process,
    ranks_of,
    rows_of,
    tree_of,
} from "../../../tools/view/page/job_rows.js";
import { imbalance_of, states_of_all } from "../../../tools/view/page/job_table.js";
import {
    row_of_process,
    wait_at,
    waits_in_sight,
    waits_in_words,
} from "../../../tools/view/page/job_waits.js";
import { Integral } from "../../../tools/view/page/levels.js";
import { finish } from "../../../tools/view/page/steps.js";

const process = (rank, more = {}) => ({
    rank,
    world: 1,
    pid: 100 + rank,
    host: "a",
    program: "p",
    notes: [],
    fates: [],
    work_ns: 10,
    phases: [],
    states: {},
    rows: [{ worker: 0, runtime: "x" }],
    ...more,
});
// Runs from `from` to `to` of 100 ns that begin at `offset`.
function series(offset, from, to) {
    const values = new Float64Array(100).map((_, i) => (i >= from && i < to ? 1 : 0)),
        none = () => new Integral(1, new Float64Array(100), 100);
    return new Series({
        offset,
        elapsed: 100,
        n: 1,
        of: STATES.map((_, state) => (state ? none() : new Integral(1, values, 100))),
    });
}
const one = of => ({ all: of, rows: [of] });
const labels = rows => rows.map(({ label }) => label);

test("shares of pixels are of the job's clock", () => {
    const [running, message] = series(50, 10, 20).in_pixels(0, 100, 10);
    assert.deepEqual([...running], [0, 0, 0, 0, 0, 0, 1, 0, 0, 0]);
    assert.equal(message, null);
    assert.deepEqual(series(50, 10, 20).over(55, 75), [0.5, 0, 0, 0, 0]);
});

test("a group is the mean of its rows, wherever they begin", () => {
    const nodes = tree_of(
        [process(0), process(1, { host: "b" }), process(2, { host: "b" })],
        [one(series(0, 0, 10)), one(series(30, 10, 20)), one(series(70, 0, 40))],
    );
    finish(complete(nodes));
    assert.deepEqual(labels(nodes), ["a", "b"]);
    const [running] = nodes[1].series.over(0, 200);
    assert.ok(Math.abs(running - 50 / 400) < 1e-9, running);
    const [early] = nodes[1].series.over(40, 50);
    assert.ok(Math.abs(early - 0.5) < 0.01, early);
});

test("rows: workers below their process, below their runtime where there are two", () => {
    const rows = [0, 1, 2].map(worker => ({ worker, runtime: worker ? "tbb" : "omp" })),
        all = series(0, 0, 1),
        nodes = tree_of(
            [process(0, { rows }), process(1)],
            [{ all, rows: [all, all, all] }, one(all)],
        );
    assert.deepEqual(labels(rows_of(nodes, new Set())), ["rank 0", "rank 1"]);
    assert.deepEqual(labels(rows_of(nodes, new Set(["p0"]))), ["rank 0", "omp", "tbb", "rank 1"]);
    assert.deepEqual(labels(rows_of(nodes, new Set(all_keys(nodes)))), [
        "rank 0",
        "omp",
        "worker 0",
        "tbb",
        "worker 1",
        "worker 2",
        "rank 1",
    ]);
});

test("a thousand ranks are at most 32 blocks, which open", () => {
    const n = 1000,
        nodes = tree_of(
            Array.from({ length: n }, (_, i) => process(i)),
            Array.from({ length: n }, () => one(series(0, 0, 1))),
        );
    assert.equal(nodes.length, 32);
    assert.equal(nodes[1].label, "ranks 32 \u2013 63");
    const keys = keys_above(nodes, 40);
    assert.deepEqual(keys, ["b32"]);
    assert.equal(rows_of(nodes, new Set(keys)).length, 64);
});

test("rows fill the room, or scroll by whole ones", () => {
    const few = geometry(4, 220, 0);
    assert.deepEqual([few.first, few.last, few.pitch], [0, 4, 50]);
    for (const top of [0, 3, 100, 1e9]) {
        const many = geometry(300, 220, top);
        assert.ok(many.y(many.first) >= 0);
        assert.ok(many.y(many.last - 1) + many.bar <= 220 - 20);
        assert.ok(many.last <= 300);
    }
    assert.equal(geometry(300, 220, 1e9).last, 300);
});

test("imbalance by phase: most and least against the mean of all processes", () => {
    const phase = (name, work_ns) => ({ name, work_ns }),
        rows = imbalance_of([
            process(0, { work_ns: 30, phases: [phase("a", 10), phase("b", 10), phase("a", 10)] }),
            process(1, { work_ns: 70, phases: [phase("a", 60), phase("b", 10)] }),
        ]);
    assert.deepEqual(
        rows.map(({ name, most, least, mean, times }) => [name, most, least, mean, times]),
        [
            [null, 1, 0, 50, 1.4],
            ["a", 1, 0, 40, 1.5],
            ["b", 0, 0, 10, 1],
        ],
    );
    assert.equal(imbalance_of([process(0, { phases: [phase("only", 1)] })]).length, 1);
});

test("states of all processes are sums", () => {
    const states = ns => ({ running: { work_ns: ns }, message: { delay_ns: 1 } });
    assert.deepEqual(states_of_all([{ states: states(2) }, { states: states(5) }]), {
        running: { work_ns: 7 },
        message: { delay_ns: 2 },
    });
});

test("notes that differ by numbers alone are one, and how a process ended is first", () => {
    const note = text => [`the program ran for ${text}`];
    assert.deepEqual(
        notes_of([
            process(0, { notes: note("3.16 s: 2 ms before") }),
            process(1, { notes: note("999 ms: 4 us before") }),
            process(2, { notes: ["late"], fates: ["killed by signal 15"] }),
            process(3, { notes: ["killed by signal 9"], fates: ["killed by signal 9"] }),
        ]),
        [
            "rank 2: killed by signal 15",
            "rank 3: killed by signal 9",
            "rank 0: the program ran for 3.16 s: 2 ms before (and 1 more like it)",
            "rank 2: late",
        ],
    );
});

test("a finding's ranks are processes by their rank, not by their number", () => {
    const facts = [
        { id: "rank", value: 7, world: 1 },
        { id: "waiting_rank", value: 9, world: 1 },
    ];
    assert.deepEqual(ranks_of({ facts }, [process(5), process(7)]), { late: 1, waits: null });
    const spawned = process(7, { world: 2 });
    assert.deepEqual(ranks_of({ facts }, [spawned, process(7)]), { late: 1, waits: null });
    assert.equal(name_of_process(spawned), "rank 7 of world 2");
    assert.deepEqual(ranks_of(undefined, [process(5)]), { late: null, waits: null });
});

// [waiter, late, begin, end, released]
const WAITS = [
    [0, 2, 10, 42, 40],
    [1, 0, 60, 71, 70],
    [0, 1, 80, 86, 85],
];

test("a wait leads to the row in which its ranks are seen, if these are two", () => {
    const nodes = tree_of(
        [process(0), process(1, { host: "b" }), process(2, { host: "b" })],
        [one(series(0, 0, 10)), one(series(0, 0, 10)), one(series(0, 0, 10))],
    );
    finish(complete(nodes));
    const closed = row_of_process(rows_of(nodes, new Set())),
        open = row_of_process(rows_of(nodes, new Set(["h1"])));
    assert.deepEqual(
        [...closed],
        [
            [0, 0],
            [1, 1],
            [2, 1],
        ],
    );
    assert.deepEqual(
        [...open],
        [
            [0, 0],
            [1, 2],
            [2, 3],
        ],
    );
    const inside = [[1, 2, 5, 8, 7]];
    assert.deepEqual(waits_in_sight(inside, closed, 0, 100), []);
    assert.deepEqual(waits_in_sight(inside, open, 0, 100), inside);
    assert.deepEqual(waits_in_sight(WAITS, closed, 41, 71), WAITS.slice(0, 2));
    assert.deepEqual(waits_in_sight(WAITS, closed, 43, 70), []);
});

test("a moment of a row says for whom it waits, and how long", () => {
    const all = [process(0), process(1), process(2)];
    assert.equal(wait_at(WAITS, all, 0, 39, 40), "rank 2, for 30 ns");
    assert.equal(wait_at(WAITS, all, 0, 40, 41), "");
    assert.equal(wait_at(WAITS, all, 1, 39, 40), "");
});

test("a job without findings says that ranks wait, where they do, and if for want of a CPU", () => {
    const say = (late_ns, cpu_wait_ns) =>
        waits_in_words({ mpi: { late_ns, cpu_wait_ns }, cumulative_ns: 1e9 });
    assert.match(say(1e6, 0), /^No rank waits long/);
    assert.match(say(2e8, 0), /^Ranks wait for late ones: 200 ms, 20 %.*no cause/);
    assert.match(say(2e8, 1e8), /during 100 ms of that the late ones had no CPU/);
    assert.match(waits_in_words({ cumulative_ns: 1 }), /call no MPI/);
});

test("a headline names the one rank that it is of, and no place if it is of the machine", () => {
    const rank = { id: "rank", value: 3, world: 1 },
        of = (value, more) => ({
            id: "lock",
            where: "f, a.c:1",
            facts: value ? [rank, { id: "processes", value }] : [rank],
            ...more,
        }),
        lock = { title: "lock", of_machine: false };
    assert.equal(headline_of(of(1), lock), "Lock of rank 3 at f, a.c:1");
    assert.equal(headline_of(of(2), lock), "Lock at f, a.c:1");
    assert.equal(
        headline_of(of(2), { title: "loaded machine", of_machine: true }),
        "Loaded machine",
    );
    const late = { title: "late sender", of_machine: false };
    assert.match(
        headline_of(of(0, { id: "late_sender" }), late),
        /^Rank 3 is late: late sender at f/,
    );
});
