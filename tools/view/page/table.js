// SPDX-License-Identifier: MIT
// table.js - the profile by kind, site, path, lock, wait or worker: the report's rows, in any
// order.
import { count, place, plain, share, time, where } from "./format.js";
import { choice, el, fill, swatch } from "./dom.js";
import { keep_numbers, keep_one } from "./link.js";

const ROWS = 100;
const total = row => row.work_ns + row.delay_ns + row.no_work_sched_ns + row.no_work_app_ns;
const ns = (key, title, hint) => ({
    title,
    hint,
    value: row => row[key] ?? 0,
    text: row => time(row[key]),
});
const n = (key, title) => ({
    title,
    value: row => row[key] ?? 0,
    text: row => count(row[key] ?? 0),
});
const COSTS = [
    {
        title: "share",
        hint: "of elapsed time times workers",
        value: total,
        text: (row, s) => share(total(row) / s.cumulative_ns),
    },
    ns("work_ns", "work"),
    ns("blocked_ns", "blocked"),
    ns("runtime_ns", "runtime"),
    ns("starved_ns", "starved"),
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

const KINDS = [...COSTS, n("tasks", "tasks"), ns("median_ns", "median"), ns("max_ns", "max")];
const PROFILES = {
    kind: {
        rows: s => s.kinds.map((row, i) => ({ ...row, i })),
        columns: KINDS,
        hint: "the code that tasks run",
    },
    site: {
        rows: by_site,
        columns: [...COSTS, n("tasks", "tasks")],
        hint: "the place that creates tasks",
    },
    path: {
        rows: s => s.paths,
        columns: [...COSTS, n("tasks", "tasks"), ns("median_ns", "median")],
        hint: "the chain of creators",
    },
    lock: {
        rows: s => s.locks,
        hint: "what tasks wait for",
        columns: [
            ns("wait_ns", "waited"),
            n("waits", "waits"),
            ns("held_ns", "held"),
            ns("max_ns", "longest"),
        ],
    },
    wait: {
        rows: s => s.waits,
        hint: "places that wait for tasks",
        columns: [ns("idle_ns", "idle"), n("times", "times")],
    },
    worker: {
        rows: s =>
            s.workers_profile.map(row => ({
                ...row,
                name: row.worker === null ? "(never seen)" : "worker " + row.worker,
            })),
        hint: "each worker",
        columns: [
            ns("work_ns", "work"),
            ns("delay_ns", "delay"),
            ns("no_work_sched_ns", "no-work-sched"),
            ns("no_work_app_ns", "no-work-app"),
        ],
    },
};

function part_of(app, by, row) {
    const none = { kind: null, site: null, worker: null, task: null, strand: null, finding: null };
    if (by === "kind") return { ...none, kind: app.meta.kind_of_row[row.i] };
    if (by === "site") return { ...none, kind: app.meta.kind_of_row[row.kinds[0]] };
    if (by === "worker" && row.worker !== null)
        return { ...none, worker: app.meta.rows.indexOf(row.worker) };
    return null;
}

function first_cell(app, by, row) {
    const colour = by === "kind" ? app.colour.kind(app.meta.kind_of_row[row.i]) : null;
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

function body_row(app, by, profile, row) {
    const part = part_of(app, by, row),
        choose = () => part && app.select(part);
    return el(
        "tr",
        {
            class: part ? "can" : null,
            tabindex: part ? "0" : null,
            "data-kind": part ? part.kind : null,
            "data-worker": part ? part.worker : null,
            on: {
                click: choose,
                keydown: event => {
                    if (event.key === "Enter") choose();
                },
            },
        },
        first_cell(app, by, row),
        profile.columns.map(column => el("td", {}, column.text(row, app.summary))),
    );
}

export function mount_profile(app, host) {
    let by = "kind",
        sorted = 0,
        down = true;
    const draw = () => {
        const profile = PROFILES[by],
            column = profile.columns[sorted],
            rows = profile.rows(app.summary);
        rows.sort((a, b) => (column.value(b) - column.value(a)) * (down ? 1 : -1));
        const head = el(
            "tr",
            {},
            el("th", { scope: "col" }, by),
            profile.columns.map((c, i) =>
                el(
                    "th",
                    {
                        scope: "col",
                        "aria-sort": i === sorted ? (down ? "descending" : "ascending") : null,
                    },
                    el(
                        "button",
                        {
                            type: "button",
                            title: c.hint,
                            on: {
                                click: () => {
                                    down = i === sorted ? !down : true;
                                    sorted = i;
                                    draw();
                                    app.dirty();
                                },
                            },
                        },
                        c.title + (i === sorted ? (down ? " \u25be" : " \u25b4") : ""),
                    ),
                ),
            ),
        );
        const more =
            rows.length > ROWS
                ? el(
                      "p",
                      { class: "hint" },
                      `${count(rows.length - ROWS)} rows more; sort to see others`,
                  )
                : null;
        fill(
            host,
            el("h2", {}, "Profile"),
            choice(
                "group by",
                Object.entries(PROFILES).map(([id, of]) => [id, id, of.hint]),
                by,
                id => {
                    by = id;
                    sorted = 0;
                    down = true;
                    draw();
                    app.dirty();
                },
            ),
            rows.length === 0
                ? el(
                      "p",
                      { class: "hint" },
                      by === "lock" ? "No task waited for a lock." : "Nothing of this kind.",
                  )
                : el(
                      "div",
                      {
                          class: "scroll",
                          tabindex: "0",
                          role: "region",
                          "aria-label": "profile by " + by,
                      },
                      el(
                          "table",
                          {},
                          el("thead", {}, head),
                          el(
                              "tbody",
                              {},
                              rows.slice(0, ROWS).map(row => body_row(app, by, profile, row)),
                          ),
                      ),
                  ),
            more,
        );
    };
    // Marks the selected row; the others, and the focus, stay.
    const mark = () => {
        const { kind, worker } = app.selection;
        for (const row of host.querySelectorAll("tbody tr"))
            row.classList.toggle(
                "chosen",
                (row.dataset.kind !== undefined && Number(row.dataset.kind) === kind) ||
                    (row.dataset.worker !== undefined && Number(row.dataset.worker) === worker),
            );
    };
    keep_one(
        app,
        "profile",
        Object.keys(PROFILES),
        () => by,
        id => {
            by = id;
            sorted = 0;
            down = true;
            draw();
        },
    );
    keep_numbers(
        app,
        "sort",
        2,
        () => (sorted === 0 && down ? null : [sorted, Number(down)]),
        numbers => {
            [sorted, down] =
                numbers && numbers[0] in PROFILES[by].columns
                    ? [numbers[0], numbers[1] === 1]
                    : [0, true];
            draw();
        },
    );
    app.on(news => {
        if (news.has("theme")) draw();
        if (news.has("selection") || news.has("theme")) mark();
    });
    draw();
    mark();
}
