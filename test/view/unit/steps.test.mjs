// SPDX-License-Identifier: MIT
// steps.test.mjs - what the views compute of a run is done in short steps: none reads more of the
// run's columns than so many items have, however long the run is.
import assert from "node:assert/strict";
import test from "node:test";
import { before_made, bound_sums } from "../../../tools/view/page/bound.js";
import { order_build } from "../../../tools/view/page/dag_order.js";
import { column_sums, lines_build } from "../../../tools/view/page/scg_layout.js";
import { along, finish, for_each_back, pace, stage } from "../../../tools/view/page/steps.js";
import { collect } from "../../../tools/view/page/ucc_collect.js";
import { dependences_known } from "../../../tools/view/page/ucc_layout.js";
import { idle_stretches, ready_at } from "../../../tools/view/page/why_facts.js";
import { loop, NONE, run_of } from "./fake.mjs";

const TASKS = 4000,
    READS = 40; // of an item at most: it may look along what is before it

// The run, with columns that count what is read of them.
function counted() {
    const data = run_of([loop(TASKS)], task => task % 2, 2),
        count = { reads: 0 };
    const watch = column =>
        ArrayBuffer.isView(column)
            ? new Proxy(column, {
                  get(target, name) {
                      if (typeof name === "string" && /^\d+$/.test(name)) count.reads++;
                      const value = target[name];
                      return typeof value === "function" ? value.bind(target) : value;
                  },
              })
            : column;
    const watched = columns =>
        Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, watch(column)]));
    data.extra = {
        from: Uint32Array.from({ length: TASKS }, (_, i) => i),
        to: Uint32Array.from({ length: TASKS }, (_, i) => i + 1),
    };
    return {
        ...data,
        strand: watched(data.strand),
        task: watched(data.task),
        extra: watched(data.extra),
        row_strands: data.row_strands.map(watch),
        count,
    };
}

const WORK = {
    "the order of the DAG": data => order_build(data),
    "the strand before each on its row": data => before_made(data),
    "who bound the start of strands": data => {
        finish(before_made(data));
        return bound_sums(data, 0, data.elapsed);
    },
    "lines between rows": data => lines_build(data),
    "sums of a row": data => column_sums(data, 0, () => 1),
    "whether there are dependences": data => dependences_known(data),
    "units and constraints": data => collect(data, finish(order_build(data)), {}, false),
    "stretches that were idle": data => idle_stretches(data, 10),
    "what is ready": data => ready_at(data, 0),
};

for (const [name, start] of Object.entries(WORK))
    test(`${name}: in short steps`, () => {
        const data = counted(),
            before = pace.items;
        pace.items = 16;
        try {
            const work = start(data);
            let most = 0,
                steps = 0;
            for (let done = false; !done; steps++) {
                data.count.reads = 0;
                ({ done } = work.next());
                most = Math.max(most, data.count.reads);
            }
            assert.ok(steps > TASKS / pace.items / 2, `${steps} steps`);
            assert.ok(most <= READS * pace.items, `${most} reads in a step`);
        } finally {
            pace.items = before;
        }
    });

test("work goes back, and along a list, as far as it should; a stage is a part", () => {
    const before = pace.items;
    pace.items = 2;
    try {
        const seen = [];
        finish(for_each_back(5, i => seen.push(i)));
        assert.deepEqual(seen, [4, 3, 2, 1, 0]);
        const next = [1, 2, 3, 4, NONE],
            told = [...along(0, next, i => i < 3 && seen.push(i))];
        assert.deepEqual(seen.slice(5), [0, 1, 2]);
        assert.equal(told.length, 1);
        assert.deepEqual(
            [
                ...stage(
                    for_each_back(4, () => 0),
                    0.5,
                    1,
                ),
            ],
            [0.75, 1],
        );
    } finally {
        pace.items = before;
    }
});
