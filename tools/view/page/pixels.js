// SPDX-License-Identifier: MIT
// pixels.js - time spent in each class, by column of pixels: from strands where few are in sight,
// else from the levels.
import { BINS, NODE, is_whole, turn_of } from "./data.js";
import { COLLAPSED, EDGES, NONE, STATE, STATES, WAITING, WAITS } from "./kinds.js";
import { finest, first_above } from "./levels.js";

const MANY = 100000; // strands that are still walked in a frame

// Adds `times` (to - from), cut to columns of `ns` each that begin at `origin`.
export function add_interval(column, origin, ns, from, to, times) {
    let a = (from - origin) / ns,
        b = (to - origin) / ns;
    if (a < 0) a = 0;
    if (b > column.length) b = column.length;
    if (!(b > a)) return;
    const first = Math.floor(a),
        last = Math.floor(b);
    if (first === last) {
        column[first] += (b - a) * ns * times;
        return;
    }
    column[first] += (first + 1 - a) * ns * times;
    for (let x = first + 1; x < last; x++) column[x] += ns * times;
    if (last < column.length) column[last] += (b - last) * ns * times;
}

// Stretches on top of one another, in columns of a pixel or a bin: each of them takes the same
// time, however long it is.
export class Pile {
    constructor(n) {
        this.n = n;
        this.part = new Float64Array(n);
        // more, or fewer, that fill all of this column and those behind it
        this.slope = new Int32Array(n + 1);
    }
    // From a to b, in columns.
    add(a, b) {
        const from = Math.max(0, a),
            to = Math.min(this.n, b),
            first = Math.floor(from),
            last = Math.floor(to);
        if (!(to > from)) return;
        if (first === last) {
            this.part[first] += to - from;
            return;
        }
        this.part[first] += first + 1 - from;
        this.slope[first + 1]++;
        this.slope[last]--;
        if (last < this.n) this.part[last] += to - last;
    }
    // Adds what each column has to `column`; `times`: how much a whole column is.
    take(column, times) {
        for (let x = 0, all = 0; x < this.n; x++) {
            all += this.slope[x];
            column[x] += (this.part[x] + all) * times;
        }
        return column;
    }
}

// [first, last) of a row's strands that may be seen in [from, to); the first may have ended before.
/** @param {Data} data */
export function in_sight(data, row, from, to) {
    const list = data.row_strands[row];
    return [
        Math.max(0, first_above(data.strand.start, from, list) - 1),
        first_above(data.strand.start, to, list),
    ];
}

/** @param {Data} data */
export function count_in_sight(data, from, to) {
    let n = 0;
    for (let row = 0; row < data.rows.length; row++) {
        const [first, last] = in_sight(data, row, from, to);
        n += last - first;
    }
    return n;
}

// Whether strands themselves can be drawn, and nothing is missing.
/** @param {Data} data */
export function in_full(data, from, to) {
    return is_whole(data, from, to) && count_in_sight(data, from, to) <= MANY;
}

// Whether a row's strands are walked for pixels of `ns`, rather than levels read that are as fine;
// `full`: in_full().
/** @param {Data} data */
export function is_walked(data, row, ns, full) {
    const fine = data.levels.fine?.rows[row];
    return full && ns < (fine ? fine.width / 2 : data.levels.row_width);
}

/** @param {Data} data */
export function class_of_kind(data, kind) {
    data.class_of ??= Uint8Array.from(data.kinds, (_, k) =>
        data.leading.includes(k) ? data.leading.indexOf(k) : BINS.others,
    );
    return data.class_of[kind];
}

/** @param {number} state */
export function bin_of_state(state) {
    if (state === STATE.RUNTIME) return BINS.runtime;
    if (state === STATE.TRACER) return BINS.tracer;
    return WAITING.includes(state) ? BINS.blocked : 0;
}
const OF_STATE = STATES.map((_, state) => bin_of_state(state));

// One row's time by class in n columns.
/** @param {Data} data */
export function row_in_pixels(data, row, from, to, n, columns) {
    const ns = (to - from) / n,
        s = data.strand,
        list = data.row_strands[row],
        [first, last] = in_sight(data, row, from, to);
    for (let at = first; at < last; at++) {
        const i = list[at],
            next = at + 1 < list.length ? s.start[list[at + 1]] : data.elapsed,
            kind = data.task.kind[s.task[i]];
        let busy = 1;
        if (s.flags[i] & COLLAPSED) {
            busy = data.collapsed.get(i).work / (s.end[i] - s.start[i] || 1);
            add_interval(columns[BINS.runtime], from, ns, s.start[i], s.end[i], 1 - busy);
        }
        add_interval(columns[class_of_kind(data, kind)], from, ns, s.start[i], s.end[i], busy);
        if (next <= from || s.end[i] >= to) continue;
        const turn = turn_of(s, i, next),
            state = OF_STATE[s.after[i]];
        if (state) add_interval(columns[state], from, ns, s.end[i], turn, 1);
        if (turn < next) add_interval(columns[BINS.runtime], from, ns, turn, next, 1);
    }
}

