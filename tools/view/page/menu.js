// SPDX-License-Identifier: MIT
// menu.js - what can be done with the selection, by right click, a long touch, or "." and the menu
// key: show it in another view, copy its link or its facts.
import { show_tip } from "./canvas.js";
import { copy } from "./copy.js";
import { id_of } from "./data.js";
import { NONE } from "./kinds.js";
import { facts_of } from "./details.js";
import { button, el, fill } from "./dom.js";
import { pointed_instant, selected_time } from "./notes.js";
import { is_of_key } from "./gestures.js";

const ONLY = {
    strand: null,
    task: null,
    kind: null,
    site: null,
    worker: null,
    finding: null,
    from: null,
    to: null,
};

/** @param {App} app */
function task_of(app) {
    const { strand, task } = app.selection,
        of = strand !== null ? app.data.strand.task[strand] : task;
    return of === NONE ? null : of;
}

/** @param {App} app */
function show_task_alone(app, task) {
    app.select({ ...ONLY, task });
    app.find(`#${id_of(app.data.task, task)}`);
    app.show("tasks");
}

// [[text, what it does], ..] of what is selected.
/** @param {App} app */
function entries_of(app) {
    if (!app.data) return []; // it is being read
    const { selection: s, data } = app,
        list = [],
        task = task_of(app),
        kind = task !== null ? data.task.kind[task] : s.kind;
    const is_one = task !== null,
        is_time = s.from !== null;
    if (is_one || is_time)
        list.push([`zoom to ${is_one ? "it" : "this time"}`, () => app.zoom_to_selection()]);
    if (s.moment !== null && s.worker !== null) list.push(["why idle", () => app.show("why")]);
    if (is_one) list.push(["show in the DAG", () => app.show("dag")]);
    if (is_one || is_time)
        list.push(
            [
                "show in Why late",
                () => {
                    app.zoom_to_selection();
                    app.show("scg");
                },
            ],
            ["show in Dependences", () => app.show("ucc")],
        );
    if (kind !== null && data.kinds[kind].file in app.sources)
        list.push(["show the source", () => app.show("source")]);
    if (is_one)
        list.push(
            ["show in the table", () => show_task_alone(app, task)],
            ["select all of its kind", () => app.select({ ...ONLY, kind })],
        );
    else if (kind !== null || is_time || s.worker !== null)
        list.push([
            "show its tasks",
            () => {
                app.find("");
                app.show("tasks");
            },
        ]);
    return list;
}

// Of a selected time, and of the instant under the pointer.
/** @param {App} app */
function notes_of(app) {
    const at = selected_time(app),
        instant = pointed_instant(app);
    return [
        ...(at ? [["note this time", () => app.note(at)]] : []),
        ...(instant ? [["note this instant", () => app.note(instant)]] : []),
    ];
}

/** @param {App} app */
function copies_of(app) {
    const url = location.href.replace(/#.*$/, "") + app.link.fragment(),
        facts = facts_of(app)
            ?.map(pair => pair.join(": "))
            .join("\n");
    return [
        ["copy the link", () => copy(app, "the link", url)],
        ...(facts ? [["copy the facts", () => copy(app, "the facts", facts)]] : []),
    ];
}

// Sets app.menu(event): opens at the pointer, or, of a key, at what has the focus.
/** @param {App} app */
class Menu {
    /** @param {App} app */
    constructor(app) {
        this.app = app;
        this.menu = el("div", {
            id: "menu",
            role: "menu",
            "aria-label": "what to do with the selection",
            hidden: true,
        });
        /** @type {any} */
        this.back = null; // what had the focus
        this.menu.addEventListener("keydown", event => {
            const all = [...this.menu.children],
                at = all.indexOf(document.activeElement),
                n = all.length;
            const to = { ArrowDown: (at + 1) % n, ArrowUp: (at + n - 1) % n, Home: 0, End: n - 1 }[
                event.key
            ];
            event.stopPropagation(); // no key of the page's own meanwhile
            if (to !== undefined) all[to].focus();
            else if (event.key === "Escape" || event.key === "Tab") this.close();
            else return;
            event.preventDefault();
        });
        this.menu.addEventListener("contextmenu", event => event.preventDefault());
        document.addEventListener(
            "pointerdown",
            event => {
                if (!this.menu.contains(event.target)) this.close();
            },
            true,
        );
        this.menu.addEventListener("focusout", event => {
            if (!this.menu.contains(event.relatedTarget)) this.close();
        });
        addEventListener("blur", () => this.close());
        document.body.append(this.menu);
        this.app.menu = event => {
            event.preventDefault();
            show_tip(this.app, null);
            if (!is_of_key(event)) return this.open(event.clientX, event.clientY);
            const box = (
                document.activeElement === document.body
                    ? document.getElementById("details")
                    : document.activeElement
            ).getBoundingClientRect();
            this.open(box.left + 24, box.top + 24);
        };
        // A row of a table is chosen, as by a click; a key means what is selected, wherever the
        // focus is.
        document.addEventListener("contextmenu", event => {
            const row = event.target.closest?.("tr.can"),
                is_key = is_of_key(event) && !event.target.matches?.("input, textarea, select");
            if (event.defaultPrevented || !(row || is_key)) return;
            if (row && !is_key) row.click();
            this.app.menu(event);
        });
    }

    close() {
        if (this.menu.hidden) return;
        this.menu.hidden = true;
        if (this.menu.contains(document.activeElement)) this.back?.focus();
    }

    open(x, y) {
        const list = [...entries_of(this.app), ...notes_of(this.app), ...copies_of(this.app)];
        this.back = document.activeElement;
        fill(
            this.menu,
            list.map(([text, act]) => {
                const choose = () => {
                    this.close();
                    /** @type {() => void} */ (act)();
                };
                return button(String(text), choose, { role: "menuitem", tabindex: "-1" });
            }),
        );
        this.menu.hidden = false;
        const box = this.menu.getBoundingClientRect();
        this.menu.style.left = Math.max(4, Math.min(x, innerWidth - box.width - 4)) + "px";
        this.menu.style.top = Math.max(4, Math.min(y, innerHeight - box.height - 4)) + "px";
        this.menu.firstChild.focus({ preventScroll: true });
    }
}

export function mount_menu(app) {
    new Menu(app);
}
