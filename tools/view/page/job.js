// SPDX-License-Identifier: MIT
// job.js - a job: its main finding in words, and a row for each process, its states on one clock.
import { button, el, fill, keys as key_of } from "./dom.js";
import { capital, plain, share, time } from "./format.js";
import {
    RIGHT,
    RULER,
    draw_marks,
    draw_ruler,
    listen,
    make_axis,
    make_canvas,
    note_at,
} from "./canvas.js";
import { fill_told, shorter, told_region } from "./findings.js";
import { Raster } from "./raster.js";
import { LEFT, colour_of_state, draw_marked, draw_names, draw_rows, geometry } from "./job_draw.js";
import { STATES, all_keys, keys_above, name_of_process, ranks_of, rows_of } from "./job_rows.js";
import { draw_waits, wait_at, waits_in_words } from "./job_waits.js";
import { keep_some } from "./link.js";
import { fill_lines } from "./source.js";
import { mark_process, phase_table, process_table } from "./job_table.js";

const NAMES = { running: "running", message: "in MPI", runtime: "in the runtime" },
    HINTS = {
        running: "runs the program's code",
        message: "a task on it is inside MPI and waits for another rank",
        blocked: "a task on it waits for a lock, a device or a signal",
        runtime: "a task on it is in a call of the runtime",
        tracer: "tptrace held it",
    };

/** @param {App} app */
export function open_process(app, i) {
    history.pushState(null, "", "#" + [...app.link.at(), `trace=${i + 1}`].join("&"));
    location.reload();
}

class Job {
    // job: { total, processes, nodes, extent }
    /** @param {App} app */
    constructor(app, host, job) {
        this.app = app;
        this.job = job;
        this.keys = all_keys(job.nodes); // of rows that can be opened
        this.set_open(this.named_keys());
        this.shows_waits = true;
        this.top = 0;
        this.raster = new Raster();
        this.told = told_region();
        this.bar = el("div", { class: "strip" });
        this.area = el("div", { class: "area" });
        this.scroller = el("div", { class: "rows", hidden: true, tabindex: "-1" });
        this.spacer = el("div");
        this.scroller.append(this.spacer);
        this.code = el("div", { class: "lines" });
        fill(host, this.told, this.bar, this.area, this.code);
        this.canvas = make_canvas(
            app,
            this.area,
            "a row for each process, by state, on one clock; Up and Down choose, Enter opens",
        );
        this.area.append(this.scroller);
        this.scroller.addEventListener("scroll", () => {
            this.top = this.scroller.scrollTop;
            app.dirty();
        });
        listen(app, this.canvas, (x, y) => this.hit(x, y), [LEFT, RIGHT]);
        this.canvas.node.addEventListener("click", event => this.turn_at(event));
        this.followed = this.finding;
        this.keep();
        this.tell();
    }

    // Which rows are open, by their keys.
    keep() {
        const known = new Set(this.keys),
            are_all = () => known.size > 0 && this.open.size === known.size,
            text_of = () => (are_all() ? "all" : [...this.open].join("_") || "none"),
            first = text_of();
        this.app.link.keep(
            "open",
            () => (text_of() === first ? "" : text_of()),
            text => {
                const keys = (text || first).split("_");
                this.set_open(keys[0] === "all" ? known : keys.filter(key => known.has(key)));
            },
        );
        const set_waits = (_, is_shown) => {
            this.shows_waits = is_shown;
        };
        keep_some(this.app, "arrows", ["waits"], () => this.shows_waits, set_waits);
    }

    // Of the rows that lead to those that the finding is about.
    named_keys() {
        const { nodes, processes } = this.job,
            { late, waits } = ranks_of(this.finding, processes);
        return [late, waits].flatMap(i => (i === null ? [] : keys_above(nodes, i)));
    }

    // ---- in words ----

    get finding() {
        return this.job.total.findings[this.app.selection.finding ?? 0];
    }

    tell() {
        const { app, finding } = this,
            { findings } = app.meta,
            i = app.selection.finding ?? 0,
            of_all = finding && !finding.facts.some(fact => fact.id === "processes"),
            then = of_all && shorter(this.job.total.elapsed_max_ns, finding.gain_ns);
        this.draw_bar();
        if (!finding) {
            const text = waits_in_words(this.job.total);
            fill(this.told, el("h2", { class: "headline" }, text));
            fill(this.code);
            return;
        }
        fill_told(
            app,
            this.told,
            i,
            headline_of(finding, findings[i]),
            [
                ["cost", cost_of(finding, this.job.total)],
                ["seen", finding.what.replaceAll(":\n", ": ").replaceAll("\n", "; ")],
            ],
            [["change", finding.try], ...(then ? [["then", then]] : [])],
        );
        fill_lines(app, this.code, i);
    }

