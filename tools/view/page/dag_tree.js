// SPDX-License-Identifier: MIT
// dag_tree.js - what the DAG shows as one node, and what is inside: made when a node is first
// opened.
//
//  task      a task and all below it
//  section   strands of a task from the first that creates up to the wait that joins, and the tasks
//            created
//  strand    one strand; the tasks that it created are its sides
//  tasks     several tasks side by side: of one strand, or without a creator.  Inside of many of a
//            kind, tasks with much of the work have it as `share`, and a last node `is_rest`
//  creates   several creating strands of a section, folded, and as its side the tasks that they
//            created
//  stretch   several sections and strands of a task, folded
//  known     the known tree, and beside it:
//  orphans   all tasks whose creation is not in the page
//  left      what of a strand's, or of nobody's, is not on the page: tasks, and strands
//  chain     several tasks, each created by the one before and by nothing else, folded
//
// A node: { what, parent, spans, arrange, sides, items, open, .. }.  spans: intervals of the
// depth-first order (dag_order.js).  arrange: how its items lie (dag_layout.js): "line" one below
// the other, "spine" with sides, "row" side by side.  items: null until it was open once.  task or
// strand: what it is, or its first.  list, from, to: what it folds, and `end` is where the list's
// last entry ends in the order.
import { order_made, order_of, order_of_task } from "./dag_order.js";
import { sums_build, sums_left, sums_of, sums_own } from "./dag_sums.js";
import { EVENT, NONE } from "./kinds.js";
import { along, for_each, for_each_back, finish, pace, stage } from "./steps.js";

const FOLD_MOST = 20; // items of a node
const SIDES_MOST = 4; // tasks of one strand that are shown one by one
const CHAIN_LEAST = 12; // tasks

// The only child of tasks that have one, and how many tasks follow each other so.
/** @param {Data} data */
function* chains_build(data, order) {
    const kids = new Uint32Array(data.task.n),
        only = new Uint32Array(data.task.n).fill(NONE);
    const length = new Uint32Array(data.task.n);
    yield* for_each_back(data.strand.n, s => {
        const task = data.strand.task[s];
        if (task === NONE) return;
        for (let t = order.child[s]; t !== NONE; t = order.sibling[t]) {
            kids[task]++;
            only[task] = t;
        }
        if (data.left?.of[s]) kids[task] = 2; // no chain, whatever else it has
        if (data.task.first[task] === s)
            length[task] = kids[task] === 1 ? length[only[task]] + 1 : 1;
    });
    return { only, length };
}

// What takes long: made ahead where there is a Worker.  path: the flag of strands on the ready
// path.
/** @param {Data} data */
export function* tree_facts(data, path) {
    const order = yield* stage(order_made(data), 0, 0.5);
    return (data.facts ??= {
        sums: yield* stage(sums_build(data, order, path), 0.5, 0.8),
        chains: yield* stage(chains_build(data, order), 0.8, 1),
    });
}

// flags: of strands that go on after a wait for tasks, or a creation (joins), have extra edges, are
// on the ready path.
/** @param {Data} data */
export function tree_build(data, { joins, extra, path }) {
    const order = order_of(data),
        tree = { data, ...finish(tree_facts(data, path)), order, joins, extra, root: null };
    const { tops, n_roots } = order,
        are_all = !has_left(tree, data.strand.n);
    tree.root =
        !are_all || (n_roots > 0 && n_roots < tops.length)
            ? node_new(null, "known", [[0, order.n]], { task: tops[0] ?? NONE, arrange: "row" })
            : tasks_node(tree, null, tops, 0, tops.length);
    if (!are_all) sums_left(tree.sums, data.strand.n, tree_sum(tree, tree.root));
    return tree;
}

function has_left(tree, strand) {
    return Boolean(tree.data.left?.of[strand]);
}

function left_node(tree, parent, strand) {
    return node_new(parent, "left", [], { sum: sums_left(tree.sums, strand) });
}

// ---- nodes ----

function node_new(parent, what, spans, more) {
    return {
        what,
        parent,
        spans,
        arrange: "line",
        sides: [],
        items: null,
        open: false,
        task: NONE,
        strand: NONE,
        ...more,
    };
}

function task_node(tree, parent, task) {
    const { low, high } = order_of_task(tree.order, tree.data, task);
    const length = tree.chains.length[task];
    if (length >= CHAIN_LEAST)
        return chain_node(tree, parent, chain_tasks(tree, task, length), 0, length);
    return node_new(parent, "task", [[low, high]], { task, strand: tree.data.task.first[task] });
}

