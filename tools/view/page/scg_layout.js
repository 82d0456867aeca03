// SPDX-License-Identifier: MIT
// scg_layout.js - what the scheduling consequence graph shows of a stretch of time: blocks, or,
// where they are closer than pixels, shares of pixels; and the lines between columns.
import { pauses } from "./data.js";
import { NONE, STATE, WAITING } from "./kinds.js";
import { first_above } from "./levels.js";
import { source_of } from "./bound.js";
import { Most } from "./most.js";
import { for_each } from "./steps.js";

const { RUNTIME, TRACER } = STATE;

// Of what a strand took, the share that was work: less than all for one that stands for collapsed
// tasks; what is left of it was in the runtime.
/** @param {Data} data */
export function work_share(data, s) {
    const collapsed = data.collapsed.get(s),
        length = data.strand.end[s] - data.strand.start[s];
    return collapsed && length > 0 ? collapsed.work / length : 1;
}

// Integrals along a row, at the end of each strand's pause: of work, of time in the runtime and
// blocked, and of work times a value.
/** @param {Data} data */
export function* column_sums(data, row, value_of) {
    const list = data.row_strands[row],
        { start, end } = data.strand,
        n = list.length;
    const sums = {
        list,
        work: new Float64Array(n + 1),
        runtime: new Float64Array(n + 1),
        blocked: new Float64Array(n + 1),
        value: new Float64Array(n + 1),
    };
    yield* for_each(n, i => {
        const s = list[i],
            length = end[s] - start[s],
            next = i + 1 < n ? start[list[i + 1]] : data.elapsed;
        const value = value_of(s),
            work = data.collapsed.get(s)?.work ?? length;
        sums.work[i + 1] = sums.work[i] + work;
        sums.value[i + 1] = sums.value[i] + (Number.isFinite(value) ? value * work : 0);
        sums.runtime[i + 1] = sums.runtime[i] + length - work;
        sums.blocked[i + 1] = sums.blocked[i];
        for (const [from, to, state] of pauses(data, s, next)) {
            if (state === RUNTIME || state === TRACER) sums.runtime[i + 1] += to - from;
            if (WAITING.includes(state)) sums.blocked[i + 1] += to - from;
        }
    });
    return sums;
}

// What of strand i and its pause lies before ns, added to the integrals before it.
/** @param {Data} data */
function integral_at(data, sums, ns) {
    const i = first_above(data.strand.start, ns, sums.list) - 1;
    if (i < 0) return { work: 0, runtime: 0, blocked: 0, value: 0 };
    const s = sums.list[i],
        { start, end } = data.strand,
        length = end[s] - start[s];
    const ran = Math.min(length, ns - start[s]),
        share = work_share(data, s);
    const at = {
        work: sums.work[i] + ran * share,
        runtime: sums.runtime[i] + ran * (1 - share),
        blocked: sums.blocked[i],
    };
    at.value = sums.value[i] + (length ? ((sums.value[i + 1] - sums.value[i]) * ran) / length : 0);
    const next = i + 1 < sums.list.length ? start[sums.list[i + 1]] : data.elapsed;
    for (const [from, to, state] of pauses(data, s, next)) {
        const passed = Math.max(0, Math.min(to, ns) - from);
        if (state === RUNTIME || state === TRACER) at.runtime += passed;
        if (WAITING.includes(state)) at.blocked += passed;
    }
    return at;
}

// n stretches of [from, to), one after the other: { work, runtime, blocked } as shares of each, and
// the mean value of its work.
/** @param {Data} data */
export function column_shares(data, sums, from, to, n) {
    const shares = [],
        width = (to - from) / n;
    let last = integral_at(data, sums, from);
    for (let i = 1; i <= n; i++) {
        const next = integral_at(data, sums, from + i * width),
            work = next.work - last.work;
        shares.push({
            work: work / width,
            runtime: (next.runtime - last.runtime) / width,
            blocked: (next.blocked - last.blocked) / width,
            value: work > 0 ? (next.value - last.value) / work : NaN,
        });
        last = next;
    }
    return shares;
}

// Times of a row in [from, to): { work, runtime, blocked } in ns.
/** @param {Data} data */
export function column_times(data, sums, from, to) {
    const a = integral_at(data, sums, from),
        b = integral_at(data, sums, to);
    return {
        work: b.work - a.work,
        runtime: b.runtime - a.runtime,
        blocked: b.blocked - a.blocked,
    };
}

// Strands of a row that lie in [from, to): indexes [first, last) of its list.
/** @param {Data} data */
export function column_range(data, row, from, to) {
    const list = data.row_strands[row],
        { start, end } = data.strand;
    let first = Math.max(0, first_above(start, from, list) - 1);
    if (list.length && end[list[first]] <= from && first + 1 < list.length) first++;
    return [list.length ? first : 0, first_above(start, to, list)];
}

// ---- lines ----

const LOOKED_AT = 20000;

// All strands that were released on another row, in order of start; and of these, those that
// waited longest first.
/** @param {Data} data */
export function* lines_build(data) {
    const found = new Uint32Array(data.strand.n),
        longest = new Most(LOOKED_AT),
        { row, start, end, task } = data.strand;
    let n = 0;
    yield* for_each(data.strand.n, s => {
        const from = task[s] === NONE ? NONE : source_of(data, s);
        if (from === NONE || row[from] === row[s]) return;
        found[n++] = s;
        longest.add(start[s] - end[from], s);
    });
    return { by_start: found.slice(0, n), by_wait: longest.take() };
}

// At most so many of them that start in [from, to), the longest waits first; `all`: how many there
// are.
/** @param {Data} data */
export function lines_between(data, lines, from, to, most) {
    const { start } = data.strand;
    const first = first_above(start, from, lines.by_start),
        last = first_above(start, to, lines.by_start);
    if (last - first <= most)
        return { chosen: Array.from(lines.by_start.subarray(first, last)), all: last - first };
    const chosen = [];
    for (const s of lines.by_wait)
        if (chosen.length < most && start[s] >= from && start[s] < to) chosen.push(s);
    const step = (last - first) / (most - chosen.length);
    for (let at = first; chosen.length < most; at += step)
        chosen.push(lines.by_start[Math.floor(at)]);
    return { chosen, all: last - first };
}

// ---- values ----

// Low and high ends of values: the twentieth from below and above, of at most 10,000 of them;
// around 1 if `around` is given, which is the least that they lie apart from it; its cube is the
// most.
export function value_bounds(n, value_of, around = 0) {
    const values = [],
        step = Math.max(1, Math.floor(n / 10000));
    for (let s = 0; s < n; s += step) {
        const value = value_of(s);
        if (Number.isFinite(value)) values.push(value);
    }
    if (!values.length) return [0, 1];
    values.sort((a, b) => a - b);
    const low = values[Math.floor(values.length * 0.05)],
        high = values[Math.floor((values.length - 1) * 0.95)];
    const apart = Math.min(around ** 3, Math.max(around, high, low > 0 ? 1 / low : 0));
    if (around) return [1 / apart, apart];
    return high > low ? [low, high] : [low, low * 2 || 1];
}

// A value as a share of its bounds, cut off at both ends.
/** @param {number} value @param {number[]} bounds @param {boolean} is_log */
export function value_share(value, [low, high], is_log) {
    if (!Number.isFinite(value)) return NaN;
    const of = is_log ? x => Math.log(Math.max(1e-9, x)) : x => x;
    return Math.min(1, Math.max(0, (of(value) - of(low)) / (of(high) - of(low))));
}
