// SPDX-License-Identifier: MIT
// job_draw.js - rows of a job: where each is, what it was in, its name.
import { RULER } from "./canvas.js";

export const LEFT = 148;
const ROW_LEAST = 7,
    ROW_MOST = 96,
    LABEL_PX = 13, // high
    INDENT = 12,
    LEAST_SHARE = 0.002;

// Rows that fill the height where they are few, and scroll by whole rows where they are many.
export function geometry(n, height, top) {
    const room = height - RULER,
        pitch = Math.max(ROW_LEAST, Math.min(ROW_MOST, room / Math.max(1, n))),
        gap = pitch > 16 ? 5 : pitch > 9 ? 2 : 1,
        seen = Math.max(1, Math.floor(room / pitch + 1e-6)),
        first = Math.max(0, Math.min(n - seen, Math.round(top / pitch)));
    return {
        pitch,
        bar: pitch - gap,
        first,
        last: Math.min(n, first + seen),
        height: Math.min(room, n * pitch),
        all: n * pitch,
        y: row => (row - first) * pitch + gap / 2,
        row: y => first + Math.floor(y / pitch),
    };
}

export function colour_of_state(app, state) {
    return state === "blocked" ? app.colour.kinds[7] : app.colour.state(state);
}

// States of a row stand one on the other: work at the bottom.
function draw_states(raster, axis, series, y, h, paints) {
    const columns = series.in_pixels(axis.from, axis.to, raster.n),
        below = new Float32Array(raster.n);
    columns.forEach((column, state) => {
        if (!column) return;
        for (let x = 0; x < raster.n; x++) {
            if (column[x] <= LEAST_SHARE) continue;
            const tall = Math.min(1 - below[x], column[x]) * h;
            raster.put(x, y + h - below[x] * h - tall, tall, paints[state]);
            below[x] += column[x];
        }
    });
}

/** @param {App} app */
export function draw_rows(app, ctx, axis, g, rows, raster, ratio, states) {
    const paints = states.map(state => raster.paint(colour_of_state(app, state)));
    raster.begin(Math.max(1, Math.floor(axis.width)), g.height, ratio);
    ctx.fillStyle = app.colour.idle;
    for (let row = g.first; row < g.last; row++) {
        const { offset, elapsed } = rows[row].series,
            x0 = Math.max(axis.left, axis.x(offset)),
            x1 = Math.min(axis.left + axis.width, axis.x(offset + elapsed));
        if (x1 > x0) ctx.fillRect(x0, g.y(row), x1 - x0, g.bar);
        draw_states(raster, axis, rows[row].series, g.y(row), g.bar, paints);
    }
    raster.draw(ctx, axis.left, 0);
}

// marks: Map of a row's number to [text, is_main].  Where rows are low, only as many names as are
// not on top of one another; those that are marked first.
/** @param {App} app */
export function draw_names(app, ctx, g, rows, marks, open) {
    const taken = [],
        is_free = y => taken.every(at => Math.abs(at - y) >= LABEL_PX),
        numbers = Array.from({ length: g.last - g.first }, (_, i) => g.first + i);
    ctx.textBaseline = "middle";
    const marked = numbers.filter(i => marks.has(i)),
        main = marked.filter(i => marks.get(i)[1]);
    for (const row of [...main, ...marked, ...numbers]) {
        const y = Math.max(LABEL_PX / 2, g.y(row) + g.bar / 2),
            mark = marks.get(row);
        if (!is_free(y)) continue;
        taken.push(y);
        draw_name(app, ctx, rows[row], y, mark, open);
    }
}

/** @param {App} app */
function draw_name(app, ctx, { label, depth, children, key }, y, mark, open) {
    const x = 6 + INDENT * depth;
    ctx.textAlign = "left";
    ctx.fillStyle = app.colour.faint;
    ctx.font = "11px system-ui, sans-serif";
    if (children.length) ctx.fillText(open.has(key) ? "\u25be" : "\u25b8", x, y);
    ctx.fillStyle = app.colour.ink;
    ctx.font = `${mark ? "600 " : ""}11px system-ui, sans-serif`;
    const room = LEFT - 8 - x - 12,
        tag = mark ? ` ${mark[0]}` : "",
        name = ctx.measureText(label + tag).width <= room ? label : fit(ctx, label, room, tag);
    ctx.fillText(name + tag, x + 12, y);
}

// Without its middle, so that it has room.
function fit(ctx, label, room, tag) {
    const letters = [...label];
    for (let n = letters.length - 2; n > 3; n--) {
        const end = n >> 1,
            text = [...letters.slice(0, n - end), "..", ...letters.slice(-end)].join("");
        if (ctx.measureText(text + tag).width <= room) return text;
    }
    return letters.slice(0, 3).join("");
}

// A frame around rows that are marked.
/** @param {App} app */
export function draw_marked(app, ctx, axis, g, marks) {
    for (const [row, [, is_main]] of marks) {
        if (row < g.first || row >= g.last) continue;
        ctx.strokeStyle = is_main ? app.colour.ink : app.colour.faint;
        ctx.lineWidth = is_main ? 2 : 1;
        ctx.strokeRect(axis.left + 0.5, g.y(row) - 0.5, axis.width - 1, g.bar + 1);
    }
}
