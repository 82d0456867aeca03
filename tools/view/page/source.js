// SPDX-License-Identifier: MIT
// source.js - the lines of code, with what the tasks that begin, or are created, there cost.
import { base, place, plain, share, time } from "./format.js";
import { el, fill } from "./dom.js";
import { COMPONENTS } from "./bars.js";
import { keep_one } from "./link.js";

const NAMES = {
    work: "work",
    delay: "delay",
    no_work_sched: "no-work-sched",
    no_work_app: "no-work-app",
};

// line -> [{ ns by component, kind, text }, ..] of a file
function costs_of(app, file) {
    const lines = new Map();
    app.summary.kinds.forEach((row, i) => {
        if (row.file !== file || !row.line) return;
        const costs = lines.get(row.line) ?? {
            parts: Object.fromEntries(COMPONENTS.map(name => [name, 0])),
            kinds: [],
            tasks: 0,
        };
        for (const name of COMPONENTS) costs.parts[name] += row[name + "_ns"];
        costs.kinds.push(app.meta.kind_of_row[i]);
        costs.tasks += row.tasks;
        lines.set(row.line, costs);
    });
    return lines;
}

const sum_of = costs => COMPONENTS.reduce((all, name) => all + costs.parts[name], 0);

// [line, its sum] of a file's costliest line
function costliest(app, file) {
    let most = [1, -1];
    for (const [line, costs] of costs_of(app, file))
        if (sum_of(costs) > most[1]) most = [line, sum_of(costs)];
    return most;
}

function cell(app, costs) {
    if (!costs) return el("td", {});
    const sum = sum_of(costs),
        bar = el("span", {
            class: "bar",
            role: "img",
            "aria-label": COMPONENTS.map(name => `${NAMES[name]} ${time(costs.parts[name])}`).join(
                ", ",
            ),
        });
    for (const name of COMPONENTS) {
        const part = el("span", { title: `${NAMES[name]} ${time(costs.parts[name])}` });
        part.style.flexGrow = String(costs.parts[name] / app.summary.cumulative_ns);
        part.style.backgroundColor = app.colour.components[name];
        bar.append(part);
    }
    const rest = el("span");
    rest.style.flexGrow = String(Math.max(0, 1 - sum / app.summary.cumulative_ns));
    bar.append(rest);
    return el("td", { class: "cost" }, el("span", {}, share(sum / app.summary.cumulative_ns)), bar);
}

export const view = {
    id: "source",
    title: "Source",
    hint: "lines of code, with the worker time of the tasks that begin there",
    mount(app, host) {
        const files = Object.keys(app.sources),
            table = el("div", {
                class: "scroll code",
                tabindex: "0",
                role: "region",
                "aria-label": "source",
            }),
            bar = el("div", { class: "strip" });
        const dearest = files.reduce(
            (best, name) =>
                best === null || costliest(app, name)[1] > costliest(app, best)[1] ? name : best,
            null,
        );
        let file = dearest,
            drawn = null;
        host.append(bar, table);
        // In the middle; the row, if there is one.
        const show_line = line => {
            const row = table.querySelector(`tr[data-line="${line}"]`);
            if (row) table.scrollTop = row.offsetTop - table.clientHeight / 2;
            return row;
        };
        const choose = costs =>
            app.select({ kind: costs.kinds[0], task: null, strand: null, site: null });
        const draw_file = () => {
            const costs = costs_of(app, file),
                findings = new Set(
                    app.summary.findings.filter(f => f.file === file).map(f => f.line),
                );
            fill(
                bar,
                el(
                    "label",
                    {},
                    "file ",
                    el(
                        "select",
                        {
                            "aria-label": "file",
                            on: {
                                change: event => {
                                    file = event.target.value;
                                    draw_file();
                                    app.dirty();
                                },
                            },
                        },
                        files.map(name =>
                            el(
                                "option",
                                { value: name, selected: name === file },
                                plain(base(name)),
                            ),
                        ),
                    ),
                ),
                el(
                    "span",
                    { class: "hint" },
                    "in the margin: share of all worker time, by component",
                ),
            );
            const rows = app.sources[file]
                .replace(/\n$/, "")
                .split("\n")
                .map((text, i) => {
                    const of = costs.get(i + 1);
                    return el(
                        "tr",
                        {
                            "data-line": String(i + 1),
                            class: (of ? "can " : "") + (findings.has(i + 1) ? "found" : ""),
                            tabindex: of ? "0" : null,
                            on: of
                                ? {
                                      click: () => choose(of),
                                      keydown: event => {
                                          if (event.key === "Enter") choose(of);
                                      },
                                  }
                                : undefined,
                        },
                        cell(app, of),
                        el("td", { class: "line" }, String(i + 1)),
                        el(
                            "td",
                            { class: "text" },
                            el("code", {}, plain(text.replace(/\t/g, "    "))),
                        ),
                    );
                });
            fill(
                table,
                el(
                    "table",
                    {},
                    el("caption", { class: "unseen" }, plain(file)),
                    el("tbody", {}, rows),
                ),
            );
            drawn = file;
            show_line(costliest(app, file)[0]);
        };
        const follow = () => {
            const s = app.selection,
                t = s.strand !== null ? app.data.strand.task[s.strand] : s.task;
            const kind = t !== null && t < app.data.task.n ? app.data.task.kind[t] : s.kind,
                of = kind === null ? null : app.data.kinds[kind];
            if (!of || !(of.file in app.sources)) {
                if (of) app.say(`no source of ${place(of)}`);
                return;
            }
            if (of.file !== file) {
                file = of.file;
                draw_file();
            }
            for (const row of table.querySelectorAll("tr.chosen")) row.classList.remove("chosen");
            show_line(of.line)?.classList.add("chosen");
        };
        if (!file) {
            fill(
                table,
                el(
                    "p",
                    { class: "hint" },
                    "The sources were not there when the page was made. Make it again with " +
                        "tptrace view --source DIRECTORY.",
                ),
            );
            return { draw() {}, hit: () => null };
        }
        draw_file();
        keep_one(
            app,
            "file",
            files,
            () => file,
            name => {
                file = name;
                draw_file();
            },
        );
        follow();
        return {
            draw() {
                if (drawn !== file) draw_file();
            },
            hit: () => null,
            changed: news => {
                if (news.has("theme")) draw_file();
                if (news.has("selection") || news.has("theme")) follow();
            },
        };
    },
};
