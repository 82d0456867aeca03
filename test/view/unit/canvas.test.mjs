// SPDX-License-Identifier: MIT
// canvas.test.mjs - the ruler of time, and where in the run it is: tools/view/page/canvas.js.
import assert from "node:assert/strict";
import test from "node:test";
import { RULER, draw_ruler, make_axis } from "../../../tools/view/page/canvas.js";

// Rectangles that a ruler draws, at the foot of it: [colour, left, width].
function place_of(from, to, extent) {
    const rectangles = [],
        nothing = () => {},
        app = { time: { from, to }, extent, colour: { line: "line", accent: "accent" } },
        axis = make_axis(app, { width: 1100 }, 60, 40),
        ctx = {
            fillStyle: "",
            beginPath: nothing,
            moveTo: nothing,
            lineTo: nothing,
            stroke: nothing,
            fillText: (_, x, y) => assert.ok(y + 6 <= 17 + RULER, `text at ${y}`),
            fillRect(x, y, width, height) {
                assert.equal(y + height, 2 * RULER);
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
