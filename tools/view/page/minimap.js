// SPDX-License-Identifier: MIT
// minimap.js - the whole run in one strip, and in a frame the time that all axes show: drag the
// frame, an edge of it, or a new one beside it; a click goes there.
import { RIGHT, make_canvas, show_tip } from "./canvas.js";
import { time } from "./format.js";
import { listen_to_pointers, turned } from "./gestures.js";
import { Raster, put_stack } from "./raster.js";

const GRIP = 6, // px around an edge where it is taken, ..
    FRAME_LEAST = 4, // .. and of a frame at least
    BEFORE = 0.35; // how much of the rest is left

class Minimap {
    // stacks(n): [[colour, how many workers are in that], ..] of n columns of the whole run
    /** @param {App} app */
    constructor(app, host, left, n_workers, stacks) {
        this.app = app;
        this.left = left;
        this.n_workers = n_workers;
        this.stacks = stacks;
        this.raster = new Raster();
        this.n = 0; // columns that it has
        const label = "the whole run, and the time in sight in a frame; W, S, A and D change it";
        this.canvas = make_canvas(app, host, label);
        listen_to_pointers(this.canvas.node, this.gestures());
        app.on(news => {
            if (news.has("theme")) this.n = 0;
            this.draw();
        });
    }

    get width() {
        return Math.max(1, Math.floor(this.canvas.width - this.left - RIGHT));
    }
    x(ns) {
        return this.left + (ns / this.app.extent) * this.width;
    }
    ns(x) {
        const share = Math.max(0, Math.min(1, (x - this.left) / this.width));
        return share * this.app.extent;
    }
    get is_whole() {
        const { from, to } = this.app.time;
        return to - from >= this.app.extent;
    }
    // What a pointer takes at x of the frame: "from" or "to", its edges; "move"; or "new".
    part_at(x) {
        if (this.is_whole) return "new";
        const x0 = this.x(this.app.time.from),
            x1 = this.x(this.app.time.to),
            grip = Math.min(GRIP, Math.max(1, (x1 - x0) / 4));
        if (x >= x0 - GRIP && x <= x0 + grip) return "from";
        if (x >= x1 - grip && x <= x1 + GRIP) return "to";
        return x > x0 && x < x1 ? "move" : "new";
    }

    gestures() {
        const { app, canvas } = this,
            between = (a, b) => app.zoom(Math.min(a, b), Math.max(a, b));
        const drags = {
            new: (down, x) => between(this.ns(down.x), this.ns(x)),
            from: (down, x) => between(this.ns(x), down.to),
            to: (down, x) => between(down.from, this.ns(x)),
            move: (down, x) => {
                const by = ((x - down.x) / this.width) * app.extent;
                app.zoom(down.from + by, down.to + by);
            },
        };
        return {
            press: x => ({ ...app.time, part: this.part_at(x) }),
            drag: (down, x) => drags[down.part](down, x),
            pinch() {},
            hover: (x, _, event) => {
                const part = this.part_at(x),
                    cursors = { new: "crosshair", move: "grab" };
                canvas.node.style.cursor = cursors[part] ?? "ew-resize";
                show_tip(app, [["at", time(this.ns(x))]], event.clientX, event.clientY);
            },
            leave: () => show_tip(app, null),
            click: x => {
                const half = (app.time.to - app.time.from) / 2;
                if (!this.is_whole) app.zoom(this.ns(x) - half, this.ns(x) + half);
            },
            twice: () => app.zoom(0, app.extent),
            menu: event => app.menu?.(event),
            wheel: (x, _, event) => app.scale(Math.exp(turned(event).y * 0.002), this.ns(x)),
        };
    }

    draw_run(ctx, height) {
        const { app, raster, width: n } = this,
            { ratio } = this.canvas;
        if (n !== this.n || ratio !== raster.ratio) {
            const base = new Float64Array(n);
            raster.begin(n, height, ratio);
            for (const [colour, of] of this.stacks(n))
                put_stack(raster, height, base, of, height / this.n_workers, raster.paint(colour));
            this.n = n;
        }
        ctx.fillStyle = app.colour.idle;
        ctx.fillRect(this.left, 0, n, height);
        raster.draw(ctx, this.left, 0);
    }

    draw() {
        const { app, canvas, left, width } = this,
            { ctx, height } = canvas,
            { from, to } = app.selection,
            x0 = this.x(app.time.from),
            x1 = Math.max(x0 + FRAME_LEAST, this.x(app.time.to));
        ctx.clearRect(0, 0, canvas.width, height);
        if (height < 8) return;
        this.draw_run(ctx, height);
        if (!this.is_whole) {
            ctx.globalAlpha = 1 - BEFORE;
            ctx.fillStyle = app.colour.paper;
            ctx.fillRect(left, 0, x0 - left, height);
            ctx.fillRect(x1, 0, left + width - x1, height);
            ctx.globalAlpha = 1;
        }
        ctx.fillStyle = app.colour.accent;
        if (from !== null) ctx.fillRect(this.x(from), 0, Math.max(1, this.x(to) - this.x(from)), 3);
        ctx.fillStyle = app.colour.ink;
        for (const note of app.notes) ctx.fillRect(this.x(note.from) - 1, height - 6, 2, 6);
        ctx.strokeStyle = app.colour.ink;
        ctx.lineWidth = this.is_whole ? 1 : 2;
        ctx.strokeRect(x0, 1, x1 - x0, height - 2);
        ctx.fillStyle = app.colour.faint;
        ctx.font = "11px system-ui, sans-serif";
        ctx.textAlign = "right";
        ctx.textBaseline = "middle";
        ctx.fillText("whole run", left - 6, height / 2);
    }
}

/** @param {App} app */
export function mount_minimap(app, host, left, n_workers, stacks) {
    new Minimap(app, host, left, n_workers, stacks);
}
