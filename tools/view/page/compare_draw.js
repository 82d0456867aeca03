// SPDX-License-Identifier: MIT
// compare_draw.js - several runs one below the other, all on one scale of time, workers and ready
// strands.
import { BINS } from "./data.js";
import { EDGES } from "./kinds.js";
import { several, time } from "./format.js";
import { draw_arcs } from "./arcs.js";
import { CPU_KEY, draw_cpu } from "./cpu.js";
import { LEFT, RULER, draw_ready } from "./canvas.js";
import { key_of_kind } from "./sides.js";
import { CLASSES, ceiling, colour_of_class } from "./parallelism.js";
import {
    in_full,
    ready_in_pixels,
    row_from_levels,
    row_in_pixels,
    running_in_pixels,
} from "./pixels.js";
import { Raster, put_stack } from "./raster.js";

const TITLE = 20,
    GAP = 8,
    PROFILE_LEAST = 56,
    PROFILE_MOST = 150,
    ROW_MOST = 22,
    READY_SHARE = 0.35,
    CPU_SHARE = 0.3,
    FEW_ROW = 14, // px of a row, where all of a run have ..
    FEW = 56; // .. no more than so many
const CELLS = 4e6; // of rows, columns of pixels and classes: so many at most in a frame
const DIM = 0.22;
const profiles = new Raster(),
    timelines = new Raster(); // what the last run drew; the next one draws over it

// Where each run is: n_rows, n_workers: of each; 0 workers: it has rows, and no profile.  The
// heights of a worker and of a ready strand are the same for all; those of rows, too,
// unless a run has so few that higher ones take little.
export function layout(n_rows, n_workers, height, row_most = ROW_MOST) {
    const n = n_rows.length,
        room = height - RULER - n * (TITLE + GAP),
        sum = list => list.reduce((a, b) => a + b, 0);
    const profile = Math.max(PROFILE_LEAST, Math.min(PROFILE_MOST, (0.45 * room) / n)),
        worker = (profile * (1 - READY_SHARE)) / Math.max(1, ...n_workers),
        used = n_workers.map(of => (of ? profile * READY_SHARE + worker * of : 0)),
        left = room - sum(used),
        even = left / Math.max(1, sum(n_rows)),
        least = of => Math.min(FEW_ROW, FEW / of),
        few = n_rows.filter(of => least(of) > even),
        rest = (left - sum(few.map(of => least(of) * of))) / Math.max(1, sum(n_rows) - sum(few)),
        pitch = Math.max(1, Math.min(row_most, rest)),
        parts = [];
    let y = RULER;
    n_rows.forEach((of, i) => {
        const line = y + TITLE + (n_workers[i] ? profile * READY_SHARE : 0),
            bottom = line + worker * n_workers[i],
            own = Math.max(pitch, least(of));
        parts.push({
            title: y,
            top: y + TITLE,
            line,
            bottom,
            rows: bottom + (n_workers[i] ? 4 : 0),
            pitch: own,
            end: bottom + (n_workers[i] ? 4 : 0) + own * of,
        });
        y = parts[i].end + GAP - 4;
    });
    return { parts, worker, ready: profile * READY_SHARE, height: y };
}

// Time by class, ready strands by edge, of each run in n columns of pixels.
export function measure(sides, axis, n) {
    const ns = (axis.to - axis.from) / n;
    const of = sides
        .filter(side => !side.simulated)
        .map(({ data }) => ({
            running: running_in_pixels(data, axis.from, axis.to, n),
            ready: ready_in_pixels(data, axis.from, axis.to, n, "edge"),
        }));
    let most = 0;
    for (const { ready } of of)
        for (let x = 0; x < n; x++)
            most = Math.max(most, ready.reduce((all, edge) => all + edge[x], 0) / ns);
    return { of, ns, n, limit: ceiling(most), most };
}

/** @param {App} app @param {Data} data */
function colour_of(app, data, c, kinds) {
    if (c >= BINS.others) return colour_of_class(app, c);
    return c < data.leading.length
        ? kinds.get(key_of_kind(data, data.leading[c]))[0]
        : app.colour.others;
}

// 1, or less where another kind is selected; but what kept workers is of the finding.
/** @param {App} app @param {Data} data */
function strength(app, data, c) {
    const { kind: chosen } = app.selection;
    if (chosen === null || (c > BINS.others && app.lights_pauses)) return 1;
    return c < data.leading.length &&
        key_of_kind(data, data.leading[c]) === key_of_kind(app.data, chosen)
        ? 1
        : DIM;
}

