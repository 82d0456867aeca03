// SPDX-License-Identifier: MIT
// ucc.js - the unit and constraint collection: what the program allows, of a task, a stretch of
// time or the whole run; unit by unit where there are few, else how wide it is.  A unit that stands
// for collapsed tasks weighs their span.
import { CRITICAL, NODE, PATH, edge_kind } from "./data.js";
import { EDGES } from "./kinds.js";
import { choice, el, fill, keys } from "./dom.js";
import { make_canvas } from "./canvas.js";
import {
    camera_fit,
    camera_key,
    camera_listen,
    camera_numbers,
    camera_take,
} from "./dag_camera.js";
import { fit } from "./dag_draw.js";
import { order_made } from "./dag_order.js";
import { draw_depth, draw_widths, widest_of } from "./graph_axes.js";
import { keep_numbers, keep_one } from "./link.js";
import { Work, stage } from "./steps.js";
import { UNITS_MOST, arrange, collect, length_of } from "./ucc_collect.js";
import { dependences_known } from "./ucc_layout.js";

const beside = n => (n < 100 ? n.toFixed(1) : String(Math.round(n)));
const LEAST = 3; // px from unit to unit that tell one from the other
const WIDEST = 6,
    TALLEST = 1.6,
    DOT = 1.5, // greatest scales that show all; px of a circle at least,
    DOT_OF_TASK = 4, // of a task
    AIR_OF_NAME = 4, // px beside it
    NAMED = 40; // px at the left, of steps' names
const PITCH = 26,
    RADIUS = 9,
    HEIGHT = 1400,
    WORDS_HIGH = 42, // px above and below the widths
    ROWS = 200;

class Ucc {
    /** @param {App} app */
    constructor(app, host) {
        this.app = app;
        this.is_weighted = false;
        this.graph = null; // until it is computed, as what follows
        this.units = this.weight = this.levels = this.width = null;
        this.total = 0;
        this.is_fine = this.is_dense = false;
        this.column = null; // of each unit, where they are drawn one by one
        this.columns = 0;
        this.within = null;
        this.colour_by = "kind";
        this.has_dependences = null; // until it is known
        this.wants_depend = true; // dependences between tasks alone, where there are some
        this.is_depend = false; // whether these were collected
        this.camera = { x: 0, y: 0, kx: 1, ky: 1 };
        this.bar = el("div", { class: "strip" });
        const area = el("div", { class: "area" });
        fill(host, this.bar, area);
        this.canvas = make_canvas(
            app,
            area,
            "strands and constraints; a table of how many at once follows",
        );
        this.canvas.node.dataset.view = "ucc";
        this.work = new Work(host);
        camera_listen(app, this.canvas, this.camera, {
            hit: (x, y) => this.hit(x, y),
            hover: found => app.over(found ? found.part : {}),
            click: found => this.pick(found),
            twice: () => app.zoom_to_selection(),
            moved: () => {
                this.is_fit = false;
                app.dirty();
            },
        });
        this.is_fit = true;
        this.camera_asked = null;
        this.collect();
        this.tell();
        this.keep();
    }

    keep() {
        const { app } = this;
        keep_one(
            app,
            "ucc_weighted",
            [false, true],
            () => this.is_weighted,
            is_weighted => {
                this.is_weighted = is_weighted;
                this.arrange();
            },
        );
        keep_one(
            app,
            "ucc_colour",
            ["kind", "worker"],
            () => this.colour_by,
            id => {
                this.colour_by = id;
                this.tell();
            },
        );
        keep_one(
            app,
            "ucc_edges",
            [true, false],
            () => this.wants_depend,
            is_depend => this.choose_edges(is_depend),
        );
        keep_numbers(
            app,
            "ucc_of",
            1,
            () => (app.selection.task === null && this.within !== null ? [this.within] : null),
            numbers => {
                this.within = numbers && numbers[0] in app.data.task.n_strands ? numbers[0] : null;
                this.collect();
            },
        );
        keep_numbers(
            app,
            "ucc_at",
            4,
            () => (this.is_fit ? null : camera_numbers(this.camera)),
            numbers => {
                this.camera_asked = this.work.is_busy ? numbers : null;
                this.is_fit = !numbers || !camera_take(this.camera, numbers);
            },
        );
    }

