// SPDX-License-Identifier: MIT
// cpu.js - what the kernel gave to a row's worker: CPU time, and time in wait of a CPU, from the
// trace's samples.
//
// Between two samples a sum grows evenly, as in machine.h; before the first and after the last
// nothing is known.

export const CPU_KEY = [
    ["run", "had a CPU"],
    ["wait", "waited for one"],
    ["asleep", "neither"],
];

// By row: { n, ns, run, wait, has_wait }: of each sample its time, the two sums since the first,
// and whether it has both.
export function read_cpu(numbers, n_rows) {
    return Array.from({ length: n_rows }, () => {
        const n = numbers.next(),
            lane = {
                n,
                ns: new Float64Array(n),
                run: new Float64Array(n),
                wait: new Float64Array(n),
                has_wait: new Uint8Array(n),
            };
        for (let i = 0, ns = 0, run = 0, wait = 0; i < n; i++) {
            lane.ns[i] = ns += numbers.signed();
            lane.run[i] = run += numbers.next();
            lane.wait[i] = wait += numbers.next();
            lane.has_wait[i] = numbers.byte();
        }
        return lane;
    });
}

// The part of a sum that grew by `grown` in `of` ns which falls on `ns` of them, as part() of
// machine.c.
function part(grown, ns, of) {
    if (grown === of || ns === of) return ns === of ? grown : ns;
    return of > 0 ? Number((BigInt(grown) * BigInt(ns)) / BigInt(of)) : 0;
}

// { known, run, wait, has_wait } of [from, to), whole ns: equal to the report's, to the tick.
export function cpu_use(lane, from, to) {
    const use = { known: 0, run: 0, wait: 0, has_wait: false };
    for (let i = 1; i < lane.n; i++) {
        const low = Math.max(from, lane.ns[i - 1]),
            high = Math.min(to, lane.ns[i]),
            of = lane.ns[i] - lane.ns[i - 1];
        if (high <= low) continue;
        use.known += high - low;
        use.run += part(lane.run[i] - lane.run[i - 1], high - low, of);
        if (!lane.has_wait[i - 1] || !lane.has_wait[i]) continue;
        use.has_wait = true;
        use.wait += part(lane.wait[i] - lane.wait[i - 1], high - low, of);
    }
    return use;
}

// The sample before `ns`; -1.
export function sample_before(lane, ns) {
    let low = 0,
        high = lane.n;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (lane.ns[middle] <= ns) low = middle + 1;
        else high = middle;
    }
    return low - 1;
}

// Of each of n columns from `from` to `to`: share of time on a CPU, in wait of one, and that is
// known.
export function cpu_in_pixels(lane, from, to, n) {
    const run = new Float32Array(n),
        wait = new Float32Array(n),
        known = new Float32Array(n),
        width = (to - from) / n;
    if (lane.n < 2) return { run, wait, known };
    const first = lane.ns[0],
        last = lane.ns[lane.n - 1];
    let at = Math.max(0, sample_before(lane, from));
    const until = ns => {
        while (at + 2 < lane.n && lane.ns[at + 1] <= ns) at++;
        const of = lane.ns[at + 1] - lane.ns[at],
            share = of > 0 ? Math.max(0, Math.min(1, (ns - lane.ns[at]) / of)) : 1;
        return [
            lane.run[at] + share * (lane.run[at + 1] - lane.run[at]),
            lane.wait[at] + share * (lane.wait[at + 1] - lane.wait[at]),
        ];
    };
    let before = until(from);
    for (let x = 0; x < n; x++) {
        const now = until(from + (x + 1) * width);
        run[x] = (now[0] - before[0]) / width;
        wait[x] = (now[1] - before[1]) / width;
        known[x] =
            Math.max(
                0,
                Math.min(last, from + (x + 1) * width) - Math.max(first, from + x * width),
            ) / width;
        before = now;
    }
    return { run, wait, known };
}

// Below a row: from below, on a CPU, in wait of one, neither.
/** @param {App} app */
export function draw_cpu(app, ctx, axis, lane, y, height) {
    const n = Math.floor(axis.width),
        { run, wait, known } = cpu_in_pixels(lane, axis.from, axis.to, n),
        step = axis.width / n,
        { cpu } = app.colour;
    const fill = (colour, of, below) => {
        ctx.fillStyle = colour;
        ctx.beginPath();
        for (let x = 0; x < n; x++) {
            let wide = 1;
            const tall = of(x),
                base = below(x);
            if (tall <= 0.01) continue;
            while (
                x + wide < n &&
                Math.abs(of(x + wide) - tall) < 0.004 &&
                Math.abs(below(x + wide) - base) < 0.004
            )
                wide++;
            ctx.rect(
                axis.left + x * step,
                y + height * (1 - base - tall),
                wide * step,
                height * tall,
            );
            x += wide - 1;
        }
        ctx.fill();
    };
    fill(
        cpu.asleep,
        x => Math.max(0, known[x] - run[x] - wait[x]),
        x => run[x] + wait[x],
    );
    fill(
        cpu.run,
        x => run[x],
        () => 0,
    );
    fill(
        cpu.wait,
        x => wait[x],
        x => run[x],
    );
}
