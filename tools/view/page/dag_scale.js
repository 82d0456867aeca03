// SPDX-License-Identifier: MIT
// dag_scale.js - what the y axis of the DAG means: rules for dag_layout.js.
//
//  depth                all boxes are of one height: what counts is who comes after whom
//  linear, power, log   time, as in DAGViz: t, t^0.42 or ln t / ln 1.8
//  interval of each: f(end - start); sizes can be compared, and what ran at once need not lie side
//  by side
//  since the start: f(end) - f(start); what ran at once lies side by side
import { tree_times } from "./dag_tree.js";

export const SCALES = ["depth", "linear", "power", "log"];

const HEIGHT = 1500; // of the whole run, where time is y
const CLOSED = { width: 118, height: 34 },
    STRAND = { width: 18, height: 18 },
    LEAST = 4;
const PAD = { top: 20, side: 9, bottom: 9 },
    GAP = 22;

const CURVES = {
    linear: ns => ns,
    power: ns => ns ** 0.42,
    log: ns => Math.log(Math.max(1, ns)) / Math.log(1.8),
};

// A task with more work than those beside it is up to twice as wide, by its share.
function size_of(node) {
    if (node.what === "strand" || node.what === "creates") return STRAND;
    return node.share ? { ...CLOSED, width: CLOSED.width * (1 + node.share) } : CLOSED;
}

// A duration, or time since the start, as a height.
export function scale_height(scale, elapsed) {
    const curve = CURVES[scale],
        most = curve(Math.max(2, elapsed));
    return ns => (curve(Math.max(0, ns)) / most) * HEIGHT;
}

function by_depth() {
    return { size: size_of, gap: () => GAP, pad: PAD, span: null };
}

function by_interval(tree, height) {
    const times = node => tree_times(tree, node);
    return {
        size: node => ({
            width: size_of(node).width,
            height: Math.max(LEAST, height(times(node).end - times(node).start)),
        }),
        gap: (a, b) => LEAST + height(times(b).start - times(a).end),
        pad: PAD,
        span: null,
    };
}

function since_start(tree, height) {
    const span = node => {
        const { start, end } = tree_times(tree, node),
            y = height(start);
        return [y, height(end) - y];
    };
    return { size: size_of, gap: () => 0, pad: { top: 0, side: PAD.side, bottom: 0 }, span };
}

export function scale_rules(tree, scale, is_since) {
    if (scale === "depth") return by_depth();
    const height = scale_height(scale, tree.data.elapsed);
    return is_since ? since_start(tree, height) : by_interval(tree, height);
}
