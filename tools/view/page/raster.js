// SPDX-License-Identifier: MIT
// raster.js - colours stacked in columns of a pixel, as one image: as rectangles they cost a
// browser 1 us each.
import { parts_of } from "./colours.js";

// A colour as the bytes of a pixel, whichever end comes first.
function word_of([r, g, b], alpha) {
    return new Uint32Array(Uint8Array.of(r, g, b, Math.round(255 * alpha)).buffer)[0];
}

export class Raster {
    constructor() {
        this.n = this.rows = 0;
        this.words_of = new Map();
        this.ratio = 1;
        this.node = null; // the canvas that draw() copies from
    }

    // Empty: n columns, `height` CSS px of `ratio` pixels each.
    begin(n, height, ratio) {
        const rows = Math.max(1, Math.ceil(height * ratio));
        if (n !== this.n || rows !== this.rows) {
            this.bytes = new Uint8ClampedArray(4 * n * rows);
            this.words = new Uint32Array(this.bytes.buffer);
        } else this.words.fill(0);
        this.n = n;
        this.rows = rows;
        this.ratio = ratio;
    }

    // What put() takes for a colour of CSS.
    paint(colour, alpha = 1) {
        const key = `${colour} ${alpha}`;
        if (!this.words_of.has(key)) {
            const parts = parts_of(colour);
            this.words_of.set(key, { parts, alpha, word: word_of(parts, alpha) });
        }
        return this.words_of.get(key);
    }

    // Column x from y down to y + height, in CSS px.
    put(x, y, height, paint) {
        const top = Math.max(0, y * this.ratio),
            bottom = Math.min(this.rows, (y + height) * this.ratio);
        if (!(bottom > top)) return;
        const first = Math.ceil(top),
            last = Math.floor(bottom);
        if (first > last) return this.mix(x, last, bottom - top, paint);
        if (first > top) this.mix(x, first - 1, first - top, paint);
        for (let at = first * this.n + x, end = last * this.n; at < end; at += this.n)
            this.words[at] = paint.word;
        if (bottom > last) this.mix(x, last, bottom - last, paint);
    }

    // Columns [x0, x1) alike.
    box(x0, x1, y, height, paint) {
        const first = Math.max(0, Math.round(y * this.ratio)),
            last = Math.min(this.rows, Math.round((y + height) * this.ratio)),
            from = Math.max(0, x0),
            to = Math.min(this.n, x1);
        if (to > from)
            for (let row = first; row < last; row++)
                this.words.fill(paint.word, row * this.n + from, row * this.n + to);
    }

    // A part of a pixel, beside what others have of it.
    mix(x, row, share, { parts, alpha }) {
        const at = 4 * (row * this.n + x),
            { bytes } = this,
            had = bytes[at + 3] / 255,
            more = share * alpha,
            all = had + more;
        for (let k = 0; k < 3; k++) bytes[at + k] = (bytes[at + k] * had + parts[k] * more) / all;
        bytes[at + 3] = 255 * all;
    }

    // With its top left at x, y; `width` CSS px wide.
    draw(ctx, x, y, width = this.n) {
        const node = (this.node ??= document.createElement("canvas"));
        if (node.width !== this.n || node.height !== this.rows) {
            node.width = this.n;
            node.height = this.rows;
            this.own = node.getContext("2d", { willReadFrequently: true });
        }
        this.own.putImageData(new ImageData(this.bytes, this.n, this.rows), 0, 0);
        ctx.imageSmoothingEnabled = false;
        ctx.drawImage(node, x, y, width, this.rows / this.ratio);
    }
}

// On what `base` has already above y: of[x] * unit px.
export function put_stack(raster, y, base, of, unit, paint) {
    for (let x = 0; x < of.length; x++) {
        const height = of[x] * unit;
        if (!(height > 0)) continue;
        base[x] += height;
        raster.put(x, y - base[x], height, paint);
    }
}
