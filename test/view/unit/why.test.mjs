// SPDX-License-Identifier: MIT
// why.test.mjs - why an idle worker took nothing, on runs whose answers are known.
import assert from "node:assert/strict";
import test from "node:test";
import {
    idle_stretches as idle_stretches_steps,
    is_idle,
    path_at,
    ready_at as ready_at_steps,
} from "../../../tools/view/page/why_facts.js";
import { EDGE, EVENT, STATE, WAITS } from "../../../tools/view/page/kinds.js";
import { row_at } from "../../../tools/view/page/data.js";
import {
    why_idle as why_idle_steps,
    why_stretch as why_stretch_steps,
} from "../../../tools/view/page/why_reason.js";
import { columns, FLAG, NONE, at_once } from "./fake.mjs";

// What the page does in steps, at once.
const idle_stretches = at_once(idle_stretches_steps);
const ready_at = at_once(ready_at_steps);
const why_idle = at_once(why_idle_steps);
const why_stretch = at_once(why_stretch_steps);

const { RUNTIME, IDLE } = STATE,
    { CREATE, WAIT, END } = EVENT,
    { CREATE_CONT: CONT, JOIN } = EDGE,
    CHILDREN = WAITS.indexOf("children");
const { FIRST, JOINS } = FLAG;

const of = (task, row, start, end, pred, releaser, ended_by, more = {}) => ({
    task,
    row,
    start,
    end,
    pred,
    releaser,
    ended_by,
    ...more,
});

function run(strands, kinds, n_rows, elapsed, waits = [{ what: 0 }, { what: CHILDREN, site: -1 }]) {
    const data = columns(
        strands.map(s => ({ after: IDLE, ...s })),
        kinds.map(kind => ({ kind, parent: NONE })),
        n_rows,
        elapsed,
    );
    data.kinds = [{}, {}, {}];
    data.waits = waits;
    data.path = new Uint32Array(0);
    return data;
}

// w0 creates n tasks, a ns each, and waits; they begin at `begin` on w0 and w1 in turn, for 10 ns
// each.
function producer(n, begin, first = 0) {
    const strands = [],
        kinds = [0];
    for (let i = 0; i < n; i++)
        strands.push(
            of(0, 0, i, i + 1, i ? i - 1 : NONE, i ? i - 1 : NONE, CREATE, {
                edge: CONT,
                flags: i ? 0 : FIRST,
            }),
        );
    strands.push(of(0, 0, n, n + 1, n - 1, n - 1, WAIT, { edge: CONT, wait: 1 }));
    for (let i = 0; i < n; i++) {
        const start = begin + 10 * (i >> 1),
            row = first ^ (i & 1);
        strands.push({
            task: 1 + i,
            row,
            start,
            end: start + 10,
            pred: i,
            releaser: i,
            edge: 0,
            ended_by: END,
            flags: FIRST,
        });
        kinds.push(1);
    }
    const end = begin + 10 * ((n + 1) >> 1);
    strands.push(of(0, 0, end, end + 5, n, strands.length - 1, END, { edge: JOIN, flags: JOINS }));
    return run(strands, kinds, 2, end + 5);
}

test("a row at an instant: runs; is idle before its first strand, between, and after", () => {
    const data = producer(30, 50);
    assert.equal(row_at(data, 0, 3).state, 0);
    assert.ok(is_idle(row_at(data, 1, 3)));
    assert.deepEqual([row_at(data, 0, 40).from, row_at(data, 0, 40).to], [31, 50]);
    assert.equal(row_at(data, 1, 204).strand, row_at(data, 1, 199).strand);
});

test("held: tasks that all begin after their creator's wait, until it waits", () => {
    const data = producer(30, 50),
        at = why_idle(data, 1, 20);
    assert.deepEqual(at.by, { held: 20 });
    assert.equal(at.ready[0].holder, 0);
    assert.equal(why_idle(data, 1, 40).by.held, undefined);
    assert.deepEqual(why_idle(data, 1, 40).by, { came: 15, unknown: 15 });
});

test("held: not where there are too few of them to say so", () => {
    assert.equal(why_idle(producer(3, 50), 1, 2).by.held, undefined);
});

test("member: another one's implicit task, and its own comes", () => {
    const data = producer(2, 50);
    data.kinds[1].what = "implicit";
    assert.deepEqual(why_idle(data, 1, 20).by, { member: 1, came: 1 });
});

test("who waits for a message is not ready", () => {
    const strands = [of(0, 0, 0, 10, NONE, NONE, WAIT, { wait: 1 }), of(0, 0, 50, 60, 0, 0, END)],
        waits_for = what => run(strands, [0], 1, 60, [{}, { what: WAITS.indexOf(what) }]);
    assert.deepEqual(ready_at(waits_for("mutex"), 20), [1]);
    assert.deepEqual(ready_at(waits_for("message"), 20), []);
});

