// SPDX-License-Identifier: MIT
// why_reason.js - why an idle worker did not take a strand that was ready, as far as the trace
// proves it.
//
//  member     the implicit task of another member of a team: it begins on that member's own worker
//  held       a new task, of a kind that begins only once the creator waits, which it had not yet
//  throttled  its creator's worker ran a task of the same kind inside its creation, as full queues
//             make it; other creations did not
//  buried     it went on where it had stopped, as all of its kind did, and that worker ran
//             something else
//  call       it is its own worker's, which was still in a call of the runtime
//  tied       it went on where it had stopped, as all of its kind did
//  barred     the worker was in a wait, took nothing until that was over, and the strand is not
//             below the task that waits
//  came       this worker took it: it is what the worker was on its way to
//  unknown    any worker might have taken it, and the trace does not say why this one did not
import { NODE, row_at } from "./data.js";
import { EDGE, EVENT, FIRST, NONE, STATES, WAITS } from "./kinds.js";
import { order_is_below, order_of } from "./dag_order.js";
import { for_each, stage } from "./steps.js";
import { source_of } from "./bound.js";
import { facts_made, is_held_kind, ready_at } from "./why_facts.js";

// From what proves that nobody could take it to what proves nothing.
export const REASONS = [
    "member",
    "held",
    "throttled",
    "buried",
    "call",
    "tied",
    "barred",
    "came",
    "unknown",
];

const WAITS_FOR_TASKS = new Set(["children", "group", "depend", "bag"]);
// share of creations that run the task at once: above, it is how the runtime works
const THROTTLED_MOST = 0.5;

// The wait that the row is in, if it takes nothing until that is over: its strand; NONE.
/** @param {Data} data */
export function barring_wait(data, facts, at) {
    const waits = at.strand,
        wait = waits === NONE ? null : data.waits[data.strand.wait[waits]];
    if (!wait || !data.strand.wait[waits] || !WAITS_FOR_TASKS.has(WAITS[wait.what])) return NONE;
    const next = facts.next[waits];
    if (next === NONE || next !== at.next) return NONE;
    const source = source_of(data, next);
    return source !== NONE && data.strand.row[source] !== data.strand.row[waits] ? waits : NONE;
}

/** @param {Data} data */
function reason_of_new(data, facts, s, ns) {
    if (data.kinds[data.task.kind[data.strand.task[s]]].what === "implicit") return "member";
    const creator = data.strand.pred[s];
    if (
        creator === NONE ||
        data.strand.flags[creator] & NODE ||
        data.strand.ended_by[creator] !== EVENT.CREATE
    )
        return null;
    const goes_on = facts.next[creator],
        waits = goes_on === NONE ? NONE : facts.next_wait[goes_on];
    const has_waited = waits !== NONE && data.strand.end[waits] <= ns;
    return is_held_kind(facts.kinds[data.task.kind[data.strand.task[s]]]) && !has_waited
        ? "held"
        : null;
}

// Whether `over`, which runs where s stopped, was created by the strand before s, and ran inside
// that call as few do.
/** @param {Data} data */
function is_throttled(data, facts, s, over) {
    const pred = data.strand.pred[s];
    if (
        data.strand.edge[s] !== EDGE.CREATE_CONT ||
        !(data.strand.flags[over] & FIRST) ||
        data.strand.pred[over] !== pred
    )
        return false;
    const kind = facts.kinds[data.task.kind[data.strand.task[over]]];
    return kind.inside > 0 && kind.inside <= kind.created * THROTTLED_MOST;
}

/** @param {Data} data */
function reason_to_go_on(data, facts, s, ns) {
    const pred = data.strand.pred[s],
        { row } = data.strand;
    if (pred === NONE || data.strand.flags[pred] & NODE) return null;
    const there = row_at(data, row[pred], ns),
        kind = facts.kinds[data.task.kind[data.strand.task[s]]];
    const runs = STATES[there.state] === "running";
    if (runs && is_throttled(data, facts, s, there.strand)) return "throttled";
    if (STATES[there.state] === "runtime" && there.next === s) return "call";
    if (row[s] !== row[pred] || kind.moved > 0) return null;
    return runs ? "buried" : "tied";
}

