// SPDX-License-Identifier: MIT
// canvas.js - canvases that follow the size of their host, the axis of time, and what the pointer does on both.
import { tick } from "./format.js";
import { el, fill } from "./dom.js";

export const RULER = 20;
export const CLICK_PX = 4; // a pointer that moved so far drags

// A canvas that fills `host`; `label` is its accessible name.
export function make_canvas(app, host, label) {
    const node = el("canvas", { tabindex: "0", role: "img", "aria-label": label });
    const canvas = { node, ctx: node.getContext("2d"), width: 0, height: 0, ratio: 1 };
    host.append(node);
    new ResizeObserver(() => {
        const ratio = devicePixelRatio || 1;
        canvas.ratio = ratio;
        canvas.width = host.clientWidth;
        canvas.height = host.clientHeight;
        node.width = Math.max(1, Math.round(canvas.width * ratio));
        node.height = Math.max(1, Math.round(canvas.height * ratio));
        node.style.width = canvas.width + "px";
        node.style.height = canvas.height + "px";
        canvas.ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
        app.tell("size");
    }).observe(host);
    return canvas;
}

// Where on the node an event is: [x, y].
export function pointer_of(node) {
    return event => {
        const box = node.getBoundingClientRect();
        return [event.clientX - box.left, event.clientY - box.top];
    };
}

// Time across a canvas, with `left` and `right` px beside it.
export function make_axis(app, canvas, left, right) {
    const { from, to } = app.time, width = Math.max(1, canvas.width - left - right), scale = width / (to - from);
    return { left, width, scale, from, to, x: ns => left + (ns - from) * scale, ns: x => from + (x - left) / scale };
}

// The step of 1, 2 or 5 times a power of ten that has room for its text.
export function step_of(length, n) {
    const rough = length / Math.max(1, n), power = 10 ** Math.floor(Math.log10(rough));
    for (const times of [1, 2, 5, 10]) if (times * power >= rough) return times * power;
    return 10 * power;
}

export function draw_ruler(app, ctx, axis, y) {
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
        ctx.fillText(tick(t, step), Math.max(axis.left + 20, Math.min(axis.left + axis.width - 24, x)), y + RULER / 2 + 3);
    }
    ctx.stroke();
}

// The selected stretch, and the instant under the pointer.
export function draw_marks(app, ctx, axis, height) {
    const { from, to } = app.selection;
    if (from !== null) {
        const x0 = Math.max(axis.left, axis.x(from)), x1 = Math.min(axis.left + axis.width, axis.x(to));
        ctx.fillStyle = app.colour.accent;
        ctx.globalAlpha = 0.12;
        if (x1 > x0) ctx.fillRect(x0, 0, x1 - x0, height);
        ctx.globalAlpha = 1;
        for (const x of [x0, x1]) if (x >= axis.left && x <= axis.left + axis.width) ctx.fillRect(Math.round(x), 0, 1, height);
    }
    if (app.hover.from !== null && app.hover.to === null) {
        ctx.fillStyle = app.colour.faint;
        ctx.globalAlpha = 0.6;
        const x = axis.x(app.hover.from);
        if (x >= axis.left && x <= axis.left + axis.width) ctx.fillRect(Math.round(x), 0, 1, height);
        ctx.globalAlpha = 1;
    }
}

// The tip beside the pointer: [[label, text], ..]
export function show_tip(app, rows, x, y) {
    const tip = document.getElementById("tip");
    tip.hidden = !rows || rows.length === 0;
    if (tip.hidden) return;
    fill(tip, rows.map(([label, text]) => el("div", {}, el("span", {}, label), el("bdi", {}, text))));
    const box = tip.getBoundingClientRect();
    tip.style.left = Math.max(4, x + 16 + box.width > innerWidth ? x - box.width - 12 : x + 16) + "px";
    tip.style.top = Math.max(4, Math.min(innerHeight - box.height - 4, y + 14)) + "px";
}

// A pause is selected by its time, and the moment in it.
function of_pause({ from, to }, ns) {
    return { from, to, moment: Math.max(from, Math.min(to - 1, Math.floor(ns))) };
}

// Hover, click, double click; and with `time` (the margins [left, right]) drag to pan, Shift and drag to select, wheel
// to zoom.  hit(x, y): what is there.
export function listen(app, canvas, hit, time) {
    const node = canvas.node;
    let down = null;
    const at = pointer_of(node);
    const axis = () => make_axis(app, canvas, time[0], time[1]);
    node.addEventListener("pointerdown", event => {
        const [x, y] = at(event);
        down = { x, y, from: app.time.from, to: app.time.to, moved: false,
            brush: time && (event.shiftKey || time.brush) };
        node.setPointerCapture(event.pointerId);
    });
    node.addEventListener("pointermove", event => {
        const [x, y] = at(event);
        if (down && time && (down.moved || Math.abs(x - down.x) > CLICK_PX)) {
            down.moved = true;
            if (down.brush) {
                const a = axis().ns(down.x), b = axis().ns(x);
                app.select_time(Math.min(a, b), Math.max(a, b));
            } else {
                const ns = (down.x - x) / canvas.width * (down.to - down.from);
                const length = down.to - down.from, from = Math.max(0, Math.min(app.extent - length, down.from + ns));
                app.zoom(from, from + length);
            }
            return;
        }
        const part = hit(x, y);
        const instant = time && x >= time[0] ? { from: axis().ns(x) } : {};
        app.over({ ...instant, ...part, to: null });
        show_tip(app, part ? app.describe(part) : null, event.clientX, event.clientY);
        node.style.cursor = part ? "pointer" : time ? "grab" : "default";
    });
    node.addEventListener("pointerup", event => {
        const [x, y] = at(event), part = down && !down.moved ? hit(x, y) : null;
        if (down && !down.moved) {
            if (part) app.select({ strand: null, task: null, worker: null, kind: null, site: null, ...part, ...(part.pause ? of_pause(part.pause, axis().ns(x)) : null) });
            else app.clear();
        }
        down = null;
    });
    node.addEventListener("pointerleave", () => { app.over({}); show_tip(app, null); });
    node.addEventListener("dblclick", event => {
        if (hit(...at(event))) app.zoom_to_selection();
    });
    if (time)
        node.addEventListener("wheel", event => {
            event.preventDefault();
            const unit = event.deltaMode === 1 ? 16 : 1;
            if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
                app.pan((event.deltaX || event.deltaY) * unit / canvas.width);
            else app.scale(Math.exp(event.deltaY * unit * 0.002), axis().ns(at(event)[0]));
        }, { passive: false });
}

