// SPDX-License-Identifier: MIT
// timelines.js - a row per worker: its strands by colour, its states in between, and what leads
// from row to row.
//
// Strands wider than a pixel are drawn one by one; what is smaller adds up to the shares of its
// column of pixels.
import { NODE, edge_kind, index_of, is_whole, row_at } from "./data.js";
import { COLLAPSED, EDGES, NONE } from "./kinds.js";
import { count } from "./format.js";
import { el, fill } from "./dom.js";
import { ARROWS, OWN, curve, draw_arcs, say_too_many } from "./arcs.js";
import { draw_cpu, sample_before } from "./cpu.js";
import { draw_operations, lanes_height, operation_at } from "./operations.js";
import { PATHS, draw_path } from "./path_lines.js";
import {
    LEFT,
    RIGHT,
    RULER,
    draw_marks,
    draw_ruler,
    listen,
    make_axis,
    make_canvas,
    note_at,
} from "./canvas.js";
import { count_in_sight, in_full, in_sight, is_walked } from "./pixels.js";
import { Raster } from "./raster.js";
import { shades_of } from "./shades.js";
import { finest, first_above } from "./levels.js";
import { keep_numbers, keep_one, keep_some } from "./link.js";
import { draw_bar, palette } from "./timelines_bar.js";
import { DIMMED, draw_row, draw_row_of_levels } from "./timelines_row.js";

const ROW_LEAST = 4,
    ROW_MOST = 110,
    DIM = 0.22,
    MOST_SEEN = 300000;
const TRIED_MOST = 20000,
    OUTLINED_MOST = 2000; // strands of a task
const CPU_LEAST = 14,
    CPU_SHARE = 0.2,
    CPU_MOST = 9; // a row of so many px has the bar of CPU time: its share of it, at most

class Timelines {
    /** @param {App} app */
    constructor(app, host, bar) {
        this.app = app;
        this.host = host;
        this.raster = new Raster();
        this.choices = shades_of(this.app);
        this.by = "kind";
        this.top = 0;
        this.scroll_to = null;
        this.arrows = new Set(["steal", "leap"]);
        this.paths = new Set(["ready"]);
        this.cpu = this.app.data.cpu.some(lane => lane.n > 1);
        this.has_cpu = this.cpu;
        this.bar = bar;
        this.area = el("div", { class: "area" });
        this.scroller = el("div", { class: "rows", hidden: true });
        this.spacer = el("div");
        this.scroller.append(this.spacer);
        fill(this.host, this.area);
        this.canvas = make_canvas(
            this.app,
            this.area,
            "timelines of the workers; Tab to the table Tasks for the same in text",
        );
        this.area.append(this.scroller);
        this.scroller.addEventListener("scroll", () => {
            this.top = this.scroller.scrollTop;
            this.app.dirty();
        });
        listen(this.app, this.canvas, (x, y) => this.hit(x, y), [LEFT, RIGHT]);
        this.dress();
        this.keep();
    }

    keep() {
        keep_one(
            this.app,
            "colour",
            this.choices.map(({ id }) => id),
            () => this.by,
            id => {
                this.by = id;
                this.dress();
            },
        );
        this.keep_set("arcs", { ...ARROWS, [OWN]: null }, this.arrows);
        this.keep_set("paths", PATHS, this.paths);
        keep_one(
            this.app,
            "cpu",
            [true, false],
            () => this.cpu,
            is_on => {
                this.cpu = is_on && this.has_cpu;
                draw_bar(this);
            },
        );
        keep_numbers(
            this.app,
            "rows",
            1,
            () => (this.top > 0 ? [this.top] : null),
            numbers => {
                this.scroll_to = numbers ? numbers[0] : 0;
            },
        );
    }

    shades_by(id) {
        return this.choices.find(each => each.id === id).make(this.app);
    }

    // Other views have the same colours.
    dress() {
        this.shades = this.app.shades = this.shades_by(this.by);
        draw_bar(this);
        this.app.tell("colour");
    }

