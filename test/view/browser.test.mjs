// SPDX-License-Identifier: MIT
// browser.test.mjs - pages in a browser: clicks, zooms, searches, follows links, and compares what
// the page says with the report.  PAGES, TPTRACE: as data.test.mjs has them.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
    BELOW,
    app,
    box_of,
    close,
    frame,
    open_page,
    pixels_of,
    report,
    shared_browser,
    show_view,
    spaced,
} from "./browser.mjs";
import { drag } from "./mouse.mjs";

const { PAGES, TPTRACE } = process.env;
const COMPONENTS = ["work", "delay", "no_work_sched", "no_work_app"];
const browser = shared_browser();

const open = (name, fragment = BELOW, options = {}) =>
    open_page(browser(), join(PAGES, name + ".html") + fragment, options);

// Where a strand is on the screen: its middle.
const place_of = (page, i) =>
    app(
        page,
        (a, strand) => {
            const box = document.querySelector("#middle canvas").getBoundingClientRect(),
                s = a.data.strand,
                height = box.height - 20;
            const pitch = Math.max(4, Math.min(110, height / a.data.rows.length)),
                x =
                    64 +
                    (((s.start[strand] + s.end[strand]) / 2 - a.time.from) /
                        (a.time.to - a.time.from)) *
                        (box.width - 72);
            return { x: box.left + x, y: box.top + pitch * (s.row[strand] + 0.5) };
        },
        i,
    );

test("the page has the report's figures, and draws", async () => {
    for (const name of ["planted_tail", "planted_lock", "fib3", "collapsed"]) {
        const page = await open(name);
        assert.deepEqual(await page.evaluate(() => window.tptrace.summary), report(name));
        const painted = await page.evaluate(() =>
            [...document.querySelectorAll("canvas")].map(c => {
                const seen = new Set(),
                    data = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
                for (let i = 0; i < data.length; i += 4)
                    seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
                return seen.size;
            }),
        );
        assert.ok(
            painted.length >= 2 && painted.every(n => n > 4),
            `${name}: canvases have ${painted} colours`,
        );
        await close(page);
    }
});

test("a Worker reads the columns; without one the page itself reads the same", async () => {
    const facts = page =>
        app(page, a => {
            const list = [a.data.strand, a.data.task].map(of =>
                Object.entries(of)
                    .filter(([, each]) => ArrayBuffer.isView(each))
                    .map(([name, each]) => [name, ...each].join()),
            );
            return JSON.stringify([
                list,
                a.data.levels.rows.map(row =>
                    row.map(of => [of.total, of.over(0, a.data.elapsed / 3)]),
                ),
                [...a.data.collapsed],
                [...a.data.strand.turn],
                a.data.order.n,
            ]);
        });
    for (const name of ["fib3", "collapsed", "planted_lock", "partial"]) {
        const found = [];
        for (const has_worker of [true, false]) {
            const context = await browser().newContext(),
                page = await context.newPage(),
                workers = [],
                trouble = [];
            page.on("worker", worker => workers.push(worker.url()));
            page.on("pageerror", error => trouble.push(error.message));
            if (!has_worker)
                await page.addInitScript(() => {
                    delete window.Worker;
                });
            await page.goto(`file://${join(PAGES, name + ".html")}${BELOW}`);
            await page.waitForFunction(() => window.tptrace?.ready, null, { timeout: 30000 });
            assert.equal(workers.length, has_worker ? 1 : 0, name);
            assert.deepEqual(trouble, []);
            found.push(await facts(page));
            await context.close();
        }
        assert.equal(found[0], found[1], name);
        assert.ok(found[0].length > 200);
    }
});

test("the source opens where most time went", async () => {
    const page = await open("far");
    await show_view(page, "Source");
    await frame(page);
    const [file, seen] = await page.evaluate(() => {
        const line = document.querySelector('.code tr[data-line="300"]'),
            box = document.querySelector(".code").getBoundingClientRect(),
            at = line?.getBoundingClientRect();
        return [
            document.querySelector('select[aria-label="file"]').value,
            Boolean(at) && at.top >= box.top && at.bottom <= box.bottom,
        ];
    });
    assert.match(file, /far\.c$/);
    assert.ok(seen, "line 300 is not on the screen");
});

