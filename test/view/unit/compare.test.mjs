// SPDX-License-Identifier: MIT
// compare.test.mjs - rows of the table of what changed, and where runs stand side by side.
import assert from "node:assert/strict";
import test from "node:test";
import { side_of } from "../../../tools/view/page/blocks.js";
import { layout } from "../../../tools/view/page/compare_draw.js";
import { change_text, ratio_text, rows_of } from "../../../tools/view/page/compare_table.js";
import { colours_of_kinds, key_of_kind } from "../../../tools/view/page/sides.js";

const parts = (work, delay = 0) => ({
    work_ns: work,
    delay_ns: delay,
    no_work_sched_ns: 0,
    no_work_app_ns: 0,
    tasks: 1,
});
const kind = (name, a, b, delta, line = 1) => ({ name, file: "x.c", line, a, b, delta });

test("a row of two runs has both values and the change", () => {
    const rows = rows_of(
        [
            {
                kinds: [
                    kind("f", parts(10), parts(15, 2), parts(5, 2)),
                    kind("g", parts(100), null, parts(-100)),
                ],
            },
        ],
        "kinds",
    );
    assert.deepEqual(
        rows.map(row => [row.name, row.values, row.changes]),
        [
            ["g", [100, 0], [-100]],
            ["f", [10, 17], [7]],
        ],
    );
});

test("rows of three runs are joined by name and place, and what one lacks is 0", () => {
    const rows = rows_of(
        [
            {
                kinds: [
                    kind("f", parts(10), parts(12), parts(2)),
                    kind("f", parts(1), parts(1), parts(0), 2),
                ],
            },
            {
                kinds: [
                    kind("f", parts(10), parts(9), parts(-1)),
                    kind("h", null, parts(40), parts(40)),
                ],
            },
        ],
        "kinds",
    );
    assert.deepEqual(
        rows.map(row => [row.name, row.of.line, row.values, row.changes]),
        [
            ["h", 1, [0, 0, 40], [0, 40]],
            ["f", 1, [10, 12, 9], [2, -1]],
            ["f", 2, [1, 1, 0], [0, 0]],
        ],
    );
});

test("changes are told with their sign", () => {
    const row = { is_time: true };
    assert.deepEqual(
        [1200, -1200, 0].map(ns => change_text(row, ns)),
        ["+1.20 us", "\u22121.20 us", "0"],
    );
    assert.deepEqual(
        [
            ratio_text(100, 50),
            ratio_text(100, -50),
            ratio_text(2, 20),
            ratio_text(0, 5),
            ratio_text(5, -5),
            ratio_text(5, 0),
        ],
        ["+50 %", "\u221250 %", "\u00d711", "new", "gone", ""],
    );
});

test("runs have rows and workers of one height, in order, within the room or beyond it", () => {
    for (const [rows, workers, height] of [
        [[2, 8], [2, 8], 600],
        [[1000, 3, 1], [1000, 3, 1], 400],
        [[0, 1], [1, 1], 100],
    ]) {
        const place = layout(rows, workers, height);
        place.parts.forEach((part, i) => {
            assert.ok(
                Math.abs(part.end - part.rows - rows[i] * part.pitch) < 1e-9 &&
                    Math.abs(part.bottom - part.line - workers[i] * place.worker) < 1e-9,
            );
            assert.ok(
                part.title < part.top &&
                    part.top < part.line &&
                    part.line < part.bottom &&
                    part.bottom < part.rows,
            );
            if (i) assert.ok(part.title >= place.parts[i - 1].end);
        });
        assert.ok(place.height >= place.parts.at(-1).end);
        assert.ok(place.parts.every(({ pitch }) => pitch >= 1));
    }
    const { parts: both, height: all } = layout([2, 64], [2, 64], 400),
        [few, many] = both;
    assert.ok(all <= 400);
    assert.ok(few.pitch >= 12 && many.pitch < few.pitch && few.end - few.top < 100);
    assert.ok(layout([2, 8], [2, 8], 600).height <= 600);
});

test("the fragment names a run that there is", () => {
    assert.deepEqual(
        [
            ["", 3],
            ["#trace=2&view=compare", 3],
            ["#at=1-2&trace=1", 3],
            ["#trace=3", 3],
            ["#trace=1", 0],
            ["#trace=x", 3],
        ].map(([hash, n]) => side_of(hash, () => n)),
        [0, 2, 1, 0, 0, 0],
    );
});

test("the same code has the same colour in all runs, even on another line", () => {
    const data = (kinds, leading) => ({
        kinds: kinds.map(([name, line]) => ({ name, file: "/src/x.c", line })),
        leading,
    });
    const a = data(
            [
                ["f", 1],
                ["g", 9],
                ["g", 12],
            ],
            [1, 0, 2],
        ),
        b = data(
            [
                ["new", 3],
                ["f", 4],
                ["g", 9],
                ["g", 13],
            ],
            [0, 1, 2, 3],
        );
    const all = colours_of_kinds(
        { data: a, colour: { kinds: ["red", "green", "blue", "grey"], others: "white" } },
        [{ data: a }, { data: b }],
    );
    assert.deepEqual(
        [0, 1, 2].map(k => all.get(key_of_kind(a, k))[0]),
        ["green", "red", "blue"],
    );
    assert.deepEqual(
        [0, 1, 2, 3].map(k => all.get(key_of_kind(b, k))[0]),
        ["grey", "green", "red", "white"],
    );
});
