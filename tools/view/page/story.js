// SPDX-License-Identifier: MIT
// story.js - one finding, told in pictures: the run with the stretch that it is about, the run that
// is left with its cause cured, the lines of source, and what to change.
import { capital, plain, share, several, time } from "./format.js";
import { el, fill } from "./dom.js";
import {
    LEFT,
    RIGHT,
    RULER,
    draw_marks,
    draw_ruler,
    listen,
    make_axis,
    make_canvas,
    note_at,
} from "./canvas.js";
import { draw_sides, layout, measure } from "./compare_draw.js";
import { Cures } from "./cures.js";
import { choose_finding, fill_told, shorter, told_region } from "./findings.js";
import { colours_of_kinds } from "./sides.js";
import { fill_lines } from "./source.js";

const ROW_MOST = 110; // px
const NO_ARROWS = new Set();

const gain_of = ({ summary: { elapsed_ns, findings } }, i) =>
    shorter(elapsed_ns, findings[i].gain_ns) ?? "no shorter: the figures become truer";

// "13.0 ms, 7.00 ms (35 %) less"
function gained({ with: { elapsed_ns, at_best }, without, gain }) {
    const less = `${time(gain)} (${share(gain / without.elapsed_ns)}) less`;
    return `${at_best ? "at best " : ""}${time(elapsed_ns)}, ${less}`;
}

// What its simulation gives; "" without one.
function simulated(cures, i) {
    const cure = cures.of(i);
    if (!cure) return cures.why_not ? `not simulated: ${cures.why_not}` : "";
    const change = plain(cure.with.change);
    return cure.is_noise
        ? `simulated: no difference beyond chance with ${change}`
        : `simulated: ${gained(cure)} than ${time(cure.without.elapsed_ns)}, with ${change}`;
}

class Story {
    /** @param {App} app */
    constructor(app, host) {
        this.app = app;
        this.cures = new Cures();
        this.told = told_region();
        this.area = el("div", { class: "area" });
        this.code = el("div", { class: "lines" });
        fill(host, this.told, this.area, this.code);
        this.canvas = make_canvas(
            app,
            this.area,
            "the run as it was, and with the finding's cause cured; the text above says it",
        );
        const hit = (x, y) =>
            y < RULER ? note_at(app, make_axis(app, this.canvas, LEFT, RIGHT), x) : null;
        listen(app, this.canvas, hit, Object.assign([LEFT, RIGHT], { brush: true }));
        this.tell();
    }

    // The finding that is told: what is selected, else the first.
    get number() {
        return this.app.meta.findings.length ? (this.app.selection.finding ?? 0) : null;
    }

    // The run, as draw_sides() takes one of several; and what it would be with the cure.
    sides() {
        const { summary, data } = this.app,
            of_machine = this.number !== null && this.app.meta.findings[this.number].of_machine,
            ran = { label: "as it ran", letter: "", summary, data, has_cpu: of_machine },
            cure = this.number === null ? null : this.cures.of(this.number);
        if (!cure || cure.is_noise) return [ran];
        const cured = this.cures.schedule(this.app, this.number, () => this.app.dirty());
        return cured
            ? [ran, { label: "cured, simulated", letter: "", simulated: gained(cure), data: cured }]
            : [ran];
    }

    // ---- in words ----

    tell() {
        const { number } = this;
        if (number === null) {
            const text = "No known cause took 2 % of the worker time: nothing stands out.";
            fill(this.told, el("h2", { class: "headline" }, text));
            fill(this.code);
        } else {
            this.tell_finding(number);
            fill_lines(this.app, this.code, number);
        }
    }

    tell_finding(i) {
        const { app } = this,
            finding = app.summary.findings[i],
            at = app.meta.findings[i],
            machine = at.of_machine ? capital(finding.what.split(":")[0]) : null,
            part = share(finding.lost_ns / app.summary.cumulative_ns);
        const cost =
            `${time(finding.lost_ns)} of ${several(app.summary.workers, "worker")}' ` +
            `${time(app.summary.cumulative_ns)} (${part})` +
            (finding.where && !machine ? `, in ${plain(finding.where)}` : "");
        fill_told(
            app,
            this.told,
            i,
            machine || at.meaning || at.title,
            [
                ["cost", cost],
                ["seen", finding.what],
            ],
            [
                ["change", finding.try],
                ["then", [gain_of(app, i), simulated(this.cures, i)].join("\n").trim()],
            ],
        );
    }

    // ---- in pictures ----

    draw() {
        const { app, canvas } = this,
            { ctx } = canvas,
            sides = this.sides();
        ctx.clearRect(0, 0, canvas.width, canvas.height);
        if (canvas.height < 60) return;
        const place = layout(
                sides.map(side => side.data.rows.length),
                sides.map(side => (side.simulated ? 0 : side.data.n_workers)),
                canvas.height,
                ROW_MOST,
            ),
            axis = make_axis(app, canvas, LEFT, RIGHT),
            seen = measure(sides, axis, Math.max(1, Math.floor(axis.width)));
        const kinds = colours_of_kinds(app, [sides[0]]);
        draw_sides(app, canvas, axis, sides, place, seen, kinds, NO_ARROWS);
        draw_ruler(app, ctx, axis, 0);
        draw_marks(app, ctx, axis, place.parts[0].end);
        this.draw_gain(ctx, axis, place.parts[0]);
    }

    // Where the run would be over.
    draw_gain(ctx, axis, part) {
        const { app, number } = this,
            gain = number === null ? 0 : app.summary.findings[number].gain_ns,
            x = Math.round(axis.x(app.summary.elapsed_ns - gain));
        if (!(gain > 0) || x < axis.left || x > axis.left + axis.width) return;
        ctx.font = "600 12px system-ui, sans-serif";
        const cured = time(app.summary.elapsed_ns - gain),
            fits = text => ctx.measureText(text).width + 12 < axis.width / 2,
            text = [`cured, at best over here: ${cured}`, `cured: ${cured}`].find(fits) ?? cured,
            width = ctx.measureText(text).width + 12,
            left = x + width > axis.left + axis.width ? x - width : x;
        ctx.fillStyle = app.colour.paper;
        ctx.fillRect(left, part.top, width, 18);
        ctx.fillStyle = app.colour.accent;
        ctx.fillRect(x, part.top, 2, part.end - part.top);
        ctx.textBaseline = "middle";
        ctx.textAlign = "left";
        ctx.fillText(text, left + 7, part.top + 9);
    }
}

export const view = {
    id: "story",
    title: "Finding",
    hint: "one finding in pictures: when, where, what to change, and what that would bring",
    alone: true,
    /** @param {App} app */
    mount(app, host) {
        const it = new Story(app, host);
        return {
            draw: () => it.draw(),
            changed: news => {
                if (news.has("selection") || news.has("theme") || news.has("data")) it.tell();
            },
        };
    },
};

// What the page opens on: its main finding, where no link says otherwise.
/** @param {App} app */
export function open_story(app) {
    if (location.hash.length > 1 || !app.meta.findings.length || app.sides.length) return;
    choose_finding(app, 0);
}
