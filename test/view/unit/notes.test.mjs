// SPDX-License-Identifier: MIT
// notes.test.mjs - notes as text of a link, and what they are of: tools/view/page/notes.js.
import assert from "node:assert/strict";
import test from "node:test";
import {
    notes_of_text,
    pointed_instant,
    selected_time,
    text_of_notes,
} from "../../../tools/view/page/notes.js";

const EXTENT = 1000;

test("notes are the same again after they were text", () => {
    const notes = [
        { from: 0, to: null, text: "" },
        { from: 5, to: null, text: "a-b = 7 & c: \u00e4 \ud83d\ude00" },
        { from: 5, to: 1000, text: "5-9 looks like a time" },
    ];
    assert.deepEqual(notes_of_text(text_of_notes(notes), EXTENT), notes);
    assert.deepEqual(notes_of_text("", EXTENT), []);
});

test("a note is one line of 200 letters at most, and they are in order of time", () => {
    const text = text_of_notes([{ from: 9, to: null, text: "a\nb\tc\r1 d" + "x".repeat(300) }]);
    assert.ok(text.startsWith("9 a b c 1 dxx"), text);
    assert.equal([...text].length, 202);
    assert.deepEqual(
        notes_of_text("7-9 c\n7-8 b\n3 a", EXTENT).map(note => note.text),
        ["a", "b", "c"],
    );
});

test("what is no note of this run is left out", () => {
    const odd = [
        "1001 late",
        "5-1001 too long",
        "7-7 empty",
        "9-5 back",
        "-3 before",
        "x",
        "1e2 y",
    ];
    assert.deepEqual(notes_of_text(odd.join("\n"), EXTENT), []);
    const many = Array.from({ length: 80 }, (_, i) => `${i} n`).join("\n");
    assert.equal(notes_of_text(many, EXTENT).length, 50);
});

test("a note is of the selected time, else of the strand or the task", () => {
    const data = {
            strand: { start: [10, 20], end: [15, 20] },
            task: { begin: [10, NaN], end: [40, NaN] },
        },
        of = selection =>
            selected_time({
                data,
                selection: { from: null, strand: null, task: null, ...selection },
            });
    assert.deepEqual(of({ from: 1, to: 3, strand: 0 }), { from: 1, to: 3 });
    assert.deepEqual(of({ strand: 0, task: 0 }), { from: 10, to: 15 });
    assert.deepEqual(of({ task: 0 }), { from: 10, to: 40 });
    for (const nothing of [{}, { strand: 1 }, { task: 1 }]) assert.equal(of(nothing), null);
    assert.deepEqual(pointed_instant({ hover: { from: 7.9 } }), { from: 7, to: null });
    assert.equal(pointed_instant({ hover: { from: null } }), null);
});