    // ---- where rows are ----
    geometry() {
        const all_height = this.canvas.height - RULER,
            lanes = lanes_height(this.app.data.operations, all_height),
            height = all_height - lanes,
            n = this.app.data.rows.length,
            pitch = Math.max(ROW_LEAST, Math.min(ROW_MOST, height / n)),
            all = pitch * n;
        this.scroller.hidden = all <= height + 1;
        this.spacer.style.height = all + lanes + RULER + "px";
        if (this.scroller.hidden) this.top = 0;
        if (this.scroll_to !== null && this.scroller.clientHeight > 0) {
            this.scroller.scrollTop = this.scroll_to;
            this.top = this.scroller.scrollTop;
            this.scroll_to = null;
        }
        const gap = pitch > 12 ? 4 : pitch > 6 ? 1 : 0;
        const below =
            this.cpu && pitch >= CPU_LEAST ? Math.min(CPU_MOST, Math.max(3, pitch * CPU_SHARE)) : 0;
        return {
            height,
            lanes, // px of operations, below the rows
            lanes_top: Math.min(height, all),
            foot: this.scroller.hidden ? Math.min(all_height, all + lanes) : all_height,
            pitch,
            gap,
            below,
            bar: pitch - gap - (below ? below + 1 : 0),
            y: row => row * pitch - this.top + gap / 2,
            row: y => Math.floor((y + this.top) / pitch),
            first: Math.max(0, Math.floor(this.top / pitch)),
            last: Math.min(n, Math.ceil((this.top + height) / pitch)),
        };
    }

    paint(ctx, batches, colours) {
        batches.forEach((list, shade) => {
            if (!list.length) return;
            ctx.fillStyle = colours[shade % DIMMED] ?? this.app.colour.others;
            ctx.globalAlpha = shade >= DIMMED ? DIM : 1;
            for (let k = 0; k < list.length; k += 4)
                ctx.fillRect(list[k], list[k + 1], list[k + 2], list[k + 3]);
        });
        ctx.globalAlpha = 1;
    }

    // Edges, names and counts of strands that have room for them.
    draw_wide(ctx, axis, g, wide, colours) {
        const s = this.app.data.strand,
            right = axis.left + axis.width;
        ctx.lineWidth = 1;
        ctx.textAlign = "left";
        ctx.textBaseline = "middle";
        ctx.font = "11px system-ui, sans-serif";
        for (const i of wide.slice(0, 4000)) {
            const x0 = Math.max(axis.left, axis.x(s.start[i])),
                x1 = Math.min(right, axis.x(s.end[i])),
                y = g.y(s.row[i]),
                h = g.bar,
                colour = colours[this.shades.shade(i)];
            const dim = this.app.dims && !this.app.matches(i);
            if (h >= 8) {
                ctx.strokeStyle = this.app.colour.paper;
                ctx.strokeRect(x0 + 0.5, y + 0.5, Math.max(0, x1 - x0 - 1), h - 1);
            }
            if (s.flags[i] & COLLAPSED && h >= 8 && x1 - x0 > 8) {
                ctx.strokeRect(x0 + 2.5, y + 2.5, x1 - x0 - 5, h - 5);
                const idle = 1 - this.app.data.collapsed.get(i).work / (s.end[i] - s.start[i]);
                ctx.fillStyle = this.app.colour.runtime;
                if (idle > 0.01) ctx.fillRect(x0 + 3, y + 3, x1 - x0 - 6, (h - 6) * idle);
            }
            if (h < 12 || x1 - x0 < 34 || dim) continue;
            const tasks =
                s.flags[i] & COLLAPSED
                    ? `\u00d7${count(this.app.data.collapsed.get(i).tasks + 1)} `
                    : "";
            const text = tasks + this.app.format.kind_at(this.app.data.task.kind[s.task[i]]),
                room = Math.floor((x1 - x0 - 8) / 6.2);
            ctx.fillStyle = this.app.colour.text(colour);
            ctx.fillText(
                text.length > room ? text.slice(0, Math.max(1, room - 1)) + "\u2026" : text,
                x0 + 5,
                y + h / 2 + 0.5,
            );
        }
    }

    outline(ctx, axis, g, i, colour) {
        const s = this.app.data.strand,
            x0 = axis.x(s.start[i]),
            x1 = axis.x(s.end[i]);
        if (s.flags[i] & NODE || x1 < axis.left || x0 > axis.left + axis.width) return;
        ctx.strokeStyle = colour;
        ctx.lineWidth = 2;
        ctx.strokeRect(
            Math.max(axis.left, x0) - 1,
            g.y(s.row[i]) - 1,
            Math.max(3, Math.min(axis.left + axis.width, x1) - Math.max(axis.left, x0) + 2),
            g.bar + 2,
        );
    }

