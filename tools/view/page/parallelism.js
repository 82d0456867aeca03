// SPDX-License-Identifier: MIT
// parallelism.js - how many workers were in what, and how much was ready, as time goes by.
//
// Below the line of P: running by kind, blocked, in the runtime, held by the recorder; what is left
// is idle, hatched. Above it: ready strands by the edge that released them.  Each column of pixels
// is an exact mean.
import { BINS, EDGES } from "./data.js";
import { time } from "./format.js";
import { choice, el, fill, key_name, swatch } from "./dom.js";
import { keep_one } from "./link.js";
import {
    RULER,
    draw_marks,
    draw_ready,
    draw_ruler,
    listen,
    make_axis,
    make_canvas,
} from "./canvas.js";
import { Raster, put_stack } from "./raster.js";
import { ready_in_pixels, running_in_pixels } from "./pixels.js";

const LEFT = 64,
    RIGHT = 8,
    TOP = 6;
export const CLASSES = [...Array(BINS.others + 1).keys(), BINS.blocked, BINS.runtime, BINS.tracer];

function colour_of(app, c) {
    if (c < BINS.others) return app.colour.kind(app.data.leading[c]);
    return {
        [BINS.others]: app.colour.others,
        [BINS.blocked]: app.colour.blocked,
        [BINS.runtime]: app.colour.runtime,
        [BINS.tracer]: app.colour.tracer,
    }[c];
}

export function name_of_class(app, c, data = app.data) {
    if (c < BINS.others)
        return data === app.data
            ? app.format.kind_at(data.leading[c])
            : app.format.plain(data.kinds[data.leading[c]].name ?? "?");
    return {
        [BINS.others]: "other kinds",
        [BINS.blocked]: "blocked",
        [BINS.runtime]: "runtime",
        [BINS.tracer]: "tracer",
    }[c];
}

// A round number at or above the greatest of ready, which ready is cut off at.
export function ceiling(most) {
    if (most <= 1) return 1;
    const power = 10 ** Math.floor(Math.log10(most));
    return [1, 2, 5, 10].map(x => x * power).find(x => x >= most);
}

