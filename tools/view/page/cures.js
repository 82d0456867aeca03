// SPDX-License-Identifier: MIT
// cures.js - what a finding's cure would bring, as `tptrace report --what-if` simulates it: in
// numbers, and what would run when.
import { take_column } from "./blocks.js";
import { numbers_of } from "./codec.js";
import { BINS } from "./data.js";
import { read_integrals } from "./levels.js";

/** @typedef {{ elapsed_ns: number, low_ns: number, high_ns: number }} Simulated */
/** @typedef {Simulated & { change: string, at_best: boolean }} Change */

// Chance alone could explain the difference.
const is_noise = (a, b) => a.low_ns <= b.high_ns && b.low_ns <= a.high_ns;

export class Cures {
    constructor() {
        const node = document.getElementById("cures");
        this.block = node ? JSON.parse(node.textContent) : { findings: [] };
        /** @type {Map<number, any>} */
        this.data = new Map();
    }

    // The best change of the finding, and the recorded run without it, which is simulated as well;
    // null: none was simulated.
    /** @returns {{ with: Change, without: Simulated, gain: number, is_noise: boolean } | null} */
    of(finding) {
        const [best] = this.block.findings[finding]?.what_if ?? [],
            without = this.block.what_if;
        if (!best) return null;
        return {
            with: best,
            without,
            gain: Math.max(0, without.elapsed_ns - best.elapsed_ns),
            is_noise: is_noise(best, without),
        };
    }

    // Why nothing is simulated at all; "".
    get why_not() {
        return this.block.what_if?.why_not ?? "";
    }

    // What would run when, as compare_draw.js takes it; null until it is read, which `then` hears
    // of.
    /** @param {App} app */
    schedule(app, finding, then) {
        if (this.data.has(finding)) return this.data.get(finding);
        this.data.set(finding, null);
        const text = take_column(0, `cure-${finding}`);
        if (text)
            numbers_of(text).then(numbers => {
                this.data.set(finding, this.read(app, finding, numbers));
                then();
            });
        return null;
    }

    /** @param {App} app */
    read(app, finding, numbers) {
        const { bins, shares, what_if } = this.block,
            elapsed = this.of(finding).with.elapsed_ns,
            width = Math.floor(elapsed / bins) + 1,
            times = { next: () => (numbers.next() * width) / shares };
        const rows = Array.from({ length: what_if.workers }, (_, row) => row),
            levels = rows.map(() => read_integrals(times, BINS.others + 1, bins, width, elapsed));
        const { kinds, leading } = app.data;
        return { elapsed, rows, kinds, leading, levels: { row_width: width, rows: levels } };
    }
}