function chain_tasks(tree, task, length) {
    const list = new Uint32Array(length);
    for (let i = 0; i < length; i++, task = tree.chains.only[task]) list[i] = task;
    return list;
}

// Tasks [from, to) of a chain without what is below them, but for its last one.
function chain_spans(tree, list, from, to) {
    const { order, data } = tree,
        outer = order_of_task(order, data, list[from]);
    if (to === list.length) return [[outer.low, outer.high]];
    const inner = order_of_task(order, data, list[to]);
    return [
        [outer.low, inner.low],
        [inner.high, outer.high],
    ];
}

function chain_node(tree, parent, list, from, to) {
    const spans = chain_spans(tree, list, from, to),
        task = list[from],
        skip = to < list.length ? list[to] : NONE;
    const more = { task, strand: tree.data.task.first[task], list, from, to };
    if (to - from > 1) return node_new(parent, "chain", spans, more);
    return node_new(parent, "task", spans, { ...more, list: null, skip });
}

function tasks_node(tree, parent, list, from, to, holes = []) {
    if (to - from === 1) return task_node(tree, parent, list[from]);
    return node_of_tasks(tree, parent, "tasks", list, from, to, holes);
}

// holes: intervals, in order, of tasks that are not in the list, but lie between its tasks.
function node_of_tasks(tree, parent, what, list, from, to, holes = []) {
    const { order, data } = tree,
        more = { task: to > from ? list[from] : NONE, list, from, to, holes, arrange: "row" };
    if (to === from) return node_new(parent, what, [[0, 0]], more);
    const low = order_of_task(order, data, list[from]).low,
        { high } = order_of_task(order, data, list[to - 1]);
    return node_new(parent, what, spans_between(low, high, holes), more);
}

function spans_between(low, high, holes) {
    const spans = [];
    for (const [begin, end] of holes) {
        if (begin < low || begin >= high) continue;
        if (begin > low) spans.push([low, begin]);
        low = end;
    }
    return low < high ? [...spans, [low, high]] : spans;
}

function strand_node(tree, parent, strand, skip) {
    const p = tree.order.position[strand],
        task = tree.data.strand.task[strand];
    const node = node_new(parent, "strand", [[p, p + 1]], { task, strand });
    const created = children_of(tree, strand, skip);
    if (created.length > SIDES_MOST)
        node.sides = [tasks_node(tree, node, Uint32Array.from(created), 0, created.length)];
    else node.sides = created.map(t => task_node(tree, node, t));
    if (!has_left(tree, strand)) return node;
    node.sum = sums_own(tree.sums, strand);
    node.sides.push(left_node(tree, node, strand));
    return node;
}

function children_of(tree, strand, skip) {
    const found = [];
    for (let t = tree.order.child[strand]; t !== NONE; t = tree.order.sibling[t])
        if (t !== skip) found.push(t);
    return found;
}

// ---- what is inside ----

function list_low(tree, node, i) {
    return i < node.list.length ? tree.order.position[node.list[i]] : node.end;
}

function section_node(tree, parent, list, i, { end, skip, sections }) {
    const order = tree.order,
        low = order.position[list[i]];
    const high = i + 1 < list.length ? order.position[list[i + 1]] : end;
    const strand = list[i],
        task = tree.data.strand.task[strand];
    return node_new(parent, "section", [[low, high]], {
        task,
        strand,
        skip,
        high,
        arrange: "spine",
        closed_by: sections.get(strand),
    });
}

// Strands [from, to) of a spine, or entries of a task, as one.
function fold_node(tree, parent, from, to) {
    const like = parent.inside,
        what = like.spine ? "creates" : "stretch";
    const strand = like.list[from],
        task = tree.data.strand.task[strand];
    const node = node_new(parent, what, [], {
        task,
        strand,
        list: like.list,
        from,
        to,
        end: like.end,
        skip: like.skip,
    });
    node.arrange = like.spine ? "spine" : "line";
    node.spans = [[list_low(tree, node, from), list_low(tree, node, to)]];
    if (like.spine)
        node.sides = [
            node_new(node, "created", node.spans, { task: first_created(tree, node), owner: node }),
        ];
    return node;
}

