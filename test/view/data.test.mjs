// SPDX-License-Identifier: MIT
// data.test.mjs - the columns and levels of pages against the report of the same traces.  PAGES:
// their folder, with X.html of each trace X; TRACES: "X path" lines; TPTRACE: the command.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { OWN, arcs_of } from "../../tools/view/page/arcs.js";
import { COMPONENTS, components_of } from "../../tools/view/page/bars.js";
import { cpu_use } from "../../tools/view/page/cpu.js";
import { boxes_of, frames_of } from "../../tools/view/page/flame.js";
import { on_span } from "../../tools/view/page/table.js";
import { BINS, NODE, edge_kind, pauses } from "../../tools/view/page/data.js";
import { COLLAPSED, EDGES, ENDED, FIRST, NONE, WAITS } from "../../tools/view/page/kinds.js";
import { refine } from "../../tools/view/page/fine.js";
import {
    kinds_in_pixels,
    ready_in_pixels,
    row_from_levels,
    row_in_pixels,
    running_in_pixels,
} from "../../tools/view/page/pixels.js";
import { colours } from "../../tools/view/page/colours.js";
import { UNKNOWN, shades_of } from "../../tools/view/page/shades.js";
import { stretch_of } from "../../tools/view/page/scg_values.js";
import { finish } from "../../tools/view/page/steps.js";
import { read_page } from "./pages.mjs";
import { check_left, check_operations } from "./sums.mjs";

const { PAGES, TPTRACE } = process.env,
    SELECTIONS = 3,
    SLACK = 0.01; // ns
const traces = readFileSync(join(PAGES, "traces"), "utf8")
    .trim()
    .split("\n")
    .map(line => line.split("\t"));
const sum = list => list.reduce((a, b) => a + b, 0);
const near = (is, want, slack, what) =>
    assert.ok(Math.abs(is - want) <= slack, `${what}: ${is}, should be ${want}`);

function report(path, ...options) {
    return JSON.parse(
        execFileSync(TPTRACE, ["report", "--json", ...options, path], {
            encoding: "utf8",
            stdio: ["ignore", "pipe", "ignore"],
            maxBuffer: 1 << 28,
        }),
    );
}

function check_order({ data }) {
    const s = data.strand;
    for (let i = 0; i < s.n; i++) {
        assert.ok(
            s.end[i] >= s.start[i] &&
                s.end[i] <= data.elapsed &&
                (i === 0 || s.start[i] >= s.start[i - 1]),
            `strand ${i} is out of order`,
        );
        for (const from of [s.pred[i], s.releaser[i]])
            if (from !== NONE)
                assert.ok(
                    from < i && s.end[from] <= s.start[i],
                    `strand ${i} comes before ${from}`,
                );
    }
}

// Edges that shape.c counts: of explicit tasks, one for two reasons, and none for who arrives at a
// barrier.
function check_edges({ data, summary }) {
    const n = new Array(EDGES.length).fill(0),
        s = data.strand,
        newest = new Uint32Array(s.n).fill(NONE);
    const is_explicit = i =>
        !(s.flags[i] & NODE) &&
        ["task", "loop"].includes(data.kinds[data.task.kind[s.task[i]]].what);
    const count = (from, to) => {
        const kind = edge_kind(data, from, to),
            arrives = kind === 3 && ENDED[s.ended_by[from]] === "wait";
        n[kind] += !arrives && is_explicit(kind === 0 || kind === 4 ? to : from) ? 1 : 0;
    };
    for (let i = 0, e = 0; i < s.n; i++) {
        if (s.pred[i] !== NONE) {
            newest[s.pred[i]] = i;
            count(s.pred[i], i);
        }
        for (; e < data.extra.to.length && data.extra.to[e] === i; e++) {
            const from = data.extra.from[e];
            if (newest[from] === i || s.task[from] === s.task[i]) continue;
            newest[from] = i;
            count(from, i);
        }
    }
    if (data.collapsed.size === 0)
        EDGES.forEach((name, e) =>
            assert.equal(n[e], summary.edges[name], `edges of kind ${name}`),
        );
}

