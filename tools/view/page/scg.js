// SPDX-License-Identifier: MIT
// scg.js - the scheduling consequence graph: a column per worker, time downwards, blocks of work
// and overhead, and lines from the strand whose end released another to that one.
import { pauses, row_at } from "./data.js";
import { CALLS, EDGES, NONE, STATE, STATES } from "./kinds.js";
import { el, fill } from "./dom.js";
import { draw_bar, keep_scg, scg_rows } from "./scg_bar.js";
import { say_too_many } from "./arcs.js";
import { make_canvas, show_tip, step_of } from "./canvas.js";
import { tick } from "./format.js";
import { listen_to_pointers, turned } from "./gestures.js";
import { mix } from "./dag_colour.js";
import { before_on_row, binding_path, bound_of, source_of } from "./bound.js";
import {
    column_range,
    column_shares,
    column_times,
    lines_between,
    value_share,
    work_share,
} from "./scg_layout.js";
import { kinds_in_pixels } from "./pixels.js";
import { Said, no_wait_said } from "./scg_said.js";
import { coloured_by, values_of } from "./scg_values.js";
import { Work } from "./steps.js";

const LEFT = 84,
    TOP = 20,
    BOTTOM = 6,
    AIR_MOST = 80, // px, on either side of a column
    NARROWEST = 5;
const LINES_MOST = 1000,
    LINES_LEAST = 60, // of many columns
    COLUMNS_MANY = 16,
    DENSE = 400,
    PATH_MOST = 3000;

// Lines that are still apart: more are an area of one colour.
const lines_most = ({ n, height }) =>
    n < COLUMNS_MANY ? LINES_MOST : Math.min(LINES_MOST, Math.max(LINES_LEAST, height >> 1));

class Scg {
    /** @param {App} app */
    constructor(app, host) {
        this.app = app;
        this.shift = 0; // of columns, px
        this.shows = Object.fromEntries(EDGES.map(edge => [edge, true]));
        Object.assign(this.shows, { within: false, control: false, worker: false, path: true });
        this.lines = this.sums = null; // until they are computed
        this.value = this.bounds = null;
        this.bar = el("div", { class: "strip" });
        const area = el("div", { class: "area" });
        const said = el("p", { class: "said" });
        fill(host, this.bar, said, area);
        this.said = new Said(app, said);
        this.canvas = make_canvas(
            app,
            area,
            "a column per worker, time downwards; a table of who bound whose start follows",
        );
        this.canvas.node.dataset.view = "scg";
        this.listen();
        this.work = new Work(host);
        this.choose_value(values_of(app)[0]);
        this.tell();
        keep_scg(this);
    }

    // Drawn by the value before until it is computed.  bounds_asked: of the URL.
    choose_value(value) {
        this.wanted = value;
        this.bounds_asked = null;
        this.value ??= { ...value, bounds: [0, 1] };
        this.bounds ??= this.value.bounds;
        this.work.start(coloured_by(this.app, value, this.lines), made => {
            Object.assign(this, made, { bounds: this.bounds_asked ?? [...made.value.bounds] });
            this.tell();
            this.app.dirty();
        });
    }

    // ---- where things lie ----

    geometry() {
        const { width, height } = this.canvas,
            n = this.app.data.rows.length,
            { from, to } = this.app.time;
        const pitch = Math.max(NARROWEST, (width - LEFT) / n),
            scale = (height - TOP - BOTTOM) / (to - from);
        this.shift = Math.max(0, Math.min(this.shift, n * pitch - (width - LEFT)));
        const air = pitch > 16 ? Math.min(AIR_MOST, pitch * 0.22) : pitch > 7 ? 1 : 0.5;
        return {
            pitch,
            n,
            from,
            to,
            bar: pitch - 2 * air,
            x: row => LEFT + row * pitch + air - this.shift,
            row: x => Math.floor((x - LEFT + this.shift) / pitch),
            y: ns => TOP + (ns - from) * scale,
            ns: y => from + (y - TOP) / scale,
            height: height - TOP - BOTTOM,
            bottom: height - BOTTOM,
        };
    }

    colour_of(value) {
        const { kinds, others } = this.app.colour;
        if (this.value.of_kinds) return kinds[value] ?? others;
        const share = value_share(value, this.bounds, this.value.log);
        return Number.isNaN(share) ? this.app.colour.others : this.app.colour.ramp(share);
    }

