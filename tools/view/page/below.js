// SPDX-License-Identifier: MIT
// below.js - what hangs below strands, and is not on the page by itself: collapsed, or left out.

export function read_collapsed(numbers) {
    return {
        own: numbers.next(),
        work: numbers.next(),
        span: numbers.next(),
        path: numbers.next(),
        ready: numbers.next(),
        tasks: numbers.next(),
    };
}

// Task -> how many are collapsed below its strands.
export function collapsed_below(data) {
    const below = new Map();
    for (const [i, { tasks }] of data.collapsed) {
        const t = data.strand.task[i];
        below.set(t, (below.get(t) ?? 0) + tasks);
    }
    return below;
}

// Sums of what is not on the page, by number; 0 has none.  of: by strand that it hangs below, and
// last of what hangs below none; left_put() of left.c.
export function read_left(column, strand) {
    const of = new Uint32Array(strand.n + 1),
        most = column.left.bytes.length + 1,
        [tasks, strands, work, start, end] = Array.from(
            { length: 5 },
            () => new Float64Array(most),
        );
    let i = 1;
    for (let s = 0; !column.left.over; i++) {
        s += column.left.next();
        of[s] = i;
        const length = column.left_length.next();
        tasks[i] = column.left_tasks.next();
        strands[i] = column.left_strands.next();
        start[i] = (s < strand.n ? strand.end[s] : 0) + column.left_start.signed();
        end[i] = start[i] + length;
        work[i] = length - column.left_work.signed();
    }
    start[0] = Infinity;
    end[0] = -Infinity;
    const cut = list => list.slice(0, i);
    return {
        of,
        tasks: cut(tasks),
        strands: cut(strands),
        work: cut(work),
        start: cut(start),
        end: cut(end),
    };
}
