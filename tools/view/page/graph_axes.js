// SPDX-License-Identifier: MIT
// graph_axes.js - what lies how far down in the DAG and in Dependences: round times, or steps.
import { step_of } from "./canvas.js";
import { count, several, tick, time } from "./format.js";
import { scale_height } from "./dag_scale.js";

const FONT = "11px system-ui, sans-serif",
    APART = 45, // px, from one to the next
    WIDE = 100, // px beside the widths of Dependences
    NAMED = 34, // px that the words at their ends take
    AIR = 8;

// ---- the DAG with time from top to bottom ----

// Round times that are at least so far apart on the screen, whatever the curve; the roundest first.
function round_times(elapsed, y, height) {
    const list = [],
        fits = at => at > 0 && at < height && list.every(each => Math.abs(y(each.ns) - at) > APART);
    for (
        let power = 10 ** Math.floor(Math.log10(elapsed));
        power >= 1 && list.length < 40;
        power /= 10
    )
        for (const step of [power, power / 2, power / 5])
            for (let k = 1; k * step <= elapsed && k < 200; k++)
                if (fits(y(k * step))) list.push({ ns: k * step, step });
    return list;
}

// Lines at round times, and the selected stretch of time.
export function draw_time({ canvas: { ctx, width, height }, camera, app, scale }) {
    const high = scale_height(scale, app.data.elapsed);
    const y = ns => (high(ns) - camera.y) * camera.ky,
        { from, to } = app.selection;
    ctx.save();
    if (from !== null) {
        ctx.globalAlpha = 0.1;
        ctx.fillStyle = app.colour.accent;
        ctx.fillRect(0, y(from), width, y(to) - y(from));
        ctx.globalAlpha = 1;
    }
    ctx.font = FONT;
    ctx.fillStyle = app.colour.faint;
    ctx.strokeStyle = app.colour.line;
    ctx.beginPath();
    for (const { ns, step } of round_times(app.data.elapsed, y, height)) {
        ctx.moveTo(0, y(ns) + 0.5);
        ctx.lineTo(width, y(ns) + 0.5);
        ctx.fillText(tick(ns, step), 4, y(ns) - 4);
    }
    ctx.stroke();
    ctx.restore();
}

// ---- Dependences: steps, or time along the longest path; and how many at once ----

// Names beside round numbers of [0, most], where at(number) lies within `height`.
function draw_names(ctx, most, height, at, name, x) {
    const high = Math.max(1, at(most) - at(0)),
        step = Math.max(1, step_of(most, high / APART));
    ctx.textBaseline = "middle";
    for (let n = 0; n <= most; n += step) {
        const y = at(n);
        if (y > 6 && y < height - 6) ctx.fillText(name(n, step), x, y);
    }
}

// Unit by unit; y(row or ns): where it is on the screen.
export function draw_depth({ app, canvas: { ctx, height }, levels, is_weighted }, y) {
    ctx.font = FONT;
    ctx.textAlign = "left";
    ctx.fillStyle = app.colour.faint;
    if (is_weighted) return draw_names(ctx, levels.height, height, y, tick, 4);
    // the first row is step 1: nothing stands for 0
    const name = n => (n > 1 ? count(n) : n ? "" : "step 1"),
        row = n => y(Math.max(0, n - 1));
    draw_names(ctx, levels.rows, height, row, name, 4);
}

// The most units of the rows, or stretches of weight, that each of n lines of pixels stands for.
export function widest_of(of, n) {
    const step = of.length / n,
        wide = new Float64Array(n);
    for (let i = 0; i < of.length; i++)
        wide[Math.floor(i / step)] = Math.max(wide[Math.floor(i / step)], of[i]);
    return { of, n, wide, most: wide.reduce((a, b) => Math.max(a, b), 1) };
}

// How many at once, to the right; down to the last row, or the end of the longest path.
export function draw_widths({ app, canvas, levels, is_weighted, unit }, { n, wide, most }) {
    const { ctx } = canvas,
        { colour, data } = app,
        high = canvas.height - AIR - NAMED,
        step = high / n,
        scale = (canvas.width - WIDE - 10) / most,
        top = NAMED - AIR;
    ctx.fillStyle = colour.kinds[0];
    wide.forEach((w, k) =>
        ctx.fillRect(
            WIDE,
            top + k * step,
            Math.max(0.5, w * scale),
            Math.max(1, step - (step > 3 ? 1 : 0)),
        ),
    );
    ctx.fillStyle = colour.path;
    ctx.fillRect(WIDE + data.n_workers * scale, top - 6, 1.5, high + 6);
    ctx.font = FONT;
    ctx.textBaseline = "middle";
    ctx.fillStyle = colour.faint;
    ctx.textAlign = "right";
    const end = is_weighted ? time(levels.height) : `step ${count(levels.rows)}`;
    ctx.fillText(is_weighted ? "0" : "step 1", WIDE - 6, top + 6);
    ctx.fillText(end, WIDE - 6, top + high - 6);
    // numbers of strands, but where that of the workers stands
    const by = Math.max(1, step_of(most, (canvas.width - WIDE) / 110)),
        worker_x = WIDE + data.n_workers * scale;
    for (let w = by; w <= most; w += by) {
        const x = WIDE + w * scale;
        ctx.fillRect(x, top - 4, 1, 3);
        if (Math.abs(x - worker_x) < 60) continue;
        ctx.textAlign = x > canvas.width - 20 ? "right" : "center";
        ctx.fillText(count(w), Math.min(x, canvas.width - 4), top - 12);
    }
    ctx.textAlign = "right";
    ctx.fillText(`${unit} at once`, WIDE - 6, top - 12);
    ctx.textAlign = "left";
    ctx.fillStyle = colour.ink;
    ctx.fillText(
        several(data.n_workers, "worker"),
        Math.min(canvas.width - 70, worker_x + 4),
        top - 12,
    );
}
