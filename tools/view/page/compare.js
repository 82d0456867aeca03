// SPDX-License-Identifier: MIT
// compare.js - runs side by side: the profile and the timelines of each on one scale, and the table
// of `tptrace diff`.
import { NODE } from "./data.js";
import { EDGES } from "./kinds.js";
import { count, lines, plain, time, where } from "./format.js";
import { box_of, choice, chosen_by, el, fill, head_of, key_name, region, swatch } from "./dom.js";
import { ARROWS, N_OF_ARROW, colour_of_arrow, say_too_many } from "./arcs.js";
import { LEFT, RIGHT, draw_marks, draw_ruler, listen, make_axis, make_canvas } from "./canvas.js";
import { COMPONENTS, components_of } from "./bars.js";
import { first_above } from "./levels.js";
import { CLASSES, name_of_class } from "./parallelism.js";
import { views } from "./views.js";
import { keep_one, keep_some } from "./link.js";
import { colours_of_kinds, open_sides } from "./sides.js";
import { LISTS, change_text, ratio_text, rows_of, text_of } from "./compare_table.js";
import { draw_sides, layout, measure } from "./compare_draw.js";

const ROWS = 100;

// The page again, with another run in the other views; what is selected is of the run before.
/** @param {App} app */
function turn_to(app, side) {
    const of_run = /^(rows|file|(dag|scg|ucc|why)_.*)=/,
        looks = app.link.looks().filter(part => !of_run.test(part));
    history.pushState(
        null,
        "",
        "#" +
            [...app.link.at(), side ? `trace=${side}` : null, "view=compare", ...looks]
                .filter(Boolean)
                .join("&"),
    );
    location.reload();
}

// ---- the table ----

