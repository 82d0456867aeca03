// SPDX-License-Identifier: MIT
// dag_layout.js - where the nodes in sight lie: time and space linear in their number, no
// recursion.
//
// After DAGViz (Huynh, Taura 2017): a node has a box, and in a spine a link box around itself and
// all that follows it.  What a strand created hangs to its left, what its task does next goes on to
// its right, and lies straight below if nothing was created; so no edge of the tree crosses
// another.  In a spine of creations the tasks line up: each lies below the strand before the one
// that created it.
//
// rules:
//  size(node)    { width, height } of a closed one
//  gap(a, b)     vertical distance from a to b, which follows it
//  pad           { top, side, bottom } of an open one, around its items
//  span(node)    null, or function: [y, height] of a node, where y is time; then gap and pad.top,
//                bottom do not count
//
// A place: { node, x, y, left, right, depth, first, last }; x is that of the node's axis, y its
// top; it reaches from x - left to x + right, and down to y + depth.  first, last: the places that
// edges to and from it end at.  Nodes: dag_tree.js.

export const SPREAD = 18; // horizontal distance of boxes

// All nodes in sight; each one's items and sides come behind it, each run of them in order.
function places_in_sight(root) {
    const places = [{ node: root, up: null }];
    for (let i = 0; i < places.length; i++) {
        const { node } = places[i];
        places[i].at_items = places.length;
        if (node.open)
            for (const item of node.items)
                places.push({ node: item, up: places[i], is_item: true });
        places[i].at_sides = places.length;
        if (!(node.open && node.what === "creates"))
            for (const side of node.sides)
                places.push({ node: side, up: places[i], is_item: false });
        places[i].at_end = places.length;
    }
    return places;
}

function move(place, dx, dy) {
    place.dx = dx;
    place.dy = dy;
}

// ---- how items lie; sets dx and dy of each, gives the box around them ----

function line(items, rules) {
    const box = { left: 0, right: 0, depth: 0 };
    items.forEach((item, i) => {
        if (i > 0) box.depth += rules.gap(items[i - 1].node, item.node);
        move(item, 0, box.depth);
        box.left = Math.max(box.left, item.left);
        box.right = Math.max(box.right, item.right);
        box.depth += item.depth;
    });
    return box;
}

function row(items) {
    let width = -SPREAD,
        depth = 0;
    for (const item of items) {
        width += SPREAD + item.left + item.right;
        depth = Math.max(depth, item.depth);
    }
    let x = -width / 2;
    for (const item of items) {
        move(item, x + item.left, 0);
        x += item.left + item.right + SPREAD;
    }
    return { left: width / 2, right: width / 2, depth };
}

// Where the next one of a spine lies, and the right end of this one's sides: null for below it, in
// the middle.
function fork(next, next_link, is_later) {
    if (!next) return { x: 0, sides_end: is_later ? -SPREAD / 2 : null };
    const x = next.sides.length ? -next.sides.at(-1).dx : next_link.left + SPREAD / 2;
    return { x, sides_end: Math.min(-SPREAD / 2, x - next_link.left - SPREAD) };
}

// Places the sides of an item below it; the box around them, by their item's axis.
function hang(item, sides_end, rules) {
    const box = row(item.sides),
        end = sides_end ?? box.right,
        shift = end - box.right;
    for (const side of item.sides)
        move(side, side.dx + shift, item.depth + rules.gap(item.node, side.node));
    const depth = Math.max(...item.sides.map(side => side.dy + side.depth));
    return { left: box.left - shift, right: end, depth };
}

function link_alone(item) {
    return { left: item.left, right: item.right, depth: item.depth };
}

function link_around(link, box, x, y) {
    link.left = Math.max(link.left, box.left - x);
    link.right = Math.max(link.right, x + box.right);
    link.depth = Math.max(link.depth, y + box.depth);
}

// From the last item up: the link box of each follows from that of the next.
function spine(items, rules) {
    let below = null,
        link = null;
    for (let i = items.length; i-- > 0;) {
        const item = items[i],
            hangs = item.sides.length > 0;
        const at = hangs ? fork(below, link, i > 0) : { x: 0, sides_end: null };
        const around = link_alone(item);
        if (hangs) link_around(around, hang(item, at.sides_end, rules), 0, 0);
        if (below) {
            below.dx = at.x;
            below.dy = item.depth + rules.gap(item.node, below.node);
            link_around(around, link, below.dx, below.dy);
        }
        below = item;
        link = around;
    }
    items.reduce(
        (x_y, item, i) => {
            const at = i ? [x_y[0] + item.dx, x_y[1] + item.dy] : [0, 0];
            move(item, ...at);
            return at;
        },
        [0, 0],
    );
    return link;
}

const ARRANGE = { line, row, spine };

// ---- boxes, from the innermost out ----

function close_box(place, rules) {
    const { width, height } = rules.size(place.node);
    Object.assign(place, {
        left: width / 2,
        right: width / 2,
        depth: height,
        first: place,
        last: place,
    });
}

// What follows a chain's task lies in its time: with time on y it lies beside it.
function arrangement(node, rules) {
    return node.what === "chain" && rules.span ? "row" : node.arrange;
}

function open_box(place, items, rules) {
    const how = arrangement(place.node, rules);
    const box = ARRANGE[how](items, rules),
        { top, side, bottom } = rules.pad;
    for (const item of items) item.dy += top;
    place.left = box.left + side;
    place.right = box.right + side;
    place.depth = top + box.depth + bottom;
    place.first = how === "row" ? place : items[0].first;
    place.last = how === "row" ? place : items.at(-1).last;
}

function measure(places, rules) {
    for (let i = places.length; i-- > 0;) {
        const place = places[i];
        place.sides = places.slice(place.at_sides, place.at_end);
        place.items = places.slice(place.at_items, place.at_sides);
        if (place.items.length) open_box(place, place.items, rules);
        else close_box(place, rules);
    }
}

function settle(places, rules) {
    for (const place of places) {
        place.x = place.up ? place.up.x + place.dx : 0;
        place.y = place.up ? place.up.y + place.dy : 0;
        if (rules.span) [place.y, place.depth] = rules.span(place.node);
    }
}

// ---- edges ----

// Where the tasks created in a spine are joined: the place that follows its section; null if none
// does.
function join_of(place) {
    for (; place.up && place.node.what === "creates"; place = place.up);
    return place.node.what === "section" ? place.follower : null;
}

function edges_of(places) {
    const edges = [];
    for (const place of places) {
        if (!place.items.length) continue;
        place.items.forEach(
            (item, i) =>
                (item.follower =
                    place.node.arrange === "row" ? null : (place.items[i + 1] ?? null)),
        );
        const joins = place.node.arrange === "spine" ? join_of(place) : null;
        for (const item of place.items) edges_from(edges, place, item, joins);
    }
    return edges;
}

function edges_from(edges, place, item, joins) {
    if (item.follower && place.node.what === "chain")
        edges.push({ from: item, to: item.follower, kind: "create" });
    else if (item.follower) edges.push({ from: item.last, to: item.follower.first, kind: "next" });
    for (const side of item.sides) {
        edges.push({ from: item, to: side.first, kind: "create" });
        if (joins) edges.push({ from: side.last, to: joins.first, kind: "join" });
    }
}

// { places, edges, left, right, depth }: places in an order in which containers come first.
export function layout_build(root, rules) {
    const places = places_in_sight(root);
    measure(places, rules);
    settle(places, rules);
    const { left, right, depth } = places[0];
    return { places, edges: edges_of(places), left, right, depth };
}