    labels(ctx, g) {
        ctx.fillStyle = this.app.colour.paper;
        ctx.fillRect(0, 0, LEFT, this.canvas.height);
        ctx.textAlign = "right";
        ctx.textBaseline = "middle";
        ctx.font = "11px system-ui, sans-serif";
        const every = Math.max(1, Math.ceil(16 / g.pitch));
        for (let row = g.first; row < g.last; row++) {
            if (row % every) continue;
            ctx.fillStyle =
                this.app.selection.worker === row ? this.app.colour.accent : this.app.colour.faint;
            ctx.fillText(
                `${g.pitch > 14 ? "worker " : "w"}${this.app.data.rows[row]}`,
                LEFT - 6,
                Math.max(8, g.y(row) + g.bar / 2),
            );
        }
    }

    // Strands one by one, where they are few, or no level is as fine as the pixels.
    is_drawn(axis, row, few, whole) {
        const { data } = this.app,
            ns = (axis.to - axis.from) / axis.width;
        if (!this.is_of_levels()) return few;
        const [first, last] = in_sight(data, row, axis.from, axis.to),
            { width } = finest(data.levels, row);
        const is_coarse =
            last - first <= 2 * axis.width ||
            is_walked(data, row, ns, whole) ||
            !data.levels.fine?.rows[row];
        return (
            (whole && is_coarse) || (few && ns < width / 4 && is_whole(data, axis.from, axis.to))
        );
    }

    is_of_levels() {
        return this.by === "kind" || this.by === "state";
    }

    draw() {
        const { app, canvas } = this,
            { ctx } = canvas,
            axis = make_axis(app, canvas, LEFT, RIGHT),
            g = this.geometry(),
            few = count_in_sight(app.data, axis.from, axis.to) <= MOST_SEEN;
        ctx.clearRect(0, 0, canvas.width, canvas.height);
        if (canvas.height < 30) return;
        ctx.save();
        ctx.beginPath();
        ctx.rect(axis.left, 0, axis.width, g.height);
        ctx.clip();
        this.draw_rows(ctx, axis, g, few);
        const too_many = draw_arcs(app, ctx, axis, app.data, g, this.arrows);
        for (const id of Object.keys(PATHS))
            if (this.paths.has(id)) draw_path(app, ctx, axis, app.data, g, PATHS[id]);
        this.draw_chosen(ctx, axis, g);
        ctx.restore();
        this.labels(ctx, g);
        if (g.lanes) draw_operations(app, ctx, axis, g.lanes_top, g.lanes);
        const words = too_many
            ? "zoom in to see arcs"
            : !this.is_of_levels() && !few
              ? "zoom in for these colours"
              : "";
        draw_ruler(app, ctx, axis, g.foot, words ? ctx.measureText(words).width + 12 : 0);
        draw_marks(app, ctx, axis, g.foot);
        if (words) say_too_many(app, ctx, axis, words, g.foot + 2);
    }

    draw_rows(ctx, axis, g, few) {
        const { app, raster } = this,
            { data } = app,
            colours = palette(app, this.shades),
            batches = Array.from({ length: 2 * DIMMED }, () => []),
            wide = [],
            whole = in_full(data, axis.from, axis.to);
        const end = Math.max(0, Math.min(axis.width, axis.x(data.elapsed) - axis.left));
        ctx.fillStyle = app.colour.idle;
        // another run may be longer
        for (let row = g.first; row < g.last; row++) ctx.fillRect(axis.left, g.y(row), end, g.bar);
        const paints = batches.map((_, shade) =>
            raster.paint(colours[shade % DIMMED] ?? app.colour.others, shade >= DIMMED ? DIM : 1),
        );
        raster.begin(Math.max(1, Math.floor(axis.width)), g.height, this.canvas.ratio);
        for (let row = g.first; row < g.last; row++) {
            if (this.is_drawn(axis, row, few, whole))
                draw_row(this, axis, g, row, batches, paints, wide);
            else draw_row_of_levels(this, axis, g, row, paints);
        }
        raster.draw(ctx, axis.left, 0);
        this.paint(ctx, batches, colours);
        this.draw_wide(ctx, axis, g, wide, colours);
        if (!g.below) return;
        for (let row = g.first; row < g.last; row++)
            draw_cpu(app, ctx, axis, data.cpu[row], g.y(row) + g.bar + 1, g.below);
    }

