// SPDX-License-Identifier: MIT
// data.js - the columns of the page as arrays (README.md says what each holds).
import { collapsed_below, read_collapsed, read_left } from "./below.js";
import { read_cpu } from "./cpu.js";
import {
    COLLAPSED,
    EDGE,
    EDGES,
    ENDED_BY,
    EVENT,
    EXTRA,
    FIRST,
    JOINS,
    NONE,
    STATE,
} from "./kinds.js";
import { first_above, read_integrals, read_interleaved } from "./levels.js";
import { read_data_of_tasks, read_operations } from "./operations.js";

// flags of a strand behind those that the trace has
export const PATH = 256;
export const NODE = 512;
export const CRITICAL = 1024;
export const BINDING = 2048;
export const LEAP = 4096;
export const TURNS = 8192;
export const MOVES = ["", "steal", "migration"];
export const BINS = {
    leading: 8,
    others: 8,
    runtime: 9,
    blocked: 10,
    tracer: 11,
    held: 12,
    classes: 13,
};

const PAUSE_TURNS = 128;

/**
 * A run, as read_data() gives it.
 * @typedef {ReturnType<typeof data_of_run> & {
 *     strand: ReturnType<typeof new_strands>, extra: { from: Uint32Array, to: Uint32Array },
 *     task: ReturnType<typeof new_tasks>, children: ReturnType<typeof link_children>,
 *     collapsed: Map<number, ReturnType<typeof read_collapsed>>,
 *     collapsed_below: Map<number, number>, left?: ReturnType<typeof read_left>,
 *     path: Uint32Array, critical: Uint32Array, binding: Uint32Array, leaps: Uint32Array,
 *     row_strands: Uint32Array[], moved: Record<number, Uint32Array>,
 *     levels: ReturnType<typeof read_levels> & { fine?: any },
 *     operations: Awaited<ReturnType<typeof read_operations>>,
 *     uses: Awaited<ReturnType<typeof read_data_of_tasks>>,
 *     tracer: ReturnType<typeof read_tracer>, cpu: ReturnType<typeof read_cpu>,
 *     counters: { name: string, unit: string, of: Float64Array }[],
 *     facts?: any, order?: any, earliest?: any,
 * }} Data
 */

/**
 * As dag_edge_kind(): from the two strands' tasks, NONE of a barrier's node, and how each began and
 * ended.
 * @param {Data} data
 */
export function edge_kind(data, from, to) {
    const { task, flags, ended_by } = data.strand,
        creates = ended_by[from] === EVENT.CREATE || ended_by[from] === EVENT.FORK;
    if (task[from] === NONE || task[to] === NONE) return EDGE.JOIN;
    if (task[from] === task[to]) return creates ? EDGE.CREATE_CONT : EDGE.WAIT_CONT;
    if (creates) return EDGE.CREATE;
    if (flags[to] & FIRST) return EDGE.DEPEND;
    return ended_by[from] === EVENT.SIGNAL && !(flags[to] & JOINS) ? EDGE.SYNC : EDGE.JOIN;
}

// Reads `from` numbers that say how far before i another strand is; see put_from() of columns.c.
function from_of(code, i, likely) {
    return code === 0 ? likely : code === 1 ? NONE : i - code + 1;
}

function new_strands(n) {
    return {
        n,
        start: new Float64Array(n),
        end: new Float64Array(n),
        row: new Uint16Array(n),
        task: new Uint32Array(n),
        pred: new Uint32Array(n),
        releaser: new Uint32Array(n),
        edge: new Uint8Array(n),
        move: new Uint8Array(n),
        ended_by: new Uint8Array(n),
        flags: new Uint16Array(n),
        after: new Uint8Array(n),
        call: new Uint8Array(n),
        wait: new Uint16Array(n),
        turn: new Map(),
        /** @type {Uint32Array | null} */
        id: null,
    };
}