// What is said of a run: the longest of these that has room.
function facts_of({ simulated, summary: s }) {
    if (simulated) return [simulated, ""];
    const workers = `${time(s.elapsed_ns)}, ${several(s.workers, "worker")}`;
    return [
        `${workers}, work ${time(s.work_ns)} of ${time(s.cumulative_ns)}`,
        workers,
        time(s.elapsed_ns),
        "",
    ];
}

// px of what the kernel gave, below a row.
const cpu_height = ({ has_cpu }, pitch) =>
    has_cpu && pitch > 8 ? Math.round(pitch * CPU_SHARE) : 0;

// What the bars below rows mean, as far as there is room from x on.
/** @param {App} app */
function draw_cpu_key(app, ctx, x, right, y) {
    const words = "below each row:",
        gap = 16,
        width = text => ctx.measureText(text).width + gap;
    if (x + width(words) + CPU_KEY.reduce((sum, [, text]) => sum + width(text), 0) > right) return;
    ctx.fillText(words, x, y);
    x += width(words) - 6;
    for (const [id, text] of CPU_KEY) {
        ctx.fillStyle = app.colour.cpu[id];
        ctx.fillRect(x, y - 4, 9, 9);
        ctx.fillStyle = app.colour.faint;
        ctx.fillText(text, x + 12, y);
        x += width(text) + 6;
    }
}

/** @param {App} app */
function draw_title(app, ctx, axis, { part, side }) {
    ctx.textAlign = "left";
    ctx.textBaseline = "middle";
    ctx.fillStyle = app.colour.ink;
    ctx.font = "600 12px system-ui, sans-serif";
    const name = `${side.letter}  ${app.format.plain(side.label)}`.trim();
    ctx.fillText(name, axis.left, part.title + TITLE / 2, axis.width * 0.6);
    const used = Math.min(axis.width * 0.6, ctx.measureText(name).width);
    ctx.font = "11px system-ui, sans-serif";
    ctx.fillStyle = app.colour.faint;
    const x = axis.left + used + 14,
        y = part.title + TITLE / 2,
        right = axis.left + axis.width,
        facts = facts_of(side).find(text => x + ctx.measureText(text).width <= right) ?? "";
    ctx.fillText(facts, x, y);
    if (cpu_height(side, part.pitch))
        draw_cpu_key(app, ctx, x + ctx.measureText(facts).width + 14, right, y);
}

/** @param {App} app */
function draw_profile(app, ctx, axis, view, i) {
    const { side, part, place, seen, kinds } = view,
        of = seen.of[i],
        end = Math.min(axis.left + axis.width, axis.x(side.data.elapsed));
    ctx.fillStyle = app.hatch();
    if (end > axis.left)
        ctx.fillRect(axis.left, part.line, end - axis.left, part.bottom - part.line);
    const base = new Float64Array(seen.n),
        paint = c =>
            profiles.paint(colour_of(app, side.data, c, kinds), strength(app, side.data, c));
    profiles.begin(seen.n, part.bottom - part.top, view.ratio);
    for (const c of CLASSES)
        put_stack(
            profiles,
            part.bottom - part.top,
            base,
            of.running[c],
            place.worker / seen.ns,
            paint(c),
        );
    base.fill(0);
    of.ready.forEach((edge, e) =>
        put_stack(
            profiles,
            part.line - part.top,
            base,
            edge,
            place.ready / seen.limit / seen.ns,
            profiles.paint(app.colour.edge(EDGES[e])),
        ),
    );
    profiles.draw(ctx, axis.left, part.top);
    ctx.fillStyle = app.colour.ink;
    ctx.fillRect(axis.left, Math.round(part.line) - 0.5, Math.max(0, end - axis.left), 1);
}

/** @param {App} app */
function draw_scales(app, ctx, axis, view) {
    const { side, part, place, seen } = view;
    ctx.font = "11px system-ui, sans-serif";
    ctx.textAlign = "right";
    ctx.textBaseline = "middle";
    ctx.fillStyle = app.colour.ink;
    if (!side.simulated && part.bottom - part.line > 11)
        ctx.fillText(`P = ${side.data.n_workers}`, LEFT - 6, part.line + 6);
    ctx.fillStyle = app.colour.faint;
    if (!side.simulated && seen.most > 0 && place.ready > 14)
        draw_ready(ctx, seen.limit, LEFT - 6, part.line - place.ready + 6, place.ready);
    const every = Math.max(1, Math.ceil(12 / part.pitch));
    for (let row = 0; row < side.data.rows.length; row += every)
        ctx.fillText(
            part.pitch > 14 ? `worker ${side.data.rows[row]}` : String(side.data.rows[row]),
            LEFT - 6,
            part.rows + (row + Math.min(every, 1) / 2) * part.pitch,
        );
}

