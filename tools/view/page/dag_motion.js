// SPDX-License-Identifier: MIT
// dag_motion.js - from one layout to the next in 400 ms: nodes move, come out of the node that held
// them, and go back into it.  What is on its way when the next change comes starts from where it is
// then, so that nothing jumps.
//
// A scene is a list of { node, place, from, to, shown }; boxes are { x, y, left, right, depth,
// alpha }.  place is null for a node that goes away.

export const MOTION_MS = 400;

const EDGES = ["x", "y", "left", "right", "depth", "alpha"];

function box_of(place, alpha = 1) {
    return {
        x: place.x,
        y: place.y,
        left: place.left,
        right: place.right,
        depth: place.depth,
        alpha,
    };
}

// The box of the nearest node around it that has one; null if none has.
function box_around(boxes, node) {
    for (let above = node.parent ?? node.owner; above; above = above.parent) {
        const box = boxes.get(above);
        if (box) return { ...box, alpha: 0 };
    }
    return null;
}

// `before` is the scene so far, null at first.
export function motion_start(before, layout) {
    const shown = new Map(before ? before.map(each => [each.node, each.shown]) : []);
    const target = new Map(layout.places.map(place => [place.node, box_of(place)]));
    const scene = layout.places.map(place => {
        const to = target.get(place.node);
        return {
            node: place.node,
            place,
            from: shown.get(place.node) ?? box_around(shown, place.node) ?? to,
            to,
        };
    });
    for (const each of before ?? [])
        if (!target.has(each.node) && each.shown.alpha > 0)
            scene.push({
                node: each.node,
                place: null,
                from: each.shown,
                to: box_around(target, each.node) ?? { ...each.shown, alpha: 0 },
            });
    motion_step(scene, 0);
    return scene;
}

// share: of the time that has passed.  Fast first, then slower.
export function motion_step(scene, share) {
    const done = 1 - (1 - Math.min(1, share)) ** 2;
    for (const each of scene) {
        each.shown = {};
        for (const edge of EDGES)
            each.shown[edge] = each.from[edge] + (each.to[edge] - each.from[edge]) * done;
    }
}

// Without what has gone.
export function motion_end(scene) {
    motion_step(scene, 1);
    return scene.filter(each => each.place);
}