// What joins strand i.
function read_joins(column, i, extra) {
    const n = column.joins.next();
    for (let k = 0, last = i; k < n; k++) {
        last += k ? column.joins.next() : -column.joins.next();
        extra.from.push(last);
        extra.to.push(i);
    }
}

// One loop over the strands, in slices: { strand, extra }.
async function read_strands(column, data, slice) {
    const s = new_strands(data.meta.kept),
        last_of = new Uint32Array(data.meta.tasks).fill(NONE),
        last_on = new Float64Array(data.rows.length),
        end_on = new Float64Array(data.rows.length + 1),
        extra = { from: [], to: [] };
    let now = 0;
    for (let i = 0; i < s.n; i++) {
        if ((i & 0x3fff) === 0x3fff) await slice();
        const row = (s.row[i] = column.row.next()),
            code = column.task.next() - 1,
            is_node = code < 0,
            length = column.length.next();
        now = column.start.signed() + (is_node ? now : end_on[row]);
        s.start[i] = now;
        s.end[i] = now + length;
        let before = NONE;
        if (!is_node) {
            end_on[row] = s.end[i];
            last_on[row] += code % 2 ? -(code + 1) / 2 : code / 2;
            before = last_of[last_on[row]];
            last_of[last_on[row]] = i;
        }
        s.task[i] = is_node ? NONE : last_on[row];
        const how = column.how.byte(),
            edge = column.edge.byte(),
            after = column.after.byte();
        s.pred[i] = from_of(column.pred.next(), i, before);
        s.releaser[i] = from_of(column.releaser.next(), i, s.pred[i]);
        s.edge[i] = edge & 7;
        s.move[i] = edge >> 3;
        s.ended_by[i] = how & ENDED_BY;
        s.flags[i] = (how & ~ENDED_BY) | (is_node ? NODE : 0);
        s.after[i] = after & 7;
        s.call[i] = (after >> 3) & 7;
        if (after & PAUSE_TURNS && !is_node) {
            s.turn.set(i, s.end[i] + column.turn.next());
            s.flags[i] |= TURNS;
        }
        s.wait[i] = column.wait.next();
        if (how & EXTRA) read_joins(column, i, extra);
        if (how & COLLAPSED) data.collapsed.set(i, read_collapsed(column.collapsed));
    }
    return {
        strand: s,
        extra: { from: Uint32Array.from(extra.from), to: Uint32Array.from(extra.to) },
    };
}

function read_rows(data) {
    const s = data.strand,
        n = new Uint32Array(data.rows.length);
    for (let i = 0; i < s.n; i++) if (!(s.flags[i] & NODE)) n[s.row[i]]++;
    const lists = Array.from(n, length => new Uint32Array(length));
    n.fill(0);
    for (let i = 0; i < s.n; i++) if (!(s.flags[i] & NODE)) lists[s.row[i]][n[s.row[i]]++] = i;
    return lists;
}

function new_tasks(n) {
    return {
        n,
        kind: new Uint32Array(n),
        parent: new Uint32Array(n).fill(NONE),
        first: new Uint32Array(n).fill(NONE),
        last: new Uint32Array(n).fill(NONE),
        begin: new Float64Array(n).fill(NaN),
        end: new Float64Array(n).fill(NaN),
        created: new Float64Array(n).fill(NaN),
        ready: new Float64Array(n).fill(NaN),
        depth: new Uint32Array(n),
        work: new Float64Array(n),
        n_strands: new Uint32Array(n),
        state: new Uint8Array(n),
        /** @type {Uint32Array | null} */
        id: null,
    };
}

// What of a task is not on the page: put_missing() of left.c.
function read_life(life, task, t) {
    task.n_strands[t] += life.next();
    task.end[t] += life.next();
    task.work[t] += life.next();
    const ready = life.next();
    if (ready) task.ready[t] = task.begin[t] - ready + 1;
}

