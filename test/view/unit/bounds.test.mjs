// SPDX-License-Identifier: MIT
// bounds.test.mjs - which lines of the speed-up the eye takes for one, and whether more workers
// help: tools/view/page/bounds.js.
import assert from "node:assert/strict";
import test from "node:test";
import { lines_together, more_said } from "../../../tools/view/page/bounds.js";

const line = (name, ...speedups) => ({
        name,
        points: speedups.map((speedup, i) => ({ workers: i + 1, speedup })),
    }),
    in_px = speedup => 10 * speedup;

test("lines within a pixel all along are one, others are not", () => {
    const lines = [line("a", 1, 2, 3), line("b", 1, 2, 3.05), line("c", 1, 2, 3.2)];
    assert.deepEqual(lines_together(lines, in_px), [["a", "b"], ["c"]]);
    const steps = [line("a", 1), line("b", 1.09), line("c", 1.18)]; // c is near b, not near a
    assert.deepEqual(lines_together(steps, in_px), [["a", "b"], ["c"]]);
});

test("a line of fewer points lies on one that has all of them", () => {
    const curve = { name: "curve", points: [{ workers: 2, speedup: 2 }] },
        far = { name: "far", points: [{ workers: 9, speedup: 3 }] };
    assert.deepEqual(lines_together([curve, line("a", 1, 2, 3), far], in_px), [
        ["curve", "a"],
        ["far"],
    ]);
});

test("whether more workers help, and how many are enough", () => {
    const speedup = (...ideal) => ideal.map((of, i) => ({ workers: i + 1, ideal: of })),
        at = (list, p) => more_said(list, list[p - 1]);
    const flat = speedup(1, 1.5, 1.6),
        rises = speedup(1, 1.9, 2.7, 3.3, 3.4);
    assert.equal(at(flat, 2), "More workers would not help: any number reaches 1.60 at best.");
    assert.equal(at(flat, 1), "More workers would help: 3 reach 1.60 at best.");
    assert.equal(at(rises, 2), "More workers would help: 4 reach 3.30 at best.");
    assert.equal(at(rises, 5), "");
});
