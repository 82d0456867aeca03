// SPDX-License-Identifier: MIT
// why.js - for an instant of an idle worker: what was ready, where, and why this worker did not
// take it.
import { idle_words } from "./bars.js";
import { row_at } from "./data.js";
import { CALLS, NONE, STATES, WAITS } from "./kinds.js";
import { cpu_use } from "./cpu.js";
import { chosen_by, el, fill, head_of, link_button, name_of, region } from "./dom.js";
import { keep_numbers } from "./link.js";
import { source_of } from "./bound.js";
import { Work, stage } from "./steps.js";
import { idle_stretches, is_idle, path_at } from "./why_facts.js";
import { REASONS, why_idle, why_stretch } from "./why_reason.js";

const STRETCHES = 40,
    GROUPS_MOST = 40,
    STEPS = 1000;
const READY_HEAD = [
    "ready",
    "of kind",
    "on worker",
    "for up to",
    "and that worker",
    "why this worker did not take it",
];

// [what it is called, what proves it]
const SAID_OF_STATE = {
    running: "ran",
    runtime: "in the runtime",
    blocked: "blocked",
    idle: "idle",
    tracer: "held by tptrace",
    message: "in MPI",
    device: "waiting for a device",
};
const SAID = {
    nothing: ["nothing was ready", "no strand of the program could go on beside those that ran"],
    member: [
        "another worker's own",
        "it is the implicit task of another member of the team, and begins on that member's worker",
    ],
    held: [
        "held back",
        "tasks of this kind begin only once the task that creates them waits; it had not come " +
            "to a wait yet",
    ],
    throttled: [
        "throttled",
        "its worker ran the new task inside the call that creates it, as a full queue makes " +
            "it; most creations did not",
    ],
    buried: [
        "tied, and its worker ran something else",
        "it went on on the worker where it had stopped, as all of its kind did",
    ],
    call: [
        "still in a call",
        "the call of the runtime that it made had not returned on its own worker",
    ],
    tied: [
        "tied to its worker",
        "it went on on the worker where it had stopped, as all of its kind did",
    ],
    barred: [
        "barred at a wait",
        "this worker waited, and took nothing until that wait was over; the strand is not " +
            "below the task that waits",
    ],
    came: ["not yet there", "this worker took it later: it was still on its way to it"],
    unknown: [
        "not known",
        "any worker might have taken it; the trace does not say why this one did not",
    ],
};

class Why {
    /** @param {App} app */
    constructor(app, host) {
        this.app = app;
        host.classList.add("why");
        this.list = region("idle stretches, the longest first");
        this.answer = region("why the worker was idle");
        fill(host, this.list, this.answer);
        this.moment = null;
        this.stretches = [];
        this.asked = null; // [instant], of the URL
        this.listing = new Work(this.list);
        this.answering = new Work(this.answer);
        this.drawn = "";
        this.follow();
        keep_numbers(
            app,
            "why_at",
            1,
            () => (this.slid ? [this.moment.ns] : this.asked),
            numbers => {
                this.asked = numbers;
                this.follow();
                if (!this.listing.is_busy) this.slide();
            },
        );
    }

    // To the instant that the URL asks for, if it lies in the stretch.
    slide() {
        const { moment, asked } = this;
        this.asked = null;
        if (!asked || !moment || asked[0] < moment.from || asked[0] >= moment.to) return;
        moment.ns = asked[0];
        this.slid = true;
        this.app.dirty();
    }

    // ---- which moment ----

    // What is selected: a worker with a time, or a worker; else the longest stretch of all.
    follow() {
        if (this.app.data.partial) return;
        const { worker, from, to, moment } = this.app.selection,
            { data } = this.app,
            key = `${worker} ${from} ${to} ${moment}`;
        if (key === this.followed) return;
        this.followed = key;
        this.listing.start(idle_stretches(data, STRETCHES, worker), stretches => {
            this.stretches = stretches;
            this.drawn = "";
            if (worker !== null && from !== null) this.choose_at(worker, moment ?? (from + to) / 2);
            else if (stretches.length) this.choose(stretches[0]);
            else this.moment = null;
            this.slide();
            this.app.dirty();
        });
    }

