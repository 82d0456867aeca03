// SPDX-License-Identifier: MIT
// header.test.mjs - the order of what is special about a run: tools/view/page/header.js.
import assert from "node:assert/strict";
import test from "node:test";
import { warnings } from "../../../tools/view/page/header.js";

test("what is a run's fate is said by the page's data, not by words, and stands first", () => {
    const summary = { workers: 1, findings: [{ what: "b\nc" }] },
        meta = {
            notes: ["LOST in thought", "  worker 0: 7 events", "a fate"],
            fates: ["a fate"],
            findings: [{ of_machine: true, title: "busy" }],
            verdict: "",
            rows: [0],
        };
    assert.deepEqual(warnings(summary, meta), [
        "a fate",
        "BUSY: b",
        "LOST in thought",
        "  worker 0: 7 events",
    ]);
});
