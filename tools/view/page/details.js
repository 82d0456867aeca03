// SPDX-License-Identifier: MIT
// details.js - what there is to say of a strand, a task, a worker or a finding: for tips and for
// the line below.
import { BINDING, CRITICAL, LEAP, MOVES, PATH, id_of } from "./data.js";
import { CALLS, COLLAPSED, EDGES, ENDED, NONE, STATE, STATES, WAITS } from "./kinds.js";
import { count, place, plain, several, time } from "./format.js";
import { el, fill, link_button } from "./dom.js";
import { uses_said } from "./operations.js";
import { outside_of } from "./pixels.js";
import { cpu_use } from "./cpu.js";

/** @param {App} app */
function kind_of(app, t) {
    return app.data.kinds[app.data.task.kind[t]];
}

/** @param {App} app */
function of_collapsed(app, i) {
    const c = app.data.collapsed.get(i),
        length = app.data.strand.end[i] - app.data.strand.start[i];
    const is_whole = app.data.task.n_strands[app.data.strand.task[i]] === 1;
    return [
        [
            "stands for",
            (is_whole
                ? several(c.tasks + 1, "task")
                : `a part of its task and ${several(c.tasks, "task")} below it`) +
                " that ran here, one after the other",
        ],
        ["work", `${time(c.work)} of ${time(length)}; longest chain ${time(c.span)}`],
    ];
}

/** @param {App} app */
function of_release(app, i) {
    const s = app.data.strand,
        from = s.releaser[i];
    if (from === NONE || outside_of(app.data, i)) return [];
    const rows = [
        [
            "ready",
            `${time(s.start[i] - s.end[from])} before it began; released by ` +
                `${EDGES[s.edge[i]].replace("_", "-")}` +
                (s.row[from] === s.row[i] ? "" : ` from worker ${app.data.rows[s.row[from]]}`),
        ],
    ];
    if (s.move[i])
        rows.push([
            "moved",
            s.move[i] === 1
                ? `${s.flags[i] & LEAP ? "leap: " : ""}stolen from worker ` +
                  `${app.data.rows[s.row[from]]}`
                : MOVES[s.move[i]],
        ]);
    return rows;
}

/** @param {App} app */
export function of_strand(app, i) {
    const s = app.data.strand,
        t = s.task[i],
        wait = app.data.waits[s.wait[i]];
    /** @type {[number, string][]} */
    const paths = [
        [PATH, "ready path"],
        [CRITICAL, "critical path"],
        [BINDING, "binding path"],
    ];
    const on = paths
        .filter(([flag]) => s.flags[i] & flag)
        .map(([, text]) => text)
        .join(", ");
    const rows = [
        [on ? "on " + on : "strand", place(kind_of(app, t))],
        [
            "task",
            `${id_of(app.data.task, t)}, ${several(app.data.task.n_strands[t], "strand")}, ` +
                `depth ${app.data.task.depth[t]}`,
        ],
        [
            "ran",
            `${time(s.end[i] - s.start[i])} from ${time(s.start[i])} on worker ` +
                `${app.data.rows[s.row[i]]}`,
        ],
        ...of_release(app, i),
    ];
    if (s.flags[i] & COLLAPSED) rows.push(...of_collapsed(app, i));
    rows.push([
        "ended by",
        (ENDED[s.ended_by[i]] || "the end of the window") +
            (s.wait[i] && wait
                ? ` (${WAITS[wait.what]}` +
                  (wait.site >= 0 ? " at " + place(app.data.sites[wait.site]) : "") +
                  ")"
                : ""),
    ]);
    return rows;
}

/** @param {App} app */
function path_of(app, t) {
    const names = [];
    for (let at = t; at !== NONE && names.length < 12; at = app.data.task.parent[at])
        names.unshift(plain(kind_of(app, at).name));
    return names.join(" > ");
}

/** @param {App} app */
export function of_task(app, t) {
    const task = app.data.task,
        kind = kind_of(app, t),
        site = kind.site >= 0 ? app.data.sites[kind.site] : null;
    const rows = [
        ["task", `${id_of(task, t)}  ${place(kind)}`],
        ["path", path_of(app, t)],
    ];
    if (site) rows.push(["created at", place(site)]);
    if (Number.isNaN(task.begin[t]))
        return [...rows, ["began", "never, or the page does not have it"]];
    const wall = task.end[t] - task.begin[t];
    const uses = uses_said(app.data.uses, t);
    if (uses) rows.push(["uses", uses]);
    rows.push(
        [
            "began",
            time(task.begin[t]) +
                (task.created[t] >= 0
                    ? `, ${time(task.begin[t] - task.created[t])} after its creation`
                    : "") +
                (task.ready[t] >= 0
                    ? `, ${time(task.begin[t] - task.ready[t])} after it was ready`
                    : ""),
        ],
        [
            "lasted",
            `${time(wall)}; its code ran ${time(task.work[t])} in ` +
                `${several(task.n_strands[t], "strand")}`,
        ],
        ["children", count(app.data.children.n[t])],
    );
    return rows;
}

