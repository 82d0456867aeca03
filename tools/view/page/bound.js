// SPDX-License-Identifier: MIT
// bound.js - who bound the start of a strand (SCG of Engelhardt, Halle, Juurlink; shared words:
// DESIGN).
//
// A strand starts when its last predecessor has ended (R), its worker has ended the strand before
// (W), and the runtime has brought them together:
//
//  R > W   bound by the application, R - W of its worker's time; the edge says by which rule
//  else    bound by its worker, W - R of the strand's time; it lay ready meanwhile
//  start - max(R, W)   bound by the runtime
//
// R is known only where a strand's end released it, and not a message, a device or a thread; R and
// W only where the page has all strands since.
import { NODE, is_whole } from "./data.js";
import { EDGES, NONE } from "./kinds.js";
import { first_above } from "./levels.js";
import { outside_of } from "./pixels.js";
import { for_each, finish, stage } from "./steps.js";

// The strand whose end let this one start: barriers stand for the last that came to them; NONE.
/** @param {Data} data */
export function source_of(data, s) {
    const { releaser, flags } = data.strand;
    let from = releaser[s];
    while (from !== NONE && flags[from] & NODE) from = releaser[from];
    return from;
}

const before = new WeakMap();

// Of each strand the one before it on its row; NONE.
/** @param {Data} data */
export function* before_made(data) {
    if (!before.has(data)) {
        const column = new Uint32Array(data.strand.n).fill(NONE),
            n_rows = data.rows.length;
        for (const [row, list] of data.row_strands.entries())
            yield* stage(
                for_each(list.length, i => {
                    if (i) column[list[i]] = list[i - 1];
                }),
                row / n_rows,
                (row + 1) / n_rows,
            );
        before.set(data, column);
    }
    return before.get(data);
}

/** @param {Data} data */
export function before_on_row(data) {
    return finish(before_made(data));
}

/** @param {Data} data */
function by_of(data, s, source, last, is_kept) {
    const { end } = data.strand;
    if (outside_of(data, s)) return "outside";
    if (!is_kept) return "left";
    if (source === NONE) return last === NONE ? "start" : "unknown";
    return last !== NONE && end[last] >= end[source] ? "worker" : "application";
}

// { by, cause, ready, free, waited, latency }: by "application" or "worker"; or, where it is not
// known to have been ready before it began, "start" (of the run), "outside", "unknown" (nothing
// recorded released it) or "left" (out: the page does not have all strands before it).  cause: the
// strand that it waited for last, NONE.  waited: R - W or W - R.
/** @param {Data} data */
export function bound_of(data, s) {
    const { start, end } = data.strand,
        source = source_of(data, s),
        last = before_on_row(data)[s];
    const released = source === NONE ? 0 : end[source],
        free = last === NONE ? 0 : end[last],
        is_kept = is_whole(data, Math.min(released, free), start[s]),
        by = by_of(data, s, source, last, is_kept),
        cause = last !== NONE && free >= released ? last : source;
    const ready = by === "worker" || by === "application" ? released : start[s];
    return {
        by,
        cause: is_kept ? cause : NONE,
        ready,
        free,
        waited: Math.abs(ready - free),
        latency: Math.max(0, start[s] - Math.max(ready, free)),
    };
}

// From a strand back, each time to what bound it: the path that follows dependences and workers
// (WoolPlot).
/** @param {Data} data */
export function binding_path(data, s, most = 5000) {
    const path = [];
    for (let at = s; at !== NONE && path.length < most; at = bound_of(data, at).cause)
        path.push(at);
    return path;
}

// Over all strands that start in [from, to), by edge: { edge, n, application, worker, latency },
// sums in ns.
/** @param {Data} data */
export function* bound_sums(data, from, to) {
    const sums = EDGES.map(edge => ({ edge, n: 0, application: 0, worker: 0, latency: 0 }));
    const { start, edge, task } = data.strand,
        first = first_above(start, from - 1);
    yield* for_each(first_above(start, to) - first, i => {
        const s = first + i;
        if (start[s] < from || start[s] >= to || task[s] === NONE) return;
        const bound = bound_of(data, s),
            sum = sums[edge[s]];
        // of no edge, or by none of both: it is not known what bound it
        if (sum?.[bound.by] === undefined) return;
        sum.n++;
        sum[bound.by] += bound.waited;
        sum.latency += bound.latency;
    });
    return sums;
}
