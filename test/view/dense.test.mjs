// SPDX-License-Identifier: MIT
// dense.test.mjs - graphs that have more than there is room for, in a browser: names beside their
// circles, and as many lines as can be told apart.  PAGES, TPTRACE: as data.test.mjs has them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { close, of_view, shared_pages } from "./browser.mjs";

const open_at = shared_pages("", { reducedMotion: "reduce" });
const open = (name, view) => open_at(name, "#view=" + view);

test("dependences: a name that its circle has no room for stands whole beside it", async () => {
    const page = await open("depend_fan_in", "ucc");
    const told = await of_view(page, "ucc", (ucc, a) => {
        const said = [],
            ctx = {
                measureText: text => ({ width: 7 * text.length }),
                fillText: (text, x) => said.push([text, x, ctx.textAlign, ctx.fillStyle]),
                strokeText() {},
            };
        a.format.kind_at = () => "potrf";
        for (const height of [20, 60])
            ucc.draw_name(ctx, ucc.units[0], { x: 0, y: 0, width: 100, height });
        return { said, ink: a.colour.ink, inside: a.colour.text(ucc.fill_of(ucc.units[0])) };
    });
    assert.deepEqual(told.said, [
        ["potrf", 64, "left", told.ink],
        ["potrf", 50, "center", told.inside],
    ]);
    await close(page);
});

test("consequence: between many columns there are as many lines as can be told apart", async () => {
    const page = await open("thousand", "scg"),
        lines = () => of_view(page, "scg", scg => [scg.n_lines, scg.geometry().height]);
    const [{ drawn, all }, height] = await lines();
    assert.ok(all > 900 && drawn <= Math.max(60, height / 2), `${drawn} of ${all}`);
    await close(page);
    const few = await open("long", "scg"),
        [of_two] = await of_view(few, "scg", scg => [scg.n_lines]);
    assert.ok(of_two.drawn >= 1000, `${of_two.drawn}`);
    await close(few);
});