    draw_bar() {
        const { app, job } = this,
            { worker: i } = app.selection,
            process = i === null ? null : job.processes[i];
        fill(
            this.bar,
            key_of([
                ...STATES.map(of => [NAMES[of] ?? of, colour_of_state(app, of), HINTS[of]]),
                ["idle", app.colour.idle, "no task on it may go on"],
            ]),
            el(
                "span",
                { class: "above key-of" },
                process ? this.link_of(process, i) : null,
                job.waits.length ? this.waits_button() : null,
                button("all workers", () => this.turn(this.keys), {
                    title: "a row for each worker",
                    disabled: this.keys.length === 0,
                }),
                button("processes", () => this.turn([]), {
                    title: "one row for each process or group",
                    disabled: this.open.size === 0,
                }),
            ),
        );
    }

    waits_button() {
        const turn = () => {
            this.shows_waits = !this.shows_waits;
            this.draw_bar();
            this.app.dirty();
        };
        return button("waits", turn, {
            title: "the longest waits: arrows from the late rank to the one that waits for it",
            "aria-pressed": String(this.shows_waits),
        });
    }

    link_of(process, i) {
        const name = name_of_process(process);
        return process.has_page
            ? button(`open ${name}`, () => open_process(this.app, i), {
                  title: "its tasks, source and DAG; back leads here",
              })
            : el("span", {}, `${name}: tptrace view ${plain(process.file)}`);
    }

    // ---- in pictures ----

    // Keys of open rows; `rows` are those in sight then.
    set_open(keys) {
        this.open = new Set(keys);
        this.rows = rows_of(this.job.nodes, this.open);
    }

    turn(keys) {
        this.set_open(keys);
        this.draw_bar();
        this.app.dirty();
        this.area.dispatchEvent(new CustomEvent("computed", { bubbles: true })); // who reads it
    }

    // Another finding opens the rows that it is about.
    follow() {
        const { finding } = this;
        if (finding === this.followed) return;
        this.followed = finding;
        this.set_open([...this.open, ...this.named_keys()]);
    }

    turn_row({ key, children }) {
        if (!children.length) return;
        const keys = new Set(this.open);
        if (!keys.delete(key)) keys.add(key);
        this.turn(keys);
    }

    turn_at(event) {
        const row = this.rows[this.place().row(event.offsetY)];
        if (event.offsetX < LEFT && row) this.turn_row(row);
    }

    place() {
        const g = geometry(this.rows.length, this.canvas.height, this.top);
        this.scroller.hidden = g.all <= this.canvas.height - RULER + 1;
        this.spacer.style.height = `${g.all + RULER}px`;
        return g;
    }

    // Rows that the finding is about, and the selected one.
    marks(rows) {
        const { late, waits } = ranks_of(this.finding, this.job.processes),
            marks = new Map(),
            mark = (process, text, is_main) => {
                if (process === null) return;
                const above = rows.findLastIndex(row => row.processes.includes(process)),
                    own = rows.findIndex(row => row.key === `p${process}`),
                    row = own < 0 ? above : own;
                if (row >= 0 && !marks.has(row)) marks.set(row, [text, is_main]);
            };
        mark(late, late === null || !is_late(this.finding) ? "" : "is late", true);
        mark(waits, "waits", false);
        mark(this.app.selection.worker, "", false);
        return marks;
    }

    draw() {
        const { app, canvas } = this,
            { ctx } = canvas,
            { rows } = this,
            axis = make_axis(app, canvas, LEFT, RIGHT),
            g = this.place(),
            marks = this.marks(rows);
        ctx.clearRect(0, 0, canvas.width, canvas.height);
        if (canvas.height < 40) return;
        draw_rows(app, ctx, axis, g, rows, this.raster, canvas.ratio, STATES);
        ctx.save();
        ctx.beginPath();
        ctx.rect(0, 0, canvas.width, g.height);
        ctx.clip();
        draw_marked(app, ctx, axis, g, marks);
        if (this.shows_waits) draw_waits(app, ctx, axis, g, rows, this.job.waits);
        draw_names(app, ctx, g, rows, marks, this.open);
        ctx.restore();
        draw_ruler(app, ctx, axis, g.height);
        draw_marks(app, ctx, axis, g.height);
    }

