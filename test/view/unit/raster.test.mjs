// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import test from "node:test";
import { Raster, put_stack } from "../../../tools/view/page/raster.js";

const pixel = (raster, x, row) => [
    ...raster.bytes.slice(4 * (row * raster.n + x), 4 * (row * raster.n + x) + 4),
];
const RED = "#ff0000",
    BLUE = "rgb(0,0,255)";

function raster_of(n, height, ratio = 1) {
    const raster = new Raster();
    raster.begin(n, height, ratio);
    return raster;
}

test("whole pixels have their colour, others none", () => {
    const raster = raster_of(3, 4);
    raster.put(1, 1, 2, raster.paint(RED, 0.2));
    assert.deepEqual(
        [0, 1, 2, 3].map(row => pixel(raster, 1, row)[3]),
        [0, 51, 51, 0],
    );
    assert.deepEqual(pixel(raster, 1, 2), [255, 0, 0, 51]);
    assert.ok([0, 2].every(x => [0, 1, 2, 3].every(row => pixel(raster, x, row)[3] === 0)));
});

test("parts of a pixel share it", () => {
    const raster = raster_of(1, 2);
    raster.put(0, 0.25, 0.25, raster.paint(RED));
    assert.deepEqual(pixel(raster, 0, 0), [255, 0, 0, 64]);
    raster.put(0, 0.5, 0.75, raster.paint(BLUE));
    const [r, , b, alpha] = pixel(raster, 0, 0);
    assert.ok(
        Math.abs(alpha - 191) <= 2 && Math.abs(r - 85) <= 2 && Math.abs(b - 170) <= 2,
        `${r} ${b} ${alpha}`,
    );
    assert.deepEqual(pixel(raster, 0, 1), [0, 0, 255, 64]);
});

test("a box is whole pixels of its columns alone", () => {
    const raster = raster_of(5, 3, 2);
    raster.box(1, 3, 0.6, 1.2, raster.paint(RED));
    raster.box(4, 9, 2, 9, raster.paint(BLUE));
    raster.box(-3, 0, 0, 3, raster.paint(BLUE));
    const rows = Array.from({ length: 6 }, (_, row) =>
        [0, 1, 2, 3, 4]
            .map(x => (pixel(raster, x, row)[3] ? (pixel(raster, x, row)[0] ? "r" : "b") : "."))
            .join(""),
    );
    assert.deepEqual(rows, [".....", ".rr..", ".rr..", ".rr..", "....b", "....b"]);
});

test("what is outside is cut off, and the next picture begins empty", () => {
    const raster = raster_of(2, 3, 2);
    raster.put(0, -5, 100, raster.paint(RED));
    assert.ok(
        [0, 1, 2, 3, 4, 5].every(
            row => pixel(raster, 0, row)[3] === 255 && pixel(raster, 1, row)[3] === 0,
        ),
    );
    raster.begin(2, 3, 2);
    assert.ok(raster.words.every(word => word === 0));
});

test("a stack reaches as high as its parts", () => {
    for (let seed = 1; seed <= 50; seed++) {
        const raster = raster_of(4, 60),
            base = new Float64Array(4),
            sums = new Float64Array(4);
        for (let part = 0; part < 6; part++) {
            const of = Float64Array.from(
                { length: 4 },
                (_, x) => ((seed * 7919 * (x + 3) * (part + 1)) % 97) / 10,
            );
            of.forEach((value, x) => {
                sums[x] += value;
            });
            put_stack(raster, 60, base, of, 1, raster.paint(part % 2 ? RED : BLUE));
        }
        for (let x = 0; x < 4; x++) {
            let covered = 0;
            for (let row = 0; row < 60; row++) covered += pixel(raster, x, row)[3] / 255;
            assert.ok(Math.abs(covered - Math.min(60, sums[x])) < 0.1, `${covered} of ${sums[x]}`);
        }
    }
});
