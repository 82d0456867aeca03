// SPDX-License-Identifier: MIT
// operations.test.mjs - what devices did, and the data that tasks use.
import assert from "node:assert/strict";
import test from "node:test";
import { Numbers } from "../../../tools/view/page/codec.js";
import {
    draw_operations,
    operation_at,
    read_data_of_tasks,
    read_operations,
    uses_said,
} from "../../../tools/view/page/operations.js";

const numbers = (...bytes) => new Numbers(Uint8Array.from(bytes)),
    plus = ns => 2 * ns,
    minus = ns => 2 * ns - 1,
    no_wait = async () => {};

// A column's arrays can go to another thread without a copy.
function are_arrays(of) {
    return Object.values(of).every(
        part => ArrayBuffer.isView(part) || ["number", "string"].includes(typeof part),
    );
}

test("operations are told apart by device, in the order of their begin", async () => {
    const sites = [
        { name: "copy", device: "gpu" },
        { name: "read", device: "disk" },
        { name: "kernel", device: "gpu" },
    ];
    const column = numbers(
        ...[0, plus(20), 5, 8, 3, 9],
        ...[1, plus(10), 50, 0, 0, 0],
        ...[2, minus(25), 40, 1, 1, 0],
    );
    const [gpu, disk] = await read_operations(column, sites, no_wait);
    assert.deepEqual([gpu.device, gpu.n, disk.device, disk.n], ["gpu", 2, "disk", 1]);
    assert.deepEqual(Array.from(gpu.begin), [5, 20]);
    assert.deepEqual(Array.from(gpu.end), [45, 25]);
    assert.deepEqual(Array.from(gpu.latest), [45, 45]);
    assert.deepEqual(Array.from(gpu.site), [2, 0]);
    assert.deepEqual(Array.from(gpu.task), [0, 7]);
    assert.deepEqual(Array.from(gpu.bytes), [0, 9]);
    assert.deepEqual([disk.task[0], disk.kind[0]], [-1, -1]);
    assert.ok(are_arrays(gpu) && are_arrays(disk));
});

test("the data of tasks are said in words, in the order of the trace", async () => {
    const column = numbers(
        ...[plus(2), 0, 0x40, 1, 0, 8],
        ...[minus(2), 0x7f, 0x10, 2, 3, 0],
        ...[plus(2), 0, 0x50, 0, 0, 0],
    );
    const uses = await read_data_of_tasks(column, 4, no_wait);
    assert.deepEqual(
        [0, 1, 2, 3].map(task => uses_said(uses, task)),
        ["0x7f00000010 written, in memory 2", "", "0x40 read, 8 B; 0x50", ""],
    );
    assert.ok(are_arrays(uses));
});

test("reading many of them gives the browser its turn", async () => {
    let n_turns = 0;
    const slice = async () => {
        n_turns++;
    };
    const zeros = () => new Numbers(new Uint8Array(6 * 40000));
    await read_operations(zeros(), [{ name: "copy", device: "gpu" }], slice);
    assert.ok(n_turns > 1);
    n_turns = 0;
    await read_data_of_tasks(zeros(), 1, slice);
    assert.ok(n_turns > 1);
});

// Time [from, to) on pixels [64, 164).
const axis_of = (from, to) => ({
    ...{ left: 64, width: 100, from, to, scale: 100 / (to - from) },
    x: ns => 64 + ((ns - from) * 100) / (to - from),
    ns: x => from + ((x - 64) * (to - from)) / 100,
});

// n operations, a ns each, one after the other; but for the first, which takes `first` ns.
function many(n, first = 1) {
    const begin = Float64Array.from({ length: n }, (_, i) => i),
        end = Float64Array.from(begin, (ns, i) => (i ? ns + 1 : first));
    return {
        ...{ device: "gpu", n, begin, end, site: new Float64Array(n), bytes: new Float64Array(n) },
        ...{ task: new Float64Array(n), kind: new Float64Array(n) },
        latest: end.map((ns, i) => (i ? Math.max(ns, first) : ns)),
    };
}

// How many operations are looked at, and [x, width] of what is drawn, but for the lane.
function drawn(lane, axis) {
    const boxes = [],
        app = {
            data: { operations: [lane] },
            selection: { kind: null },
            colour: { kind: () => "red" },
        };
    let n_seen = 0;
    const begin = new Proxy(lane.begin, {
        get(of, i) {
            n_seen++;
            return of[i];
        },
    });
    app.data.operations = [{ ...lane, begin }];
    draw_operations(app, { fillRect: (x, y, w) => boxes.push([x, w]) }, axis, 0, 8);
    return [n_seen, boxes.slice(1)];
}

test("a lane of very many operations costs no more than its pixels", () => {
    for (const [from, to] of [
        [0, 1e5],
        [4e4, 5e4],
    ]) {
        const [n_seen, boxes] = drawn(many(1e5), axis_of(from, to));
        assert.ok(n_seen <= 4 * 100, `${n_seen} looked at`);
        assert.ok(boxes.length >= 50, `${boxes.length} drawn`);
    }
    const [n_seen, boxes] = drawn(many(1e5, 1e6), axis_of(10, 1e5));
    assert.ok(n_seen < 10, `${n_seen} looked at behind one that covers all`);
    assert.deepEqual(boxes, [[64, 100]]);
    assert.deepEqual(drawn(many(4), axis_of(0, 4))[1], [
        [64, 25],
        [89, 25],
        [114, 25],
        [139, 25],
    ]);
});

test("what is under the pointer is an operation, and its task if that is known", () => {
    const lane = many(10),
        app = {
            data: { operations: [lane] },
            meta: { operations: [{ name: "copy", device: "gpu" }] },
            format: { kind: () => "f" },
        };
    lane.task[3] = lane.kind[3] = -1;
    const at = ns => operation_at(app, axis_of(0, 10), 64 + 10 * ns, 2, 8, id => id + 100);
    assert.equal(at(2.5).task, 100);
    assert.deepEqual(at(3.5).text[2], ["for", "no task that is known"]);
    assert.equal(at(3.5).task, null);
    assert.equal(at(20), null);
});
