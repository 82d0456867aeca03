// SPDX-License-Identifier: MIT
// gestures.js - what pointers do on a canvas: hover, click, drag, pinch with two fingers, and ask
// for the menu.

const CLICK_PX = 4; // a pointer that moved so far drags

// Where on the node an event is: [x, y].
function pointer_of(node) {
    return event => {
        const box = node.getBoundingClientRect();
        return [event.clientX - box.left, event.clientY - box.top];
    };
}

const middle = (a, b) => [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
const distance = (a, b) => Math.max(1, Math.hypot(a[0] - b[0], a[1] - b[1]));

// Whether a key asked for the menu: Ctrl and click may do so, and a finger that stays.
export function is_of_key(event) {
    return event.button !== 2 && !event.ctrlKey && event.pointerType !== "touch";
}

// on: press(x, y, event) -> what drag() and pinch() shall know; drag(down, x, y): `down` has that,
// and where it began; pinch(down, factor, x, y): two fingers are `factor` times as far apart,
// around x, y; click(x, y); hover(x, y, event), leave(), twice(x, y), menu(event, [x, y], or null
// of a key), wheel(x, y, event).
export function listen_to_pointers(node, on) {
    const at = pointer_of(node),
        fingers = new Map();
    let down = null;
    const lift = event => {
        fingers.delete(event.pointerId);
        down = null;
    };
    node.addEventListener("pointerdown", event => {
        if (event.button !== 0) return;
        fingers.set(event.pointerId, at(event));
        const [a, b] = [...fingers.values()],
            [x, y] = b ? middle(a, b) : a;
        down =
            fingers.size > 2
                ? null
                : {
                      ...on.press(x, y, event),
                      x,
                      y,
                      apart: b ? distance(a, b) : 0,
                      moved: Boolean(b),
                  };
        node.setPointerCapture(event.pointerId);
    });
    node.addEventListener("pointermove", event => {
        const [x, y] = at(event);
        if (fingers.has(event.pointerId)) fingers.set(event.pointerId, [x, y]);
        if (down?.apart) {
            const [a, b] = [...fingers.values()];
            return on.pinch(down, distance(a, b) / down.apart, ...middle(a, b));
        }
        if (down && (down.moved || Math.hypot(x - down.x, y - down.y) > CLICK_PX)) {
            down.moved = true;
            return on.drag(down, x, y);
        }
        on.hover(x, y, event);
    });
    node.addEventListener("pointerup", event => {
        if (down && !down.moved) on.click(...at(event));
        lift(event);
    });
    node.addEventListener("pointercancel", lift);
    node.addEventListener("pointerleave", () => on.leave());
    node.addEventListener("dblclick", event => on.twice(...at(event)));
    node.addEventListener("contextmenu", event => {
        down = null;
        on.menu(event, is_of_key(event) ? null : at(event));
    });
    node.addEventListener(
        "wheel",
        event => {
            event.preventDefault();
            on.wheel(...at(event), event);
        },
        { passive: false },
    );
}

// How far a wheel turned, in px: { x, y }.
export function turned(event) {
    const unit = event.deltaMode === 1 ? 16 : 1;
    return { x: event.deltaX * unit, y: event.deltaY * unit };
}
