// SPDX-License-Identifier: MIT
// header.js - what was run, on what, and the verdict; losses before anything else.
import { base, brief, count, plain, sentence } from "./format.js";
import { button, el, fill } from "./dom.js";
import { Work } from "./steps.js";

const COMMAND_MOST = 60, // letters
    WARNINGS_MOST = 5; // at first

// What the machine did to the run, before any cause, unless the verdict names it.
function machine_lines({ findings }, meta) {
    return findings
        .map(({ what }, i) => ({ ...meta.findings[i], what: what.split("\n")[0] }))
        .filter(({ of_machine, title }) => of_machine && !meta.verdict.includes(title))
        .map(({ title, what }) => `${title.toUpperCase()}: ${what}`);
}

// How it ended and what was lost, the machine, then the report's other notes, of all that makes the
// figures less than the whole truth, and what the page leaves out.
export function warnings(summary, meta) {
    const { workers } = summary,
        is_of_worker = text => /^\s*worker \d+:/.test(text), // a detail, and there may be many
        rest = meta.notes.filter(text => !meta.fates.includes(text) && !is_of_worker(text)),
        list = [...meta.fates, ...machine_lines(summary, meta), ...rest];
    if (meta.rows.length < workers)
        list.push(
            `${count(workers - meta.rows.length)} of ${count(workers)} workers ` +
                "ran no task at all: they have no row",
        );
    if (meta.partial && meta.served)
        list.push(el("span", { id: "detail", role: "status" }, "reading \u2026"));
    else if (meta.partial)
        list.push(
            `of ${count(meta.strands)} strands the page has ${count(meta.kept)} in full (the ` +
                "ready path, those around the widest pauses and in findings, what moved, the " +
                "top of the tree, the longest); sums are of all; " +
                "'tptrace view --serve' has the rest",
        );
    return [...list, ...meta.notes.filter(is_of_worker)];
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
    search.addEventListener("keydown", event => {
        if (event.key === "Enter" && app.data) app.step_hit(event.shiftKey ? -1 : 1);
    });
    return search;
}

/** @param {App} app */
function title_of(app, command) {
    return el(
        "h1",
        { class: "title" },
        app.letter && `${app.letter}: `,
        el("bdi", { title: plain(command) }, brief(plain(command), COMMAND_MOST)),
    );
}

/** @param {App} app */
export const buttons_of = (app, help) => [
    button("whole run", () => app.zoom(0, app.extent), { title: "back to the whole run (0)" }),
    button("\u25d0", () => app.wear(!app.colour.dark), {
        title: "light or dark",
        "aria-label": "light or dark",
    }),
    button("?", help, { title: "keys (?)", "aria-label": "keys" }),
];

/** @param {App} app */
function tools(app, help) {
    const host = el("div", { class: "tools" }, search_field(app), buttons_of(app, help));
    app.searching = new Work(host);
    return host;
}

// All of them, of which the last are behind a button where there are many.
function warning_list(texts) {
    if (!texts.length) return null;
    const list = el(
            "ul",
            { class: "warnings", "aria-label": "what is special" },
            texts.map(text => el("li", {}, text)),
        ),
        rest = [...list.children].slice(WARNINGS_MOST);
    if (rest.length < 2) return list;
    const show = is_open => {
        for (const item of rest) item.hidden = !is_open;
        more.textContent = is_open ? "less" : `+${count(rest.length)}`;
        more.setAttribute("aria-expanded", String(is_open));
    };
    const more = button("", () => show(rest[0].hidden), { title: "all that is special" });
    list.append(el("li", { class: "rest" }, more));
    show(false);
    return list;
}

/** @param {App} app */
export function mount_header(app, host, help) {
    const s = app.summary,
        [command, ...facts] = app.meta.facts,
        list = warning_list(warnings(s, app.meta)),
        is_first = app.meta.fates.length > 0; // before the verdict
    document.title = plain(base((s.command ?? s.file ?? "").split(" ")[0])) + " - tptrace";
    fill(
        host,
        is_first ? list : null,
        title_of(app, command),
        el("p", { class: "verdict" }, verdict(app.meta.verdict)),
        tools(app, help),
        el(
            "p",
            { class: "facts" },
            facts.map(fact => el("span", {}, sentence(fact))),
        ),
        is_first ? null : list,
    );
}
