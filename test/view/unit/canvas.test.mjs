// SPDX-License-Identifier: MIT
// canvas.test.mjs - the ruler of time, with selected time and notes: tools/view/page/canvas.js.
import assert from "node:assert/strict";
import test from "node:test";
import { RULER, draw_ruler, make_axis, note_at } from "../../../tools/view/page/canvas.js";

const NOTHING = { from: null, to: null };

// What a ruler draws: rectangles, [colour, left, width]; and texts.
function ruler_of(from, to, { notes = [], selection = NOTHING } = {}) {
    const rectangles = [],
        texts = [],
        nothing = () => {},
        app = {
            notes,
            selection,
            time: { from, to },
            colour: { line: "line", accent: "accent", ink: "ink" },
        },
        axis = make_axis(app, { width: 1100 }, 60, 40),
        ctx = {
            fillStyle: "",
            beginPath: nothing,
            moveTo: nothing,
            lineTo: nothing,
            stroke: nothing,
            fillText(text, x, y) {
                assert.ok(y + 6 <= 17 + RULER, `text at ${y}`);
                texts.push(text);
            },
            fillRect(x, y, width) {
                assert.equal(y, RULER);
                rectangles.push([this.fillStyle, x, width]);
            },
        };
    draw_ruler(app, ctx, axis, RULER);
    return { rectangles, texts };
}

test("a ruler says how long the selected time is, and no tick is across that", () => {
    const ticks = ruler_of(0, 1000).texts,
        { rectangles, texts } = ruler_of(0, 1000, { selection: { from: 300, to: 500 } });
    assert.deepEqual(rectangles, [["accent", 360, 200]]);
    assert.ok(ticks.includes("400 ns"));
    assert.deepEqual(texts, [...ticks.filter(text => text !== "400 ns"), "\u2194 200 ns"]);
    const part = ruler_of(0, 1000, { selection: { from: 900, to: 2000 } });
    assert.deepEqual(part.rectangles, [["accent", 960, 100]]);
    assert.ok(part.texts.includes("\u2194 1.10 us"));
    assert.deepEqual(ruler_of(0, 1000, { selection: { from: 2000, to: 3000 } }).texts, ticks);
});

const NOTES = [
    { from: -5, to: -1, text: "before" },
    { from: 50, to: 400, text: "a stretch \u202e" },
    { from: 100, to: null, text: "an instant" },
    { from: 900, to: 1100, text: "over the end, far" },
];

test("a ruler has notes in sight: a flag where they begin, its text where there is room", () => {
    const { rectangles, texts } = ruler_of(0, 1000, { notes: NOTES });
    assert.deepEqual(rectangles, [
        ["ink", 110, 350],
        ["ink", 103, 14], // the next flag begins where its text would be
        ["ink", 160, 0],
        ["ink", 153, 80],
        ["ink", 960, 100],
        ["ink", 953, 14], // and here the axis ends
    ]);
    assert.ok(texts.includes("an instant") && !texts.includes("over the end, far"));
    assert.ok(!texts.includes("100 ns"), "a flag is there");
});

test("a ruler tells the note under the pointer, the shortest of several", () => {
    const app = { notes: NOTES, selection: NOTHING, time: { from: 0, to: 1000 } },
        axis = make_axis(app, { width: 1100 }, 60, 40),
        at = x => note_at(app, axis, x);
    assert.deepEqual(at(165), { text: [["note 3", "an instant"]] });
    assert.deepEqual(at(300), { text: [["note 2", "a stretch \\u202e"]], from: 50, to: 400 });
    assert.equal(at(600), null);
});