    // Grey, a little different for each kind of call.
    grey(call) {
        const { runtime, paper, ink } = this.app.colour,
            shade = [0, 0.22, 0.34, -0.2, 0.5, -0.35, 0.12][call] ?? 0;
        return mix(
            [1 - Math.abs(shade), Math.abs(shade)],
            i => [runtime, shade < 0 ? ink : paper][i],
        );
    }

    // ---- drawing ----

    draw() {
        const {
                canvas: { ctx, width, height },
            } = this,
            g = this.geometry();
        ctx.clearRect(0, 0, width, height);
        if (height < 40 || !this.sums) return;
        ctx.save();
        ctx.beginPath();
        ctx.rect(LEFT, TOP, width - LEFT, g.height);
        ctx.clip();
        this.greys = CALLS.map((_, call) => this.grey(call));
        for (let row = Math.max(0, g.row(LEFT)); row < g.n && g.x(row) < width; row++)
            this.draw_column(ctx, g, row);
        this.draw_marks(ctx, g);
        this.draw_lines(ctx, g);
        this.draw_chosen(ctx, g);
        ctx.restore();
        this.draw_frame(ctx, g);
        const last = Math.min(g.n, g.row(width - 1) + 1);
        if (last < g.n || this.shift > 0)
            say_too_many(
                this.app,
                ctx,
                { left: 0, width },
                `${last - Math.max(0, g.row(LEFT))} of ${g.n} workers: drag sideways for more`,
                height - 19,
            );
    }

    draw_column(ctx, g, row) {
        const { data, colour } = this.app,
            [first, last] = column_range(data, row, g.from, g.to);
        ctx.fillStyle = colour.idle;
        ctx.globalAlpha = 0.5;
        ctx.fillRect(g.x(row), TOP, g.bar, g.height);
        ctx.globalAlpha = 1;
        if (last - first <= g.height)
            for (let i = first; i < last; i++) this.draw_block(ctx, g, row, i);
        else this.draw_shares(ctx, g, row);
    }

    draw_block(ctx, g, row, i) {
        const { app } = this,
            { strand } = app.data,
            list = app.data.row_strands[row],
            s = list[i],
            x = g.x(row);
        const next = i + 1 < list.length ? strand.start[list[i + 1]] : app.data.elapsed;
        const paint = (from, to, fill_style, wide = g.bar) => {
            const y = Math.max(TOP, g.y(from)),
                high = Math.min(g.bottom, g.y(to)) - y;
            if (high <= 0) return 0;
            ctx.fillStyle = fill_style;
            ctx.fillRect(x, y, wide, Math.max(high, 0.6));
            return high;
        };
        for (const [from, to, state] of pauses(app.data, s, next))
            if (state === STATE.RUNTIME) paint(from, to, this.greys[strand.call[s]]);
            else if (state !== 3) paint(from, to, app.colour[STATES[state]]);
        ctx.globalAlpha = app.dims && !app.matches(s) ? 0.25 : 1;
        const share = work_share(app.data, s);
        if (share < 1) paint(strand.start[s], strand.end[s], app.colour.runtime);
        const high = paint(
            strand.start[s],
            strand.end[s],
            this.colour_of(this.value.of(s)),
            g.bar * share,
        );
        ctx.globalAlpha = 1;
        if (high < 3) return;
        if (app.data.collapsed.has(s) && high > 8)
            this.draw_inner(ctx, g, x, Math.max(TOP, g.y(strand.start[s])), high);
        ctx.strokeStyle = app.colour.paper;
        ctx.lineWidth = 0.6;
        ctx.strokeRect(x, Math.max(TOP - 1, g.y(strand.start[s])), g.bar, high);
        this.draw_name(ctx, g, s, x, Math.max(TOP, g.y(strand.start[s])), high);
    }

    // A second edge: it stands for several tasks.
    draw_inner(ctx, g, x, y, high) {
        ctx.strokeStyle = this.app.colour.ink;
        ctx.lineWidth = 0.8;
        ctx.strokeRect(x + 2.5, y + 2.5, g.bar - 5, high - 5);
    }

    draw_name(ctx, g, s, x, y, high) {
        if (high < 15 || g.bar < 50) return;
        const { app } = this,
            name = app.format.kind(app.data.task.kind[app.data.strand.task[s]]);
        ctx.font = "11px system-ui, sans-serif";
        ctx.textAlign = "left";
        ctx.textBaseline = "middle";
        ctx.fillStyle = app.colour.text(this.colour_of(this.value.of(s)));
        ctx.fillText(name.slice(0, Math.floor((g.bar - 8) / 6)), x + 4, y + Math.min(high / 2, 12));
    }

