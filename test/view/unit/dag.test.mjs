// SPDX-License-Identifier: MIT
// dag.test.mjs - order, sums, tree and layout of the DAG: tools/view/page/dag_*.js.
import assert from "node:assert/strict";
import test from "node:test";
import {
    order_build as order_build_steps,
    order_is_below,
    order_of_task,
} from "../../../tools/view/page/dag_order.js";
import { sums_build as sums_build_steps, sums_of } from "../../../tools/view/page/dag_sums.js";
import {
    tree_build,
    tree_counted,
    tree_close,
    tree_find,
    tree_nodes,
    tree_open as tree_open_steps,
    tree_reveal as tree_reveal_steps,
    tree_sum,
    tree_times,
} from "../../../tools/view/page/dag_tree.js";
import { node_label, node_name } from "../../../tools/view/page/dag_names.js";
import { fit } from "../../../tools/view/page/dag_draw.js";
import { scale_rules } from "../../../tools/view/page/dag_scale.js";
import { layout_build, SPREAD } from "../../../tools/view/page/dag_layout.js";
import { motion_end, motion_start, motion_step } from "../../../tools/view/page/dag_motion.js";
import { chain, fib, FLAG, forest, loop, NONE, random, run_of, at_once } from "./fake.mjs";

// What the page does in steps, at once.
const order_build = at_once(order_build_steps);
const sums_build = at_once(sums_build_steps);
const tree_open = at_once(tree_open_steps);
const tree_reveal = at_once(tree_reveal_steps);

const FLAGS = { joins: FLAG.JOINS, extra: FLAG.EXTRA, path: FLAG.PATH };
const RULES = {
    size: node => (node.what === "strand" ? { width: 16, height: 16 } : { width: 80, height: 28 }),
    gap: () => 20,
    pad: { top: 16, side: 8, bottom: 8 },
    span: null,
};

function open_all(tree, most = 3000) {
    for (let i = 0; i < 100; i++) {
        const closed = tree_nodes(tree.root).filter(node => !node.open);
        if (closed.length > most || !closed.map(node => tree_open(tree, node)).some(Boolean))
            return;
    }
}

function* runs() {
    yield run_of([fib(8)]);
    yield run_of([loop(300, [1, 2])]);
    yield run_of([chain(40)]);
    yield run_of([fib(3), fib(4), loop(50)]);
    for (let seed = 1; seed <= 30; seed++)
        yield run_of([forest(200, random(seed))], task => task % 3, 3);
}

test("order: each strand has one place, and a task's are together", () => {
    for (const data of runs()) {
        const order = order_build(data);
        assert.equal(order.n, data.strand.n);
        for (let p = 0; p < order.n; p++) assert.equal(order.position[order.strand_at[p]], p);
        for (let s = 0; s < data.strand.n; s++) {
            const { low, high } = order_of_task(order, data, data.strand.task[s]);
            assert.ok(order.position[s] >= low && order.position[s] < high);
        }
        for (let t = 0; t < data.task.n; t++)
            if (data.task.parent[t] !== NONE)
                assert.ok(order_is_below(order, data, t, data.task.parent[t]));
    }
});

test("order: a barrier's node and a task without strands have no place", () => {
    const data = run_of([fib(3)]),
        node = data.task.last[1];
    data.strand.task[node] = NONE;
    data.task.first[3] = data.task.last[3] = NONE;
    const order = order_build(data);
    assert.equal(order.position[node], NONE);
    assert.ok(order.n < data.strand.n);
});

test("sums: equal a plain loop over any interval, and blocks do not change them", () => {
    const data = run_of([loop(2000), fib(6)], task => task % 2, 2),
        order = order_build(data),
        sums = sums_build(data, order);
    const next = random(7);
    assert.ok(sums.start.length > 2);
    for (let i = 0; i < 200; i++) {
        const low = (next() * order.n) | 0,
            high = low + ((next() * (order.n - low)) | 0),
            sum = sums_of(sums, low, high);
        const strands = Array.from(order.strand_at.subarray(low, high));
        const length = s => data.strand.end[s] - data.strand.start[s];
        assert.equal(sum.strands, strands.length);
        assert.equal(
            sum.work,
            strands.reduce((work, s) => work + length(s), 0),
        );
        assert.equal(
            sum.by_row[1],
            strands.filter(s => data.strand.row[s] === 1).reduce((work, s) => work + length(s), 0),
        );
        assert.equal(
            sum.tasks,
            strands.filter(s => data.task.first[data.strand.task[s]] === s).length,
        );
        if (strands.length)
            assert.equal(sum.end, Math.max(...strands.map(s => data.strand.end[s])));
    }
});

