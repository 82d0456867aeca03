// SPDX-License-Identifier: MIT
// dag_camera.js - moves over a picture in two dimensions: drag to move, wheel or two fingers to
// zoom there (Shift and wheel: only across, Alt: only down), and what the pointer is on.  A camera:
// { x, y, kx, ky } (dag_draw.js).
import { show_tip } from "./canvas.js";
import { listen_to_pointers, turned } from "./gestures.js";

const LEAST = 1e-4,
    MOST = 1e5;

export function camera_zoom(camera, factor_x, factor_y, x, y) {
    const kx = Math.min(MOST, Math.max(LEAST, camera.kx * factor_x)),
        ky = Math.min(MOST, Math.max(LEAST, camera.ky * factor_y));
    camera.x += x / camera.kx - x / kx;
    camera.y += y / camera.ky - y / ky;
    camera.kx = kx;
    camera.ky = ky;
}

export function camera_move(camera, dx, dy) {
    camera.x += dx / camera.kx;
    camera.y += dy / camera.ky;
}

// All of a box { left, right, top, bottom }; `most` is the greatest scale, `most_down` that of a
// free one downwards.  Alike in both directions, unless `is_free`.
export function camera_fit(camera, box, canvas, most, is_free, most_down = Infinity) {
    const air = 16,
        kx = (canvas.width - 2 * air) / (box.right - box.left || 1),
        ky = (canvas.height - 2 * air) / (box.bottom - box.top || 1);
    camera.kx = Math.min(most, is_free ? kx : Math.min(kx, ky));
    camera.ky = is_free ? Math.min(most_down, ky) : camera.kx;
    camera.x = (box.left + box.right) / 2 - canvas.width / 2 / camera.kx;
    camera.y = is_free
        ? box.top - air / camera.ky
        : Math.max(
              box.top - air / camera.ky,
              (box.top + box.bottom) / 2 - canvas.height / 2 / camera.ky,
          );
    if (camera.ky * (box.bottom - box.top) < canvas.height) camera.y = box.top - air / camera.ky;
}

// on: hit(x, y) -> { text, .. } or null; hover(hit), click(hit), twice(hit), and moved() after each
// change of the camera.
/** @param {App} app */
export function camera_listen(app, canvas, camera, on) {
    const { node } = canvas,
        hit = (x, y) => on.hit(x, y);
    listen_to_pointers(node, {
        press: () => ({ camera: { ...camera } }),
        drag(down, x, y) {
            camera_move(camera, down.x - x, down.y - y);
            Object.assign(down, { x, y });
            on.moved();
        },
        pinch(down, factor, x, y) {
            Object.assign(camera, down.camera);
            camera_move(camera, down.x - x, down.y - y);
            camera_zoom(camera, factor, factor, x, y);
            on.moved();
        },
        hover(x, y, event) {
            const found = hit(x, y);
            on.hover(found);
            show_tip(app, found ? found.text() : null, event.clientX, event.clientY);
            node.style.cursor = found ? "pointer" : "grab";
        },
        leave() {
            on.hover(null);
            show_tip(app, null);
        },
        click: (x, y) => on.click(hit(x, y)),
        twice: (x, y) => on.twice(hit(x, y)),
        menu(event, place) {
            const found = place && hit(...place);
            if (found) on.click(found);
            app.menu(event);
        },
        wheel(x, y, event) {
            const by = turned(event),
                factor = Math.exp(-(by.y || by.x) * 0.002);
            camera_zoom(camera, event.altKey ? 1 : factor, event.shiftKey ? 1 : factor, x, y);
            on.moved();
        },
    });
}

// Arrows move, + and - zoom; true if it was one of them.
export function camera_key(camera, canvas, event) {
    const moves = {
            ArrowLeft: [-60, 0],
            ArrowRight: [60, 0],
            ArrowUp: [0, -60],
            ArrowDown: [0, 60],
        },
        zooms = { "+": 1.25, "=": 1.25, "-": 0.8 };
    if (moves[event.key])
        camera_move(camera, ...moves[event.key].map(px => px * (event.shiftKey ? 10 : 1)));
    else if (zooms[event.key])
        camera_zoom(
            camera,
            zooms[event.key],
            zooms[event.key],
            canvas.width / 2,
            canvas.height / 2,
        );
    else return false;
    return true;
}

// As numbers, and back; false if they are none of a camera.
export function camera_numbers({ x, y, kx, ky }) {
    return [x, y, kx, ky];
}

export function camera_take(camera, [x, y, kx, ky]) {
    if (!(kx >= LEAST && kx <= MOST && ky >= LEAST && ky <= MOST)) return false;
    Object.assign(camera, { x, y, kx, ky });
    return true;
}