    // Outlines what is selected, and what the pointer is on.
    draw_chosen(ctx, axis, g) {
        const { app } = this,
            { strand, task } = app.data,
            { strand: s, task: t } = app.selection,
            chosen = s === null ? [] : [s];
        if (t !== null)
            for (
                let i = task.first[t], n = 0;
                i !== NONE && i <= task.last[t] && n < TRIED_MOST;
                i++, n++
            )
                if (strand.task[i] === t) chosen.push(i);
        for (const i of chosen.slice(0, OUTLINED_MOST))
            this.outline(ctx, axis, g, i, app.colour.accent);
        if (s !== null) this.draw_edges_of(ctx, axis, g, s);
        if (app.hover.strand !== null) this.outline(ctx, axis, g, app.hover.strand, app.colour.ink);
    }

    // All that leads to a strand, and what it released.
    draw_edges_of(ctx, axis, g, i) {
        const s = this.app.data.strand,
            e = this.app.data.extra,
            into = s.pred[i] === NONE ? [] : [s.pred[i]];
        for (let k = first_above(e.to, i - 1); k < e.to.length && e.to[k] === i; k++)
            into.push(e.from[k]);
        ctx.lineWidth = 2;
        for (const from of into) {
            if (s.flags[from] & NODE) continue;
            ctx.strokeStyle = this.app.colour.edge(EDGES[edge_kind(this.app.data, from, i)]);
            ctx.beginPath();
            curve(ctx, axis, g, s, from, i);
            ctx.stroke();
        }
    }

    // Between two samples.
    hit_cpu(row, ns) {
        const lane = this.app.data.cpu[row],
            i = sample_before(lane, ns);
        return i < 0 || i + 1 >= lane.n
            ? null
            : { worker: row, cpu: { from: lane.ns[i], to: lane.ns[i + 1] } };
    }

    hit_operation(axis, x, y, high) {
        if (x < axis.left || x > axis.left + axis.width) return null;
        return operation_at(this.app, axis, x, y, high, id => index_of(this.app.data.task, id));
    }

    hit(x, y) {
        const g = this.geometry(),
            axis = make_axis(this.app, this.canvas, LEFT, RIGHT),
            row = g.row(y);
        if (y > g.foot) return note_at(this.app, axis, x);
        if (y > g.lanes_top && g.lanes)
            return this.hit_operation(axis, x, y - g.lanes_top, g.lanes);
        if (row < 0 || row >= this.app.data.rows.length) return null;
        if (x < LEFT) return { worker: row };
        const s = this.app.data.strand,
            ns = axis.ns(x),
            list = this.app.data.row_strands[row],
            at = first_above(s.start, ns, list) - 1,
            slack = 2 / axis.scale;
        if (g.below && y > g.y(row) + g.bar) return this.hit_cpu(row, ns);
        if (at >= 0 && s.end[list[at]] >= ns) return { strand: list[at] };
        if (
            at >= 0 &&
            ns - s.end[list[at]] < slack &&
            (s.end[list[at]] - s.start[list[at]]) * axis.scale < 3
        )
            return { strand: list[at] };
        if (at + 1 < list.length && s.start[list[at + 1]] - ns < slack)
            return { strand: list[at + 1] };
        if (!is_whole(this.app.data, ns, ns) || ns >= this.app.data.elapsed) return null;
        const is = row_at(this.app.data, row, ns);
        return {
            worker: row,
            pause: { from: is.from, to: is.to, state: is.state, call: is.call, after: is.strand },
        };
    }

    keep_set(name, of, set) {
        return keep_some(
            this.app,
            name,
            Object.keys(of),
            id => set.has(id),
            (id, is_in) => {
                set[is_in ? "add" : "delete"](id);
                draw_bar(this);
            },
        );
    }
}

export const view = {
    id: "timelines",
    title: "Timelines",
    hint: "a row per worker: strands, states in between, CPU time, steals and paths",
    /** @param {App} app */
    mount(app, host, bar) {
        const it = new Timelines(app, host, bar);
        return {
            draw: () => it.draw(),
            hit: (x, y) => it.hit(x, y),
            changed: news => {
                if (news.has("theme") || news.has("window")) it.dress();
            },
        };
    },
};