test("a finding selects its time and code, and says what to try", async () => {
    const page = await open("planted_tail"),
        finding = report("planted_tail").findings[0];
    await page.click("button.finding");
    await frame(page);
    const [selection, time, meta] = await app(page, a => [a.selection, a.time, a.meta.findings[0]]);
    assert.deepEqual(
        [selection.finding, selection.from, selection.to, selection.kind],
        [0, meta.from, meta.to, meta.kind],
    );
    assert.ok(time.from <= meta.from && time.to >= meta.to);
    assert.ok(spaced(await page.textContent("#findings")).includes(finding.try));
    assert.match(await page.evaluate(() => location.hash), /finding=0/);
    await page.keyboard.press("Escape");
    assert.equal(await app(page, a => a.selection.finding), null);
    await page.goBack();
    await page.waitForFunction(() => window.tptrace.app.selection.finding === 0);
});

test("time that is selected with the mouse has the report's components, to the tick", async () => {
    const page = await open("planted_tail"),
        box = await box_of(page, "#upper canvas");
    for (const [a, b] of [
        [0.1, 0.4],
        [0.35, 0.95],
        [0.6, 0.61],
    ]) {
        const at = share => box.x + share * box.width;
        await drag(page, [at(a), box.y + 60], [at(b), box.y + 70], 3);
        await frame(page);
        const { from, to } = await app(page, x => x.selection),
            want = report("planted_tail", "--from", `${from}ns`, "--to", `${to}ns`);
        const is = JSON.parse(await page.getAttribute("#bars .sum", "data-components"));
        for (const name of COMPONENTS)
            assert.equal(is[name], want[name + "_ns"], `${name} of ${from} to ${to}`);
    }
});

test("the strip of the whole run: its frame is drawn, moved, widened, put elsewhere", async () => {
    const page = await open("planted_tail"),
        box = await box_of(page, "#map canvas"),
        at = share => [box.x + 64 + share * (box.width - 72), box.y + 10];
    const steps = [
        [0.2, 0.4, 0.2, 0.4],
        [0.3, 0.6, 0.5, 0.7],
        [0.7, 0.9, 0.5, 0.9],
        [0.3, 0.3, 0.1, 0.5],
    ];
    for (const [down, up, from, to] of steps) {
        await drag(page, at(down), at(up), 3);
        const seen = await app(page, a => [a.time.from / a.extent, a.time.to / a.extent]);
        assert.ok(Math.abs(seen[0] - from) + Math.abs(seen[1] - to) < 0.02, `${seen}`);
    }
});

test("a strand is found by mouse, told in full, and by its link", async () => {
    const page = await open("fib3");
    const strand = await app(page, a => {
        const s = a.data.strand;
        let best = 0;
        for (let i = 1; i < s.n; i++)
            if (s.end[i] - s.start[i] > s.end[best] - s.start[best]) best = i;
        return best;
    });
    const at = await place_of(page, strand);
    await page.mouse.move(at.x, at.y);
    await page.waitForSelector("#tip:not([hidden])");
    const [name, length] = await app(
        page,
        (a, i) => [
            a.data.kinds[a.data.task.kind[a.data.strand.task[i]]].name,
            a.format.time(a.data.strand.end[i] - a.data.strand.start[i]),
        ],
        strand,
    );
    assert.ok((await page.textContent("#tip")).includes(name));
    await page.mouse.click(at.x, at.y);
    await frame(page);
    const told = await page.textContent("#details");
    assert.ok(told.includes(name) && told.includes(`ran${length} from`), told);
    const other = await open("fib3", await page.evaluate(() => location.hash));
    assert.equal(await app(other, a => a.selection.strand), strand);
    assert.equal(await other.textContent("#details"), told);
    await close(other);
    await page.click("#details >> text=its task");
    await frame(page);
    assert.equal(
        await app(page, a => a.selection.task),
        await app(page, (a, i) => a.data.strand.task[i], strand),
    );
});

test("keys zoom, move, search and explain", async () => {
    const page = await open("planted_tail"),
        whole = await app(page, a => a.time);
    const time = async () => {
        await frame(page);
        return app(page, a => a.time);
    };
    await page.keyboard.press("w");
    const closer = await time();
    assert.ok(closer.to - closer.from < 0.8 * (whole.to - whole.from));
    await page.keyboard.press("d");
    assert.ok((await time()).from > closer.from);
    await page.keyboard.press("0");
    assert.deepEqual(await time(), whole);
    await page.keyboard.press("]");
    assert.equal(await app(page, a => a.selection.finding), 0);
    await page.keyboard.press("?");
    assert.ok(await page.isVisible("dialog"));
    await page.keyboard.press("Escape");
    assert.ok(!(await page.isVisible("dialog")));
    await page.keyboard.press("/");
    assert.equal(await page.evaluate(() => document.activeElement.id), "search");
});

