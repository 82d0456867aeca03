// SPDX-License-Identifier: MIT
// compare_table.js - what `tptrace diff` found, as rows: each run's value, and what it gained or
// lost against the first.
import { count, place, share, time } from "./format.js";

const COMPONENTS = ["work_ns", "delay_ns", "no_work_sched_ns", "no_work_app_ns"];
const sum = of => (of ? COMPONENTS.reduce((all, key) => all + of[key], 0) : 0);
const one = key => of => (of ? of[key] : 0);

// value(row.a): what a list is about
export const LISTS = {
    component: {
        title: "component",
        hint: "what elapsed time times workers consists of, and counts",
    },
    kinds: { title: "kind", hint: "the code that tasks run", value: sum },
    places: { title: "site", hint: "the place that creates tasks", value: sum },
    paths: { title: "path", hint: "the chain of creators", value: sum },
    findings: { title: "finding", hint: "causes of lost time", value: one("lost_ns") },
    locks: { title: "lock", hint: "time that tasks waited for a lock", value: one("wait_ns") },
    waits: { title: "wait", hint: "places that wait for tasks", value: one("wait_ns") },
};
const FIGURES = {
    elapsed_ns: "elapsed",
    cumulative_ns: "elapsed \u00d7 workers",
    work_ns: "work",
    delay_ns: "delay",
    no_work_sched_ns: "no-work-sched",
    no_work_app_ns: "no-work-app",
    span_ns: "span",
    path_work_ns: "work on the ready path",
    tasks: "tasks",
    strands: "strands",
    steals: "steals",
    migrations: "migrations",
};

function component_rows(diffs) {
    return Object.entries(FIGURES).map(([key, name]) => ({
        name,
        is_time: key.endsWith("_ns"),
        values: [diffs[0].sides[0][key], ...diffs.map(diff => diff.sides[1][key])],
        changes: diffs.map(diff => diff.delta[key]),
    }));
}

// A row that a comparison lacks is 0 in both of its runs.
function list_rows(diffs, list) {
    const { value } = LISTS[list],
        rows = new Map();
    diffs.forEach((diff, d) => {
        for (const of of diff[list]) {
            const key = JSON.stringify([of.id, of.what, of.name, of.file, of.module, of.line]);
            const row = rows.get(key) ?? {
                name: of.id ?? of.name ?? of.what ?? "?",
                at: of.id && of.name ? place(of) : of,
                of,
                is_time: true,
                values: new Array(diffs.length + 1).fill(0),
                changes: new Array(diffs.length).fill(0),
                parts: {},
            };
            row.values[0] = value(of.a);
            row.values[d + 1] = value(of.b);
            row.changes[d] = value(of.delta);
            if (diffs.length === 1 && value === sum) row.parts = of.delta;
            rows.set(key, row);
        }
    });
    const most = row => Math.max(...row.changes.map(Math.abs));
    return [...rows.values()].sort((a, b) => most(b) - most(a));
}

// [{ name, of, is_time, values: [by run], changes: [by run but the first] }, ..], what changed most
// first.
export function rows_of(diffs, list) {
    return list === "component" ? component_rows(diffs) : list_rows(diffs, list);
}

export function text_of(row, value) {
    return row.is_time ? time(value) : count(value);
}

// "+1.20 ms", "\u22121.20 ms", "0"
export function change_text(row, change) {
    return (change > 0 ? "+" : change < 0 ? "\u2212" : "") + text_of(row, Math.abs(change));
}

// "+12 %" of what it was, "\u00d712" where it is so many times; "new" or "gone" where one of them
// has none.
export function ratio_text(before, change) {
    if (change === 0) return "";
    if (before === 0) return "new";
    if (before + change === 0) return "gone";
    if (change >= 9 * before) return "\u00d7" + count((before + change) / before);
    return (change > 0 ? "+" : "\u2212") + share(Math.abs(change) / before);
}
