// SPDX-License-Identifier: MIT
// dag_order.js - all strands in depth-first order of the task tree, so that whatever the DAG shows
// as one node is an interval of that order, and sums over a node are sums over an interval.
//
//  of a strand   itself, then the tasks that it created, one after the other, then its task's next
//                strand
//  next[s]       the next strand of its task; NONE
//  child[s]      the first task that it created; NONE.  sibling[t]: the next one of the same strand
//  position[s]   its place in the order; strand_at[p] is the strand there
//  size[s]       strands from itself to the end of its task, with all tasks created by those
//  tops          tasks that no strand of the page created, in order of their start: first the
//                n_roots that nothing created, then those whose creation is not here
//
// Every edge goes to a larger number (README.md), so two loops suffice: no recursion, no stack.
import { NONE } from "./kinds.js";
import { for_each, for_each_back, finish, stage } from "./steps.js";

// A barrier's node has no place in the tree.
/** @param {Data} data */
function creator_of(data, task) {
    const creator = data.strand.pred[data.task.first[task]];
    return creator === NONE || data.strand.task[creator] === NONE ? NONE : creator;
}

/** @param {Data} data */
function link_strands(order, data) {
    const last = new Uint32Array(data.task.n).fill(NONE);
    return for_each(data.strand.n, s => {
        const task = data.strand.task[s];
        if (task === NONE) return;
        if (last[task] !== NONE) order.next[last[task]] = s;
        last[task] = s;
    });
}

/** @param {Data} data */
function link_tasks(order, data) {
    return for_each_back(data.task.n, t => {
        const creator = data.task.first[t] === NONE ? NONE : creator_of(data, t);
        if (creator === NONE) return;
        order.sibling[t] = order.child[creator];
        order.child[creator] = t;
    });
}

const NOT_RECORDED = 0; // the site of kinds whose creation is lost

// Whether a task that no strand here created had a creator.
/** @param {Data} data */
function is_orphan(data, t) {
    const { parent, kind } = data.task;
    return parent[t] !== NONE || data.kinds?.[kind[t]]?.site === NOT_RECORDED;
}

/** @param {Data} data */
function* find_tops(order, data) {
    const roots = [],
        orphans = [],
        { task } = data.strand;
    yield* for_each(data.strand.n, s => {
        const is_top =
            task[s] !== NONE &&
            data.task.first[task[s]] === s &&
            creator_of(data, task[s]) === NONE;
        if (is_top) (is_orphan(data, task[s]) ? orphans : roots).push(task[s]);
    });
    order.tops = Uint32Array.from([...roots, ...orphans]);
    order.n_roots = roots.length;
}

/** @param {Data} data */
function measure(order, data) {
    return for_each_back(data.strand.n, s => {
        if (data.strand.task[s] === NONE) return;
        let size = 1;
        for (let t = order.child[s]; t !== NONE; t = order.sibling[t])
            size += order.size[data.task.first[t]];
        order.size[s] = size + (order.next[s] === NONE ? 0 : order.size[order.next[s]]);
    });
}

/** @param {Data} data */
function* place(order, data) {
    let p = 0;
    for (const t of order.tops) {
        order.position[data.task.first[t]] = p;
        p += order.size[data.task.first[t]];
    }
    order.n = p;
    yield* for_each(data.strand.n, s => {
        if (data.strand.task[s] === NONE) return;
        p = order.position[s];
        order.strand_at[p++] = s;
        for (let t = order.child[s]; t !== NONE; t = order.sibling[t]) {
            order.position[data.task.first[t]] = p;
            p += order.size[data.task.first[t]];
        }
        if (order.next[s] !== NONE) order.position[order.next[s]] = p;
    });
}

/** @param {Data} data */
export function* order_build(data) {
    const n = data.strand.n;
    const order = {
        next: new Uint32Array(n).fill(NONE),
        child: new Uint32Array(n).fill(NONE),
        sibling: new Uint32Array(data.task.n).fill(NONE),
        size: new Uint32Array(n),
        position: new Uint32Array(n).fill(NONE),
        strand_at: new Uint32Array(n),
        tops: null,
        n_roots: 0,
        n: 0,
    };
    const steps = [link_strands, link_tasks, find_tops, measure, place];
    for (const [i, step] of steps.entries())
        yield* stage(step(order, data), i / steps.length, (i + 1) / steps.length);
    return order;
}

// [low, high): the task and all below it; empty for a task of which there is nothing.
/** @param {Data} data */
export function order_of_task(order, data, task) {
    const first = data.task.first[task];
    if (first === NONE) return { low: 0, high: 0 };
    return { low: order.position[first], high: order.position[first] + order.size[first] };
}

// Whether task `below` is `above`, or below it.
/** @param {Data} data */
export function order_is_below(order, data, below, above) {
    const inner = order_of_task(order, data, below),
        outer = order_of_task(order, data, above);
    return inner.high > inner.low && inner.low >= outer.low && inner.high <= outer.high;
}

// The order of a run, built once: in steps; at once.
/** @param {Data} data */
export function* order_made(data) {
    return (data.order ??= yield* order_build(data));
}

/** @param {Data} data */
export function order_of(data) {
    return finish(order_made(data));
}
