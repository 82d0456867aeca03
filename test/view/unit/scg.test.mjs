// SPDX-License-Identifier: MIT
// scg.test.mjs - blocks, lines and causes of the consequence graph; rows and columns of the
// constraints.
import assert from "node:assert/strict";
import test from "node:test";
import { EDGES, STATE, WAITS } from "../../../tools/view/page/kinds.js";
import {
    binding_path,
    bound_of,
    bound_sums as bound_sums_steps,
} from "../../../tools/view/page/bound.js";
import {
    column_range,
    column_shares,
    column_sums as column_sums_steps,
    column_times,
    lines_between,
    lines_build as lines_build_steps,
    value_bounds,
    value_share,
} from "../../../tools/view/page/scg_layout.js";
import {
    columns_by_row,
    columns_by_time,
    columns_in_middle,
    constraints_of as constraints_of_steps,
    levels_of as levels_of_steps,
    scope_of as scope_of_steps,
    width_by_row as width_by_row_steps,
    width_by_time as width_by_time_steps,
} from "../../../tools/view/page/ucc_layout.js";
import { latest_of, words_of } from "../../../tools/view/page/scg_said.js";
import { finish } from "../../../tools/view/page/steps.js";
import { stretch_of as stretch_of_steps } from "../../../tools/view/page/scg_values.js";
import { order_build as order_build_steps } from "../../../tools/view/page/dag_order.js";
import { columns, fib, forest, loop, NONE, random, run_of, at_once } from "./fake.mjs";

// What the page does in steps, at once.
const bound_sums = at_once(bound_sums_steps);
const column_sums = at_once(column_sums_steps);
const lines_build = at_once(lines_build_steps);
const constraints_of = at_once(constraints_of_steps);
const levels_of = at_once(levels_of_steps);
const scope_of = at_once(scope_of_steps);
const width_by_row = at_once(width_by_row_steps);
const width_by_time = at_once(width_by_time_steps);
const stretch_of = at_once(stretch_of_steps);
const order_build = at_once(order_build_steps);

const { RUNTIME, IDLE, BLOCKED } = STATE;

// Two rows.  w0: a [0,10) creates b; runtime until 12; a' [12,20).  w1: b [15,30), then idle.
function two() {
    return columns(
        [
            { task: 0, row: 0, start: 0, end: 10, pred: NONE, releaser: NONE, after: RUNTIME },
            { task: 0, row: 0, start: 12, end: 20, pred: 0, releaser: 0, edge: 1, after: BLOCKED },
            { task: 1, row: 1, start: 15, end: 30, pred: 0, releaser: 0, edge: 0, after: IDLE },
            { task: 0, row: 0, start: 31, end: 40, pred: 1, releaser: 2, edge: 3, after: IDLE },
        ],
        [{ kind: 0 }, { kind: 1 }],
        2,
        40,
    );
}

test("column: shares add up to what strands and pauses say, at any zoom", () => {
    const data = two(),
        sums = column_sums(data, 0, s => s);
    assert.deepEqual(column_times(data, sums, 0, 40), { work: 27, runtime: 2, blocked: 11 });
    assert.deepEqual(column_times(data, sums, 5, 14), { work: 7, runtime: 2, blocked: 0 });
    for (const n of [1, 3, 7, 100]) {
        const shares = column_shares(data, sums, 3, 36, n),
            width = 33 / n;
        const total = shares.reduce((sum, share) => sum + share.work * width, 0);
        assert.ok(Math.abs(total - (7 + 8 + 5)) < 1e-9);
    }
    assert.equal(column_shares(data, sums, 12, 20, 1)[0].value, 1);
});

test("column: the range in sight holds what overlaps it", () => {
    const data = two();
    assert.deepEqual(column_range(data, 0, 11, 13), [1, 2]);
    assert.deepEqual(column_range(data, 0, 5, 13), [0, 2]);
    assert.deepEqual(column_range(data, 1, 0, 10), [0, 0]);
    assert.deepEqual(column_range(data, 0, 20, 30), [2, 2]);
});