export const view = {
    id: "parallelism",
    title: "Parallelism",
    hint: "workers by what they did, and ready strands above the line, over time",
    mount(app, host) {
        const raster = new Raster();
        let by = "edge",
            stack = null;
        const bar = el("div", { class: "strip" }),
            area = el("div", { class: "area" });
        fill(host, bar, area);
        const canvas = make_canvas(
            app,
            area,
            "parallelism over time; the table Tasks and the bars hold the same in numbers",
        );
        const margins = Object.assign([LEFT, RIGHT], { brush: true });

        const draw_bar = () => {
            const used = CLASSES.filter(c => app.data.levels.rows.some(row => row[c].total > 0));
            const edges = EDGES.map((name, e) => [name, e]).filter(
                ([, e]) => app.data.levels.ready[e].total > 0,
            );
            fill(
                bar,
                el("h2", {}, "Parallelism"),
                el(
                    "ul",
                    { class: "key" },
                    used
                        .slice()
                        .reverse()
                        .map(c =>
                            el(
                                "li",
                                {},
                                swatch(colour_of(app, c)),
                                key_name(name_of_class(app, c)),
                            ),
                        ),
                    el("li", {}, swatch(app.colour.no_work, true), "starved"),
                ),
                el("span", { class: "above" }, "ready by"),
                choice(
                    "ready by",
                    [
                        ["edge", "edge", "what released them"],
                        ["holder", "holder", "the worker that released them"],
                    ],
                    by,
                    id => {
                        by = id;
                        draw_bar();
                        app.dirty();
                    },
                ),
                by === "edge"
                    ? el(
                          "ul",
                          { class: "key" },
                          edges.map(([name]) =>
                              el("li", {}, swatch(app.colour.edge(name)), name.replace("_", "-")),
                          ),
                      )
                    : null,
            );
        };

        const geometry = () => {
            const height = canvas.height - RULER - TOP,
                top = TOP + Math.round(height * 0.45);
            return {
                top,
                bottom: TOP + height,
                y: n => TOP + height - (n / app.data.n_workers) * (TOP + height - top),
            };
        };

        const draw = () => {
            const ctx = canvas.ctx,
                axis = make_axis(app, canvas, LEFT, RIGHT),
                g = geometry(),
                n = Math.max(1, Math.floor(axis.width));
            const ns_px = (axis.to - axis.from) / n;
            ctx.clearRect(0, 0, canvas.width, canvas.height);
            if (canvas.height < 40) return;
            const running = running_in_pixels(app.data, axis.from, axis.to, n),
                ready = ready_in_pixels(app.data, axis.from, axis.to, n, by);
            ctx.fillStyle = app.hatch();
            ctx.fillRect(
                LEFT,
                g.top,
                Math.max(0, Math.min(axis.width, axis.x(app.data.elapsed) - LEFT)),
                g.bottom - g.top,
            ); // another run may be longer
            const height = new Float64Array(n),
                unit = (g.bottom - g.top) / app.data.n_workers / ns_px;
            raster.begin(n, g.bottom, canvas.ratio);
            for (const c of CLASSES)
                put_stack(
                    raster,
                    g.bottom,
                    height,
                    running[c],
                    unit,
                    raster.paint(colour_of(app, c)),
                );
            let most = 0;
            for (let x = 0; x < n; x++)
                most = Math.max(most, ready.reduce((sum, of) => sum + of[x], 0) / ns_px);
            const limit = ceiling(most),
                above = (g.top - TOP) / limit / ns_px;
            height.fill(0);
            ready.forEach((of, i) =>
                put_stack(
                    raster,
                    g.top,
                    height,
                    of,
                    above,
                    raster.paint(by === "edge" ? app.colour.edge(EDGES[i]) : app.colour.worker(i)),
                ),
            );
            raster.draw(ctx, LEFT, 0);
            stack = { running, ready, ns_px };
            ctx.fillStyle = app.colour.ink;
            ctx.fillRect(LEFT, g.top - 0.5, axis.width, 1);
            ctx.font = "11px system-ui, sans-serif";
            ctx.textAlign = "right";
            ctx.textBaseline = "middle";
            ctx.fillText(`P = ${app.data.n_workers}`, LEFT - 6, g.top + 6);
            ctx.fillText("0", LEFT - 6, g.bottom - 4);
            ctx.fillStyle = app.colour.faint;
            if (most > 0) draw_ready(ctx, limit, LEFT - 6, TOP + 6, g.top - TOP);
            draw_ruler(app, ctx, axis, g.bottom);
            draw_marks(app, ctx, axis, g.bottom);
        };

        const hit = (x, y) => {
            const at = Math.floor(x - LEFT);
            if (!stack || at < 0 || at >= stack.running[0].length) return null;
            const text = [["at", time(make_axis(app, canvas, LEFT, RIGHT).ns(x))]],
                means = CLASSES.filter(c => c >= BINS.others || c < app.data.leading.length).map(
                    c => [name_of_class(app, c), stack.running[c][at] / stack.ns_px],
                );
            for (const [name, mean] of means) if (mean >= 0.005) text.push([name, mean.toFixed(2)]);
            const busy = means.reduce((sum, [, mean]) => sum + mean, 0);
            text.push(["starved", Math.max(0, app.data.n_workers - busy).toFixed(2)]);
            stack.ready.forEach((of, i) => {
                if (of[at] / stack.ns_px >= 0.005)
                    text.push([
                        by === "edge"
                            ? "ready, " + EDGES[i].replace("_", "-")
                            : `ready on ${app.data.rows[i]}`,
                        (of[at] / stack.ns_px).toFixed(2),
                    ]);
            });
            return { text, instant: true };
        };
        listen(app, canvas, hit, margins);
        draw_bar();
        keep_one(
            app,
            "ready",
            ["edge", "holder"],
            () => by,
            id => {
                by = id;
                draw_bar();
            },
        );
        return {
            draw,
            hit,
            changed: news => {
                if (news.has("theme")) draw_bar();
            },
        };
    },
};