// The same code in the run that the other views show; null if it has none.
/** @param {App} app */
function kind_of_row(app, row) {
    const { name, file, module, line } = row.of,
        base = path => (path ? path.replace(/^.*\//, "") : "");
    const k = app.data.kinds.findIndex(
        kind =>
            kind.name === name &&
            (kind.line || 0) === line &&
            base(kind.file || kind.module) === base(file || module),
    );
    return k < 0 ? null : k;
}

/** @param {App} app */
function table_row(app, sides, list, row) {
    const kind = list === "kinds" ? kind_of_row(app, row) : null,
        choose = () =>
            app.select({
                kind: app.selection.kind === kind ? null : kind,
                task: null,
                strand: null,
            });
    const at = row.of ? (typeof row.at === "string" ? row.at : where(row.of)) : "",
        parts = Object.entries(row.parts ?? {}).filter(([key]) => key !== "tasks");
    const hint = parts
        .map(([key, ns]) => `${key.slice(0, -3).replaceAll("_", "-")} ${change_text(row, ns)}`)
        .join(", ");
    return el(
        "tr",
        { ...chosen_by(kind === null ? null : choose), "data-kind": kind, title: hint || null },
        el(
            "th",
            { scope: "row" },
            el("bdi", {}, plain(row.name)),
            at ? el("small", {}, el("bdi", {}, at)) : null,
        ),
        row.values.map(value => el("td", {}, text_of(row, value))),
        row.changes.flatMap(change => [
            el(
                "td",
                { class: change > 0 ? "grew" : change < 0 ? "fell" : null },
                change_text(row, change),
            ),
            el("td", { class: "ratio" }, ratio_text(row.values[0], change)),
        ]),
    );
}

/** @param {App} app */
function table_of(app, sides, list) {
    const rows = rows_of(
        sides.slice(1).map(side => side.diff),
        list,
    );
    if (!rows.length) return [el("p", { class: "hint" }, "None of the runs has any.")];
    const others = sides.slice(1).flatMap(side => [`${side.letter} \u2212 A`, "of A"]);
    return [
        el(
            "table",
            {},
            el("caption", { class: "unseen" }, `what changed, by ${LISTS[list].title}`),
            head_of([LISTS[list].title, ...sides.map(side => side.letter), ...others]),
            el(
                "tbody",
                {},
                rows.slice(0, ROWS).map(row => table_row(app, sides, list, row)),
            ),
        ),
        rows.length > ROWS
            ? el("p", { class: "hint" }, `${rows.length - ROWS} rows more: tptrace diff --top 0`)
            : null,
    ];
}

// ---- what is under the pointer ----

/** @param {App} app */
function hit_profile(app, side, seen, i, at) {
    const text = [["run", side.letter + "  " + plain(side.label)]],
        mean = of => of[at] / seen.ns;
    for (const c of CLASSES)
        if (mean(seen.of[i].running[c]) >= 0.005)
            text.push([name_of_class(app, c, side.data), mean(seen.of[i].running[c]).toFixed(2)]);
    seen.of[i].ready.forEach((of, e) => {
        if (mean(of) >= 0.005)
            text.push(["ready, " + EDGES[e].replace("_", "-"), mean(of).toFixed(2)]);
    });
    return { text, instant: true };
}

/** @param {App} app */
function hit_row(app, side, own, row, ns) {
    const { data } = side,
        list = data.row_strands[row],
        at = first_above(data.strand.start, ns, list) - 1,
        i = at >= 0 ? list[at] : -1;
    if (i < 0 || data.strand.end[i] < ns || data.strand.flags[i] & NODE)
        return {
            text: [
                ["run", side.letter],
                ["worker", String(data.rows[row])],
            ],
            instant: true,
        };
    if (own) return { strand: i };
    const kind = data.kinds[data.task.kind[data.strand.task[i]]];
    return {
        text: [
            ["run", side.letter + "  " + plain(side.label)],
            ["strand", plain(kind.name ?? "?") + "  " + where(kind)],
            [
                "ran",
                `${time(data.strand.end[i] - data.strand.start[i])} from ` +
                    `${time(data.strand.start[i])} on worker ${data.rows[row]}`,
            ],
        ],
        instant: true,
    };
}

// ---- the view ----

class Compare {
    /** @param {App} app */
    constructor(app, host) {
        this.app = app;
        this.host = host;
        this.sides = null;
        this.kinds = null;
        this.list = "component";
        this.place = null;
        this.seen = null;
        this.arrows = new Set();
        this.bar = el("div", { class: "strip" });
        this.area = el("div", { class: "area" });
        this.scroller = el("div", { class: "tall", tabindex: "-1" }, this.area);
        this.said = el("p", {
            class: "why-slower",
            tabindex: "0",
            role: "region",
            "aria-label": "which run is slower, and why",
        });
        this.choices = el("div", { class: "strip" });
        this.table = region("what changed");
        this.host.classList.add("compare");
        fill(
            this.host,
            this.bar,
            this.scroller,
            el("div", { class: "gains" }, this.said, this.choices, this.table),
        );
        this.canvas = make_canvas(
            this.app,
            this.area,
            "profile and timelines of each run on one scale; the table below holds what " +
                "changed in numbers",
        );
        this.bar.textContent = "reading the other runs \u2026";
        listen(this.app, this.canvas, (x, y) => this.hit(x, y), [LEFT, RIGHT]);
        this.keep();
        open_sides(this.app)
            .then(all => {
                this.sides = all;
                window.tptrace.sides = this.sides;
                this.draw_bar();
                this.draw_table();
                this.app.dirty();
            })
            .catch(error => {
                this.bar.textContent = `The other runs could not be read: ${error.message}`;
            });
    }

    keep() {
        keep_one(
            this.app,
            "compare",
            Object.keys(LISTS),
            () => this.list,
            id => {
                this.list = id;
                if (this.sides) this.draw_table();
            },
        );
        keep_some(
            this.app,
            "compare_arcs",
            Object.keys(ARROWS),
            id => this.arrows.has(id),
            (id, is_in) => {
                this.arrows[is_in ? "add" : "delete"](id);
                if (this.sides) this.draw_bar();
            },
        );
    }

    // Each with the report's number of every run.
    boxes() {
        const is_there = id =>
            !N_OF_ARROW[id] || this.sides.some(side => side.summary[N_OF_ARROW[id]] > 0);
        const wanted = Object.entries(ARROWS).filter(([id]) => is_there(id));
        return wanted.map(([id, text]) =>
            box_of(
                this.app,
                this.arrows,
                id,
                text +
                    (N_OF_ARROW[id]
                        ? " " +
                          this.sides.map(side => count(side.summary[N_OF_ARROW[id]])).join(" | ")
                        : ""),
                colour_of_arrow(this.app, id),
            ),
        );
    }

    draw_bar() {
        this.kinds = colours_of_kinds(this.app, this.sides);
        const states = ["blocked", "runtime"].map(name =>
            el("li", {}, swatch(this.app.colour[name]), name),
        );
        fill(
            this.bar,
            el("h2", {}, "Compare"),
            el(
                "ul",
                { class: "key" },
                [...this.kinds.values()]
                    .slice(0, 10)
                    .map(([colour, name]) => el("li", {}, swatch(colour), key_name(name))),
                states,
                el("li", {}, swatch(this.app.colour.no_work, true), "starved"),
            ),
            el(
                "span",
                { class: "above key-of" },
                "other views show",
                choice(
                    "other views show",
                    this.sides.map((side, i) => [i, side.letter, plain(side.label)]),
                    this.app.side,
                    i => turn_to(this.app, i),
                ),
            ),
            el("span", { class: "boxes" }, this.boxes()),
        );
    }

    draw_table() {
        fill(
            this.said,
            this.sides
                .slice(1)
                .map((side, i) => [
                    i ? el("br") : null,
                    this.sides.length > 2
                        ? el(
                              "b",
                              {},
                              side.letter === "B"
                                  ? "A and B: "
                                  : `A and ${side.letter} (there B): `,
                          )
                        : null,
                    lines(side.diff.why ?? side.diff.verdict).trim(),
                ])
                .flat(),
        );
        fill(
            this.choices,
            choice(
                "list by",
                Object.entries(LISTS).map(([id, of]) => [id, of.title, of.hint]),
                this.list,
                id => {
                    this.list = id;
                    this.draw_table();
                    this.app.dirty();
                },
            ),
        );
        fill(this.table, table_of(this.app, this.sides, this.list));
        this.mark();
    }

    mark() {
        for (const row of this.table.querySelectorAll("tbody tr"))
            row.classList.toggle(
                "chosen",
                row.dataset.kind !== undefined &&
                    Number(row.dataset.kind) === this.app.selection.kind,
            );
    }

    draw() {
        const ctx = this.canvas.ctx;
        if (!this.sides || this.scroller.clientHeight < 40) return;
        this.place = layout(
            this.sides.map(side => side.data.rows.length),
            this.sides.map(side => side.data.n_workers),
            this.scroller.clientHeight,
        );
        const height = Math.max(this.scroller.clientHeight, Math.ceil(this.place.height));
        this.area.style.height = `${height}px`;
        const axis = make_axis(this.app, this.canvas, LEFT, RIGHT);
        ctx.clearRect(0, 0, this.canvas.width, this.canvas.height);
        this.seen = measure(this.sides, axis, Math.max(1, Math.floor(axis.width)));
        const too_many = draw_sides(
            this.app,
            this.canvas,
            axis,
            this.sides,
            this.place,
            this.seen,
            this.kinds,
            this.arrows,
        );
        const words = too_many ? "zoom in to see arcs" : "";
        draw_ruler(this.app, ctx, axis, 0, words ? ctx.measureText(words).width + 12 : 0);
        draw_marks(this.app, ctx, axis, this.place.height);
        if (words) say_too_many(this.app, ctx, axis, words);
    }

    hit(x, y) {
        const i = this.place
                ? this.place.parts.findIndex(part => y >= part.top && y < part.end)
                : -1,
            at = Math.floor(x - LEFT);
        if (i < 0 || at < 0 || at >= this.seen.n) return null;
        const { rows, pitch } = this.place.parts[i],
            row = Math.floor((y - rows) / pitch);
        return row < 0
            ? hit_profile(this.app, this.sides[i], this.seen, i, at)
            : hit_row(
                  this.app,
                  this.sides[i],
                  i === this.app.side,
                  row,
                  make_axis(this.app, this.canvas, LEFT, RIGHT).ns(x),
              );
    }

    // Of the time in sight: for who does not see the picture.
    rows() {
        const of = this.sides
            ? this.sides.map(side => components_of(side.data, this.app.time.from, this.app.time.to))
            : [];
        return {
            caption:
                `components from ${time(this.app.time.from)} to ` +
                `${time(this.app.time.to)}, by run`,
            head: [
                "component",
                ...(this.sides ?? []).map(side => `${side.letter} ${plain(side.label)}`),
            ],
            rows: this.sides
                ? COMPONENTS.map(name => [
                      name.replaceAll("_", "-"),
                      ...of.map(parts => time(parts[name])),
                  ])
                : [],
        };
    }
}

export const view = {
    id: "compare",
    title: "Compare",
    hint: "the runs side by side on one scale, and what each gained or lost",
    alone: true,
    /** @param {App} app */
    mount(app, host) {
        const it = new Compare(app, host);
        return {
            draw: () => it.draw(),
            hit: () => it.hit(),
            rows: () => it.rows(),
            changed: news => {
                if (it.sides && news.has("theme")) it.draw_bar();
                if (news.has("selection")) it.mark();
            },
        };
    },
};
views.splice(2, 0, view);
