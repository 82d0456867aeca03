// SPDX-License-Identifier: MIT
// job_rows.js - the processes of a job on one clock, and the tree of rows: hosts or blocks of
// ranks, processes, their runtimes, workers.
import { numbers_of } from "./codec.js";
import { Integral } from "./levels.js";
import { count, plain } from "./format.js";
import { pace } from "./steps.js";

export const STATES = ["running", "message", "blocked", "runtime", "tracer"]; // as bins.h has them
const BLOCKED_FROM = 64, // processes: from here on rows of so many are one, closed at first, ..
    BLOCKS_MOST = 32, // .. and there are at most so many
    GROUP_BINS = 2048;

// What a row is in, by state.  of: Integrals of time since `offset` on the job's clock; n: workers,
// also those that ran nothing.
export class Series {
    constructor({ offset, elapsed, n, of }) {
        this.offset = offset;
        this.elapsed = elapsed; // of the window
        this.n = n;
        this.of = of;
    }

    // The share of each of `n` columns of [from, to) that it is in each state.
    in_pixels(from, to, n) {
        const ns = (to - from) / n,
            columns = STATES.map(() => null);
        this.of.forEach((integral, state) => {
            if (integral.total === 0) return;
            const column = (columns[state] = new Float32Array(n));
            let before = integral.until(from - this.offset);
            for (let x = 0; x < n; x++) {
                const now = integral.until(from + (x + 1) * ns - this.offset);
                column[x] = (now - before) / (ns * this.n);
                before = now;
            }
        });
        return columns;
    }

    // Shares of [from, to), by state.
    over(from, to) {
        return this.of.map(
            integral =>
                integral.over(from - this.offset, to - this.offset) / ((to - from) * this.n),
        );
    }
}

// ---- reading ----

// { all, rows }: a Series of the process, and one of each worker that ran something.
export async function read_process(process, text, slice) {
    const numbers = await numbers_of(text),
        { bins, shown_ns, begin, elapsed_ns } = process,
        width = Math.floor(shown_ns / bins) + 1,
        sums = STATES.map(() => new Float64Array(bins)),
        series = (n, of) => new Series({ offset: begin, elapsed: elapsed_ns, n, of }),
        rows = [];
    for (let row = 0; row < process.rows.length; row++) {
        const of = sums.map(sum => {
            const values = new Float64Array(bins);
            for (let b = 0; b < bins; b++) sum[b] += values[b] = numbers.next();
            return new Integral(width, values, shown_ns);
        });
        rows.push(series(1, of));
        await slice();
    }
    const all = sums.map(values => new Integral(width, values, shown_ns));
    return { all: series(Math.max(1, process.workers, rows.length), all), rows };
}

// Several series as one, on a grid of their own; in steps.
export function* sum_of(list) {
    const first = Math.min(...list.map(each => each.offset)),
        end_of = each => each.offset + Math.max(each.elapsed, ...each.of.map(of => of.end)),
        length = Math.max(...list.map(end_of)) - first,
        width = length / GROUP_BINS,
        sums = STATES.map(() => new Float64Array(GROUP_BINS));
    let worked = 0;
    for (const [i, each] of list.entries())
        for (const [state, of] of each.of.entries()) {
            if (of.total === 0) continue;
            let before = 0;
            for (let b = 0; b < GROUP_BINS; b++) {
                const now = of.until(first + (b + 1) * width - each.offset);
                sums[state][b] += now - before;
                before = now;
            }
            worked += GROUP_BINS;
            if (worked < pace.items) continue;
            worked = 0;
            yield i / list.length;
        }
    return new Series({
        offset: first,
        elapsed: length,
        n: list.reduce((n, each) => n + each.n, 0),
        of: sums.map(values => new Integral(width, values, length)),
    });
}

// ---- names ----

export function name_of_process({ rank, world, pid = null, program = null }) {
    if (rank === null) return `${plain(program ?? "process")} ${pid}`;
    return world > 1 ? `rank ${rank} of world ${world}` : `rank ${rank}`;
}

function name_of_block(processes) {
    const name = name_of_process(processes[0]),
        last = processes[processes.length - 1];
    return processes.length === 1
        ? name
        : `${name.replace("rank", "ranks")} \u2013 ${name_of_process(last).replace(/^\S+ /, "")}`;
}