test("sums: a collapsed strand counts what it stands for", () => {
    const data = run_of([fib(2)]);
    data.collapsed.set(1, { work: 2, tasks: 41 });
    const order = order_build(data),
        sum = sums_of(sums_build(data, order), 0, order.n);
    assert.equal(sum.tasks, data.task.n + 41);
});

// The run, and what is not on its page: below strand 0, and below none.
function with_left(data) {
    const of = new Uint32Array(data.strand.n + 1),
        sums = { tasks: [0, 41, 5], strands: [0, 90, 6], work: [0, 1000, 10] };
    of[0] = 1;
    of[data.strand.n] = 2;
    return { ...data, left: { of, ...sums, start: [Infinity, 1, 2], end: [-Infinity, 2000, 3] } };
}

test("tree: what is not on the page hangs as one node below its strand, or beside the tree", () => {
    const data = with_left(run_of([fib(5)])),
        tree = tree_build(data, FLAGS);
    assert.equal(tree.root.what, "known");
    assert.equal(tree_sum(tree, tree.root).tasks, data.task.n + 46);
    assert.equal(tree_sum(tree, tree.root).left_work, 1010);
    for (let round = 0; round < 8; round++) {
        const closed = tree_nodes(tree.root).filter(
            node => !node.open && !(node.what === "creates" && node.sides.length),
        );
        const sum = closed.reduce((n, node) => n + tree_sum(tree, node).strands, 0);
        assert.equal(sum, data.strand.n + 96, `round ${round}`);
        closed.forEach(node => tree_open(tree, node));
    }
    const of = tree_nodes(tree.root).filter(({ what }) => what === "left");
    assert.deepEqual(
        of.map(node => [node.parent.what, tree_sum(tree, node).tasks, tree_times(tree, node).end]),
        [
            ["known", 5, 3],
            ["strand", 41, 2000],
        ],
    );
    assert.equal(tree_sum(tree, of[1].parent).work, 1, "a strand's own");
    assert.ok(!tree_open(tree, of[1]));
});

test("tree: what hangs below none is shown beside tasks whose creation is not here", () => {
    const data = with_left(run_of([fib(5)])),
        tree = tree_build({ ...data, kinds: [{}, { site: 0 }] }, FLAGS);
    tree_open(tree, tree.root);
    assert.deepEqual(
        tree.root.items.map(({ what }) => what),
        ["orphans", "left"],
    );
});

test("tree: tasks of which something is not on the page are no chain", () => {
    const data = with_left(run_of([chain(40)])),
        tree = tree_build(data, FLAGS);
    tree_open(tree, tree.root);
    assert.deepEqual(
        tree.root.items.map(({ what }) => what),
        ["task", "left"],
    );
});

test("tree: closed nodes in sight are a partition of all strands, whatever is open", () => {
    for (const data of runs()) {
        const tree = tree_build(data, FLAGS);
        for (let round = 0; round < 8; round++) {
            const closed = tree_nodes(tree.root).filter(
                node => !node.open && !(node.what === "creates" && node.sides.length),
            );
            const sum = closed.reduce((n, node) => n + tree_sum(tree, node).strands, 0);
            assert.equal(sum, data.strand.n, `round ${round}`);
            closed.forEach(node => tree_open(tree, node.owner ?? node));
        }
    }
});

test("tree: opened all the way, each strand is a node", () => {
    for (const data of runs()) {
        const tree = tree_build(data, FLAGS);
        open_all(tree, 1e5);
        const strands = tree_nodes(tree.root).filter(
            node => node.what === "strand" || (node.what === "task" && !node.open),
        );
        assert.equal(new Set(strands.map(node => node.strand)).size, strands.length);
        assert.equal(
            strands.reduce((n, node) => n + tree_sum(tree, node).strands, 0),
            data.strand.n,
        );
    }
});

