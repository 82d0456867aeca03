// SPDX-License-Identifier: MIT
// guesses.js - what a strand is likely to be, from the strands before it: the columns hold only
// where that is wrong. Word for word as guesses.c.

import { EDGE, EDGES, ENDED_BY, EVENT, FIRST, JOINS, NONE } from "./kinds.js";

const NODE_TASK = NONE;
const HOW = 256;

const creates = how => (how & ENDED_BY) === EVENT.CREATE || (how & ENDED_BY) === EVENT.FORK;
const signed = code => (code % 2 ? -(code + 1) / 2 : code / 2);

// The kind of an edge, as dag_edge_kind(): from the two strands' tasks, NONE of a barrier's node,
// and how each began and ended.
export function edge_between(from_task, to_task, from_how, to_how) {
    if (from_task === NODE_TASK || to_task === NODE_TASK) return EDGE.JOIN;
    if (from_task === to_task) return creates(from_how) ? EDGE.CREATE_CONT : EDGE.WAIT_CONT;
    if (creates(from_how)) return EDGE.CREATE;
    if (to_how & FIRST) return EDGE.DEPEND;
    return (from_how & ENDED_BY) === EVENT.SIGNAL && !(to_how & JOINS) ? EDGE.SYNC : EDGE.JOIN;
}

export class Guesses {
    // row, task: Uint16Array, Uint32Array by strand, which this fills
    constructor(row, task, n_tasks, n_rows) {
        const none = n => new Uint32Array(n).fill(NONE);
        this.row = row;
        this.task = task;
        this.how = new Uint8Array(row.length);
        this.is_claimed = new Uint8Array(row.length);
        this.last_of = none(n_tasks);
        this.parent = none(n_tasks);
        this.child = none(n_tasks);
        this.last_child = none(n_tasks);
        this.next = none(n_tasks);
        this.is_joined = new Uint8Array(n_tasks);
        this.last_on = none(n_rows);
        this.after_of = new Uint8Array(16 * n_rows);
        this.oldest = 0;
        this.next_task = 0;
        this.next_how = new Uint8Array(2 * HOW + 1);
        this.wait_of = new Uint16Array(16);
        this.n = 0;
        this.is_first = false;
        this.before = NONE; // on its row
    }

    // The next strand.  Each of the following takes what its column has, and gives what is so.
    begin(row, code) {
        const { n: i, task } = this,
            before = this.last_on[row],
            last = before === NONE ? 0 : task[before];
        this.row[i] = row;
        this.before = before;
        let is = NODE_TASK;
        if (code === 1) is = last;
        else if (code === 2) is = this.parent[last];
        else if (code > 2)
            is = code % 2 ? this.next_task + signed((code - 3) / 2) : last + signed((code - 4) / 2);
        task[i] = is;
        this.is_first = is !== NODE_TASK && this.last_of[is] === NONE;
        return is;
    }

    begin_how(differs) {
        const { n: i } = this,
            at =
                this.task[i] === NODE_TASK
                    ? 2 * HOW
                    : (this.before === NONE ? 0 : this.how[this.before]) +
                      (this.is_first ? HOW : 0);
        this.how[i] = this.next_how[at] ^= differs;
        return this.how[i];
    }

    pred() {
        const { n: i, before, how, is_claimed } = this,
            task = this.task[i];
        if (task === NODE_TASK) return NONE;
        if (!this.is_first) return this.last_of[task];
        if (before !== NONE && creates(how[before]) && !is_claimed[before]) return before;
        while (this.oldest < i && (!creates(how[this.oldest]) || is_claimed[this.oldest]))
            this.oldest++;
        return this.oldest < i ? this.oldest : NONE;
    }

    has_pred(pred) {
        if (!this.is_first) return;
        const task = this.task[this.n];
        this.next_task = task + 1;
        if (pred === NONE) return;
        this.is_claimed[pred] = 1;
        const parent = this.task[pred];
        if (parent === NODE_TASK) return;
        this.parent[task] = parent;
        if (this.child[parent] === NONE) this.child[parent] = task;
        else this.next[this.last_child[parent]] = task;
        this.last_child[parent] = task;
    }

    // As the column `edge` has it.
    edge(pred, releaser) {
        const { n: i, row } = this;
        if (releaser === NONE) return EDGES.length;
        const edge = edge_between(
            this.task[releaser],
            this.task[i],
            this.how[releaser],
            this.how[i],
        );
        if (edge <= EDGE.CREATE_CONT) return edge | (row[releaser] !== row[i] ? 1 << 3 : 0);
        return (
            edge | (!(this.how[i] & FIRST) && pred !== NONE && row[pred] !== row[i] ? 2 << 3 : 0)
        );
    }

    after(differs) {
        const at = 16 * this.row[this.n] + (this.how[this.n] & ENDED_BY);
        return (this.after_of[at] ^= differs);
    }

    wait(differs) {
        return (this.wait_of[this.how[this.n] & ENDED_BY] ^= differs);
    }

    // Appends to `from` what joins the strand: the last strands of its task's children that nobody
    // joined yet.
    children(from) {
        const parent = this.task[this.n],
            begin = from.length;
        let is_sorted = true,
            last = -1;
        for (let child = this.child[parent]; child !== NONE; child = this.next[child]) {
            if (this.is_joined[child]) continue;
            const strand = this.last_of[child];
            is_sorted &&= strand > last;
            last = strand;
            from.push(strand);
        }
        this.child[parent] = NONE;
        if (is_sorted) return;
        const sorted = Uint32Array.from(from.slice(begin)).sort();
        for (let k = 0; k < sorted.length; k++) from[begin + k] = sorted[k];
    }

    joins(strand) {
        const child = this.task[strand];
        if (child !== NODE_TASK && this.last_of[child] === strand) this.is_joined[child] = 1;
    }

    end() {
        const i = this.n++,
            task = this.task[i];
        if (task === NODE_TASK) return;
        this.last_of[task] = i;
        this.last_on[this.row[i]] = i;
    }
}
