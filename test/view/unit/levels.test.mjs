// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import test from "node:test";
import { Integral, first_above, snap } from "../../../tools/view/page/levels.js";

test("an integral is exact at the edges of bins, and straight in between", () => {
    const of = new Integral(10, [10, 0, 5, 4], 34);
    assert.equal(of.total, 19);
    assert.equal(of.over(0, 10), 10);
    assert.equal(of.over(10, 30), 5);
    assert.equal(of.over(5, 15), 5);
    assert.equal(of.over(30, 32), 2); // the last bin is 4 long
    assert.equal(of.over(-50, 0), 0);
    assert.equal(of.over(0, 1e9), 19);
});

test("stretches that follow one another add up, at any zoom", () => {
    const values = Array.from({ length: 64 }, (_, i) => (i * 7919) % 101),
        of = new Integral(3, values, 190);
    for (const n of [1, 2, 5, 64, 190]) {
        let sum = 0;
        for (let i = 0; i < n; i++) sum += of.over((190 * i) / n, (190 * (i + 1)) / n);
        assert.ok(Math.abs(sum - of.total) < 1e-6);
    }
});

test("a long selection begins and ends with bins, a short one where it was drawn", () => {
    assert.deepEqual(snap(104, 296, 10, 1000), [100, 300]);
    assert.deepEqual(snap(104, 130, 10, 1000), [104, 130]);
    assert.deepEqual(snap(1, 997, 10, 997), [0, 997]);
});

test("first_above finds the first that is larger", () => {
    assert.equal(first_above([1, 3, 3, 5], 3), 3);
    assert.equal(first_above([1, 3, 3, 5], 0), 0);
    assert.equal(first_above([1, 3, 3, 5], 5), 4);
    assert.equal(first_above([9, 1, 5], 1, [1, 2, 0]), 1);
});
