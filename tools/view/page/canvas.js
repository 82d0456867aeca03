// SPDX-License-Identifier: MIT
// canvas.js - canvases that follow the size of their host, the axis of time, and what the pointer
// does on both.
import { count, plain, tick } from "./format.js";
import { el, fill } from "./dom.js";
import { listen_to_pointers, turned } from "./gestures.js";

export const RULER = 20;
const NOTE_HALF = 7, // px, of the box with its number
    NOTE_HIGH = 13,
    NOTE_LINE = 3;
const PLACE = 3, // px high, at the foot of the ruler, ..
    PLACE_LEAST = 4; // .. and wide

// A canvas that fills `host`; `label` is its accessible name.
/** @param {App} app */
export function make_canvas(app, host, label) {
    const node = el("canvas", { tabindex: "0", role: "img", "aria-label": label });
    const canvas = { node, ctx: node.getContext("2d"), width: 0, height: 0, ratio: 1 };
    host.append(node);
    // in the frame that draws it: a canvas that gets a size is empty
    const resize = () => {
        const ratio = devicePixelRatio || 1;
        canvas.ratio = ratio;
        canvas.width = host.clientWidth;
        canvas.height = host.clientHeight;
        node.width = Math.max(1, Math.round(canvas.width * ratio));
        node.height = Math.max(1, Math.round(canvas.height * ratio));
        node.style.width = canvas.width + "px";
        node.style.height = canvas.height + "px";
        canvas.ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    };
    new ResizeObserver(() => {
        app.resized.add(resize);
        app.tell("size");
    }).observe(host);
    return canvas;
}

// Time across a canvas, with `left` and `right` px beside it.
/** @param {App} app */
export function make_axis(app, canvas, left, right) {
    const { from, to } = app.time,
        width = Math.max(1, canvas.width - left - right),
        scale = width / (to - from);
    return {
        left,
        width,
        scale,
        from,
        to,
        x: ns => left + (ns - from) * scale,
        ns: x => from + (x - left) / scale,
    };
}

// The step of 1, 2 or 5 times a power of ten that has room for its text.
export function step_of(length, n) {
    const rough = length / Math.max(1, n),
        power = 10 ** Math.floor(Math.log10(rough));
    for (const times of [1, 2, 5, 10]) if (times * power >= rough) return times * power;
    return 10 * power;
}

// taken: px at its right end that have other words.
/** @param {App} app */
export function draw_ruler(app, ctx, axis, y, taken = 0) {
    const step = Math.max(1, step_of(axis.to - axis.from, axis.width / 95));
    ctx.font = "11px system-ui, sans-serif";
    ctx.fillStyle = app.colour.faint;
    ctx.strokeStyle = app.colour.line;
    ctx.textBaseline = "middle";
    ctx.textAlign = "center";
    ctx.lineWidth = 1;
    ctx.beginPath();
    for (let t = Math.ceil(axis.from / step) * step; t <= axis.to; t += step) {
        const x = Math.round(axis.x(t)) + 0.5;
        ctx.moveTo(x, y);
        ctx.lineTo(x, y + 4);
        const at = Math.max(axis.left + 20, Math.min(axis.left + axis.width - 24, x)),
            text = tick(t, step);
        if (!taken || at + ctx.measureText(text).width / 2 < axis.left + axis.width - taken)
            ctx.fillText(text, at, y + RULER / 2 + 1);
    }
    ctx.stroke();
    draw_place(app, ctx, axis, y + RULER - PLACE);
    draw_notes(app, ctx, axis, y);
}

// [note, its number, x0, x1] of those in sight, as far as they are; an instant has no width.
/** @param {App} app */
function notes_in_sight(app, axis) {
    return app.notes
        .map((note, i) => [note, i + 1, axis.x(note.from), axis.x(note.to ?? note.from)])
        .filter(([, , x0, x1]) => x1 >= axis.left && x0 <= axis.left + axis.width)
        .map(([note, number, x0, x1]) => [
            note,
            number,
            Math.max(axis.left, x0),
            Math.min(axis.left + axis.width, x1),
        ]);
}

// Each with its number where it begins, and a line as long as it is.
/** @param {App} app */
function draw_notes(app, ctx, axis, y) {
    for (const [, number, x0, x1] of notes_in_sight(app, axis)) {
        ctx.fillStyle = app.colour.ink;
        ctx.fillRect(x0, y, x1 - x0, NOTE_LINE);
        ctx.fillRect(x0 - NOTE_HALF, y, 2 * NOTE_HALF, NOTE_HIGH);
        ctx.fillStyle = app.colour.paper;
        ctx.fillText(String(number), x0, y + NOTE_HIGH / 2 + 0.5);
    }
}

// The note at that place of a ruler, for hit() of its view; null: none is there.
/** @param {App} app */
export function note_at(app, axis, x) {
    const near = notes_in_sight(app, axis).filter(
            ([, , x0, x1]) => x >= x0 - NOTE_HALF && x <= Math.max(x1, x0 + NOTE_HALF),
        ),
        [found] = near.sort(([, , a0, a1], [, , b0, b1]) => a1 - a0 - (b1 - b0));
    if (!found) return null;
    const [{ from, to, text }, number] = found;
    return { text: [[`note ${number}`, plain(text)]], ...(to === null ? {} : { from, to }) };
}