function check_counts({ data, summary }) {
    const s = data.strand,
        moves = [0, 0, 0];
    let strands = 0;
    for (let i = 0; i < s.n; i++) {
        if (s.flags[i] & NODE) continue;
        strands++;
        moves[s.move[i]]++;
    }
    if (data.collapsed.size === 0) assert.equal(strands, summary.strands, "strands");
    assert.equal(moves[1], summary.steals, "steals");
    assert.equal(moves[2], summary.migrations, "migrations");
    assert.equal(sum(data.row_strands.map(list => list.length)), strands, "strands of rows");
}

function check_waits({ data, summary }) {
    const is = data.strand.wait.filter(
        number => number && WAITS[data.waits[number].what] === "children",
    ).length;
    if (data.collapsed.size === 0 && !data.partial)
        assert.equal(
            is,
            sum(summary.waits.filter(row => row.kind === "children").map(row => row.times)),
            "waits for children",
        );
}

function check_components({ data, summary }) {
    const of = components_of(data, 0, data.elapsed),
        slack = data.collapsed.size ? 2 + 4 * data.meta.bins : 0;
    for (const name of COMPONENTS)
        near(
            of[name],
            summary[name + "_ns"],
            name === "work" || name === "delay" ? slack : slack && 2 * data.meta.bins,
            name,
        );
}

// Time by state, from levels and from strands.
function check_states({ data, summary }) {
    const all = name => sum(Object.values(summary.states[name] ?? {})),
        // whole ns, but for collapsed strands
        rounding = data.collapsed.size ? (data.rows.length * data.meta.bins) / 2 : 0;
    const of = c => sum(data.levels.rows.map(row => row[c].total));
    if (data.rows.length <= data.n_workers && data.collapsed.size === 0) {
        near(of(BINS.runtime), all("runtime"), rounding, "in the runtime");
        // rows have one bin for all that keeps a task
        const waits = all("blocked") + all("message") + all("device");
        near(of(BINS.blocked), waits, rounding, "blocked");
        near(of(BINS.tracer), all("tracer"), rounding, "held");
    }
    const running = sum([...Array(BINS.others + 1).keys()].map(of));
    near(
        running,
        summary.work_ns,
        data.collapsed.size ? 0.02 * summary.work_ns + rounding : rounding,
        "running",
    );
    data.leading.forEach((kind, c) => {
        const row = summary.kinds[data.kinds[kind].row];
        if (row && data.collapsed.size === 0)
            near(of(c), row.work_ns, rounding, `work of kind ${kind}`);
    });
}

function check_path({ data, summary }) {
    if (data.collapsed.size) return;
    near(
        sum(Array.from(data.path, i => data.strand.end[i] - data.strand.start[i])),
        summary.ready_path.work_ns,
        0,
        "work on the ready path",
    );
}

// The critical path is one, and as long as the report's span; the binding path adds up to the run's
// end.
function check_paths({ data, summary }) {
    const { start, end, row, pred } = data.strand,
        { from, to } = data.extra,
        { critical, binding } = data;
    const length = sum(Array.from(critical, i => data.collapsed.get(i)?.span ?? end[i] - start[i]));
    if (
        Array.from(critical).some(
            i => data.collapsed.has(i) && data.task.n_strands[data.strand.task[i]] > 1,
        )
    )
        assert.ok(
            length <= summary.span_ns,
            "the critical path may lead through tasks that a collapsed part of one created",
        );
    else near(length, summary.span_ns, 0, "the critical path");
    for (let k = 1; k < critical.length; k++)
        assert.ok(end[critical[k - 1]] <= start[critical[k]], "the critical path goes forth");
    near(
        sum(Array.from(binding, i => end[i] - start[i])),
        summary.binding_path.running_ns,
        0,
        "strands of the binding path",
    );
    const after = binding.slice(1),
        latency = Array.from(after, (i, k) => start[i] - end[binding[k]]);
    near(sum(latency), summary.binding_path.latency_ns, 0, "latency of the binding path");
    near(
        after.filter((i, k) => row[i] !== row[binding[k]]).length,
        summary.binding_path.turns,
        0,
        "its turns",
    );
    const follows = (i, before) =>
        pred[i] === before || from.some((f, e) => f === before && to[e] === i);
    for (let k = 1; k < critical.length && data.strand.n === summary.strands; k++)
        assert.ok(follows(critical[k], critical[k - 1]), `no edge leads to ${critical[k]}`);
}

