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

// Strands of a task and all below it, or those that start in [from, to), barriers' nodes with them.
/** @param {Data} data */
export function scope_of(data, order, { task = null, from = 0, to = Infinity }) {
    if (task !== null) {
        const first = data.task.first[task];
        if (first === NONE) return new Uint32Array(0);
        const low = order.position[first];
        return order.strand_at.slice(low, low + order.size[first]).sort();
    }
    const list = [];
    for (let s = 0; s < data.strand.n; s++)
        if (data.strand.start[s] >= from && data.strand.start[s] < to) list.push(s);
    return Uint32Array.from(list);
}

// Function: a strand's number in the scope; undefined.
function numbers_of(scope) {
    const n = scope.length;
    if (!n || scope[n - 1] - scope[0] === n - 1)
        return s => (s >= scope[0] && s <= scope[n - 1] ? s - scope[0] : undefined);
    const numbers = new Map();
    scope.forEach((s, i) => numbers.set(s, i));
    return s => numbers.get(s);
}

// Edges between strands of a scope, as numbers in it; from is less than to.
/** @param {Data} data */
export function constraints_of(data, scope) {
    const number = numbers_of(scope),
        from = [],
        to = [];
    const add = (a, i) => {
        const at = number(a);
        if (at !== undefined) {
            from.push(at);
            to.push(i);
        }
    };
    let e = 0;
    scope.forEach((s, i) => {
        if (data.strand.pred[s] !== NONE) add(data.strand.pred[s], i);
        while (e < data.extra.to.length && data.extra.to[e] < s) e++;
        for (let k = e; k < data.extra.to.length && data.extra.to[k] === s; k++)
            add(data.extra.from[k], i);
    });
    return { n: scope.length, from: Uint32Array.from(from), to: Uint32Array.from(to) };
}

// Whether any edge of the run is a data dependence.
/** @param {Data} data */
export function has_dependences(data) {
    const { from, to } = data.extra;
    return from.some((a, e) => EDGES[edge_kind(data, a, to[e])] === "depend");
}

// Tasks alone that data dependences lead from or to: { units: the first strand of each, graph }.
/** @param {Data} data */
export function dependences_of(data, scope) {
    const { task, extra, strand } = data,
        inside = new Set(scope),
        number = new Map(),
        pairs = [];
    extra.from.forEach((from, e) => {
        const to = extra.to[e];
        if (EDGES[edge_kind(data, from, to)] !== "depend") return;
        const [a, b] = [from, to].map(s => task.first[strand.task[s]]);
        if (a < b && inside.has(a) && inside.has(b)) pairs.push([a, b]);
    });
    const units = Uint32Array.from(new Set(pairs.flat())).sort();
    units.forEach((s, i) => number.set(s, i));
    pairs.sort((x, y) => x[1] - y[1] || x[0] - y[0]);
    return {
        units,
        graph: {
            n: units.length,
            from: Uint32Array.from(pairs, pair => number.get(pair[0])),
            to: Uint32Array.from(pairs, pair => number.get(pair[1])),
        },
    };
}

// { row, top, hangs, rows, height }: hangs is the unit that decides the row (unweighted) or top;
// NONE.
export function levels_of(graph, weight, is_weighted) {
    const row = new Uint32Array(graph.n),
        top = new Float64Array(graph.n),
        hangs = new Uint32Array(graph.n).fill(NONE);
    let e = 0,
        rows = 0,
        height = 0;
    for (let i = 0; i < graph.n; i++) {
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
    }
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

// A heap of numbers, the least of `key` on top.
function heap_push(heap, item, key) {
    let i = heap.push(item) - 1;
    for (let up; i > 0 && key(heap[(up = (i - 1) >> 1)]) > key(item); i = up) heap[i] = heap[up];
    heap[i] = item;
}

function heap_pop(heap, key) {
    const top = heap[0],
        last = heap.pop();
    if (!heap.length) return top;
    let i = 0;
    for (;;) {
        let down = 2 * i + 1;
        if (down + 1 < heap.length && key(heap[down + 1]) < key(heap[down])) down++;
        if (down >= heap.length || key(heap[down]) >= key(last)) break;
        heap[i] = heap[down];
        i = down;
    }
    heap[i] = last;
    return top;
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
    const by_end = ([end]) => end,
        by_number = c => c;
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
export function width_by_row(levels, n) {
    const width = new Uint32Array(levels.rows);
    for (let i = 0; i < n; i++) width[levels.row[i]]++;
    return width;
}

// Mean number of units in each of so many stretches of the height.
export function width_by_time(levels, weight, n_bins) {
    const step = levels.height / n_bins || 1,
        part = new Float64Array(n_bins + 1),
        whole = new Float64Array(n_bins + 2);
    for (let i = 0; i < weight.length; i++) {
        const a = levels.top[i] / step,
            b = (levels.top[i] + weight[i]) / step,
            p = Math.floor(a),
            q = Math.floor(b);
        if (p === q) {
            part[p] += b - a;
            continue;
        }
        part[p] += p + 1 - a;
        part[q] += b - q;
        whole[p + 1]++;
        whole[q]--;
    }
    const width = new Float64Array(n_bins);
    for (let k = 0, sum = 0; k < n_bins; k++) width[k] = part[k] + (sum += whole[k]);
    return width;
}
