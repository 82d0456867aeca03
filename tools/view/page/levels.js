// SPDX-License-Identifier: MIT
// levels.js - sums over time at any zoom: integrals at the edges of bins, straight in between.
//
// Sums of whole bins are exact, so any row of stretches that begin and end with bins adds up.

export class Integral {
    // values: one per bin of `width` ns; the last one with time in it ends at `end`
    constructor(width, values, end) {
        this.width = width;
        this.end = end;
        this.sum = new Float64Array(values.length + 1);
        for (let i = 0; i < values.length; i++) this.sum[i + 1] = this.sum[i] + values[i];
    }
    get total() {
        return this.sum[this.sum.length - 1];
    }
    until(ns) {
        const bin = Math.floor(ns / this.width),
            begin = bin * this.width;
        if (ns <= 0) return 0;
        if (ns >= this.end) return this.total;
        const share = (ns - begin) / (Math.min(begin + this.width, this.end) - begin);
        return this.sum[bin] + share * (this.sum[bin + 1] - this.sum[bin]);
    }
    over(from, to) {
        return this.until(to) - this.until(from);
    }
}

// Columns of several integrals that follow one another in `numbers`.
export function read_integrals(numbers, n, n_bins, width, end) {
    const all = [],
        values = new Float64Array(n_bins);
    for (let i = 0; i < n; i++) {
        for (let b = 0; b < n_bins; b++) values[b] = numbers.next();
        all.push(new Integral(width, values, end));
    }
    return all;
}

// The same of numbers that are interleaved: first of all, second of all, ..
export function read_interleaved(numbers, n, n_bins, width, end) {
    const values = Array.from({ length: n }, () => new Float64Array(n_bins));
    for (let b = 0; b < n_bins; b++) for (let i = 0; i < n; i++) values[i][b] = numbers.next();
    return values.map(v => new Integral(width, v, end));
}

// The nearest edges of bins, where the stretch is long enough for it to make no difference to the
// eye.
export function snap(from, to, width, elapsed) {
    if (to - from < 8 * width) return [from, to];
    const low = Math.round(from / width) * width,
        high = Math.round(to / width) * width;
    return [Math.max(0, low), Math.min(elapsed, high)];
}

// Index of the first of sorted numbers array[index[i]] that is > value; of array[i] without
// `index`.
export function first_above(array, value, index) {
    let low = 0,
        high = index ? index.length : array.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (array[index ? index[middle] : middle] > value) high = middle;
        else low = middle + 1;
    }
    return low;
}

// The finest sums of a row that there are: { width, of }; fine.js makes finer ones than the page
// brings.
export function finest(levels, row) {
    return levels.fine?.rows[row] ?? { width: levels.row_width, of: levels.rows[row] };
}
