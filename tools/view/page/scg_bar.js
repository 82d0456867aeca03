// SPDX-License-Identifier: MIT
// scg_bar.js - the bar above the scheduling consequence graph: what colours and lines mean; and
// what the URL holds of it.
import { before_made, bound_sums } from "./bound.js";
import { button, choice_in_list, el, fill, group, keys, swatch } from "./dom.js";
import { EDGES } from "./kinds.js";
import { keep_numbers, keep_one, keep_some } from "./link.js";
import { values_of } from "./scg_values.js";
import { stage } from "./steps.js";

const IN_COLUMNS = [
    ["within", "lines for what was released on its own worker", "own worker"],
    ["control", "from each strand of a task to its next", "same task"],
    ["worker", "from each strand to the next of its worker", "same worker"],
];

function toggle(scg, name, title, text, tint = null) {
    return button([tint ? swatch(tint) : null, " ", text], () => scg.turn(name), {
        "aria-pressed": String(scg.shows[name]),
        title,
    });
}

function edges(scg) {
    const { data, colour } = scg.app,
        is_used = (_, e) =>
            data.levels ? data.levels.ready[e].total > 0 || data.strand.edge.includes(e) : true;
    return EDGES.filter(is_used).map(edge => {
        const text = edge.replace("_", "-"),
            title = `lines for what a ${text} edge released on another worker`;
        return toggle(scg, edge, title, text, colour.edge(edge));
    });
}

function value_choice(scg) {
    const list = values_of(scg.app).map(({ id, hint, text }) => [id, text, hint]);
    return choice_in_list("colour by", list, scg.wanted.id, id => scg.set_value(id));
}

function scale({ app }) {
    const label = "from blue over yellow to red",
        node = el("span", { class: "scale", role: "img", "aria-label": label });
    node.style.backgroundImage =
        "linear-gradient(to right, " + `${[0, 0.25, 0.5, 0.75, 1].map(app.colour.ramp).join()})`;
    return node;
}

function bound_input(scg, i) {
    const input = el("input", {
        type: "number",
        step: "any",
        value: String(Number(scg.bounds[i].toPrecision(4))),
        "aria-label": i ? "value of pure red" : "value of pure blue",
    });
    input.style.width = "6.5em";
    input.addEventListener("change", () => {
        const value = Number(input.value);
        if (input.value !== "" && Number.isFinite(value)) scg.bounds[i] = value;
        scg.app.dirty();
    });
    return input;
}

// scg: the Scg of scg.js.
export function keep_scg(scg) {
    const { app } = scg,
        values = values_of(app);
    keep_one(
        app,
        "scg_value",
        values.map(value => value.id),
        () => scg.wanted.id,
        id => scg.set_value(id),
    );
    keep_numbers(
        app,
        "scg_bounds",
        2,
        () => scg.bounds_set(),
        numbers => scg.set_bounds(numbers),
    );
    keep_some(
        app,
        "scg_lines",
        Object.keys(scg.shows),
        name => scg.shows[name],
        (name, is_shown) => {
            scg.shows[name] = is_shown;
            scg.tell();
        },
    );
    keep_numbers(
        app,
        "scg_columns",
        1,
        () => (scg.shift > 0 ? [scg.shift] : null),
        numbers => {
            scg.shift = numbers ? numbers[0] : 0;
        },
    );
}

export function draw_bar(scg) {
    const { colour } = scg.app,
        path = "back from the selected strand, each time to what bound its start";
    fill(
        scg.bar,
        el("h2", {}, "Why late"),
        el("label", {}, "colour by", value_choice(scg)),
        scg.value.of_kinds
            ? null
            : [
                  el("label", {}, "blue", bound_input(scg, 0)),
                  scale(scg),
                  el("label", {}, "red", bound_input(scg, 1), scg.value.unit),
              ],
        group("lines", edges(scg)),
        group("lines in columns", [
            ...IN_COLUMNS.map(([name, title, text]) => toggle(scg, name, title, text)),
            toggle(scg, "path", path, "binding path", colour.path),
        ]),
        keys([
            ["in the runtime", colour.runtime],
            ["blocked", colour.blocked],
            ["idle", colour.idle],
        ]),
    );
}

// The table for who does not see the picture.
/** @param {App} app */
export function* scg_rows(app) {
    const { time, count } = app.format;
    yield* stage(before_made(app.data), 0, 0.5);
    const sums = yield* stage(bound_sums(app.data, app.time.from, app.time.to), 0.5, 1);
    return {
        caption: "who bound the start of strands in sight, by the edge that released them",
        head: [
            "edge",
            "strands",
            "workers waited for it",
            "it waited for its worker",
            "in the runtime",
        ],
        rows: sums
            .filter(sum => sum.n)
            .map(sum => [
                sum.edge,
                count(sum.n),
                time(sum.application),
                time(sum.worker),
                time(sum.latency),
            ]),
    };
}
