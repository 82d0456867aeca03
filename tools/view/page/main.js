// SPDX-License-Identifier: MIT
// main.js - puts the page up: what the report says at once, views as soon as the columns are read.
import { App } from "./app.js";
import { Aside, serve_aside } from "./aside.js";
import { BINS } from "./data.js";
import { describe, mount_details } from "./details.js";
import { button, choice, el, fill, head_of } from "./dom.js";
import { LEFT, RULER, make_axis, make_canvas, draw_ruler } from "./canvas.js";
import { mount_bars } from "./bars.js";
import { mount_bounds } from "./bounds.js";
import { refine } from "./fine.js";
import { mount_findings, step_finding } from "./findings.js";
import { mount_header } from "./header.js";
import { mount_help } from "./help.js";
import { fold_keys } from "./legend.js";
import { mount_menu } from "./menu.js";
import { mount_minimap } from "./minimap.js";
import { mount_notes } from "./notes.js";
import { Windows, SAID } from "./windows.js";
import { has_column, has_job, read_json, read_sides, side_of, take_column } from "./blocks.js";
import { Work } from "./steps.js";
import { hits_of } from "./tasks.js";
import { CLASSES, colour_of_class } from "./parallelism.js";
import { row_from_levels } from "./pixels.js";
import { open_story } from "./story.js";
import { LANE_MOST } from "./operations.js";
import { views } from "./views.js";

const IN_PAGE = typeof document !== "undefined",
    SCRIPT = IN_PAGE ? document.currentScript?.textContent : null;
const by_id = id => document.getElementById(id);

// A fill of fine stripes for time that nobody used.
/** @param {App} app */
function hatch(app) {
    if (app.hatched && app.hatched.dark === app.colour.dark) return app.hatched.pattern;
    const tile = document.createElement("canvas"),
        ctx = tile.getContext("2d");
    tile.width = tile.height = 8;
    ctx.fillStyle = app.colour.idle;
    ctx.fillRect(0, 0, 8, 8);
    ctx.strokeStyle = app.colour.no_work;
    ctx.lineWidth = 2;
    for (const x of [-8, 0, 8]) {
        ctx.moveTo(x, 8);
        ctx.lineTo(x + 8, 0);
    }
    ctx.stroke();
    app.hatched = { dark: app.colour.dark, pattern: ctx.createPattern(tile, "repeat") };
    return app.hatched.pattern;
}

/** @param {App} app */
export function equip(app) {
    app.equip({
        canvas: (host, label) => make_canvas(app, host, label),
        axis: (canvas, left, right) => make_axis(app, canvas, left, right),
        ruler: (ctx, axis, y) => draw_ruler(app, ctx, axis, y),
        describe: part => describe(app, part),
        hatch: () => hatch(app),
        has_view: id => views.some(view => view.id === id),
        hits_of,
    });
}

// ---- views ----

// bar: of a view that stands above, its part of the legend.
/** @param {App} app */
function mount_view(app, view, host, bar) {
    host.setAttribute("aria-label", view.hint);
    host.dataset.view = view.id;
    const mounted = view.mount(app, host, bar);
    window.tptrace.views[view.id] = mounted;
    if (mounted.rows) host.append(table_behind(mounted, host));
    return mounted;
}

// What a view's rows() gives, at once or in steps.
function* rows_of(mounted) {
    const rows = mounted.rows();
    return rows.next ? yield* rows : rows;
}

// The same as a canvas shows, for who reads the page by ear: made anew when the view gets the
// focus.
function table_behind(mounted, host) {
    const behind = el("div", { class: "unseen" }),
        show = ({ caption, head, rows }) =>
            fill(
                behind,
                el(
                    "table",
                    {},
                    el("caption", {}, caption),
                    head_of(head),
                    el(
                        "tbody",
                        {},
                        rows.map(row =>
                            el(
                                "tr",
                                {},
                                row.map(text => el("td", {}, text)),
                            ),
                        ),
                    ),
                ),
            );
    const work = new Work(behind),
        make = () => work.start(rows_of(mounted), show);
    host.addEventListener("focusin", make);
    host.addEventListener("computed", event => {
        if (event.target !== behind) make();
    });
    make();
    return behind;
}

// Tells a view what is new, and draws it.
function hear(view, news) {
    if (view.timeless && news.size === 1 && news.has("time")) return;
    if (view.changed) view.changed(news);
    view.draw();
}

// The panes share the room as a view of the lower one wants.
function give_room(view) {
    const { classList, dataset } = by_id("views");
    classList.toggle("alone", view.alone === true);
    classList.toggle("above", view.above === true);
    dataset.shown = view.id;
}