// Of a page that has some strands only: which tasks they are of, and what these have besides.
async function read_lives(column, task, children, slice) {
    task.id = read_ids(column.task_id, task.n);
    for (let t = 0; t < task.n; t++) {
        if ((t & 0xffff) === 0xffff) await slice();
        const left = column.task_left.next();
        children.n[t] += left >> 1;
        if (left & 1) read_life(column.task_life, task, t);
    }
}

function begin_task(data, t, i, s, task) {
    task.first[t] = i;
    task.begin[t] = s.start[i];
    if (s.pred[i] !== NONE && s.task[s.pred[i]] !== NONE) {
        task.parent[t] = s.task[s.pred[i]];
        task.created[t] = s.end[s.pred[i]];
    }
    if (s.releaser[i] !== NONE) task.ready[t] = s.end[s.releaser[i]];
    if (task.parent[t] !== NONE) task.depth[t] = task.depth[task.parent[t]] + 1;
}

// What strands say of tasks.
async function read_tasks(column, data, slice) {
    const s = data.strand,
        task = new_tasks(data.meta.tasks);
    let kind = 0;
    for (let t = 0; t < task.n; t++) {
        kind += column.task_kind.signed();
        task.kind[t] = kind;
        task.state[t] = column.task_state.byte();
        const creator = column.task_creator.next();
        if (creator) task.parent[t] = creator - 1;
    }
    for (let i = 0; i < s.n; i++) {
        if ((i & 0xffff) === 0xffff) await slice();
        const t = s.task[i];
        if (t === NONE) continue;
        if (task.first[t] === NONE) begin_task(data, t, i, s, task);
        task.last[t] = i;
        task.end[t] = s.end[i];
        task.n_strands[t]++;
        task.work[t] += s.flags[i] & COLLAPSED ? data.collapsed.get(i).work : s.end[i] - s.start[i];
    }
    return task;
}

function indexes_of(array, value) {
    const list = new Uint32Array(array.length);
    let n = 0;
    for (let i = 0; i < array.length; i++) if (array[i] === value) list[n++] = i;
    return list.slice(0, n);
}

// A list of strands, each of which gets the flag.
function read_list(numbers, strand, flag) {
    const list = new Uint32Array(numbers.bytes.length);
    let n = 0,
        last = 0;
    while (!numbers.over) {
        last += numbers.next();
        list[n++] = last;
        strand.flags[last] |= flag;
    }
    return list.slice(0, n);
}

function read_tracer(column) {
    const spans = [];
    while (!column.tracer.over) {
        const row = column.tracer.next(),
            from = column.tracer.next();
        spans.push({ row, from, to: from + column.tracer.next() });
    }
    return spans;
}

// Bins by row get fewer with more rows: bins_by_row() of bins.c.
function bins_by_row(n_rows, most) {
    let n = most;
    while (n > 64 && n * n_rows * BINS.classes > 1 << 21) n /= 2;
    return n;
}

function read_levels(column, data) {
    const n = data.meta.bins,
        n_row = bins_by_row(data.rows.length, n),
        width = Math.floor(data.elapsed / n) + 1;
    const row_width = Math.floor(data.elapsed / n_row) + 1;
    const rows = read_integrals(
        column.bins_rows,
        data.rows.length * BINS.classes,
        n_row,
        row_width,
        data.elapsed,
    );
    return {
        width,
        row_width,
        rows: data.rows.map((_, r) => rows.slice(r * BINS.classes, (r + 1) * BINS.classes)),
        ready: read_integrals(column.bins_ready, EDGES.length, n, width, data.elapsed),
        components: read_interleaved(column.bins_components, 4, n, width, data.elapsed),
    };
}