    // ---- what is collected ----

    asked(is_depend) {
        const { task, strand, from, to, finding } = this.app.selection,
            { data, meta } = this.app,
            is_of_finding = finding !== null && meta.findings[finding].from === from;
        const of = task ?? (strand !== null ? this.within : null);
        if (of !== null && !is_depend && data.task.n_strands[of] > 0)
            return { key: `task ${of}`, scope: { task: of } };
        // a finding lights what it is about, of all
        if (from !== null && !(is_of_finding && data.strand.n <= UNITS_MOST))
            return { key: `time ${from} ${to}`, scope: { from, to } };
        return { key: "all", scope: {} };
    }

    choose_edges(is_depend) {
        this.wants_depend = is_depend;
        this.compute(this.collected());
    }

    collect() {
        const { key } = this.asked(this.wants_depend && this.has_dependences);
        if (key !== this.scope_key) this.compute(this.collected());
    }

    // Also while what it is of is not collected yet: then that is begun anew.
    arrange() {
        this.compute(this.work.is_busy ? this.collected() : this.arranged(this));
    }

    compute(work) {
        this.work.start(work, made => {
            Object.assign(this, made);
            this.is_fit = !this.camera_asked || !camera_take(this.camera, this.camera_asked);
            this.camera_asked = null;
            this.tell();
            this.app.dirty();
        });
    }

    *collected() {
        const { data } = this.app,
            order = yield* stage(order_made(data), 0, 0.1);
        this.has_dependences = yield* stage(dependences_known(data), 0.1, 0.2);
        const is_depend = this.wants_depend && this.has_dependences,
            { key, scope } = this.asked(is_depend);
        this.scope_key = key;
        this.within = scope.task ?? null; // also while one of its strands is selected
        const made = yield* stage(collect(data, order, scope, is_depend), 0.2, 0.7);
        return { ...made, ...(yield* stage(this.arranged(made), 0.7, 1)) };
    }

    arranged(made) {
        return arrange(this.app.data, made, this.is_weighted);
    }

    // ---- where a unit lies: { x, y, width, height } in the picture ----

    box(i) {
        const x = this.column[i] * PITCH - RADIUS;
        if (!this.is_weighted)
            return { x, y: this.levels.row[i] * PITCH, width: 2 * RADIUS, height: 2 * RADIUS };
        const scale = HEIGHT / (this.levels.height || 1);
        return {
            x,
            y: this.levels.top[i] * scale,
            width: 2 * RADIUS,
            height: this.weight[i] * scale,
        };
    }

    on_screen({ x, y, width, height }) {
        const { camera } = this;
        return {
            x: (x - camera.x) * camera.kx,
            y: (y - camera.y) * camera.ky,
            width: width * camera.kx,
            height: height * camera.ky,
        };
    }

    bounds() {
        const bottom = this.is_weighted ? HEIGHT : this.levels.rows * PITCH;
        return {
            left: -RADIUS * 2,
            right: (this.columns - 1) * PITCH + RADIUS * 2,
            top: 0,
            bottom,
        };
    }

    // ---- drawing ----

    draw() {
        const { ctx, width, height } = this.canvas;
        ctx.clearRect(0, 0, width, height);
        if (width === 0 || !this.graph?.n) return;
        if (!this.is_fine) return this.draw_width();
        if (this.is_fit) {
            const tallest = this.is_weighted ? Infinity : TALLEST,
                rest = { width: width - NAMED, height };
            camera_fit(this.camera, this.bounds(), rest, WIDEST, true, tallest);
            this.camera.x -= NAMED / this.camera.kx;
        }
        const was_dense = this.is_dense;
        this.is_dense = this.is_fit && this.camera.kx * PITCH < LEAST;
        if (this.is_dense !== was_dense) this.tell();
        if (this.is_dense) return this.draw_width();
        this.draw_constraints(ctx);
        for (let i = 0; i < this.graph.n; i++) this.draw_unit(ctx, i);
        ctx.globalAlpha = 1;
        const { camera } = this,
            [unit, middle] = this.is_weighted
                ? [HEIGHT / (this.levels.height || 1), 0]
                : [PITCH, RADIUS];
        draw_depth(this, n => (n * unit + middle - camera.y) * camera.ky);
    }

