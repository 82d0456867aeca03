// SPDX-License-Identifier: MIT
// parallelism.js - how many workers were in what, and how much was ready, as time goes by.
//
// Below the line of P: running by kind, blocked, in the runtime, held by the recorder; what is left
// is idle, hatched. Above it: ready strands by the edge that released them.  Each column of pixels
// is an exact mean.
import { BINS } from "./data.js";
import { EDGES } from "./kinds.js";
import { count, time } from "./format.js";
import { choice_in_list, el, fill, keys } from "./dom.js";
import { keep_one } from "./link.js";
import { LEFT, RIGHT, draw_marks, draw_ready, listen, make_axis, make_canvas } from "./canvas.js";
import { Raster, put_stack } from "./raster.js";
import { ready_in_pixels, running_in_pixels } from "./pixels.js";

const TOP = 6,
    BOTTOM = 4, // the ruler is below the timelines
    TICK_LEAST = 14, // px, of a name
    READY_PX = 26, // what the name of the top takes, two lines and half of the next
    DIM = 0.25;
const BY = [
    ["edge", "edge", "what released them"],
    ["holder", "holder", "the worker that released them"],
];
export const CLASSES = [...Array(BINS.others + 1).keys(), BINS.blocked, BINS.runtime, BINS.tracer];

/** @param {App} app */
export function colour_of_class(app, c) {
    if (c < BINS.others) return app.colour.kind(app.data.leading[c]);
    return {
        [BINS.others]: app.colour.others,
        [BINS.blocked]: app.colour.blocked,
        [BINS.runtime]: app.colour.runtime,
        [BINS.tracer]: app.colour.tracer,
    }[c];
}

/** @param {App} app @param {Data} data */
export function name_of_class(app, c, data = app.data) {
    if (c < BINS.others)
        return data === app.data
            ? app.format.kind_at(data.leading[c])
            : app.format.plain(data.kinds[data.leading[c]].name ?? "?");
    return {
        [BINS.others]: "other kinds",
        [BINS.blocked]: "blocked",
        [BINS.runtime]: "runtime",
        [BINS.tracer]: "tracer",
    }[c];
}

// A round number at or above the greatest of ready, which ready is cut off at.
export function ceiling(most) {
    if (most <= 1) return 1;
    const power = 10 ** Math.floor(Math.log10(most));
    return [1, 2, 5, 10].map(x => x * power).find(x => x >= most);
}

// Whole numbers between 0 and `limit`, which is a ceiling(): as far as their names have room.
export function ticks_below(limit, room) {
    const parts = limit % 2 === 0 ? 2 : limit;
    if (room / parts < TICK_LEAST) return [];
    return Array.from({ length: parts - 1 }, (_, i) => ((i + 1) * limit) / parts);
}

class Parallelism {
    /** @param {App} app */
    constructor(app, host, bar) {
        this.app = app;
        this.host = host;
        this.raster = new Raster();
        this.by = "edge";
        this.stack = null;
        this.bar = bar;
        this.area = el("div", { class: "area" });
        fill(this.host, this.area);
        this.canvas = make_canvas(
            this.app,
            this.area,
            "parallelism over time; the table Tasks and the bars hold the same in numbers",
        );
        this.margins = Object.assign([LEFT, RIGHT], { brush: true });
        listen(this.app, this.canvas, x => this.hit(x), this.margins);
        this.draw_bar();
        keep_one(
            this.app,
            "ready",
            ["edge", "holder"],
            () => this.by,
            id => {
                this.by = id;
                this.draw_bar();
            },
        );
    }

    draw_bar() {
        /** @type {[string, number][]} */
        const all = EDGES.map((name, e) => [name, e]);
        const total = ([, e]) => this.app.data.levels.ready[e].total,
            edges = all.filter(edge => total(edge) > 0).sort((a, b) => total(b) - total(a));
        const choose = by => {
            this.by = by;
            this.draw_bar();
            this.app.dirty();
        };
        const entry = name => [name.replace("_", "-"), this.app.colour.edge(name)];
        const hint = "tasks that wait to run, above the line of all workers";
        fill(
            this.bar,
            edges.length ? el("span", { class: "hint", title: hint }, "ready by") : null,
            choice_in_list("colour of what is ready", BY, this.by, choose),
            this.by === "edge" ? keys(edges.map(([name]) => entry(name))) : null,
        );
    }

    geometry() {
        const height = this.canvas.height - TOP - BOTTOM,
            top = TOP + Math.round(height * 0.45);
        return {
            top,
            bottom: TOP + height,
            y: n => TOP + height - (n / this.app.data.n_workers) * (TOP + height - top),
        };
    }