// of: Integrals by class, or null.
export function row_from_levels(of, from, to, n, columns) {
    const ns = (to - from) / n;
    for (let c = 0; c < columns.length; c++) {
        if (!of[c] || of[c].total === 0) continue;
        let before = of[c].until(from);
        for (let x = 0; x < n; x++) {
            const now = of[c].until(from + (x + 1) * ns);
            columns[c][x] += now - before;
            before = now;
        }
    }
}

// One row's shares of each pixel that leading kinds ran, and all others.
/** @param {Data} data */
export function kinds_in_pixels(data, row, from, to, n) {
    const columns = Array.from({ length: BINS.classes }, () => new Float64Array(n));
    if (in_full(data, from, to)) row_in_pixels(data, row, from, to, n, columns);
    else row_from_levels(finest(data.levels, row).of, from, to, n, columns);
    return columns
        .slice(0, BINS.others + 1)
        .map(column => column.map(time => (time * n) / (to - from)));
}

// Time of all rows by class.
/** @param {Data} data */
export function running_in_pixels(data, from, to, n) {
    const columns = Array.from({ length: BINS.classes - 1 }, () => new Float64Array(n));
    const full = in_full(data, from, to);
    for (let row = 0; row < data.rows.length; row++) {
        if (is_walked(data, row, (to - from) / n, full))
            row_in_pixels(data, row, from, to, n, columns);
        else row_from_levels(finest(data.levels, row).of, from, to, n, columns);
    }
    return columns;
}

// Of a strand that a "message" or a "device" let go on, or that is the first of a "thread": which
// of these; null.  Until it began, it was not ready.
/** @param {Data} data */
export function outside_of(data, i) {
    const { pred, edge, wait, releaser } = data.strand,
        what = WAITS[data.waits[wait[pred[i]]]?.what];
    if (pred[i] === NONE)
        return releaser[i] !== NONE && EDGES[edge[i]] === "sync" ? "thread" : null;
    return ["message", "device"].includes(what) ? what : null;
}

// From when on a strand that others released was ready.
/** @param {Data} data */
export function ready_at(data, i) {
    const { start, end, releaser } = data.strand;
    return outside_of(data, i) ? start[i] : end[releaser[i]];
}

// Ready strands: blocks of strands by start, each with the earliest instant from which one of them
// was ready.
const BLOCK = 1024,
    BLOCKS = 100;
/** @param {Data} data */
export function earliest_ready(data) {
    if (data.earliest) return data.earliest;
    const s = data.strand,
        earliest = new Float64Array(Math.ceil(s.n / BLOCK)).fill(Infinity);
    for (let i = 0; i < s.n; i++) {
        if (s.flags[i] & NODE || s.releaser[i] === NONE) continue;
        const block = Math.floor(i / BLOCK);
        earliest[block] = Math.min(earliest[block], s.end[s.releaser[i]]);
    }
    data.earliest = earliest;
    return earliest;
}

// Blocks with a strand that may have been ready in [from, to); null if they are many.
/** @param {Data} data */
function ready_blocks(data, from, to) {
    const earliest = earliest_ready(data),
        blocks = [];
    for (
        let block = Math.floor(first_above(data.strand.start, from) / BLOCK);
        block < earliest.length && blocks.length <= BLOCKS;
        block++
    )
        if (earliest[block] < to) blocks.push(block);
    return blocks.length > BLOCKS ? null : blocks;
}

/** @param {Data} data */
function ready_of_strands(data, blocks, from, to, n, by, columns) {
    const s = data.strand,
        ns = (to - from) / n,
        piles = columns.map(() => new Pile(n));
    for (const block of blocks) {
        for (let i = block * BLOCK, end = Math.min(s.n, i + BLOCK); i < end; i++) {
            if (s.flags[i] & NODE || s.releaser[i] === NONE) continue;
            const ready = ready_at(data, i);
            if (ready < to && s.start[i] > from)
                piles[by === "edge" ? s.edge[i] : s.row[s.releaser[i]]].add(
                    (ready - from) / ns,
                    (s.start[i] - from) / ns,
                );
        }
    }
    piles.forEach((pile, i) => pile.take(columns[i], ns));
}

// by "edge" or "holder": a column each.
/** @param {Data} data */
export function ready_in_pixels(data, from, to, n, by) {
    const { levels } = data,
        finer = by === "edge" ? levels.fine?.ready : null,
        list = finer
            ? finer.of
            : by === "edge"
              ? levels.ready
              : levels.rows.map(row => row[BINS.held]);
    const columns = Array.from({ length: list.length }, () => new Float64Array(n)),
        width = finer ? finer.width / 2 : list[0] ? list[0].width : 1;
    const is_fine = (to - from) / n < width && data.collapsed.size === 0 && !data.partial,
        blocks = is_fine ? ready_blocks(data, from, to) : null;
    if (blocks) ready_of_strands(data, blocks, from, to, n, by, columns);
    else row_from_levels(list, from, to, n, columns);
    return columns;
}
