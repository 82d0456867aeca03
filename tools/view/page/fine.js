// SPDX-License-Identifier: MIT
// fine.js - finer sums over time than the page brings, made of its strands once it is up: so that a
// frame walks few strands, and what it does not walk is as fine as its pixels.  They are
// data.levels.fine: { rows: [{ width, of }, ..], ready: { width, of } }; of[class or edge]: an
// Integral, or null where there is nothing.
import { BINS, NODE } from "./data.js";
import { NONE } from "./kinds.js";
import { Integral } from "./levels.js";
import { Pile, ready_at, row_in_pixels } from "./pixels.js";

const STRANDS = 2; // of a row, by bin
const CHUNK = 2048; // bins, or strands, at once

// Bins of n strands, so that each has at most so many.
function bins_of(n, strands) {
    return 2 ** Math.ceil(Math.log2(Math.max(1, n / strands)));
}

/** @param {Data} data */
async function refine_row(data, row, strands, pause) {
    const base = data.levels.rows[row],
        n = bins_of(data.row_strands[row].length, strands),
        width = Math.floor(data.elapsed / n) + 1,
        none = new Float64Array(CHUNK);
    if (width >= data.levels.row_width) return undefined;
    const columns = base.map(of => (of.total > 0 ? new Float64Array(n) : null));
    columns[BINS.held] = null;
    for (let at = 0; at < n; at += CHUNK) {
        const end = Math.min(n, at + CHUNK);
        row_in_pixels(
            data,
            row,
            at * width,
            end * width,
            end - at,
            columns.map(of => (of ? of.subarray(at, end) : none.subarray(0, end - at))),
        );
        await pause();
    }
    return {
        width,
        of: columns.map((of, c) =>
            of ? new Integral(width, of, data.elapsed) : c === BINS.held ? base[c] : null,
        ),
    };
}

/** @param {Data} data */
async function refine_ready(data, strands, pause) {
    const s = data.strand,
        n = bins_of(s.n, 4 * strands),
        width = Math.floor(data.elapsed / n) + 1;
    if (width >= data.levels.width) return null;
    const piles = data.levels.ready.map(of => (of.total > 0 ? new Pile(n) : null));
    for (let i = 0; i < s.n; i++) {
        if (s.flags[i] & NODE || s.releaser[i] === NONE) continue;
        piles[s.edge[i]]?.add(ready_at(data, i) / width, s.start[i] / width);
        if (i % CHUNK === 0) await pause();
    }
    return {
        width,
        of: piles.map(
            pile =>
                pile && new Integral(width, pile.take(new Float64Array(n), width), data.elapsed),
        ),
    };
}

// pause(): lets the browser draw.  Where strands are left out or stand for several, or the recorder
// held workers, the page's own levels know more.
/** @param {Data} data */
export async function refine(data, pause, strands = STRANDS) {
    if (data.partial || data.collapsed.size || data.tracer.length) return;
    const fine = (data.levels.fine = { rows: [], ready: null });
    for (let row = 0; row < data.rows.length; row++)
        fine.rows[row] = await refine_row(data, row, strands, pause);
    fine.ready = await refine_ready(data, strands, pause);
}