/** @param {App} app */
function of_worker(app, row, from, to) {
    const rows = [["worker", String(app.data.rows[row])]];
    if (from !== undefined && from !== null)
        rows.push(["from", time(from)], ["for", time(to - from)]);
    rows.push(...of_cpu(app, row, from ?? 0, to ?? app.data.elapsed));
    return rows;
}

// What the kernel says of that time.
/** @param {App} app */
function of_cpu(app, row, from, to) {
    const use = cpu_use(app.data.cpu[row], Math.floor(from), Math.floor(to));
    return use.known
        ? [
              ["had a CPU", time(use.run)],
              ["waited for one", use.has_wait ? time(use.wait) : "not known"],
          ]
        : [];
}

// part: a selection, or what hit() of a view gives; `text`: rows that the view has itself.
/** @param {App} app */
export function describe(app, part) {
    if (part.text) return part.text;
    if (!app.data) return [];
    if (part.strand !== null && part.strand !== undefined) return of_strand(app, part.strand);
    if (part.task !== null && part.task !== undefined) return of_task(app, part.task);
    if (part.pause)
        return [
            [
                "worker " + app.data.rows[part.worker],
                part.pause.state === STATE.RUNTIME
                    ? `in the runtime (${CALLS[part.pause.call]})`
                    : STATES[part.pause.state],
            ],
            ["for", time(part.pause.to - part.pause.from)],
            [
                "after",
                part.pause.after === NONE
                    ? "nothing: it had run no task yet"
                    : place(kind_of(app, app.data.strand.task[part.pause.after])),
            ],
        ];
    if (part.cpu) return of_worker(app, part.worker, part.cpu.from, part.cpu.to);
    if (part.kind !== null && part.kind !== undefined)
        return [["kind", place(app.data.kinds[part.kind])]];
    if (part.worker !== null && part.worker !== undefined)
        return of_worker(app, part.worker, part.from, part.to);
    return [];
}

/** @param {App} app */
function link(app, text, part) {
    return link_button(text, () => {
        app.choose(part);
        app.zoom_to_selection();
    });
}

/** @param {App} app */
function links(app) {
    const s = app.selection,
        d = app.data,
        list = [];
    const t = s.strand !== null ? d.strand.task[s.strand] : s.task;
    if (s.moment !== null && s.worker !== null && d && app.shown !== "why")
        list.push(link_button("why idle", () => app.show("why")));
    if (t === null || t === NONE) return list;
    if (s.strand !== null && d.strand.releaser[s.strand] !== NONE)
        list.push(link(app, "who released it", { strand: d.strand.releaser[s.strand] }));
    if (s.strand !== null) list.push(link(app, "its task", { task: t }));
    if (d.task.parent[t] !== NONE) list.push(link(app, "its creator", { task: d.task.parent[t] }));
    if (d.children.first[t] !== NONE)
        list.push(link(app, "first child", { task: d.children.first[t] }));
    if (d.children.next[t] !== NONE)
        list.push(link(app, "next sibling", { task: d.children.next[t] }));
    list.push(link_button("all of its kind", () => app.choose({ kind: d.task.kind[t] })));
    return list;
}

// [[label, text], ..] of all that is selected; null: nothing is.
/** @param {App} app */
export function facts_of(app) {
    const s = app.selection,
        part =
            s.strand !== null || s.task !== null
                ? { strand: s.strand, task: s.task }
                : { kind: s.kind, worker: s.worker, from: s.from, to: s.to };
    const range =
        s.from === null
            ? []
            : [["selected", `${time(s.to - s.from)} from ${time(s.from)} to ${time(s.to)}`]];
    const is_some = ["strand", "task", "kind", "worker", "from"].some(key => s[key] !== null);
    return is_some ? [...(app.data ? describe(app, part) : []), ...range] : null;
}

export const pair_of = ([label, text]) =>
    el("span", { class: "pair" }, el("span", {}, label), el("bdi", {}, text));

// The line at the foot of the page.
/** @param {App} app */
export function mount_details(app, host) {
    const draw = () => {
        const facts = facts_of(app);
        if (!facts)
            fill(
                host,
                el(
                    "span",
                    { class: "hint" },
                    "Click a finding, a bar or a strand; right click for more. Drag to move, " +
                        "Shift+drag to select time, wheel to zoom; ? for all keys.",
                ),
            );
        else
            fill(
                host,
                facts.map(pair_of),
                app.data ? links(app) : [],
                link_button("clear", () => app.clear()),
            );
    };
    app.on(news => {
        if (news.has("selection") || news.has("data")) draw();
    });
    draw();
}
