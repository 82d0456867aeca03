// SPDX-License-Identifier: MIT
// flame.test.mjs - creation paths of two runs beside each other: tools/view/page/flame.js.
import assert from "node:assert/strict";
import test from "node:test";
import { boxes_of, compared, frames_of } from "../../../tools/view/page/flame.js";

const step = (name, line) => ({ name, file: "x.c", line }),
    row = (work_ns, ...path) => ({ work_ns, path }),
    frames = rows => frames_of(rows, of => of.work_ns);

test("paths that differ by lines alone are compared as one, whatever its lines are", () => {
    const main = step("main", 1),
        before = frames([row(30, main, step("f", 5)), row(10, main, step("f", 9))]),
        after = frames([row(30, main, step("f", 6)), row(10, main, step("f", 8))]),
        { before: ns, ratio } = compared(after, before);
    for (const [frame] of boxes_of(after)) {
        assert.equal(ratio(frame), 0, frame.of.name);
        assert.equal(ns(frame), 40, frame.of.name);
    }
});

test("what grew, shrank, and is new", () => {
    const before = frames([row(10, step("f", 1)), row(40, step("g", 2))]),
        after = frames([row(20, step("f", 1)), row(10, step("g", 2)), row(5, step("h", 3))]),
        { ratio } = compared(after, before);
    const told = boxes_of(after).map(([frame]) => [frame.of.name, ratio(frame)]);
    assert.deepEqual(told.slice(1).sort(), [
        ["f", 1],
        ["g", -2],
        ["h", 1],
    ]);
});
