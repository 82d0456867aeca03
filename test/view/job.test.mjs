// SPDX-License-Identifier: MIT
// job.test.mjs - pages of jobs in a browser: figures are those of `report FOLDER --json`, and a
// late rank is named, marked and leads to its own page.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
    app,
    axe_faults,
    close,
    frame,
    leave,
    shared_pages,
    show_view,
    words,
} from "./browser.mjs";

const { PAGES, TPTRACE } = process.env,
    names = readFileSync(join(PAGES, "jobs"), "utf8").trim().split("\n"),
    LATE = 3; // job.py
const open_at = shared_pages(),
    report = name =>
        JSON.parse(
            execFileSync(TPTRACE, ["report", "--json", join(PAGES, name)], { encoding: "utf8" }),
        );

const FIGURES = words(
    "rank host pid workers elapsed_ns cumulative_ns work_ns delay_ns no_work_sched_ns",
    "no_work_app_ns tasks states phases",
);

async function open(name, fragment = "", options = {}) {
    const page = await open_at(name, fragment, options);
    await frame(page);
    return page;
}

const text_of = (page, selector) => page.textContent(selector);
const rows_in_sight = page =>
    page.evaluate(() =>
        [...document.querySelectorAll("#lower .unseen tbody tr td:first-child")].map(
            cell => cell.textContent,
        ),
    );

test("a page holds of a job what its report says", async () => {
    for (const name of names) {
        const page = await open(name),
            got = await page.evaluate(() => window.tptrace.job),
            wanted = report(name);
        assert.deepEqual(got.total, wanted.total);
        assert.equal(got.processes.length, wanted.processes.length);
        for (const [i, process] of wanted.processes.entries())
            for (const key of FIGURES)
                assert.deepEqual(got.processes[i][key], process[key], `${name}: ${i}: ${key}`);
        assert.ok(statSync(join(PAGES, name + ".html")).size < 15e6);
        await close(page);
    }
});

test("of many ranks, those that findings name and those with most work have pages", async () => {
    const page = await open("job_many", "#worker=99"),
        { processes, total } = await page.evaluate(() => window.tptrace.job),
        having = processes.filter(({ has_page }) => has_page),
        named = total.findings
            .flatMap(({ facts }) => facts)
            .filter(({ id }) => id === "rank" || id === "waiting_rank")
            .map(({ value }) => value),
        least = Math.min(
            ...having.filter(({ rank }) => !named.includes(rank)).map(({ work_ns }) => work_ns),
        );
    assert.equal(having.length, 64);
    for (const { rank, work_ns, has_page } of processes)
        if (!has_page) assert.ok(work_ns <= least && !named.includes(rank), `rank ${rank}`);
    assert.ok(!processes[99].has_page);
    assert.match(await text_of(page, "#lower"), /rank 99: tptrace view .*late\.r99\.tpt/);
});

test("states of a row add up to those of the report", async () => {
    const page = await open("job_few"),
        sums = await page.evaluate(() =>
            window.tptrace.job.nodes.map(({ series }) => series.of.map(of => of.total)),
        );
    const STATES = ["running", "message", "blocked", "runtime", "tracer"];
    for (const [i, process] of report("job_few").processes.entries())
        STATES.forEach((state, s) => {
            const ns = Object.values(process.states[state] ?? {}).reduce((a, b) => a + b, 0);
            assert.ok(Math.abs(sums[i][s] - ns) <= 0.001 * process.cumulative_ns, `${i} ${state}`);
        });
});

test("the late rank is named first, and its row is marked", async () => {
    for (const name of ["job_few", "job_many"]) {
        const page = await open(name);
        assert.match(await text_of(page, ".verdict"), new RegExp(`^Rank ${LATE} is late`));
        assert.match(await text_of(page, ".headline"), /work, late.c:10/);
        assert.match(await text_of(page, "#findings .finding"), /rank imbalance/i);
        assert.match(await text_of(page, ".lines .found .text"), /int line_10;/);
        const [{ gain_ns }] = report(name).total.findings,
            { elapsed_max_ns: ran } = report(name).total,
            say = ns => app(page, (a, at) => a.format.time(at), ns),
            told = (await text_of(page, ".told")).replaceAll("\u00a0", " "),
            then = `then${await say(ran - gain_ns)} instead of ${await say(ran)}`;
        assert.ok(told.includes(then), `${then}: ${told}`);
        await close(page);
    }
});

