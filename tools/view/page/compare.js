// SPDX-License-Identifier: MIT
// compare.js - runs side by side: the profile and the timelines of each on one scale, and the table
// of `tptrace diff`.
import { BINS, EDGES, NODE } from "./data.js";
import { count, lines, plain, time, where } from "./format.js";
import { choice, el, fill, key_name, swatch } from "./dom.js";
import { ARROWS, N_OF_ARROW, colour_of_arrow, say_too_many } from "./arcs.js";
import { draw_marks, draw_ruler, listen, make_axis, make_canvas } from "./canvas.js";
import { COMPONENTS, components_of } from "./bars.js";
import { first_above } from "./levels.js";
import { CLASSES, name_of_class } from "./parallelism.js";
import { views } from "./views.js";
import { keep_one, keep_some } from "./link.js";
import { colours_of_kinds, open_sides } from "./sides.js";
import { LISTS, change_text, ratio_text, rows_of, text_of } from "./compare_table.js";
import { LEFT, RIGHT, draw_sides, layout, measure } from "./compare_draw.js";

const ROWS = 100;

// The page again, with another run in the other views; what is selected is of the run before.
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
        {
            class: kind !== null ? "can" : null,
            tabindex: kind !== null ? "0" : null,
            "data-kind": kind,
            title: hint || null,
            on:
                kind === null
                    ? null
                    : {
                          click: choose,
                          keydown: event => {
                              if (event.key === "Enter") choose();
                          },
                      },
        },
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