test("the overview has the report's bounds", async () => {
    for (const name of ["planted_tail", "fib3", "one_worker"]) {
        const page = await open(name),
            summary = report(name, "--bounds"),
            { work_ns, speedup } = summary.bounds,
            at = speedup.find(point => point.workers === summary.workers);
        const told = await page.textContent("#speedup"),
            said = x => x.toFixed(2);
        assert.ok(
            told.includes(
                `measured ${said(work_ns / summary.elapsed_ns)} on ${summary.workers} ` +
                    `worker${summary.workers === 1 ? "" : "s"};`,
            ) && told.includes(`a greedy schedule of the same strands ${said(at.ideal)}`),
            told,
        );
        assert.ok(
            told.includes(
                at.lower === null
                    ? `work and span allow ${said(at.upper)}`
                    : `a work-stealing runtime would reach ${said(at.lower)} to ` +
                          `${said(at.upper)} (Cilkview's estimate`,
            ),
            told,
        );
        const dot = await page.$eval("#speedup circle", node => Number(node.getAttribute("cx"))),
            end = await page.$eval("#speedup svg", node => node.viewBox.baseVal.width - 6);
        assert.ok(
            Math.abs(
                (dot - 26) / (end - 26) - summary.workers / speedup[speedup.length - 1].workers,
            ) < 0.01,
        );
        await close(page);
    }
});

test("the overview draws the report's curves", async () => {
    const words = readFileSync(join(PAGES, "curves"), "utf8").split("\t");
    const { bounds } = JSON.parse(
            execFileSync(TPTRACE, ["report", "--json", "--bounds", ...words], { encoding: "utf8" }),
        ),
        { curves } = bounds,
        workers = bounds.speedup.at(-1).workers;
    for (const scheme of ["light", "dark"]) {
        const page = await open("curves", "", { colorScheme: scheme }),
            told = await page.textContent("#speedup");
        for (const name of ["measured", "simulated", "predicted"]) {
            const dots = await page.$$eval(`#speedup [data-curve=${name}] circle`, nodes =>
                nodes.map(node => [
                    Number(node.getAttribute("cx")),
                    Number(node.getAttribute("cy")),
                ]),
            );
            assert.equal(dots.length, curves[name].length, name);
            const [zero, one] = await page.evaluate(
                    curve => [
                        curve,
                        document.querySelector("#speedup svg").viewBox.baseVal.width - 6,
                    ],
                    26,
                ),
                line = curves[name].map(point => bounds.work_ns / point.elapsed_ns);
            curves[name].forEach((point, i) =>
                assert.ok(
                    Math.abs((dots[i][0] - zero) / (one - zero) - point.workers / workers) < 0.01,
                    `${name}: ${dots}`,
                ),
            );
            // one scale for all: from the first two points of a curve to the last
            const scale = (dots[0][1] - dots.at(-1)[1]) / (line.at(-1) - line[0]);
            dots.forEach(([, y], i) =>
                assert.ok(
                    Math.abs(dots[0][1] - y - scale * (line[i] - line[0])) < 0.1,
                    `${name}: ${dots}`,
                ),
            );
            if (name !== "measured")
                assert.ok(told.includes(`${name} ${line.at(-1).toFixed(2)} on 16`), told);
        }
        await close(page);
    }
});