// Of a node that folds many: n_tasks, how many stand side by side in it; kinds: theirs, the one
// that most have first.
function* count_folded(tree, node) {
    const { list, from, to, what } = node,
        n = new Map();
    let n_tasks = 0;
    yield* for_each(list ? to - from : 0, i => {
        const first = what === "creates" ? tree.order.child[list[from + i]] : list[from + i];
        for (let t = first; t !== NONE; t = what === "creates" ? tree.order.sibling[t] : NONE) {
            n.set(tree.data.task.kind[t], (n.get(tree.data.task.kind[t]) ?? 0) + 1);
            n_tasks++;
        }
    });
    const kinds = [...n.keys()].sort((a, b) => n.get(b) - n.get(a));
    Object.assign(node, { n_tasks, kinds });
}

export function tree_counted(tree, node) {
    if (node.n_tasks === undefined) finish(count_folded(tree, node));
    return node;
}

function first_created(tree, node) {
    for (let i = node.from; i < node.to; i++)
        if (tree.order.child[node.list[i]] !== NONE) return tree.order.child[node.list[i]];
    return NONE;
}

function is_creating(tree, strand, skip) {
    const child = tree.order.child[strand];
    if (has_left(tree, strand)) return true;
    return child !== NONE && (child !== skip || tree.order.sibling[child] !== NONE);
}

// Whether what its task does next waited for the tasks created before: after a wait for tasks, or a
// fork that has members to join (`nowait` has none).
function is_joined(tree, strand) {
    const next = tree.order.next[strand],
        by = tree.data.strand.ended_by[strand];
    if (next === NONE || (by !== EVENT.WAIT && by !== EVENT.FORK)) return false;
    const flags = tree.data.strand.flags[next];
    return (flags & tree.joins) !== 0 && (by === EVENT.WAIT || (flags & tree.extra) !== 0);
}

// The first strands of a task's entries: sections, and strands outside of them; of sections the
// last strand.
function* entries_of(tree, task, skip) {
    const list = [],
        sections = new Map();
    let section = NONE;
    yield* along(tree.data.task.first[task], tree.order.next, s => {
        if (section === NONE) list.push(s);
        if (section === NONE && is_creating(tree, s, skip)) section = s;
        if (section !== NONE) sections.set(section, s);
        if (is_joined(tree, s)) section = NONE;
        return true;
    });
    return { list: Uint32Array.from(list), sections };
}

function* spine_of(tree, node) {
    const list = [];
    yield* along(node.strand, tree.order.next, s => {
        const is_in = tree.order.position[s] < node.high;
        if (is_in) list.push(s);
        return is_in;
    });
    return Uint32Array.from(list);
}

// 1, 2, 5, 10, 20, .. entries a part, so that there are at most FOLD_MOST parts.
function part_size(n) {
    for (let size = 1; ; size *= 10)
        for (const times of [1, 2, 5]) if (n <= size * times * FOLD_MOST) return size * times;
}

// Where the kind of entries changes; else where the first one's comes back, as in the rounds of a
// loop; null if that is too often, or never.
function* kind_bounds(node, kind_of) {
    const changes = [node.from],
        rounds = [node.from],
        is_few = ({ length }) => length > 1 && length <= FOLD_MOST;
    yield* for_each(node.to - node.from - 1, k => {
        const i = node.from + 1 + k;
        if (kind_of(i) === kind_of(i - 1)) return;
        if (changes.length <= FOLD_MOST) changes.push(i);
        if (rounds.length <= FOLD_MOST && kind_of(i) === kind_of(node.from)) rounds.push(i);
    });
    return [changes, rounds].find(is_few) ?? null;
}

// Parts of a list, one(i) for a part of one entry, many(from, to) for others.
function* parts_of(tree, node, kind_of, one, many) {
    const n = node.to - node.from,
        items = [];
    if (n <= FOLD_MOST) {
        for (let i = node.from; i < node.to; i++) items.push(one(i));
        return items;
    }
    const by_kind = yield* stage(kind_bounds(node, kind_of), 0, 0.5),
        bounds = by_kind || even_bounds(node, part_size(n));
    for (const [k, from] of bounds.entries()) {
        const to = k + 1 < bounds.length ? bounds[k + 1] : node.to;
        items.push(to - from > 1 ? many(from, to) : one(from));
    }
    for (const item of items) yield* stage(count_folded(tree, item), 0.5, 1);
    return items;
}

