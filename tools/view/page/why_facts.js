// SPDX-License-Identifier: MIT
// why_facts.js - what a worker was in at an instant, and what the whole run says of kinds: what
// never moves, what begins only once its creator waits, what runs inside its creation.  Only facts:
// each is a count over the trace.
import { NODE, pauses } from "./data.js";
import { EVENT, FIRST, NONE, STATE, STATES } from "./kinds.js";
import { first_above } from "./levels.js";
import { order_made } from "./dag_order.js";
import { before_made, source_of } from "./bound.js";
import { Most } from "./most.js";
import { outside_of } from "./pixels.js";
import { for_each, for_each_back, stage } from "./steps.js";

const HELD_TASKS = 4; // fewer prove nothing
const HELD_EARLY = 20; // of so many at most one begins before the wait: as the finding "held"

// Of each strand the first of its task, from it on, that ended with a wait or with the task; NONE.
/** @param {Data} data */
function* next_waits(data, next) {
    const column = new Uint32Array(data.strand.n).fill(NONE);
    yield* for_each_back(data.strand.n, s => {
        const by = data.strand.ended_by[s];
        if (by === EVENT.WAIT || by === EVENT.END) column[s] = s;
        else if (next[s] !== NONE) column[s] = column[next[s]];
    });
    return column;
}

function new_kind() {
    return { created: 0, held: 0, inside: 0, goes_on: 0, moved: 0 };
}

// A new task: whether its creator had come to a wait by then, and whether it ran inside the call
// that created it.
/** @param {Data} data */
function count_first(facts, data, s, kind) {
    const creator = data.strand.pred[s],
        { start, end, row, ended_by } = data.strand;
    if (creator === NONE || data.strand.flags[creator] & NODE || ended_by[creator] !== EVENT.CREATE)
        return;
    const goes_on = facts.next[creator],
        waits = goes_on === NONE ? NONE : facts.next_wait[goes_on];
    kind.created++;
    if (waits !== NONE && end[waits] <= start[s]) kind.held++;
    if (
        goes_on !== NONE &&
        row[s] === row[creator] &&
        start[s] <= start[goes_on] &&
        facts.before[s] === creator
    )
        kind.inside++;
}

/** @param {Data} data */
function count_kinds(facts, data) {
    const { flags, task, pred, row } = data.strand;
    return for_each(data.strand.n, s => {
        if (task[s] === NONE) return;
        const kind = facts.kinds[data.task.kind[task[s]]];
        if (flags[s] & FIRST) {
            count_first(facts, data, s, kind);
            return;
        }
        if (pred[s] === NONE || flags[pred[s]] & NODE) return;
        kind.goes_on++;
        if (row[pred[s]] !== row[s]) kind.moved++;
    });
}

const built = new WeakMap();

// { next, next_wait, before, kinds }, built once for a run.
/** @param {Data} data */
export function* facts_made(data) {
    if (!built.has(data)) {
        const { next } = yield* stage(order_made(data), 0, 0.2);
        const facts = {
            next,
            next_wait: yield* stage(next_waits(data, next), 0.2, 0.4),
            before: yield* stage(before_made(data), 0.4, 0.6),
            kinds: data.kinds.map(new_kind),
        };
        yield* stage(count_kinds(facts, data), 0.6, 1);
        built.set(data, facts);
    }
    return built.get(data);
}

// Whether tasks of the kind begin only once their creator waits.
export function is_held_kind(kind) {
    return kind.held >= HELD_TASKS && kind.held > HELD_EARLY * (kind.created - kind.held);
}

// ---- at an instant ----

export function is_idle(at) {
    return STATES[at.state] === "idle";
}

// The longest stretches in which a row was idle, the longest first: { row, from, to }.
/** @param {Data} data */
export function* idle_stretches(data, most, only = null) {
    const found = new Most(most);
    const add = (row, from, to) => {
        if (to > from) found.add(to - from, { row, from, to });
    };
    for (const [row, list] of data.row_strands.entries()) {
        if (only !== null && row !== only) continue;
        add(row, 0, list.length ? data.strand.start[list[0]] : data.elapsed);
        const work = for_each(list.length, i => {
            const next = i + 1 < list.length ? data.strand.start[list[i + 1]] : data.elapsed;
            for (const [from, to, state] of pauses(data, list[i], next))
                if (state === STATE.IDLE) add(row, from, to);
        });
        yield* stage(work, row / data.rows.length, (row + 1) / data.rows.length);
    }
    return found.take((a, b) => a.from - b.from);
}

// Strands that are ready at that instant and have not begun, in order of their start.
/** @param {Data} data */
export function* ready_at(data, ns) {
    const found = [],
        { start, end, task } = data.strand,
        after = first_above(start, ns);
    yield* for_each(data.strand.n - after, i => {
        const s = after + i,
            from = task[s] === NONE ? NONE : source_of(data, s);
        if (from !== NONE && end[from] <= ns && !outside_of(data, s)) found.push(s);
    });
    return found;
}

// The strand of the ready path that runs at that instant, or is the next to run; NONE.
/** @param {Data} data */
export function path_at(data, ns) {
    for (const s of data.path) if (data.strand.end[s] > ns) return s;
    return NONE;
}