test("nothing was ready, and the ready path says what ran", () => {
    const data = producer(30, 50);
    data.path = Uint32Array.from([0, 1, 2, 30, 31]);
    const end = data.elapsed - 1;
    assert.deepEqual(why_idle(data, 1, end).ready, []);
    assert.deepEqual(ready_at(data, end), []);
    assert.equal(path_at(data, 2.5), 2);
    assert.equal(path_at(data, 1e9), NONE);
});

// w0 runs the root, which creates a; a' is ready at 10, and w0 runs b over it until 50.  w1 is
// idle.
function buried(more = []) {
    return run(
        [
            of(0, 0, 0, 10, NONE, NONE, CREATE, { flags: FIRST }),
            of(1, 0, 12, 50, 0, 0, END, { edge: 0, flags: FIRST }),
            of(0, 0, 52, 60, 0, 0, CREATE, { edge: CONT }),
            of(2, 0, 62, 70, 2, 2, END, { edge: 0, flags: FIRST }),
            of(0, 0, 72, 80, 2, 2, END, { edge: CONT }),
            ...more,
        ],
        [0, 1, 1],
        2,
        100,
    );
}

test("buried: it went on where it had stopped, and its worker ran something else", () => {
    assert.deepEqual(why_idle(buried(), 1, 30).by, { buried: 1 });
});

test("throttled: one creation ran its task inside, others did not", () => {
    const data = buried();
    data.strand.start[3] = 75; // the second one runs after its creator has gone on
    data.strand.start[4] = 71;
    data.strand.end[4] = 74;
    const list = data.row_strands[0];
    [list[3], list[4]] = [4, 3];
    assert.deepEqual(why_idle(data, 1, 30).by, { throttled: 1 });
});

test("tied is not claimed where tasks of the kind moved", () => {
    const data = buried([of(0, 1, 90, 95, 4, 4, END, { edge: 2 })]);
    assert.deepEqual(why_idle(data, 1, 30).by, { unknown: 1 });
});

test("call: its own worker is still in the call", () => {
    const data = buried();
    data.strand.after[1] = RUNTIME;
    assert.deepEqual(why_idle(data, 1, 51).by, { call: 1 });
});

// w1 waits for its child on w2, and takes nothing although w0's task x is ready.
function barred() {
    return run(
        [
            of(0, 0, 0, 5, NONE, NONE, CREATE, { flags: FIRST }),
            of(0, 0, 5, 90, 0, 0, END, { edge: CONT }),
            of(1, 1, 6, 10, NONE, NONE, CREATE, { flags: FIRST }),
            of(1, 1, 10, 12, 2, 2, WAIT, { edge: CONT, wait: 1 }),
            of(2, 2, 12, 60, 2, 2, END, { edge: 0, flags: FIRST }),
            of(1, 1, 61, 70, 3, 4, END, { edge: JOIN, flags: JOINS }),
            of(3, 2, 80, 85, 0, 0, END, { edge: 0, flags: FIRST }),
        ],
        [0, 0, 1, 1],
        3,
        100,
    );
}

test("barred: the worker waits and takes nothing until that is over; what is not below it", () => {
    const data = barred(),
        at = why_idle(data, 1, 30);
    assert.deepEqual(at.by, { barred: 1 });
    assert.equal(at.barred, 3);
    assert.deepEqual(why_idle(data, 2, 70).by, { came: 1 });
    assert.deepEqual(why_idle(data, 1, 75).by, { unknown: 1 });
});

test("a stretch: each instant has one reason, and they add up", () => {
    const data = barred();
    assert.deepEqual(why_stretch(data, 1, 12, 60), { barred: 48 });
    assert.deepEqual(why_stretch(data, 1, 70, 100), { unknown: 10, nothing: 20 });
    assert.deepEqual(why_stretch(producer(30, 50), 1, 0, 50), {
        nothing: 1,
        held: 30,
        unknown: 19,
    });
    assert.equal(why_stretch(producer(30, 50), 1, 0, 50, 3), null);
});

test("idle stretches: the longest first, of all rows or of one", () => {
    const data = barred();
    assert.deepEqual(
        idle_stretches(data, 2).map(({ row, from, to }) => [row, from, to]),
        [
            [1, 12, 61],
            [1, 70, 100],
        ],
    );
    assert.deepEqual(idle_stretches(data, 1, 0), [{ row: 0, from: 90, to: 100 }]);
});
