// SPDX-License-Identifier: MIT
// timelines_bar.js - the bar above the timelines: colours of strands, arcs, paths and CPU times.
import { BINS } from "./data.js";
import { CPU_KEY } from "./cpu.js";
import { ARROWS, N_OF_ARROW, OWN, colour_of_arrow } from "./arcs.js";
import {
    box,
    box_of,
    choice_in_list,
    el,
    fill,
    key_name,
    link_button,
    options_in,
    swatch,
} from "./dom.js";
import { count } from "./format.js";
import { PATHS } from "./path_lines.js";
import { UNKNOWN } from "./shades.js";

const ARROW_TITLES = {
    steal: "a strand released by a creation begins on another worker: from the victim to the thief",
    leap:
        "steals by a worker whose task waits, from the worker that runs a child which it " +
        "waits for",
};

const N_FIRST = 3; // kinds before the states
/** @type {[string, number, string][]} */
const STATES = [
    ["blocked", BINS.blocked, "blocked"],
    ["runtime", BINS.runtime, "in the runtime"],
    ["tracer", BINS.tracer, "held by tptrace"],
];

// Colours by number: those of strands, then those of states.
/** @param {App} app */
export function palette(app, shades) {
    const list = [...shades.colours];
    list[BINS.runtime] = app.colour.runtime;
    list[BINS.blocked] = app.colour.blocked;
    list[BINS.tracer] = app.colour.tracer;
    list[UNKNOWN] = app.colour.others;
    return list;
}

function arrow_boxes({ app, arrows }) {
    const colour_of = id => (arrows.has(id) || id === "leap" ? colour_of_arrow(app, id) : null);
    const is_there = id => !N_OF_ARROW[id] || app.summary[N_OF_ARROW[id]] > 0,
        boxes = Object.entries(ARROWS)
            .filter(([id]) => is_there(id))
            .map(([id, text]) => {
                const n = N_OF_ARROW[id] ? ` ${count(app.summary[N_OF_ARROW[id]])}` : "";
                return box_of(app, arrows, id, text + n, colour_of(id), ARROW_TITLES[id] ?? null);
            });
    const own = "creates, joins and dependences also where they lead from a worker to itself";
    return [...boxes, box_of(app, arrows, OWN, "own worker", null, own)];
}

function path_boxes({ app, paths }) {
    return Object.entries(PATHS).map(([id, of]) =>
        box_of(app, paths, id, of.text, app.colour[of.colour], of.title(app.summary)),
    );
}

function cpu_boxes(it) {
    const { app } = it;
    const change = event => {
        it.cpu = event.target.checked;
        app.dirty();
    };
    const title =
        "below each row, as the kernel says: had a CPU, waited for one, or neither (slept)";
    return [
        box("CPU", it.cpu, change, null, title),
        ...CPU_KEY.map(([id, text]) =>
            el("span", { class: "key-of" }, swatch(app.colour.cpu[id]), text),
        ),
    ];
}

// An entry of the key; it selects `part`, or nothing if that is selected.
/** @param {App} app */
function key_entry(app, colour, text, part) {
    if (!part) return el("li", {}, [swatch(colour), key_name(text)]);
    const select = () => {
        const is_on = Object.entries(part).every(([key, value]) => app.selection[key] === value);
        const none = { kind: null, site: null, task: null, strand: null };
        app.select(is_on ? none : { ...none, ...part });
    };
    return el("li", {}, link_button([swatch(colour), key_name(text)], select));
}

// What has no room in the line is behind a button: states stand before all but the first.
function key_of({ app, shades }) {
    const colours = palette(app, shades),
        entries = shades.key.map(([shade, text, part]) =>
            key_entry(app, colours[shade], text, part),
        );
    return el(
        "ul",
        { class: "key" },
        entries.slice(0, N_FIRST),
        STATES.filter(([, c]) => app.data.levels.rows.some(row => row[c].total > 0)).map(
            ([name, , text]) => el("li", {}, swatch(app.colour[name]), text),
        ),
        el("li", {}, swatch(app.colour.no_work, true), "starved"),
        entries.slice(N_FIRST),
    );
}

function colour_choice(it) {
    const list = it.choices.map(({ id, text }) => [id, text]);
    return choice_in_list("colour of strands", list, it.by, by => {
        it.by = by;
        it.dress();
        it.app.dirty();
    });
}

// it: the Timelines of timelines.js.
export function draw_bar(it) {
    fill(
        it.bar,
        el("label", {}, "colour by ", colour_choice(it)),
        key_of(it),
        options_in(it.bar, "lines", "arcs, paths and CPU times in the timelines", [
            arrow_boxes(it),
            path_boxes(it),
            it.has_cpu ? cpu_boxes(it) : null,
        ]),
    );
}