test("a click on a pause selects its worker and time, and Why idle shows that moment", async () => {
    const page = await open("planted_tail"),
        pause = await app(page, a => {
            const { row_strands, strand: s, elapsed } = a.data,
                found = row_strands.flatMap((list, row) =>
                    Array.from(list, (i, k) => ({
                        row,
                        from: s.end[i],
                        to: k + 1 < list.length ? s.start[list[k + 1]] : elapsed,
                    })),
                );
            return found.sort((x, y) => y.to - y.from - (x.to - x.from))[0];
        });
    const at = await app(
        page,
        (a, { row, from, to }) => {
            const box = document.querySelector("#middle canvas").getBoundingClientRect(),
                pitch = Math.max(4, Math.min(110, (box.height - 20) / a.data.rows.length));
            const moment = from + 0.75 * (to - from);
            return {
                x: box.left + 64 + (moment / a.extent) * (box.width - 72),
                y: box.top + pitch * (row + 0.4),
                ns: moment,
                slack: (2 * a.extent) / box.width,
            };
        },
        pause,
    );
    await page.mouse.click(at.x, at.y);
    await frame(page);
    const is = await app(page, a => a.selection);
    assert.deepEqual([is.worker, is.from, is.to], [pause.row, pause.from, pause.to]);
    assert.ok(Math.abs(is.moment - at.ns) <= at.slack, `moment ${is.moment}, clicked at ${at.ns}`);
    await page.click("#details >> text=why idle");
    await frame(page);
    assert.deepEqual(
        await page.evaluate(() => {
            const { row, from, to, ns } = window.tptrace.views.why.why.moment;
            return [row, from, to, ns];
        }),
        [pause.row, pause.from, pause.to, is.moment],
    );
    const other = await open("planted_tail", await page.evaluate(() => location.hash));
    assert.equal(await app(other, a => a.selection.moment), is.moment);
    await close(other);
    await app(page, a => a.select({ from: 0, to: 5 }));
    assert.equal(await app(page, a => a.selection.moment), null);
});

// Whether the canvas of the timelines has a pixel of it.
const has_colour = async (page, colour) => (await pixels_of(page, "#middle canvas", colour)) > 0;

test("paths, leaps and CPU times can be switched, and say what the report says", async () => {
    for (const [name, colours] of [
        ["tied_parent", ["leap", "critical", "binding"]],
        ["machine", ["cpu"]],
    ]) {
        const page = await open(name),
            summary = report(name),
            boxes = await page.$$eval("#legend .boxes label", list =>
                list.map(label => label.textContent + "|" + label.title),
            );
        const say = ns => app(page, (a, n) => a.format.time(n), ns);
        assert.ok(
            ["leaps", "steals"].every(
                one =>
                    boxes.some(text => text.startsWith(`${one} ${summary[one]}|`)) ===
                    summary[one] > 0,
            ),
            boxes.join(),
        );
        const title = text => boxes.find(box => box.startsWith(text + "|"));
        assert.ok(title("critical path").includes(await say(summary.span_ns)));
        for (const ns of [summary.binding_path.running_ns, summary.binding_path.latency_ns])
            assert.ok(title("binding path").includes(await say(ns)));
        const text_of = {
            leap: "leaps",
            critical: "critical path",
            binding: "binding path",
            cpu: "CPU",
        };
        await page.click("#legend summary");
        for (const label of colours) {
            const colour = await app(
                    page,
                    (a, id) => (id === "cpu" ? a.colour.cpu.wait : a.colour[id]),
                    label,
                ),
                on = async () => {
                    await frame(page);
                    return has_colour(page, colour);
                };
            const box = page
                .locator("#legend .boxes label", { hasText: text_of[label] })
                .locator("input");
            await box.setChecked(true);
            assert.equal(await on(), true, `${name}: ${label} is drawn`);
            await box.setChecked(false);
            assert.equal(await on(), false, `${name}: ${label} is gone`);
        }
        await close(page);
    }
});

test("a click on a worker tells its CPU times, as the report does", async () => {
    const page = await open("machine"),
        box = await box_of(page, "#middle canvas");
    await page.mouse.click(box.x + 20, box.y + 10);
    await frame(page);
    const [worker] = report("machine").workers_profile,
        told = await page.textContent("#details"),
        say = ns => app(page, (a, n) => a.format.time(n), ns);
    assert.ok(
        told.includes(`had a CPU${await say(worker.cpu_ns)}`) &&
            told.includes(`waited for one${await say(worker.cpu_wait_ns)}`),
        told,
    );
});

