// SPDX-License-Identifier: MIT
// bounds.js - the measured speed-up, and how fast the run could be on other numbers of workers:
// `report --bounds`.
import { count, several, time } from "./format.js";
import { step_of } from "./canvas.js";
import { el, fill } from "./dom.js";

const WIDTH = 340,
    HEIGHT = 100,
    LEFT = 26,
    BOTTOM = 18,
    TOP = 6,
    RIGHT = 6;
const SHADE = 0.2, // of the range between two lines
    BAND = { y: 0, width: 22, height: 10, "fill-opacity": SHADE };
const SVG = "http://www.w3.org/2000/svg",
    LINES = 4, // of round speed-ups, about
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
        ["simulated", app.colour.bounds.simulated],
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
    const rise = step_of(to.most, LINES);
    for (let i = 0; i * rise <= to.most; i++) {
        const speedup = i * rise;
        nodes.push(
            svg("path", {
                d: `M${LEFT} ${to.y(speedup)}H${WIDTH - RIGHT}`,
                stroke: app.colour.line,
            }),
            text(
                LEFT - 4,
                to.y(speedup) + 3,
                Number.isInteger(rise) ? count(speedup) : speedup.toFixed(1),
                "end",
            ),
        );
    }
    return nodes;
}

const CLOSE = 1; // px: what is no farther apart is one line to the eye

// Lines that are drawn, what the eye cannot tell apart in one group: [[name, ..], ..] of
// [{ name, points: [{ workers, speedup }, ..] }, ..].  y(speedup): in px.
export function lines_together(lines, y) {
    const groups = [];
    const is_on = (a, b) => {
        const at = new Map(a.points.map(point => [point.workers, y(point.speedup)]));
        return b.points.every(
            ({ workers, speedup }) => Math.abs((at.get(workers) ?? NaN) - y(speedup)) <= CLOSE,
        );
    };
    for (const line of lines) {
        const group = groups.find(of => of.every(each => is_on(each, line) || is_on(line, each)));
        if (group) group.push(line);
        else groups.push([line]);
    }
    return groups.map(group => group.map(({ name }) => name));
}

// A line of each bound has a colour and a style of its own: [px drawn, px left out].
const DASHES = { order: "", span: "7 4", range: "2 3" };

/** @param {App} app */
function bound_line(app, name, d) {
    return svg("path", {
        d,
        "data-line": name,
        stroke: app.colour.bounds[name],
        "stroke-dasharray": DASHES[name],
        fill: "none",
        "stroke-width": 1.6,
    });
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
            "fill-opacity": SHADE,
        }),
        svg("path", {
            d: `M${to.x(0)} ${to.y(0)}L${to.x(knee)} ${to.y(knee)}`,
            stroke: app.colour.faint,
            "stroke-dasharray": "3 3",
        }),
        bound_line(app, "order", line("ideal")),
        bound_line(app, "span", line("upper")),
        known ? bound_line(app, "range", line("lower")) : "",
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

const GAIN = 1.1, // what fewer than that many times as fast is, is no help
    ENOUGH = 0.95; // of the most that any number of workers brings

// What the greedy schedules on more workers come to; "" where there are none.
export function more_said(speedup, of) {
    const more = speedup.filter(point => point.workers > of.workers),
        most = more.reduce((best, { ideal }) => Math.max(best, ideal), 0);
    if (!more.length) return "";
    if (most < GAIN * of.ideal)
        return `More workers would not help: any number reaches ${said(most)} at best.`;
    const enough = more.find(({ ideal }) => ideal >= ENOUGH * most);
    return `More workers would help: ${count(enough.workers)} reach ${said(enough.ideal)} at best.`;
}

