// SPDX-License-Identifier: MIT
// dag_draw.js - draws a scene of the DAG (dag_motion.js) on a canvas.
//
// look: what the view knows of nodes and colours: fill(node), label(node) -> [name, more],
// mark(node) -> "" or a colour for its outline, faint(node), ended(node) -> the name of what ended
// a strand; ink, line, paper, soft (two greys), edge(kind), font; phase(node): "later", "now" or
// "done" where a replay is (dag_replay.js); running: an outline's colour; room: px above the items
// of an open node, for its name. camera: { x, y, kx, ky }: what of the layout lies at the canvas'
// top left, and pixels per unit.

const TEXT_LEAST = 46; // px: narrower boxes have no text
const LATER = 0.12; // how much is seen of what has not begun
const FOLDS = new Set(["tasks", "orphans", "created", "stretch", "chain", "left"]);

export function camera_box(camera, { x, y, left, right, depth }) {
    return {
        x: (x - left - camera.x) * camera.kx,
        y: (y - camera.y) * camera.ky,
        width: (left + right) * camera.kx,
        height: depth * camera.ky,
    };
}

function is_in_sight({ x, y, width, height }, canvas) {
    return x < canvas.width && y < canvas.height && x + width > 0 && y + height > 0;
}

// ---- shapes: functions that add a path ----

function triangle(ctx, { x, y, width, height }) {
    ctx.moveTo(x + width / 2, y);
    ctx.lineTo(x + width, y + height);
    ctx.lineTo(x, y + height);
    ctx.closePath();
}

function inverted(ctx, { x, y, width, height }) {
    ctx.moveTo(x, y);
    ctx.lineTo(x + width, y);
    ctx.lineTo(x + width / 2, y + height);
    ctx.closePath();
}

function circle(ctx, { x, y, width, height }) {
    ctx.ellipse(x + width / 2, y + height / 2, width / 2, height / 2, 0, 0, 2 * Math.PI);
}

function diamond(ctx, { x, y, width, height }) {
    ctx.moveTo(x + width / 2, y);
    ctx.lineTo(x + width, y + height / 2);
    ctx.lineTo(x + width / 2, y + height);
    ctx.lineTo(x, y + height / 2);
    ctx.closePath();
}

function box(ctx, { x, y, width, height }) {
    ctx.rect(x, y, width, height);
}

function round_box(ctx, { x, y, width, height }) {
    ctx.roundRect(x, y, width, height, Math.min(10, width / 4, height / 2));
}

const STRAND_SHAPES = {
    create: triangle,
    fork: triangle,
    wait: inverted,
    end: circle,
    yield: diamond,
    signal: diamond,
};

// Strands are bars where time is y.
function shape_of(node, look) {
    if (node.what === "creates") return look.has_time ? box : triangle;
    if (node.what === "strand")
        return look.has_time ? box : (STRAND_SHAPES[look.ended(node)] ?? box);
    return node.what === "section" || node.what === "stretch" ? round_box : box;
}

// ---- nodes ----

function at_least(at, px) {
    return at.height >= px ? at : { ...at, height: px };
}

function alpha_of(each, look, faint) {
    return (
        each.shown.alpha *
        (look.faint(each.node) ? faint : 1) *
        (look.phase(each.node) === "later" ? LATER : 1)
    );
}

// What runs at the replay's instant is marked, unless it is anyway.
function mark_of(node, look) {
    return look.mark(node) || (look.phase(node) === "now" ? look.running : "");
}

function depth_of(node) {
    return (node.depth ??= node.parent ? depth_of(node.parent) + 1 : 0);
}

// One in another has the other grey: they would be black together, were they grey over grey.
function draw_hull(ctx, each, at, look) {
    ctx.globalAlpha = alpha_of(each, look, 0.3);
    ctx.beginPath();
    round_box(ctx, at);
    ctx.fillStyle = look.soft[depth_of(each.node) % 2];
    ctx.fill();
    ctx.strokeStyle = look.mark(each.node) || look.line;
    ctx.lineWidth = look.mark(each.node) ? 2 : 1;
    ctx.stroke();
}