function even_bounds(node, size) {
    const bounds = [];
    for (let i = node.from; i < node.to; i += size) bounds.push(i);
    return bounds;
}

function kind_created(tree, strand) {
    const task = tree.order.child[strand];
    return task === NONE ? NONE : tree.data.task.kind[task];
}

// Of a task, section, stretch or spine: node.inside says what of.
function* items_of_list(tree, node) {
    const { list, spine, sections, skip } = node.inside;
    const range = node.list ? node : { from: 0, to: list.length };
    const one = i =>
        spine || !sections.has(list[i])
            ? strand_node(tree, node, list[i], skip)
            : section_node(tree, node, list, i, node.inside);
    return yield* parts_of(
        tree,
        range,
        i => kind_created(tree, list[i]),
        one,
        (from, to) => {
            const part = fold_node(tree, node, from, to);
            part.inside = node.inside;
            return part;
        },
    );
}

function* open_task(tree, node) {
    const entries = yield* stage(entries_of(tree, node.task, node.skip ?? NONE), 0, 0.3);
    const end = order_of_task(tree.order, tree.data, node.task).high,
        skip = node.skip ?? NONE;
    if (entries.list.length === 1 && entries.sections.size === 1) {
        // nothing but a section: one level less
        node.arrange = "spine";
        node.inside = {
            list: yield* stage(spine_of(tree, { strand: node.strand, high: end }), 0.3, 0.6),
            spine: true,
            end,
            skip,
        };
    } else node.inside = { ...entries, spine: false, end, skip };
    return yield* stage(items_of_list(tree, node), 0.6, 1);
}

function* open_section(tree, node) {
    const list = yield* stage(spine_of(tree, node), 0, 0.6);
    node.inside = { list, spine: true, end: node.high, skip: node.skip };
    return yield* stage(items_of_list(tree, node), 0.6, 1);
}

// Tasks of a list that is folded which have more work than an even share of FOLD_MOST boxes, most
// work first: [{ task, low, high, work }, ..].
function* tasks_ahead(tree, node) {
    const { order, data, sums } = tree,
        least = tree_sum(tree, node).work / FOLD_MOST,
        found = [];
    let sum,
        passed = 0; // strands, at most so many for each sum
    for (let i = node.from; i < node.to; i++) {
        const task = node.list[i],
            { low, high } = order_of_task(order, data, task),
            before = sum?.work ?? 0;
        sum = sums_of(sums, low, high, sum);
        if (sum.work - before > least) found.push({ task, low, high, work: sum.work - before });
        passed += 1 + Math.min(high - low, 2 * sums.block);
        if (passed < pace.items) continue;
        yield (i - node.from) / (node.to - node.from);
        passed = 0;
    }
    return found.sort((a, b) => b.work - a.work);
}

// By kind, if that is few boxes; else each of those ahead, and one box of all others.
function* open_tasks(tree, node) {
    const { list, from, to, holes } = node,
        kind_of = i => tree.data.task.kind[list[i]],
        is_folded = to - from > FOLD_MOST && !(yield* stage(kind_bounds(node, kind_of), 0, 0.2)),
        ahead = is_folded ? yield* stage(tasks_ahead(tree, node), 0.2, 0.5) : [];
    if (!ahead.length) {
        const one = i => task_node(tree, node, list[i]),
            many = (low, high) => tasks_node(tree, node, list, low, high, holes);
        return yield* stage(parts_of(tree, node, kind_of, one, many), 0.5, 1);
    }
    const are_ahead = new Set(ahead.map(({ task }) => task)),
        others = list.slice(from, to).filter(task => !are_ahead.has(task)),
        gaps = [...holes, ...ahead.map(({ low, high }) => [low, high])].sort(by_begin),
        rest = tasks_node(tree, node, others, 0, others.length, gaps);
    yield* stage(count_folded(tree, rest), 0.5, 1);
    return [
        ...ahead.map(({ task, work }) =>
            Object.assign(task_node(tree, node, task), { share: work / tree_sum(tree, node).work }),
        ),
        Object.assign(rest, { is_rest: true }),
    ];
}

const by_begin = ([a], [b]) => a - b;