function check_leaps({ data, summary }) {
    assert.equal(data.leaps.length, summary.leaps);
    for (const i of data.leaps) assert.equal(data.strand.move[i], 1, "a leap is a steal");
}

// Of the whole window, and of a part of it.
function check_cpu({ data, summary }, path) {
    const part = [Math.floor(data.elapsed / 3), Math.floor(data.elapsed / 2)],
        stretches = [[0, data.elapsed, summary]];
    if (data.cpu.some(lane => lane.n > 1))
        stretches.push([...part, report(path, "--from", `${part[0]}ns`, "--to", `${part[1]}ns`)]);
    for (const [from, to, of] of stretches)
        for (const worker of of.workers_profile) {
            const row = data.rows.indexOf(worker.worker),
                use = row < 0 ? { known: 0 } : cpu_use(data.cpu[row], from, to);
            if (row < 0 && worker.cpu_ns !== null) continue; // it ran nothing
            assert.deepEqual(
                [use.known ? use.run : null, use.has_wait ? use.wait : null],
                [worker.cpu_ns, worker.cpu_wait_ns],
                `worker ${worker.worker} from ${from} to ${to}`,
            );
        }
}

// From a quarter to the half of the window, between edges of bins of that width.
function middle(data, width) {
    const n_bins = Math.ceil(data.elapsed / width);
    return [Math.floor(n_bins / 4) * width, Math.min(data.elapsed, Math.ceil(n_bins / 2) * width)];
}

// A picture of strands, and one of levels, show the same.  Strands are walked where a pixel is less
// than a bin.
function check_pixels({ data }) {
    const { row_width, width, rows, ready } = data.levels,
        n = 7;
    if (data.collapsed.size || data.tracer.length) return;
    let [from, to] = middle(data, row_width);
    data.levels.row_width = Infinity;
    const running = running_in_pixels(data, from, to, n);
    data.levels.row_width = row_width;
    for (let c = 0; c < BINS.classes - 1; c++)
        near(
            sum([...running[c]]),
            sum(rows.map(row => row[c].over(from, to))),
            SLACK,
            `class ${c} of strands and levels`,
        );
    [from, to] = middle(data, width);
    ready.forEach(of => {
        of.width = Infinity;
    });
    const walked = ready_in_pixels(data, from, to, n, "edge");
    ready.forEach(of => {
        of.width = width;
    });
    ready.forEach((of, e) =>
        near(sum([...walked[e]]), of.over(from, to), SLACK, `ready by ${EDGES[e]}`),
    );
}

