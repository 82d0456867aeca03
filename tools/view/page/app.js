// SPDX-License-Identifier: MIT
// app.js - what all views share: the selection, the time in sight, frames, and the URL.
import * as format from "./format.js";
import { colours } from "./colours.js";
import { BINS, NODE, id_of, index_of } from "./data.js";
import { snap } from "./levels.js";
import { NONE } from "./kinds.js";
import { Link } from "./link.js";
import { for_each, pace, turn as browser_turn } from "./steps.js";

const NOTHING = {
    from: null,
    to: null,
    moment: null,
    worker: null,
    kind: null,
    site: null,
    task: null,
    strand: null,
    finding: null,
};
const LEAST_NS = 20;

export class App {
    // sides: of a page of several runs, of which the views show number `side`
    constructor(summary, meta, sides = [], side = 0) {
        this.summary = summary;
        this.meta = meta;
        this.sides = sides;
        this.side = side;
        this.extent = Math.max(meta.elapsed, ...sides.map(of => of.elapsed)); // of the axis of time
        /** @type {Data} */
        this.data = null; // once it is read
        this.selection = { ...NOTHING };
        this.hover = { ...NOTHING };
        this.shades = null; // what colours of strands mean, by the timelines (shades.js)
        this.time = { from: 0, to: this.extent };
        this.shown = null; // the tab
        this.is_large = false; // the view below
        this.search = "";
        /** @type {import("./notes.js").Note[]} */
        this.notes = [];
        /** @type {null | Uint8Array} */
        this.hits = null; // by task: whether it is searched; null where nothing is
        /** @type {null | import("./steps.js").Work} */
        this.searching = null; // header.js
        this.then = null; // what waits for the search
        this.heard = [];
        this.resized = new Set(); // canvases' functions: their windows have other sizes
        this.asked = false;
        this.colour = null;
        this.names = null; // of kinds: how many have each
        this.script = ""; // the page's own
        this.sources = null;
        this.ready_to_write = false; // the URL
        /** @type {{ dark: boolean, pattern: CanvasPattern } | null} */
        this.hatched = null;
        this.equip(null);
        this.news = new Set();
        this.slice_began = performance.now();
        this.frames = [];
        this.link = new Link(this);
        const dark = matchMedia("(prefers-color-scheme: dark)");
        dark.addEventListener("change", () => this.wear(dark.matches));
        this.wear(dark.matches);
        this.link.keep(
            "theme",
            () => (this.colour.dark === dark.matches ? "" : this.colour.dark ? "dark" : "light"),
            text => this.wear(text === "dark" || (text !== "light" && dark.matches)),
        );
        this.link.keep(
            "large",
            () => (this.is_large ? "true" : ""),
            text => this.enlarge(text === "true"),
        );
        this.format = {
            ...format,
            kind: k => format.plain(meta.kinds[k].name ?? "?"),
            kind_at: k => this.name_kind(k),
            site: s => format.place(meta.sites[s]),
            task: t =>
                `task ${id_of(this.data.task, t)} ` +
                `${format.plain(meta.kinds[this.data.task.kind[t]].name)}`,
        };
    }

    // A kind's name, with its line where another one has the same.
    name_kind(k) {
        const kind = this.meta.kinds[k],
            name = format.plain(kind.name ?? "?");
        this.names ??= this.meta.kinds.reduce(
            (n, { name: of }) => n.set(of, (n.get(of) ?? 0) + 1),
            new Map(),
        );
        return this.names.get(kind.name) > 1 && kind.line ? `${name} :${kind.line}` : name;
    }

    wear(dark) {
        document.documentElement.dataset.theme = dark ? "dark" : "light";
        this.colour = colours(dark, this.meta.leading);
        this.tell("theme");
    }

    // What other modules make for it: main.js, menu.js, notes.js.
    /**
     * @param {null | { canvas: (host: HTMLElement, label: string) => Canvas,
     *     axis: (canvas: Canvas, left: number, right: number) => Axis,
     *     ruler: (ctx: CanvasRenderingContext2D, axis: Axis, y: number) => void,
     *     describe: (part: object) => string[][], hatch: () => CanvasPattern,
     *     has_view: (id: string) => boolean,
     *     hits_of: (app: App, text: string) => Generator<number, Uint8Array> }} tools
     */
    equip(tools) {
        this.canvas = tools?.canvas;
        this.axis = tools?.axis;
        this.ruler = tools?.ruler;
        this.describe = tools?.describe;
        this.hatch = tools?.hatch;
        this.has_view = tools?.has_view;
        this.hits_of = tools?.hits_of;
        /** @type {(event: any) => void} */
        this.menu = null;
        /** @type {(at?: { from: number, to: number | null } | null) => void} */
        this.note = null;
    }