// Where in the run the axis is, when it does not show all of it.
/** @param {App} app */
function draw_place(app, ctx, axis, y) {
    const px = axis.width / app.extent,
        from = Math.max(0, axis.from * px),
        to = Math.min(axis.width, axis.to * px),
        wide = Math.max(PLACE_LEAST, to - from);
    if (to - from >= axis.width - 0.5) return;
    ctx.fillStyle = app.colour.line;
    ctx.fillRect(axis.left, y, axis.width, PLACE);
    ctx.fillStyle = app.colour.accent;
    ctx.fillRect(axis.left + Math.min(from, axis.width - wide), y, wide, PLACE);
}

// The selected stretch, and the instant under the pointer. How many are ready, to the left of x: in
// two lines where one is wider than that, if there are `room` pixels for them.
export function draw_ready(ctx, n, x, y, room) {
    const one = `${count(n)} ready`,
        fits = ctx.measureText(one).width <= x;
    ctx.fillText(fits ? one : count(n), x, y);
    if (!fits && room >= 24) ctx.fillText("ready", x, y + 12);
}

/** @param {App} app */
export function draw_marks(app, ctx, axis, height) {
    const { from, to } = app.selection;
    if (from !== null) {
        const x0 = Math.max(axis.left, axis.x(from)),
            x1 = Math.min(axis.left + axis.width, axis.x(to));
        ctx.fillStyle = app.colour.accent;
        ctx.globalAlpha = 0.12;
        if (x1 > x0) ctx.fillRect(x0, 0, x1 - x0, height);
        ctx.globalAlpha = 1;
        for (const x of [x0, x1])
            if (x >= axis.left && x <= axis.left + axis.width)
                ctx.fillRect(Math.round(x), 0, 1, height);
    }
    if (app.hover.from !== null && app.hover.to === null) {
        ctx.fillStyle = app.colour.faint;
        ctx.globalAlpha = 0.6;
        const x = axis.x(app.hover.from);
        if (x >= axis.left && x <= axis.left + axis.width)
            ctx.fillRect(Math.round(x), 0, 1, height);
        ctx.globalAlpha = 1;
    }
}

// The tip beside the pointer: [[label, text], ..]
/** @param {App} app */
export function show_tip(app, rows, x, y) {
    const tip = document.getElementById("tip");
    tip.hidden = !rows || rows.length === 0;
    if (tip.hidden) return;
    fill(
        tip,
        rows.map(([label, text]) => el("div", {}, el("span", {}, label), el("bdi", {}, text))),
    );
    const box = tip.getBoundingClientRect();
    tip.style.left =
        Math.max(4, x + 16 + box.width > innerWidth ? x - box.width - 12 : x + 16) + "px";
    tip.style.top = Math.max(4, Math.min(innerHeight - box.height - 4, y + 14)) + "px";
}

// A pause is selected by its time, and the moment in it.
function of_pause({ from, to }, ns) {
    return { from, to, moment: Math.max(from, Math.min(to - 1, Math.floor(ns))) };
}

const NONE_OF = { strand: null, task: null, worker: null, kind: null, site: null };

// Hover, click, double click, the menu; drag to pan, Shift and drag (with time.brush: drag) to
// select, wheel or two fingers to zoom.  time: the margins [left, right]; hit(x, y): what is there.
/** @param {App} app */
export function listen(app, canvas, hit, time) {
    const { node } = canvas,
        axis = () => make_axis(app, canvas, time[0], time[1]);
    // What was at x0 of [from, to) comes to x, `factor` times as wide.
    const put = ({ from, to }, x0, x, factor) => {
        const { left, width } = axis(),
            length = Math.min(app.extent, (to - from) / factor),
            low = from + ((x0 - left) / width) * (to - from) - ((x - left) / width) * length;
        const first = Math.max(0, Math.min(app.extent - length, low));
        app.zoom(first, first + length);
    };
    const choose = (part, x) =>
        app.select({
            ...NONE_OF,
            ...part,
            ...(part.pause ? of_pause(part.pause, axis().ns(x)) : null),
        });
    // a page that is higher than the screen scrolls under a finger
    node.style.touchAction = "pan-y";
    listen_to_pointers(node, {
        press: (x, y, event) => ({ ...app.time, brush: event.shiftKey || time.brush }),
        drag(down, x) {
            if (!down.brush) return put(down, down.x, x, 1);
            const a = axis().ns(down.x),
                b = axis().ns(x);
            app.select_time(Math.min(a, b), Math.max(a, b));
        },
        pinch: (down, factor, x) => put(down, down.x, x, factor),
        hover(x, y, event) {
            const part = hit(x, y),
                instant = x >= time[0] ? { from: axis().ns(x) } : {};
            app.over({ ...instant, ...part, to: null });
            show_tip(app, part ? app.describe(part) : null, event.clientX, event.clientY);
            node.style.cursor = part ? "pointer" : "grab";
        },
        leave() {
            app.over({});
            show_tip(app, null);
        },
        click(x, y) {
            const part = hit(x, y);
            if (!part) app.clear();
            // of an operation whose task is not known, there is nothing to select
            else if (part.task !== null) choose(part, x);
        },
        twice: (x, y) => hit(x, y) && app.zoom_to_selection(),
        menu(event, place) {
            const part = place && hit(...place);
            if (part && !part.text) choose(part, place[0]);
            app.menu(event);
        },
        wheel(x, y, event) {
            const by = turned(event);
            if (event.shiftKey || Math.abs(by.x) > Math.abs(by.y))
                app.pan((by.x || by.y) / canvas.width);
            else app.scale(Math.exp(by.y * 0.002), axis().ns(x));
        },
    });
}
