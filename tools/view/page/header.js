// SPDX-License-Identifier: MIT
// header.js - what was run, on what, and the verdict; losses before anything else.
import { base, count, plain, sentence, several, time } from "./format.js";
import { button, el, fill } from "./dom.js";

const they_were = (n, one) => `${several(n, one)} ${n === 1 ? "was" : "were"}`;

// Everything that makes the figures less than the whole truth.
function warnings(summary, meta) {
    const list = [];
    if (summary.events_lost) list.push(`${they_were(summary.events_lost, "event")} lost`);
    if (summary.threads_lost)
        list.push(`${they_were(summary.threads_lost, "thread")} not recorded`);
    if (!summary.complete) list.push("the trace has no end: the program was killed, or still runs");
    if (summary.tasks_never_begun)
        list.push(`${several(summary.tasks_never_begun, "task")} never began`);
    if (summary.machine && summary.machine.cpus && summary.workers > summary.machine.cpus)
        list.push(`${summary.workers} workers share ${summary.machine.cpus} cpus`);
    if (meta.rows.length < summary.workers)
        list.push(
            `${count(summary.workers - meta.rows.length)} of ${count(summary.workers)} workers ` +
                "ran no task at all: they have no row",
        );
    if (meta.partial && meta.served)
        list.push(el("span", { id: "detail", role: "status" }, "reading \u2026"));
    else if (meta.partial)
        list.push(
            `of ${count(meta.strands)} strands the page has ${count(meta.kept)} in full (the ` +
                "ready path, those around the widest pauses and in findings, what moved, the " +
                "longest); sums are of all; 'tptrace view --serve' has the rest",
        );
    return list;
}

// The report's own words: the first two sentences are what it comes to.
function verdict(text) {
    const sentences = sentence(text).split(/(?<=\.) (?=[A-Z\d])/);
    return [
        el("strong", {}, sentences.slice(0, 2).join(" ")),
        ...sentences
            .slice(2)
            .map(more => [" ", el("small", {}, more)])
            .flat(),
    ];
}

function runtimes(summary) {
    return summary.runtimes
        .map(r => plain(`${r.name ?? "?"} ${r.version ?? ""}`).trim())
        .join(", ");
}

/** @param {App} app */
function search_field(app) {
    const search = el("input", {
        type: "search",
        id: "search",
        placeholder: "search: name, site, > 1ms, #task   /",
        "aria-label": "search tasks by name, site, length or number",
        spellcheck: "false",
        autocomplete: "off",
    });
    search.value = app.search;
    app.on(news => {
        if (news.has("search") && search.value !== app.search) search.value = app.search;
    });
    search.addEventListener("input", () => {
        app.find(search.value);
        if (search.value) app.show("tasks");
    });
    return search;
}

function facts_of(s) {
    return [
        runtimes(s),
        several(s.workers, "worker"),
        s.machine && s.machine.cpus ? several(s.machine.cpus, "cpu") : null,
        time(s.elapsed_ns),
        several(s.tasks, "task"),
        several(s.steals, "steal"),
        s.host ? "on " + plain(s.host) : null,
    ].filter(Boolean);
}

function title_of(s) {
    const name = el(
        "bdi",
        { title: plain(s.command ?? "") },
        plain(s.command ?? s.file ?? "a run"),
    );
    const facts = facts_of(s).map(fact => el("span", {}, fact));
    return el("div", { class: "title" }, el("h1", {}, name), el("p", { class: "facts" }, facts));
}

/** @param {App} app */
function tools(app, help) {
    const labelled = (title, label) => ({ title, "aria-label": label });
    return el(
        "div",
        { class: "tools" },
        search_field(app),
        button("whole run", () => app.zoom(0, app.extent), { title: "back to the whole run (0)" }),
        button(
            "\u25d0",
            () => app.wear(!app.colour.dark),
            labelled("light or dark", "light or dark"),
        ),
        button("?", help, labelled("keys (?)", "keys")),
    );
}

/** @param {App} app */
export function mount_header(app, host, help) {
    const s = app.summary,
        list = warnings(s, app.meta).map(text => el("li", {}, text));
    document.title = plain(base((s.command ?? s.file ?? "").split(" ")[0])) + " - tptrace";
    fill(
        host,
        title_of(s),
        el("p", { class: "verdict" }, verdict(app.meta.verdict)),
        tools(app, help),
        list.length ? el("ul", { class: "warnings", "aria-label": "what is special" }, list) : null,
    );
}
