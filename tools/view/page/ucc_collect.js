// SPDX-License-Identifier: MIT
// ucc_collect.js - what the unit and constraint collection holds: units with their lengths, what
// orders them, and where each lies.
import { for_each, stage } from "./steps.js";
import {
    columns_by_row,
    columns_by_time,
    columns_in_middle,
    constraints_of,
    dependences_of,
    levels_of,
    scope_of,
    width_by_row,
    width_by_time,
} from "./ucc_layout.js";

export const UNITS_MOST = 20000; // that are laid out one by one
const BINS = 600,
    LINES = 5000; // more than any screen has, a multiple of the rows of the table

// Of a task, where units are tasks; of a strand.
/** @param {Data} data */
export function length_of(data, s, is_depend) {
    const { strand, task, collapsed } = data;
    return is_depend
        ? task.work[strand.task[s]]
        : (collapsed.get(s)?.span ?? strand.end[s] - strand.start[s]);
}

// { is_depend, units, graph, weight, total }
/** @param {Data} data */
export function* collect(data, order, scope, is_depend) {
    const all = yield* stage(scope_of(data, order, scope), 0, 0.2),
        { units, graph } = is_depend
            ? yield* stage(dependences_of(data, all), 0.2, 0.8)
            : { units: all, graph: yield* stage(constraints_of(data, all), 0.2, 0.8) },
        weight = new Float64Array(units.length);
    let total = 0;
    const weigh = i => {
        total += weight[i] = length_of(data, units[i], is_depend);
    };
    yield* stage(for_each(units.length, weigh), 0.8, 1);
    return { is_depend, units, graph, weight, total };
}

// { of, each }: the most in each so many, so that there are at most n of them.
function* most_of(width, n) {
    const step = Math.ceil(width.length / n) || 1,
        of = new Float64Array(Math.ceil(width.length / step));
    yield* for_each(width.length, i => {
        const at = Math.floor(i / step);
        of[at] = Math.max(of[at], width[i]);
    });
    return { of, each: step };
}

// { levels, is_fine, is_dense, width, column, columns } of what collect() gave
/** @param {Data} data */
export function* arrange(data, { units, graph, weight, is_depend }, is_weighted) {
    const levels = yield* stage(levels_of(graph, weight, is_weighted), 0, 0.6),
        kind_of = i => data.task.kind[data.strand.task[units[i]]],
        is_fine = graph.n <= UNITS_MOST,
        width = is_weighted
            ? yield* stage(width_by_time(levels, weight, BINS), 0.6, 0.8)
            : yield* stage(width_by_row(levels, graph.n), 0.6, 0.8),
        // units of all of it would lie on top of one another
        made = { levels, is_fine, is_dense: false, column: null, columns: 0 };
    if (is_fine)
        Object.assign(
            made,
            is_weighted
                ? columns_by_time(graph, levels, weight)
                : is_depend
                  ? columns_in_middle(graph, levels, kind_of)
                  : columns_by_row(graph, levels),
        );
    return { ...made, width: yield* stage(most_of(width, LINES), 0.8, 1) };
}
