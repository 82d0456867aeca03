// SPDX-License-Identifier: MIT
// timelines.js - a row per worker: its strands by colour, its states in between, and what leads
// from row to row.
//
// Strands wider than a pixel are drawn one by one; what is smaller adds up to the shares of its
// column of pixels.
import {
    BINS,
    COLLAPSED,
    EDGES,
    NODE,
    NONE,
    edge_kind,
    is_whole,
    row_at,
    turn_of,
} from "./data.js";
import { count } from "./format.js";
import { el, fill, key_name, swatch } from "./dom.js";
import {
    ARROWS,
    N_OF_ARROW,
    OWN,
    colour_of_arrow,
    curve,
    draw_arcs,
    say_too_many,
} from "./arcs.js";
import { draw_cpu, sample_before } from "./cpu.js";
import { PATHS, draw_path } from "./path_lines.js";
import { RULER, draw_marks, draw_ruler, listen, make_axis, make_canvas } from "./canvas.js";
import { count_in_sight, in_full, in_sight, is_walked } from "./pixels.js";
import { Raster } from "./raster.js";
import { UNKNOWN, shades_of } from "./shades.js";
import { finest, first_above } from "./levels.js";
import { keep_numbers, keep_one, keep_some } from "./link.js";

const LEFT = 64,
    RIGHT = 8,
    ROW_LEAST = 4,
    ROW_MOST = 56,
    DIM = 0.22,
    MOST_SEEN = 300000;
const DIMMED = 16; // added to a colour's number
const NARROW = 6; // px: narrower ones are put into the raster, where a rectangle costs less
const CPU_LEAST = 14,
    CPU_SHARE = 0.2,
    CPU_MOST = 9; // a row of so many px has the bar of CPU time: its share of it, at most

// Colours by number: those of strands, then those of states.
function palette(app, shades) {
    const list = [...shades.colours];
    list[BINS.runtime] = app.colour.runtime;
    list[BINS.blocked] = app.colour.blocked;
    list[BINS.tracer] = app.colour.tracer;
    list[UNKNOWN] = app.colour.others;
    return list;
}

const ARROW_TITLES = {
    steal: "a strand released by a creation begins on another worker: from the victim to the thief",
    leap:
        "steals by a worker whose task waits, from the worker that runs a child which it " +
        "waits for",
};

