// SPDX-License-Identifier: MIT
// dag_overlay.js - dependences and signals over the tree, between the nodes in sight that hold
// their ends.
import { NODE, edge_kind } from "./data.js";
import { EDGES } from "./kinds.js";

const KINDS = ["depend", "sync"];

// Those of all strands: { depend, sync }, each { from, to }.
/** @param {Data} data */
export function overlay_edges(data) {
    const found = Object.fromEntries(KINDS.map(kind => [kind, { from: [], to: [] }]));
    const { from, to } = data.extra,
        { flags } = data.strand;
    for (let e = 0; e < to.length; e++) {
        const kind = EDGES[edge_kind(data, from[e], to[e])];
        if (!found[kind] || (flags[from[e]] | flags[to[e]]) & NODE) continue;
        found[kind].from.push(from[e]);
        found[kind].to.push(to[e]);
    }
    return found;
}

// Closed nodes by where their spans begin; of a fold of creations its tasks stand for it.
function spans_of(scene) {
    const spans = [];
    for (const each of scene)
        if (each.place && !each.node.open && each.node.what !== "creates")
            for (const [low, high] of each.node.spans) spans.push({ low, high, each });
    return spans.sort((a, b) => a.low - b.low);
}

function holder(spans, position) {
    let low = 0,
        high = spans.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (spans[middle].low > position) high = middle;
        else low = middle + 1;
    }
    return low && position < spans[low - 1].high ? low - 1 : -1;
}

// { from, to, kind, n } of scene entries; n edges that are one to the eye.
export function overlay_of(scene, order, edges, kinds) {
    const spans = spans_of(scene),
        list = [];
    for (const kind of kinds) {
        const { from, to } = edges[kind],
            found = new Map();
        for (let e = 0; e < to.length; e++) {
            const a = holder(spans, order.position[from[e]]),
                b = holder(spans, order.position[to[e]]);
            if (a < 0 || b < 0 || spans[a].each === spans[b].each) continue;
            const key = a * spans.length + b;
            found.set(key, (found.get(key) ?? 0) + 1);
        }
        for (const [key, n] of found)
            list.push({
                from: spans[Math.floor(key / spans.length)].each,
                to: spans[key % spans.length].each,
                kind,
                n,
            });
    }
    return list;
}
