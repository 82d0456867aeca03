// SPDX-License-Identifier: MIT
// job_page.js - puts up the page of a job, or, of one of its processes, the way back.
import { App } from "./app.js";
import { has_job, read_job, side_of, take_column } from "./blocks.js";
import { key, whole } from "./bars.js";
import { button, el, fill, region } from "./dom.js";
import { pair_of } from "./details.js";
import { mount_findings } from "./findings.js";
import { count, plain, sentence, several, share, time } from "./format.js";
import { balance_view, headline_of, job_view } from "./job.js";
import { LEFT, colour_of_state } from "./job_draw.js";
import { STATES, complete, name_of_process, notes_of, read_process, tree_of } from "./job_rows.js";
import { kind_table, states_of_all } from "./job_table.js";
import { buttons_of } from "./header.js";
import { mount_help } from "./help.js";
import { equip, listen_to_keys, loaded, mount_tabs, show_failure } from "./main.js";
import { mount_menu } from "./menu.js";
import { mount_minimap } from "./minimap.js";
import { mount_notes } from "./notes.js";
import { waits_in_words } from "./job_waits.js";
import { Work, turn } from "./steps.js";

const NO_KIND = { from: 0, to: 0, kind: null, site: -1, n_workers: 0, worker: 0 };
const KEYS = [
    ["W, S", "zoom in, out"],
    ["A, D, \u2190, \u2192", "left, right"],
    ["0", "the whole run"],
    ["[, ]", "finding before, after"],
    ["1, 2", "the tabs"],
    ["\u2191, \u2193", "on the rows: the process above, below"],
    ["Enter", "on the rows: open the process, or close it"],
    ["Shift + drag", "select time"],
    ["Right click, .", "what can be done with it: note it, copy its link"],
    ["N", "note the selected time, or the pointer's; the link has the notes"],
    ["Wheel", "zoom; with Shift: move"],
    ["Esc", "select nothing"],
    ["?", "these keys"],
];
const by_id = id => document.getElementById(id);

// What App takes for the names of a run; its workers are the processes.
function meta_of(job, extent) {
    return {
        elapsed: extent,
        rows: job.processes.map((_, i) => i),
        kinds: [],
        kind_of_row: job.total.kinds.map(() => null),
        sites: [],
        leading: [],
        tasks: 0,
        kept: 0,
        findings: job.findings.map(finding => ({ ...NO_KIND, ...finding })),
        no_finding: waits_in_words(job.total),
    };
}

// ---- the header ----

const processes_of = ({ processes }) =>
    processes === 1 ? "1 process" : `${count(processes)} processes`;

function verdict_of({ total, findings }) {
    const [first] = total.findings;
    if (first)
        return (
            `${headline_of(first, findings[0])}. ` +
            `It costs ${time(first.lost_ns)} of ${time(total.cumulative_ns)}.`
        );
    const work = share(total.work_ns / total.cumulative_ns);
    return `${work} of the time of all ${several(total.workers, "worker")} was work.`;
}

function facts_of({ total }) {
    const { mpi } = total,
        facts = [
            `${processes_of(total)} on ${several(total.hosts, "host")}`,
            `${several(total.tasks, "task")} on ${several(total.workers, "worker")}`,
            `the longest over ${time(total.elapsed_max_ns)}`,
            `the most work is ${total.work_imbalance.toFixed(2)} times the mean`,
        ];
    if (!mpi) return facts;
    return [
        ...facts,
        `MPI: ${several(mpi.messages, "message")} and ` +
            `${several(mpi.collective_calls, "collective call")} matched`,
        `in calls for ${time(mpi.in_calls_ns)}, of which ${time(mpi.late_ns)} for late ranks`,
        ...(mpi.clock_error_ns
            ? [`the hosts' clocks are compared to within ${time(mpi.clock_error_ns)}`]
            : []),
    ];
}

function warnings_of({ total, processes }) {
    const { mpi, not_read, events_lost } = total,
        list = notes_of(processes);
    if (not_read) list.unshift(`${several(not_read, "trace")} could not be read`);
    if (events_lost) list.unshift(`${several(events_lost, "event")} lost`);
    if (mpi?.unmatched)
        list.push(`${count(mpi.unmatched)} ends of messages or calls have no other end here`);
    if (total.hosts > 1 && (mpi?.clock_error_ns ?? null) === null)
        list.push("hosts have no common clock: each host's rows begin with its first process");
    return list;
}

/** @param {App} app */
function mount_job_header(app, host, job, help) {
    const program = job.processes[0].program ?? "a job",
        items = warnings_of(job).map(text => el("li", {}, sentence(text))),
        list = items.length
            ? el("ul", { class: "warnings", "aria-label": "what is special" }, items)
            : null,
        is_first = job.processes.some(({ fates }) => fates.length > 0); // before the verdict
    document.title = `${plain(program)} - tptrace`;
    fill(
        host,
        is_first ? list : null,
        el("h1", { class: "title" }, el("bdi", {}, plain(program))),
        el("p", { class: "verdict" }, el("strong", {}, sentence(verdict_of(job)))),
        el("div", { class: "tools" }, buttons_of(app, help)),
        el(
            "p",
            { class: "facts" },
            facts_of(job).map(fact => el("span", {}, sentence(fact))),
        ),
        is_first ? null : list,
    );
    app.searching = new Work(host);
}

