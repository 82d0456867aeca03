// SPDX-License-Identifier: MIT
// sides.js - the runs of a page that holds several, and which kinds of theirs are the same code.
import { read_aside } from "./aside.js";
import { read_json, take_column } from "./blocks.js";
import { base, place } from "./format.js";

export const LETTERS = ["A", "B", "C"];

// { label, letter, summary, data, diff } of each run; diff: of the first run and this one, null for
// the first.
/** @param {App} app */
export async function open_sides(app) {
    const sides = [];
    for (const [i, { label }] of app.sides.entries()) {
        const own = i === app.side,
            meta = own ? app.meta : read_json(i, "meta");
        sides.push({
            label,
            letter: LETTERS[i],
            summary: own ? app.summary : read_json(i, "summary"),
            diff: i ? read_json(i, "diff") : null,
            data: own
                ? app.data
                : await read_aside(
                      app.script,
                      meta,
                      name => take_column(i, name),
                      () => app.slice(),
                  ),
        });
    }
    return sides;
}

// The line counts only where a run has several kinds of that name in that file: it moves from
// version to version.
/** @param {Data} data */
export function key_of_kind(data, k) {
    const name_of = kind => JSON.stringify([kind.name, base(kind.file || kind.module)]);
    data.kinds_of_name ??= data.kinds.reduce(
        (n, kind) => n.set(name_of(kind), (n.get(name_of(kind)) ?? 0) + 1),
        new Map(),
    );
    const name = name_of(data.kinds[k]);
    return data.kinds_of_name.get(name) > 1 ? name + data.kinds[k].line : name;
}

// Map of a kind's key to [colour, place], the same code of the same colour in all runs.  Kinds of
// the run that the other views show keep their colours; the others get those that are left.
/** @param {App} app */
export function colours_of_kinds(app, sides) {
    const all = new Map(),
        free = [...app.colour.kinds];
    for (const data of [app.data, ...sides.map(side => side.data)]) {
        for (const k of data.leading) {
            const key = key_of_kind(data, k);
            if (!all.has(key))
                all.set(key, [free.shift() ?? app.colour.others, place(data.kinds[k])]);
        }
    }
    return all;
}