// Why the row, which is idle at that instant, does not run s, which is ready.  barred: of
// barring_wait().
/** @param {Data} data */
export function reason_of(data, facts, row, s, ns, barred) {
    const own =
        data.strand.flags[s] & FIRST
            ? reason_of_new(data, facts, s, ns)
            : reason_to_go_on(data, facts, s, ns);
    if (own && !(data.strand.row[s] === row && own !== "held")) return own;
    if (
        barred !== NONE &&
        !order_is_below(order_of(data), data, data.strand.task[s], data.strand.task[barred])
    )
        return "barred";
    return data.strand.row[s] === row ? "came" : "unknown";
}

// { at, barred, n, ready: [{ reason, holder, kind, n, since, strand }], by: { reason: n } } of a
// row at an instant: n strands were ready, in groups; since: the first of a group.
/** @param {Data} data */
export function* why_idle(data, row, ns) {
    const facts = yield* stage(facts_made(data), 0, 0.4),
        at = row_at(data, row, ns),
        barred = barring_wait(data, facts, at),
        by = {},
        groups = new Map(),
        ready = yield* stage(ready_at(data, ns), 0.4, 0.7);
    const add = strand => {
        const source = source_of(data, strand),
            reason = reason_of(data, facts, row, strand, ns, barred),
            holder = data.strand.row[source],
            kind = data.task.kind[data.strand.task[strand]],
            since = data.strand.end[source],
            key = `${reason} ${holder} ${kind}`,
            fresh = { reason, holder, kind, n: 0, since, strand },
            group = groups.get(key) ?? groups.set(key, fresh).get(key);
        by[reason] = (by[reason] ?? 0) + 1;
        group.n++;
        group.since = Math.min(group.since, since);
    };
    yield* stage(
        for_each(ready.length, i => add(ready[i])),
        0.7,
        1,
    );
    return { at, barred, n: ready.length, ready: [...groups.values()], by };
}

// Until when that reason may hold, after ns: to the creator's wait, or to what its own worker does
// next.
/** @param {Data} data */
function reason_until(data, facts, s, ns) {
    const pred = data.strand.pred[s];
    if (pred === NONE || data.strand.flags[pred] & NODE) return Infinity;
    if (!(data.strand.flags[s] & FIRST)) return row_at(data, data.strand.row[pred], ns).to;
    const goes_on = facts.next[pred],
        waits = goes_on === NONE ? NONE : facts.next_wait[goes_on];
    return waits !== NONE && data.strand.end[waits] > ns ? data.strand.end[waits] : Infinity;
}

// A stretch in which the row is idle, by what speaks for the worker's part in it: at each instant
// the last of REASONS that any ready strand has, or "nothing".  { reason: ns }; null where more
// than `most` strands were ready in it.
/** @param {Data} data */
export function* why_stretch(data, row, from, to, most = 20000) {
    const facts = yield* stage(facts_made(data), 0, 0.4),
        barred = barring_wait(data, facts, row_at(data, row, from)),
        turns = [];
    const { start, end, task, n } = data.strand;
    const add = s => {
        if (start[s] <= from || task[s] === NONE || turns.length > 2 * most) return;
        const source = source_of(data, s);
        if (source === NONE || end[source] >= to || end[source] >= start[s]) return;
        const b = Math.min(to, start[s]);
        for (let a = Math.max(from, end[source]), until; a < b; a = until) {
            until = Math.min(b, reason_until(data, facts, s, a));
            const rank = REASONS.indexOf(reason_of(data, facts, row, s, a, barred));
            turns.push([a, rank, 1], [until, rank, -1]);
        }
    };
    yield* stage(for_each(n, add), 0.4, 1);
    return turns.length > 2 * most ? null : sum_turns(turns, from, to);
}

function sum_turns(turns, from, to) {
    const sums = {},
        open = new Array(REASONS.length).fill(0);
    let now = from;
    const pass = until => {
        const rank = open.findLastIndex(n => n > 0),
            reason = rank < 0 ? "nothing" : REASONS[rank];
        if (until > now) sums[reason] = (sums[reason] ?? 0) + until - now;
        now = Math.max(now, until);
    };
    turns.sort((a, b) => a[0] - b[0]);
    for (const [ns, rank, by] of turns) {
        pass(ns);
        open[rank] += by;
    }
    pass(to);
    return sums;
}