/** @param {App} app */
function mount_side(app, job) {
    const draw = () =>
        fill(
            by_id("bars"),
            el("h2", {}, "Where it went"),
            el("div", { class: "bars" }, whole(app)),
            key(app),
            el(
                "p",
                { class: "sum" },
                `elapsed \u00d7 workers of ${processes_of(job.total)}: ` +
                    time(job.total.cumulative_ns),
            ),
        );
    app.on(news => {
        if (news.has("theme")) draw();
    });
    draw();
    mount_findings(app, by_id("findings"));
    by_id("speedup").hidden = true;
    Object.assign(by_id("profile"), { hidden: false, className: "profile" });
    fill(by_id("profile"), el("h2", {}, "Kinds"), region("kinds", kind_table(job.total)));
}

/** @param {App} app */
function mount_details(app, job) {
    const host = by_id("details");
    app.on(news => {
        if (!news.has("selection")) return;
        const { worker } = app.selection,
            of = worker === null ? null : job.processes[worker];
        fill(
            host,
            (of
                ? [
                      ["process", name_of_process(of)],
                      ["program", plain(of.program ?? "-")],
                      ["host", plain(of.host ?? "-")],
                      ["pid", String(of.pid)],
                      ["ended", plain(of.ended ?? "-")],
                      ["work", time(of.work_ns)],
                      ["tasks", count(of.tasks)],
                      ["trace", plain(of.file)],
                  ]
                : [["nothing selected", "click on a row; its name opens and closes it"]]
            ).map(pair_of),
        );
    });
}

// ---- all of it ----

async function read_rows(app, job) {
    const series = [];
    for (const [i, process] of job.processes.entries())
        series.push(await read_process(process, take_column(i + 1, "states"), () => app.slice()));
    const nodes = tree_of(job.processes, series);
    for (const work = complete(nodes); !work.next().done;) await app.slice();
    return nodes;
}

// What all workers are in, in n columns of the whole job.
/** @param {App} app */
function stacks_of(app, nodes, n) {
    const all = STATES.map(() => new Float64Array(n));
    for (const { series } of nodes)
        series.in_pixels(0, app.extent, n).forEach((column, state) => {
            column?.forEach((part, x) => {
                all[state][x] += part * series.n;
            });
        });
    return STATES.map((state, i) => [colour_of_state(app, state), all[i]]);
}

async function start() {
    await loaded();
    await turn();
    const began = performance.now(),
        job = read_job();
    await turn();
    const extent = Math.max(...job.processes.map(({ begin, shown_ns }) => begin + shown_ns)),
        states = states_of_all(job.processes),
        app = new App({ ...job.total, states }, meta_of(job, extent));
    window.tptrace = { ready: false, summary: job.total, job, app, views: {}, timing: {} };
    app.sources = job.sources;
    equip(app);
    app.equip({ ...app, describe: part => part.text ?? [], has_view: () => false });
    const views = [job_view(job), balance_view(job)];
    app.link.read();
    app.shown ??= views[0].id;
    const help = mount_help(KEYS);
    for (const mount of [
        () => mount_job_header(app, by_id("header"), job, help),
        () => mount_side(app, job),
        () => mount_notes(app, by_id("notes")),
        () => mount_details(app, job),
        () => mount_menu(app),
    ]) {
        mount();
        await app.slice();
    }
    job.nodes = await read_rows(app, job);
    window.tptrace.timing.read = performance.now() - began;
    const n_workers = job.nodes.reduce((sum, { series }) => sum + series.n, 0);
    mount_minimap(app, by_id("map"), LEFT, n_workers, n => stacks_of(app, job.nodes, n));
    const tabs = mount_tabs(app, views, by_id("lower"));
    app.on(news => tabs.update(news));
    listen_to_keys(app, help, event => tabs.shown().key?.(event), views);
    addEventListener("popstate", () => {
        if (side_of(location.hash) === 0) app.link.read();
        else location.reload();
    });
    app.ready_to_write = true;
    for (const what of ["selection", "time", "tab"]) app.tell(what);
    requestAnimationFrame(() =>
        requestAnimationFrame(() => {
            window.tptrace.ready = true;
        }),
    );
}

// On the page of a process: which it is, and the way back.
function lead_back(side) {
    const of = read_job().processes[side - 1],
        back = () => {
            history.pushState(null, "", location.pathname + location.search);
            location.reload();
        };
    document
        .querySelector("main")
        .before(
            el(
                "nav",
                { class: "strip", "aria-label": "the job" },
                button("\u2190 the job", back),
                el("strong", {}, name_of_process(of)),
                el("span", { class: "hint" }, plain(of.file)),
            ),
        );
}

if (has_job()) {
    const side = side_of(location.hash);
    if (side) lead_back(side);
    else start().catch(show_failure);
}
