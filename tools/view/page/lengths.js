// SPDX-License-Identifier: MIT
// lengths.js - how long tasks work: how many by length, and each by time.  A brush across lengths
// writes them into the search ("> 1.20ms < 3.40ms"), so all views light what it holds.
import { RULER, draw_ruler, make_axis, make_canvas, show_tip } from "./canvas.js";
import { count, several, time } from "./format.js";
import { listen_to_pointers } from "./gestures.js";
import { for_each } from "./steps.js";

const ROWS = 40, // of lengths
    LEFT = 64,
    RIGHT = 170, // room of the histogram
    GAP = 12,
    CELL = 3, // px of time
    TITLE = 14, // px of the axes' names
    LABEL = 13, // px from one to the next
    TIME_LEAST = 20; // px: a brush that is no wider selects no time
const LENGTHS = /[<>]\s*[\d.]+\s*(?:ns|us|ms|s)?/g;

// The search with these lengths (ns) for those that it had; without any, what else it asks for.
export function with_lengths(text, lengths) {
    const rest = text.replace(LENGTHS, "").trim().replace(/\s+/g, " "),
        ns = lengths?.map(length => `${Number((length / 1e6).toPrecision(6))}ms`);
    return [rest, ns ? `> ${ns[0]} < ${ns[1]}` : ""].filter(Boolean).join(" ");
}

// Rows of equal ratio from the shortest to the longest: { low, high, at(ns), row(ns), ns(row) }.
export function scale_of(low, high, rows = ROWS) {
    const from = Math.log(Math.max(1, low)),
        unit = Math.max(1e-9, Math.log(Math.max(1, high)) - from) / rows,
        at = ns => (Math.log(ns) - from) / unit;
    return {
        low,
        high,
        at,
        row: ns => Math.min(rows - 1, Math.max(0, Math.floor(at(ns)))),
        ns: row => Math.exp(from + row * unit),
    };
}

// Round lengths (ns) between the shortest and the longest: 1, 10, 100, or 1, 2, 5, 10 where those
// are fewer than two; the two themselves, where no two of these lie between them.
export function round_lengths({ low, high }) {
    for (const digits of [[1], [1, 2, 5]]) {
        const list = [];
        for (let ten = 1; ten <= high; ten *= 10)
            list.push(...digits.map(digit => digit * ten).filter(ns => ns >= low && ns <= high));
        if (list.length > 1) return list;
    }
    return [low, high];
}

// Tasks that `is_wanted`, by length and by `n` columns of time: how many, and how many of them are
// hits.  A task is where it began.
/** @param {App} app */
export function* lengths_of(app, is_wanted, n) {
    const { task } = app.data,
        { hits } = app,
        { from, to } = app.time;
    let low = Infinity,
        high = 0;
    yield* for_each(task.n, t => {
        if (!(task.work[t] > 0) || !is_wanted(t)) return;
        low = Math.min(low, task.work[t]);
        high = Math.max(high, task.work[t]);
    });
    const scale = scale_of(low, high),
        pair = size => [new Uint32Array(size), new Uint32Array(size)],
        made = { n, scale, from, to, tasks: 0, rows: pair(ROWS), cells: pair(ROWS * n) };
    yield* for_each(task.n, t => {
        if (!(task.work[t] > 0) || !is_wanted(t)) return;
        const row = scale.row(task.work[t]),
            x = Math.floor(((task.begin[t] - from) / (to - from)) * n);
        made.tasks++;
        for (const of of hits && !hits[t] ? [0] : [0, 1]) {
            made.rows[of][row]++;
            if (x >= 0 && x < n) made.cells[of][row * n + x]++;
        }
    });
    return made;
}

export class Lengths {
    /** @param {App} app */
    constructor(app, host) {
        this.app = app;
        this.made = null;
        this.brush = null;
        this.canvas = make_canvas(
            app,
            host,
            "tasks by length, and over time; a search as > 1ms < 5ms chooses some, as a brush does",
        );
        this.listen();
    }

    get columns() {
        return Math.max(1, Math.floor((this.canvas.width - LEFT - RIGHT) / CELL));
    }

    y(row) {
        return TITLE + (this.canvas.height - RULER - TITLE) * (1 - row / ROWS);
    }

    // The length at y, within those that there are.
    ns(y) {
        const { scale } = this.made,
            row = ROWS * (1 - (y - TITLE) / (this.canvas.height - RULER - TITLE));
        return scale.ns(Math.max(0, Math.min(ROWS, row)));
    }

