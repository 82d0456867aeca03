// SPDX-License-Identifier: MIT
// lengths.test.mjs - spreads of lengths, and text that leaves the page: tools/view/page/lengths.js,
// copy.js.
import assert from "node:assert/strict";
import test from "node:test";
import { csv_row } from "../../../tools/view/page/copy.js";
import {
    lengths_of,
    round_lengths,
    scale_of,
    with_lengths,
} from "../../../tools/view/page/lengths.js";
import { parse_query } from "../../../tools/view/page/tasks.js";
import { at_once, fib, run_of } from "./fake.mjs";

test("a brush replaces the lengths of a search, and leaves its words", () => {
    const text = with_lengths("fib > 3us #7 < 2 s", [1500, 2.5e6]);
    const { words, task, above, below } = parse_query(text);
    assert.deepEqual([words, task, above, below], [["fib"], 7, 1500, 2.5e6]);
    assert.equal(with_lengths(text, null), "fib #7");
});

test("rows of lengths: each task in one, the ends too; hits are some of them", () => {
    const data = run_of([fib(9)]);
    data.task.work.set(data.task.work.map((_, t) => 1 + ((t * 7919) % 5000)));
    const app = {
        data,
        hits: Uint8Array.from(data.task.work, ns => Number(ns > 2500)),
        time: { from: 0, to: data.elapsed + 1 },
    };
    const made = at_once(lengths_of)(app, () => true, 50),
        sum = list => list.reduce((a, b) => a + b, 0),
        hits = sum([...app.hits]);
    assert.deepEqual([made.from, made.to], [app.time.from, app.time.to]);
    assert.equal(made.tasks, data.task.n);
    assert.deepEqual(made.rows.map(sum), [data.task.n, hits]);
    assert.deepEqual(made.cells.map(sum), [data.task.n, hits]);
    const { scale } = made;
    assert.equal(scale.row(scale.low), 0);
    assert.equal(scale.row(scale.high), made.rows[0].length - 1);
});

test("one length alone has a row", () => {
    const scale = scale_of(500, 500);
    assert.equal(scale.row(500), 0);
});

test("a cell of CSV is quoted, and no formula", () => {
    assert.equal(csv_row(['a"b', "c,d", "=1+1", -3, null]), '"a""b","c,d",\'=1+1,-3,\r\n');
});

test("marks of lengths are round, and at least two", () => {
    const marks = (low, high) => round_lengths(scale_of(low, high));
    assert.deepEqual(marks(40, 22.6e6), [100, 1e3, 1e4, 1e5, 1e6, 1e7]);
    assert.deepEqual(marks(1800, 5500), [2000, 5000]);
    assert.deepEqual(marks(9000, 21000), [10000, 20000]);
    assert.deepEqual(marks(6000, 7000), [6000, 7000]);
    const scale = scale_of(100, 1e6);
    assert.ok(Math.abs(scale.at(1e4) - 20) < 1e-9, String(scale.at(1e4)));
});
