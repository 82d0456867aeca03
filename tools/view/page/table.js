// SPDX-License-Identifier: MIT
// table.js - the profile by kind, site, path, lock, wait, span, function or worker: the report's
// rows, those that a filter leaves, in any order.
import { COMPONENTS, MEANING, NAMES } from "./bars.js";
import { copy, text_of_table } from "./copy.js";
import { count, place, plain, share, time, where } from "./format.js";
import { button, choice, chosen_by, el, fill, options_in, refill, region, swatch } from "./dom.js";
import { keep_numbers, keep_one, keep_some } from "./link.js";
import { parse_query } from "./tasks.js";

const ROWS = 100;
const total = row => row.work_ns + row.delay_ns + row.no_work_sched_ns + row.no_work_app_ns;
// unit: of numbers in a filter that have none.
const ns = (key, title, hint) => ({
    title,
    hint,
    unit: () => 1e6,
    value: row => row[key] ?? 0,
    text: row => time(row[key]),
});
const n = (key, title, hint) => ({
    title,
    hint,
    unit: () => 1,
    value: row => row[key] ?? 0,
    text: row => count(row[key] ?? 0),
});
const COSTS = [
    {
        title: "share",
        hint: "of elapsed time times workers",
        unit: s => s.cumulative_ns / 100,
        value: total,
        text: (row, s) => share(total(row) / s.cumulative_ns),
    },
    ns("work_ns", "work", "time in which its tasks ran"),
    ns("blocked_ns", "blocked", "its tasks waited for a lock or another thread"),
    ns("runtime_ns", "runtime", "its tasks were in a call of the runtime"),
    ns("starved_ns", "starved", "workers had nothing to run because of it"),
];

// Sums rows of the same place.
function by_site(summary) {
    const sites = new Map();
    summary.kinds.forEach((row, i) => {
        const id = JSON.stringify([row.site.name, row.site.file, row.site.line]);
        const sum = sites.get(id) ?? {
            name: row.site.name,
            file: row.site.file,
            line: row.site.line,
            module: row.site.module,
            tasks: 0,
            kinds: [],
        };
        for (const key of Object.keys(row))
            if (key.endsWith("_ns") && typeof row[key] === "number")
                sum[key] = (sum[key] ?? 0) + row[key];
        sum.tasks += row.tasks;
        sum.kinds.push(i);
        sites.set(id, sum);
    });
    return [...sites.values()];
}

const TASKS = n("tasks", "tasks", "how many began"),
    MEDIAN = ns("median_ns", "median", "half of its tasks work longer");
const KINDS = [...COSTS, TASKS, MEDIAN, ns("max_ns", "max", "the longest task's work")];
const PROFILES = {
    kind: {
        rows: s => s.kinds.map((row, i) => ({ ...row, i })),
        columns: KINDS,
        hint: "the code that tasks run",
    },
    site: { rows: by_site, columns: [...COSTS, TASKS], hint: "the place that creates tasks" },
    path: { rows: s => s.paths, columns: [...COSTS, TASKS, MEDIAN], hint: "the chain of creators" },
    lock: {
        rows: s => s.locks,
        hint: "what tasks wait for",
        columns: [
            ns("wait_ns", "waited", "tasks waited for it, all together"),
            n("waits", "waits", "how often a task had to wait"),
            ns("held_ns", "held", "some task had it"),
            ns("max_ns", "longest", "the longest wait"),
        ],
    },
    wait: {
        rows: s => s.waits,
        hint: "places that wait for tasks",
        columns: [
            ns("idle_ns", "idle", "workers had nothing to run while tasks waited here"),
            n("times", "times", "how often a task waited here"),
        ],
    },
    span: {
        rows: (s, app) => (app.data ? on_span(app.data, s, app.meta.kind_of_row) : []),
        hint: "the longest chain of strands: no number of workers makes the run shorter",
        columns: [
            {
                title: "share",
                hint: "of the span",
                unit: s => s.span_ns / 100,
                value: row => row.span_ns,
                text: (row, s) => share(row.span_ns / s.span_ns),
            },
            ns("span_ns", "on it", "time of its strands on the chain"),
            n("n_strands", "strands", "how many of the chain"),
        ],
    },
    function: {
        rows: s =>
            (s.code ?? []).map(row => ({
                ...row,
                name: `${row.function ?? row.module ?? "?"} in ${row.kind ?? "?"}`,
            })),
        hint: "where the CPU time of tasks goes, by stack samples",
        columns: [
            {
                title: "share",
                hint: "of all CPU time of tasks",
                unit: () => 0.01,
                value: row => row.share,
                text: row => share(row.share),
            },
            ns("cpu_ns", "CPU time", "as its samples say"),
            n("samples", "samples", "how many were there"),
            ns("asleep_ns", "asleep", "the worker had no CPU and waited for none"),
        ],
    },
    worker: {
        rows: s =>
            s.workers_profile.map(row => ({
                ...row,
                name: row.worker === null ? "(never seen)" : "worker " + row.worker,
            })),
        hint: "each worker",
        columns: [...COMPONENTS.map(name => ns(`${name}_ns`, NAMES[name], MEANING[name]))],
    },
};

