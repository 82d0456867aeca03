// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import test from "node:test";
import {
    brief,
    place,
    plain,
    sentence,
    tick,
    time,
    where,
} from "../../../tools/view/page/format.js";
import { parse_query } from "../../../tools/view/page/tasks.js";
import { Numbers, bytes_of_base64 } from "../../../tools/view/page/codec.js";

test("times are rounded as the report rounds them", () => {
    const want = [
        [0, "0"],
        [1, "1 ns"],
        [999, "999 ns"],
        [1000, "1.00 us"],
        [9994, "9.99 us"],
        [9996, "10.0 us"],
        [99960, "100 us"],
        [1234567, "1.23 ms"],
        [999499999, "999 ms"],
        [999500000, "1.00 s"],
        [3.6e12, "3600 s"],
        [-5000, "-5.00 us"],
    ];
    for (const [ns, text] of want) assert.equal(time(ns), text);
});

test("a number and its unit stay on one line", () => {
    assert.equal(
        sentence("1.5 of 2 workers, 12.3 ms of 4 s (25 %); 100 us, 3 samples"),
        "1.5 of 2 workers, 12.3\u00a0ms of 4\u00a0s (25\u00a0%); 100\u00a0us, 3 samples",
    );
});

test("a long name loses its middle", () => {
    assert.equal(brief("main :21"), "main :21");
    assert.equal(brief("a".repeat(26)), "a".repeat(26));
    assert.equal(brief("kind_with_a_rather_long_name_151"), "kind_with_a_..ong_name_151");
    assert.equal([...brief("\u{1f600}".repeat(40))].length, 26);
    assert.notEqual(
        brief("kind_with_a_rather_long_name_1"),
        brief("kind_with_a_rather_long_name_2"),
    );
});

test("ticks of an axis differ", () => {
    assert.equal(tick(1500000, 500000), "1500 us");
    assert.equal(tick(1500000, 1000000), "2 ms");
    assert.equal(tick(2.5e9, 1e9), "3 s");
    assert.equal(tick(40, 20), "40 ns");
});

test("control characters, and what turns text round, are shown by number", () => {
    assert.equal(plain("a\u001b[31mb\u202ec"), "a\\u001b[31mb\\u202ec");
    assert.equal(plain("<b>"), "<b>");
});

test("a place is its file and line, else its module", () => {
    assert.equal(where({ file: "/a/b/c.c", line: 7 }), "c.c:7");
    assert.equal(where({ file: "c.c", line: 7, last_line: 9 }), "c.c:7-9");
    assert.equal(where({ module: "/usr/lib/x.so" }), "x.so");
    assert.equal(where({}), "");
});

test("a name from right to left stands alone, and its line stays behind it", () => {
    const name = "\u0645\u0647\u0645\u0629";
    assert.equal(place({ name: "f", file: "/a/f.c", line: 3 }), "f  f.c:3");
    assert.equal(place({ name, file: "/a/f.c", line: 3 }), `\u2068${name}\u2069  f.c:3`);
    assert.equal(
        place({ name, file: `/a/${name}.c`, line: 3 }),
        `\u2068${name}\u2069  \u2068${name}.c:3\u2069`,
    );
});

test("a search has words, lengths and a number", () => {
    assert.deepEqual(parse_query("Sort >1.5ms <2 s #12 c:7"), {
        task: 12,
        above: 1.5e6,
        below: 2e9,
        words: ["sort", "c:7"],
    });
    const percent = parse_query("> 5% < 7 %", 100);
    assert.deepEqual([percent.above, percent.below, percent.words], [500, 700, []]);
    assert.deepEqual(parse_query("> 1 sort"), {
        ...{ task: null, above: 1e6, below: Infinity },
        words: ["sort"],
    });
    assert.deepEqual(parse_query(""), { task: null, above: 0, below: Infinity, words: [] });
});

test("varints are read as section.c writes them", () => {
    const numbers = new Numbers(
        Uint8Array.from([0, 0x7f, 0x80, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f, 1, 2]),
    );
    assert.deepEqual(
        [numbers.next(), numbers.next(), numbers.next(), numbers.next()],
        [0, 127, 128, 2 ** 53 - 1],
    );
    assert.deepEqual([numbers.signed(), numbers.signed(), numbers.over], [-1, 1, true]);
    assert.deepEqual([...bytes_of_base64("AAH/")], [0, 1, 255]);
});