// Sheets behind it: it stands for several.
function draw_sheets(ctx, at, look, shape) {
    for (const shift of [6, 3]) {
        ctx.beginPath();
        shape(ctx, { ...at, x: at.x + shift, y: at.y + shift });
        ctx.fillStyle = look.paper;
        ctx.fill();
        ctx.stroke();
    }
}

function draw_closed(ctx, each, at, look) {
    const { node } = each,
        shape = shape_of(node, look),
        mark = mark_of(node, look);
    ctx.globalAlpha = alpha_of(each, look, 0.25);
    ctx.strokeStyle = look.outline;
    ctx.lineWidth = 1;
    if (FOLDS.has(node.what) && at.height > 8) draw_sheets(ctx, at, look, shape);
    ctx.beginPath();
    shape(ctx, at);
    ctx.fillStyle = look.fill(node);
    ctx.fill();
    ctx.stroke();
    if (look.is_collapsed(node) && at.height > 10) {
        ctx.beginPath();
        shape(ctx, { x: at.x + 3, y: at.y + 3, width: at.width - 6, height: at.height - 6 });
        ctx.stroke();
    }
    if (!mark) return;
    ctx.strokeStyle = mark;
    ctx.lineWidth = Math.max(0.8, Math.min(2.5, at.width / 12));
    ctx.beginPath();
    shape(ctx, { x: at.x - 2, y: at.y - 2, width: at.width + 4, height: at.height + 4 });
    ctx.stroke();
}

// ---- text ----

// Cuts from the end: letters are not of one width.
export function fit(ctx, text, width) {
    const full = ctx.measureText(text).width;
    if (full <= width) return text;
    for (let n = Math.ceil((text.length * width) / full); n > 1; n--) {
        const cut = text.slice(0, n) + "\u2026";
        if (ctx.measureText(cut).width <= width) return cut;
    }
    return "";
}

function draw_label(ctx, each, at, look) {
    if (at.width < TEXT_LEAST || at.height < 13 || !look.has_text(each.node)) return;
    const [name, ...figures] = look.label(each.node),
        fill = look.fill(each.node),
        width = at.width - 6;
    const more = figures.find(text => ctx.measureText(text).width <= width) ?? figures.at(-1),
        both = at.height >= 26 && more;
    ctx.globalAlpha = alpha_of(each, look, 0.7);
    ctx.fillStyle = look.faint(each.node) ? look.ink : look.text(fill); // on paper, nearly
    ctx.textAlign = "center";
    const middle = at.x + at.width / 2,
        y = at.y + at.height / 2;
    ctx.fillText(fit(ctx, name, width), middle, both ? y - 6 : y);
    if (both) ctx.fillText(fit(ctx, more, width), middle, y + 6);
}

function draw_hull_label(ctx, each, at, look) {
    if (
        at.width < TEXT_LEAST ||
        look.room < 14 ||
        at.height < 2 * look.room ||
        each.node.what === "creates"
    )
        return;
    const x = Math.max(4, at.x + 6),
        width = Math.min(at.x + at.width, look.width) - x - 6;
    const [name, ...figures] = look.label(each.node),
        all = figures.filter(Boolean).map(more => `${name}  ${more}`),
        text = all.find(one => ctx.measureText(one).width <= width) ?? name;
    ctx.globalAlpha = alpha_of(each, look, 1) * 0.8;
    ctx.fillStyle = look.ink;
    ctx.textAlign = "left";
    ctx.fillText(fit(ctx, text, width), x, at.y + Math.min(10, look.room / 2));
}

// ---- edges ----

const DASHED_MOST = 500; // more are one grey to the eye, and cost a browser more than whole lines

function ends_of(edge, camera) {
    const from = edge.from.entry.shown,
        to = edge.to.entry.shown;
    return {
        x0: (from.x - camera.x) * camera.kx,
        y0: (from.y + from.depth - camera.y) * camera.ky,
        x1: (to.x - camera.x) * camera.kx,
        y1: (to.y - camera.y) * camera.ky,
        alpha: Math.min(from.alpha, to.alpha),
    };
}

function misses({ x0, y0, x1, y1 }, canvas) {
    return (
        Math.max(x0, x1) < 0 ||
        Math.min(x0, x1) > canvas.width ||
        Math.max(y0, y1) < 0 ||
        Math.min(y0, y1) > canvas.height
    );
}

