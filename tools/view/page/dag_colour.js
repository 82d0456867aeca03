// SPDX-License-Identifier: MIT
// dag_colour.js - the colours of several workers mixed into one.
import { parts_of } from "./colours.js";

// Of weights by number.
/** @param {number[]} weights @param {(number: number) => string} colour_of */
export function mix(weights, colour_of) {
    const sum = [0, 0, 0];
    let total = 0,
        only = -1,
        n = 0;
    weights.forEach((weight, i) => {
        if (!(weight > 0)) return;
        parts_of(colour_of(i)).forEach((part, k) => {
            sum[k] += part * weight;
        });
        total += weight;
        only = i;
        n++;
    });
    if (n === 1) return colour_of(only);
    return total ? `rgb(${sum.map(part => Math.round(part / total)).join(",")})` : null;
}