test("strands that have room are drawn one by one, whatever levels there are", async () => {
    const page = await open("planted_tail");
    await page.waitForFunction(() => window.tptrace.timing.refined);
    await frame(page);
    const edges = await app(page, a => {
        const node = document.querySelector("#middle canvas"),
            ctx = node.getContext("2d"),
            ratio = node.width / node.clientWidth,
            s = a.data.strand,
            list = a.data.row_strands[1],
            seen = { edge: new Set(), inside: new Set() };
        const pixel = x =>
            [
                ...ctx.getImageData(
                    Math.floor(x * ratio),
                    Math.round(
                        14 * ratio + ((node.clientHeight - 20) / a.data.rows.length) * ratio,
                    ),
                    1,
                    1,
                ).data,
            ].join();
        const x = ns => 64 + (ns / a.data.elapsed) * (node.clientWidth - 72);
        for (const i of list.slice(1, 8)) {
            seen.edge.add(pixel(x(s.start[i]) + 0.5));
            seen.inside.add(pixel(x(s.start[i] + (s.end[i] - s.start[i]) * 0.85)));
        }
        return [
            [...seen.edge],
            [...seen.inside],
            ((s.end[list[1]] - s.start[list[1]]) / a.data.elapsed) * node.clientWidth,
        ];
    });
    assert.ok(edges[2] > 20, `they are ${edges[2]} px wide`);
    assert.equal(edges[1].length, 1);
    assert.ok(
        edges[0].every(colour => colour !== edges[1][0]),
        JSON.stringify(edges),
    );
});

test("a search finds tasks by name, length and number", async () => {
    const page = await open("planted_tail"),
        all = await app(page, a => [...a.data.task.work]);
    const rows = async text => {
        await page.fill("#search", text);
        await frame(page);
        return page.$$eval("table.tasks tbody tr", list =>
            list.map(row => Number(row.dataset.task)),
        );
    };
    const limit = all.slice().sort((a, b) => b - a)[2];
    assert.deepEqual(
        (await rows(`> ${limit - 1}ns`)).sort(),
        all
            .map((work, t) => [work, t])
            .filter(([work]) => work > limit - 1)
            .map(([, t]) => t)
            .sort(),
    );
    for (const [i, order] of [1, -1].entries()) {
        await page.click('table.tasks th button:text-matches("ready for")');
        await frame(page);
        const waited = await app(page, a => {
            const { begin, ready } = a.data.task;
            return [...document.querySelectorAll("table.tasks tbody tr")]
                .map(row => begin[row.dataset.task] - ready[row.dataset.task])
                .filter(ns => ns >= 0);
        });
        assert.ok(new Set(waited).size > 1);
        assert.deepEqual(
            waited,
            waited.slice().sort((a, b) => order * (b - a)),
            `click ${i}`,
        );
    }
    assert.deepEqual(await rows("#2"), [2]);
    assert.deepEqual(await rows("no such name"), []);
    await rows("#2");
    await page.click("table.tasks tbody tr");
    await frame(page);
    assert.equal(await app(page, a => a.selection.task), 2);
});

test("what is searched is lit, and Enter goes from one to the next", async () => {
    const page = await open("planted_lock");
    await page.fill("#search", "nowhere to be found");
    await frame(page);
    assert.match(await page.textContent("#found"), /^nothing found of \d+ tasks$/);
    const want = await app(page, a => {
        const { task, kinds } = a.data,
            t = task.begin.findIndex((ns, i) => i > 2 && ns >= 0);
        return { t, name: kinds[task.kind[t]].name };
    });
    await page.fill("#search", `#${want.t}`);
    await frame(page);
    const is_lit = (a, wanted) => {
        const { first } = a.data.task;
        return [a.dims, a.matches(first[wanted]), a.matches(first[0])];
    };
    assert.deepEqual(await app(page, is_lit, want.t), [true, true, false]);
    await page.fill("#search", want.name);
    const seen = [];
    for (const key of ["Enter", "Enter", "Shift+Enter"]) {
        await page.press("#search", key);
        seen.push(await app(page, a => [a.selection.task, a.hits[a.selection.task]]));
    }
    assert.ok(seen.every(([, is_hit]) => is_hit === 1));
    assert.equal(seen[0][0], seen[2][0]);
    assert.notEqual(seen[0][0], seen[1][0]);
});

test("a finding about all of a run leaves none of it dim", async () => {
    const page = await open("planted_loaded"),
        { findings } = report("planted_loaded");
    await page.click(`button.finding >> nth=${findings.findIndex(({ id }) => id === "loaded")}`);
    await frame(page);
    assert.deepEqual(await app(page, a => [a.selection.kind, a.dims]), [null, false]);
});
