// SPDX-License-Identifier: MIT
// operations.js - what devices did, and I/O: a lane for each below the workers' rows; and the data
// that tasks use.  Both on the program's word.
import { count, plain, time } from "./format.js";
import { first_above } from "./levels.js";

export const LANE_MOST = 18; // px, also of what is between two
const LANES_SHARE = 1 / 3, // of the height, at most
    GAP = 3,
    NAMED = 11, // px: a lane so high has its name
    DIM = 0.22;

// Arrays, by name, of rows that follow one another in `flat`, in that order of rows.
/** @returns {any} */
function columns_of(names, flat, order) {
    const column = c => Float64Array.from(order, i => flat[i * names.length + c]);
    return Object.fromEntries(names.map((name, c) => [name, column(c)]));
}

const OPERATION = ["begin", "end", "site", "task", "kind", "bytes"],
    USE = ["high", "low", "access", "node", "bytes"];

function lane_of(device, flat) {
    const width = OPERATION.length,
        n = flat.length / width,
        rows = Uint32Array.from({ length: n }, (_, i) => i),
        order = rows.sort((a, b) => flat[a * width] - flat[b * width] || a - b), // by begin
        columns = columns_of(OPERATION, flat, order),
        latest = Float64Array.from(columns.end);
    for (let i = 1; i < n; i++) latest[i] = Math.max(latest[i], latest[i - 1]);
    return { device, n, ...columns, latest };
}

// By device: its operations by begin; site: of `sites`; latest: the end so far; task: of the trace;
// -1: none, as kind.
export async function read_operations(numbers, sites, slice) {
    const lanes = new Map();
    for (let begin = 0, i = 1; !numbers.over; i++) {
        if (i % 0x4000 === 0) await slice();
        const site = numbers.next(),
            { device } = sites[site];
        begin += numbers.signed();
        const end = begin + numbers.next(),
            [task, kind] = [numbers.next() - 1, numbers.next() - 1];
        if (!lanes.has(device)) lanes.set(device, []);
        lanes.get(device).push(begin, end, site, task, kind, numbers.next());
    }
    return [...lanes].map(([device, flat]) => lane_of(device, flat));
}

// What tasks use: task t has uses [first[t], first[t + 1]); high, low: halves of an address.
export async function read_data_of_tasks(numbers, n_tasks, slice) {
    const flat = [],
        of = [], // tasks, as they come
        first = new Uint32Array(n_tasks + 1);
    for (let task = 0; !numbers.over;) {
        if (of.length % 0x4000 === 0x3fff) await slice();
        task += numbers.signed();
        of.push(task);
        for (let k = 0; k < USE.length; k++) flat.push(numbers.next());
        first[task + 1]++;
    }
    for (let t = 0; t < n_tasks; t++) first[t + 1] += first[t];
    const order = new Uint32Array(of.length),
        at = first.slice();
    of.forEach((task, i) => {
        order[at[task]++] = i;
    });
    return { first, ...columns_of(USE, flat, order) };
}

const ACCESS = ["", " read", " written", " written in any order"];
const USES_MOST = 8;

function use_said({ high, low, access, node, bytes }, i) {
    const object = high[i]
        ? high[i].toString(16) + low[i].toString(16).padStart(8, "0")
        : low[i].toString(16);
    return (
        `0x${object}${ACCESS[access[i]] ?? ""}${bytes[i] ? `, ${count(bytes[i])} B` : ""}` +
        (node[i] ? `, in memory ${node[i] - 1}` : "")
    );
}

// What a task uses, in words; "" if it is nothing.
export function uses_said(uses, task) {
    const from = uses.first[task],
        n = uses.first[task + 1] - from,
        said = Array.from({ length: Math.min(n, USES_MOST) }, (_, k) => use_said(uses, from + k));
    return said.join("; ") + (n > USES_MOST ? `; ${n - USES_MOST} more` : "");
}

// Px of one lane, of all.
export const lanes_height = (lanes, height) =>
    lanes.length ? Math.min(LANE_MOST, (height * LANES_SHARE) / lanes.length) * lanes.length : 0;

// Below `top`, `high` px for all of them.
/** @param {App} app */
export function draw_operations(app, ctx, axis, top, high) {
    const lanes = app.data.operations,
        pitch = high / lanes.length,
        bar = Math.max(1, pitch - GAP);
    lanes.forEach((lane, i) => {
        const y = top + i * pitch + GAP / 2;
        ctx.fillStyle = app.colour.idle;
        ctx.fillRect(axis.left, y, axis.width, bar);
        draw_lane(app, ctx, axis, lane, y, bar);
        if (pitch < NAMED) return;
        ctx.fillStyle = app.colour.faint;
        ctx.font = "11px system-ui, sans-serif";
        ctx.textAlign = "right";
        ctx.textBaseline = "middle";
        ctx.fillText(plain(lane.device).slice(0, 9), axis.left - 6, y + bar / 2);
    });
}

// Of what ends within a pixel that is drawn, nothing is visited.
/** @param {App} app */
function draw_lane(app, ctx, axis, { n, begin, end, kind, latest }, y, bar) {
    const { kind: chosen } = app.selection,
        right = axis.left + axis.width;
    let i = first_above(latest, axis.from);
    for (let drawn = axis.left; i < n && begin[i] < axis.to && drawn < right;) {
        const x0 = Math.max(axis.left, axis.x(begin[i])),
            x1 = Math.max(x0 + 0.5, Math.min(right, axis.x(end[i])));
        ctx.globalAlpha = chosen !== null && chosen !== kind[i] ? DIM : 1;
        ctx.fillStyle = kind[i] < 0 ? app.colour.others : app.colour.kind(kind[i]);
        ctx.fillRect(x0, y, x1 - x0, bar);
        drawn = Math.ceil(x1);
        i = Math.max(i + 1, first_above(latest, axis.ns(drawn)));
    }
    ctx.globalAlpha = 1;
}

// What is at that height of all lanes, for hit(); index_of(number of a task) -> that of the page.
/** @param {App} app */
export function operation_at(app, axis, x, y, high, index_of) {
    const lanes = app.data.operations,
        lane = lanes[Math.floor((y * lanes.length) / high)],
        slack = 2 / axis.scale,
        ns = axis.ns(x);
    if (!lane) return null;
    const { n, begin, end, task, kind, bytes } = lane;
    let i = first_above(lane.latest, ns - slack);
    while (i < n && end[i] < ns - slack) i++;
    if (i >= n || begin[i] > ns + slack) return null;
    const text = [
        [plain(lane.device), plain(app.meta.operations[lane.site[i]].name)],
        ["ran", `${time(end[i] - begin[i])} from ${time(begin[i])}`],
        ["for", kind[i] < 0 ? "no task that is known" : app.format.kind(kind[i])],
        ...(bytes[i] ? [["moved", `${count(bytes[i])} B`]] : []),
    ];
    return { task: task[i] < 0 ? null : index_of(task[i]), text };
}
