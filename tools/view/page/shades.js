// SPDX-License-Identifier: MIT
// shades.js - what the colour of a strand in the timelines may mean.
//
// Each: { id, text, make(app) -> { shade(strand) -> 0..8 or UNKNOWN, colours: of 0..8, key:
// [[shade, text, selects], ..] } }; selects: the part of a selection that a click on it is, or
// null.
import { BINDING, CRITICAL, PATH } from "./data.js";
import { NONE } from "./kinds.js";
import { time } from "./format.js";
import { class_of_kind, ready_at } from "./pixels.js";
import { value_make, values_of } from "./scg_values.js";
import { finish } from "./steps.js";
import { value_share } from "./scg_layout.js";

const OTHERS = 8;
export const UNKNOWN = 12; // beyond those of states

const kind_of = (data, i) => data.task.kind[data.strand.task[i]];
const kinds_and_others = app => [...app.colour.kinds, app.colour.others];

/** @param {App} app */
function by_kind(app) {
    return {
        shade: i => class_of_kind(app.data, kind_of(app.data, i)),
        colours: kinds_and_others(app),
        key: app.data.leading.map((kind, c) => [c, app.format.kind_at(kind), { kind }]),
    };
}

// Sites of the kinds with most work.
/** @param {App} app */
function by_site(app) {
    const { data } = app,
        sites = [...new Set(data.leading.map(kind => data.kinds[kind].site))].filter(
            site => site >= 0,
        ),
        number = new Map(sites.map((site, c) => [site, c]));
    return {
        shade: i => number.get(data.kinds[kind_of(data, i)].site) ?? OTHERS,
        colours: kinds_and_others(app),
        key: [
            ...sites.map((site, c) => [c, app.format.site(site), { site }]),
            [OTHERS, "others", null],
        ],
    };
}

/** @param {App} app */
function by_creator(app) {
    const { strand, task, rows } = app.data;
    const shade = i => {
        const first = task.first[strand.task[i]],
            pred = first === NONE ? NONE : strand.pred[first];
        return pred === NONE ? OTHERS : strand.row[pred] % OTHERS;
    };
    return {
        shade,
        colours: kinds_and_others(app),
        key: rows.slice(0, OTHERS).map((worker, c) => [c, "worker " + worker, null]),
    };
}

/** @param {App} app */
function by_path(app) {
    const { flags } = app.data.strand,
        { path, critical, binding, others } = app.colour,
        shade = i =>
            flags[i] & PATH ? 0 : flags[i] & CRITICAL ? 1 : flags[i] & BINDING ? 2 : OTHERS;
    return {
        shade,
        colours: [path, critical, binding, others, others, others, others, others, others],
        key: [
            [0, "ready path", null],
            [1, "critical path", null],
            [2, "binding path", null],
            [OTHERS, "none", null],
        ],
    };
}

/** @param {App} app */
function by_state(app) {
    return {
        shade: () => 0,
        colours: Array(OTHERS + 1).fill(app.colour.state("running")),
        key: [[0, "running", null]],
    };
}

const ramp_of = app => Array.from({ length: OTHERS + 1 }, (_, c) => app.colour.ramp(c / OTHERS));

// number(data, strand) -> 0..8, cut off there.
function by_number(number, text) {
    return app => ({
        shade: i => Math.max(0, Math.min(OTHERS, Math.floor(number(app.data, i)))),
        colours: ramp_of(app),
        key: [0, 2, 4, 6, 8].map(c => [c, text(c), null]),
    });
}

/** @param {Data} data */
function waited(data, i) {
    const { releaser, start } = data.strand;
    return releaser[i] === NONE ? 0 : start[i] - ready_at(data, i);
}

// What the consequence graph colours by, too: work stretch, and counters.
function by_value(value) {
    return app => {
        const { of, bounds, log, unit } = finish(value_make(app, value)),
            [low, high] = bounds;
        const text = number =>
            unit === "ns" ? time(number) : `${Number(number.toPrecision(3))} ${unit}`;
        const shade = i => {
            const share = value_share(of(i), bounds, log);
            return Number.isNaN(share) ? UNKNOWN : Math.round(OTHERS * share);
        };
        return {
            shade,
            colours: ramp_of(app),
            key: [
                [0, text(low), null],
                [4, text(log ? Math.sqrt(low * high) : (low + high) / 2), null],
                [OTHERS, text(high), null],
                [UNKNOWN, "not known", null],
            ],
        };
    };
}

const power = c => time(10 ** c);
const OWN = [
    { id: "kind", text: "kind", make: by_kind },
    { id: "site", text: "site of creation", make: by_site },
    { id: "creator", text: "creator's worker", make: by_creator },
    { id: "path", text: "path", make: by_path },
    { id: "state", text: "state", make: by_state },
    {
        id: "depth",
        text: "depth",
        make: by_number((data, i) => data.task.depth[data.strand.task[i]], String),
    },
    {
        id: "ready",
        text: "time ready",
        make: by_number((data, i) => Math.log10(waited(data, i) + 1), power),
    },
    {
        id: "length",
        text: "length",
        make: by_number(
            (data, i) => Math.log10(data.strand.end[i] - data.strand.start[i] + 1),
            power,
        ),
    },
];

/** @param {App} app */
export function shades_of(app) {
    const values = values_of(app).filter(({ id }) => !["kind", "length", "row"].includes(id));
    return [
        ...OWN,
        ...values.map(value => ({ id: value.id, text: value.text, make: by_value(value) })),
    ];
}