    // fn(what): a Set of "selection", "hover", "time", "theme", "size", "search", "tab", "data",
    // "window" (strands and tasks have other numbers from now on), "detail"
    on(fn) {
        this.heard.push(fn);
    }

    tell(what) {
        this.news.add(what);
        if (this.asked) return;
        this.asked = true;
        requestAnimationFrame(() => {
            const news = this.news,
                began = performance.now();
            this.asked = false;
            this.news = new Set();
            for (const resize of this.resized) resize();
            this.resized.clear();
            for (const fn of this.heard) fn(news);
            this.link.write(true);
            this.frames.push(performance.now() - began);
            if (this.frames.length > 600) this.frames.shift();
        });
    }

    dirty() {
        this.tell("draw");
    }

    async slice() {
        if (performance.now() - this.slice_began < pace.ms) return;
        await browser_turn();
        this.slice_began = performance.now();
    }

    select(part) {
        const stale = "from" in part && !("moment" in part) ? { moment: null } : null,
            next = { ...this.selection, ...stale, ...part };
        if (Object.keys(NOTHING).every(key => next[key] === this.selection[key])) return;
        this.selection = next;
        this.tell("selection");
        this.link.write(false);
    }

    // That, and no other strand, task, worker, kind or site.
    choose(part) {
        this.select({ strand: null, task: null, worker: null, kind: null, site: null, ...part });
    }

    clear() {
        this.select(NOTHING);
    }

    // Other strands of the same run: what is selected has other numbers there, or is not there.
    take(data) {
        const old = this.data,
            turn = part =>
                part === null
                    ? null
                    : {
                          ...part,
                          strand: index_of(data.strand, id_of(old.strand, part.strand)),
                          task: index_of(data.task, id_of(old.task, part.task)),
                      };
        this.selection = turn(this.selection);
        this.hover = turn(this.hover);
        this.data = data;
        this.hits = null;
        this.find(this.search);
        this.tell("window");
        this.tell("selection");
    }

    over(part) {
        const next = { ...NOTHING, ...part };
        if (Object.keys(NOTHING).every(key => next[key] === this.hover[key])) return;
        this.hover = next;
        this.tell("hover");
    }

    // Selects that stretch, from bin to bin where that is finer than the eye: its sums are exact
    // then.
    select_time(from, to) {
        const width = this.data ? this.data.levels.width : 1;
        const [low, high] = snap(
            Math.max(0, from),
            Math.min(this.meta.elapsed, to),
            width,
            this.meta.elapsed,
        );
        this.select(high > low ? { from: low, to: high } : { from: null, to: null });
    }

    zoom(from, to) {
        const elapsed = this.extent,
            length = Math.min(elapsed, Math.max(LEAST_NS, to - from));
        const low = Math.max(0, Math.min(elapsed - length, from + (to - from - length) / 2));
        if (low === this.time.from && low + length === this.time.to) return;
        this.time = { from: low, to: low + length };
        this.tell("time");
    }

    // share > 0: to the right; factor < 1: closer, around `at`
    pan(share) {
        const length = this.time.to - this.time.from;
        const from = Math.max(0, Math.min(this.extent - length, this.time.from + share * length));
        this.zoom(from, from + length);
    }
    scale(factor, at = (this.time.from + this.time.to) / 2) {
        this.zoom(at - (at - this.time.from) * factor, at + (this.time.to - at) * factor);
    }

    // What is selected, with some air around it.
    zoom_to_selection() {
        const s = this.selection,
            d = this.data;
        let from = s.from,
            to = s.to;
        if (d && s.strand !== null) [from, to] = [d.strand.start[s.strand], d.strand.end[s.strand]];
        else if (d && s.task !== null && d.task.begin[s.task] >= 0)
            [from, to] = [d.task.begin[s.task], d.task.end[s.task]];
        if (from === null || to === null) return this.zoom(0, this.extent);
        const air = Math.max((to - from) * 0.1, 5);
        this.zoom(from - air, to + air);
    }

