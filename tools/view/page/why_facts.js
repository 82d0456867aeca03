// SPDX-License-Identifier: MIT
// why_facts.js - what a worker was in at an instant, and what the whole run says of kinds: what
// never moves, what begins only once its creator waits, what runs inside its creation.  Only facts:
// each is a count over the trace.
import { NODE, pauses } from "./data.js";
import { EVENT, FIRST, NONE, STATE, STATES } from "./kinds.js";
import { first_above } from "./levels.js";
import { order_of } from "./dag_order.js";
import { before_on_row, source_of } from "./bound.js";

const HELD_TASKS = 4; // fewer prove nothing
const HELD_EARLY = 20; // of so many at most one begins before the wait: as the finding "held"

// Of each strand the first of its task, from it on, that ended with a wait or with the task; NONE.
/** @param {Data} data */
function next_waits(data, next) {
    const column = new Uint32Array(data.strand.n).fill(NONE);
    for (let s = data.strand.n; s-- > 0;) {
        const by = data.strand.ended_by[s];
        if (by === EVENT.WAIT || by === EVENT.END) column[s] = s;
        else if (next[s] !== NONE) column[s] = column[next[s]];
    }
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
    for (let s = 0; s < data.strand.n; s++) {
        if (task[s] === NONE) continue;
        const kind = facts.kinds[data.task.kind[task[s]]];
        if (flags[s] & FIRST) {
            count_first(facts, data, s, kind);
            continue;
        }
        if (pred[s] === NONE || flags[pred[s]] & NODE) continue;
        kind.goes_on++;
        if (row[pred[s]] !== row[s]) kind.moved++;
    }
}

const built = new WeakMap();

// { next, next_wait, before, kinds }, built once for a run.
/** @param {Data} data */
export function facts_of(data) {
    if (!built.has(data)) {
        const next = order_of(data).next;
        const facts = {
            next,
            next_wait: next_waits(data, next),
            before: before_on_row(data),
            kinds: data.kinds.map(new_kind),
        };
        count_kinds(facts, data);
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
export function idle_stretches(data, most, only = null) {
    const found = [];
    const add = (row, from, to) => {
        if (
            to > from &&
            (found.length < 4 * most ||
                to - from > found[found.length - 1].to - found[found.length - 1].from)
        )
            found.push({ row, from, to });
        if (found.length > 8 * most)
            found.sort((a, b) => b.to - b.from - (a.to - a.from)).length = most;
    };
    data.row_strands.forEach((list, row) => {
        if (only !== null && row !== only) return;
        add(row, 0, list.length ? data.strand.start[list[0]] : data.elapsed);
        list.forEach((s, i) => {
            const next = i + 1 < list.length ? data.strand.start[list[i + 1]] : data.elapsed;
            for (const [from, to, state] of pauses(data, s, next))
                if (state === STATE.IDLE) add(row, from, to);
        });
    });
    return found.sort((a, b) => b.to - b.from - (a.to - a.from) || a.from - b.from).slice(0, most);
}

// Strands that are ready at that instant and have not begun, in order of their start.
/** @param {Data} data */
export function ready_at(data, ns) {
    const found = [],
        { start, end, task, n } = data.strand;
    for (let s = first_above(start, ns); s < n; s++) {
        if (task[s] === NONE) continue;
        const from = source_of(data, s);
        if (from !== NONE && end[from] <= ns) found.push(s);
    }
    return found;
}

// The strand of the ready path that runs at that instant, or is the next to run; NONE.
/** @param {Data} data */
export function path_at(data, ns) {
    for (const s of data.path) if (data.strand.end[s] > ns) return s;
    return NONE;
}
