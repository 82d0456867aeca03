// SPDX-License-Identifier: MIT
// steps.js - long work in short steps, between which the page draws and answers.  Work is a
// generator: it yields the share of it that is done, at the latest after pace.items items, and
// returns what it found.
import { el } from "./dom.js";
import { NONE } from "./kinds.js";

export const pace = { items: 8192, ms: 8 }; // of a step; of steps until the browser has its turn

// fn(i) for each i of [0, n).
export function* for_each(n, fn) {
    for (let i = 0; i < n;) {
        for (const end = Math.min(n, i + pace.items); i < end; i++) fn(i);
        yield i / n;
    }
}

// The same from the last one to the first.
export function* for_each_back(n, fn) {
    yield* for_each(n, i => fn(n - 1 - i));
}

// fn(i) from i on, along next[i], while it says true.  How far it is nobody knows.
export function* along(first, next, fn) {
    for (let i = first, n = 1; i !== NONE && fn(i); i = next[i], n++)
        if (n % pace.items === 0) yield 1 - pace.items / n;
}

// Work that is the stretch [from, to) of a longer one.
export function* stage(work, from, to) {
    for (;;) {
        const { done, value } = work.next();
        if (done) return value;
        yield from + (to - from) * value;
    }
}

// All of it at once, where nobody waits.
export function finish(work) {
    for (;;) {
        const { done, value } = work.next();
        if (done) return value;
    }
}

// The browser has its turn.
export function turn() {
    return new Promise(go_on => {
        const channel = new MessageChannel();
        channel.port1.onmessage = go_on;
        channel.port2.postMessage(0);
    });
}

// Work that an element waits for: while it lasts, this says "computing" and how far it is.
export class Work {
    /** @param {HTMLElement} host */
    constructor(host) {
        this.host = host;
        this.bar = el("progress", { max: "1", "aria-label": "computing" });
        this.told = el("p", { class: "computing", role: "status" }, "computing .. ", this.bar);
        this.work = null;
    }

    // What it did before is given up.  done(result): at once where the work is short.  rest: ms
    // until it begins, in which something else may be started, and nothing is said.
    start(work, done, rest = 0) {
        this.work = work;
        if (!rest) return this.go_on(work, done);
        this.host.setAttribute("aria-busy", "true");
        setTimeout(() => this.work === work && this.go_on(work, done), rest);
    }

    get is_busy() {
        return this.work !== null;
    }

    stop() {
        this.work = null;
        this.show(false);
    }

    go_on(work, done) {
        const began = performance.now();
        do {
            const next = work.next();
            if (this.work !== work) return;
            if (next.done) {
                this.stop();
                done(next.value);
                this.host.dispatchEvent(new CustomEvent("computed", { bubbles: true }));
                return;
            }
            this.bar.value = next.value;
        } while (performance.now() - began < pace.ms);
        this.show(true);
        turn().then(() => {
            if (this.work === work) this.go_on(work, done);
        });
    }

    show(is_busy) {
        if (is_busy) {
            if (!this.told.isConnected) this.host.append(this.told);
            this.host.setAttribute("aria-busy", "true");
        } else {
            this.told.remove();
            this.host.removeAttribute("aria-busy");
        }
    }
}