// Finer levels, with many bins a strand: the sums of the page's own, and of the strands.
async function check_fine({ data }) {
    if (data.collapsed.size || data.tracer.length) return 0;
    const { levels } = data,
        [from] = middle(data, levels.row_width),
        n = 5;
    await refine(data, async () => {}, 1 / 512);
    const walked = Array.from({ length: BINS.classes }, () => new Float64Array(n)),
        { fine } = levels;
    let made = 0;
    data.rows.forEach((_, row) => {
        if (!fine.rows[row]) return;
        made++;
        assert.ok(fine.rows[row].width < levels.row_width, "they are finer");
        const read = Array.from({ length: BINS.classes }, () => new Float64Array(n)),
            { width, of } = fine.rows[row],
            low = Math.ceil(from / width) * width,
            high = low + n * width;
        walked.forEach(each => each.fill(0));
        row_in_pixels(data, row, low, high, n, walked);
        row_from_levels(
            of.map((each, c) => (c === BINS.held ? null : each)),
            low,
            high,
            n,
            read,
        );
        for (let c = 0; c < BINS.classes; c++) {
            if (c !== BINS.held)
                near(
                    of[c]?.total ?? 0,
                    levels.rows[row][c].total,
                    SLACK,
                    `fine class ${c} of row ${row}`,
                );
            for (let x = 0; x < n; x++)
                near(read[c][x], walked[c][x], SLACK, `fine class ${c} of row ${row}, bin ${x}`);
        }
    });
    if (!fine.ready) return made;
    const { width } = fine.ready,
        low = Math.ceil(from / width) * width;
    const seen = ready_in_pixels(data, low, low + n * width, n, "edge");
    fine.ready.of.forEach((of, e) => {
        near(of?.total ?? 0, levels.ready[e].total, SLACK, `fine ready by ${EDGES[e]}`);
        for (let x = 0; x < n; x++)
            near(
                of ? of.over(low + x * width, low + (x + 1) * width) : 0,
                seen[e][x],
                SLACK,
                `fine ready by ${EDGES[e]}, bin ${x}`,
            );
    });
    return made;
}

// Random stretches between edges of bins: the page's sums are the report's, to the tick.
function check_selections({ data }, path) {
    const width = data.levels.width,
        n = Math.floor(data.elapsed / width);
    let seed = 12345;
    const random = below => (seed = (seed * 1103515245 + 12345) % 2147483648) % below;
    for (let k = 0; k < SELECTIONS && n > 2 && data.collapsed.size === 0; k++) {
        const a = random(n),
            b = random(n),
            from = Math.min(a, b) * width,
            to = (Math.max(a, b) + 1) * width;
        const of = components_of(data, from, to),
            want = report(path, "--from", `${from}ns`, "--to", `${to}ns`);
        for (const name of COMPONENTS)
            assert.equal(of[name], want[name + "_ns"], `${name} of ${from} to ${to} ns`);
    }
}

function check_tasks({ data }) {
    const task = data.task,
        s = data.strand;
    for (let t = 0; t < task.n; t++) {
        assert.ok(task.kind[t] < data.kinds.length, `kind of task ${t}`);
        if (task.first[t] === NONE) continue;
        assert.equal(s.task[task.first[t]], t);
        assert.ok(task.parent[t] === NONE || task.parent[t] < task.n);
    }
    for (const list of data.row_strands)
        for (let k = 0; k + 1 < list.length; k++)
            for (const [a, b] of pauses(data, list[k], s.start[list[k + 1]]))
                assert.ok(b > a && a >= s.end[list[k]], `pause after strand ${list[k]}`);
    for (const [i, c] of data.collapsed)
        assert.ok(s.flags[i] & COLLAPSED && c.work <= s.end[i] - s.start[i], `collapsed ${i}`);
}

let n_refined = 0,
    n_operations = 0;
for (const [name, path] of traces)
    test(name, async () => {
        const page = await read_page(join(PAGES, name + ".html"));
        assert.deepEqual(page.summary, report(path), "the report's JSON");
        assert.deepEqual(page.bounds, report(path, "--bounds").bounds, "its bounds");
        check_order(page);
        check_tasks(page);
        assert.equal(page.meta.partial, ["partial", "paused", "tree"].includes(name));
        assert.ok(page.meta.fates.every(text => page.meta.notes.includes(text)));
        assert.equal(page.meta.fates.length > 0, page.summary.losses.length > 0, "of no loss");
        if (page.meta.partial) {
            assert.ok(
                page.data.strand.n < page.meta.strands && page.data.path.length > 0,
                "some strands are left out",
            );
            check_components(page);
            check_states(page);
            check_left(page);
            return;
        }
        check_counts(page);
        check_waits(page);
        check_edges(page);
        check_leaps(page);
        n_operations += check_operations(page);
        const whole =
            page.summary.selected.length === 1 &&
            page.summary.selected[0][1] - page.summary.selected[0][0] === page.data.elapsed;
        check_components(page);
        if (whole) {
            check_states(page);
            check_path(page);
            check_paths(page);
            check_cpu(page, path);
            check_pixels(page);
        }
        check_selections(page, path);
        if (whole) n_refined += await check_fine(page);
    });

