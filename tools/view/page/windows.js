// SPDX-License-Identifier: MIT
// windows.js - of a page that has some strands only: asks the server that it came from for all of
// those in sight, once zooming and moving are over.  One such window is there at a time, besides
// the strands that the page always has.
import { ask_window } from "./blocks.js";
import { numbers_of } from "./codec.js";
import { is_whole, read_window } from "./data.js";

const REST_MS = 120;
export const SAID = {
    whole: "every strand in sight is here",
    reading: "reading the strands in sight \u2026",
    many: "zoom in to see every strand",
    lost: "tptrace view --serve has ended: only the longest strands are here",
};

export class Windows {
    // take(data): what the page is to show from now on; ask(side, from, to): ask_window()
    /** @param {App} app */
    constructor(app, base, take, ask = ask_window) {
        this.app = app;
        this.base = base;
        this.take = take;
        this.ask = ask;
        this.state = "many";
        this.many = null;
        this.n = 0;
    }

    // Time changed: reads what is missing, a moment later.
    wake() {
        const { from, to } = this.app.time,
            { data, meta } = this.app,
            end = Math.min(to, meta.elapsed);
        clearTimeout(this.resting);
        if (is_whole(data, from, end)) return this.say("whole");
        if (this.is_many(from, end) || from >= end) return this.say("many");
        if (this.state !== "lost") this.say("reading");
        this.resting = setTimeout(() => this.read(), REST_MS);
    }

    // A stretch that holds one with too many strands has too many.
    is_many(from, to) {
        return this.many !== null && from <= this.many.from && to >= this.many.to;
    }

    async read() {
        const { app } = this,
            { from } = app.time,
            to = Math.min(app.time.to, app.meta.elapsed),
            number = ++this.n;
        try {
            const { own, texts } = await this.ask(app.side, from, to);
            if (number !== this.n) return; // a later one is under way
            if (!own.full) {
                this.many = { from, to };
                this.say("many");
                return;
            }
            const data = await read_window(
                this.base,
                own,
                name => numbers_of(texts(name)),
                () => app.slice(),
            );
            if (number !== this.n) return;
            this.take(data);
            this.say("whole");
        } catch (error) {
            if (number !== this.n) return;
            this.say("lost");
            this.error = error;
        }
    }

    say(state) {
        if (this.state === state) return;
        this.state = state;
        this.app.tell("detail");
    }
}