// How many pixels of the rows are as dark as an arrow, or a frame.
const dark_pixels = page =>
    page.evaluate(() => {
        const canvas = document.querySelector("#lower canvas"),
            { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        let n = 0;
        for (let i = 0; i < data.length; i += 4)
            n += Math.max(data[i], data[i + 1], data[i + 2]) < 70 && data[i + 3] > 200 ? 1 : 0;
        return n;
    });

test("arrows lead from the late rank to all that wait for it, and say how long", async () => {
    const page = await open("job_few"),
        { waits, total } = await page.evaluate(() => window.tptrace.job);
    assert.equal(waits.length, 4 * 3); // rounds, ranks
    for (const [waiter, late, begin, end, released] of waits) {
        assert.ok(waiter !== LATE && late === LATE);
        assert.ok(begin < released && released <= end && end - released === 100);
    }
    const sum = waits.reduce((ns, [, , begin, , released]) => ns + released - begin, 0);
    assert.equal(sum, total.mpi.late_ns);
    const [, , begin, , released] = waits.find(([waiter]) => waiter === 1),
        length = await page.evaluate(
            ([from, to]) => {
                const own = window.tptrace.app;
                own.zoom(from, to);
                return own.format.time(to - from);
            },
            [begin, released],
        );
    await page.focus("#lower canvas");
    await frame(page);
    const said = await page.$$eval("#lower .unseen tbody tr", rows =>
        rows.map(row => row.lastChild.textContent),
    );
    assert.equal(said[1], `rank ${LATE}, for ${length}`);
    assert.equal(said[LATE], "-");
});

test("right click and keys have their menu, and search of nothing is no trouble", async () => {
    const page = await open("job_few"),
        entries = () =>
            page.$$eval("#menu:not([hidden]) button", list => list.map(b => b.textContent));
    await page.click("#lower canvas", { button: "right" });
    assert.ok((await entries()).includes("copy the link"));
    await page.keyboard.press("Escape");
    assert.deepEqual(await entries(), []);
    for (const key of ["/", "."]) await page.keyboard.press(key);
    assert.ok((await entries()).includes("copy the link"));
    await close(page);
});

test("arrows of waits can be put out, and the link says so", async () => {
    const page = await open("job_few"),
        before = await dark_pixels(page);
    await page.click("button:text-is('waits')");
    await frame(page);
    const without = await dark_pixels(page);
    assert.ok(without < before - 100, `${before} px, ${without} without arrows`);
    await page.waitForURL(/arrows=none/);
    await page.reload();
    await page.waitForFunction(() => window.tptrace?.ready);
    await frame(page);
    assert.equal(await dark_pixels(page), without);
    assert.equal(await page.getAttribute("button:text-is('waits')", "aria-pressed"), "false");
});

test("rows open and close: by group, by process, all of them", async () => {
    const page = await open("job_few");
    assert.deepEqual(await rows_in_sight(page), ["rank 0", "rank 1", "rank 2", "rank 3"]);
    await page.click("button:text-is('all workers')");
    await frame(page);
    await page.focus("#lower canvas");
    await frame(page);
    const rows = await rows_in_sight(page);
    assert.equal(rows.length, 12);
    assert.deepEqual(rows.slice(0, 3), ["rank 0", "worker 0", "worker 1"]);
    await page.waitForFunction(() => location.hash.includes("open=all"));
    await page.reload();
    await frame(page);
    await page.waitForFunction(() => window.tptrace?.ready);
    await frame(page);
    assert.equal((await rows_in_sight(page)).length, 12);
});

test("hosts and blocks of ranks are rows, closed but for a finding's ranks", async () => {
    const page = await open("job_hosts"),
        many = await open("job_many");
    const rows = await rows_in_sight(many);
    assert.deepEqual(rows.slice(0, 3), ["ranks 0 \u2013 3", "rank 0", "rank 1"]);
    assert.equal(rows.length, 25 + 4);
    await close(many);
    assert.deepEqual(await rows_in_sight(page), ["node0", "node1", "rank 3", "rank 4", "rank 5"]);
    const [whole, parts] = await page.evaluate(() => {
        const sum = series => series.of.map(of => of.total);
        const [host] = window.tptrace.job.nodes;
        return [sum(host.series), host.children.map(({ series }) => sum(series))];
    });
    whole.forEach((ns, state) => {
        const own = parts.reduce((all, of) => all + of[state], 0);
        assert.ok(Math.abs(own - ns) < 1e-6 * (1 + own));
    });
});

test("Up and Down choose a process, and Enter opens its row", async () => {
    const page = await open("job_few");
    await page.focus("#lower canvas");
    for (const key of ["ArrowDown", "ArrowDown", "Enter"]) await page.keyboard.press(key);
    await frame(page);
    assert.equal(await app(page, ({ selection }) => selection.worker), 1);
    assert.match(await text_of(page, "#details"), /rank 1/);
    assert.equal((await rows_in_sight(page)).length, 6);
});

test("a rank's own page is in the page, and leads back", async () => {
    const page = await open("job_few", `#worker=${LATE}`);
    await page.click(`button:text-is("open rank ${LATE}")`);
    await page.waitForFunction(() => window.tptrace?.ready && window.tptrace.app.side);
    const summary = await page.evaluate(() => window.tptrace.summary);
    assert.deepEqual(summary, report("job_few").processes[LATE]);
    await page.click("button:text-is('\u2190 the job')");
    await page.waitForFunction(() => window.tptrace?.job && window.tptrace.ready);
});

test("phases: who has the most work, against the mean", async () => {
    const page = await open("job_phases");
    await show_view(page, "Imbalance");
    assert.ok(await page.isHidden("#map"), "nothing there has an axis of time");
    const rows = await page.$$eval("table.by-phase tbody tr", list =>
        list.map(row => [...row.children].map(cell => cell.textContent)),
    );
    const { processes } = report("job_phases"),
        work = processes.map(({ work_ns }) => work_ns),
        mean = work.reduce((a, b) => a + b, 0) / work.length;
    assert.deepEqual(
        rows.map(([name]) => name),
        ["whole run", "round0", "round1"],
    );
    assert.equal(rows[0][4], `${(Math.max(...work) / mean).toFixed(2)} \u00d7`);
    assert.equal(rows[0][3], `rank ${work.indexOf(Math.max(...work))}`);
});

test("the process that is chosen is marked, in the table as it is", async () => {
    const page = await open("job_few", "#view=balance"),
        chosen = () => page.$$eval("tr.chosen.first th", list => list.map(th => th.textContent));
    await page.$$eval("table.by-process tbody tr", rows =>
        rows.forEach(row => row.classList.add("first")),
    );
    await page.click("table.by-process tbody tr >> nth=1");
    await frame(page);
    const { worker } = await app(page, ({ selection }) => selection);
    assert.deepEqual(await chosen(), [`rank ${worker}`]);
    await page.click("table.by-process tbody tr >> nth=1");
    await frame(page);
    assert.deepEqual(await chosen(), []);
});

test("axe finds nothing, light and dark, in both tabs and a rank's page", async () => {
    for (const colorScheme of ["light", "dark"])
        for (const fragment of ["", "#view=balance&worker=1", "#trace=4"]) {
            const low = { width: 1280, height: 420 }, // the code scrolls
                page = await open("job_few", fragment, { colorScheme, viewport: low });
            assert.deepEqual(await axe_faults(page), []);
            await leave(page);
        }
});

test("traces of one job are compared if asked for; those of several are not mixed", () => {
    const view = (...args) => spawnSync(TPTRACE, ["view", ...args], { encoding: "utf8" }),
        out = join(PAGES, "job_compared.html"),
        rank = i => join(PAGES, "job_few", `late.r${i}.tpt`);
    assert.equal(view("--compare", "-o", out, rank(0), rank(1)).status, 0);
    assert.match(readFileSync(out, "utf8"), /id="sides">\[\{/);
    assert.equal(view("-o", out, rank(0), rank(1)).status, 0);
    assert.match(readFileSync(out, "utf8"), /id="job">\{/);
    const mixed = view("-o", out, join(PAGES, "job_few"), join(PAGES, "job_phases"));
    assert.equal(mixed.status, 2);
    assert.match(mixed.stderr, /7 traces of several runs/);
    assert.equal(view("--compare", join(PAGES, "job_few")).status, 2);
    assert.ok(!existsSync(join(PAGES, "job_few", "late.r0.html")));
});
