// SPDX-License-Identifier: MIT
// source.js - the lines of code, with what the tasks that begin, or are created, there cost.
import { base, place, plain, share, time } from "./format.js";
import { choice_in_list, chosen_by, el, fill, region } from "./dom.js";
import { COMPONENTS } from "./bars.js";
import { keep_one } from "./link.js";

const AROUND = 4; // lines before and behind the one that a finding names
const NAMES = {
    work: "work",
    delay: "delay",
    no_work_sched: "no-work-sched",
    no_work_app: "no-work-app",
};

// Of code without lines, as a library's, the caller has one: "sort, sort.c:13"; else 0.
function line_of_caller(caller, file) {
    const at = /([^\s,]+):(\d+)$/.exec(caller ?? "");
    return at && base(at[1]) === base(file) ? Number(at[2]) : 0;
}

const nothing = () => ({
    parts: Object.fromEntries(COMPONENTS.map(name => [name, 0])),
    kinds: [],
    tasks: 0,
    samples: 0,
    lost: 0,
});

// line -> { parts: ns by component, kinds, tasks; samples: their share, if there are any; lost: ns
// of findings } of a file
/** @param {App} app */
export function costs_of(app, file) {
    const lines = new Map();
    const of = line => lines.get(line) ?? lines.set(line, nothing()).get(line);
    app.summary.kinds.forEach((row, i) => {
        if (row.file !== file || !row.line) return;
        const costs = of(row.line);
        for (const name of COMPONENTS) costs.parts[name] += row[name + "_ns"];
        costs.kinds.push(app.meta.kind_of_row[i]);
        costs.tasks += row.tasks;
    });
    for (const row of app.summary.code ?? []) {
        const line = row.file === file ? row.line : line_of_caller(row.caller, file);
        if (line) of(line).samples += row.share;
    }
    for (const { line, lost_ns } of findings_in(app, file)) of(line).lost += lost_ns;
    return lines;
}

// What the machine did is no line's fault.
/** @param {App} app */
function findings_in(app, file) {
    return app.summary.findings.filter(
        (finding, i) => finding.file === file && finding.line && !app.meta.findings[i].of_machine,
    );
}

const sum_of = costs => COMPONENTS.reduce((all, name) => all + costs.parts[name], 0);

// [line, its sum] of a file's costliest line
/** @param {App} app */
function costliest(app, file) {
    let most = [1, -1];
    for (const [line, costs] of costs_of(app, file))
        if (sum_of(costs) > most[1]) most = [line, sum_of(costs)];
    return most;
}

/** @param {App} app */
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
    return el(
        "td",
        { class: "cost" },
        sum ? [el("span", {}, share(sum / app.summary.cumulative_ns)), bar] : null,
        costs.samples ? el("span", { class: "sampled" }, share(costs.samples)) : null,
        costs.lost ? el("span", { class: "lost" }, `${time(costs.lost)} lost`) : null,
    );
}

// What a line of C, C++, Fortran or Cilk has besides names: [class, text], ..
const KEYWORDS =
    "auto|bool|break|case|char|class|const|continue|default|do|double|else|enum|extern|float|for|" +
    "if|inline|int|long|return|short|signed|sizeof|static|struct|switch|template|typedef|union|" +
    "unsigned|using|void|volatile|while";
const WORDS = new RegExp(
    [
        String.raw`(\/\/.*|\/\*.*?(?:\*\/|$))`,
        String.raw`(^\s*#\s*\w+(?: omp.*)?|^\s*!\$.*)`,
        String.raw`("(?:[^"\\]|\\.)*")`,
        String.raw`\b(${KEYWORDS})\b`,
    ].join("|"),
    "g",
);
const CLASSES = ["comment", "directive", "text", "keyword"];

export function code_of(text) {
    const nodes = [];
    let at = 0;
    for (const match of text.matchAll(WORDS)) {
        const which = match.slice(1).findIndex(part => part !== undefined);
        nodes.push(text.slice(at, match.index), el("span", { class: CLASSES[which] }, match[0]));
        at = match.index + match[0].length;
    }
    return [...nodes, text.slice(at)];
}

// more: attributes of the row.
/** @param {App} app */
function line_row(app, text, number, costs, is_found, more = {}) {
    return el(
        "tr",
        {
            ...more,
            "data-line": String(number),
            class: [more.class, is_found ? "found" : ""].filter(Boolean).join(" "),
        },
        cell(app, costs.get(number)),
        el("td", { class: "line" }, String(number)),
        el("td", { class: "text" }, el("code", {}, code_of(plain(text.replace(/\t/g, "    "))))),
    );
}

function scroller(...children) {
    const node = region("source", ...children);
    node.classList.add("code");
    return node;
}

/** @param {App} app */
function no_sources({ summary }) {
    const files = [...new Set(summary.kinds.map(({ file }) => file).filter(Boolean))],
        names = files.slice(0, 5).map(plain).join(", ");
    const text = files.length
        ? `The sources were not there when the page was made: ${names}` +
          `${files.length > 5 ? ", .." : ""}. ` +
          "Make it again with tptrace view --source DIRECTORY."
        : "The trace names no lines of source: compile the program with -g.";
    return scroller(el("p", { class: "hint" }, text));
}