test("lines: those that cross rows, all of them or the longest waits", () => {
    const data = two(),
        lines = lines_build(data);
    assert.deepEqual(lines_between(data, lines, 0, 40, 10), { chosen: [2, 3], all: 2 });
    assert.deepEqual(lines_between(data, lines, 0, 40, 1), { chosen: [2], all: 2 });
    assert.deepEqual(lines_between(data, lines, 16, 40, 10).chosen, [3]);
});

test("bound: by the application, by the worker, and the path back", () => {
    const data = two();
    assert.deepEqual(bound_of(data, 2), {
        by: "application",
        cause: 0,
        ready: 10,
        free: 0,
        waited: 10,
        latency: 5,
    });
    assert.deepEqual(bound_of(data, 1), {
        by: "worker",
        cause: 0,
        ready: 10,
        free: 10,
        waited: 0,
        latency: 2,
    });
    assert.deepEqual(binding_path(data, 3), [3, 2, 0]);
    assert.equal(bound_of(data, 0).by, "start");
    data.strand.edge[1] = 7; // a strand that nothing is known to have released
    data.strand.releaser[1] = NONE;
    assert.deepEqual(bound_sums(data, 0, 40)[3], {
        edge: "join",
        n: 1,
        application: 10,
        worker: 0,
        latency: 1,
    });
});

test("values: bounds leave out the ends, shares are cut off", () => {
    const values = Array.from({ length: 100 }, (_, i) => i);
    assert.deepEqual(
        value_bounds(100, i => values[i]),
        [5, 94],
    );
    assert.deepEqual(
        value_bounds(100, i => 2 ** (values[i] / 100), 2),
        [0.5, 2],
    );
    assert.deepEqual(
        value_bounds(100, () => 1 / 8, 2),
        [1 / 8, 8],
    );
    assert.equal(value_share(94, [5, 94], false), 1);
    assert.equal(value_share(1, [0.5, 2], true), 0.5);
    assert.ok(Number.isNaN(value_share(NaN, [0, 1], false)));
});

test("stretch: of a leaf against leaves, and not of collapsed tasks", () => {
    const data = run_of([fib(8)]),
        leaves = [],
        leaf = t => data.task.first[t] === data.task.last[t];
    for (let t = 0; t < data.task.n; t++) if (leaf(t)) leaves.push(data.task.first[t]);
    data.strand.end[leaves[3]] = data.strand.start[leaves[3]] + 12;
    data.strand.flags[leaves[4]] |= 128;
    const of = stretch_of({ data });
    assert.equal(of(leaves[3]), 4);
    assert.equal(of(leaves[5]), 1);
    assert.equal(of(data.task.first[0]), 1);
    assert.ok(Number.isNaN(of(leaves[4])));
});

// ---- constraints ----

function graph_of(data) {
    const scope = scope_of(data, order_build(data), {});
    const weight = Float64Array.from(scope, s => data.strand.end[s] - data.strand.start[s]);
    return { graph: constraints_of(data, scope), weight };
}

// Joins, as extra edges: from each child's last strand to its parent's strand after the next wait.
function with_joins(data) {
    const from = [],
        to = [];
    for (let s = 0; s < data.strand.n; s++) {
        if (!(data.strand.flags[s] & 32)) continue;
        for (let t = 0; t < data.task.n; t++)
            if (data.task.parent[t] === data.strand.task[s] && data.task.last[t] < s) {
                from.push(data.task.last[t]);
                to.push(s);
            }
    }
    data.extra = { from: Uint32Array.from(from), to: Uint32Array.from(to) };
    return data;
}

function* graphs() {
    yield graph_of(with_joins(run_of([fib(9)])));
    yield graph_of(with_joins(run_of([loop(200)])));
    for (let seed = 1; seed < 20; seed++)
        yield graph_of(with_joins(run_of([forest(150, random(seed))])));
}

