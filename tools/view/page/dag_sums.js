// SPDX-License-Identifier: MIT
// dag_sums.js - exact sums over intervals of the depth-first order (dag_order.js), in blocks: a
// query adds up whole blocks, and strands only at its two ends.
//
//  start, end    ns; of all strands in the interval
//  work          ns; a collapsed strand counts what it stands for
//  tasks         that begin in it, collapsed ones with those below them
//  strands
//  path          of which on the ready path
//  by_row        Float64Array: work by row, of strands that are on the page
//  left_tasks, left_work   what of tasks and work is below its strands, and not on the page

import { for_each } from "./steps.js";

const LEAST = 256; // strands of a block
const CELLS = 1 << 21; // blocks x rows, at most about so many

function block_strands(n, n_rows) {
    let strands = LEAST;
    while ((n / strands) * n_rows > CELLS) strands *= 2;
    return strands;
}

/** @param {Data} data */
function work_of(data, s) {
    const collapsed = data.collapsed.get(s);
    return collapsed ? collapsed.work : data.strand.end[s] - data.strand.start[s];
}

/** @param {Data} data */
function tasks_of(data, s) {
    const collapsed = data.collapsed.get(s);
    return (data.task.first[data.strand.task[s]] === s ? 1 : 0) + (collapsed ? collapsed.tasks : 0);
}

// Those of numbers, which blocks have, too.
const NUMBERS = ["start", "end", "work", "tasks", "strands", "path", "left_tasks", "left_work"];

function empty_sum(n_rows) {
    return {
        start: Infinity,
        end: -Infinity,
        work: 0,
        tasks: 0,
        strands: 0,
        path: 0,
        left_tasks: 0,
        left_work: 0,
        by_row: new Float64Array(n_rows),
    };
}

function add_left(sum, { left }, s) {
    const i = left ? left.of[s] : 0;
    if (!i) return;
    sum.start = Math.min(sum.start, left.start[i]);
    sum.end = Math.max(sum.end, left.end[i]);
    sum.work += left.work[i];
    sum.tasks += left.tasks[i];
    sum.strands += left.strands[i];
    sum.left_tasks += left.tasks[i];
    sum.left_work += left.work[i];
}

function add_own(sum, sums, s) {
    const data = sums.data;
    const work = work_of(data, s);
    sum.start = Math.min(sum.start, data.strand.start[s]);
    sum.end = Math.max(sum.end, data.strand.end[s]);
    sum.work += work;
    sum.tasks += tasks_of(data, s);
    sum.strands++;
    if (data.strand.flags[s] & sums.on_path) sum.path++;
    sum.by_row[data.strand.row[s]] += work;
}

function add_strand(sum, sums, s) {
    add_own(sum, sums, s);
    add_left(sum, sums.data, s);
}

// Of a strand alone; of what is below it and not on the page, or, of strand n, below none.
export function sums_own(sums, s) {
    const sum = empty_sum(sums.n_rows);
    add_own(sum, sums, s);
    return sum;
}

export function sums_left(sums, s, sum = empty_sum(sums.n_rows)) {
    add_left(sum, sums.data, s);
    return sum;
}

function add_block(sum, sums, b) {
    sum.start = Math.min(sum.start, sums.start[b]);
    sum.end = Math.max(sum.end, sums.end[b]);
    sum.work += sums.work[b];
    sum.tasks += sums.tasks[b];
    for (const name of ["path", "strands", "left_tasks", "left_work"]) sum[name] += sums[name][b];
    for (let row = 0; row < sums.n_rows; row++)
        sum.by_row[row] += sums.by_row[b * sums.n_rows + row];
}

function fill_block(sums, b) {
    const sum = empty_sum(sums.n_rows),
        from = b * sums.block;
    for (let p = from; p < from + sums.block; p++) add_strand(sum, sums, sums.order.strand_at[p]);
    for (const name of NUMBERS) sums[name][b] = sum[name];
    sums.by_row.set(sum.by_row, b * sums.n_rows);
}

// on_path: the flag of strands on the ready path.
/** @param {Data} data */
export function* sums_build(data, order, on_path = 0) {
    const n_rows = data.rows.length,
        block = block_strands(order.n, n_rows);
    const n = Math.floor(order.n / block);
    const sums = { data, order, on_path, n_rows, block, by_row: new Float64Array(n * n_rows) };
    for (const name of NUMBERS) sums[name] = new Float64Array(n);
    yield* for_each(n * block, p => p % block === 0 && fill_block(sums, p / block));
    return sums;
}

// Adds [low, high) to a sum, a new one by default.
export function sums_of(sums, low, high, sum = empty_sum(sums.n_rows)) {
    const { block, order } = sums;
    let p = low;
    while (p < high) {
        if (p % block === 0 && p + block <= high) {
            add_block(sum, sums, p / block);
            p += block;
        } else add_strand(sum, sums, order.strand_at[p++]);
    }
    return sum;
}