const NOTHING = {
    lock: "No task waited for a lock.",
    function: "The trace has no stack samples: see --sample of tptrace record.",
};
const TITLES = [
    ...new Set(Object.values(PROFILES).flatMap(({ columns }) => columns.map(of => of.title))),
];

// By kind: how long it is on the longest chain of strands, and in how many of them.
/** @param {Data} data */
export function on_span(data, summary, rows_of_kinds) {
    const { strand, task, critical, collapsed } = data,
        rows = new Map(),
        recorded = (from, to) =>
            (summary.not_recorded ?? []).reduce(
                (length, [low, high]) =>
                    length - Math.max(0, Math.min(to, high) - Math.max(from, low)),
                to - from,
            );
    for (const s of critical) {
        const kind = task.kind[strand.task[s]],
            row = rows.get(kind) ?? { span_ns: 0, n_strands: 0 };
        row.span_ns += collapsed.get(s)?.span ?? recorded(strand.start[s], strand.end[s]);
        row.n_strands++;
        rows.set(kind, row);
    }
    const list = [...rows].map(([kind, row]) => {
        const i = rows_of_kinds.indexOf(kind);
        return { ...summary.kinds[i], ...row, i };
    });
    const rest = summary.span_ns - list.reduce((sum, row) => sum + row.span_ns, 0);
    // of a collapsed strand that is joined, the page does not know how long that takes
    if (rest > 0)
        list.push({ name: "(inside collapsed tasks)", span_ns: rest, n_strands: 0, i: -1 });
    return list;
}

const hint_of = text => el("p", { class: "hint" }, text);

/** @param {App} app */
function part_of(app, by, row) {
    const none = { kind: null, site: null, worker: null, task: null, strand: null, finding: null };
    if (row.i < 0) return null;
    if (by === "kind" || by === "span") return { ...none, kind: app.meta.kind_of_row[row.i] };
    if (by === "site") return { ...none, kind: app.meta.kind_of_row[row.kinds[0]] };
    if (by === "worker" && row.worker !== null)
        return { ...none, worker: app.meta.rows.indexOf(row.worker) };
    return null;
}

/** @param {App} app */
function first_cell(app, by, row) {
    const colour =
        (by === "kind" || by === "span") && row.i >= 0
            ? app.colour.kind(app.meta.kind_of_row[row.i])
            : null;
    const at = where(row),
        label = plain(row.name ?? (by === "wait" ? (row.kind ?? "?") : "?"));
    return el(
        "th",
        { scope: "row", title: place(row) },
        colour ? swatch(colour) : null,
        el("bdi", {}, label),
        at ? el("small", {}, el("bdi", {}, at)) : null,
    );
}

/** @param {App} app */
function body_row(app, by, columns, row) {
    const part = part_of(app, by, row);
    return el(
        "tr",
        {
            ...chosen_by(part && (() => app.select(part))),
            "data-kind": part?.kind,
            "data-worker": part?.worker,
        },
        first_cell(app, by, row),
        columns.map(column => el("td", {}, column.text(row, app.summary))),
    );
}

// Whether its name and place have all words of a filter, and its value is within its bounds.
function is_wanted(row, column, { words, above, below }) {
    const text = `${plain(row.name ?? row.kind ?? "")} ${place(row)}`.toLowerCase(),
        value = column.value(row);
    return words.every(word => text.includes(word)) && value >= above && value <= below;
}

class Profile {
    /** @param {App} app */
    constructor(app, host) {
        this.app = app;
        this.bar = el("div", { class: "strip" });
        this.host = el("div", { class: "body" });
        host.classList.add("profile");
        fill(host, this.bar, this.host);
        this.by = "kind";
        this.filter = this.filter_field();
        this.sorted = 0;
        this.down = true;
        this.left_out = new Set(); // titles of columns
        keep_one(
            this.app,
            "profile",
            Object.keys(PROFILES),
            () => this.by,
            id => this.set(id),
        );
        keep_numbers(
            this.app,
            "sort",
            2,
            () => (this.sorted === 0 && this.down ? null : [this.sorted, Number(this.down)]),
            numbers => {
                [this.sorted, this.down] =
                    numbers && numbers[0] in PROFILES[this.by].columns
                        ? [numbers[0], numbers[1] === 1]
                        : [0, true];
                this.draw();
            },
        );
        keep_some(
            this.app,
            "columns",
            TITLES,
            title => !this.left_out.has(title),
            (title, is_shown) => this.set_column(title, is_shown),
        );
        this.app.link.keep(
            "filter",
            () => this.filter.value,
            text => {
                this.filter.value = text;
                this.draw();
            },
        );
        this.draw();
    }

    filter_field() {
        const field = el("input", {
            type: "search",
            placeholder: "filter: name, file, > 1ms",
            "aria-label": "filter",
            title: "rows whose name and place have these words; > and < bound the sorted column",
        });
        field.addEventListener("input", () => {
            this.draw();
            this.app.dirty();
        });
        return field;
    }