// The lines around one, with what they cost; null where the page has no such file or line.
/** @param {App} app */
function excerpt(app, name, line, around) {
    const file = Object.keys(app.sources).find(each => each === name),
        all = file ? app.sources[file].replace(/\n$/, "").split("\n") : [],
        first = Math.max(1, line - around);
    if (line > all.length) return null;
    const costs = costs_of(app, file),
        rows = all
            .slice(first - 1, line + around)
            .map((text, i) => line_row(app, text, first + i, costs, first + i === line));
    return scroller(
        el(
            "table",
            {},
            el("caption", { class: "unseen" }, `${plain(file)} around line ${line}`),
            el("tbody", {}, rows),
        ),
    );
}

// The lines around the one that finding i is at.
/** @param {App} app */
export function fill_lines(app, host, i) {
    const { file, line } = app.summary.findings[i],
        is_of_code = file && line && !app.meta.findings[i].of_machine,
        shown = is_of_code ? excerpt(app, file, line, AROUND) : null;
    fill(host, shown ?? []);
    host.hidden = !shown;
    host.setAttribute("aria-label", file ? `${file}:${line}` : "");
}

class Source {
    /** @param {App} app */
    constructor(app, host) {
        this.app = app;
        this.host = host;
        this.files = Object.keys(this.app.sources);
        this.table = scroller();
        this.bar = el("div", { class: "strip" });
        this.dearest = this.files.reduce(
            (best, name) =>
                best === null || costliest(this.app, name)[1] > costliest(this.app, best)[1]
                    ? name
                    : best,
            null,
        );
        this.file = this.dearest;
        this.drawn = null;
        this.host.append(this.bar, this.table);
        this.draw_file();
        keep_one(
            this.app,
            "file",
            this.files,
            () => this.file,
            name => {
                this.file = name;
                this.draw_file();
            },
        );
        this.follow();
    }

    // In the middle; the row, if there is one.
    show_line(line) {
        const row = this.table.querySelector(`tr[data-line="${line}"]`);
        if (row) this.table.scrollTop = row.offsetTop - this.table.clientHeight / 2;
        return row;
    }

    choose(costs) {
        return this.app.select({ kind: costs.kinds[0], task: null, strand: null, site: null });
    }

    choose_file(name) {
        this.file = name;
        this.draw_file();
        this.app.dirty();
    }

    file_choice() {
        const list = this.files.map(name => [name, plain(base(name))]);
        return choice_in_list("file", list, this.file, name => this.choose_file(name));
    }

    row(text, number, costs, is_found) {
        const of = costs.get(number),
            can = of?.kinds.length > 0,
            more = { class: "", ...chosen_by(can ? () => this.choose(of) : null) };
        return line_row(this.app, text, number, costs, is_found, more);
    }

    draw_file() {
        const { app, file } = this,
            costs = costs_of(app, file),
            findings = findings_in(app, file).map(({ line }) => line),
            lines = app.sources[file].replace(/\n$/, "").split("\n"),
            rows = lines.map((text, i) => this.row(text, i + 1, costs, findings.includes(i + 1)));
        fill(
            this.bar,
            el("label", {}, "file ", this.file_choice()),
            el(
                "span",
                { class: "hint" },
                "in the margin: share of all worker time, by component; share of samples; " +
                    "what a finding lost there",
            ),
        );
        fill(
            this.table,
            el("table", {}, el("caption", { class: "unseen" }, plain(file)), el("tbody", {}, rows)),
        );
        this.drawn = file;
        this.show_line(costliest(app, file)[0]);
    }

    follow() {
        const s = this.app.selection,
            t = s.strand !== null ? this.app.data.strand.task[s.strand] : s.task;
        const kind = t !== null && t < this.app.data.task.n ? this.app.data.task.kind[t] : s.kind,
            of = kind === null ? null : this.app.data.kinds[kind];
        if (!of || !(of.file in this.app.sources)) {
            if (of) this.app.say(`no source of ${place(of)}`);
            return;
        }
        if (of.file !== this.file) {
            this.file = of.file;
            this.draw_file();
        }
        for (const row of this.table.querySelectorAll("tr.chosen")) row.classList.remove("chosen");
        this.show_line(of.line)?.classList.add("chosen");
    }
}

export const view = {
    id: "source",
    title: "Source",
    hint: "lines of code, with the worker time of the tasks that begin there",
    /** @param {App} app */
    mount(app, host) {
        if (!Object.keys(app.sources).length) {
            host.append(el("div", { class: "strip" }), no_sources(app));
            return { draw() {}, hit: () => null };
        }
        const it = new Source(app, host);
        return {
            draw() {
                if (it.drawn !== it.file) it.draw_file();
            },
            hit: () => null,
            changed: news => {
                if (news.has("theme")) it.draw_file();
                if (news.has("selection") || news.has("theme")) it.follow();
            },
        };
    },
};