test("tree: a loop of 100,000 tasks folds, by kind, and opens in steps", () => {
    const data = run_of([loop(100000, [1, 2])]),
        tree = tree_build(data, FLAGS);
    tree_open(tree, tree.root);
    const [section] = tree.root.items;
    tree_open(tree, section);
    assert.equal(section.what, "section");
    assert.ok(section.items.length <= 20);
    assert.deepEqual(
        section.items.slice(0, 2).map(node => [node.what, node.to - node.from]),
        [
            ["creates", 50000],
            ["creates", 50000],
        ],
    );
    assert.equal(tree_sum(tree, section.items[1]).tasks, 50000);
    const node = tree_reveal(tree, 77777);
    assert.deepEqual([node.what, node.task], ["task", 77777]);
    assert.ok(tree_nodes(tree.root).length < 400);
});

test("tree: rounds of a loop fold one by one", () => {
    const round = [1, 1, 1, 2].map(kind => ({ kind, body: [{ run: 5 }] })),
        make = Array.from({ length: 15 }, () => round).flat();
    const data = run_of([{ kind: 0, body: [{ run: 1, make, wait: true }, { run: 1 }] }]),
        tree = tree_build(data, FLAGS);
    open_all(tree, 3);
    const folds = tree_nodes(tree.root).filter(node => node.list && node.to - node.from === 4);
    assert.equal(
        folds.length,
        15,
        tree_nodes(tree.root)
            .map(node => node.what)
            .join(" "),
    );
    for (const node of folds) assert.deepEqual(tree_counted(tree, node).kinds, [1, 2]);
});

test("names: strands of a section that create nothing are no tasks", () => {
    const steps = Array.from({ length: 60 }, () => ({ run: 1 }));
    const data = run_of([
        {
            kind: 0,
            body: [
                { run: 1, make: [{ kind: 1, body: [{ run: 5 }] }] },
                ...steps,
                { run: 1, wait: true },
                { run: 1 },
            ],
        },
    ]);
    const tree = tree_build(data, FLAGS),
        app = { data, format: { count: String, kind: kind => `kind ${kind}` } };
    open_all(tree, 3);
    const names = tree_nodes(tree.root)
        .filter(node => node.what === "created")
        .map(node => node_name(app, tree, node));
    assert.ok(names.length > 0 && names.some(name => /^\d+ strands$/.test(name)), names.join(", "));
    assert.ok(!names.some(name => name.startsWith("0 ")), names.join(", "));
});

test("tree: a strand that makes many tasks folds them; so do many tasks without a creator", () => {
    const many = Array.from({ length: 5000 }, () => ({ kind: 1, body: [{ run: 1 }] }));
    const data = run_of([
        { kind: 0, body: [{ run: 1, make: many }, { run: 1, wait: true }, { run: 1 }] },
    ]);
    const tree = tree_build(data, FLAGS);
    open_all(tree, 30);
    assert.ok(
        tree_nodes(tree.root).some(node => node.what === "tasks" && node.to - node.from === 5000),
    );
    const tops = tree_build(run_of(many), FLAGS);
    assert.equal(tops.root.what, "tasks");
    tree_open(tops, tops.root);
    assert.ok(tops.root.items.length <= 20);
});

test("tree: of many tasks of a kind the one with all the work is first, and widest", () => {
    const worker = run => ({ kind: 1, body: [{ run }] }),
        runs_ns = Array.from({ length: 64 }, (_, i) => (i === 37 ? 9e5 : i === 11 ? 3e5 : 10)),
        data = run_of(runs_ns.map(worker), task => task, 64),
        tree = tree_build(data, FLAGS);
    tree_open(tree, tree.root);
    const { items } = tree.root,
        [first, second, others] = items;
    assert.deepEqual([first.task, second.task], [37, 11]);
    assert.equal(items.length, 3);
    assert.deepEqual([others.what, tree_sum(tree, others).work], ["tasks", 620]);
    const width = node => scale_rules(tree, "depth", false).size(node).width;
    assert.ok(width(first) > width(second) && width(second) > width(others));
    assert.equal(
        items.reduce((n, node) => n + tree_sum(tree, node).tasks, 0),
        64,
    );
    for (let t = 0; t < 64; t++)
        assert.equal(tree_reveal(tree, t).task, t, "each task is where its node is");
    const format = { time: ns => `${ns}`, share: x => `${Math.round(100 * x)} %`, kind: () => "f" };
    assert.equal(node_label({ data, format }, tree, first)[1], "900000, 75 %");
});