    draw() {
        const ctx = this.canvas.ctx,
            axis = make_axis(this.app, this.canvas, LEFT, RIGHT),
            g = this.geometry(),
            n = Math.max(1, Math.floor(axis.width));
        const ns_px = (axis.to - axis.from) / n;
        ctx.clearRect(0, 0, this.canvas.width, this.canvas.height);
        if (this.canvas.height < 40) return;
        const running = running_in_pixels(this.app.data, axis.from, axis.to, n),
            ready = ready_in_pixels(this.app.data, axis.from, axis.to, n, this.by);
        ctx.fillStyle = this.app.hatch();
        ctx.fillRect(
            LEFT,
            g.top,
            Math.max(0, Math.min(axis.width, axis.x(this.app.data.elapsed) - LEFT)),
            g.bottom - g.top,
        ); // another run may be longer
        const most = this.draw_stacks(ctx, g, n, { running, ready, ns_px });
        this.draw_scale(ctx, axis, g, most);
    }

    // Workers that run below, ready strands above.  How many are ready at most.
    draw_stacks(ctx, g, n, stack) {
        const { app, raster } = this,
            { running, ready, ns_px } = stack;
        const height = new Float64Array(n),
            unit = (g.bottom - g.top) / app.data.n_workers / ns_px;
        raster.begin(n, g.bottom, this.canvas.ratio);
        for (const c of CLASSES) {
            const paint = raster.paint(colour_of_class(app, c), app.lights(c) ? 1 : DIM);
            put_stack(raster, g.bottom, height, running[c], unit, paint);
        }
        let most = 0;
        for (let x = 0; x < n; x++)
            most = Math.max(most, ready.reduce((sum, of) => sum + of[x], 0) / ns_px);
        const limit = ceiling(most),
            above = (g.top - TOP) / limit / ns_px;
        height.fill(0);
        ready.forEach((of, i) =>
            put_stack(
                raster,
                g.top,
                height,
                of,
                above,
                raster.paint(this.by === "edge" ? app.colour.edge(EDGES[i]) : app.colour.worker(i)),
            ),
        );
        raster.draw(ctx, LEFT, 0);
        this.stack = stack;
        return most;
    }

    draw_scale(ctx, axis, g, most) {
        ctx.fillStyle = this.app.colour.ink;
        ctx.fillRect(LEFT, g.top - 0.5, axis.width, 1);
        ctx.font = "11px system-ui, sans-serif";
        ctx.textAlign = "right";
        ctx.textBaseline = "middle";
        ctx.fillText(`P = ${this.app.data.n_workers}`, LEFT - 6, g.top + 6);
        ctx.fillText("0", LEFT - 6, g.bottom - 4);
        ctx.fillStyle = this.app.colour.faint;
        if (most > 0) this.draw_ticks(ctx, axis, ceiling(most), g.top - TOP);
        draw_marks(this.app, ctx, axis, g.bottom);
    }

    // What is ready, upwards: the top by its name, and what lies below that.
    draw_ticks(ctx, axis, limit, room) {
        draw_ready(ctx, limit, LEFT - 6, TOP + 6, room);
        for (const n of ticks_below(limit, room)) {
            const y = TOP + (1 - n / limit) * room;
            ctx.fillRect(LEFT - 4, y - 0.5, 4, 1);
            ctx.globalAlpha = 0.25;
            ctx.fillRect(LEFT, y - 0.5, axis.width, 1);
            ctx.globalAlpha = 1;
            if (y > TOP + READY_PX) ctx.fillText(count(n), LEFT - 6, y);
        }
    }

    hit(x) {
        const at = Math.floor(x - LEFT);
        if (!this.stack || at < 0 || at >= this.stack.running[0].length) return null;
        const text = [["at", time(make_axis(this.app, this.canvas, LEFT, RIGHT).ns(x))]],
            /** @type {[string, number][]} */
            means = CLASSES.filter(c => c >= BINS.others || c < this.app.data.leading.length).map(
                c => [name_of_class(this.app, c), this.stack.running[c][at] / this.stack.ns_px],
            );
        for (const [name, mean] of means) if (mean >= 0.005) text.push([name, mean.toFixed(2)]);
        const busy = means.reduce((sum, [, mean]) => sum + mean, 0);
        text.push(["starved", Math.max(0, this.app.data.n_workers - busy).toFixed(2)]);
        this.stack.ready.forEach((of, i) => {
            if (of[at] / this.stack.ns_px >= 0.005)
                text.push([
                    this.by === "edge"
                        ? "ready, " + EDGES[i].replace("_", "-")
                        : `ready on ${this.app.data.rows[i]}`,
                    (of[at] / this.stack.ns_px).toFixed(2),
                ]);
        });
        return { text, instant: true };
    }
}

export const view = {
    id: "parallelism",
    title: "Parallelism",
    hint: "workers by what they did, and ready strands above the line, over time",
    /** @param {App} app */
    mount(app, host, bar) {
        const it = new Parallelism(app, host, bar);
        return {
            draw: () => it.draw(),
            hit: () => it.hit(),
            changed: news => {
                if (news.has("theme")) it.draw_bar();
            },
        };
    },
};