    show(id) {
        if (this.shown === id) return;
        this.shown = id;
        this.tell("tab");
        this.link.write(false);
    }

    // The view below takes most of the room, or what it had.
    enlarge(is_large) {
        this.is_large = is_large;
        this.tell("tab");
    }

    // Tasks are searched in steps; what was found before holds until then.
    find(text) {
        this.search = text;
        if (!this.data) return;
        const found = hits => {
            const { then } = this;
            this.hits = hits;
            this.then = null;
            this.tell("search");
            then?.();
        };
        if (text.trim()) this.searching.start(this.hits_of(this, text), found);
        else {
            this.searching.stop();
            found(null);
        }
    }

    // The next task that is searched, or the one before, in order of their beginnings.
    step_hit(step) {
        if (this.searching.is_busy) this.then = () => this.step_hit(step);
        else if (this.hits) this.step_to_hit(step);
    }

    step_to_hit(step) {
        this.searching.start(this.hit_beside(step), ({ task, rank, n }) => {
            if (!n) return this.say("nothing found");
            this.select({ task, strand: null, kind: null, site: null });
            const begin = this.data.task.begin[task];
            if (!(begin >= this.time.from && begin < this.time.to)) this.zoom_to_selection();
            this.say(`${rank} of ${n} found`);
        });
    }

    // { task, rank, n }: the hit that is next to the selected one, round the end.
    *hit_beside(step) {
        const { hits, data } = this,
            { begin, first } = data.task,
            now = this.selection.task,
            is_hit = t => hits[t] === 1 && first[t] !== NONE,
            before = (a, b) => begin[a] < begin[b] || (begin[a] === begin[b] && a < b),
            ahead = step > 0 ? before : (a, b) => before(b, a),
            at = now !== null && is_hit(now) ? now : null;
        let n = 0,
            low = 0, // hits before `at`
            next = null,
            end = null; // the first one in that direction
        yield* for_each(data.task.n, t => {
            if (!is_hit(t)) return;
            n++;
            if (at !== null && before(t, at)) low++;
            if (end === null || ahead(t, end)) end = t;
            if (at !== null && ahead(at, t) && (next === null || ahead(t, next))) next = t;
        });
        const of_next = step > 0 ? low + 2 : low,
            of_end = step > 0 ? 1 : n;
        return { task: next ?? end, rank: next === null ? of_end : of_next, n };
    }

    say(text) {
        document.getElementById("live").textContent = text;
    }

    // Of a strand, as the timelines have it.
    colour_of(strand) {
        const of = strand === NONE ? undefined : this.shades.colours[this.shades.shade(strand)];
        return of ?? this.colour.others;
    }

    // Whether strand i is what the selection is about; all are where nothing is selected.
    matches(i) {
        const s = this.selection,
            strand = this.data.strand;
        if (strand.flags[i] & NODE) return false;
        if (this.hits) return this.hits[strand.task[i]] === 1;
        if (s.strand !== null || s.task !== null)
            return s.strand === i || s.task === strand.task[i];
        if (s.kind !== null) return this.data.task.kind[strand.task[i]] === s.kind;
        if (s.site !== null)
            return this.data.kinds[this.data.task.kind[strand.task[i]]].site === s.site;
        return true;
    }

    // Of the run that all views but Compare show; "" on a page of one.
    get letter() {
        return this.sides.length ? "ABC"[this.side] : "";
    }

    // Whether the time of workers that ran no task is lit: a finding is about what kept them, too.
    get lights_pauses() {
        const { finding, task, strand } = this.selection,
            is_finding = finding !== null && task === null && strand === null && !this.hits;
        return is_finding || !this.dims;
    }

    // Whether time of a class of the bins (data.js) is.
    lights(bin) {
        if (bin > BINS.others) return this.lights_pauses;
        const { kind } = this.selection;
        return !this.dims || (kind !== null && this.data.leading[bin] === kind);
    }

    get dims() {
        const s = this.selection;
        return (
            s.kind !== null ||
            s.site !== null ||
            s.task !== null ||
            s.strand !== null ||
            this.hits !== null
        );
    }
}