    // By kind of edge; control in grey.
    kind_of_edge(from, to) {
        const { data } = this.app,
            [a, b] = [this.units[from], this.units[to]];
        if (!this.is_depend) return EDGES[edge_kind(data, a, b)];
        return data.strand.flags[a] & data.strand.flags[b] & CRITICAL ? "critical" : "depend";
    }

    draw_constraints(ctx) {
        const { colour } = this.app,
            paths = new Map();
        for (let e = 0; e < this.graph.to.length; e++) {
            const a = this.on_screen(this.box(this.graph.from[e])),
                b = this.on_screen(this.box(this.graph.to[e]));
            const x0 = a.x + a.width / 2,
                x1 = b.x + b.width / 2,
                y0 = a.y + a.height * (this.is_weighted ? 1 : 0.5),
                y1 = b.y + (this.is_weighted ? 0 : b.height / 2);
            if (
                Math.max(x0, x1) < 0 ||
                Math.min(x0, x1) > this.canvas.width ||
                y1 < 0 ||
                y0 > this.canvas.height
            )
                continue;
            const kind = this.kind_of_edge(this.graph.from[e], this.graph.to[e]);
            if (!paths.has(kind)) paths.set(kind, new Path2D());
            paths.get(kind).moveTo(x0, y0);
            paths.get(kind).lineTo(x1, y1);
        }
        ctx.lineWidth = 1;
        // joins beneath: they are many, and long
        const in_order = [...paths].sort(([a], [b]) => Number(b === "join") - Number(a === "join"));
        for (const [kind, path] of in_order) {
            ctx.globalAlpha =
                this.is_depend && kind === "depend" ? 0.3 : kind === "join" ? 0.5 : 0.9;
            ctx.lineWidth = kind === "critical" ? 2.5 : 1;
            ctx.strokeStyle =
                kind === "critical"
                    ? colour.critical
                    : kind.endsWith("cont")
                      ? colour.faint
                      : colour.edge(kind);
            ctx.setLineDash(colour.dash(kind));
            ctx.stroke(path);
        }
        ctx.setLineDash([]);
        ctx.globalAlpha = 1;
    }

    draw_unit(ctx, i) {
        const at = this.on_screen(this.box(i)),
            { canvas, app } = this,
            s = this.units[i];
        if (
            at.x > canvas.width ||
            at.y > canvas.height ||
            at.x + at.width < 0 ||
            at.y + at.height < 0
        )
            return;
        ctx.globalAlpha = app.dims && app.selection.task === null && !app.matches(s) ? 0.25 : 1;
        ctx.fillStyle = this.fill_of(s);
        ctx.beginPath();
        if (app.data.strand.flags[s] & NODE) this.diamond(ctx, at);
        else if (this.is_weighted) ctx.rect(at.x, at.y, at.width, Math.max(1, at.height));
        else
            ctx.arc(
                at.x + at.width / 2,
                at.y + at.height / 2,
                Math.max(this.is_depend ? DOT_OF_TASK : DOT, Math.min(at.width, at.height) / 2),
                0,
                2 * Math.PI,
            );
        ctx.fill();
        const outline = this.outline_of(s, at);
        if (outline) {
            [ctx.strokeStyle, ctx.lineWidth] = outline;
            ctx.stroke();
        }
        if (at.width > 30 && at.height > 12) this.draw_name(ctx, s, at);
    }