export const view = {
    id: "timelines",
    title: "Timelines",
    hint: "a row per worker: strands, states in between, CPU time, steals and paths",
    mount(app, host) {
        const raster = new Raster(),
            choices = shades_of(app),
            shades_by = id => choices.find(each => each.id === id).make(app);
        let by = "kind",
            shades = shades_by(by),
            top = 0,
            scroll_to = null,
            arrows = new Set(["steal", "leap"]),
            paths = new Set(["ready"]),
            cpu = app.data.cpu.some(lane => lane.n > 1);
        const has_cpu = cpu;
        const bar = el("div", { class: "strip" }),
            area = el("div", { class: "area" }),
            scroller = el("div", { class: "rows", hidden: true }),
            spacer = el("div");
        scroller.append(spacer);
        fill(host, bar, area);
        const canvas = make_canvas(
            app,
            area,
            "timelines of the workers; Tab to the table Tasks for the same in text",
        );
        area.append(scroller);
        scroller.addEventListener("scroll", () => {
            top = scroller.scrollTop;
            app.dirty();
        });

        const arrow_colour = id =>
            arrows.has(id) || id === "leap" ? colour_of_arrow(app, id) : null;
        const cpu_key = () =>
            [
                ["run", "had a CPU"],
                ["wait", "waited for one"],
                ["asleep", "neither"],
            ].map(([id, text]) =>
                el("span", { class: "key-of" }, swatch(app.colour.cpu[id]), text),
            );
        const draw_bar = () => {
            const turn = (set, id) => event => {
                set[event.target.checked ? "add" : "delete"](id);
                app.dirty();
            };
            const box = (text, checked, change, colour, title) =>
                el(
                    "label",
                    { title },
                    el("input", { type: "checkbox", checked, on: { change } }),
                    colour ? swatch(colour) : null,
                    text,
                );
            const select = el(
                "select",
                {
                    "aria-label": "colour of strands",
                    on: {
                        change: event => {
                            by = event.target.value;
                            dress();
                            app.dirty();
                        },
                    },
                },
                choices.map(({ id, text }) =>
                    el("option", { value: id, selected: id === by }, text),
                ),
            );
            const boxes = Object.entries(ARROWS).map(([id, text]) =>
                box(
                    text + (N_OF_ARROW[id] ? ` ${count(app.summary[N_OF_ARROW[id]])}` : ""),
                    arrows.has(id),
                    turn(arrows, id),
                    arrow_colour(id),
                    ARROW_TITLES[id] ?? null,
                ),
            );
            boxes.push(
                box(
                    "own worker",
                    arrows.has(OWN),
                    turn(arrows, OWN),
                    null,
                    "creates, joins and dependences also where they lead from a worker to itself",
                ),
            );
            boxes.push(
                ...Object.entries(PATHS).map(([id, of]) =>
                    box(
                        of.text,
                        paths.has(id),
                        turn(paths, id),
                        app.colour[of.colour],
                        of.title(app.summary),
                    ),
                ),
            );
            if (has_cpu)
                boxes.push(
                    box(
                        "CPU",
                        cpu,
                        event => {
                            cpu = event.target.checked;
                            app.dirty();
                        },
                        null,
                        "below each row, as the kernel says: had a CPU, waited for one, or " +
                            "neither (slept)",
                    ),
                    ...cpu_key(),
                );
            fill(
                bar,
                el("h2", {}, "Timelines"),
                el("label", {}, "colour by ", select),
                el(
                    "ul",
                    { class: "key" },
                    shades.key
                        .map(([shade, text, part]) => [palette(app, shades)[shade], text, part])
                        .map(([colour, text, part]) =>
                            el(
                                "li",
                                {},
                                part
                                    ? el(
                                          "button",
                                          {
                                              type: "button",
                                              class: "link",
                                              on: {
                                                  click: () =>
                                                      app.select({
                                                          kind: null,
                                                          site: null,
                                                          task: null,
                                                          strand: null,
                                                          ...(Object.entries(part).every(
                                                              ([key, value]) =>
                                                                  app.selection[key] === value,
                                                          )
                                                              ? null
                                                              : part),
                                                      }),
                                              },
                                          },
                                          swatch(colour),
                                          key_name(text),
                                      )
                                    : [swatch(colour), key_name(text)],
                            ),
                        ),
                    el("li", {}, swatch(app.colour.blocked), "blocked"),
                    el("li", {}, swatch(app.colour.runtime), "runtime"),
                    el("li", {}, swatch(app.colour.idle), "idle"),
                ),
                el("span", { class: "boxes" }, boxes),
            );
        };

        const dress = () => {
            shades = shades_by(by);
            draw_bar();
        };

        // ---- where rows are ----
        const geometry = () => {
            const height = canvas.height - RULER,
                n = app.data.rows.length,
                pitch = Math.max(ROW_LEAST, Math.min(ROW_MOST, height / n)),
                all = pitch * n;
            scroller.hidden = all <= height + 1;
            spacer.style.height = all + RULER + "px";
            if (scroller.hidden) top = 0;
            if (scroll_to !== null && scroller.clientHeight > 0) {
                scroller.scrollTop = scroll_to;
                top = scroller.scrollTop;
                scroll_to = null;
            }
            const gap = pitch > 12 ? 4 : pitch > 6 ? 1 : 0;
            const below =
                cpu && pitch >= CPU_LEAST ? Math.min(CPU_MOST, Math.max(3, pitch * CPU_SHARE)) : 0;
            return {
                height,
                pitch,
                gap,
                below,
                bar: pitch - gap - (below ? below + 1 : 0),
                y: row => row * pitch - top + gap / 2,
                row: y => Math.floor((y + top) / pitch),
                first: Math.max(0, Math.floor(top / pitch)),
                last: Math.min(n, Math.ceil((top + height) / pitch)),
            };
        };

        // ---- rows ----
        // Rectangles by colour, and shares of columns of pixels.
        const draw_row = (axis, g, row, batches, paints, wide) => {
            const s = app.data.strand,
                list = app.data.row_strands[row],
                [first, last] = in_sight(app.data, row, axis.from, axis.to),
                y = g.y(row),
                h = g.bar,
                dims = app.dims;
            const small = [],
                narrow = [],
                right = axis.left + axis.width;
            const put = (shade, from, to, share, y0, h0) => {
                const x0 = Math.max(axis.left, axis.x(from)),
                    x1 = Math.min(right, axis.x(to));
                if (!(x1 > x0)) return;
                if (x1 - x0 >= 1 && x1 - x0 < NARROW) {
                    narrow.push(
                        shade,
                        Math.round(x0 - axis.left),
                        y0,
                        h0,
                        Math.round(x1 - axis.left),
                    );
                    return;
                }
                if (x1 - x0 >= 1) {
                    batches[shade].push(x0, y0, x1 - x0, h0);
                    return;
                }
                const of = (small[shade] ??= new Float32Array(Math.ceil(axis.width) + 2)),
                    x = Math.floor(x0),
                    in_this = Math.min(x1, x + 1) - x0;
                of[x - axis.left] += in_this * share;
                if (x1 > x + 1) of[x + 1 - axis.left] += (x1 - x - 1) * share;
            };
            for (let at = first; at < last; at++) {
                const i = list[at],
                    next = at + 1 < list.length ? s.start[list[at + 1]] : app.data.elapsed,
                    dim = dims && !app.matches(i) ? DIMMED : 0;
                if (s.end[i] > axis.from) {
                    put(shades.shade(i) + dim, s.start[i], s.end[i], 1, y, h);
                    if ((s.end[i] - s.start[i]) * axis.scale > 5) wide.push(i);
                }
                if (next <= axis.from || s.end[i] >= axis.to || !is_whole(app.data, s.end[i], next))
                    continue;
                const turn = turn_of(s, i, next),
                    state = s.after[i],
                    faint = dims ? DIMMED : 0;
                if (state === 1 || state === 2)
                    put(
                        (state === 1 ? BINS.runtime : BINS.blocked) + faint,
                        s.end[i],
                        turn,
                        1,
                        y + h * 0.25,
                        h * 0.5,
                    );
                if (turn < next) put(BINS.runtime + faint, turn, next, 1, y + h * 0.25, h * 0.5);
            }
            const height = new Float32Array(Math.ceil(axis.width) + 2);
            small.forEach((of, shade) => {
                for (let x = 0; x < of.length; x++) {
                    const tall = Math.min(1 - height[x], of[x]) * h;
                    if (tall > 0.01 && x < raster.n)
                        raster.put(x, y + h - height[x] * h - tall, tall, paints[shade]);
                    height[x] += of[x];
                }
            });
            for (let k = 0; k < narrow.length; k += 5)
                raster.box(
                    narrow[k + 1],
                    narrow[k + 4],
                    narrow[k + 2],
                    narrow[k + 3],
                    paints[narrow[k]],
                );
        };

        const draw_row_of_levels = (axis, g, row, paints) => {
            const { of } = finest(app.data.levels, row),
                n = raster.n,
                ns = (axis.to - axis.from) / n,
                h = g.bar,
                y = g.y(row),
                below = new Float64Array(n);
            const own =
                app.selection.kind !== null && app.data.leading.includes(app.selection.kind)
                    ? app.data.leading.indexOf(app.selection.kind)
                    : -1;
            for (let c = 0; c <= BINS.tracer; c++) {
                if (!of[c] || of[c].total === 0) continue;
                const paint =
                    paints[
                        (by === "kind" || c > BINS.others ? c : by === "state" ? 0 : UNKNOWN) +
                            (app.dims && c !== own ? DIMMED : 0)
                    ];
                for (let x = 0, before = of[c].until(axis.from); x < n; x++) {
                    const now = of[c].until(axis.from + (x + 1) * ns),
                        share = (now - before) / ns;
                    before = now;
                    if (share <= 0.002) continue;
                    const tall = Math.min(1 - below[x], share) * h;
                    raster.put(x, y + h - below[x] * h - tall, tall, paint);
                    below[x] += share;
                }
            }
        };

        const paint = (ctx, batches, colours) => {
            batches.forEach((list, shade) => {
                if (!list.length) return;
                ctx.fillStyle = colours[shade % DIMMED] ?? app.colour.others;
                ctx.globalAlpha = shade >= DIMMED ? DIM : 1;
                for (let k = 0; k < list.length; k += 4)
                    ctx.fillRect(list[k], list[k + 1], list[k + 2], list[k + 3]);
            });
            ctx.globalAlpha = 1;
        };

        // Edges, names and counts of strands that have room for them.
        const draw_wide = (ctx, axis, g, wide, colours) => {
            const s = app.data.strand,
                right = axis.left + axis.width;
            ctx.lineWidth = 1;
            ctx.textAlign = "left";
            ctx.textBaseline = "middle";
            ctx.font = "11px system-ui, sans-serif";
            for (const i of wide.slice(0, 4000)) {
                const x0 = Math.max(axis.left, axis.x(s.start[i])),
                    x1 = Math.min(right, axis.x(s.end[i])),
                    y = g.y(s.row[i]),
                    h = g.bar,
                    colour = colours[shades.shade(i)];
                const dim = app.dims && !app.matches(i);
                if (h >= 8) {
                    ctx.strokeStyle = app.colour.paper;
                    ctx.strokeRect(x0 + 0.5, y + 0.5, Math.max(0, x1 - x0 - 1), h - 1);
                }
                if (s.flags[i] & COLLAPSED && h >= 8 && x1 - x0 > 8) {
                    ctx.strokeRect(x0 + 2.5, y + 2.5, x1 - x0 - 5, h - 5);
                    const idle = 1 - app.data.collapsed.get(i).work / (s.end[i] - s.start[i]);
                    ctx.fillStyle = app.colour.runtime;
                    if (idle > 0.01) ctx.fillRect(x0 + 3, y + 3, x1 - x0 - 6, (h - 6) * idle);
                }
                if (h < 12 || x1 - x0 < 34 || dim) continue;
                const tasks =
                    s.flags[i] & COLLAPSED
                        ? `\u00d7${count(app.data.collapsed.get(i).tasks + 1)} `
                        : "";
                const text = tasks + app.format.kind_at(app.data.task.kind[s.task[i]]),
                    room = Math.floor((x1 - x0 - 8) / 6.2);
                ctx.fillStyle = app.colour.text(colour);
                ctx.fillText(
                    text.length > room ? text.slice(0, Math.max(1, room - 1)) + "\u2026" : text,
                    x0 + 5,
                    y + h / 2 + 0.5,
                );
            }
        };

        const outline = (ctx, axis, g, i, colour) => {
            const s = app.data.strand,
                x0 = axis.x(s.start[i]),
                x1 = axis.x(s.end[i]);
            if (s.flags[i] & NODE || x1 < axis.left || x0 > axis.left + axis.width) return;
            ctx.strokeStyle = colour;
            ctx.lineWidth = 2;
            ctx.strokeRect(
                Math.max(axis.left, x0) - 1,
                g.y(s.row[i]) - 1,
                Math.max(3, Math.min(axis.left + axis.width, x1) - Math.max(axis.left, x0) + 2),
                g.bar + 2,
            );
        };

        const labels = (ctx, g) => {
            ctx.fillStyle = app.colour.paper;
            ctx.fillRect(0, 0, LEFT, canvas.height);
            ctx.textAlign = "right";
            ctx.textBaseline = "middle";
            ctx.font = "11px system-ui, sans-serif";
            const every = Math.max(1, Math.ceil(12 / g.pitch));
            for (let row = g.first; row < g.last; row++) {
                if (row % every) continue;
                ctx.fillStyle = app.selection.worker === row ? app.colour.accent : app.colour.faint;
                ctx.fillText(
                    g.pitch > 14 ? `worker ${app.data.rows[row]}` : String(app.data.rows[row]),
                    LEFT - 6,
                    g.y(row) + g.bar / 2,
                );
            }
        };

        const draw = () => {
            const ctx = canvas.ctx,
                axis = make_axis(app, canvas, LEFT, RIGHT),
                g = geometry(),
                colours = palette(app, shades);
            ctx.clearRect(0, 0, canvas.width, canvas.height);
            if (canvas.height < 30) return;
            ctx.save();
            ctx.beginPath();
            ctx.rect(axis.left, 0, axis.width, g.height);
            ctx.clip();
            ctx.fillStyle = app.colour.idle;
            for (let row = g.first; row < g.last; row++)
                ctx.fillRect(
                    axis.left,
                    g.y(row),
                    Math.max(0, Math.min(axis.width, axis.x(app.data.elapsed) - axis.left)),
                    g.bar,
                ); // another run may be longer
            const batches = Array.from({ length: 2 * DIMMED }, () => []),
                wide = [],
                whole = in_full(app.data, axis.from, axis.to);
            const is_of_levels = by === "kind" || by === "state",
                ns = (axis.to - axis.from) / axis.width,
                is_here = is_whole(app.data, axis.from, axis.to);
            const few = count_in_sight(app.data, axis.from, axis.to) <= MOST_SEEN;
            // Strands one by one, where they are few, or no level is as fine as the pixels.
            const is_drawn = row => {
                if (!is_of_levels) return few;
                const [first, last] = in_sight(app.data, row, axis.from, axis.to),
                    { width } = finest(app.data.levels, row);
                return (
                    (whole &&
                        (last - first <= 2 * axis.width ||
                            is_walked(app.data, row, ns, whole) ||
                            !app.data.levels.fine?.rows[row])) ||
                    (is_here && few && ns < width / 4)
                );
            };
            const paints = batches.map((_, shade) =>
                raster.paint(
                    colours[shade % DIMMED] ?? app.colour.others,
                    shade >= DIMMED ? DIM : 1,
                ),
            );
            raster.begin(Math.max(1, Math.floor(axis.width)), g.height, canvas.ratio);
            for (let row = g.first; row < g.last; row++) {
                if (is_drawn(row)) draw_row(axis, g, row, batches, paints, wide);
                else draw_row_of_levels(axis, g, row, paints);
            }
            const is_grey = !is_of_levels && !few;
            raster.draw(ctx, axis.left, 0);
            paint(ctx, batches, colours);
            draw_wide(ctx, axis, g, wide, colours);
            if (g.below)
                for (let row = g.first; row < g.last; row++)
                    draw_cpu(app, ctx, axis, app.data.cpu[row], g.y(row) + g.bar + 1, g.below);
            const too_many = draw_arcs(app, ctx, axis, app.data, g, arrows);
            for (const id of Object.keys(PATHS))
                if (paths.has(id)) draw_path(app, ctx, axis, app.data, g, PATHS[id]);
            const chosen = app.selection.strand !== null ? [app.selection.strand] : [];
            if (app.selection.task !== null)
                for (
                    let i = app.data.task.first[app.selection.task], n = 0;
                    i !== NONE && i <= app.data.task.last[app.selection.task] && n < 20000;
                    i++, n++
                )
                    if (app.data.strand.task[i] === app.selection.task) chosen.push(i);
            for (const i of chosen.slice(0, 2000)) outline(ctx, axis, g, i, app.colour.accent);
            if (app.selection.strand !== null) draw_edges_of(ctx, axis, g, app.selection.strand);
            if (app.hover.strand !== null) outline(ctx, axis, g, app.hover.strand, app.colour.ink);
            ctx.restore();
            labels(ctx, g);
            draw_ruler(app, ctx, axis, g.height);
            draw_marks(app, ctx, axis, g.height);
            if (too_many) say_too_many(app, ctx, axis, "too many arcs to be told apart: zoom in");
            else if (is_grey) say_too_many(app, ctx, axis, "too many strands to colour: zoom in");
        };

        // All that leads to a strand, and what it released.
        const draw_edges_of = (ctx, axis, g, i) => {
            const s = app.data.strand,
                e = app.data.extra,
                into = s.pred[i] === NONE ? [] : [s.pred[i]];
            for (let k = first_above(e.to, i - 1); k < e.to.length && e.to[k] === i; k++)
                into.push(e.from[k]);
            ctx.lineWidth = 2;
            for (const from of into) {
                if (s.flags[from] & NODE) continue;
                ctx.strokeStyle = app.colour.edge(EDGES[edge_kind(app.data, from, i)]);
                ctx.beginPath();
                curve(ctx, axis, g, s, from, i);
                ctx.stroke();
            }
        };

        // Between two samples.
        const hit_cpu = (row, ns) => {
            const lane = app.data.cpu[row],
                i = sample_before(lane, ns);
            return i < 0 || i + 1 >= lane.n
                ? null
                : { worker: row, cpu: { from: lane.ns[i], to: lane.ns[i + 1] } };
        };

        const hit = (x, y) => {
            const g = geometry(),
                axis = make_axis(app, canvas, LEFT, RIGHT),
                row = g.row(y);
            if (row < 0 || row >= app.data.rows.length || y > g.height) return null;
            if (x < LEFT) return { worker: row };
            const s = app.data.strand,
                ns = axis.ns(x),
                list = app.data.row_strands[row],
                at = first_above(s.start, ns, list) - 1,
                slack = 2 / axis.scale;
            if (g.below && y > g.y(row) + g.bar) return hit_cpu(row, ns);
            if (at >= 0 && s.end[list[at]] >= ns) return { strand: list[at] };
            if (
                at >= 0 &&
                ns - s.end[list[at]] < slack &&
                (s.end[list[at]] - s.start[list[at]]) * axis.scale < 3
            )
                return { strand: list[at] };
            if (at + 1 < list.length && s.start[list[at + 1]] - ns < slack)
                return { strand: list[at + 1] };
            if (!is_whole(app.data, ns, ns) || ns >= app.data.elapsed) return null;
            const is = row_at(app.data, row, ns);
            return {
                worker: row,
                pause: {
                    from: is.from,
                    to: is.to,
                    state: is.state,
                    call: is.call,
                    after: is.strand,
                },
            };
        };
        listen(app, canvas, hit, [LEFT, RIGHT]);
        draw_bar();
        const keep_set = (name, of, set) =>
            keep_some(
                app,
                name,
                Object.keys(of),
                id => set.has(id),
                (id, is_in) => {
                    set[is_in ? "add" : "delete"](id);
                    draw_bar();
                },
            );
        keep_one(
            app,
            "colour",
            choices.map(({ id }) => id),
            () => by,
            id => {
                by = id;
                dress();
            },
        );
        keep_set("arcs", { ...ARROWS, [OWN]: null }, arrows);
        keep_set("paths", PATHS, paths);
        keep_one(
            app,
            "cpu",
            [true, false],
            () => cpu,
            is_on => {
                cpu = is_on && has_cpu;
                draw_bar();
            },
        );
        keep_numbers(
            app,
            "rows",
            1,
            () => (top > 0 ? [top] : null),
            numbers => {
                scroll_to = numbers ? numbers[0] : 0;
            },
        );
        return {
            draw,
            hit: (x, y) => hit(x, y),
            changed: news => {
                if (news.has("theme") || news.has("window")) dress();
            },
        };
    },
};