// The figures in one sentence.
/** @param {App} app */
function sentence(app, bounds, of) {
    const far = curves(app, bounds)
        .filter(({ name }) => name !== "measured")
        .map(({ name, points }) => ({ name, at: points[points.length - 1] }));
    const parts = [
        `measured ${said(of.speedup)} on ${several(of.workers, "worker")}`,
        `a greedy schedule of the same strands ${said(of.ideal)}`,
        of.lower === null
            ? `work and span allow ${said(of.upper)}`
            : `a work-stealing runtime would reach ${said(of.lower)} to ${said(of.upper)} ` +
              "(Cilkview's estimate from work, span and the cost of steals)",
        ...far.map(({ name, at }) => `${name} ${said(at.speedup)} on ${count(at.workers)}`),
    ];
    return parts.join("; ") + ".";
}

// A piece of a line, as the picture has it; of what was measured, its point.
/** @param {App} app */
function sample(app, name) {
    const { critical, bounds } = app.colour,
        mid = { cx: 11, cy: 5, r: name === "predicted" ? 1.7 : 3 },
        is_curve = name === "simulated" || name === "predicted",
        colour = name === "predicted" ? critical : bounds[name];
    return svg(
        "svg",
        { viewBox: "0 0 22 10", width: 22, height: 10, "aria-hidden": "true" },
        name === "range" ? svg("rect", { ...BAND, fill: colour }) : "",
        is_curve ? svg("path", { d: "M0 5H22", stroke: colour, "stroke-width": 1.2 }) : "",
        name in DASHES ? bound_line(app, name, "M0 5H22") : "",
        is_curve || name === "measured" ? svg("circle", { ...mid, fill: colour }) : "",
    );
}

// [name, words, title] of each line that is there.
function key_of(bounds, of) {
    const ideal = "the same strands, each as early as its predecessors and P workers allow",
        upper =
            bounds.serial_ns > bounds.span_ns
                ? `min(P, work / work under one lock); under the lock ${time(bounds.serial_ns)}`
                : `min(P, work / span); span ${time(bounds.span_ns)}`,
        lower =
            "Cilkview's estimate of what a work-stealing runtime reaches at least: " +
            "work / (work/P + 1.7 burdened span); a migration costs " +
            `${time(bounds.migration_ns)}, burdened span ${time(bounds.burdened_span_ns)}`,
        simulated = "tptrace simulate: the median of several runs, the least and the most",
        predicted = "tptrace predict, from runs of other sizes, with its interval of 90 %";
    /** @type {[string, string, string, boolean?][]} */
    const all = [
        ["measured", "measured", "work / elapsed"],
        ["order", "greedy schedule", ideal],
        ["span", "work and span", upper],
        ["range", "work stealing, at least", lower, of.lower !== null],
        ["simulated", "simulated", simulated, Boolean(bounds.curves?.simulated)],
        ["predicted", "predicted", predicted, Boolean(bounds.curves?.predicted)],
    ];
    return all.filter(([, , , is_there = true]) => is_there);
}

// All that the picture draws as lines.
/** @param {App} app */
function lines_of(app, bounds, of) {
    const points = member =>
        bounds.speedup.map(point => ({ workers: point.workers, speedup: point[member] }));
    return [
        { name: "order", points: points("ideal") },
        { name: "span", points: points("upper") },
        ...(of.lower === null ? [] : [{ name: "range", points: points("lower") }]),
        ...curves(app, bounds).filter(({ name }) => name !== "measured"),
    ];
}

// Lines that lie on one another stand together.
/** @param {App} app */
function legend(app, bounds, of) {
    const keys = key_of(bounds, of),
        { y } = scale(bounds, of),
        groups = [["measured"], ...lines_together(lines_of(app, bounds, of), y)];
    const item = names => {
        const those = names.map(name => keys.find(([key]) => key === name));
        return el(
            "li",
            { title: those.map(([, words, title]) => `${words}: ${title}`).join("\n") },
            names.map(name => sample(app, name)),
            those.map(([, words]) => words).join(" = "),
        );
    };
    return el("ul", { class: "key" }, groups.map(item));
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
            legend(app, bounds, of),
            // of half of a tree nobody knows
            app.summary.events_lost ? null : el("p", {}, more_said(bounds.speedup, of)),
            el("p", { class: "sum" }, text),
        );
    app.on(news => {
        if (news.has("theme")) draw();
    });
    draw();
}
