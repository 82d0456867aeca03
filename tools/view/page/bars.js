// SPDX-License-Identifier: MIT
// bars.js - where the time went: states by component of the whole run, components of the selected
// stretch.
import { several, share, time } from "./format.js";
import { el, fill, swatch } from "./dom.js";

export const COMPONENTS = ["work", "delay", "no_work_sched", "no_work_app"];
export const NAMES = {
    work: "work",
    delay: "delay",
    no_work_sched: "no-work-sched",
    no_work_app: "no-work-app",
};
export const MEANING = {
    work: "a worker ran the program's code",
    delay: "a strand was ready and a worker not busy: a slow runtime, or a lock",
    no_work_sched: "nothing was ready because a strand on the ready path was delayed",
    no_work_app: "nothing was ready: the program had too little parallelism",
};

// What workers were in, by the key of the summary: its name, and what it means.
const STATES = {
    running: ["running", "a worker ran a task"],
    blocked: ["blocked", "a task waited for a lock, or another thread"],
    message: ["in MPI", "a task waited inside MPI for another rank"],
    device: ["device", "a task waited for an offloaded kernel or copy"],
    runtime: [
        "in runtime",
        "a worker was in a call of the runtime: it creates, waits, looks for work",
    ],
    idle: ["starved", "a worker had nothing to run"],
    tracer: ["tracer", "tptrace itself held the worker"],
};

const WHILE = {
    delay: "while something was ready",
    no_work_sched: "while nothing was ready, as a strand on the ready path was late",
    no_work_app: "while the program had no more to run at once",
};

// Of all workers and the whole run: how long they had nothing to run, and why; "" if they always
// had.
export function idle_words({ states, cumulative_ns }) {
    const parts = Object.entries(WHILE)
            .map(([name, text]) => ({ ns: states.idle[`${name}_ns`] ?? 0, text }))
            .filter(({ ns }) => ns > 0)
            .sort((a, b) => b.ns - a.ns),
        all = parts.reduce((sum, { ns }) => sum + ns, 0);
    if (!all) return "";
    const said = parts.map(({ ns, text }) => `${time(ns)} ${text}`).join("; ");
    return `All workers were idle for ${time(all)} (${share(all / cumulative_ns)}): ${said}.`;
}

// The components of [from, to): exact where both are edges of bins.
/** @param {Data} data */
export function components_of(data, from, to) {
    return Object.fromEntries(
        COMPONENTS.map((name, i) => [name, data.levels.components[i].over(from, to)]),
    );
}

/** @param {App} app */
function bar(app, [label, meaning], parts, all, total_text) {
    const node = el("div", {
        class: "bar",
        role: "img",
        "aria-label":
            `${label}: ` + parts.map(([name, ns]) => `${NAMES[name]} ${time(ns)}`).join(", "),
    });
    for (const [name, ns] of parts) {
        if (!(ns > 0)) continue;
        const part = el("span", {
            title:
                `${label}: ${NAMES[name]} ${time(ns)}, ${share(ns / all)} of all. ` +
                `${MEANING[name]}`,
        });
        part.style.flexGrow = String(ns / all);
        part.style.backgroundColor = app.colour.components[name];
        node.append(part);
    }
    const sum = parts.reduce((before, [, ns]) => before + ns, 0),
        rest = el("span", { class: "none" });
    rest.style.flexGrow = String(Math.max(0, 1 - sum / all));
    node.append(rest);
    return [
        el("span", { class: "label", title: meaning }, label),
        node,
        el("span", { class: "number" }, total_text ?? time(sum)),
    ];
}

// In few words, what MEANING says in full.
const SHORT = {
    work: "the program's code ran",
    delay: "something was ready, and not begun",
    no_work_sched: "a task begun late kept it back",
    no_work_app: "the program had no more to run",
};

// What the colours mean, and how much each has of all states, unless bars beside it say so.
/** @param {App} app */
export function key(app, has_totals = true) {
    const states = Object.values(app.summary.states),
        total = name => states.reduce((sum, of) => sum + (of[name + "_ns"] ?? 0), 0);
    return el(
        "ul",
        { class: "key totals" },
        COMPONENTS.map(name =>
            el(
                "li",
                { title: MEANING[name] },
                swatch(app.colour.components[name]),
                NAMES[name],
                el("small", {}, SHORT[name]),
                has_totals ? el("span", { class: "number" }, time(total(name))) : null,
            ),
        ),
    );
}

/** @param {App} app */
export function whole(app) {
    const s = app.summary,
        states = [];
    for (const [state, of] of Object.entries(s.states)) {
        const parts = COMPONENTS.map(name => [name, of[name + "_ns"] ?? 0]),
            sum = parts.reduce((a, [, ns]) => a + ns, 0);
        if (sum > 0)
            states.push(
                bar(
                    app,
                    STATES[state] ?? [state, ""],
                    parts,
                    s.cumulative_ns,
                    `${time(sum)}  ${share(sum / s.cumulative_ns)}`,
                ),
            );
    }
    return states.flat();
}

/** @param {App} app */
function selected(app) {
    const { from, to } = app.selection,
        all = (to - from) * app.data.n_workers,
        of = components_of(app.data, from, to);
    return COMPONENTS.map(name =>
        bar(
            app,
            [NAMES[name], MEANING[name]],
            [[name, of[name]]],
            all,
            `${time(of[name])}  ${share(of[name] / all)}`,
        ),
    ).flat();
}

/** @param {App} app */
export function mount_bars(app, host) {
    const draw = () => {
        const part = app.data && app.selection.from !== null,
            total = el("p", { class: "sum" });
        if (part) {
            const of = components_of(app.data, app.selection.from, app.selection.to);
            total.dataset.components = JSON.stringify(of);
            total.textContent =
                `${time(app.selection.to - app.selection.from)} \u00d7 ` +
                `${several(app.data.n_workers, "worker")}`;
        } else
            total.textContent =
                `${time(app.summary.elapsed_ns)} \u00d7 ` +
                `${several(app.summary.workers, "worker")} = ${time(app.summary.cumulative_ns)}`;
        fill(
            host,
            el("h2", {}, part ? "Where it went: selected time" : "Where it went"),
            el("div", { class: "bars" }, part ? selected(app) : whole(app)),
            key(app, !part),
            total,
        );
    };
    app.on(news => {
        if (news.has("selection") || news.has("theme") || news.has("data")) draw();
    });
    draw();
}