    hit(x, y) {
        const g = this.place(),
            row = this.rows[g.row(y)],
            axis = make_axis(this.app, this.canvas, LEFT, RIGHT);
        if (y > g.height) return note_at(this.app, axis, x);
        if (!row) return null;
        const worker = row.processes.length === 1 ? row.processes[0] : null;
        if (x < LEFT) return { worker, text: [["row", row.label]] };
        const half = 1 / axis.scale,
            [from, to] = [axis.ns(x) - half, axis.ns(x) + half],
            shares = row.series.over(from, to),
            wait = wait_at(this.job.waits, this.job.processes, worker, from, to);
        return {
            worker,
            text: [
                ["row", row.label],
                ["at", time(axis.ns(x))],
                ...STATES.map((state, i) => [NAMES[state] ?? state, share(shares[i])]).filter(
                    (_, i) => shares[i] >= 0.005,
                ),
                ...(wait ? [["waits for", wait]] : []),
            ],
        };
    }

    // Up and Down choose a process, Enter opens its row.
    key(event) {
        const { app, job } = this,
            { worker } = app.selection,
            step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
        if (document.activeElement !== this.canvas.node) return false;
        if (step) {
            const next = worker === null ? 0 : worker + step;
            if (next < 0 || next >= job.processes.length) return true;
            this.set_open([...this.open, ...keys_above(job.nodes, next)]);
            app.select({ worker: next });
            app.say(name_of_process(job.processes[next]));
            return true;
        }
        if (event.key !== "Enter" || worker === null) return false;
        this.turn_row(this.rows.find(({ key }) => key === `p${worker}`));
        return true;
    }

    // Of the time in sight, by row.
    read_out() {
        const { from, to } = this.app.time;
        return {
            caption: `shares of ${time(from)} to ${time(to)} that processes were in each state`,
            head: ["process", ...STATES, "longest wait"],
            rows: this.rows.slice(0, 200).map(row => this.row_in_words(row, from, to)),
        };
    }

    row_in_words({ key, label, processes, series }, from, to) {
        const { waits, processes: all } = this.job,
            wait = key === `p${processes[0]}` ? wait_at(waits, all, processes[0], from, to) : "";
        return [label, ...series.over(from, to).map(share), wait || "-"];
    }
}

const is_late = ({ id }) => id.startsWith("late_") || id === "rank_imbalance";

// "Rank 3 is late: rank imbalance at work, planted.c:33"
export function headline_of(finding, { title, of_machine }) {
    const fact = finding.facts.find(({ id }) => id === "rank"),
        of_several = finding.facts.some(({ id, value }) => id === "processes" && value > 1),
        at = finding.where && !of_machine ? ` at ${plain(finding.where)}` : "",
        name = capital(title);
    if (!fact || of_several) return name + at;
    const rank = name_of_process({ rank: fact.value, world: fact.world });
    return is_late(finding) ? `${capital(rank)} is late: ${title}${at}` : `${name} of ${rank}${at}`;
}

const cost_of = ({ lost_ns }, { cumulative_ns, workers }) =>
    `${time(lost_ns)} of ${workers} workers' ${time(cumulative_ns)} ` +
    `(${share(lost_ns / cumulative_ns)})`;

export const job_view = job => ({
    id: "ranks",
    title: job.total.ranks ? "Ranks" : "Processes",
    hint: "a row for each process of the job, by state, on one clock",
    alone: true,
    /** @param {App} app */
    mount(app, host) {
        const it = new Job(app, host, job);
        return {
            draw: () => it.draw(),
            hit: (x, y) => it.hit(x, y),
            key: event => it.key(event),
            rows: () => it.read_out(),
            changed: news => {
                if (news.has("selection")) it.follow();
                if (news.has("selection") || news.has("theme")) it.tell();
            },
        };
    },
});

// The processes that findings name first, then those with the most work.
function by_interest({ total, processes }) {
    const named = total.findings.flatMap(finding => {
        const { late, waits } = ranks_of(finding, processes);
        return [late, waits].filter(i => i !== null);
    });
    const rest = processes
        .map((_, i) => i)
        .sort((a, b) => processes[b].work_ns - processes[a].work_ns);
    return [...new Set([...named, ...rest])];
}

export const balance_view = job => ({
    id: "balance",
    title: "Imbalance",
    hint: "what each process was in, and how evenly the work of each phase is divided",
    alone: true,
    /** @param {App} app */
    mount(app, host) {
        const order = by_interest(job);
        let table = null;
        const mark = () => mark_process(app, table, order),
            show = () => {
                table = process_table(app, job.processes, order);
                mark();
                fill(host, phase_table(job.processes), table);
            };
        host.classList.add("scroll");
        host.tabIndex = 0;
        host.setAttribute("role", "region");
        show();
        return {
            draw() {},
            hit: () => null,
            timeless: true,
            changed: news => {
                if (news.has("theme")) show();
                else if (news.has("selection")) mark();
            },
        };
    },
});
