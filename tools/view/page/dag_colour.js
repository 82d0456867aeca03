// SPDX-License-Identifier: MIT
// dag_colour.js - the colours of several workers mixed into one.

// [r, g, b] of "#rrggbb" or "rgb(..)".
export function parts_of(colour) {
    if (colour[0] !== "#") return colour.match(/[\d.]+/g).slice(0, 3).map(Number);
    const n = parseInt(colour.slice(1), 16);
    return [n >> 16 & 255, n >> 8 & 255, n & 255];
}

// Of weights by number, with colour_of(number).
export function mix(weights, colour_of) {
    const sum = [0, 0, 0];
    let total = 0, only = -1, n = 0;
    weights.forEach((weight, i) => {
        if (!(weight > 0)) return;
        parts_of(colour_of(i)).forEach((part, k) => { sum[k] += part * weight; });
        total += weight;
        only = i;
        n++;
    });
    if (n === 1) return colour_of(only);
    return total ? `rgb(${sum.map(part => Math.round(part / total)).join(",")})` : null;
}
