// SPDX-License-Identifier: MIT
// job_waits.js - who of a job waited for whom: the longest waits, as arrows from the rank that was
// late to the one that waited, and in words.
//
// waits: [waiter, late, begin, end, released], longest first: processes; ns on the job's clock.
// The waiter is in a call of MPI from begin to end; at `released` the late one began its own call.
import { name_of_process } from "./job_rows.js";
import { share, time } from "./format.js";

const ARROWS_MOST = 300, // more cannot be told apart: the longest
    LEAST = 0.02, // of all time, as of findings
    HEAD = 5; // px

// The row in which each process is seen: its own, else that of its group.
export function row_of_process(rows) {
    const row_of = new Map();
    rows.forEach(({ key, processes }, row) => {
        if (key.startsWith("w") || key.startsWith("r")) return; // what is below a process
        for (const i of processes) row_of.set(i, row);
    });
    return row_of;
}

// Those that lead from one row to another in [from, to), the longest first.
export function waits_in_sight(waits, row_of, from, to) {
    const seen = [];
    for (const wait of waits) {
        const [waiter, late, , end, released] = wait;
        if (released >= to || end < from || row_of.get(waiter) === row_of.get(late)) continue;
        if (seen.push(wait) === ARROWS_MOST) break;
    }
    return seen;
}

// The longest wait of a process at that time, with all that it was in: text; "".
export function wait_at(waits, processes, waiter, from, to) {
    const found = waits.find(
        ([who, , begin, , released]) => who === waiter && begin < to && released > from,
    );
    if (!found) return "";
    const [, late, begin, , released] = found;
    return `${name_of_process(processes[late])}, for ${time(released - begin)}`;
}

function arrow(ctx, x0, y0, x1, y1) {
    const angle = Math.atan2(y1 - y0, x1 - x0),
        side = turn => [x1 - HEAD * Math.cos(angle + turn), y1 - HEAD * Math.sin(angle + turn)];
    ctx.beginPath();
    ctx.moveTo(x0, y0);
    ctx.lineTo(x1, y1);
    ctx.stroke();
    ctx.beginPath();
    ctx.moveTo(x1, y1);
    for (const turn of [-0.5, 0.5]) ctx.lineTo(...side(turn));
    ctx.fill();
}

// g: geometry() of job_draw.js.  Those of the selected process are dark.
/** @param {App} app */
export function draw_waits(app, ctx, axis, g, rows, waits) {
    const { worker } = app.selection,
        row_of = row_of_process(rows),
        seen = waits_in_sight(waits, row_of, axis.from, axis.to),
        half = g.bar / 2;
    ctx.save();
    ctx.beginPath();
    ctx.rect(axis.left, 0, axis.width, g.height);
    ctx.clip();
    ctx.strokeStyle = ctx.fillStyle = app.colour.ink;
    for (const [waiter, late, , end, released] of seen.reverse()) {
        const is_own = worker === null || worker === waiter || worker === late,
            [from, to] = [row_of.get(late), row_of.get(waiter)],
            y1 = g.y(to) + half + (from < to ? -1 : 1) * half * 0.5;
        ctx.globalAlpha = is_own ? Math.max(0.5, Math.min(1, 40 / seen.length)) : 0.15;
        ctx.lineWidth = worker !== null && is_own ? 1.6 : 1.1;
        arrow(ctx, axis.x(released), g.y(from) + half, axis.x(end), y1);
    }
    ctx.restore();
}

// What stands above where no finding is: that ranks wait, if they do, and what keeps the late ones.
export function waits_in_words({ mpi, cumulative_ns }) {
    if (!mpi) return "Nothing is known of waits between these processes: they call no MPI.";
    if (mpi.late_ns < LEAST * cumulative_ns) return "No rank waits long for another one.";
    const part = share(mpi.late_ns / cumulative_ns),
        cpu = mpi.cpu_wait_ns
            ? `during ${time(mpi.cpu_wait_ns)} of that the late ones had no CPU`
            : "no cause of that stands out";
    return `Ranks wait for late ones: ${time(mpi.late_ns)}, ${part} of all time; ${cpu}.`;
}