    // Pixels as shares: work from the left, then the runtime, then blocked.
    draw_shares(ctx, g, row) {
        const n = Math.floor(g.height),
            of_kinds = this.value.of_kinds
                ? kinds_in_pixels(this.app.data, row, g.from, g.to, n)
                : null,
            shares = column_shares(this.app.data, this.sums[row], g.from, g.to, n),
            x = g.x(row),
            { runtime, blocked } = this.app.colour;
        shares.forEach((share, y) => {
            let at = x;
            const value = this.value.log ? Math.exp(share.value) : share.value;
            /** @type {[number, string][]} */
            const work = of_kinds
                ? of_kinds.map((of, c) => [of[y], this.colour_of(c)])
                : [[share.work, this.colour_of(value)]];
            work.push([share.runtime, runtime], [share.blocked, blocked]);
            for (const [part, style] of work) {
                if (!(part > 0)) continue;
                ctx.fillStyle = style;
                ctx.fillRect(at, TOP + y, part * g.bar, 1);
                at += part * g.bar;
            }
        });
    }

    draw_marks(ctx, g) {
        const { from, to } = this.app.selection,
            { hover, colour } = this.app;
        ctx.fillStyle = colour.accent;
        if (from !== null) {
            ctx.globalAlpha = 0.1;
            ctx.fillRect(LEFT, g.y(from), this.canvas.width, g.y(to) - g.y(from));
        }
        ctx.globalAlpha = 0.6;
        ctx.fillStyle = colour.faint;
        if (hover.from !== null && hover.to === null)
            ctx.fillRect(LEFT, g.y(hover.from), this.canvas.width, 1);
        ctx.globalAlpha = 1;
    }

    // From the bottom of one block to the top of another.
    line(ctx, g, from, to) {
        const { row, start, end } = this.app.data.strand,
            a = row[from],
            b = row[to];
        const x0 = a < b ? g.x(a) + g.bar : a > b ? g.x(a) : g.x(a) - 2,
            x1 = a < b ? g.x(b) : a > b ? g.x(b) + g.bar : g.x(b) - 2;
        ctx.moveTo(x0, g.y(end[from]));
        ctx.lineTo(x1, g.y(start[to]));
    }

    draw_lines(ctx, g) {
        const { data, colour } = this.app,
            { chosen, all } = lines_between(data, this.lines, g.from, g.to, lines_most(g));
        const is_dense = chosen.length > DENSE;
        this.n_lines = { drawn: chosen.length, all };
        ctx.lineWidth = 1;
        EDGES.forEach((edge, e) => {
            if (!this.shows[edge]) return;
            ctx.strokeStyle = colour.edge(edge);
            ctx.setLineDash(is_dense ? [] : colour.dash(edge)); // which nobody could tell apart
            ctx.globalAlpha = is_dense ? 0.45 : 0.85;
            for (const s of chosen) {
                if (data.strand.edge[s] !== e) continue;
                ctx.beginPath(); // one by one, as arcs of the timelines are
                this.line(ctx, g, source_of(data, s), s);
                ctx.stroke();
            }
        });
        ctx.setLineDash([]);
        ctx.globalAlpha = 1;
        if (this.shows.within || this.shows.control || this.shows.worker) this.draw_within(ctx, g);
    }

    // Lines inside columns: released there, the task before, the worker's strand before; only where
    // blocks can be told apart.
    draw_within(ctx, g) {
        const { data, colour } = this.app,
            before = before_on_row(data);
        /** @type {[string, (s: number) => number, string, number[]][]} */
        const kinds = [
            ["within", s => source_of(data, s), colour.accent, []],
            ["control", s => data.strand.pred[s], colour.ink, [4, 3]],
            ["worker", s => before[s], colour.faint, [1, 2]],
        ];
        for (const [name, from_of, style, dash] of kinds) {
            if (!this.shows[name]) continue;
            ctx.beginPath();
            for (let row = 0; row < g.n; row++) {
                const [first, last] = column_range(data, row, g.from, g.to);
                if (last - first > g.height / 3) continue;
                for (let i = first; i < last; i++) {
                    const s = data.row_strands[row][i],
                        from = from_of(s);
                    if (
                        from !== NONE &&
                        data.strand.task[from] !== NONE &&
                        (name !== "within" || data.strand.row[from] === row)
                    )
                        this.line(ctx, g, from, s);
                }
            }
            ctx.setLineDash(dash);
            ctx.strokeStyle = style;
            ctx.stroke();
            ctx.setLineDash([]);
        }
    }