    diamond(ctx, at) {
        const x = at.x + at.width / 2,
            y = at.y + (this.is_weighted ? 0 : at.height / 2),
            r = Math.min(at.width, 24) / 2;
        ctx.moveTo(x, y - r);
        ctx.lineTo(x + r, y);
        ctx.lineTo(x, y + r);
        ctx.lineTo(x - r, y);
        ctx.closePath();
    }

    // In its box, or beside a circle that is too small for it.
    draw_name(ctx, s, at) {
        const { app } = this,
            text = this.is_depend
                ? app.format.kind_at(this.kind_of(s))
                : String(app.data.strand.task[s]),
            inside = this.is_weighted ? at.width : Math.min(at.width, at.height),
            y = at.y + at.height / 2;
        ctx.font = "11px system-ui, sans-serif";
        ctx.textBaseline = "middle";
        if (this.is_weighted || ctx.measureText(text).width < inside - AIR_OF_NAME) {
            ctx.textAlign = "center";
            ctx.fillStyle = app.colour.text(this.fill_of(s));
            ctx.fillText(fit(ctx, text, inside), at.x + at.width / 2, y);
            return;
        }
        const apart = (at.width * PITCH) / (2 * RADIUS),
            name = fit(ctx, text, apart - inside - 2 * AIR_OF_NAME);
        ctx.textAlign = "left";
        ctx.lineWidth = 3;
        ctx.strokeStyle = app.colour.paper; // lines go behind it
        ctx.fillStyle = app.colour.ink;
        const x = at.x + (at.width + inside) / 2 + AIR_OF_NAME;
        ctx.strokeText(name, x, y);
        ctx.fillText(name, x, y);
    }

    kind_of(s) {
        return this.app.data.task.kind[this.app.data.strand.task[s]];
    }

    // On the ready path, and ready for longer than it ran: what it waited for made the run longer.
    is_late(s) {
        const { strand, task } = this.app.data,
            t = strand.task[s];
        return (strand.flags[s] & PATH) !== 0 && task.begin[t] - task.ready[t] > this.length_of(s);
    }

    length_of(s) {
        return length_of(this.app.data, s, this.is_depend);
    }

    // The outline of a unit: [colour, width].
    outline_of(s, at) {
        const { app } = this;
        if (app.selection.strand === s || app.hover.strand === s) return [app.colour.accent, 3];
        if (this.is_depend && this.is_late(s)) return [app.colour.path, 2.5];
        if (this.is_depend && app.data.strand.flags[s] & CRITICAL)
            return [app.colour.critical, 2.5];
        return Math.min(at.width, at.height) > 6 ? [app.colour.paper, 0.7] : null;
    }

    fill_of(s) {
        const { data, colour } = this.app;
        if (data.strand.flags[s] & NODE) return colour.faint;
        return this.colour_by === "kind"
            ? this.app.colour_of(s)
            : colour.worker(data.strand.row[s]);
    }

    draw_width() {
        const n = Math.min(this.width.of.length, Math.floor(this.canvas.height - WORDS_HIGH));
        if (n < 1) return; // no room while windows change
        if (this.lines?.of !== this.width.of || this.lines.n !== n)
            this.lines = widest_of(this.width.of, n);
        draw_widths(this, this.lines);
    }

    // ---- pointer, keys, bar ----

    hit(x, y) {
        if (!this.is_fine || this.is_dense || !this.column) return null;
        let found = null;
        for (let i = 0; i < this.graph.n; i++) {
            const at = this.on_screen(this.box(i));
            if (
                x >= at.x - 2 &&
                x <= at.x + at.width + 2 &&
                y >= at.y - 2 &&
                y <= at.y + Math.max(3, at.height) + 2
            )
                found = this.units[i];
        }
        if (found === null || this.app.data.strand.flags[found] & NODE) return null;
        return {
            strand: found,
            part: { strand: found },
            text: () => this.app.describe({ strand: found }),
        };
    }

    pick(found) {
        if (!found) return this.app.clear();
        this.app.choose({ strand: found.strand });
    }

