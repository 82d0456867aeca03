// SPDX-License-Identifier: MIT
// dag_names.js - what the DAG says of a node: two lines in its box, and a tip.
import { PATH } from "./data.js";
import { ENDED, NONE, WAITS } from "./kinds.js";
import { tree_counted, tree_sum, tree_times } from "./dag_tree.js";

const KINDS_MOST = 4; // in a name

/** @param {App} app */
function kind_name(app, task) {
    return task === NONE ? "task" : app.format.kind(app.data.task.kind[task]);
}

/** @param {App} app */
function child_what(app, node) {
    const child = app.data.children.first[node.task];
    return ENDED[app.data.strand.ended_by[node.closed_by]] === "fork" && child !== NONE
        ? app.data.kinds[app.data.task.kind[child]].what
        : "";
}

const FORKS = { implicit: "parallel region", loop: "taskloop" };

// What closes a section: a wait, or the end of what was forked.
/** @param {App} app */
function section_name(app, node, strand) {
    const wait = app.data.waits[app.data.strand.wait[strand]];
    if (!app.data.strand.wait[strand] || !wait) return FORKS[child_what(app, node)] ?? "section";
    const what =
        { children: "taskwait", group: "taskgroup", team: "barrier", barrier: "barrier" }[
            WAITS[wait.what]
        ] ?? `wait for ${WAITS[wait.what]}`;
    return wait.site >= 0 ? `${what} ${app.format.where(app.data.sites[wait.site])}` : what;
}

// Of a fold of strands that created nothing, as of one that yields, there are strands alone.
/** @param {App} app */
function tasks_name(app, tree, node) {
    const { n_tasks: n, kinds } = tree_counted(tree, node.owner ?? node);
    if (n === 0) return `${app.format.count(tree_sum(tree, node).strands)} strands`;
    const names = kinds.slice(0, KINDS_MOST).map(app.format.kind).join(", ");
    return `${app.format.count(n)} \u00d7 ${names}${kinds.length > KINDS_MOST ? ", .." : ""}`;
}

const NAMES = {
    task: (app, tree, node) => kind_name(app, node.task),
    section: (app, tree, node) => section_name(app, node, node.closed_by),
    strand: () => "strand",
    tasks: tasks_name,
    known: (app, tree) =>
        tree.order.n_roots < tree.order.tops.length
            ? "known tree, and tasks whose creation is not here"
            : "tree, and tasks that are not on this page",
    orphans: (app, tree, node) =>
        `${app.format.count(node.to - node.from)} \u00d7 creation not recorded`,
    created: tasks_name,
    left: (app, tree, { sum }) =>
        `+ ${app.format.count(sum.tasks || sum.strands)} ${sum.tasks ? "tasks" : "strands"}`,
    creates: (app, tree, node) => `${app.format.count(node.to - node.from)} creations`,
    stretch: (app, tree, node) => `${app.format.count(node.to - node.from)} sections`,
    chain: (app, tree, node) =>
        `${app.format.count(node.to - node.from)} \u00d7 ${kind_name(app, node.task)} in a row`,
};

/** @param {App} app */
export function node_name(app, tree, node) {
    return (node.name ??= NAMES[node.what](app, tree, node));
}

// Whether it stands beside others that one box folded: they are compared.
function is_one_of_many({ parent }) {
    return (parent?.what === "tasks" || parent?.what === "orphans") && parent.items?.length > 1;
}

// [name, what it comes to, the same shorter ..]; of one of many, its share in the work of all of
// them.
/** @param {App} app */
export function node_label(app, tree, node) {
    const { tasks, work } = tree_sum(tree, node),
        { time, count } = app.format;
    if (node.what === "left") return [node_name(app, tree, node), `${time(work)}, not shown`];
    const is_many = tasks > 1 && node.what !== "strand" && node.what !== "creates";
    if (is_one_of_many(node))
        return [
            node_name(app, tree, node),
            `${time(work)}, ${app.format.share(work / tree_sum(tree, node.parent).work)}`,
            time(work),
        ];
    return [
        node_name(app, tree, node),
        ...(is_many ? [`${count(tasks)} tasks ${time(work)}`] : []),
        time(work),
    ];
}

/** @param {App} app */
function workers_of(app, sum) {
    const list = Array.from(sum.by_row, (work, row) => [work, row])
        .filter(([work]) => work > 0)
        .sort((a, b) => b[0] - a[0]);
    const text = list
        .slice(0, 6)
        .map(([work, row]) => `${app.data.rows[row]}: ${app.format.share(work / sum.work)}`)
        .concat(sum.left_work ? [`not shown: ${app.format.share(sum.left_work / sum.work)}`] : [])
        .join(", ");
    return list.length > 6 ? `${text}, and ${list.length - 6} more` : text;
}

// [[label, text], ..] for a tip.
/** @param {App} app */
export function node_tip(app, tree, node) {
    const sum = tree_sum(tree, node),
        { start, end } = tree_times(tree, node),
        { time, count } = app.format;
    const own =
        node.what === "strand"
            ? app.describe({ strand: node.strand })
            : node.what === "task"
              ? app.describe({ task: node.task })
              : [];
    const rows = [
        [node.what === "created" ? "tasks" : node.what, node_name(app, tree, node)],
        ...own,
    ];
    if (node.what === "strand") return own;
    rows.push(
        [
            "in all",
            `${count(sum.tasks)} tasks, ${count(sum.strands)} strands, work ${time(sum.work)}`,
        ],
        ["from", `${time(start)} to ${time(end)}, ${time(end - start)}`],
        ["workers", workers_of(app, sum)],
    );
    if (sum.left_work)
        rows.push(["not shown", `${count(sum.left_tasks)} tasks, work ${time(sum.left_work)}`]);
    if (sum.path) rows.push(["on the ready path", `${count(sum.path)} strands`]);
    return rows;
}

/** @param {App} app */
export function on_path(app, tree, node) {
    if (node.what === "strand") return (app.data.strand.flags[node.strand] & PATH) !== 0;
    return node.what !== "creates" && tree_sum(tree, node).path > 0;
}