    choose_at(row, ns) {
        const at = row_at(this.app.data, row, ns);
        this.choose({ row, from: at.from, to: at.to }, ns);
    }

    choose({ row, from, to }, ns = from + (to - from) / 2) {
        this.moment = { row, from, to, ns };
        this.slid = false;
        this.app.dirty();
    }

    // ---- what is said of it ----

    place(strand) {
        const { data, format } = this.app;
        return format.place(data.kinds[data.task.kind[data.strand.task[strand]]]);
    }

    link(text, part) {
        return link_button(name_of(text), () => {
            this.followed = null;
            this.app.select({ strand: null, task: null, ...part });
        });
    }

    draw_list() {
        const { app } = this,
            { time } = app.format,
            { moment } = this;
        const rows = this.stretches.map(stretch =>
            el(
                "tr",
                {
                    ...chosen_by(() => this.take(stretch)),
                    "aria-selected":
                        moment && moment.row === stretch.row && moment.from === stretch.from
                            ? "true"
                            : null,
                },
                [
                    String(app.data.rows[stretch.row]),
                    time(stretch.to - stretch.from),
                    time(stretch.from),
                ].map(text => el("td", {}, text)),
            ),
        );
        fill(
            this.list,
            el(
                "table",
                {},
                el(
                    "caption",
                    { class: "hint" },
                    app.selection.worker === null
                        ? "longest idle stretches"
                        : `idle stretches of worker ${app.data.rows[app.selection.worker]}`,
                ),
                head_of(["worker", "idle for", "from"]),
                el("tbody", {}, rows),
            ),
        );
    }

    take(stretch) {
        this.choose(stretch);
        this.followed = `${stretch.row} ${stretch.from} ${stretch.to} null`;
        this.app.select({
            worker: stretch.row,
            from: stretch.from,
            to: stretch.to,
            strand: null,
            task: null,
        });
    }

    slider() {
        const { moment } = this,
            length = moment.to - moment.from,
            input = el("input", {
                type: "range",
                min: "0",
                max: String(STEPS),
                "aria-label": "the instant within the idle stretch",
            });
        input.value = String(Math.round(((moment.ns - moment.from) / length) * STEPS));
        input.addEventListener("input", () => {
            moment.ns = moment.from + Math.min(0.999999, Number(input.value) / STEPS) * length;
            this.slid = true;
            this.app.over({ from: moment.ns });
            this.answering.start(this.of_instant(moment), why => this.draw_instant(why));
        });
        return input;
    }

    of_instant({ row, ns }) {
        return why_idle(this.app.data, row, ns);
    }

    *of_stretch(moment) {
        const { row, from, to } = moment,
            sums = yield* stage(why_stretch(this.app.data, row, from, to), 0, 0.7);
        return [sums, yield* stage(this.of_instant(moment), 0.7, 1)];
    }

    find_answer() {
        const { app, moment, answering } = this,
            { data } = app,
            at = row_at(data, moment.row, moment.ns);
        if (is_idle(at))
            return answering.start(this.of_stretch(moment), ([sums, why]) =>
                this.draw_answer(at, sums, why),
            );
        answering.stop();
        const when = `at ${app.format.time(moment.ns)}`,
            text = `Worker ${data.rows[moment.row]} was not idle ${when}: ${this.state_said(at)}.`;
        fill(this.answer, el("p", {}, text));
    }

    draw_answer(at, sums, why) {
        const { app, moment } = this,
            { time, share } = app.format,
            { data } = app,
            length = moment.to - moment.from;
        const parts = sums
            ? ["nothing", ...REASONS]
                  .filter(reason => sums[reason])
                  .map(reason =>
                      el(
                          "li",
                          { title: SAID[reason][1] },
                          el("b", {}, share(sums[reason] / length)),
                          ` ${SAID[reason][0]}, ${time(sums[reason])}`,
                      ),
                  )
            : null;
        this.instant = el("div", {});
        fill(
            this.answer,
            this.in_all(),
            el(
                "h2",
                {},
                `Worker ${data.rows[moment.row]} was idle for ${time(length)}, from ` +
                    `${time(moment.from)} to ${time(moment.to)}`,
            ),
            parts
                ? el("ul", { class: "key", "aria-label": "of this time" }, parts)
                : el(
                      "p",
                      { class: "hint" },
                      "too much was ready in this time to add it up by reason",
                  ),
            el("p", { class: "hint" }, this.around(at), this.kernel_said(moment)),
            el("label", { class: "instant" }, "at", this.slider()),
            this.instant,
        );
        this.draw_instant(why);
    }