function add_edge(ctx, { x0, y0, x1, y1 }, is_curved) {
    ctx.moveTo(x0, y0);
    if (is_curved && Math.abs(x1 - x0) > 2) {
        const middle = (y0 + y1) / 2;
        ctx.bezierCurveTo(x0, middle, x1, middle, x1, y1);
    } else ctx.lineTo(x1, y1);
}

function draw_edges(ctx, edges, canvas, camera, look, kind) {
    ctx.beginPath();
    let alpha = 1,
        n = 0;
    for (const edge of edges) {
        if (edge.kind !== kind || look.phase(edge.to.node) === "later") continue;
        const ends = ends_of(edge, camera);
        if (misses(ends, canvas)) continue;
        add_edge(ctx, ends, kind !== "next");
        alpha = Math.min(alpha, ends.alpha);
        n++;
    }
    ctx.strokeStyle = look.edge(kind);
    ctx.globalAlpha = alpha * (kind === "join" ? 0.45 : 0.9);
    ctx.lineWidth = kind === "next" ? 1.5 : 1.2;
    ctx.setLineDash(n < DASHED_MOST ? look.dash(kind) : []);
    if (n) ctx.stroke();
    ctx.setLineDash([]);
}

// Edges over the tree: { from, to, kind, n }, of scene entries; wider the more of them are one.
export function draw_overlay(ctx, overlay, canvas, camera, look) {
    for (const { from, to, kind, n } of overlay) {
        if (look.phase(to.node) === "later") continue;
        const a = camera_box(camera, from.shown),
            b = camera_box(camera, to.shown);
        const x0 = a.x + a.width / 2,
            x1 = b.x + b.width / 2,
            y0 = a.y + a.height,
            y1 = b.y;
        if (misses({ x0, y0, x1, y1 }, canvas)) continue;
        const bend = 24 + Math.abs(x1 - x0) / 6;
        ctx.globalAlpha = 0.85;
        ctx.strokeStyle = ctx.fillStyle = look.edge(kind);
        ctx.lineWidth = Math.min(5, 1 + Math.log10(n));
        ctx.beginPath();
        ctx.moveTo(x0, y0);
        ctx.bezierCurveTo(x0, y0 + bend, x1, y1 - bend, x1, y1);
        ctx.setLineDash(look.dash(kind));
        ctx.stroke();
        ctx.setLineDash([]);
        ctx.beginPath();
        inverted(ctx, { x: x1 - 4, y: y1 - 8, width: 8, height: 8 });
        ctx.fill();
    }
}

// ---- all of it ----

// Returns how many nodes were in sight.
export function draw_scene(canvas, scene, edges, camera, look) {
    const { ctx } = canvas,
        seen = [];
    for (const each of scene) {
        const at = camera_box(camera, each.shown);
        if (is_in_sight(at_least(at, 2), canvas)) seen.push([each, at]);
    }
    ctx.save();
    ctx.font = look.font;
    ctx.textBaseline = "middle";
    const hulls = seen.filter(([each]) => each.place && each.node.open),
        closed = seen.filter(([each]) => !(each.place && each.node.open));
    for (const [each, at] of hulls) draw_hull(ctx, each, at, look);
    for (const kind of ["join", "create", "next"])
        draw_edges(ctx, edges, canvas, camera, look, kind);
    for (const [each, at] of closed) draw_closed(ctx, each, at_least(at, 2), look);
    for (const [each, at] of hulls) draw_hull_label(ctx, each, at, look);
    for (const [each, at] of closed) draw_label(ctx, each, at, look);
    ctx.restore();
    return seen.length;
}

// The innermost node at a point; of a strand, a little around it.
export function scene_at(scene, camera, x, y) {
    let found = null;
    for (const each of scene) {
        const at = camera_box(camera, each.shown),
            more = each.node.open ? 0 : 3;
        if (
            each.place &&
            x >= at.x - more &&
            x <= at.x + at.width + more &&
            y >= at.y - more &&
            y <= at.y + at.height + more
        )
            found = each;
    }
    return found;
}
