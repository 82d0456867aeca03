// SPDX-License-Identifier: MIT
// arcs.js - what leads from row to row: steals, leaps, migrations, creations, joins, dependences.
import { LEAP, NODE } from "./data.js";
import { EDGE, FIRST, NONE } from "./kinds.js";
import { first_above } from "./levels.js";

export const ARROWS = {
    steal: "steals",
    leap: "leaps",
    migration: "migrations",
    create: "creates",
    join: "joins",
    depend: "depend, sync",
};
export const OWN = "own"; // beside arrows that are wanted: also those from a worker to itself
// in the report
export const N_OF_ARROW = { steal: "steals", leap: "leaps", migration: "migrations" };
const MOST = 600,
    MOST_SEEN = 300000;

/** @param {App} app */
export function colour_of_arrow(app, want) {
    return {
        steal: app.colour.ink,
        leap: app.colour.leap,
        migration: app.colour.edge("wait_cont"),
        create: app.colour.edge("create_cont"),
        join: app.colour.edge("join"),
        depend: app.colour.edge("depend"),
    }[want];
}

// Strands among which those of an arrow are; undefined: all.
/** @param {Data} data */
function among_of(data, want) {
    return { steal: data.moved[1], leap: data.leaps, migration: data.moved[2] }[want];
}

function leads(s, want, i, from, wants) {
    if (s.flags[i] & NODE || from === NONE || (s.row[from] === s.row[i] && !wants.has(OWN)))
        return false;
    return want === "create"
        ? s.edge[i] === 0 && s.flags[i] & FIRST
        : want === "join"
          ? s.edge[i] === EDGE.JOIN
          : s.edge[i] >= 4;
}

// [from, to, ..] of all that arrive in [begin, end); null if they are too many to be told apart.  A
// leap is a steal: where `wants` has both, it is drawn once.
/** @param {Data} data */
export function arcs_of(data, want, begin, end, wants) {
    const s = data.strand,
        list = [],
        among = among_of(data, want),
        first = first_above(s.start, begin - 1, among),
        last = first_above(s.start, end, among);
    if (last - first > MOST_SEEN) return null;
    for (let k = first; k < last && list.length <= 2 * MOST; k++) {
        const i = among ? among[k] : k,
            from = want === "migration" ? s.pred[i] : s.releaser[i];
        if (want === "steal" && s.flags[i] & LEAP && wants.has("leap")) continue;
        if (among ? from !== NONE : leads(s, want, i, from, wants)) list.push(from, i);
    }
    return list.length > 2 * MOST ? null : list;
}

// From where the one ended to where the other began, above the middle of their row.
function bow(ctx, axis, { y, bar }, s, from, to) {
    const x0 = axis.x(s.end[from]),
        x1 = axis.x(s.start[to]),
        level = y(s.row[to]) + bar / 2;
    ctx.moveTo(x0, level);
    ctx.quadraticCurveTo((x0 + x1) / 2, level - bar, x1, level);
    ctx.moveTo(x1 + 1.5, level);
    ctx.arc(x1, level, Math.min(1.5, bar / 3), 0, 7);
}

// Upright, at the time at which `to` began: wider the more rows it crosses, so that arcs of
// different reach differ.
function arc(ctx, axis, place, s, from, to) {
    if (s.row[from] === s.row[to] && s.move[to] === 0) return bow(ctx, axis, place, s, from, to);
    const x = axis.x(s.start[to]),
        a = s.row[from],
        b = s.row[to],
        reach = Math.min(40, 6 * Math.abs(a - b)),
        { y, bar } = place;
    const y0 = y(a) + bar / 2,
        y1 = y(b) + (a === b ? bar / 2 : a < b ? Math.min(2, bar / 2) : Math.max(bar / 2, bar - 2)),
        dot = Math.min(2.5, bar / 3);
    ctx.moveTo(x, y0);
    ctx.bezierCurveTo(x + reach, y0, x + reach, y1, x, y1);
    ctx.moveTo(x + dot, y1);
    ctx.arc(x, y1, dot, 0, 7);
}

// place: { y(row), bar }: where a row is, and how high.  Returns whether some are too many, and so
// not drawn.
/** @param {App} app @param {Data} data */
export function draw_arcs(app, ctx, axis, data, place, wants) {
    let too_many = false;
    for (const want of Object.keys(ARROWS)) {
        const list = wants.has(want) ? arcs_of(data, want, axis.from, axis.to, wants) : [];
        if (!list) too_many = true;
        if (!list || !list.length) continue;
        ctx.strokeStyle = colour_of_arrow(app, want);
        ctx.globalAlpha = Math.max(0.08, Math.min(0.9, 180 / list.length));
        ctx.lineWidth = want === "leap" ? 1.8 : 1.2;
        for (let k = 0; k < list.length; k += 2) {
            // one by one: a path of many takes a browser more than many paths
            ctx.beginPath();
            arc(ctx, axis, place, data.strand, list[k], list[k + 1]);
            ctx.stroke();
        }
    }
    ctx.globalAlpha = 1;
    return too_many;
}

/** @param {App} app */
export function say_too_many(app, ctx, axis, text, y = 2) {
    const width = ctx.measureText(text).width + 12;
    ctx.fillStyle = app.colour.paper;
    ctx.fillRect(axis.left + axis.width - width, y, width, 17);
    ctx.fillStyle = app.colour.ink;
    ctx.textAlign = "right";
    ctx.textBaseline = "middle";
    ctx.fillText(text, axis.left + axis.width - 6, y + 9);
}

// From where the one ended to where the other began.
export function curve(ctx, axis, place, s, from, to) {
    const x0 = axis.x(s.end[from]),
        x1 = axis.x(s.start[to]),
        y0 = place.y(s.row[from]) + place.bar / 2,
        y1 = place.y(s.row[to]) + place.bar / 2;
    const reach = Math.max(4, Math.min(60, (x1 - x0) / 2));
    ctx.moveTo(x0, y0);
    ctx.bezierCurveTo(x0 + reach, y0, x1 - reach, y1, x1, y1);
    ctx.moveTo(x1 + 3, y1);
    ctx.arc(x1, y1, 3, 0, 7);
}
