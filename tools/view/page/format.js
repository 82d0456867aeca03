// SPDX-License-Identifier: MIT
// format.js - numbers and names as the report prints them.

const UNITS = ["ns", "us", "ms", "s"];

// "12.3 ms": three digits and a unit, as units_time() of the report.
export function time(ns) {
    if (ns === null || ns === undefined || Number.isNaN(ns)) return "-";
    if (ns < 0) return "-" + time(-ns);
    if (Math.round(ns) === 0) return "0";
    let value = ns,
        unit = 0;
    while (unit < 3 && value >= 999.5) {
        value /= 1000;
        unit++;
    }
    const digits = unit === 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    return value.toFixed(digits) + " " + UNITS[unit];
}

// A time on an axis whose ticks are `step` apart: as many digits as tell them apart.
export function tick(ns, step) {
    const unit = step >= 1e9 ? 3 : step >= 1e6 ? 2 : step >= 1e3 ? 1 : 0;
    const scale = 1000 ** unit;
    const digits = Math.max(0, -Math.floor(Math.log10(step / scale) + 1e-9));
    return (ns / scale).toFixed(digits) + " " + UNITS[unit];
}

export function count(n) {
    return Math.round(n)
        .toString()
        .replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

// "1 steal", "2 steals"
export function several(n, one) {
    return `${count(n)} ${one}${Math.round(n) === 1 ? "" : "s"}`;
}

export function share(x) {
    if (!Number.isFinite(x)) return "-";
    const percent = 100 * x;
    return percent > 0 && percent < 0.95 ? percent.toFixed(1) + " %" : percent.toFixed(0) + " %";
}

// A sentence in which no number leaves its unit at the end of a line.
export function sentence(text) {
    return String(text).replace(/(\d) (?=(?:%|ns|us|ms|s)(?![\w%]))/g, "$1\u00a0");
}

export const capital = text => text.slice(0, 1).toUpperCase() + text.slice(1);

// What has no shape or turns other text round is told by its number.
export function plain(text) {
    return String(text).replace(
        // eslint-disable-next-line no-control-regex -- these are what it is for
        /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
        c => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"),
    );
}

// Without its middle where it is longer: names that begin alike are told apart by their ends.
export function brief(name, most = 26) {
    const letters = [...String(name)],
        end = (most - 2) >> 1;
    return letters.length <= most
        ? String(name)
        : [...letters.slice(0, most - 2 - end), "..", ...letters.slice(-end)].join("");
}

// Several lines stay so.
export function lines(text) {
    return String(text).split("\n").map(plain).join("\n");
}

export function base(path) {
    return path ? path.replace(/^.*\//, "") : "";
}

// "sort.c:77", "sort.c:85-99", the module, or "".
export function where({ file, line, last_line, module }) {
    if (file) {
        const last = last_line ? "-" + last_line : "";
        return plain(base(file)) + (line ? ":" + line + last : "");
    }
    return module ? plain(base(module)) : "";
}

// Text that runs from right to left turns nothing beside it: between FIRST STRONG ISOLATE and POP
// DIRECTIONAL ISOLATE.
const TO_THE_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const alone = text => (TO_THE_LEFT.test(text) ? `\u2068${text}\u2069` : text);

export function place(of) {
    const at = where(of);
    return alone(plain(of.name ?? "?")) + (at ? "  " + alone(at) : "");
}