    state_said(at) {
        if (STATES[at.state] === "running") return `it ran ${this.place(at.strand)}`;
        if (STATES[at.state] === "runtime") return `it was in the runtime (${CALLS[at.call]})`;
        return {
            blocked: "it waited for a lock",
            message: "it was in a call of MPI",
            device: "it waited for a device",
            tracer: "tptrace held it",
            idle: "it had nothing to run",
        }[STATES[at.state]];
    }

    // What the kernel gave to the worker in this time: between two samples, as if evenly.
    kernel_said({ row, from, to }) {
        const { format, data } = this.app,
            { share } = format,
            low = Math.ceil(from),
            high = Math.max(low + 1, Math.floor(to)),
            use = cpu_use(data.cpu[row], low, high);
        if (!use.known) return " The trace does not say whether it had a CPU.";
        const parts = [
            `had a CPU for about ${share(use.run / use.known)} of that time`,
            use.has_wait ? `waited for one for ${share(use.wait / use.known)}` : null,
        ];
        return ` The worker ${parts.filter(Boolean).join(" and ")}, by samples of the kernel.`;
    }

    // What it ran before and after, and who released that.
    around(at) {
        const { data, format } = this.app,
            parts = [];
        parts.push(
            at.strand === NONE
                ? "It had run nothing before"
                : `Before, it ran ${this.place(at.strand)}`,
        );
        if (at.next === NONE) return `${parts[0]}; then it ran nothing more.`;
        const source = source_of(data, at.next);
        const next = `then it ran ${this.place(at.next)}`;
        if (source === NONE) return `${parts[0]}; ${next}.`;
        parts.push(
            next +
                (data.strand.end[source] > at.from
                    ? `, which became ready at ${format.time(data.strand.end[source])}, when ` +
                      `${this.place(source)} ended on worker ${data.rows[data.strand.row[source]]}`
                    : `, which had been ready since ${format.time(data.strand.end[source])}`),
        );
        return `${parts.join("; ")}.`;
    }

    draw_instant(why) {
        const { app, moment } = this,
            { time, count } = app.format;
        const head = el(
            "p",
            {},
            `At ${time(moment.ns)} `,
            why.n
                ? `${count(why.n)} ${why.n === 1 ? "strand was" : "strands were"} ready.`
                : "nothing was ready. ",
            why.n ? null : this.waited_for(),
        );
        const barred =
            why.barred === NONE
                ? null
                : el(
                      "p",
                      { class: "hint" },
                      `It was in a wait (${this.wait_said(why.barred)}) and took nothing until ` +
                          "that was over.",
                  );
        fill(this.instant, head, barred, why.n ? this.table(why) : null, this.others());
    }

    wait_said(strand) {
        const { data, format } = this.app,
            wait = data.waits[data.strand.wait[strand]];
        return (
            WAITS[wait.what] + (wait.site >= 0 ? ` at ${format.place(data.sites[wait.site])}` : "")
        );
    }

    // What the run waited for when nothing was ready: the strand of the ready path.
    waited_for() {
        const { data, format } = this.app,
            { ns } = this.moment,
            s = path_at(data, ns);
        if (s === NONE) return "The ready path was over.";
        if (data.strand.start[s] > ns)
            return el(
                "span",
                {},
                "The ready path had not begun, or lay in the runtime; it goes on with ",
                this.link(this.place(s), { strand: s }),
                ".",
            );
        return el(
            "span",
            {},
            "All waited for ",
            this.link(this.place(s), { strand: s }),
            `, which ran on worker ${data.rows[data.strand.row[s]]} until ` +
                `${format.time(data.strand.end[s])}.`,
        );
    }