test("a page over its budget fills its room, with strands around the widest pause", async () => {
    const { data, meta } = await read_page(join(PAGES, "paused.html")),
        { start, end } = data.strand,
        list = data.row_strands[1];
    const at = [...list.keys()].find(k => k > 0 && start[list[k]] - end[list[k - 1]] === 5010);
    assert.ok(at, "nothing is left out around it");
    assert.deepEqual(
        [list[at - 1], list[at]].map(i => end[i] - start[i]),
        [20, 20],
    );
    assert.ok(meta.kept > 90 && meta.kept <= 100, `${meta.kept} of at most 100`);
});

test("a page over its budget has a tree: all of the tasks down to some depth", async () => {
    const { data, meta } = await read_page(join(PAGES, "tree.html")),
        { task, strand } = data,
        of_depth = [];
    for (let t = 0; t < task.n; t++)
        if (task.first[t] !== NONE) (of_depth[task.depth[t]] ??= []).push(t);
    const whole = of_depth.findIndex((list, depth) => list.length < 2 ** depth);
    assert.ok(meta.kept <= 600 && whole >= 5, `all tasks to depth ${whole}`);
    for (const t of of_depth.slice(1, whole).flat())
        assert.notEqual(strand.pred[task.first[t]], NONE, `task ${t} hangs below its creator`);
});

// What all strands of it ran, of the whole of the run's time.
async function work_of_cure({ cures, column }, i) {
    const { bins, shares, what_if } = cures,
        numbers = await column(`cure-${i}`);
    const width = Math.floor(cures.findings[i].what_if[0].elapsed_ns / bins) + 1;
    let work = 0;
    for (let cell = 0; cell < what_if.workers * (BINS.others + 1) * bins; cell++)
        work += (numbers.next() * width) / shares;
    assert.ok(numbers.over);
    return work;
}

test("what cures bring is what `report --what-if` says, and their runs have its work", async () => {
    for (const [name, path] of traces.filter(([is]) =>
        /^planted_(tail|lock|serial_head)$/.test(is),
    )) {
        const page = await read_page(join(PAGES, name + ".html")),
            want = report(path, "--what-if"),
            [best] = want.findings[0].what_if;
        assert.deepEqual(page.cures.what_if, want.what_if);
        assert.deepEqual(
            page.cures.findings.map(of => of.what_if),
            want.findings.map(of => of.what_if),
        );
        assert.equal(page.cures.what_if.elapsed_ns - best.elapsed_ns, want.findings[0].gain_ns);
        near(await work_of_cure(page, 0), want.work_ns, 0.005 * want.work_ns, `work of ${name}`);
    }
});

test("kinds in pixels have all work, of strands and of sums", async () => {
    for (const name of ["planted_tail", "collapsed", "partial"]) {
        const { data, summary } = await read_page(join(PAGES, name + ".html")),
            n = 50;
        const of_row = (_, row) => sum(kinds_in_pixels(data, row, 0, data.elapsed, n).map(sum)),
            work = (sum(data.rows.map(of_row)) * data.elapsed) / n;
        near(work, summary.work_ns, 1e-6 * summary.work_ns, `work of ${name}`);
    }
});

test("rows were made finer", () => assert.ok(n_refined > 20, `${n_refined} rows`));