    // The selected strand, and the path of what bound its start, and so on back.
    draw_chosen(ctx, g) {
        const { app } = this,
            { strand } = app.selection,
            s = strand ?? this.first_of_task();
        if (s === null || s === NONE) return;
        const { start, end, row: rows } = app.data.strand;
        ctx.strokeStyle = app.colour.accent;
        ctx.lineWidth = 2;
        ctx.strokeRect(
            g.x(rows[s]) - 2,
            g.y(start[s]) - 2,
            g.bar + 4,
            Math.max(2, g.y(end[s]) - g.y(start[s])) + 4,
        );
        if (!this.shows.path) return;
        const path = binding_path(app.data, s, PATH_MOST);
        ctx.beginPath();
        for (let i = 0; i + 1 < path.length; i++) {
            const x = g.x(rows[path[i]]) + g.bar / 2,
                x1 = g.x(rows[path[i + 1]]) + g.bar / 2;
            ctx.moveTo(x, g.y(end[path[i]]));
            ctx.lineTo(x, g.y(start[path[i]]));
            ctx.lineTo(x1, g.y(end[path[i + 1]]));
        }
        ctx.strokeStyle = app.colour.path;
        ctx.lineWidth = 1.6;
        ctx.stroke();
    }

    first_of_task() {
        const { task } = this.app.selection;
        return task === null ? null : this.app.data.task.first[task];
    }

    // Names of columns above, times at the left.
    draw_frame(ctx, g) {
        const { app, canvas } = this,
            step = Math.max(1, step_of(g.to - g.from, g.height / 48));
        ctx.font = "11px system-ui, sans-serif";
        ctx.textBaseline = "middle";
        ctx.fillStyle = app.colour.faint;
        ctx.strokeStyle = app.colour.line;
        ctx.textAlign = "right";
        ctx.beginPath();
        for (let t = Math.ceil(g.from / step) * step; t <= g.to; t += step) {
            ctx.moveTo(LEFT - 4, Math.round(g.y(t)) + 0.5);
            ctx.lineTo(LEFT, Math.round(g.y(t)) + 0.5);
            ctx.fillText(tick(t, step), LEFT - 7, Math.max(TOP + 5, g.y(t)));
        }
        ctx.stroke();
        ctx.textAlign = "center";
        const every = Math.max(1, Math.ceil(26 / g.pitch));
        for (let row = 0; row < g.n; row += every) {
            const x = g.x(row) + g.bar / 2;
            if (x < LEFT || x > canvas.width) continue;
            ctx.fillStyle = app.selection.worker === row ? app.colour.accent : app.colour.faint;
            ctx.fillText(this.column_name(g, row), x, TOP / 2);
        }
    }

    column_name(g, row) {
        if (g.pitch < 90) return String(this.app.data.rows[row]);
        const times = column_times(this.app.data, this.sums[row], g.from, g.to);
        return (
            `worker ${this.app.data.rows[row]}: ` +
            `${this.app.format.share(times.work / (g.to - g.from))}`
        );
    }

    // What the bar chooses.
    turn(name) {
        this.shows[name] = !this.shows[name];
        this.tell();
        this.app.dirty();
    }

    tell() {
        draw_bar(this);
    }

    set_value(id) {
        this.choose_value(values_of(this.app).find(value => value.id === id));
        this.tell();
    }

    // Of the URL: null where they are the value's own.
    bounds_set() {
        if (this.work.is_busy) return this.bounds_asked;
        return this.bounds.every((bound, i) => bound === this.value.bounds[i]) ? null : this.bounds;
    }

    set_bounds(numbers) {
        if (this.work.is_busy) this.bounds_asked = numbers;
        else this.bounds = numbers ?? [...this.value.bounds];
        this.tell();
    }

    // ---- the pointer ----

    hit(x, y) {
        const g = this.geometry(),
            row = g.row(x),
            { data } = this.app,
            ns = g.ns(y);
        if (!this.sums) return null;
        if (x < LEFT || row < 0 || row >= g.n || y > g.bottom) return null;
        if (y < TOP) return { worker: row };
        const at = row_at(data, row, ns);
        if (STATES[at.state] === "running") return { strand: at.strand, worker: row };
        return {
            worker: row,
            from: at.from,
            to: at.to,
            pause: { from: at.from, to: at.to, state: at.state, call: at.call, after: at.strand },
        };
    }