function table_of(app, sides, list) {
    const rows = rows_of(
            sides.slice(1).map(side => side.diff),
            list,
        ),
        head = text => el("th", { scope: "col" }, text);
    if (!rows.length) return [el("p", { class: "hint" }, "None of the runs has any.")];
    const others = sides.slice(1).flatMap(side => [head(`${side.letter} \u2212 A`), head("of A")]);
    return [
        el(
            "table",
            {},
            el("caption", { class: "unseen" }, `what changed, by ${LISTS[list].title}`),
            el(
                "thead",
                {},
                el(
                    "tr",
                    {},
                    head(LISTS[list].title),
                    sides.map(side => head(side.letter)),
                    others,
                ),
            ),
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

export const view = {
    id: "compare",
    title: "Compare",
    hint: "the runs side by side on one scale, and what each gained or lost",
    alone: true,
    mount(app, host) {
        let sides = null,
            kinds = null,
            list = "component",
            place = null,
            seen = null;
        const arrows = new Set();
        const bar = el("div", { class: "strip" }),
            area = el("div", { class: "area" }),
            scroller = el("div", { class: "tall", tabindex: "-1" }, area);
        const said = el("p", {
                class: "why-slower",
                tabindex: "0",
                role: "region",
                "aria-label": "which run is slower, and why",
            }),
            choices = el("div", { class: "strip" }),
            table = el("div", {
                class: "scroll",
                tabindex: "0",
                role: "region",
                "aria-label": "what changed",
            });
        host.classList.add("compare");
        fill(host, bar, scroller, el("div", { class: "gains" }, said, choices, table));
        const canvas = make_canvas(
            app,
            area,
            "profile and timelines of each run on one scale; the table below holds what " +
                "changed in numbers",
        );
        bar.textContent = "reading the other runs \u2026";

        // Each with the report's number of every run.
        const boxes = () =>
            Object.entries(ARROWS).map(([id, text]) =>
                el(
                    "label",
                    {},
                    el("input", {
                        type: "checkbox",
                        checked: arrows.has(id),
                        on: {
                            change: event => {
                                arrows[event.target.checked ? "add" : "delete"](id);
                                app.dirty();
                            },
                        },
                    }),
                    swatch(colour_of_arrow(app, id)),
                    text +
                        (N_OF_ARROW[id]
                            ? " " +
                              sides.map(side => count(side.summary[N_OF_ARROW[id]])).join(" | ")
                            : ""),
                ),
            );
        const draw_bar = () => {
            kinds = colours_of_kinds(app, sides);
            const states = [
                [BINS.blocked, "blocked"],
                [BINS.runtime, "runtime"],
            ].map(([, name]) => el("li", {}, swatch(app.colour[name]), name));
            fill(
                bar,
                el("h2", {}, "Compare"),
                el(
                    "ul",
                    { class: "key" },
                    [...kinds.values()]
                        .slice(0, 10)
                        .map(([colour, name]) => el("li", {}, swatch(colour), key_name(name))),
                    states,
                    el("li", {}, swatch(app.colour.no_work, true), "starved"),
                ),
                el(
                    "span",
                    { class: "above key-of" },
                    "other views show",
                    choice(
                        "other views show",
                        sides.map((side, i) => [i, side.letter, plain(side.label)]),
                        app.side,
                        i => turn_to(app, i),
                    ),
                ),
                el("span", { class: "boxes" }, boxes()),
            );
        };
        const draw_table = () => {
            fill(
                said,
                sides
                    .slice(1)
                    .map((side, i) => [
                        i ? el("br") : null,
                        sides.length > 2
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
                choices,
                choice(
                    "list by",
                    Object.entries(LISTS).map(([id, of]) => [id, of.title, of.hint]),
                    list,
                    id => {
                        list = id;
                        draw_table();
                        app.dirty();
                    },
                ),
            );
            fill(table, table_of(app, sides, list));
            mark();
        };
        const mark = () => {
            for (const row of table.querySelectorAll("tbody tr"))
                row.classList.toggle(
                    "chosen",
                    row.dataset.kind !== undefined &&
                        Number(row.dataset.kind) === app.selection.kind,
                );
        };

        const draw = () => {
            const ctx = canvas.ctx;
            if (!sides || scroller.clientHeight < 40) return;
            place = layout(
                sides.map(side => side.data.rows.length),
                sides.map(side => side.data.n_workers),
                scroller.clientHeight,
            );
            area.style.height = `${Math.max(scroller.clientHeight, Math.ceil(place.height))}px`;
            const axis = make_axis(app, canvas, LEFT, RIGHT);
            ctx.clearRect(0, 0, canvas.width, canvas.height);
            seen = measure(sides, axis, Math.max(1, Math.floor(axis.width)));
            const too_many = draw_sides(app, canvas, axis, sides, place, seen, kinds, arrows);
            draw_ruler(app, ctx, axis, 0);
            draw_marks(app, ctx, axis, place.height);
            if (too_many) say_too_many(app, ctx, axis, "too many arcs to be told apart: zoom in");
        };
        const hit = (x, y) => {
            const i = place ? place.parts.findIndex(part => y >= part.top && y < part.end) : -1,
                at = Math.floor(x - LEFT);
            if (i < 0 || at < 0 || at >= seen.n) return null;
            const row = Math.floor((y - place.parts[i].rows) / place.pitch);
            return row < 0
                ? hit_profile(app, sides[i], seen, i, at)
                : hit_row(
                      app,
                      sides[i],
                      i === app.side,
                      row,
                      make_axis(app, canvas, LEFT, RIGHT).ns(x),
                  );
        };
        // Of the time in sight: for who does not see the picture.
        const rows = () => {
            const of = sides
                ? sides.map(side => components_of(side.data, app.time.from, app.time.to))
                : [];
            return {
                caption: `components from ${time(app.time.from)} to ${time(app.time.to)}, by run`,
                head: [
                    "component",
                    ...(sides ?? []).map(side => `${side.letter} ${plain(side.label)}`),
                ],
                rows: sides
                    ? COMPONENTS.map(name => [
                          name.replaceAll("_", "-"),
                          ...of.map(parts => time(parts[name])),
                      ])
                    : [],
            };
        };
        listen(app, canvas, hit, [LEFT, RIGHT]);
        keep_one(
            app,
            "compare",
            Object.keys(LISTS),
            () => list,
            id => {
                list = id;
                if (sides) draw_table();
            },
        );
        keep_some(
            app,
            "compare_arcs",
            Object.keys(ARROWS),
            id => arrows.has(id),
            (id, is_in) => {
                arrows[is_in ? "add" : "delete"](id);
                if (sides) draw_bar();
            },
        );
        open_sides(app)
            .then(all => {
                sides = all;
                window.tptrace.sides = sides;
                draw_bar();
                draw_table();
                app.dirty();
            })
            .catch(error => {
                bar.textContent = `The other runs could not be read: ${error.message}`;
            });
        return {
            draw,
            hit,
            rows,
            changed: news => {
                if (sides && news.has("theme")) draw_bar();
                if (news.has("selection")) mark();
            },
        };
    },
};
views.splice(2, 0, view);
