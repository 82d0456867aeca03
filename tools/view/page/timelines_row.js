// SPDX-License-Identifier: MIT
// timelines_row.js - draws one row of the timelines: strands that are wide enough as rectangles,
// the others as shares of columns of pixels.
import { BINS, is_whole, turn_of } from "./data.js";
import { finest } from "./levels.js";
import { bin_of_state, in_sight } from "./pixels.js";
import { UNKNOWN } from "./shades.js";

export const DIMMED = 16; // added to a colour's number
const NARROW = 6; // px: narrower ones are put into the raster, where a rectangle costs less
const LEAST_SHARE = 0.002;

// What is drawn of a row, by colour.
class Pieces {
    // batches: by colour, rectangles of all rows: x, y, width, height, ..
    constructor(axis, batches) {
        this.axis = axis;
        this.right = axis.left + axis.width;
        this.batches = batches;
        this.small = []; // by colour: share of each column of pixels
        this.narrow = []; // colour, x0, y, height, x1, ..
    }

    put(shade, from, to, y, height) {
        const { axis } = this,
            x0 = Math.max(axis.left, axis.x(from)),
            x1 = Math.min(this.right, axis.x(to));
        if (!(x1 > x0)) return;
        if (x1 - x0 >= NARROW) this.batches[shade].push(x0, y, x1 - x0, height);
        else if (x1 - x0 >= 1)
            this.narrow.push(
                shade,
                Math.round(x0 - axis.left),
                y,
                height,
                Math.round(x1 - axis.left),
            );
        else this.put_share(shade, x0, x1);
    }

    put_share(shade, x0, x1) {
        const { axis } = this,
            of = (this.small[shade] ??= new Float32Array(Math.ceil(axis.width) + 2)),
            x = Math.floor(x0);
        of[x - axis.left] += Math.min(x1, x + 1) - x0;
        if (x1 > x + 1) of[x + 1 - axis.left] += x1 - x - 1;
    }

    // Shares stand one on the other.
    draw(raster, y, h, paints) {
        const height = new Float32Array(Math.ceil(this.axis.width) + 2);
        this.small.forEach((of, shade) => {
            for (let x = 0; x < of.length; x++) {
                const tall = Math.min(1 - height[x], of[x]) * h;
                if (tall > 0.01 && x < raster.n)
                    raster.put(x, y + h - height[x] * h - tall, tall, paints[shade]);
                height[x] += of[x];
            }
        });
        const { narrow } = this;
        for (let k = 0; k < narrow.length; k += 5)
            raster.box(
                narrow[k + 1],
                narrow[k + 4],
                narrow[k + 2],
                narrow[k + 3],
                paints[narrow[k]],
            );
    }
}

// What the worker was in between strand i and the next one, which starts at `next`.
/** @param {Data} data */
function put_pause(data, pieces, i, next, faint, y, h) {
    const s = data.strand,
        turn = turn_of(s, i, next),
        bin = bin_of_state(s.after[i]);
    if (bin) pieces.put(bin + faint, s.end[i], turn, y, h);
    if (turn < next) pieces.put(BINS.runtime + faint, turn, next, y, h);
}

// it: the Timelines.  Strands that have room for a name are added to `wide`.
export function draw_row(it, axis, g, row, batches, paints, wide) {
    const { app } = it,
        { data, dims } = app,
        s = data.strand,
        list = data.row_strands[row],
        [first, last] = in_sight(data, row, axis.from, axis.to),
        y = g.y(row),
        h = g.bar,
        faint = app.lights_pauses ? 0 : DIMMED,
        pieces = new Pieces(axis, batches);
    for (let at = first; at < last; at++) {
        const i = list[at],
            next = at + 1 < list.length ? s.start[list[at + 1]] : data.elapsed,
            dim = dims && !app.matches(i) ? DIMMED : 0;
        if (s.end[i] > axis.from) {
            pieces.put(it.shades.shade(i) + dim, s.start[i], s.end[i], y, h);
            if ((s.end[i] - s.start[i]) * axis.scale > 5) wide.push(i);
        }
        if (next > axis.from && s.end[i] < axis.to && is_whole(data, s.end[i], next))
            put_pause(data, pieces, i, next, faint, y + h * 0.25, h * 0.5);
    }
    pieces.draw(it.raster, y, h, paints);
}

// The colour of a class of the bins.
function shade_of_class(by, c) {
    if (by === "kind" || c > BINS.others) return c;
    return by === "state" ? 0 : UNKNOWN;
}

export function draw_row_of_levels(it, axis, g, row, paints) {
    const { app, raster } = it,
        { of } = finest(app.data.levels, row),
        { n } = raster,
        ns = (axis.to - axis.from) / n,
        h = g.bar,
        y = g.y(row),
        below = new Float64Array(n);
    for (let c = 0; c <= BINS.tracer; c++) {
        if (!of[c] || of[c].total === 0) continue;
        const paint = paints[shade_of_class(it.by, c) + (app.lights(c) ? 0 : DIMMED)];
        for (let x = 0, before = of[c].until(axis.from); x < n; x++) {
            const now = of[c].until(axis.from + (x + 1) * ns),
                share = (now - before) / ns;
            before = now;
            if (share <= LEAST_SHARE) continue;
            const tall = Math.min(1 - below[x], share) * h;
            raster.put(x, y + h - below[x] * h - tall, tall, paint);
            below[x] += share;
        }
    }
}