    // Ready strands of one reason, holder and kind are one row.
    table(why) {
        const list = why.ready.sort(
            (a, b) => REASONS.indexOf(b.reason) - REASONS.indexOf(a.reason) || b.n - a.n,
        );
        const rows = list.slice(0, GROUPS_MOST).map(group => this.table_row(group));
        return el(
            "table",
            {},
            head_of(READY_HEAD, { class: "text" }),
            el("tbody", {}, rows),
            list.length > GROUPS_MOST
                ? el("caption", {}, `${GROUPS_MOST} of ${list.length} groups`)
                : null,
        );
    }

    table_row(group) {
        const { data, format } = this.app;
        return el(
            "tr",
            {},
            el("td", {}, format.count(group.n)),
            el(
                "td",
                { class: "text" },
                this.link(this.place(group.strand), { strand: group.strand }),
            ),
            el("td", {}, String(data.rows[group.holder])),
            el("td", {}, format.time(this.moment.ns - group.since)),
            el("td", {}, this.holder_said(group.holder)),
            el(
                "td",
                { class: "text", title: SAID[group.reason][1] },
                el("b", {}, SAID[group.reason][0]),
                ` \u2013 ${SAID[group.reason][1]}`,
            ),
        );
    }

    holder_said(row) {
        const at = row_at(this.app.data, row, this.moment.ns);
        return {
            running: "ran",
            runtime: `was in a call (${CALLS[at.call]})`,
            blocked: "was blocked",
            message: "was in a call of MPI",
            device: "waited for a device",
            idle: "was idle",
            tracer: "was held by tptrace",
        }[STATES[at.state]];
    }

    others() {
        const { data } = this.app,
            counts = {};
        data.rows.forEach((_, row) => {
            const state = STATES[row_at(data, row, this.moment.ns).state];
            counts[state] = (counts[state] ?? 0) + 1;
        });
        const said = STATES.filter(state => counts[state]).map(
            state => `${counts[state]} ${SAID_OF_STATE[state]}`,
        );
        return el("p", { class: "hint" }, `Workers then: ${said.join(", ")}.`);
    }

    // What the report says of the whole run.
    in_all() {
        const words = this.app.selection.worker === null ? idle_words(this.app.summary) : "";
        return words ? el("p", { class: "in-all" }, words) : null;
    }

    // Where strands are left out, a worker that seems idle may have run one.
    draw_partial() {
        fill(this.list);
        fill(
            this.answer,
            this.in_all(),
            el(
                "p",
                {},
                "This page has only some of the strands in full, so that it proves nothing of " +
                    "idle workers; 'tptrace view --strands' with a larger number keeps all.",
            ),
        );
    }

    draw() {
        const state = JSON.stringify([this.moment, this.app.selection.worker]);
        if (state === this.drawn || this.listing.is_busy) return;
        this.drawn = state;
        if (this.app.data.partial) return this.draw_partial();
        this.draw_list();
        if (this.moment) this.find_answer();
        else
            fill(
                this.answer,
                el(
                    "p",
                    {},
                    this.app.data.rows.length < this.app.data.n_workers
                        ? "No worker that ran a task was ever idle; the others were all the time."
                        : "No worker was ever idle.",
                ),
            );
    }

    rows() {
        const { data, format } = this.app;
        return {
            caption: "longest idle stretches",
            head: ["worker", "idle for", "from"],
            rows: this.stretches.map(({ row, from, to }) => [
                String(data.rows[row]),
                format.time(to - from),
                format.time(from),
            ]),
        };
    }
}

export const view = {
    id: "why",
    title: "Why idle",
    hint: "why an idle worker took nothing",
    /** @param {App} app */
    mount(app, host) {
        const why = new Why(app, host);
        return {
            why,
            draw: () => why.draw(),
            hit: () => null,
            changed: news => news.has("selection") && why.follow(),
            rows: () => why.rows(),
        };
    },
};