// The tabs below: a view is mounted when it is first shown, and hears what it missed when it is
// shown again.
/** @param {App} app */
export function mount_tabs(app, list, host) {
    const mounted = new Map(),
        strip = by_id("tabs"),
        room = el("div", { class: "room" });
    fill(host, room);
    const show = () => {
        const view = list.find(v => v.id === app.shown) ?? list[0];
        by_id("views").classList.toggle("large", app.is_large);
        fill(
            strip,
            choice(
                "views",
                list.map(v => [v.id, v.title, v.hint]),
                view.id,
                id => app.show(id),
            ),
            button("large", () => app.enlarge(!app.is_large), {
                class: "larger",
                "aria-pressed": String(app.is_large),
                title: "more room for this view, or less (L)",
            }),
        );
        give_room(view); // before it is mounted: it may look how much that is
        if (!mounted.has(view.id)) {
            const own = el("section", { class: "view" });
            room.append(own);
            mounted.set(view.id, { host: own, view: mount_view(app, view, own), missed: [] });
        }
        for (const [id, of] of mounted) of.host.hidden = id !== view.id;
        const shown = mounted.get(view.id);
        by_id("map").hidden = view.alone === true && shown.view.timeless === true;
        return shown;
    };
    // Views of other strands begin anew, and look as before but for what is of the strands.
    const renew = () => {
        app.link.forget(
            /^(file|profile|sort|columns|filter|tasks_sort|compare|(compare|dag|scg|ucc|why)_.*)$/,
            /^(dag_(open|node|at|all)|ucc_(of|at)|scg_bounds|why_at)$/,
        );
        mounted.clear();
        room.replaceChildren();
    };
    let shown = show();
    return {
        shown: () => shown.view,
        update: news => {
            if (news.has("window")) renew();
            if (news.has("tab") || news.has("window")) shown = show();
            for (const of of mounted.values()) of.missed = new Set([...of.missed, ...news]);
            hear(shown.view, shown.missed);
            shown.missed = [];
        },
    };
}

// Few workers need less room than the views below.
/** @param {App} app */
function share_room(app) {
    const rows = app.data.rows.length;
    const lanes = app.data.operations.length * LANE_MOST;
    if (rows <= 6) by_id("views").style.setProperty("--middle", `${rows * 48 + lanes + RULER}px`);
}

/** @param {App} app */
function mount_views(app) {
    share_room(app);
    const [ready, colours] = [0, 1].map(() => el("div", { class: "strip" })),
        above = [
            mount_view(app, views[0], by_id("upper"), ready),
            mount_view(app, views[1], by_id("middle"), colours),
        ];
    fill(by_id("legend"), colours, ready);
    fold_keys(by_id("legend"));
    const tabs = mount_tabs(app, views.slice(2), by_id("lower"));
    app.on(news => {
        tabs.update(news);
        for (const view of above) hear(view, news);
    });
    return event => [...above, tabs.shown()].some(view => view.key && view.key(event));
}

// What all workers are in, in n columns of the whole run.
/** @param {App} app */
function stacks_of(app, n) {
    const of = Array.from({ length: BINS.classes - 1 }, () => new Float64Array(n));
    for (const row of app.data.levels.rows) row_from_levels(row, 0, app.extent, n, of);
    const shares = c => of[c].map(ns => (ns * n) / app.extent);
    return CLASSES.map(c => [colour_of_class(app, c), shares(c)]);
}

// Of a page that has some strands only: reads what is in sight, and says what it has.
/** @param {App} app */
async function mount_windows(app) {
    const windows = new Windows(app, app.data, data => app.take(data)),
        told = by_id("detail");
    window.tptrace.windows = windows;
    await windows.read();
    app.on(news => {
        if (news.has("time")) windows.wake();
        if (told) told.textContent = SAID[windows.state];
    });
}

// ---- keys ----

/** @param {App} app */
function show_tab(app, view) {
    if (view) app.show(view.id);
}

// Whether a key is for the control that has the focus: any is for text and numbers, those that
// move it are for a slider.
function is_for_control({ key, target }) {
    return target.matches("input[type=range]")
        ? /^(Arrow|Page|Home|End)/.test(key)
        : target.matches("input:not([type=checkbox]), select, textarea");
}

