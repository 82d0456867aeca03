// SPDX-License-Identifier: MIT
// codec.js - reads columns that section.c wrote: base64, deflate, varints.

export function bytes_of_base64(text) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
    const binary = atob(text),
        bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
    return bytes;
}

// Inflates RFC 1950.  Not from a Blob: in a Worker of a file: page, Chromium never ends to read
// one.
export async function inflate(bytes) {
    const stream = new DecompressionStream("deflate"),
        writer = stream.writable.getWriter(),
        nothing = () => {};
    writer.write(bytes).catch(nothing); // who reads is told
    writer.close().catch(nothing);
    return new Uint8Array(await new Response(stream.readable).arrayBuffer());
}

// Numbers from bytes, one after the other; 0 behind the last.
export class Numbers {
    constructor(bytes) {
        this.bytes = bytes;
        this.at = 0;
    }
    get over() {
        return this.at >= this.bytes.length;
    }
    byte() {
        return this.bytes[this.at++] ?? 0;
    }
    next() {
        const byte = this.bytes[this.at++];
        return byte < 0x80 ? byte : this.longer(byte);
    }
    longer(first) {
        const bytes = this.bytes;
        let byte = first,
            number = byte & 0x7f,
            scale = 128;
        while (byte & 0x80) {
            byte = bytes[this.at++];
            number += (byte & 0x7f) * scale;
            scale *= 128;
        }
        return number || 0;
    }
    signed() {
        const number = this.next();
        return number % 2 ? -(number + 1) / 2 : number / 2;
    }
}

// Of a column as the page has it.
export async function numbers_of(text) {
    return new Numbers(await inflate(bytes_of_base64(text)));
}
