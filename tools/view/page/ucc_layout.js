// SPDX-License-Identifier: MIT
// ucc_layout.js - unit and constraint collection (Engelhardt, Halle, Juurlink): what the program
// allows, without scheduler or machine.  Units are strands; constraints are the edges that the
// program put on them.
//
//  unweighted  row: just below the last of those that constrain it (longest path from the top)
//  weighted    top: the longest path to it, each unit as long as its weight
//  column      that of the unit that it hangs from, if that is free, else the first that is
//
// Barriers are units of no weight, which carry a constraint of many on many.
import { edge_kind } from "./data.js";
import { EDGES, NONE } from "./kinds.js";
import { first_above } from "./levels.js";
import { heap_pop, heap_push } from "./most.js";
import { for_each, stage } from "./steps.js";

// Strands of a task and all below it, or those that start in [from, to), barriers' nodes with them.
/** @param {Data} data */
export function* scope_of(data, order, { task = null, from = 0, to = Infinity }) {
    const { start, n } = data.strand,
        first = task === null ? NONE : data.task.first[task],
        low = first === NONE ? 0 : order.position[first],
        size = first === NONE ? 0 : order.size[first],
        inside = new Uint8Array(n);
    yield* stage(
        for_each(size, i => {
            inside[order.strand_at[low + i]] = 1;
        }),
        0,
        0.5,
    );
    const is_inside = task === null ? s => start[s] >= from && start[s] < to : s => inside[s] === 1;
    return yield* stage(list_of(n, is_inside), 0.5, 1);
}

// Numbers below n of which that is true.
function* list_of(n, is_inside) {
    const list = new Uint32Array(n);
    let length = 0;
    yield* for_each(n, s => {
        if (is_inside(s)) list[length++] = s;
    });
    return list.slice(0, length);
}

// Function: a strand's number in the list; NONE.
function* numbers_of(list) {
    const n = list.length,
        low = n ? list[0] : 0,
        width = n ? list[n - 1] - low + 1 : 0;
    if (width === n) return s => (s >= low && s < low + n ? s - low : NONE);
    const numbers = new Uint32Array(width).fill(NONE);
    yield* for_each(n, i => {
        numbers[list[i] - low] = i;
    });
    return s => (s >= low && s < low + width ? numbers[s - low] : NONE);
}

// Edges between strands of a scope, as numbers in it; from is less than to.
/** @param {Data} data */
export function* constraints_of(data, scope) {
    const number = yield* stage(numbers_of(scope), 0, 0.3),
        { extra, strand } = data,
        most = scope.length + extra.to.length,
        from = new Uint32Array(most),
        to = new Uint32Array(most);
    let n = 0,
        e = 0;
    const add = (a, i) => {
        const at = a === NONE ? NONE : number(a);
        if (at === NONE) return;
        from[n] = at;
        to[n++] = i;
    };
    yield* stage(
        for_each(scope.length, i => {
            const s = scope[i];
            add(strand.pred[s], i);
            if (e < extra.to.length && extra.to[e] < s) e = first_above(extra.to, s - 1);
            for (; e < extra.to.length && extra.to[e] === s; e++) add(extra.from[e], i);
        }),
        0.3,
        1,
    );
    return { n: scope.length, from: from.subarray(0, n), to: to.subarray(0, n) };
}

// Whether any edge of the run is a data dependence.
/** @param {Data} data */
export function* dependences_known(data) {
    const { from, to } = data.extra,
        depend = EDGES.indexOf("depend");
    if (data.has_dependences === undefined) {
        let found = false;
        yield* for_each(to.length, e => {
            found ||= edge_kind(data, from[e], to[e]) === depend;
        });
        data.has_dependences = found;
    }
    return data.has_dependences;
}

// Tasks alone that data dependences lead from or to: { units: the first strand of each, graph }.
/** @param {Data} data */
export function* dependences_of(data, scope) {
    const { task, extra, strand } = data,
        inside = yield* stage(numbers_of(scope), 0, 0.2),
        is_unit = new Uint8Array(strand.n),
        sources = new Map(), // of each unit that has some
        depend = EDGES.indexOf("depend");
    yield* stage(
        for_each(extra.to.length, e => {
            const [from, to] = [extra.from[e], extra.to[e]];
            if (edge_kind(data, from, to) !== depend) return;
            const [a, b] = [from, to].map(s => task.first[strand.task[s]]);
            if (!(a < b) || inside(a) === NONE || inside(b) === NONE) return;
            is_unit[a] = is_unit[b] = 1;
            const list = sources.get(b) ?? sources.set(b, []).get(b);
            list.push(a);
        }),
        0.2,
        0.5,
    );
    const units = yield* stage(
            list_of(strand.n, s => is_unit[s] === 1),
            0.5,
            0.8,
        ),
        number = yield* stage(numbers_of(units), 0.8, 0.9),
        from = [],
        to = [];
    yield* stage(
        for_each(units.length, i => {
            for (const a of (sources.get(units[i]) ?? []).sort((x, y) => x - y)) {
                from.push(number(a));
                to.push(i);
            }
        }),
        0.9,
        1,
    );
    return {
        units,
        graph: { n: units.length, from: Uint32Array.from(from), to: Uint32Array.from(to) },
    };
}