test("constraints: who constrains is above, in rows and in weights", () => {
    for (const { graph, weight } of graphs()) {
        assert.ok(graph.from.length >= graph.n - 1);
        const levels = levels_of(graph, weight, true);
        for (let e = 0; e < graph.from.length; e++) {
            assert.ok(levels.row[graph.from[e]] < levels.row[graph.to[e]]);
            assert.ok(levels.top[graph.from[e]] + weight[graph.from[e]] <= levels.top[graph.to[e]]);
        }
        for (let i = 0; i < graph.n; i++)
            assert.equal(
                levels.top[i],
                levels.hangs[i] === NONE
                    ? 0
                    : levels.top[levels.hangs[i]] + weight[levels.hangs[i]],
            );
    }
});

test("columns: no two units of a row or a time share one; as few as the widest row needs", () => {
    for (const { graph, weight } of graphs()) {
        const levels = levels_of(graph, weight, false),
            { column, columns: n } = columns_by_row(graph, levels);
        assert.equal(new Set(Array.from(column, (c, i) => `${c},${levels.row[i]}`)).size, graph.n);
        assert.ok(n >= Math.max(...width_by_row(levels, graph.n)));
        const middle = columns_in_middle(graph, levels, i => i % 3),
            rows = Array.from({ length: levels.rows }, () => []);
        for (let i = 0; i < graph.n; i++) rows[levels.row[i]].push(i);
        for (const row of rows) {
            row.sort((a, b) => middle.column[a] - middle.column[b]);
            row.forEach((i, k) => {
                assert.equal(middle.column[i], (middle.columns - row.length) / 2 + k);
                assert.ok(k === 0 || i % 3 >= row[k - 1] % 3, "groups stand together");
            });
        }
        const heavy = levels_of(graph, weight, true),
            by_time = columns_by_time(graph, heavy, weight);
        const units = Array.from(weight, (_, i) => i).sort(
            (a, b) => by_time.column[a] - by_time.column[b] || heavy.top[a] - heavy.top[b],
        );
        units.slice(1).forEach((i, k) => {
            const before = units[k];
            if (by_time.column[i] === by_time.column[before])
                assert.ok(heavy.top[i] >= heavy.top[before] + weight[before]);
        });
    }
});

test("width: by time adds up to the work, and is 1 along a chain", () => {
    for (const { graph, weight } of graphs()) {
        const levels = levels_of(graph, weight, true),
            width = width_by_time(levels, weight, 64);
        const area = (width.reduce((sum, w) => sum + w, 0) * levels.height) / 64;
        assert.ok(Math.abs(area - weight.reduce((sum, w) => sum + w, 0)) < 1e-6 * area);
    }
});

test("scope: a task with all below it, or a time", () => {
    const data = run_of([fib(5)]),
        order = order_build(data);
    assert.equal(scope_of(data, order, { task: 0 }).length, data.strand.n);
    const below = scope_of(data, order, { task: 1 });
    assert.ok(below.length < data.strand.n && below.every((s, i) => i === 0 || below[i - 1] < s));
    assert.deepEqual(Array.from(scope_of(data, order, { from: 0, to: 2 })), [0, 1]);
});

// Worker 0 makes a task, runs on, and runs it; what that makes, worker 1 runs.
function late_run() {
    const strand = (task, row, start, end, releaser) => ({
        ...{ task, row, start, end, releaser, pred: releaser, edge: 0 },
    });
    const strands = [
        strand(0, 0, 0, 10, NONE),
        strand(0, 0, 10, 50, 0),
        strand(1, 0, 52, 60, 0),
        strand(2, 1, 70, 80, 2),
    ];
    const tasks = [0, 1, 2].map(kind => ({ kind, parent: NONE }));
    return columns(strands, tasks, 2, 80);
}

