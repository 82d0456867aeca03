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

/** By device: { device, list, latest }: list: its operations by begin; latest: the end so far. */
export function read_operations(numbers, sites = []) {
    const lanes = new Map();
    for (let begin = 0; !numbers.over;) {
        const { name, device } = sites[numbers.next()];
        begin += numbers.signed();
        const end = begin + numbers.next(),
            [task, kind] = [numbers.next() - 1, numbers.next() - 1];
        if (!lanes.has(device)) lanes.set(device, []);
        lanes.get(device).push({ name, begin, end, task, kind, bytes: numbers.next() });
    }
    return [...lanes].map(([device, list]) => {
        list.sort((a, b) => a.begin - b.begin);
        const latest = new Float64Array(list.length);
        list.forEach(({ end }, i) => {
            latest[i] = Math.max(end, i ? latest[i - 1] : 0);
        });
        return { device, list, latest };
    });
}

// By task: what it uses, [{ object, access, node, bytes }, ..].
export function read_data_of_tasks(numbers) {
    const uses = new Map();
    for (let task = 0; !numbers.over;) {
        task += numbers.signed();
        const [high, low] = [numbers.next(), numbers.next()].map(part => part.toString(16)),
            object = high === "0" ? low : high + low.padStart(8, "0"),
            [access, node, bytes] = [numbers.next(), numbers.next(), numbers.next()];
        if (!uses.has(task)) uses.set(task, []);
        uses.get(task).push({ object: `0x${object}`, access, node, bytes });
    }
    return uses;
}

const ACCESS = ["", " read", " written", " written in any order"];
const USES_MOST = 8;

// In words.
export function uses_said(uses) {
    const said = uses
        .slice(0, USES_MOST)
        .map(
            ({ object, access, node, bytes }) =>
                `${object}${ACCESS[access] ?? ""}${bytes ? `, ${count(bytes)} B` : ""}` +
                (node ? `, in memory ${node - 1}` : ""),
        );
    return said.join("; ") + (uses.length > USES_MOST ? `; ${uses.length - USES_MOST} more` : "");
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

/** @param {App} app */
function draw_lane(app, ctx, axis, { list, latest }, y, bar) {
    const { kind: chosen } = app.selection,
        right = axis.left + axis.width;
    let drawn = -1; // up to there
    for (let i = first_above(latest, axis.from); i < list.length; i++) {
        const { begin, end, kind } = list[i],
            x0 = Math.max(axis.left, axis.x(begin)),
            x1 = Math.max(x0 + 0.5, Math.min(right, axis.x(end)));
        if (begin >= axis.to) break;
        if (x1 <= drawn) continue; // nothing new to the eye
        ctx.globalAlpha = chosen !== null && chosen !== kind ? DIM : 1;
        ctx.fillStyle = kind < 0 ? app.colour.others : app.colour.kind(kind);
        ctx.fillRect(x0, y, x1 - x0, bar);
        drawn = Math.ceil(x1);
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
    for (let i = first_above(lane.latest, ns - slack); i < lane.list.length; i++) {
        const { name, begin, end, task, kind, bytes } = lane.list[i];
        if (begin > ns + slack) return null;
        if (end < ns - slack) continue;
        const text = [
            [plain(lane.device), plain(name)],
            ["ran", `${time(end - begin)} from ${time(begin)}`],
            ["for", kind < 0 ? "no task that is known" : app.format.kind(kind)],
            ...(bytes ? [["moved", `${count(bytes)} B`]] : []),
        ];
        return { task: task < 0 ? null : index_of(task), text };
    }
    return null;
}
