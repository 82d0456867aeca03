// SPDX-License-Identifier: MIT
// canvas.test.mjs - the ruler of time, and where in the run it is: tools/view/page/canvas.js.
import assert from "node:assert/strict";
import test from "node:test";
import { RULER, draw_ruler, make_axis, note_at } from "../../../tools/view/page/canvas.js";

// Rectangles that a ruler draws, at the foot of it: [colour, left, width].
function place_of(from, to, extent, notes = []) {
    const rectangles = [],
        nothing = () => {},
        app = {
            notes,
            time: { from, to },
            extent,
            colour: { line: "line", accent: "accent", ink: "ink" },
        },
        axis = make_axis(app, { width: 1100 }, 60, 40),
        ctx = {
            fillStyle: "",
            beginPath: nothing,
            moveTo: nothing,
            lineTo: nothing,
            stroke: nothing,
            fillText: (_, x, y) => assert.ok(y + 6 <= 17 + RULER, `text at ${y}`),
            fillRect(x, y, width, height) {
                if (this.fillStyle === "ink") assert.equal(y, RULER);
                else assert.equal(y + height, 2 * RULER);
                rectangles.push([this.fillStyle, x, width]);
            },
        };
    draw_ruler(app, ctx, axis, RULER);
    return rectangles;
}

test("a ruler of a part says which of the whole it is", () => {
    assert.deepEqual(place_of(0, 1e6, 1e6), []);
    assert.deepEqual(place_of(25e4, 5e5, 1e6), [
        ["line", 60, 1000],
        ["accent", 310, 250],
    ]);
    assert.deepEqual(place_of(-1e5, 2e5, 1e6)[1], ["accent", 60, 200]);
});

test("a small part can be seen, at the end too", () => {
    assert.deepEqual(place_of(5e8, 5e8 + 10, 1e9)[1], ["accent", 560, 4]);
    assert.deepEqual(place_of(1e9 - 10, 1e9, 1e9)[1], ["accent", 1056, 4]);
});

const NOTES = [
    { from: -5, to: -1, text: "before" },
    { from: 100, to: null, text: "an instant" },
    { from: 50, to: 400, text: "a stretch \u202e" },
    { from: 900, to: 1100, text: "over the end" },
];

test("a ruler has notes in sight, with a box where they begin, and as long as they are", () => {
    assert.deepEqual(place_of(0, 1000, 1000, NOTES), [
        ["ink", 160, 0],
        ["ink", 153, 14],
        ["ink", 110, 350],
        ["ink", 103, 14],
        ["ink", 960, 100],
        ["ink", 953, 14],
    ]);
});

test("a ruler tells the note under the pointer, the shortest of several", () => {
    const app = { notes: NOTES, time: { from: 0, to: 1000 }, extent: 1000 },
        axis = make_axis(app, { width: 1100 }, 60, 40),
        at = x => note_at(app, axis, x);
    assert.deepEqual(at(165), { text: [["note 2", "an instant"]] });
    assert.deepEqual(at(300), { text: [["note 3", "a stretch \\u202e"]], from: 50, to: 400 });
    assert.equal(at(600), null);
});