    key(event) {
        if (event.key.toLowerCase() === "z") this.is_fit = true;
        else if (
            document.activeElement === this.canvas.node &&
            camera_key(this.camera, this.canvas, event)
        )
            this.is_fit = false;
        else return false;
        this.app.dirty();
        return true;
    }

    // Of data dependences there are tasks, else strands.
    get unit() {
        return this.is_depend ? "tasks" : "strands";
    }

    facts() {
        if (!this.graph) return "";
        const { time, several } = this.app.format,
            n = this.graph.n;
        const of =
            this.scope_key === "all"
                ? "the whole run"
                : this.scope_key.startsWith("task")
                  ? this.app.format.task(Number(this.scope_key.split(" ")[1]))
                  : "the selected time";
        const shape = this.is_weighted
            ? `longest path ${time(this.levels.height)}, ` +
              `${beside(this.total / (this.levels.height || 1))} at once on average`
            : `${several(this.levels.rows, "step")} one behind the other, ` +
              `${beside(n / (this.levels.rows || 1))} at once on average`;
        return (
            `${of}: ${several(n, this.unit.slice(0, -1))}, ${shape}` +
            (this.is_fine
                ? this.is_dense
                    ? `; zoom in to see ${this.unit}`
                    : ""
                : `; select a task or a time with fewer to see ${this.unit}`)
        );
    }

    tell() {
        const { app } = this;
        fill(
            this.bar,
            el("h2", {}, "Dependences"),
            this.edges_choice(),
            choice(
                "weight",
                [
                    [false, "steps", "each strand alike: the logical shape"],
                    [true, "time", "each as long as it ran: the parallelism that can be used"],
                ],
                this.is_weighted,
                id => {
                    this.is_weighted = id;
                    this.arrange();
                },
            ),
            choice(
                "colour",
                [
                    ["kind", "as timelines", "the colours of the timelines"],
                    ["worker", "worker", "who ran it"],
                ],
                this.colour_by,
                id => {
                    this.colour_by = id;
                    this.tell();
                    app.dirty();
                },
            ),
            keys(this.legend()),
            el("span", { class: "hint" }, this.facts()),
        );
    }

    legend() {
        const { colour } = this.app,
            of = edge => [edge, colour.edge(edge)];
        if (!this.is_depend)
            return [["same task", colour.faint], ...["create", "join", "depend", "sync"].map(of)];
        const late = "on the ready path, and ready for longer than it ran";
        return [of("depend"), ["critical path", colour.critical], ["late", colour.path, late]];
    }

    edges_choice() {
        if (!this.has_dependences) return null;
        /** @type {[boolean, string, string][]} */
        const list = [
            [true, "dependences", "tasks, and the data that one has of another"],
            [false, "all", "strands, with all that orders them: creation, joins, locks"],
        ];
        return choice("edges", list, this.wants_depend, id => this.choose_edges(id));
    }

    changed(news) {
        if (news.has("theme") || news.has("colour")) this.tell();
        if (news.has("selection")) this.collect();
    }

    rows() {
        const { of = [], each: lines } = this.width ?? {},
            step = Math.ceil(of.length / ROWS),
            rows = [];
        for (let i = 0; i < of.length; i += step)
            rows.push([
                String(this.is_weighted ? i * lines : i * lines + 1),
                Math.max(0, ...of.slice(i, i + step)).toFixed(this.is_weighted ? 1 : 0),
            ]);
        return {
            caption: `dependences of ${this.facts()}`,
            head: [this.is_weighted ? "stretch" : "step", this.unit],
            rows,
        };
    }
}

export const view = {
    id: "ucc",
    title: "Dependences",
    hint: "what the program allows, without scheduler or machine",
    /** @param {App} app */
    mount(app, host) {
        const ucc = new Ucc(app, host);
        return {
            ucc,
            timeless: true,
            draw: () => ucc.draw(),
            hit: (x, y) => ucc.hit(x, y)?.part ?? null,
            key: event => ucc.key(event),
            changed: news => ucc.changed(news),
            rows: () => ucc.rows(),
        };
    },
};
