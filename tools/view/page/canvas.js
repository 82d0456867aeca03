// SPDX-License-Identifier: MIT
// canvas.js - canvases that follow the size of their host, the axis of time, and what the pointer
// does on both.
import { brief, count, plain, tick, time } from "./format.js";
import { el, fill } from "./dom.js";
import { listen_to_pointers, turned } from "./gestures.js";

export const RULER = 20;
export const LEFT = 64; // px to the left of axes of workers, ..
export const RIGHT = 8; // .. and to the right of those of a job, too
const NOTE_HALF = 7, // px, of the box with its number
    NOTE_HIGH = 13,
    NOTE_LINE = 3;
const FLAG_MOST = 24, // letters of a note on its flag
    LETTER = 6.2, // px wide, at 11 px
    AIR = 5; // px beside other words

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

const is_apart = (a, b) => a.left > b.right + AIR || b.left > a.right + AIR;

// How long the selected time is, where the ruler says so; null: it is not in sight.
/** @param {App} app */
function length_in_sight({ selection: { from, to } }, axis) {
    const right = axis.left + axis.width,
        x0 = Math.max(axis.left, axis.x(from)),
        x1 = Math.min(right, axis.x(to));
    if (from === null || x1 < x0) return null;
    const text = `\u2194 ${time(to - from)}`,
        width = text.length * LETTER,
        left = Math.max(axis.left, Math.min(right - width, (x0 + x1 - width) / 2));
    return { text, left, right: left + width, x0, x1 };
}

// taken: px at its right end that have other words.
/** @param {App} app */
export function draw_ruler(app, ctx, axis, y, taken = 0) {
    const step = Math.max(1, step_of(axis.to - axis.from, axis.width / 95)),
        end = axis.left + axis.width,
        length = length_in_sight(app, axis),
        flags = flags_in_sight(app, axis, length),
        words = taken ? [{ left: end - taken, right: end }] : [],
        others = [...words, ...flags, ...(length ? [length] : [])];
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
        const at = Math.max(axis.left + 20, Math.min(end - 24, x)),
            text = tick(t, step),
            half = (text.length * LETTER) / 2;
        if (others.every(other => is_apart(other, { left: at - half, right: at + half })))
            ctx.fillText(text, at, y + RULER / 2 + 1);
    }
    ctx.stroke();
    if (length) {
        ctx.fillStyle = app.colour.accent;
        ctx.fillRect(length.x0, y, length.x1 - length.x0, NOTE_LINE);
        ctx.fillText(length.text, (length.left + length.right) / 2, y + RULER / 2 + 1);
    }
    draw_flags(app, ctx, flags, y);
}

// Notes in sight, by time: { note, number, x0, x1 }, as far as they are, an instant without width;
// left, right: of its flag, which has its text where that covers neither another one nor `length`.
/** @param {App} app */
function flags_in_sight(app, axis, length) {
    const end = axis.left + axis.width,
        all = app.notes.map((note, i) => ({
            note,
            number: i + 1,
            x0: Math.max(axis.left, axis.x(note.from)),
            x1: Math.min(end, axis.x(note.to ?? note.from)),
        })),
        seen = all.filter(({ x0, x1 }) => x1 >= axis.left && x0 <= end);
    return seen.map((flag, i) => {
        const left = flag.x0 - NOTE_HALF,
            text = brief(plain(flag.note.text), FLAG_MOST),
            right = flag.x0 + NOTE_HALF + 4 + text.length * LETTER,
            next = seen[i + 1]?.x0 - NOTE_HALF,
            has_room = right < end && !(right >= next) && (!length || right < length.left);
        return has_room && text
            ? { ...flag, left, right, text }
            : { ...flag, left, right: flag.x0 + NOTE_HALF, text: "" };
    });
}

// Each with its number where it begins, and a line as long as it is.
/** @param {App} app */
function draw_flags(app, ctx, flags, y) {
    for (const { number, text, left, right, x0, x1 } of flags) {
        const middle = y + NOTE_HIGH / 2 + 0.5;
        ctx.fillStyle = app.colour.ink;
        ctx.fillRect(x0, y, x1 - x0, NOTE_LINE);
        ctx.fillRect(left, y, right - left, NOTE_HIGH);
        ctx.fillStyle = app.colour.paper;
        ctx.textAlign = "center";
        ctx.fillText(String(number), x0, middle);
        ctx.textAlign = "left";
        if (text) ctx.fillText(text, x0 + NOTE_HALF, middle);
    }
}

