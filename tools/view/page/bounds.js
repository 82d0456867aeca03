// SPDX-License-Identifier: MIT
// bounds.js - the measured speed-up, and how fast the run could be on other numbers of workers:
// `report --bounds`.
import { count, several, time } from "./format.js";
import { el, fill, swatch } from "./dom.js";

const WIDTH = 340,
    HEIGHT = 100,
    LEFT = 26,
    BOTTOM = 18,
    TOP = 6,
    RIGHT = 6;
const SVG = "http://www.w3.org/2000/svg",
    POINTS = 200; // more lie closer than the eye sees

function svg(tag, attributes, ...children) {
    const node = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children);
    return node;
}

const said = speedup => speedup.toFixed(2);

// Speed-ups of `report --bounds --simulate --predict-from`: [{ name, colour, points: [{ workers,
// speedup, low, high }, ..] }, ..] of those that the page has.
/** @param {App} app */
export function curves(app, bounds) {
    const of = point => ({
        workers: point.workers,
        speedup: bounds.work_ns / point.elapsed_ns,
        low: bounds.work_ns / point.high_ns,
        high: bounds.work_ns / point.low_ns,
    });
    return [
        ["measured", app.colour.bounds.measured],
        ["simulated", app.colour.bounds.order],
        ["predicted", app.colour.critical],
    ]
        .filter(([name]) => bounds.curves?.[name])
        .map(([name, colour]) => ({ name, colour, points: bounds.curves[name].map(of) }));
}

// { workers, speedup, lower, ideal, upper }: at the run's own number; lower null: not known.
export function measured(summary, bounds) {
    const at = bounds.speedup.find(point => point.workers === summary.workers);
    return at ? { ...at, speedup: bounds.work_ns / summary.elapsed_ns } : null;
}

function scale(bounds, of) {
    const workers = bounds.speedup[bounds.speedup.length - 1].workers,
        told = Object.values(bounds.curves ?? {}).flat();
    const most =
        Math.max(
            of.speedup,
            ...bounds.speedup.map(point => point.upper),
            ...told.map(point => bounds.work_ns / point.elapsed_ns),
        ) * 1.1;
    return {
        workers,
        most,
        x: p => LEFT + (p / workers) * (WIDTH - LEFT - RIGHT),
        y: s => TOP + (1 - s / most) * (HEIGHT - TOP - BOTTOM),
    };
}

/** @param {App} app */
function draw_axes(app, to) {
    const text = (x, y, value, anchor) =>
            svg(
                "text",
                { x, y, fill: app.colour.faint, "font-size": 10, "text-anchor": anchor },
                value,
            ),
        step = Math.max(1, Math.ceil(to.workers / 8)),
        nodes = [];
    for (let p = step; p <= to.workers; p += step)
        nodes.push(
            text(Math.min(to.x(p), WIDTH - 3 * count(p).length), HEIGHT - 5, count(p), "middle"),
        );
    for (const share of [0, 0.5, 1]) {
        const speedup = (share * to.most) / 1.1;
        nodes.push(
            svg("path", {
                d: `M${LEFT} ${to.y(speedup)}H${WIDTH - RIGHT}`,
                stroke: app.colour.line,
            }),
            text(
                LEFT - 4,
                to.y(speedup) + 3,
                speedup >= 100 ? count(Math.round(speedup)) : speedup.toFixed(1),
                "end",
            ),
        );
    }
    return nodes;
}

// A line through the points, with the interval of each; what was measured has no line.
function draw_curve(to, { name, colour, points }) {
    const at = (workers, speedup) =>
        `${to.x(workers).toFixed(1)} ${to.y(Math.min(speedup, to.most)).toFixed(1)}`;
    const line = points
            .map((point, i) => `${i ? "L" : "M"}${at(point.workers, point.speedup)}`)
            .join(""),
        bars = points
            .map(point => `M${at(point.workers, point.low)}L${at(point.workers, point.high)}`)
            .join("");
    return svg(
        "g",
        { "data-curve": name },
        name === "measured"
            ? ""
            : svg("path", { d: line + bars, stroke: colour, fill: "none", "stroke-width": 1.2 }),
        ...points.map(point =>
            svg("circle", {
                cx: to.x(point.workers),
                cy: to.y(point.speedup),
                r: name === "predicted" ? 1.7 : 3,
                fill: colour,
            }),
        ),
    );
}