// eslint-disable-next-line require-yield -- as the others are
function* open_known(tree, node) {
    const { tops, n_roots } = tree.order,
        { n } = tree.data.strand,
        items = n_roots ? [tasks_node(tree, node, tops, 0, n_roots)] : [];
    if (n_roots < tops.length)
        items.push(node_of_tasks(tree, node, "orphans", tops, n_roots, tops.length));
    return has_left(tree, n) ? [...items, left_node(tree, node, n)] : items;
}

function open_chain(tree, node) {
    const make = (from, to) => chain_node(tree, node, node.list, from, to);
    return parts_of(
        tree,
        node,
        i => tree.data.task.kind[node.list[i]],
        i => make(i, i + 1),
        make,
    );
}

const OPENERS = {
    task: open_task,
    section: open_section,
    creates: items_of_list,
    stretch: items_of_list,
    tasks: open_tasks,
    orphans: open_tasks,
    known: open_known,
    chain: open_chain,
};

// ---- for the view ----

export function tree_can_open(tree, node) {
    if (node.what === "task")
        return (
            tree.order.next[node.strand] !== NONE ||
            is_creating(tree, node.strand, node.skip ?? NONE)
        );
    return node.what in OPENERS && (node.what !== "tasks" || node.to > node.from);
}

export function* tree_open(tree, node) {
    if (!tree_can_open(tree, node)) return false;
    node.items ??= yield* OPENERS[node.what](tree, node);
    node.open = true;
    return true;
}

// With all inside: who opens it again sees it closed.
export function tree_close(node) {
    for (const inner of tree_nodes(node)) inner.open = false;
}

// All nodes in sight from this one on, itself first; folded sides of open nodes are not in sight.
export function tree_nodes(node) {
    const found = [node];
    for (let i = 0; i < found.length; i++) {
        const each = found[i];
        if (each.open) found.push(...each.items);
        if (!(each.open && each.what === "creates")) found.push(...each.sides);
    }
    return found;
}

// How many of them follow one another that are open, closed, open ..
export function tree_marks(node) {
    const runs = [0];
    for (const each of tree_nodes(node)) {
        if (Boolean(each.open) !== (runs.length % 2 === 1)) runs.push(0);
        runs[runs.length - 1]++;
    }
    return runs;
}

// Opens what tree_marks() said; all are closed before.  At most so many nodes come into sight.
export function* tree_open_marked(tree, runs, most) {
    const found = [tree.root];
    let at = 0,
        left = runs[0];
    for (let i = 0; i < found.length && found.length <= most; i++) {
        while (left === 0 && at + 1 < runs.length) left = runs[++at];
        if (!(left-- > 0)) return;
        const node = found[i];
        if (at % 2 === 0 && (yield* tree_open(tree, node))) found.push(...node.items);
        if (!(node.open && node.what === "creates")) found.push(...node.sides);
    }
}

export function tree_sum(tree, node) {
    if (!node.sum)
        for (const [low, high] of node.spans) node.sum = sums_of(tree.sums, low, high, node.sum);
    return node.sum;
}

// From when to when it is: a fold of creations for its own strands, without the tasks that they
// created.
export function tree_times(tree, node) {
    const { start, end } = tree.data.strand;
    if (node.what !== "creates") return tree_sum(tree, node);
    return { start: start[node.list[node.from]], end: end[node.list[node.to - 1]] };
}

function holds(node, position) {
    return node.spans.some(([low, high]) => position >= low && position < high);
}

// The innermost node in sight that holds the strand; NULL if the tree has no place for it.
export function tree_find(tree, strand) {
    const position = tree.order.position[strand];
    if (position === undefined || position === NONE || !holds(tree.root, position)) return null;
    for (let node = tree.root; ;) {
        const inner = node.open ? node.items.find(item => reaches(item, position)) : null;
        const side = inner ? null : node.sides.find(each => holds(each, position));
        if (!inner && (!side || (node.open && node.what === "creates"))) return node;
        node = inner || side;
    }
}

// It, or a side of it, holds the position.
function reaches(node, position) {
    return holds(node, position) || node.sides.some(side => holds(side, position));
}

// Opens what hides the task, or the strand if one is named; the node that stands for it now.
export function* tree_reveal(tree, task, strand = NONE) {
    const wanted = strand === NONE ? tree.data.task.first[task] : strand;
    for (;;) {
        const node = tree_find(tree, wanted);
        if (!node) return null;
        const there =
            node.what === "strand" ||
            (strand === NONE && node.what === "task" && node.task === task);
        if (there || !(yield* tree_open(tree, node.owner || node))) return node;
    }
}