test("consequence: says why a strand began when it did, at first the one longest ready", () => {
    const app = { data: late_run(), format: { time: ns => `${ns} ns` } },
        told = s => words_of(app, s, of => `<${of}>`).join("");
    assert.equal(finish(latest_of(app.data)), 2);
    assert.deepEqual([0, 2, 3].map(told), [
        "<0> began at 0 ns on worker 0: nothing came before it",
        "<2> began at 52 ns on worker 0: ready since 10 ns, it waited 40 ns until worker 0 had " +
            "done <1>, and the runtime took 2 ns",
        "<3> began at 70 ns on worker 1: its worker had waited 60 ns for <2> on worker 0, " +
            "which let it go (create), and the runtime took 10 ns",
    ]);
});

// Worker 0: a task waits for `what` (WAITS), goes on, and one follows that nothing released; worker
// 1: a strand long after its release.
function waiting_run(what) {
    const strand = (task, row, start, end, pred, releaser, edge) => ({
        ...{ task, row, start, end, pred, releaser, edge },
    });
    const strands = [
        { ...strand(0, 0, 0, 10, NONE, NONE, 7), wait: 1 },
        strand(0, 0, 50, 60, 0, 0, 2),
        strand(1, 0, 75, 80, NONE, NONE, 7),
        strand(2, 1, 85, 90, NONE, 1, 0),
    ];
    const tasks = [0, 1, 2].map(kind => ({ kind, parent: NONE }));
    return { ...columns(strands, tasks, 2, 90), waits: [{}, { what: WAITS.indexOf(what) }] };
}

const told_of = (data, s) =>
    words_of({ data, format: { time: ns => `${ns} ns` } }, s, of => `<${of}>`).join("");

test("consequence: who waits for a message or a device is not ready meanwhile", () => {
    for (const what of ["message", "device"]) {
        const data = waiting_run(what),
            { by, waited, latency } = bound_of(data, 1);
        assert.deepEqual([by, waited, latency], ["outside", 40, 0]);
        assert.equal(
            told_of(data, 1),
            `<1> began at 50 ns on worker 0: it waited for a ${what} until then`,
        );
        assert.equal(finish(latest_of(data)), 3);
        assert.deepEqual(
            bound_sums(data, 0, 90)
                .filter(({ n }) => n)
                .map(({ edge }) => edge),
            ["create"],
        );
    }
    assert.equal(finish(latest_of(waiting_run("lock"))), 1);
});

test("consequence: the first of a thread was not ready before it", () => {
    const data = late_run();
    data.strand.pred[2] = NONE;
    data.strand.edge[2] = EDGES.indexOf("sync");
    assert.equal(told_of(data, 2), "<2> began at 52 ns on worker 0: it is the first of its thread");
    assert.equal(finish(latest_of(data)), 3);
});

test("consequence: of what nothing released nobody says since when it was ready", () => {
    const data = waiting_run("message");
    assert.equal(told_of(data, 2), "<2> began at 75 ns on worker 0: nothing recorded released it");
    assert.equal(bound_of(data, 2).cause, 1); // the path back goes on along the worker
});

test("consequence: where the page leaves out strands, nothing is said of what is between", () => {
    const data = { ...waiting_run("lock"), partial: { full: null } };
    assert.equal(
        told_of(data, 1),
        "<1> began at 50 ns on worker 0: the page leaves out strands before it",
    );
    assert.match(told_of(data, 0), /leaves out strands before it$/);
    assert.equal(finish(latest_of(data)), NONE);
    assert.deepEqual(binding_path(data, 3), [3]);
    // what released it, and what its worker did then, lie within what the page has in full
    const inside = { ...waiting_run("lock"), partial: { full: [55, 90] } };
    inside.row_strands = [Uint32Array.of(0, 1, 2, 3), new Uint32Array(0)];
    assert.match(told_of(inside, 3), /ready since 60 ns, it waited 20 ns until .* had done <2>/);
    assert.equal(finish(latest_of(inside)), 3);
});