/** @param {App} app */
export function listen_to_keys(app, help, of_views, tabs) {
    const actions = {
        w: () => app.scale(0.7),
        s: () => app.scale(1 / 0.7),
        a: () => app.pan(-0.15),
        d: () => app.pan(0.15),
        arrowleft: () => app.pan(-0.15),
        arrowright: () => app.pan(0.15),
        f: () => app.zoom_to_selection(),
        0: () => app.zoom(0, app.extent),
        "/": () => by_id("search")?.focus(), // a job has none
        "?": help,
        ".": event => app.menu(event),
        n: () => app.note(),
        escape: () => app.clear(),
        "[": () => step_finding(app, -1),
        "]": () => step_finding(app, 1),
        l: () => app.enlarge(!app.is_large),
    };
    document.addEventListener("keydown", event => {
        if (
            event.ctrlKey ||
            event.metaKey ||
            event.altKey ||
            document.querySelector("dialog[open]")
        )
            return;
        if (is_for_control(event)) {
            if (event.key === "Escape") event.target.blur();
            return;
        }
        if (of_views(event)) {
            event.preventDefault();
            return;
        }
        const action = /^[1-9]$/.test(event.key)
            ? () => show_tab(app, tabs[Number(event.key) - 1])
            : actions[event.key.toLowerCase()];
        if (!action) return;
        event.preventDefault();
        action(event);
    });
}

// ---- all of it ----

// Time that the browser has nothing else for; where it tells of none, a slice.
/** @param {App} app */
function idle_of(app) {
    let rest = null;
    return async () => {
        if (rest && rest.timeRemaining() > 1) return;
        if (typeof requestIdleCallback === "function")
            rest = await new Promise(done => requestIdleCallback(done, { timeout: 500 }));
        else await app.slice();
    };
}

export const loaded = () =>
    new Promise(done =>
        document.readyState === "loading"
            ? document.addEventListener("DOMContentLoaded", done)
            : done(),
    );

// The columns of a run, each as soon as it is there.
async function feed(aside, side) {
    const give = is_there => {
        for (const name of [...aside.missing])
            if (is_there(name)) aside.give(name, take_column(side, name));
    };
    const watch = new MutationObserver(() => give(name => has_column(side, name)));
    watch.observe(document.body, { childList: true });
    await loaded();
    watch.disconnect();
    give(() => true);
}

async function start() {
    const began = performance.now(),
        sides = read_sides(),
        side = side_of(location.hash);
    if (side) await loaded(); // the other runs stand behind the script
    const summary = read_json(side, "summary"),
        meta = read_json(side, "meta"),
        app = new App(summary, meta, sides, side);
    window.tptrace = { ready: false, summary, app, views: {}, timing: { script: began } };
    app.script = SCRIPT;
    equip(app);
    app.link.read();
    const help = mount_help();
    mount_header(app, by_id("header"), help);
    mount_findings(app, by_id("findings"));
    mount_notes(app, by_id("notes"));
    mount_bars(app, by_id("bars"));
    mount_bounds(app, by_id("speedup"), read_json(side, "bounds").bounds);
    mount_details(app, by_id("details"));
    mount_menu(app);
    by_id("upper").textContent = "reading the strands \u2026";
    window.tptrace.timing.first = performance.now();
    const aside = new Aside(app.script, meta);
    await feed(aside, side);
    window.tptrace.timing.loaded = performance.now();
    app.sources = read_json(sides.length ? 0 : side, "sources");
    app.data = await aside.read(() => app.slice());
    window.tptrace.timing.read = performance.now();
    app.find(app.search);
    if (meta.partial) app.link.read(); // its strands have numbers now
    if (meta.partial && meta.served) await mount_windows(app);
    if (meta.partial) app.link.read();
    open_story(app);
    const of_views = mount_views(app);
    mount_minimap(app, by_id("map"), LEFT, app.data.n_workers, n => stacks_of(app, n));
    listen_to_keys(app, help, of_views, views.slice(2));
    addEventListener("popstate", () => {
        if (side_of(location.hash) === side) app.link.read();
        else location.reload();
    });
    app.ready_to_write = true;
    for (const what of ["data", "selection", "time", "search", "tab"]) app.tell(what);
    window.tptrace.timing.ready = performance.now();
    requestAnimationFrame(() =>
        requestAnimationFrame(() => {
            window.tptrace.ready = true;
        }),
    );
    await refine(app.data, idle_of(app));
    window.tptrace.timing.refined = performance.now();
    app.dirty();
}

export function show_failure(error) {
    const text = el(
        "p",
        { class: "failed", role: "alert" },
        `This page could not be drawn: ${error.message}`,
    );
    document.body.prepend(text);
    console.error(error);
}

if (!IN_PAGE)
    serve_aside(); // the Worker of aside.js
// what is of a job alone, job_page.js puts up
else if (!has_job() || side_of(location.hash)) start().catch(show_failure);