// What strands counted: { name, unit, of: Float64Array by strand }.
async function read_counters(meta, columns, n, slice) {
    const counters = [];
    for (const { number, name, unit } of meta.counters ?? []) {
        const numbers = await columns("counter" + number),
            of = new Float64Array(n);
        for (let i = 0; i < n; i++) of[i] = numbers.next();
        counters.push({ name, unit, of });
        await slice();
    }
    return counters;
}

// Children of each task, in the order of their beginning.
function link_children(task, strand) {
    const next = new Uint32Array(task.n).fill(NONE),
        first = new Uint32Array(task.n).fill(NONE);
    const n = new Uint32Array(task.n);
    for (let i = strand.n - 1; i >= 0; i--) {
        const t = strand.task[i];
        if (t === NONE || task.first[t] !== i || task.parent[t] === NONE) continue;
        next[t] = first[task.parent[t]];
        first[task.parent[t]] = t;
        n[task.parent[t]]++;
    }
    return { next, first, n };
}

// Columns that say something of all the run, and those that hold strands and tasks.
const OF_ALL = ["bins_rows", "bins_ready", "bins_components", "cpu", "tracer", "operations"];
const OF_STRANDS = [
    "start",
    "length",
    "row",
    "task",
    "pred",
    "releaser",
    "edge",
    "how",
    "after",
    "turn",
    "wait",
    "joins",
    "collapsed",
    "strand_id",
    "left",
    "left_tasks",
    "left_strands",
    "left_start",
    "left_length",
    "left_work",
    "path",
    "critical",
    "binding",
    "leaps",
    "task_kind",
    "task_state",
    "task_creator",
    "task_id",
    "task_left",
    "task_life",
    "data",
];

async function read_columns(names, columns, slice) {
    const column = {};
    for (const name of names) {
        column[name] = await columns(name);
        await slice();
    }
    return column;
}

function read_ids(numbers, n) {
    const ids = new Uint32Array(n);
    for (let i = 0, id = 0; i < n; i++) ids[i] = id += numbers.next();
    return ids;
}

// Strands and tasks into `data`, which has all else.
async function read_into(data, columns, slice) {
    const column = await read_columns(OF_STRANDS, columns, slice);
    data.collapsed = new Map();
    Object.assign(data, await read_strands(column, data, slice));
    data.collapsed_below = collapsed_below(data);
    data.strand.id = data.partial ? read_ids(column.strand_id, data.strand.n) : null;
    if (data.partial) data.left = read_left(column, data.strand);
    data.path = read_list(column.path, data.strand, PATH);
    data.critical = read_list(column.critical, data.strand, CRITICAL);
    data.binding = read_list(column.binding, data.strand, BINDING);
    data.leaps = read_list(column.leaps, data.strand, LEAP);
    data.row_strands = read_rows(data);
    data.moved = [1, 2].reduce(
        (all, move) => ({ ...all, [move]: indexes_of(data.strand.move, move) }),
        {},
    );
    data.task = await read_tasks(column, data, slice);
    data.counters = await read_counters(data.meta, columns, data.strand.n, slice);
    data.uses = await read_data_of_tasks(column.data, data.task.n, slice);
    data.children = link_children(data.task, data.strand);
    if (data.partial) await read_lives(column, data.task, data.children, slice);
    return data;
}

export function names_of_columns(meta) {
    return [
        ...OF_ALL,
        ...OF_STRANDS,
        ...(meta.counters ?? []).map(({ number }) => "counter" + number),
    ];
}

// What needs no column.
export function data_of_run(meta) {
    const data = {
        meta,
        elapsed: meta.elapsed,
        n_workers: meta.n_workers,
        rows: meta.rows,
        kinds: meta.kinds,
        sites: meta.sites,
        waits: meta.waits,
        leading: meta.leading,
        findings: meta.findings,
        partial: meta.partial ? { strands: meta.strands, kept: meta.kept, full: null } : null,
        NONE,
    };
    // not defined in the trace
    for (const of of [...data.waits, ...data.kinds]) if (of.site >= data.sites.length) of.site = -1;
    data.kinds.forEach(kind => {
        kind.row = -1;
    });
    meta.kind_of_row.forEach((kind, row) => {
        data.kinds[kind].row = row;
    });
    return data;
}

