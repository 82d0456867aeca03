// SPDX-License-Identifier: MIT
// job_table.js - tables of a job: what each process was in, by phase; kinds of all of them.
import { count, place, share, time } from "./format.js";
import { chosen_by, el, head_of, swatch } from "./dom.js";
import { name_of_process } from "./job_rows.js";
import { colour_of_state } from "./job_draw.js";

const ROWS = 100, // of a table at most: what it takes to lay it out grows with them
    COMPONENTS = ["work_ns", "delay_ns", "no_work_sched_ns", "no_work_app_ns"];
/** @type {[string, string][]} */
const SHOWN = [
    ["running", "running"],
    ["message", "in MPI"],
    ["blocked", "blocked"],
    ["runtime", "in runtime"],
    ["idle", "starved"],
];

export const sum_of_charge = of =>
    of ? COMPONENTS.reduce((sum, name) => sum + (of[name] ?? 0), 0) : 0;

// { states: as a report has them }, of all processes.
export function states_of_all(processes) {
    const all = {};
    for (const { states } of processes)
        for (const [state, of] of Object.entries(states))
            for (const [name, ns] of Object.entries(of)) {
                all[state] ??= {};
                all[state][name] = (all[state][name] ?? 0) + ns;
            }
    return all;
}

// How much each process worked, in all and by phase, against the mean: one row a phase.  Phases of
// one name are one.
export function imbalance_of(processes) {
    const names = [...new Set(processes.flatMap(({ phases }) => phases.map(({ name }) => name)))],
        work_in = name => process =>
            process.phases
                .filter(phase => phase.name === name)
                .reduce((sum, phase) => sum + phase.work_ns, 0);
    const row = (name, work_of) => {
        const work = processes.map(work_of),
            most = work.indexOf(Math.max(...work)),
            least = work.indexOf(Math.min(...work)),
            mean = work.reduce((a, b) => a + b, 0) / work.length;
        return { name, work, most, least, mean, times: mean > 0 ? work[most] / mean : 0 };
    };
    return [
        row(null, process => process.work_ns),
        ...(names.length > 1 ? names.map(name => row(name, work_in(name))) : []),
    ];
}

export function phase_table(processes) {
    const name_of = i => name_of_process(processes[i]);
    return el(
        "table",
        { class: "by-phase" },
        el("caption", {}, "Work by phase"),
        head_of(["phase", "mean", "most", "by", "most of mean", "least", "by"]),
        el(
            "tbody",
            {},
            imbalance_of(processes).map(({ name, work, most, least, mean, times }) =>
                el(
                    "tr",
                    {},
                    el("th", { scope: "row" }, el("bdi", {}, name ?? "whole run")),
                    el("td", {}, time(mean)),
                    el("td", {}, time(work[most])),
                    el("td", { class: "text" }, name_of(most)),
                    el("td", { class: times >= 1.1 ? "grew" : null }, `${times.toFixed(2)} \u00d7`),
                    el("td", {}, time(work[least])),
                    el("td", { class: "text" }, name_of(least)),
                ),
            ),
        ),
    );
}

/** @param {App} app */
function process_row(app, process, i, mean) {
    const of = state => sum_of_charge(process.states[state]),
        times = mean > 0 ? process.work_ns / mean : 0,
        choose = () => app.select({ worker: app.selection.worker === i ? null : i });
    return el(
        "tr",
        chosen_by(choose),
        el("th", { scope: "row" }, el("bdi", {}, name_of_process(process))),
        el("td", {}, time(process.elapsed_ns)),
        el("td", {}, count(process.workers)),
        el("td", {}, time(process.work_ns)),
        el("td", { class: times >= 1.1 ? "grew" : null }, `${times.toFixed(2)} \u00d7`),
        SHOWN.map(([state]) => el("td", {}, share(of(state) / process.cumulative_ns))),
        el("td", {}, count(process.tasks)),
    );
}

/** @param {App} app */
export function process_table(app, processes, order) {
    const mean = processes.reduce((sum, { work_ns }) => sum + work_ns, 0) / processes.length,
        title = ([state, text]) => [swatch(colour_of_state(app, state)), ` ${text}`];
    return el(
        "table",
        { class: "by-process" },
        el(
            "caption",
            {},
            "Processes, by state; shares of their own core-seconds",
            order.length > ROWS
                ? `; ${count(ROWS)} of ${count(order.length)}: those that findings name, ` +
                      "then those with the most work"
                : "",
        ),
        head_of([
            "process",
            "elapsed",
            "workers",
            "work",
            "of mean",
            ...SHOWN.map(each => title(each)),
            "tasks",
        ]),
        el(
            "tbody",
            {},
            order.slice(0, ROWS).map(i => process_row(app, processes[i], i, mean)),
        ),
    );
}

// Which process is selected; `order` as the table was given it.
/** @param {App} app */
export function mark_process(app, table, order) {
    for (const [i, row] of [...table.tBodies[0].rows].entries())
        row.classList.toggle("chosen", order[i] === app.selection.worker);
}

// Kinds of all processes, the most costly first.
export function kind_table({ kinds, cumulative_ns }) {
    return el(
        "table",
        {},
        el("caption", { class: "unseen" }, "kinds of all processes"),
        head_of(["kind", "share", "work", "tasks", "processes"]),
        el(
            "tbody",
            {},
            kinds
                .slice(0, ROWS)
                .map(kind =>
                    el(
                        "tr",
                        {},
                        el("th", { scope: "row" }, el("bdi", {}, place(kind))),
                        el("td", {}, share(sum_of_charge(kind) / cumulative_ns)),
                        el("td", {}, time(kind.work_ns)),
                        el("td", {}, count(kind.tasks)),
                        el("td", {}, count(kind.processes)),
                    ),
                ),
        ),
    );
}
