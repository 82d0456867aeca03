// SPDX-License-Identifier: MIT
// flame.js - creation paths as a flame graph: who created whom, as wide as their time.  The rows of
// `report --by path`, put together where they begin alike.
import { read_json } from "./blocks.js";
import { make_canvas, show_tip } from "./canvas.js";
import { choice, el, fill } from "./dom.js";
import { base, plain, share, time, where } from "./format.js";
import { listen_to_pointers } from "./gestures.js";
import { keep_one } from "./link.js";

const ROW_MOST = 22,
    ROW_LEAST = 9,
    NAME_LEAST = 30, // px
    AIR = 12,
    DOUBLE = 1; // of log2(ratio): as red or blue as can be
const WEIGHTS = {
    work: row => row.work_ns,
    "all time": row => row.work_ns + row.delay_ns + row.no_work_sched_ns + row.no_work_app_ns,
};

// Lines move from version to version: they tell apart what one run has.
const key_of = frame => JSON.stringify([frame.name, frame.file ?? frame.module, frame.line]);
const loose_key = frame => JSON.stringify([frame.name, base(frame.file ?? frame.module ?? "")]);

const frame_new = (of, up) => ({ of, up, own: 0, total: 0, inner: new Map() });

// The root of all frames: { of, up, own, total, inner }.
export function frames_of(paths, weight) {
    const root = frame_new({ name: "all tasks" }, null);
    for (const row of paths) {
        const value = weight(row);
        let at = root;
        root.total += value;
        for (const step of row.path?.length ? row.path : [row]) {
            const key = key_of(step);
            if (!at.inner.has(key)) at.inner.set(key, frame_new(step, at));
            at = at.inner.get(key);
            at.total += value;
        }
        at.own += value;
    }
    return root;
}

// [frame, depth, from, to], ..; from and to are shares of the width.  The widest stand first.
export function boxes_of(root) {
    const boxes = [[root, 0, 0, 1]];
    for (let i = 0; i < boxes.length; i++) {
        const [frame, depth, from] = boxes[i],
            inner = [...frame.inner.values()].sort((a, b) => b.total - a.total);
        let at = from;
        for (const each of inner) {
            const wide = root.total > 0 ? each.total / root.total : 0;
            boxes.push([each, depth + 1, at, at + wide]);
            at += wide;
        }
    }
    return boxes;
}

// Time by path of names alone, to compare runs: what differs by lines only is one path.
function times_by_path(root) {
    const times = new Map(),
        names = new Map();
    for (const [frame] of boxes_of(root)) {
        const path = (names.get(frame.up) ?? "") + loose_key(frame.of);
        names.set(frame, path);
        times.set(path, (times.get(path) ?? 0) + frame.total);
    }
    return { times, names };
}

// before(frame): what its path has in the other run; ratio(frame): log2 of what it has in this one
// over that.
export function compared(root, root_of_other) {
    const here = times_by_path(root),
        there = times_by_path(root_of_other).times,
        before = frame => there.get(here.names.get(frame)) ?? 0,
        now = frame => here.times.get(here.names.get(frame));
    return {
        before,
        ratio: frame => (before(frame) > 0 ? Math.log2(now(frame) / before(frame)) : DOUBLE),
    };
}

class Flame {
    /** @param {App} app */
    constructor(app, host) {
        this.app = app;
        this.by = "work";
        this.root = null; // what has all of the width
        this.bar = el("div", { class: "strip" });
        const area = el("div", { class: "area" });
        fill(host, this.bar, area);
        this.canvas = make_canvas(app, area, "creation paths as a flame graph; its table follows");
        keep_one(
            app,
            "flame",
            Object.keys(WEIGHTS),
            () => this.by,
            by => this.set(by),
        );
        this.set(this.by);
        this.listen();
    }

    set(by) {
        this.by = by;
        this.all = frames_of(this.app.summary.paths, WEIGHTS[by]);
        this.root = this.all;
        this.other = this.other_run();
        const hints = {
            work: "time in which tasks of the path ran",
            "all time": "work, delay and no-work that is charged to the path",
        };
        fill(
            this.bar,
            el("h2", {}, "Creation paths"),
            choice(
                "width",
                Object.keys(WEIGHTS).map(id => [id, id, hints[id]]),
                by,
                id => {
                    this.set(id);
                    this.app.dirty();
                },
            ),
            el(
                "span",
                { class: "hint" },
                this.other
                    ? `blue: half of what ${this.other.label} has, or less; pale: the same; ` +
                          "red: double or more"
                    : "below each its children; double click: all of the width",
            ),
        );
    }

    // Of a page of several runs: the first, or the second where this is the first.
    other_run() {
        const { app } = this;
        if (!app.sides.length) return null;
        const side = app.side ? 0 : 1,
            root = frames_of(read_json(side, "summary").paths, WEIGHTS[this.by]);
        return { label: app.sides[side].label, ...compared(this.all, root) };
    }