test("colours of the timelines: each strand has one of the key, by what it is", async () => {
    let n_sites = 0;
    for (const name of ["fib3", "planted_lock", "planted_tail", "collapsed", "hostile"]) {
        const { data } = await read_page(join(PAGES, name + ".html")),
            app = {
                data,
                colour: colours(false, data.leading),
                format: { kind_at: String, site: String },
            };
        const strands = [...data.strand.start.keys()].filter(i => !(data.strand.flags[i] & NODE)),
            site = i => data.kinds[data.task.kind[data.strand.task[i]]].site;
        const made = Object.fromEntries(shades_of(app).map(({ id, make }) => [id, make(app)]));
        assert.equal(
            Object.keys(made).slice(0, 8).join(" "),
            "kind site creator path state depth ready length",
        );
        for (const [id, { shade, colours: list, key }] of Object.entries(made)) {
            const used = new Set(strands.map(shade));
            assert.ok(
                [...used].every(c => c === UNKNOWN || (c >= 0 && list[c] !== undefined)),
                `${name}: ${id} has ${[...used]}`,
            );
            assert.ok(
                key.every(([c]) => c === UNKNOWN || list[c]),
                `${name}: ${id}`,
            );
        }
        assert.deepEqual(
            strands.filter(i => made.path.shade(i) === 0),
            [...data.path].filter(i => !(data.strand.flags[i] & NODE)),
            `${name}: ready path`,
        );
        for (const [c, , part] of made.site.key) {
            if (!part) continue;
            n_sites++;
            assert.deepEqual(
                strands.filter(i => made.site.shade(i) === c),
                strands.filter(i => site(i) === part.site),
                `${name}: site ${part.site}`,
            );
        }
        const stretch = finish(stretch_of(app));
        for (const i of strands)
            if (Math.abs(stretch(i) - 1) < 1e-9)
                assert.equal(made.stretch.shade(i), 4, `${name}: ${i}`);
    }
    assert.ok(n_sites > 5);
});

test("arcs cross workers; those from a worker to itself come where they are wanted", async () => {
    const seen = { steal: 0, create: 0, own: 0, join: 0 };
    for (const [name] of traces) {
        const { data, summary } = await read_page(join(PAGES, name + ".html")),
            s = data.strand,
            of = (...wants) => arcs_of(data, wants[0], -1, data.elapsed + 1, new Set(wants));
        if (data.partial) continue;
        const steals = of("steal"),
            creates = of("create"),
            all = of("create", OWN),
            rows = list =>
                list.filter((_, k) => k % 2).map((to, k) => [s.row[list[2 * k]], s.row[to]]);
        if (!steals || !all) continue; // too many to be told apart
        assert.equal(steals.length / 2, summary.steals, `${name}: steals`);
        assert.ok(
            rows(creates).every(([from, to]) => from !== to),
            `${name}: creates cross workers`,
        );
        let first = 0;
        for (let i = 0; i < s.n; i++)
            if (
                s.edge[i] === 0 &&
                s.releaser[i] !== NONE &&
                s.flags[i] & FIRST &&
                !(s.flags[i] & NODE)
            )
                first++;
        assert.equal(all.length / 2, first, `${name}: creates`);
        seen.steal += steals.length / 2;
        seen.create += creates.length / 2;
        seen.own += rows(all).filter(([from, to]) => from === to).length;
    }
    assert.ok(seen.steal > 100 && seen.create > 100 && seen.own > 100, JSON.stringify(seen));
});

test("the span by kind is the report's, and creation paths hold all work", async () => {
    let n = 0;
    for (const [name] of traces) {
        const { data, summary, meta } = await read_page(join(PAGES, name + ".html")),
            on_it = on_span(data, summary, meta.kind_of_row),
            root = frames_of(summary.paths, row => row.work_ns);
        if (data.partial) continue;
        assert.equal(sum(on_it.map(row => row.span_ns)), summary.span_ns, name);
        for (const [frame] of boxes_of(root)) {
            const inner = sum([...frame.inner.values()].map(of => of.total));
            assert.equal(frame.own + inner, frame.total, name);
        }
        if (summary.paths.length) assert.equal(root.total, summary.work_ns, name);
        n += on_it.length;
    }
    assert.ok(n > 100);
});

test("some page had operations of a device", () => assert.ok(n_operations > 0));
