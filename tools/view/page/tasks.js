// SPDX-License-Identifier: MIT
// tasks.js - all tasks as a table: those of the selection and of what is searched, in the order of
// any column; at first the most work first.
import { id_of } from "./data.js";
import { NONE } from "./kinds.js";
import { count, place, plain, time } from "./format.js";
import { button, chosen_by, el, fill, refill, region } from "./dom.js";
import { copy, csv_row, save, text_of_table } from "./copy.js";
import { Lengths, lengths_of } from "./lengths.js";
import { Most } from "./most.js";
import { Work, for_each } from "./steps.js";

const ROWS = 300;
const REST_MS = 100; // that a picture of all tasks waits for a time in sight to stay
const AT_ONCE = 50; // rows that are laid out in a step
const SCALE = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 };

// What a text asks for: "#12" a task, "> 1ms" longer ones, else words of name or place.  unit: of
// numbers that have none.
export function parse_query(text, unit = SCALE.ms) {
    const query = { task: null, above: 0, below: Infinity, words: [] };
    for (const match of text.matchAll(/([<>])\s*([\d.]+)\s*(?:(ns|us|ms|s)\b|%)?|#(\d+)|(\S+)/g)) {
        if (match[1])
            query[match[1] === ">" ? "above" : "below"] =
                Number(match[2]) * (SCALE[match[3]] ?? unit);
        else if (match[4]) query.task = Number(match[4]);
        else query.words.push(match[5].toLowerCase());
    }
    return query;
}

/** @param {App} app */
function kinds_that_match(app, words) {
    const text = place_ =>
        [place_.name ?? "", `${place_.file ?? ""}:${place_.line ?? ""}`, place_.module ?? ""]
            .join(" ")
            .toLowerCase();
    return app.data.kinds.map(kind => {
        const all = text(kind) + " " + (kind.site >= 0 ? text(app.data.sites[kind.site]) : "");
        return words.every(word => all.includes(word));
    });
}

// By task: 1 where the text asks for it.
/** @param {App} app */
export function* hits_of(app, text) {
    const query = parse_query(text),
        { task } = app.data,
        matches = kinds_that_match(app, query.words),
        hits = new Uint8Array(task.n);
    yield* for_each(task.n, t => {
        const work = task.work[t];
        hits[t] = Number(
            matches[task.kind[t]] &&
                work >= query.above &&
                work <= query.below &&
                (query.task === null || id_of(task, t) === query.task),
        );
    });
    return hits;
}

// Whether a task is of the selection.
/** @param {App} app */
export function of_selection({ data, selection: s }) {
    const { task, strand } = data;
    return t =>
        (s.kind === null || task.kind[t] === s.kind) &&
        (s.worker === null || (task.first[t] !== NONE && strand.row[task.first[t]] === s.worker)) &&
        (s.from === null || (task.begin[t] < s.to && task.end[t] > s.from));
}

// What columns sort by, the most first; NaN: what is not known comes last.
/** @type {Record<string, (data: Data, t: number) => number>} */
export const ORDERS = {
    task: (_, t) => t,
    began: ({ task }, t) => task.begin[t],
    lasted: ({ task }, t) => task.end[t] - task.begin[t],
    work: ({ task }, t) => task.work[t],
    "ready for": ({ task }, t) => task.begin[t] - task.ready[t],
    children: ({ children }, t) => children.n[t],
};

// Numbers of the tasks that a query and the selection leave, in the order of a column, or the other
// way round; and how many there are.
/** @param {App} app */
export function* find_tasks(app, most, by = "work", is_down = true) {
    const { task } = app.data,
        { hits } = app,
        is_wanted = of_selection(app),
        found = new Most(most);
    const sign = is_down ? 1 : -1;
    let n = 0;
    yield* for_each(task.n, t => {
        if ((hits && !hits[t]) || !is_wanted(t)) return;
        n++;
        const value = ORDERS[by](app.data, t) * sign;
        found.add(Number.isNaN(value) ? -Infinity : value, t);
    });
    return { n, tasks: found.take() };
}

const CSV_HEAD = ["task", "kind", "file", "line", "created_ns", "ready_ns", "began_ns", "ended_ns"];

// The same as CSV, all of them, in order of their numbers.
/** @param {App} app */
export function* csv_of(app) {
    const { task, strand, kinds, rows } = app.data,
        { hits } = app,
        is_wanted = of_selection(app),
        parts = [csv_row([...CSV_HEAD, "work_ns", "worker", "parent"])],
        known = ns => (Number.isNaN(ns) ? "" : ns);
    yield* for_each(task.n, t => {
        if ((hits && !hits[t]) || !is_wanted(t)) return;
        const { name, file, line } = kinds[task.kind[t]],
            times = [task.created, task.ready, task.begin, task.end].map(of => known(of[t])),
            row = task.first[t] === NONE ? "" : rows[strand.row[task.first[t]]],
            parent = task.parent[t] === NONE ? "" : id_of(task, task.parent[t]),
            what = [id_of(task, t), plain(name ?? "?"), file ? plain(file) : "", line];
        parts.push(csv_row([...what, ...times, task.work[t], row, parent]));
    });
    return parts.join("");
}

const HEAD = [
    "task",
    "kind",
    "began",
    "lasted",
    "work",
    "ready for",
    "worker",
    "children",
    "created by",
];

/** @param {App} app */
function cells(app, t) {
    const task = app.data.task,
        first = task.first[t],
        began = !Number.isNaN(task.begin[t]);
    const collapsed = app.data.collapsed_below.has(t)
        ? ` + ${count(app.data.collapsed_below.get(t))} collapsed`
        : "";
    return [
        String(id_of(task, t)),
        place(app.data.kinds[task.kind[t]]) + collapsed,
        began ? time(task.begin[t]) : "never",
        began ? time(task.end[t] - task.begin[t]) : "-",
        began ? time(task.work[t]) : "-",
        began && task.ready[t] >= 0 ? time(task.begin[t] - task.ready[t]) : "-",
        first !== NONE ? String(app.data.rows[app.data.strand.row[first]]) : "-",
        count(app.data.children.n[t]),
        task.parent[t] === NONE
            ? "-"
            : `${id_of(task, task.parent[t])} ` +
              `${plain(app.data.kinds[task.kind[task.parent[t]]].name)}`,
    ];
}

class TaskTable {
    /** @param {App} app */
    constructor(app, host) {
        this.app = app;
        this.host = region("the tasks as a table");
        const area = el("div", { class: "area lengths" });
        fill(host, area, this.host);
        this.lengths = new Lengths(app, area);
        this.work = new Work(this.host);
        this.measuring = new Work(area);
        this.saving = new Work(this.host);
        this.drawn = this.measured = "";
        this.by = "work";
        this.is_down = true;
        app.link.keep(
            "tasks_sort",
            () => (this.by === "work" && this.is_down ? "" : `${this.by}.${Number(this.is_down)}`),
            text => {
                const [by, down] = text.split(".");
                this.by = Object.hasOwn(ORDERS, by) ? by : "work";
                this.is_down = down !== "0";
                app.dirty();
            },
        );
    }

    draw() {
        const s = this.app.selection,
            { hits, time: span } = this.app,
            of = JSON.stringify([s.kind, s.worker, s.from, s.to]),
            state = JSON.stringify([of, this.by, this.is_down]),
            in_sight = JSON.stringify([of, span, this.lengths.columns]),
            is_new = hits !== this.searched;
        this.mark();
        this.searched = hits;
        if (in_sight !== this.measured || is_new) {
            this.measured = in_sight;
            this.measuring.start(
                lengths_of(this.app, of_selection(this.app), this.lengths.columns),
                made => {
                    this.lengths.made = made;
                    this.lengths.draw();
                },
                this.span && span !== this.span ? REST_MS : 0,
            );
        }
        this.span = span;
        this.lengths.draw();
        if (state === this.drawn && !is_new) return;
        this.drawn = state;
        this.work.start(find_tasks(this.app, ROWS, this.by, this.is_down), found =>
            this.show(found),
        );
    }

    head_cell(text, i) {
        const is_sorted = text === this.by,
            arrow = is_sorted ? (this.is_down ? " \u25be" : " \u25b4") : "",
            sort = () => {
                this.is_down = is_sorted ? !this.is_down : true;
                this.by = text;
                this.app.dirty();
            },
            order = is_sorted ? (this.is_down ? "descending" : "ascending") : null;
        return el(
            "th",
            { scope: "col", class: i === 1 || i === 8 ? "text" : null, "aria-sort": order },
            text in ORDERS ? button(text + arrow, sort) : text,
        );
    }

    save() {
        this.saving.start(csv_of(this.app), text => save("tasks.csv", text));
    }

    show({ n, tasks }) {
        const body = el("tbody"),
            head = HEAD.map((text, i) => this.head_cell(text, i)),
            table = el("table", { class: "tasks" }, el("thead", {}, el("tr", {}, head)), body);
        refill(
            this.host,
            el(
                "p",
                { class: "strip" },
                el("span", { class: "hint", id: "found" }, this.found_said(n, tasks.length)),
                button("copy", () => copy(this.app, "the table", text_of_table(table)), {
                    title: "the rows below, apart by tabs",
                }),
                button("CSV", () => this.save(), { title: "all tasks found, as a file" }),
            ),
            table,
        );
        this.work.start(this.add_rows(body, tasks), () => {});
    }

    *add_rows(body, tasks) {
        for (let i = 0; i < tasks.length; i += AT_ONCE) {
            body.append(...tasks.slice(i, i + AT_ONCE).map(t => this.row(t)));
            void body.offsetHeight; // in this step
            yield i / tasks.length;
        }
    }

    row(t) {
        return el(
            "tr",
            {
                ...chosen_by(() => this.choose(t)),
                "data-task": String(t),
                class: this.app.selection.task === t ? "can chosen" : "can",
            },
            cells(this.app, t).map((text, i) =>
                i === 1 || i === 8
                    ? el("td", { class: "text" }, el("bdi", {}, text))
                    : el("td", {}, text),
            ),
        );
    }

    // n that were found, of which so many are shown.
    found_said(n, n_shown) {
        const { data, summary, meta } = this.app;
        if (n === 0) return `nothing found of ${count(data.task.n)} tasks`;
        return (
            `${count(n)} of ${count(data.task.n)} tasks${data.partial ? " on this page" : ""}` +
            (n > n_shown ? `; the first ${n_shown} by ${this.by}` : "") +
            (summary.tasks > meta.all_tasks ? `; ${count(summary.tasks)} with collapsed ones` : "")
        );
    }

    mark() {
        for (const row of this.host.querySelectorAll("tbody tr"))
            row.classList.toggle("chosen", Number(row.dataset.task) === this.app.selection.task);
    }

    choose(t) {
        this.app.select({ task: t, strand: null });
        this.app.zoom_to_selection();
    }
}

export const view = {
    id: "tasks",
    title: "Tasks",
    hint: "tasks of the selection and the search, the most work first",
    /** @param {App} app */
    mount(app, host) {
        const it = new TaskTable(app, host);
        return { draw: () => it.draw(), hit: () => null };
    },
};
