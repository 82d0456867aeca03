// SPDX-License-Identifier: MIT
// link.js - the state of the page in the URL's fragment: #at=0-5000&kind=3&view=dag&arcs=steal.join
//
// A view keeps what can be set in it by a name of its own.  What is as it was at first is left out.

import { id_of, index_of } from "./data.js";

// of the selection, beside its times
const MEMBERS = ["worker", "kind", "site", "task", "strand", "finding"];
const WRITE_MS = 200;

const in_reach = (number, below) => Number.isInteger(number) && number >= 0 && number < below;

// name=value of each part; what is not text of a URL is left out.
function parts_of(hash) {
    const parts = [];
    for (const part of hash.slice(1).split("&")) {
        const [key, value = ""] = part.split("=");
        try {
            if (/^[a-z_]+$/.test(key) && value !== "") parts.push([key, decodeURIComponent(value)]);
        } catch {
            /* cut in the middle of a letter */
        }
    }
    return parts;
}

export class Link {
    /** @param {App} app */
    constructor(app) {
        this.app = app;
        this.kept = new Map(); // name -> { read, take }
        this.asked = new Map(); // name -> text of a view that is not there yet
    }

    // read() -> text, "" if it is as at first; take(text) makes it so; "" or what no read() gives:
    // as at first.
    keep(name, read, take) {
        this.kept.set(name, { read, take });
        if (this.asked.has(name)) take(this.asked.get(name));
        this.asked.delete(name);
    }

    // Views that keep these names are gone: what was set in them waits for the next of that name,
    // but for `lost` ones.
    forget(names, lost) {
        for (const [name, { read }] of this.kept) {
            if (!names.test(name)) continue;
            const text = lost.test(name) ? "" : read();
            if (text !== "") this.asked.set(name, text);
            this.kept.delete(name);
        }
    }

    // What stays when another run is shown.
    looks() {
        const texts = [
            ...this.asked,
            ...[...this.kept].map(([name, of]) => [name, of.read()]),
        ].filter(([, text]) => text !== "");
        return texts.map(([name, text]) => `${name}=${encodeURIComponent(text)}`);
    }

    at() {
        const { time, extent } = this.app;
        return time.from > 0 || time.to < extent
            ? [`at=${Math.floor(time.from)}-${Math.ceil(time.to)}`]
            : [];
    }

    fragment() {
        const { app } = this,
            { selection: s } = app,
            parts = this.at();
        if (s.from !== null) parts.push(`time=${s.from}-${s.to}`);
        if (s.moment !== null) parts.push(`moment=${s.moment}`);
        for (const key of MEMBERS)
            if (s[key] !== null) parts.push(`${key}=${this.number_of(key, s[key])}`);
        if (app.side) parts.push(`trace=${app.side}`);
        if (app.shown) parts.push(`view=${app.shown}`);
        if (app.search) parts.push(`search=${encodeURIComponent(app.search)}`);
        parts.push(...this.looks());
        return parts.length ? "#" + parts.join("&") : "";
    }

    // Strands and tasks by their numbers in the trace.
    number_of(key, i) {
        const of = this.app.data?.[key];
        return of?.id ? id_of(of, i) : i;
    }

    // A page that has some strands only knows which when its data are there.
    index_for(key, number, below) {
        const of = this.app.data?.[key];
        if (!this.app.meta.partial || (key !== "strand" && key !== "task"))
            return in_reach(number, below) ? number : null;
        return of ? index_of(of, number) : null;
    }

    // Selecting makes an entry of the history; all else replaces the last one, a moment later.
    write(replace) {
        if (!this.app.ready_to_write) return;
        clearTimeout(this.writing);
        const write = () => {
            const fragment = this.fragment();
            if (fragment !== location.hash)
                history[replace ? "replaceState" : "pushState"](
                    null,
                    "",
                    fragment || location.pathname + location.search,
                );
        };
        if (replace) this.writing = setTimeout(write, WRITE_MS);
        else write();
    }

    read() {
        const { app } = this,
            { meta } = app,
            limits = {
                worker: meta.rows.length,
                kind: meta.kinds.length,
                site: meta.sites.length,
                task: meta.tasks,
                strand: meta.kept,
                finding: meta.findings.length,
            };
        const of = Object.fromEntries([...MEMBERS, "from", "to", "moment"].map(key => [key, null])),
            asked = new Map();
        let time = { from: 0, to: app.extent };
        clearTimeout(this.writing);
        app.search = "";
        app.shown = null;
        for (const [key, value] of parts_of(location.hash)) {
            const number = Number(value),
                range = value.split("-").map(Number);
            const is_range =
                range.length === 2 &&
                range[0] >= 0 &&
                range[1] > range[0] &&
                range[1] <= (key === "at" ? app.extent : meta.elapsed);
            if (key === "at") time = is_range ? { from: range[0], to: range[1] } : time;
            else if (key === "time") [of.from, of.to] = is_range ? range : [null, null];
            else if (key === "moment")
                of.moment = number >= 0 && number < meta.elapsed ? number : null;
            else if (key in limits) of[key] = this.index_for(key, number, limits[key]);
            else if (key === "view") app.shown = /^[a-z]+$/.test(value) ? value : null;
            else if (key === "search") app.search = value;
            else if (key !== "trace") asked.set(key, value);
        }
        app.selection = /** @type {App["selection"]} */ (of);
        app.time = time;
        this.asked = new Map([...asked].filter(([name]) => !this.kept.has(name)));
        for (const [name, { take }] of this.kept) take(asked.get(name) ?? "");
        app.find(app.search);
        for (const what of ["selection", "time", "tab", "search"]) app.tell(what);
    }
}

// ---- what views keep ----

// One of a list; get(), set(one).
/** @param {App} app */
export function keep_one(app, name, list, get, set) {
    const first = get();
    app.link.keep(
        name,
        () => (get() === first ? "" : String(get())),
        text => set(list.find(one => String(one) === text) ?? first),
    );
}

// Some of a list; get(one) -> whether it is among them, set(one, whether).
/** @param {App} app */
export function keep_some(app, name, list, get, set) {
    const text_of = () => list.filter(get).join(".") || "none",
        first = text_of();
    app.link.keep(
        name,
        () => (text_of() === first ? "" : text_of()),
        text => {
            const some = (text === "" ? first : text).split(".");
            for (const one of list) set(one, some.includes(one));
        },
    );
}

// Finite numbers; get() -> them, or null as at first; set(numbers, or null).
/** @param {App} app */
export function keep_numbers(app, name, n, get, set) {
    app.link.keep(
        name,
        () =>
            get()
                ?.map(number => Number(number.toPrecision(12)))
                .join("_") ?? "",
        text => {
            const numbers = text.split("_").map(part => (part === "" ? NaN : Number(part)));
            set(numbers.length === n && numbers.every(Number.isFinite) ? numbers : null);
        },
    );
}
