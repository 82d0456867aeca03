// SPDX-License-Identifier: MIT
// source.test.mjs - what lines of code cost: tools/view/page/source.js.
import assert from "node:assert/strict";
import test from "node:test";
import { costs_of } from "../../../tools/view/page/source.js";

test("a finding is charged to its line, but what the machine did is no line's fault", () => {
    const finding = (line, lost_ns) => ({ file: "x.c", line, lost_ns });
    const app = {
        summary: { kinds: [], findings: [finding(3, 70), finding(3, 5), finding(4, 9)] },
        meta: { findings: [true, false, true].map(of_machine => ({ of_machine })) },
    };
    const costs = costs_of(app, "x.c");
    assert.deepEqual(
        [...costs].map(([line, { lost }]) => [line, lost]),
        [[3, 5]],
    );
});
