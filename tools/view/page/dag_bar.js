// SPDX-License-Identifier: MIT
// dag_bar.js - the bar above the DAG: levels, what y and colours mean, edges, the replay.
import { EDGE } from "./kinds.js";
import { button, choice, el, fill, group, link_button } from "./dom.js";
import { SCALES } from "./dag_scale.js";
import { tree_nodes } from "./dag_tree.js";

const EDGES = [
    ["join", "from a task to what waited for it"],
    ["depend", "data dependences"],
    ["sync", "locks, full/empty bits, signals"],
    ["path", "outlines what the ready path goes through"],
];
const SINCE = [
    [true, "since start", "what ran at once lies side by side"],
    [false, "each", "sizes of nodes can be compared"],
];
const COLOURS = [
    ["kind", "as timelines", "the colours of the timelines"],
    ["worker", "worker", "mixed where several ran it"],
];

function levels(dag) {
    return group(
        "levels",
        button("expand", () => dag.step_level(true), {
            title: "open all nodes in sight by one level (X)",
        }),
        button("collapse", () => dag.step_level(false), { title: "close the innermost level (C)" }),
        button("fit", () => dag.fit_all(), { title: "show all of it (Z)" }),
    );
}

function edges(dag) {
    return group(
        "edges",
        EDGES.map(([name, title]) =>
            button(name === "path" ? "ready path" : name, () => dag.turn(name), {
                "aria-pressed": String(dag.shows[name]),
                title,
            }),
        ),
    );
}

function scales(dag) {
    const meaning = id => (id === "depth" ? "who comes after whom" : `time, ${id}`),
        list = SCALES.map(id => [id, id, meaning(id)]);
    return [
        choice("what y means", list, dag.scale, id => dag.set("scale", id)),
        dag.scale === "depth"
            ? null
            : choice("time of", SINCE, dag.is_since, id => dag.set("is_since", id)),
    ];
}

// dag: the Dag of dag.js.  Gives the button of the replay.
export function draw_bar(dag) {
    const { app, replay } = dag,
        { count } = app.format;
    const replays = button("replay", () => replay.turn(replay.at === null), {
        title: "shows how far the run was at an instant (R)",
        "aria-pressed": String(replay.at !== null),
    });
    const colour = choice("colour", COLOURS, dag.colour_by, id => {
        dag.colour_by = id;
        dag.dress();
        app.dirty();
    });
    const has_depend = app.data.levels.ready[EDGE.DEPEND].total > 0,
        to_tasks = link_button("Dependences", () => app.show("ucc"));
    fill(
        dag.bar,
        el("h2", {}, "DAG"),
        levels(dag),
        scales(dag),
        colour,
        edges(dag),
        replays,
        el(
            "span",
            { class: "hint" },
            `${count(tree_nodes(dag.tree.root).length)} nodes in sight of ` +
                `${count(dag.tree.order.n)} strands; double click opens and closes`,
            has_depend ? ["; what data the tasks wait for is in ", to_tasks] : null,
        ),
    );
    return replays;
}