/** @param {App} app */
function picture(app, bounds, of, label) {
    const to = scale(bounds, of),
        every = Math.ceil(bounds.speedup.length / POINTS),
        list = bounds.speedup.filter((point, i) => i % every === 0 || point.workers === to.workers);
    const line = name =>
            list
                .map(
                    (point, i) =>
                        `${i ? "L" : "M"}${to.x(point.workers).toFixed(1)} ` +
                        `${to.y(point[name]).toFixed(1)}`,
                )
                .join(""),
        known = list[0].lower !== null,
        knee = Math.min(to.workers, to.most);
    const back = [...list]
        .reverse()
        .map(point => `L${to.x(point.workers).toFixed(1)} ${to.y(point.upper).toFixed(1)}`)
        .join("");
    return svg(
        "svg",
        { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label, class: "speedup" },
        ...draw_axes(app, to),
        svg("path", {
            d: known ? `${line("lower")}${back}Z` : "",
            fill: app.colour.bounds.range,
            "fill-opacity": 0.25,
        }),
        svg("path", {
            d: `M${to.x(0)} ${to.y(0)}L${to.x(knee)} ${to.y(knee)}`,
            stroke: app.colour.faint,
            "stroke-dasharray": "3 3",
        }),
        svg("path", {
            d: line("upper"),
            stroke: app.colour.bounds.span,
            "stroke-dasharray": "5 3",
            fill: "none",
            "stroke-width": 1.5,
        }),
        svg("path", {
            d: line("ideal"),
            stroke: app.colour.bounds.order,
            fill: "none",
            "stroke-width": 1.5,
        }),
        ...curves(app, bounds).map(curve => draw_curve(to, curve)),
        svg("circle", {
            cx: to.x(of.workers),
            cy: to.y(of.speedup),
            r: 4,
            fill: app.colour.bounds.measured,
            stroke: app.colour.paper,
        }),
    );
}

// The figures in one sentence.
/** @param {App} app */
function sentence(app, bounds, of) {
    const far = curves(app, bounds)
        .filter(({ name }) => name !== "measured")
        .map(({ name, points }) => ({ name, at: points[points.length - 1] }));
    const parts = [
        `measured ${said(of.speedup)} on ${several(of.workers, "worker")}`,
        `strands in their order allow ${said(of.ideal)}`,
        of.lower === null
            ? `work and span ${said(of.upper)}`
            : `Cilkview's range is ${said(of.lower)} to ${said(of.upper)}`,
        ...far.map(({ name, at }) => `${name} ${said(at.speedup)} on ${count(at.workers)}`),
    ];
    return parts.join("; ") + ".";
}

// [name, colour, title] of each line that is there.
/** @param {App} app */
function key_of(app, bounds, of) {
    const { colour } = app,
        ideal = "the same strands, each as early as its predecessors and P workers allow",
        upper =
            bounds.serial_ns > bounds.span_ns
                ? `min(P, work / work under one lock); under the lock ${time(bounds.serial_ns)}`
                : `min(P, work / span); span ${time(bounds.span_ns)}`,
        lower =
            "down to work / (work/P + 1.7 burdened span); a migration costs " +
            `${time(bounds.migration_ns)}, burdened span ${time(bounds.burdened_span_ns)}`,
        simulated = "tptrace simulate: the median of several runs, the least and the most",
        predicted = "tptrace predict, from runs of other sizes, with its interval of 90 %";
    /** @type {[string, string, string, boolean?][]} */
    const all = [
        ["measured", colour.bounds.measured, "work / elapsed"],
        ["by order", colour.bounds.order, ideal],
        ["work and span (dashed)", colour.bounds.span, upper],
        ["Cilkview", colour.bounds.range, lower, of.lower !== null],
        ["simulated (points)", colour.bounds.order, simulated, Boolean(bounds.curves?.simulated)],
        ["predicted", colour.critical, predicted, Boolean(bounds.curves?.predicted)],
    ];
    return all.filter(([, , , is_there = true]) => is_there);
}

/** @param {App} app */
export function mount_bounds(app, host, bounds) {
    const of = bounds.speedup.length ? measured(app.summary, bounds) : null;
    host.hidden = !of;
    if (!of) return;
    const text = sentence(app, bounds, of);
    const draw = () =>
        fill(
            host,
            el("h2", {}, "Speed-up by workers"),
            picture(app, bounds, of, "speed-up by workers: " + text),
            el(
                "ul",
                { class: "key" },
                key_of(app, bounds, of).map(([name, colour, title]) =>
                    el("li", { title }, swatch(colour), name),
                ),
            ),
            el("p", { class: "sum" }, text),
        );
    app.on(news => {
        if (news.has("theme")) draw();
    });
    draw();
}