    tip(part) {
        const { app } = this;
        if (part.strand === undefined)
            return part.pause && part.pause.after !== NONE
                ? app.describe(part)
                : [["worker", String(app.data.rows[part.worker])]];
        const bound = bound_of(app.data, part.strand),
            { time } = app.format,
            value = this.value.of(part.strand);
        const text = {
            application: `the program: its worker was free ${time(bound.waited)} before`,
            worker: `its worker, ${time(bound.waited)} after it was ready`,
        }[bound.by];
        const of_strand = [
            ...app.describe({ strand: part.strand }),
            ["bound by", text ?? no_wait_said(app.data, part.strand, bound.by)],
            ...(text ? [["then", `${time(bound.latency)} in the runtime until it began`]] : []),
        ];
        if (this.value.of_kinds) return of_strand;
        return [
            ...of_strand,
            [
                this.value.text,
                Number.isFinite(value)
                    ? this.value.unit === "ns"
                        ? time(value)
                        : `${value.toPrecision(3)} ${this.value.unit}`
                    : "not known",
            ],
        ];
    }

    listen() {
        const { node } = this.canvas,
            { app } = this;
        listen_to_pointers(node, {
            press: (x, y, event) => ({
                g: this.geometry(),
                shift: this.shift,
                brush: event.shiftKey,
            }),
            drag: (down, x, y) => this.drag(down, x, y),
            pinch: (down, factor, x, y) => {
                const length = (down.g.to - down.g.from) / factor,
                    from = down.g.ns(down.y) - ((y - TOP) / down.g.height) * length;
                this.move(down.shift + down.x - x, from, length);
            },
            hover: (x, y, event) => {
                const part = this.hit(x, y);
                app.over(
                    part
                        ? {
                              from: this.geometry().ns(y),
                              ...part,
                              to: null,
                              ...(part.pause ? { from: this.geometry().ns(y) } : {}),
                          }
                        : {},
                );
                show_tip(app, part ? this.tip(part) : null, event.clientX, event.clientY);
                node.style.cursor = part ? "pointer" : "grab";
            },
            leave: () => {
                app.over({});
                show_tip(app, null);
            },
            click: (x, y) => this.click(this.hit(x, y)),
            twice: () => app.zoom_to_selection(),
            menu: (event, place) => {
                const part = place && this.hit(...place);
                if (part) this.click(part);
                app.menu(event);
            },
            wheel: (x, y, event) => this.wheel(event, y),
        });
    }

    drag(down, x, y) {
        const a = down.g.ns(down.y),
            b = down.g.ns(y);
        if (down.brush) return this.app.select_time(Math.min(a, b), Math.max(a, b));
        this.move(down.shift + down.x - x, down.g.from + a - b, down.g.to - down.g.from);
    }

    // To the columns at `shift`, and a time of that length, from `from` where there is so much.
    move(shift, from, length) {
        const { app } = this,
            low = Math.max(0, Math.min(app.data.elapsed - length, from));
        this.shift = shift;
        app.zoom(low, low + length);
        app.dirty();
    }

    click(part) {
        if (!part) return this.app.clear();
        const { strand = null, worker = null, from = null, to = null } = part;
        const time = strand === null && from !== null ? { from, to } : {};
        this.app.choose({ strand, worker: strand === null ? worker : null, ...time });
    }

    wheel(event, y) {
        const by = turned(event);
        if (event.shiftKey || Math.abs(by.x) > Math.abs(by.y)) this.shift += by.x || by.y;
        else this.app.scale(Math.exp(by.y * 0.002), this.geometry().ns(y));
        this.app.dirty();
    }

    // B: to what bound the start of the selected strand.
    key(event) {
        const { strand } = this.app.selection;
        if (event.key.toLowerCase() !== "b" || strand === null || !this.sums) return false;
        const { cause } = bound_of(this.app.data, strand);
        if (cause !== NONE) this.app.select({ strand: cause });
        return true;
    }
}

export const view = {
    id: "scg",
    title: "Why late",
    hint: "what each worker did, top to bottom, and what released what",
    /** @param {App} app */
    mount(app, host) {
        const scg = new Scg(app, host);
        return {
            scg,
            draw: () => scg.draw(),
            hit: (x, y) => scg.hit(x, y),
            key: event => scg.key(event),
            changed: news => {
                if (news.has("theme")) scg.tell();
                if (news.has("selection")) scg.said.follow();
            },
            rows: () => scg_rows(app),
        };
    },
};