// { row, top, hangs, rows, height }: hangs is the unit that decides the row (unweighted) or top;
// NONE.
export function* levels_of(graph, weight, is_weighted) {
    const row = new Uint32Array(graph.n),
        top = new Float64Array(graph.n),
        hangs = new Uint32Array(graph.n).fill(NONE);
    let e = 0,
        rows = 0,
        height = 0;
    yield* for_each(graph.n, i => {
        for (; e < graph.to.length && graph.to[e] === i; e++) {
            const from = graph.from[e],
                bottom = top[from] + weight[from];
            const is_last = is_weighted ? bottom > top[i] : row[from] + 1 > row[i];
            if (hangs[i] === NONE || is_last) hangs[i] = from;
            row[i] = Math.max(row[i], row[from] + 1);
            top[i] = Math.max(top[i], bottom);
        }
        rows = Math.max(rows, row[i] + 1);
        height = Math.max(height, top[i] + weight[i]);
    });
    return { row, top, hangs, rows: graph.n ? rows : 0, height };
}

// ---- columns ----

function units_by_row(levels, n) {
    const first = new Uint32Array(levels.rows + 1),
        list = new Uint32Array(n);
    for (let i = 0; i < n; i++) first[levels.row[i] + 1]++;
    for (let r = 0; r < levels.rows; r++) first[r + 1] += first[r];
    const at = first.slice();
    for (let i = 0; i < n; i++) list[at[levels.row[i]]++] = i;
    return { first, list };
}

// Unweighted: those that find their own column free have it; then the others fill the first free
// ones.
export function columns_by_row(graph, levels) {
    const column = new Uint32Array(graph.n).fill(NONE),
        taken = [],
        { first, list } = units_by_row(levels, graph.n);
    let columns = 0;
    for (let r = 0; r < levels.rows; r++) {
        const units = list.subarray(first[r], first[r + 1]);
        for (const i of units) {
            const own = levels.hangs[i] === NONE ? 0 : column[levels.hangs[i]];
            if (taken[own] !== r) taken[(column[i] = own)] = r;
        }
        let free = 0;
        for (const i of units) {
            if (column[i] !== NONE) continue;
            while (taken[free] === r) free++;
            taken[(column[i] = free)] = r;
        }
        columns = Math.max(columns, taken.length);
    }
    return { column, columns };
}

// Unweighted, in the middle: a row by group, then by what its units hang from.
export function columns_in_middle(graph, levels, group_of) {
    const column = new Float64Array(graph.n),
        { first, list } = units_by_row(levels, graph.n);
    let columns = 0;
    for (let r = 0; r < levels.rows; r++) columns = Math.max(columns, first[r + 1] - first[r]);
    for (let r = 0; r < levels.rows; r++) {
        const above = i => (levels.hangs[i] === NONE ? 0 : column[levels.hangs[i]]),
            units = [...list.subarray(first[r], first[r + 1])].sort(
                (a, b) => group_of(a) - group_of(b) || above(a) - above(b) || a - b,
            );
        units.forEach((i, k) => {
            column[i] = (columns - units.length) / 2 + k;
        });
    }
    return { column, columns };
}

// Weighted: units from the top; busy columns wait in a heap by when they end, free ones by their
// number.
export function columns_by_time(graph, levels, weight) {
    const order = Array.from({ length: graph.n }, (_, i) => i).sort(
        (a, b) => levels.top[a] - levels.top[b] || a - b,
    );
    const column = new Uint32Array(graph.n),
        until = [],
        busy = [],
        free = [];
    const by_end = (a, b) => a[0] < b[0],
        by_number = (a, b) => a < b;
    for (const i of order) {
        const top = levels.top[i],
            bottom = top + weight[i];
        while (busy.length && busy[0][0] <= top)
            heap_push(free, heap_pop(busy, by_end)[1], by_number);
        const own = levels.hangs[i] === NONE ? NONE : column[levels.hangs[i]];
        let at = own !== NONE && until[own] <= top ? own : NONE;
        while (at === NONE) {
            const next = free.length ? heap_pop(free, by_number) : until.length;
            if (!(until[next] > top)) at = next; // others may have gone back to it since
        }
        column[i] = at;
        until[at] = bottom;
        heap_push(busy, [bottom, at], by_end);
    }
    return { column, columns: until.length };
}

// ---- how wide it is: the parallelism with as many workers as it takes ----

// Units by row.
export function* width_by_row(levels, n) {
    const width = new Uint32Array(levels.rows);
    yield* for_each(n, i => {
        width[levels.row[i]]++;
    });
    return width;
}

// Mean number of units in each of so many stretches of the height.
export function* width_by_time(levels, weight, n_bins) {
    const step = levels.height / n_bins || 1,
        some = new Float64Array(n_bins + 1),
        whole = new Float64Array(n_bins + 2);
    yield* for_each(weight.length, i => {
        const a = levels.top[i] / step,
            b = (levels.top[i] + weight[i]) / step,
            p = Math.floor(a),
            q = Math.floor(b);
        if (p === q) {
            some[p] += b - a;
            return;
        }
        some[p] += p + 1 - a;
        some[q] += b - q;
        whole[p + 1]++;
        whole[q]--;
    });
    const width = new Float64Array(n_bins);
    for (let k = 0, sum = 0; k < n_bins; k++) width[k] = some[k] + (sum += whole[k]);
    return width;
}