test("tree: of many tasks alike none stands out", () => {
    const data = run_of(Array.from({ length: 64 }, () => ({ kind: 1, body: [{ run: 5 }] }))),
        tree = tree_build(data, FLAGS);
    tree_open(tree, tree.root);
    assert.deepEqual(new Set(tree.root.items.map(node => node.share)), new Set([undefined]));
    assert.deepEqual(
        tree.root.items.map(node => node.task),
        [...tree.root.items.map(node => node.task)].sort((a, b) => a - b),
    );
});

test("tree: a chain of 100,000 tasks folds, and its parts add up", () => {
    const data = run_of([chain(100000)]),
        tree = tree_build(data, FLAGS);
    assert.equal(tree.root.what, "chain");
    tree_open(tree, tree.root);
    assert.ok(tree.root.items.length <= 20);
    assert.equal(
        tree.root.items.reduce((n, node) => n + tree_sum(tree, node).tasks, 0),
        100000,
    );
    const node = tree_reveal(tree, 54321);
    assert.equal(node.task, 54321);
    assert.equal(tree_find(tree, data.task.first[54321]), node);
});

test("tree: a section ends at a wait for tasks, not at a creation, or a fork to join none", () => {
    const data = run_of([fib(5)]);
    for (let s = 0; s < data.strand.n; s++)
        if (!(data.strand.flags[s] & FLAG.FIRST)) data.strand.flags[s] |= FLAG.JOINS;
    const items = () => {
        const tree = tree_build(data, FLAGS);
        tree_open(tree, tree.root);
        return tree.root.items.map(node => node.what);
    };
    assert.deepEqual(items(), ["section", "strand"]);
    data.strand.ended_by[0] = 7;
    assert.deepEqual(items(), ["section", "strand"]);
    for (let s = 1; s < data.strand.n; s++)
        if (data.strand.task[s] === 0 && data.strand.pred[s] === 0)
            data.strand.flags[s] |= FLAG.EXTRA;
    assert.deepEqual(items(), ["section", "section", "strand"]);
});

test("tree: closing and opening again shows it closed inside", () => {
    const tree = tree_build(run_of([fib(6)]), FLAGS);
    open_all(tree);
    tree_close(tree.root);
    assert.equal(tree_nodes(tree.root).length, 1);
    tree_open(tree, tree.root);
    assert.ok(tree.root.items.every(node => !node.open));
});

// ---- layout ----

function overlap(a, b) {
    return (
        a.x - a.left < b.x + b.right - 1e-6 &&
        b.x - b.left < a.x + a.right - 1e-6 &&
        a.y < b.y + b.depth - 1e-6 &&
        b.y < a.y + a.depth - 1e-6
    );
}

function check(layout) {
    const closed = layout.places.filter(place => !place.items.length).sort((a, b) => a.y - b.y);
    closed.forEach((a, i) => {
        for (let j = i + 1; j < closed.length && closed[j].y < a.y + a.depth; j++)
            assert.ok(
                !overlap(a, closed[j]),
                `${a.node.what} at ${a.x},${a.y} overlaps ${closed[j].node.what} at ` +
                    `${closed[j].x},${closed[j].y}`,
            );
    });
    for (const { from, to, kind } of layout.edges.filter(
        edge => edge.to.node.what !== "created" && edge.from.up?.node.what !== "chain",
    ))
        assert.ok(from.y + from.depth <= to.y, `${kind} edge goes down`);
    for (const place of layout.places)
        if (place.up && place.is_item) {
            assert.ok(
                place.x - place.left >= place.up.x - place.up.left - 1e-6 &&
                    place.x + place.right <= place.up.x + place.up.right + 1e-6,
            );
            assert.ok(
                place.y >= place.up.y &&
                    place.y + place.depth <= place.up.y + place.up.depth + 1e-6,
            );
        }
}

test("layout: nothing overlaps, what comes first is above, items lie in their node", () => {
    for (const data of runs()) {
        const tree = tree_build(data, FLAGS);
        check(layout_build(tree.root, RULES));
        open_all(tree);
        check(layout_build(tree.root, RULES));
    }
});