    changed(news) {
        if (news.has("theme")) this.draw();
        if (news.has("selection")) this.mark();
    }

    set(by) {
        this.by = by;
        this.sorted = 0;
        this.down = true;
        this.draw();
    }

    sort_by(i) {
        this.down = i === this.sorted ? !this.down : true;
        this.sorted = i;
        this.draw();
        this.app.dirty();
    }

    set_column(title, is_shown) {
        if (is_shown) this.left_out.delete(title);
        else this.left_out.add(title);
        this.draw();
    }

    // A column of nothing but zeros says nothing.
    columns_of(profile, rows) {
        return profile.columns.filter(
            (column, i) => i === 0 || rows.some(row => column.value(row) > 0),
        );
    }

    column_box({ title, hint }) {
        const input = el("input", { type: "checkbox", checked: !this.left_out.has(title) });
        input.dataset.column = title;
        input.addEventListener("change", () => {
            this.set_column(title, input.checked);
            this.app.dirty();
            const drawn = this.bar.querySelectorAll("details input");
            [...drawn].find(each => each.dataset.column === title).focus();
        });
        return el("label", { title: hint }, input, title);
    }

    column_choice(columns) {
        const boxes = columns.map(column => this.column_box(column));
        return options_in(this.bar, "columns", "which columns the table has", boxes);
    }

    head(profile, shown) {
        const columns = shown.map(column => {
            const i = profile.columns.indexOf(column),
                is_sorted = i === this.sorted,
                arrow = is_sorted ? (this.down ? " \u25be" : " \u25b4") : "",
                order = is_sorted ? (this.down ? "descending" : "ascending") : null,
                sort = () => this.sort_by(i);
            return el(
                "th",
                { scope: "col", "aria-sort": order },
                button(column.title + arrow, sort, { title: column.hint }),
            );
        });
        return el("tr", {}, el("th", { scope: "col" }, this.by), columns);
    }

    table(profile, columns, rows) {
        if (rows.length === 0 && !this.filter.value)
            return hint_of(NOTHING[this.by] ?? "Nothing of this kind.");
        const shown = columns.filter(({ title }) => !this.left_out.has(title)),
            body = rows.slice(0, ROWS).map(row => body_row(this.app, this.by, shown, row));
        return region(
            "profile by " + this.by,
            el("table", {}, el("thead", {}, this.head(profile, shown)), el("tbody", {}, body)),
        );
    }

    draw() {
        const profile = PROFILES[this.by],
            column = profile.columns[this.sorted],
            all = profile.rows(this.app.summary, this.app),
            columns = this.columns_of(profile, all),
            query = parse_query(this.filter.value, column.unit(this.app.summary)),
            rows = all.filter(row => is_wanted(row, column, query)),
            more = rows.length - ROWS,
            rest =
                more > 0
                    ? `${count(more)} rows more; sort to see others`
                    : all.length && !rows.length
                      ? "The filter leaves no row."
                      : "";
        rows.sort((a, b) => (column.value(b) - column.value(a)) * (this.down ? 1 : -1));
        this.draw_bar(columns, rows.length > 0);
        refill(this.host, this.table(profile, columns, rows), hint_of(rest));
        this.mark();
    }

    // The field for the filter stays, and has the focus that it had.
    draw_bar(columns, has_rows) {
        const by = choice(
                "group by",
                Object.entries(PROFILES).map(([id, of]) => [id, id, of.hint]),
                this.by,
                id => {
                    this.set(id);
                    this.app.dirty();
                },
            ),
            copies = button("copy", () => this.copy(), {
                title: "these rows, apart by tabs",
                disabled: !has_rows,
            }),
            chosen = this.column_choice(columns);
        if (!this.filter.isConnected)
            this.bar.append(el("h2", {}, "Profile"), by, this.filter, copies, chosen);
        const [, old_by, , old_copy, old_chosen] = this.bar.children;
        old_by.replaceWith(by);
        old_copy.replaceWith(copies);
        old_chosen.replaceWith(chosen);
    }

    copy() {
        copy(this.app, "the profile", text_of_table(this.host.querySelector("table")));
    }

    // Marks the selected row; the others, and the focus, stay.
    mark() {
        const { kind, worker } = this.app.selection;
        for (const row of this.host.querySelectorAll("tbody tr"))
            row.classList.toggle(
                "chosen",
                (row.dataset.kind !== undefined && Number(row.dataset.kind) === kind) ||
                    (row.dataset.worker !== undefined && Number(row.dataset.worker) === worker),
            );
    }
}

export const view = {
    id: "profile",
    title: "Profile",
    hint: "which kind, site, path, lock, wait or worker has the time",
    /** @param {App} app */
    mount(app, host) {
        const it = new Profile(app, host);
        return { draw() {}, timeless: true, changed: news => it.changed(news), hit: () => null };
    },
};