// columns: function of a column's name that gives its Numbers, soon.  slice: lets the browser draw
// in between.
export async function read_data(meta, columns, slice) {
    const column = await read_columns(OF_ALL, columns, slice),
        data = data_of_run(meta);
    data.levels = read_levels(column, data);
    data.cpu = read_cpu(column.cpu, data.rows.length);
    data.tracer = read_tracer(column);
    data.operations = await read_operations(column.operations, meta.operations, slice);
    return read_into(data, columns, slice);
}

// The same run with other strands: all in `own.full`, [from, to), besides those of the page.
export async function read_window(data, own, columns, slice) {
    const {
        meta,
        elapsed,
        n_workers,
        rows,
        kinds,
        sites,
        waits,
        leading,
        findings,
        levels,
        cpu,
        tracer,
        operations,
    } = data;
    return read_into(
        {
            meta: { ...meta, kept: own.kept, tasks: own.tasks },
            elapsed,
            n_workers,
            rows,
            kinds,
            sites,
            waits,
            leading,
            findings,
            levels,
            cpu,
            tracer,
            operations,
            partial: { ...data.partial, kept: own.kept, full: own.full },
            NONE,
        },
        columns,
        slice,
    );
}

// Whether all strands in that time are there.
/** @param {Data} data */
export function is_whole(data, from, to) {
    const { partial } = data;
    return !partial || (partial.full !== null && from >= partial.full[0] && to <= partial.full[1]);
}

// Which number of the trace a strand or a task of the page has: `of` is data.strand or data.task.
export function id_of(of, i) {
    return of.id && i !== null && i !== NONE ? of.id[i] : i;
}

// And back; null if the page does not have it.
export function index_of(of, id) {
    if (!of.id || id === null || id === NONE) return id;
    const i = first_above(of.id, id) - 1;
    return i >= 0 && of.id[i] === id ? i : null;
}

// When what a worker is in after strand i turns into time in the runtime: at most at its next
// strand's start.
export function turn_of(s, i, next) {
    return s.flags[i] & TURNS ? Math.min(s.turn.get(i), next) : next;
}

// What a worker is in between strand i and the next on its row, which starts at `next`: [[from, to,
// state], ..].
/** @param {Data} data */
export function pauses(data, i, next) {
    const s = data.strand,
        turn = turn_of(s, i, next),
        list = [];
    if (turn > s.end[i]) list.push([s.end[i], turn, s.after[i]]);
    if (next > turn) list.push([turn, next, STATE.RUNTIME]);
    return list;
}

// { state, strand, from, to, call }: of a row.  strand: what runs, or ran last; NONE.
/** @param {Data} data */
export function row_at(data, row, ns) {
    const list = data.row_strands[row],
        { start, end, call } = data.strand,
        at = first_above(start, ns, list) - 1;
    const next = at + 1 < list.length ? start[list[at + 1]] : data.elapsed;
    if (at < 0)
        return {
            state: STATE.IDLE,
            strand: NONE,
            next: list[0] ?? NONE,
            from: 0,
            to: next,
            call: 0,
        };
    const strand = list[at],
        found = { strand, next: list[at + 1] ?? NONE, call: call[strand] };
    if (ns < end[strand])
        return { ...found, state: STATE.RUNNING, from: start[strand], to: end[strand] };
    const pause = pauses(data, strand, next).find(([from, to]) => ns >= from && ns < to) ?? [
        end[strand],
        next,
        STATE.IDLE,
    ];
    const is_held = data.tracer.some(span => span.row === row && ns >= span.from && ns < span.to);
    return { ...found, state: is_held ? STATE.TRACER : pause[2], from: pause[0], to: pause[1] };
}
