// SPDX-License-Identifier: MIT
// small.mjs FILE.png.. - makes a screenshot of Chromium (8 bits, RGB) smaller: 256 of its colours,
// that differ and that it has often, and for the others the nearest of them.
import { readFileSync, writeFileSync } from "node:fs";
import { deflateSync, inflateSync } from "node:zlib";

const MOST = 256,
    FAR = 1500 /* sum of squares */,
    MAGIC = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

function chunks_of(file) {
    const chunks = { IDAT: [] };
    for (let at = MAGIC.length; at < file.length;) {
        const n = file.readUInt32BE(at),
            name = file.toString("latin1", at + 4, at + 8),
            data = file.subarray(at + 8, at + 8 + n);
        if (name === "IDAT") chunks.IDAT.push(data);
        else chunks[name] = data;
        at += n + 12;
    }
    return chunks;
}

// Rows of bytes without the filters of PNG.
function rows_of(bytes, wide, high) {
    const stride = wide * 3,
        out = Buffer.alloc(stride * high);
    for (let y = 0; y < high; y++) {
        const filter = bytes[y * (stride + 1)],
            row = y * stride;
        for (let x = 0; x < stride; x++) {
            const a = x >= 3 ? out[row + x - 3] : 0,
                b = y ? out[row - stride + x] : 0,
                c = x >= 3 && y ? out[row - stride + x - 3] : 0;
            const near = Math.min(Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c));
            const paeth = near === Math.abs(b - c) ? a : near === Math.abs(a - c) ? b : c;
            out[row + x] = bytes[y * (stride + 1) + 1 + x] + [0, a, b, (a + b) >> 1, paeth][filter];
        }
    }
    return out;
}

// At most so many colours, first those that differ, each with all pixels' numbers among them.
function paint_by_number(rows) {
    const counts = new Map(),
        numbers = new Map(),
        indexes = Buffer.alloc(rows.length / 3),
        colour_at = i => (rows[3 * i] << 16) | (rows[3 * i + 1] << 8) | rows[3 * i + 2];
    for (let i = 0; i < indexes.length; i++)
        counts.set(colour_at(i), (counts.get(colour_at(i)) ?? 0) + 1);
    const far = (p, q) =>
        [16, 8, 0].reduce((sum, bit) => sum + (((p >> bit) & 255) - ((q >> bit) & 255)) ** 2, 0);
    const sorted = [...counts].sort((a, b) => b[1] - a[1]).map(([colour]) => colour),
        colours = [];
    for (const least of [FAR, 0])
        for (const colour of sorted)
            if (colours.length < MOST && colours.every(each => far(colour, each) > least))
                colours.push(colour);
    for (const colour of counts.keys())
        numbers.set(
            colour,
            colours.reduce(
                (best, each, k) => (far(colour, each) < far(colour, colours[best]) ? k : best),
                0,
            ),
        );
    for (let i = 0; i < indexes.length; i++) indexes[i] = numbers.get(colour_at(i));
    return { colours, indexes };
}

// As PNG has it [ISO 3309].
function crc32(bytes) {
    let crc = -1;
    for (const byte of bytes) {
        crc ^= byte;
        for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    }
    return ~crc >>> 0;
}

function chunk(name, data) {
    const out = Buffer.alloc(data.length + 12);
    out.writeUInt32BE(data.length);
    out.write(name, 4, "latin1");
    data.copy(out, 8);
    out.writeUInt32BE(crc32(out.subarray(4, data.length + 8)), data.length + 8);
    return out;
}

for (const path of process.argv.slice(2)) {
    const { IHDR, IDAT } = chunks_of(readFileSync(path)),
        wide = IHDR.readUInt32BE(0),
        high = IHDR.readUInt32BE(4);
    if (IHDR[8] !== 8 || IHDR[9] !== 2) throw new Error(`${path}: not 8 bits of RGB`);
    const { colours, indexes } = paint_by_number(
            rows_of(inflateSync(Buffer.concat(IDAT)), wide, high),
        ),
        head = Buffer.from(IHDR),
        lines = Buffer.alloc(high * (wide + 1));
    head[9] = 3;
    for (let y = 0; y < high; y++)
        indexes.copy(lines, y * (wide + 1) + 1, y * wide, (y + 1) * wide);
    const palette = Buffer.from(
        colours.flatMap(colour => [colour >> 16, (colour >> 8) & 255, colour & 255]),
    );
    writeFileSync(
        path,
        Buffer.concat([
            MAGIC,
            chunk("IHDR", head),
            chunk("PLTE", palette),
            chunk("IDAT", deflateSync(lines, { level: 9 })),
            chunk("IEND", Buffer.alloc(0)),
        ]),
    );
}