    listen() {
        const { app, canvas } = this,
            axis = () => make_axis(app, canvas, LEFT, RIGHT);
        listen_to_pointers(canvas.node, {
            press: () => ({}),
            drag: (down, x, y) => {
                if (!this.made) return;
                const lengths = [this.ns(Math.max(y, down.y)), this.ns(Math.min(y, down.y))],
                    [a, b] = [down.x, x].map(px => axis().ns(px)),
                    is_time = down.x < canvas.width - RIGHT && Math.abs(x - down.x) > TIME_LEAST;
                app.find(with_lengths(app.search, lengths));
                if (is_time) app.select_time(Math.min(a, b), Math.max(a, b));
            },
            pinch() {},
            hover: (x, y, event) => {
                show_tip(app, this.tip(y), event.clientX, event.clientY);
                canvas.node.style.cursor = "crosshair";
            },
            leave: () => show_tip(app, null),
            click: () => app.find(with_lengths(app.search, null)),
            twice() {},
            menu: event => app.menu(event),
            wheel: (x, y, event) => app.scale(Math.exp(event.deltaY * 0.002), axis().ns(x)),
        });
    }

    tip(y) {
        if (!this.made?.tasks) return null;
        const row = this.made.scale.row(this.ns(y)),
            { scale, rows } = this.made;
        return [
            ["work", `${time(scale.ns(row))} to ${time(scale.ns(row + 1))}`],
            ["tasks", count(rows[0][row])],
            ["drag", "choose these lengths; click: all again"],
        ];
    }

    draw() {
        const { app, canvas, made } = this,
            { ctx } = canvas;
        ctx.clearRect(0, 0, canvas.width, canvas.height);
        if (!made?.tasks || canvas.width < LEFT + RIGHT + 60) return;
        const axis = make_axis(app, canvas, LEFT, RIGHT);
        for (const of of [0, 1]) this.draw_tasks(ctx, axis, of);
        this.draw_scale(ctx);
        draw_ruler(app, ctx, axis, canvas.height - RULER);
    }

    // of: 0 all, 1 the hits
    draw_tasks(ctx, axis, of) {
        const { app, made, canvas } = this,
            { n } = made,
            h = this.y(0) - this.y(1),
            most = Math.max(...made.rows[0]),
            left = canvas.width - RIGHT + GAP,
            wide = ((made.to - made.from) * axis.scale) / n, // it was made of another time in sight
            first = axis.x(made.from);
        const { kind } = app.selection,
            colour = kind === null ? app.colour.accent : app.colour.kind(kind);
        ctx.fillStyle = of ? colour : app.colour.faint;
        for (let row = 0; row < ROWS; row++) {
            const y = this.y(row + 1);
            ctx.globalAlpha = of ? 1 : 0.35;
            ctx.fillRect(left, y, (made.rows[of][row] / most) * (RIGHT - 2 * GAP), h - 0.5);
            for (let x = 0; x < n; x++) {
                const cell = made.cells[of][row * n + x];
                if (!cell) continue;
                ctx.globalAlpha = (of ? 1 : 0.5) * Math.min(1, 0.4 + 0.15 * Math.log2(1 + cell));
                const at = first + x * wide;
                if (at >= LEFT && at <= LEFT + axis.width)
                    ctx.fillRect(at, y, Math.max(CELL, wide), Math.max(2, h));
            }
        }
        ctx.globalAlpha = 1;
    }

    draw_scale(ctx) {
        const { app, made, canvas } = this,
            most = Math.max(...made.rows[0]);
        ctx.font = "11px system-ui, sans-serif";
        ctx.textBaseline = "middle";
        ctx.textAlign = "right";
        ctx.fillStyle = app.colour.faint;
        let above = Infinity;
        for (const ns of round_lengths(made.scale)) {
            const y = this.y(Math.min(ROWS, Math.max(0, made.scale.at(ns))));
            if (above - y < LABEL) continue;
            above = y;
            ctx.fillRect(LEFT - 4, Math.round(y), 3, 1);
            ctx.fillText(time(ns), LEFT - 6, Math.max(TITLE + 6, Math.min(y, this.y(0) - 6)));
        }
        ctx.fillText("work of a task", LEFT + 22, 6);
        ctx.textAlign = "left";
        const what = "each task where it began; drag to choose lengths";
        if (LEFT + 40 + ctx.measureText(what).width < canvas.width - RIGHT)
            ctx.fillText(what, LEFT + 40, 6);
        ctx.fillText("how many tasks", canvas.width - RIGHT + GAP, 6);
        ctx.textAlign = "right";
        ctx.fillText(several(most, "task"), canvas.width - GAP, canvas.height - RULER / 2);
    }
}
