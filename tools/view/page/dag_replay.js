// SPDX-License-Identifier: MIT
// dag_replay.js - the DAG as it was at an instant: what had not begun is faint, what ran is marked;
// a slider, steps and playing move the instant [DAGViz' replay].
import { button, el, fill } from "./dom.js";
import { first_above } from "./levels.js";

const PLAY_MS = 12000; // the time in sight takes so long

export class Replay {
    // moved(): `at` is another instant; null: there is no replay
    /** @param {App} app */
    constructor(app, moved) {
        this.app = app;
        this.moved = moved;
        this.at = null;
        this.played = null;
        this.ends = null; // of strands, in order
        this.strip = el("div", { class: "strip replay", hidden: true });
    }

    // "later", "now" or "done"; all is done where there is no replay.
    phase({ start, end }) {
        if (this.at === null || end <= this.at) return "done";
        return start > this.at ? "later" : "now";
    }

    turn(is_on) {
        this.stop();
        this.move(is_on ? this.app.time.from : null);
    }

    move(at) {
        const { app } = this;
        this.at = at === null ? null : Math.max(0, Math.min(app.data.elapsed, Math.round(at)));
        app.over(this.at === null ? {} : { from: this.at }); // the other views mark it
        this.tell();
        this.moved();
    }

    // To the next instant, or the one before, at which a strand begins or ends.
    step(by) {
        const { strand } = this.app.data,
            { at } = this,
            ends = (this.ends ??= Float64Array.from(strand.end).sort());
        this.stop();
        const first = list => (by > 0 ? first_above(list, at) : first_above(list, at - 1) - 1);
        const near = [strand.start, ends]
            .map(list => list[first(list)])
            .filter(ns => ns !== undefined);
        if (near.length) this.move(by > 0 ? Math.min(...near) : Math.max(...near));
    }

    play() {
        const { time } = this.app;
        if (this.played) return this.stop();
        if (this.at >= Math.min(time.to, this.app.data.elapsed)) this.move(time.from);
        this.played = {
            at: this.at,
            since: performance.now(),
            ns_per_ms: (time.to - time.from) / PLAY_MS,
        };
        this.tell();
        this.app.dirty();
    }

    stop() {
        this.played = null;
        this.ends = null; // of strands, in order
        this.tell();
    }

    // Before a frame is drawn.
    advance() {
        if (!this.played) return;
        const { at, since, ns_per_ms } = this.played,
            now = at + (performance.now() - since) * ns_per_ms,
            { elapsed } = this.app.data;
        this.move(now);
        if (now >= elapsed) this.stop();
    }

    tell() {
        const { strip, app } = this,
            text = this.at === null ? "" : app.format.time(this.at);
        strip.hidden = this.at === null;
        if (strip.hidden) return;
        if (!this.slider) this.make();
        this.slider.value = this.at;
        this.slider.setAttribute("aria-valuetext", text);
        this.instant.textContent = text;
        this.button.textContent = this.played ? "pause" : "play";
    }

    make() {
        this.slider = el("input", {
            type: "range",
            min: 0,
            max: this.app.data.elapsed,
            step: "any",
            "aria-label": "instant of the replay",
            on: {
                input: event => {
                    this.played = null;
                    this.ends = null; // of strands, in order
                    this.move(Number(event.target.value));
                },
            },
        });
        this.instant = el("output");
        this.button = button("play", () => this.play(), {
            title: "plays the time in sight of the timelines",
        });
        fill(
            this.strip,
            this.button,
            button("\u2039", () => this.step(-1), {
                title: "the instant before at which a strand began or ended (,)",
            }),
            button("\u203a", () => this.step(1), { title: "the next one (.)" }),
            el("label", { class: "instant" }, "at", this.slider),
            this.instant,
            el("span", { class: "hint" }, "faint: not begun; outlined: running"),
        );
    }
}