    // A row of boxes, and how high each is.
    layout() {
        const boxes = boxes_of(this.root),
            rows = Math.max(...boxes.map(([, depth]) => depth)) + 1,
            high = Math.max(ROW_LEAST, Math.min(ROW_MOST, this.canvas.height / rows)),
            wide = Math.max(1, this.canvas.width - 2 * AIR);
        return { boxes, high, wide };
    }

    kind_of({ of }) {
        return this.app.meta.kinds.findIndex(kind => key_of(kind) === key_of(of));
    }

    colour_of(frame) {
        const { app, other } = this;
        if (!other) {
            const kind = this.kind_of(frame);
            return kind < 0 ? app.colour.others : app.colour.kind(kind);
        }
        return app.colour.ramp(Math.max(0, Math.min(1, 0.5 + other.ratio(frame) / (2 * DOUBLE))));
    }

    draw() {
        const { app, canvas } = this,
            { ctx } = canvas;
        ctx.clearRect(0, 0, canvas.width, canvas.height);
        if (canvas.height < 40) return;
        const { boxes, high, wide } = this.layout();
        ctx.font = "11px system-ui, sans-serif";
        ctx.textBaseline = "middle";
        ctx.textAlign = "left";
        for (const [frame, depth, from, to] of boxes) {
            const x = AIR + from * wide,
                w = (to - from) * wide - 1;
            if (w < 0.5) continue;
            const colour = this.colour_of(frame),
                chosen = app.selection.kind;
            ctx.globalAlpha = chosen !== null && this.kind_of(frame) !== chosen ? 0.25 : 1;
            ctx.fillStyle = colour;
            ctx.fillRect(x, depth * high, w, high - 1);
            if (w > NAME_LEAST && high > 11) this.draw_name(ctx, frame, x, w, depth * high, high);
            ctx.globalAlpha = 1;
        }
    }

    draw_name(ctx, frame, x, w, y, high) {
        const text = this.name_of(frame),
            room = Math.floor((w - 8) / 6.2);
        ctx.fillStyle = this.app.colour.text(ctx.fillStyle);
        ctx.fillText(
            text.length > room ? text.slice(0, Math.max(1, room - 1)) + "\u2026" : text,
            x + 4,
            y + high / 2,
        );
    }

    name_of({ of }) {
        const at = where(of);
        return `${plain(of.name ?? "?")}${at ? ` ${at}` : ""}${of.recursive ? " (again)" : ""}`;
    }

    hit(x, y) {
        const { boxes, high, wide } = this.layout(),
            depth = Math.floor(y / high),
            at = (x - AIR) / wide;
        return boxes.find(([, d, from, to]) => d === depth && at >= from && at < to)?.[0] ?? null;
    }

    tip(frame) {
        const rows = [
            ["path", this.name_of(frame)],
            [this.by, `${time(frame.total)}, ${share(frame.total / (this.all.total || 1))}`],
            ["its own", time(frame.own)],
        ];
        if (!this.other) return rows;
        return [...rows, [this.other.label, time(this.other.before(frame))]];
    }

    listen() {
        const { app, canvas } = this;
        listen_to_pointers(canvas.node, {
            press: () => ({}),
            drag() {},
            pinch() {},
            hover: (x, y, event) => {
                const frame = this.hit(x, y);
                show_tip(app, frame && this.tip(frame), event.clientX, event.clientY);
                canvas.node.style.cursor = frame ? "pointer" : "default";
            },
            leave: () => show_tip(app, null),
            click: (x, y) => {
                const frame = this.hit(x, y),
                    kind = frame ? this.kind_of(frame) : -1;
                app.clear();
                if (kind >= 0) app.select({ kind });
            },
            twice: (x, y) => {
                const frame = this.hit(x, y);
                this.root = !frame || frame === this.root ? this.all : frame;
                app.dirty();
            },
            menu: event => app.menu(event),
            wheel() {},
        });
    }

    rows() {
        const boxes = boxes_of(this.all).sort((a, b) => b[0].total - a[0].total);
        return {
            caption: `creation paths, by ${this.by}`,
            head: ["depth", "task", this.by, "its own"],
            rows: boxes
                .slice(0, 200)
                .map(([frame, depth]) => [
                    String(depth),
                    this.name_of(frame),
                    time(frame.total),
                    time(frame.own),
                ]),
        };
    }
}

export const view = {
    id: "flame",
    title: "Paths",
    hint: "who created whom, as a flame graph: as wide as the time of all below",
    /** @param {App} app */
    mount(app, host) {
        const it = new Flame(app, host);
        return { draw: () => it.draw(), hit: () => null, rows: () => it.rows(), timeless: true };
    },
};
