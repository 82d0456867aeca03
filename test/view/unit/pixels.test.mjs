// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import test from "node:test";
import { ceiling, ticks_below } from "../../../tools/view/page/parallelism.js";
import { Pile, add_interval } from "../../../tools/view/page/pixels.js";

const sum = list => list.reduce((a, b) => a + b, 0);

test("an interval adds its length to the columns that it lies in", () => {
    const column = new Float64Array(4);
    add_interval(column, 100, 10, 105, 125, 1);
    assert.deepEqual([...column], [5, 10, 5, 0]);
});

test("what is outside is cut off", () => {
    const column = new Float64Array(3);
    add_interval(column, 100, 10, 0, 1000, 2);
    assert.deepEqual([...column], [20, 20, 20]);
    add_interval(column, 100, 10, 0, 100, 1);
    add_interval(column, 100, 10, 130, 140, 1);
    assert.equal(sum(column), 60);
});

test("nothing is lost, however small", () => {
    const column = new Float64Array(7);
    let all = 0;
    for (let i = 0; i < 1000; i++) {
        add_interval(column, 0, 100, 0.7 * i, 0.7 * i + 0.3, 1);
        all += 0.3;
    }
    assert.ok(Math.abs(sum(column) - all) < 1e-6);
});

test("a pile has what its stretches add up to, whichever columns they begin and end in", () => {
    const n = 9,
        pile = new Pile(n),
        column = new Float64Array(n);
    let seed = 7;
    const random = below =>
        ((seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648) * below;
    for (let i = 0; i < 500; i++) {
        const a = i % 5 ? random(n + 4) - 2 : Math.floor(random(n)),
            b = a + (i % 7 ? random(3) : Math.floor(random(n)));
        pile.add(a, b);
        add_interval(column, 0, 1, a, b, 1);
    }
    pile.take(new Float64Array(n), 3).forEach((is, x) =>
        assert.ok(Math.abs(is - 3 * column[x]) < 1e-9, `column ${x}: ${is}, ${3 * column[x]}`),
    );
});

test("ready has ticks of whole numbers below its top, as far as there is room", () => {
    assert.deepEqual(ticks_below(200, 80), [100]);
    assert.deepEqual(ticks_below(5, 80), [1, 2, 3, 4]);
    assert.deepEqual(ticks_below(5, 60), []);
    assert.deepEqual(ticks_below(2, 20), []);
    assert.deepEqual(ticks_below(ceiling(1), 1000), []);
    for (let most = 1; most < 1e4; most = most * 1.7 + 1)
        for (const n of ticks_below(ceiling(most), 200)) {
            assert.ok(Number.isInteger(n) && n > 0 && n < ceiling(most), `${n} of ${most}`);
        }
});
