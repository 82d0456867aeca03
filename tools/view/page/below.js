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
export function read_left(numbers, n) {
    const of = new Uint32Array(n + 1),
        sums = { tasks: [0], strands: [0], work: [0], start: [Infinity], end: [-Infinity] };
    for (let s = 0, i = 1; !numbers.over; i++) {
        s += numbers.next();
        of[s] = i;
        for (const name of ["tasks", "strands", "work", "start"]) sums[name].push(numbers.next());
        sums.end.push(sums.start[i] + numbers.next());
    }
    const [tasks, strands, work, start, end] = Object.values(sums).map(list =>
        Float64Array.from(list),
    );
    return { of, tasks, strands, work, start, end };
}
