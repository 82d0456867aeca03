// SPDX-License-Identifier: MIT
// dag_link.js - what the URL holds of the DAG: choices of its bar, what is open, and where it
// looks.
import { keep_numbers, keep_one, keep_some } from "./link.js";
import { camera_numbers, camera_take } from "./dag_camera.js";
import { SCALES } from "./dag_scale.js";
import { tree_nodes } from "./dag_tree.js";

function keep_choices(dag) {
    const { app } = dag,
        dress = () => {
            dag.overlay = null;
            dag.dress();
        };
    keep_one(
        app,
        "dag_y",
        SCALES,
        () => dag.scale,
        id => {
            dag.scale = id;
            dress();
            dag.arrange(null);
        },
    );
    keep_one(
        app,
        "dag_since",
        [true, false],
        () => dag.is_since,
        is_since => {
            dag.is_since = is_since;
            dag.arrange(null);
        },
    );
    keep_one(
        app,
        "dag_colour",
        ["worker", "kind"],
        () => dag.colour_by,
        id => {
            dag.colour_by = id;
            dress();
        },
    );
    keep_some(
        app,
        "dag_edges",
        Object.keys(dag.shows),
        name => dag.shows[name],
        (name, is_shown) => {
            dag.shows[name] = is_shown;
            dress();
        },
    );
}

function keep_place(dag) {
    const { app } = dag;
    app.link.keep(
        "dag_open",
        () => dag.open_text(),
        text => dag.take_open(text),
    );
    keep_numbers(
        app,
        "dag_node",
        1,
        () => dag.picked_number(),
        numbers => {
            dag.later(() => {
                const node = numbers ? tree_nodes(dag.tree.root)[numbers[0]] : null;
                if (node) Object.assign(dag, { picked: node, usual_node: null });
            });
        },
    );
    keep_numbers(
        app,
        "dag_replay",
        1,
        () => (dag.replay.at === null ? null : [dag.replay.at]),
        numbers => {
            if (numbers || dag.replay.at !== null) dag.replay.move(numbers ? numbers[0] : null);
        },
    );
    app.link.keep(
        "dag_all",
        () => (dag.aim === "all" ? "true" : ""),
        text => {
            dag.later(() => {
                if (text === "true") dag.aim = "all";
            });
        },
    );
    keep_numbers(
        app,
        "dag_at",
        4,
        () => (dag.aim ? null : camera_numbers(dag.camera)),
        numbers => {
            dag.later(() => {
                if (numbers && camera_take(dag.camera, numbers)) dag.aim = null;
            });
        },
    );
}

// dag: the Dag of dag.js.
export function keep_dag(dag) {
    keep_choices(dag);
    keep_place(dag);
}