// How they ended and what was lost, then what reports of single processes say first (some of it
// again); those that differ by numbers alone are one, unless these are names.
export function notes_of(processes) {
    const alike = new Map();
    for (const key of ["fates", "notes"])
        for (const process of processes)
            for (const note of process[key]) {
                const text = note.replace(/(?<!(signal|status) )\b\d[\d.]*( [mun]?s\b)?/g, "0");
                if (!alike.has(text)) alike.set(text, new Set());
                alike.get(text).add(`${name_of_process(process)}: ${note}`);
            }
    return [...alike.values()].map(([first, ...rest]) =>
        rest.length ? `${first} (and ${count(rest.length)} more like it)` : first,
    );
}

// ---- the tree ----

// A row: key (in the URL), label, depth, the processes that it stands for, children; series: once
// it is known.
function node(key, label, processes, children, series = null) {
    return { key, label, processes, children, series, depth: 0 };
}

function worker_nodes(process, i, rows) {
    const worker = row =>
        node(`w${i}.${row}`, `worker ${process.rows[row].worker}`, [i], [], rows[row]);
    return rows.map((_, row) => worker(row));
}

function runtime_nodes(process, i, rows, workers) {
    const names = [...new Set(process.rows.map(({ runtime }) => runtime))];
    if (names.length < 2) return workers;
    return names.map((name, r) =>
        node(
            `r${i}.${r}`,
            plain(name ?? "no runtime"),
            [i],
            workers.filter((_, row) => process.rows[row].runtime === name),
        ),
    );
}

function process_node(process, i, { all, rows }) {
    const workers = worker_nodes(process, i, rows),
        children = rows.length > 1 ? runtime_nodes(process, i, rows, workers) : [];
    return node(`p${i}`, name_of_process(process), [i], children, all);
}

// Many rows, in blocks of as many: a power of two.
function block_nodes(nodes, processes) {
    if (nodes.length <= BLOCKED_FROM) return nodes;
    const size = 2 ** Math.ceil(Math.log2(nodes.length / BLOCKS_MOST)),
        blocks = [];
    for (let at = 0; at < nodes.length; at += size) {
        const part = nodes.slice(at, at + size),
            of = part.flatMap(each => each.processes);
        blocks.push(node(`b${of[0]}`, name_of_block(of.map(i => processes[i])), of, part));
    }
    return blocks;
}

function set_depth(nodes, depth) {
    for (const each of nodes) {
        each.depth = depth;
        set_depth(each.children, depth + 1);
    }
    return nodes;
}

// series: of each process, as read_process() gives them.
export function tree_of(processes, series) {
    const nodes = processes.map((process, i) => process_node(process, i, series[i])),
        hosts = [...new Set(processes.map(({ host }) => host))];
    if (hosts.length < 2) return set_depth(block_nodes(nodes, processes), 0);
    const of_host = host => nodes.filter((_, i) => processes[i].host === host);
    return set_depth(
        hosts.map((host, h) => {
            const own = of_host(host),
                all = own.flatMap(each => each.processes);
            return node(`h${h}`, plain(host ?? "no host"), all, block_nodes(own, processes));
        }),
        0,
    );
}

// Every row that has no series gets that of its children, in steps.
export function* complete(nodes) {
    for (const each of nodes) {
        yield* complete(each.children);
        each.series ??= yield* sum_of(each.children.map(child => child.series));
    }
}

// Rows in sight: of a node that is not open, none below it.
export function rows_of(nodes, open) {
    return nodes.flatMap(each => [
        each,
        ...(open.has(each.key) ? rows_of(each.children, open) : []),
    ]);
}

export function all_keys(nodes) {
    return nodes.flatMap(each =>
        each.children.length ? [each.key, ...all_keys(each.children)] : [],
    );
}

// The keys of the rows above the process's own: open, they show it.
export function keys_above(nodes, process) {
    for (const each of nodes)
        if (each.key !== `p${process}` && each.processes.includes(process) && each.children.length)
            return [each.key, ...keys_above(each.children, process)];
    return [];
}

// ---- findings ----

// { late, waits }: numbers of processes that a finding names; null.
export function ranks_of(finding, processes) {
    const index_of = id => {
        const fact = finding?.facts.find(each => each.id === id),
            i = processes.findIndex(p => p.rank === fact?.value && p.world === fact?.world);
        return i < 0 ? null : i;
    };
    return { late: index_of("rank"), waits: index_of("waiting_rank") };
}