test("layout: tasks of a spine line up below the strand before", () => {
    const tree = tree_build(run_of([loop(6)]), FLAGS);
    open_all(tree);
    const spine = layout_build(tree.root, RULES).places.filter(
        place => place.node.what === "strand" && place.sides.length,
    );
    assert.equal(spine.length, 6);
    spine.slice(1).forEach((place, i) => assert.equal(place.sides[0].x, spine[i].x));
    spine.slice(1).forEach((place, i) => assert.ok(place.x > spine[i].x + SPREAD));
});

test("layout: with time on the y axis nodes lie at their time", () => {
    for (const data of runs()) {
        const tree = tree_build(data, FLAGS);
        open_all(tree);
        const span = node => [
            tree_times(tree, node).start,
            tree_times(tree, node).end - tree_times(tree, node).start,
        ];
        check(layout_build(tree.root, { ...RULES, pad: { top: 0, side: 8, bottom: 0 }, span }));
    }
});

test("layout: takes linear time, counted in steps", () => {
    const steps = n => {
        let count = 0;
        const tree = tree_build(run_of([fib(n)]), FLAGS),
            counted =
                name =>
                (...args) => (count++, RULES[name](...args));
        open_all(tree, 1e6);
        const layout = layout_build(tree.root, {
            ...RULES,
            size: counted("size"),
            gap: counted("gap"),
        });
        return count / layout.places.length;
    };
    assert.ok(Math.abs(steps(8) - steps(14)) < 0.2);
});

// ---- motion ----

test("motion: from where nodes are to where they belong; none jumps; what goes is gone", () => {
    const tree = tree_build(run_of([fib(5)]), FLAGS),
        box = ({ x, y, left, alpha }) => [x, y, left, alpha];
    tree_open(tree, tree.root);
    const first = motion_end(motion_start(null, layout_build(tree.root, RULES)));
    const section = tree.root.items[0],
        before = first.find(each => each.node === section).shown;
    tree_open(tree, section);
    const opening = motion_start(first, layout_build(tree.root, RULES)),
        inner = opening.find(each => each.node === section.items[0]);
    assert.deepEqual(box(inner.shown), [before.x, before.y, before.left, 0]);
    motion_step(opening, 0.5);
    const midway = new Map(opening.map(each => [each.node, box(each.shown)]));
    assert.ok(inner.shown.alpha > 0.5 && inner.shown.alpha < 1);
    tree_close(section);
    const closing = motion_start(opening, layout_build(tree.root, RULES));
    for (const each of closing) assert.deepEqual(box(each.shown), midway.get(each.node));
    const last = motion_end(closing);
    assert.deepEqual(
        last.map(each => each.node),
        first.map(each => each.node),
    );
    assert.deepEqual(
        last.map(each => box(each.shown)),
        first.map(each => box(each.shown)),
    );
});

test("tree: tasks whose creation is lost are one node beside the known tree", () => {
    const data = run_of([fib(6), fib(3), loop(5), fib(2)]),
        [known, , lost, cut] = order_build(data).tops;
    data.kinds = [{ site: -1 }, { site: 0 }];
    data.task.kind.fill(0);
    data.task.kind[lost] = 1; // of its creation nothing is known
    data.task.parent[cut] = known; // its creator's strand is not here
    const tree = tree_build(data, FLAGS);
    assert.equal(tree.root.what, "known");
    tree_open(tree, tree.root);
    assert.deepEqual(
        tree.root.items.map(node => [node.what, node.to - node.from]),
        [
            ["tasks", 2],
            ["orphans", 2],
        ],
    );
    const tasks = node => tree_sum(tree, node).tasks;
    assert.equal(tasks(tree.root.items[0]) + tasks(tree.root.items[1]), data.task.n);
    assert.equal(tasks(tree.root), data.task.n);
    for (let t = 0; t < data.task.n; t++) assert.ok(tree_reveal(tree, t), `task ${t}`);
});

test("text that is cut has the room that it is given", () => {
    const ctx = { measureText: text => ({ width: [...text].reduce((n, c) => n + wide(c), 0) }) },
        wide = letter => (/\d/.test(letter) ? 9 : letter === "i" ? 2 : 6);
    for (const text of ["2 207 938 \u00d7 iiiiiiiiiiii", "iiiiiiiiii 123", "fib"])
        for (let room = 0; room < 140; room += 3) {
            const cut = fit(ctx, text, room);
            assert.ok(ctx.measureText(cut).width <= room, `${cut} in ${room}`);
            if (room > 30) assert.ok(cut.length > 2, `${cut} in ${room}`);
        }
});
