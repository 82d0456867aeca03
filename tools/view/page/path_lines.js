// SPDX-License-Identifier: MIT
// path_lines.js - paths through the strands as lines along the rows: the ready path, the critical
// path, and the one that follows workers, too.
import { time } from "./format.js";
import { first_above } from "./levels.js";

const SPARSE = 1; // strands to a pixel that can be told apart

// Each at a height of its own, so that all can be seen at once.  title(summary): what the report
// says of it.
export const PATHS = {
    ready: {
        text: "ready path",
        of: "path",
        colour: "path",
        at: bar => bar - 2,
        title: s =>
            "back from the last strand, each time to the predecessor that ended last: work " +
            `${time(s.ready_path.work_ns)}, scheduler delay ` +
            `${time(s.ready_path.scheduler_delay_ns)}, busy delay ` +
            `${time(s.ready_path.busy_delay_ns)}`,
    },
    critical: {
        text: "critical path",
        of: "critical",
        colour: "critical",
        at: bar => Math.min(3, bar / 2),
        title: s => `the longest path by work: its strands take ${time(s.span_ns)}`,
    },
    binding: {
        text: "binding path",
        of: "binding",
        colour: "binding",
        at: bar => Math.max(bar / 2, bar - 7),
        title: s =>
            "back from the last strand, each time to what bound its start: a predecessor, or " +
            `the strand before on its worker; strands take ${time(s.binding_path.running_ns)}, ` +
            `between them ${time(s.binding_path.latency_ns)}, ${s.binding_path.turns} times to ` +
            "another worker",
    },
};

// Where it runs a thick line, in between a thin one on the row that it left; then it goes on to the
// next row.
/** @param {App} app @param {Data} data */
export function draw_path(app, ctx, axis, data, place, { of, colour, at }) {
    const s = data.strand,
        way = data[of],
        first = Math.max(0, first_above(s.start, axis.from, way) - 2),
        last = Math.min(way.length, first_above(s.start, axis.to, way) + 1);
    const runs = [],
        waits = [],
        y_of = i => place.y(s.row[i]) + at(place.bar);
    // what is denser than the eye is sampled
    const step = last - first > SPARSE * axis.width ? 1 / SPARSE / axis.scale : 0;
    let seen = -Infinity,
        turns = 0;
    for (
        let k = first;
        k < last;
        k = step ? Math.max(k + 1, first_above(s.start, s.start[way[k]] + step, way)) : k + 1
    ) {
        const i = way[k],
            x0 = axis.x(s.start[i]),
            x1 = axis.x(s.end[i]),
            y = y_of(i),
            before = k > first ? way[k - 1] : null;
        if (before !== null && s.row[before] === s.row[i] && x1 - seen < 0.4) continue;
        if (before !== null) {
            const since = Math.max(axis.left - 5, axis.x(s.end[before])),
                y0 = y_of(before);
            waits.push(
                since,
                y0 - 0.5,
                Math.max(0, x0 - since),
                1,
                x0 - 0.5,
                Math.min(y0, y),
                1,
                Math.abs(y - y0),
            );
            turns += s.row[before] === s.row[i] ? 0 : 1;
        }
        const left = Math.max(axis.left - 5, Math.min(x0, Math.max(seen, x0 - 0.5)));
        runs.push(left, y, Math.max(x1, x0 + 0.5) - left);
        seen = x1;
    }
    ctx.fillStyle = app.colour[colour];
    ctx.globalAlpha = turns > axis.width / 16 ? 0.3 : 0.9;
    for (let k = 0; k < waits.length; k += 4)
        ctx.fillRect(waits[k], waits[k + 1], waits[k + 2], waits[k + 3]);
    ctx.globalAlpha = 1;
    for (const [style, wide] of [
        [app.colour.paper, 5],
        [app.colour[colour], 3],
    ]) {
        ctx.fillStyle = style;
        for (let k = 0; k < runs.length; k += 3)
            ctx.fillRect(runs[k], runs[k + 1] - wide / 2, runs[k + 2], wide);
    }
}