// The note at that place of a ruler, for hit() of its view; null: none is there.
/** @param {App} app */
export function note_at(app, axis, x) {
    const near = flags_in_sight(app, axis, length_in_sight(app, axis)).filter(
            ({ left, right, x1 }) => x >= left && x <= Math.max(x1, right),
        ),
        [found] = near.sort((a, b) => a.x1 - a.x0 - (b.x1 - b.x0));
    if (!found) return null;
    const { number, note } = found,
        { from, to, text } = note;
    return { text: [[`note ${number}`, plain(text)]], ...(to === null ? {} : { from, to }) };
}

// How many are ready, to the left of x: in two lines where one is wider than that, if there are
// `room` pixels for them.
export function draw_ready(ctx, n, x, y, room) {
    const one = `${count(n)} ready`,
        fits = ctx.measureText(one).width <= x;
    ctx.fillText(fits ? one : count(n), x, y);
    if (!fits && room >= 24) ctx.fillText("ready", x, y + 12);
}

// The selected stretch, notes, and the instant under the pointer.
/** @param {App} app */
export function draw_marks(app, ctx, axis, height) {
    const { from, to } = app.selection,
        line = x => {
            if (x >= axis.left && x <= axis.left + axis.width)
                ctx.fillRect(Math.round(x), 0, 1, height);
        };
    if (from !== null) {
        const x0 = Math.max(axis.left, axis.x(from)),
            x1 = Math.min(axis.left + axis.width, axis.x(to));
        ctx.fillStyle = app.colour.accent;
        ctx.globalAlpha = 0.12;
        if (x1 > x0) ctx.fillRect(x0, 0, x1 - x0, height);
        ctx.globalAlpha = 1;
        for (const x of [x0, x1]) line(x);
    }
    ctx.fillStyle = app.colour.ink;
    ctx.globalAlpha = 0.5;
    for (const note of app.notes)
        for (const ns of [note.from, note.to ?? note.from]) line(axis.x(ns));
    ctx.globalAlpha = 1;
    if (app.hover.from !== null && app.hover.to === null) {
        ctx.fillStyle = app.colour.faint;
        ctx.globalAlpha = 0.6;
        line(axis.x(app.hover.from));
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

// Hover, click, double click, the menu; drag to pan, Shift and drag (with margins.brush: drag) to
// select, wheel or two fingers to zoom.  margins: [left, right]; hit(x, y): what is there.
/** @param {App} app */
export function listen(app, canvas, hit, margins) {
    const { node } = canvas,
        axis = () => make_axis(app, canvas, margins[0], margins[1]);
    // What was at x0 of [from, to) comes to x, `factor` times as wide.
    const put = ({ from, to }, x0, x, factor) => {
        const { left, width } = axis(),
            length = Math.min(app.extent, (to - from) / factor),
            low = from + ((x0 - left) / width) * (to - from) - ((x - left) / width) * length;
        const first = Math.max(0, Math.min(app.extent - length, low));
        app.zoom(first, first + length);
    };
    const choose = (part, x) =>
        app.choose({ ...part, ...(part.pause ? of_pause(part.pause, axis().ns(x)) : null) });
    // a page that is higher than the screen scrolls under a finger
    node.style.touchAction = "pan-y";
    listen_to_pointers(node, {
        press: (x, y, event) => ({ ...app.time, brush: event.shiftKey || margins.brush }),
        drag(down, x) {
            if (!down.brush) return put(down, down.x, x, 1);
            const a = axis().ns(down.x),
                b = axis().ns(x);
            app.select_time(Math.min(a, b), Math.max(a, b));
        },
        pinch: (down, factor, x) => put(down, down.x, x, factor),
        hover(x, y, event) {
            const part = hit(x, y),
                instant = x >= margins[0] ? { from: axis().ns(x) } : {};
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