// One row: shares of each column from below.
function put_row(columns, paints, ns, y, height) {
    const base = new Float64Array(timelines.n);
    columns.forEach((of, c) => {
        for (let x = 0; x < timelines.n; x++) {
            const tall = Math.min(1 - base[x], of[x] / ns);
            if (tall <= 0.002) continue;
            base[x] += tall;
            timelines.put(x, y + height * (1 - base[x]), height * tall, paints[c]);
        }
    });
}

const gap_of = ({ pitch }) => (pitch > 12 ? 3 : pitch > 5 ? 1 : 0);

/** @param {App} app */
function draw_rows(app, ctx, axis, view) {
    const { side, part, kinds } = view,
        data = side.data,
        gap = gap_of(part),
        below = cpu_height(side, part.pitch),
        bar = part.pitch - gap - below,
        end = Math.min(axis.left + axis.width, axis.x(data.elapsed));
    const n = Math.max(
            1,
            Math.min(Math.floor(axis.width), Math.floor(CELLS / BINS.classes / view.rows)),
        ),
        ns = (axis.to - axis.from) / n;
    const columns = Array.from({ length: BINS.classes - 1 }, () => new Float64Array(n)),
        fine = !side.simulated && ns < data.levels.row_width && in_full(data, axis.from, axis.to);
    const paints = columns.map((_, c) =>
        timelines.paint(colour_of(app, data, c, kinds), strength(app, data, c)),
    );
    timelines.begin(n, part.end - part.rows, view.ratio);
    ctx.fillStyle = app.colour.idle;
    data.rows.forEach((_, row) => {
        const y = row * part.pitch;
        if (end > axis.left) ctx.fillRect(axis.left, part.rows + y, end - axis.left, bar);
        columns.forEach(of => of.fill(0));
        if (fine) row_in_pixels(data, row, axis.from, axis.to, n, columns);
        else row_from_levels(data.levels.rows[row], axis.from, axis.to, n, columns);
        put_row(columns, paints, ns, y, bar);
    });
    timelines.draw(ctx, axis.left, part.rows, axis.width);
    if (!below) return;
    data.rows.forEach((_, row) => {
        const y = part.rows + row * part.pitch + bar + 1;
        draw_cpu(app, ctx, axis, data.cpu[row], y, below - 1);
    });
}

// Over the rows, of those kinds; whether some are too many to be drawn.
/** @param {App} app */
function draw_arcs_of(app, ctx, axis, { side, part }, arrows) {
    const gap = gap_of(part);
    ctx.save();
    ctx.beginPath();
    ctx.rect(axis.left, part.rows, axis.width, part.end - part.rows);
    ctx.clip();
    const too_many = draw_arcs(
        app,
        ctx,
        axis,
        side.data,
        { y: row => part.rows + row * part.pitch, bar: part.pitch - gap },
        arrows,
    );
    ctx.restore();
    return too_many;
}

// Where a run is over.
/** @param {App} app */
function draw_end(app, ctx, axis, view) {
    const { side, part } = view,
        x = Math.round(axis.x(side.data.elapsed));
    if (x < axis.left || x > axis.left + axis.width) return;
    ctx.fillStyle = app.colour.accent;
    ctx.fillRect(Math.min(x, axis.left + axis.width - 1), part.top, 1.5, part.end - part.top);
}

// sides: { label, letter, summary, data }; or, of one that was simulated and has no profile,
// `simulated`, its facts, instead of `summary`.  They stand behind the others.  has_cpu: what the
// kernel gave to each worker stands below its row.
// arrows: which arcs, as in arcs.js.  Returns whether some are too many to be drawn.
/** @param {App} app */
export function draw_sides(app, { ctx, ratio }, axis, sides, place, seen, kinds, arrows) {
    const rows = sides.reduce((n, side) => n + side.data.rows.length, 0);
    let too_many = false;
    sides.forEach((side, i) => {
        const view = { side, part: place.parts[i], place, seen, kinds, rows, ratio };
        draw_title(app, ctx, axis, view);
        if (!side.simulated) draw_profile(app, ctx, axis, view, i);
        draw_rows(app, ctx, axis, view);
        if (arrows.size) too_many = draw_arcs_of(app, ctx, axis, view, arrows) || too_many;
        draw_end(app, ctx, axis, view);
        draw_scales(app, ctx, axis, view);
    });
    return too_many;
}
