// SPDX-License-Identifier: MIT
// scg_values.js - what the consequence graph may colour work by: a number of each strand, with
// bounds and a unit.
import { before_made } from "./bound.js";
import { NODE } from "./data.js";
import { COLLAPSED, FIRST } from "./kinds.js";
import { order_made } from "./dag_order.js";
import { class_of_kind } from "./pixels.js";
import { column_sums, lines_build, value_bounds } from "./scg_layout.js";
import { for_each, stage } from "./steps.js";
import { constraints_of, levels_of, scope_of } from "./ucc_layout.js";

const SAMPLES = 200000; // strands that medians are taken of

// Strands of one kind that begin and end alike do alike: a leaf is compared with leaves.
/** @param {Data} data */
function likeness(data, s) {
    return (
        data.task.kind[data.strand.task[s]] * 32 +
        (data.strand.flags[s] & FIRST ? 16 : 0) +
        data.strand.ended_by[s]
    );
}

/** @param {Data} data */
function* usual_lengths(data) {
    const lengths = new Map(),
        step = Math.ceil(data.strand.n / SAMPLES);
    yield* for_each(Math.ceil(data.strand.n / step), i => {
        const s = i * step;
        if (data.strand.flags[s] & (NODE | COLLAPSED)) return;
        const key = likeness(data, s),
            list = lengths.get(key) ?? lengths.set(key, []).get(key);
        list.push(data.strand.end[s] - data.strand.start[s]);
    });
    for (const [key, list] of lengths)
        lengths.set(key, Float64Array.from(list).sort()[list.length >> 1]);
    return lengths;
}

// Its length over the median of its like: how much it was stretched.
export function* stretch_of({ data }) {
    const usual = yield* usual_lengths(data);
    return s => {
        const median = data.strand.flags[s] & COLLAPSED ? 0 : usual.get(likeness(data, s));
        return median > 0 ? (data.strand.end[s] - data.strand.start[s]) / median : NaN;
    };
}

function length_of({ data }) {
    return s => data.strand.end[s] - data.strand.start[s];
}

// How far down its unit lies in the constraints of the whole run: tells depth-first from
// breadth-first.
function* row_of({ data }) {
    const order = yield* stage(order_made(data), 0, 0.3),
        scope = yield* stage(scope_of(data, order, {}), 0.3, 0.4),
        graph = yield* stage(constraints_of(data, scope), 0.4, 0.7),
        weight = new Float64Array(graph.n),
        { row } = yield* stage(levels_of(graph, weight, false), 0.7, 1);
    return s => row[s] + 1;
}

// Its place among the kinds with most work: no number, and of the kinds' own colours.
function kind_of({ data }) {
    return s => class_of_kind(data, data.task.kind[data.strand.task[s]]);
}

const VALUES = [
    {
        id: "kind",
        text: "kind",
        hint: "the kinds with most work in the colours that they have in all views",
        unit: "",
        log: false,
        make: kind_of,
        of_kinds: true,
    },
    {
        id: "stretch",
        text: "work stretch",
        hint: "length over the median of strands of its kind that begin and end alike",
        unit: "\u00d7",
        log: true,
        make: stretch_of,
        around: 2,
    },
    { id: "length", text: "length", hint: "of the strand", unit: "ns", log: true, make: length_of },
    {
        id: "row",
        text: "dependence step",
        hint: "how far down it lies in Dependences, of the whole run",
        unit: "",
        log: false,
        make: row_of,
    },
];

const INSTRUCTIONS = "PAPI_TOT_INS",
    CYCLES = "PAPI_TOT_CYC";

// A counter over another number of the strand.
function rate(id, text, hint, unit, make) {
    return {
        id,
        text,
        hint,
        unit,
        log: false,
        make:
            ({ data }) =>
            s => {
                const [part, whole] = make(data, s);
                return whole > 0 ? part / whole : NaN;
            },
    };
}

const length = (data, s) => data.strand.end[s] - data.strand.start[s];

// Of a counter: per 1000 instructions where these were counted, per cycle for instructions
// themselves, else by time.
function rate_of(counter, counters) {
    const { name, unit, of } = counter,
        by = counters.find(other => other.name === (name === INSTRUCTIONS ? CYCLES : INSTRUCTIONS));
    if (unit === "ns")
        return rate(name, name, `${name} of the strand's time`, "of its time", (data, s) => [
            of[s],
            length(data, s),
        ]);
    if (by && name === INSTRUCTIONS)
        return rate(name, "instructions per cycle", "of the strand", "", (data, s) => [
            of[s],
            by.of[s],
        ]);
    if (by && name !== CYCLES)
        return rate(name, `${name} per 1000 instructions`, "of the strand", "", (data, s) => [
            1000 * of[s],
            by.of[s],
        ]);
    return rate(name, `${name} per us`, "of the strand's time", "/us", (data, s) => [
        1000 * of[s],
        length(data, s),
    ]);
}

// Counters, where the trace has them, come first.
/** @param {App} app */
export function values_of(app) {
    const counters = app.data.counters ?? [];
    return [...counters.map(counter => rate_of(counter, counters)), ...VALUES];
}

// { id, text, unit, log, of(strand), bounds }; where it is `log`, means are those of logarithms.
/** @param {App} app */
export function* value_make(app, value) {
    const made = value.make(app), // in steps, or at once
        raw = typeof made === "function" ? made : yield* made,
        { data } = app,
        of = s => (data.strand.flags[s] & NODE ? NaN : raw(s));
    return { ...value, of, bounds: value_bounds(data.strand.n, of, value.around) };
}

// { lines, value, sums } of the graph that is coloured by a value; lines: of before, or null.
/** @param {App} app */
export function* coloured_by(app, wanted, known) {
    const { data } = app,
        lines = known ?? (yield* stage(lines_build(data), 0, 0.3));
    yield* stage(before_made(data), 0.3, 0.4);
    const value = yield* stage(value_make(app, wanted), 0.4, 0.7),
        of = value.log ? s => Math.log(value.of(s)) : value.of,
        sums = [],
        share = 0.3 / data.rows.length;
    for (const row of data.row_strands.keys()) {
        const from = 0.7 + row * share;
        sums.push(yield* stage(column_sums(data, row, of), from, from + share));
    }
    return { lines, value, sums };
}
