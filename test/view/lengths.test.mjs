// SPDX-License-Identifier: MIT
// lengths.test.mjs - finding a kind: the spread of its lengths, a brush across them, what it
// lights, and its tasks as text; columns of the profile.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { app, box_of, frame, needs, open_page, report, shared_browser } from "./browser.mjs";
import { drag } from "./mouse.mjs";

const { PAGES } = process.env;
const browser = shared_browser();

test("a brush across lengths finds what is in it, in all views; a click all again", async () => {
    const page = await open_page(browser(), join(PAGES, "long.html") + "#view=tasks"),
        box = await box_of(page, ".lengths canvas"),
        at = share => box.y + (box.height - 20) * share,
        x = box.x + box.width - 60; // the histogram: no time is selected
    const found = () => page.textContent("#found");
    const all = await found();
    await drag(page, [x, at(0)], [x, at(0.2)]);
    await frame(page);
    const [low, high] = (await app(page, a => a.search))
        .match(/^> ([\d.]+)ms < ([\d.]+)ms$/)
        .slice(1)
        .map(ms => Number(ms) * 1e6);
    const [hits, wanted, longest, from] = await app(
        page,
        (a, [least, most]) => {
            const work = [...a.data.task.work],
                is_in = work.map(ns => ns >= least && ns <= most);
            return [
                [...a.hits].filter(Boolean).length,
                is_in.filter(Boolean).length,
                Math.max(...work.slice(1)),
                a.selection.from,
            ];
        },
        [low, high],
    );
    assert.ok(hits > 0 && hits < 2000 && hits === wanted, `${hits} hits, ${wanted} in it`);
    assert.ok(low < high && high >= longest * 0.9, `${low} to ${high}, the longest ${longest}`);
    assert.equal(from, null);
    assert.notEqual(await found(), all);
    await page.mouse.click(x, at(0.5));
    await frame(page);
    assert.equal(await app(page, a => a.search), "");
    assert.equal(await found(), all);
});

test("the tasks that are found can be had as CSV, each once", needs("downloads"), async () => {
    const page = await open_page(browser(), join(PAGES, "fib3.html") + "#view=tasks"),
        coming = page.waitForEvent("download");
    await page.click('[data-view=tasks] button:text-is("CSV")');
    const text = readFileSync(await (await coming).path(), "utf8"),
        [head, ...rows] = text
            .trimEnd()
            .split("\r\n")
            .map(line => line.split(",")),
        n = await app(page, a => a.data.task.n);
    assert.equal(rows.length, n);
    const work = rows.reduce((sum, row) => sum + Number(row[head.indexOf("work_ns")]), 0);
    assert.equal(work, await app(page, a => a.data.task.work.reduce((sum, ns) => sum + ns, 0)));
});

test("the profile has no column of zeros alone, and those that are wanted", async () => {
    const page = await open_page(browser(), join(PAGES, "fib3.html#view=profile")),
        { kinds } = report("fib3"),
        heads = () =>
            page.$$eval(".profile thead button", list =>
                list.map(b => b.textContent.split(" ")[0]),
            );
    const said = ["work", "blocked", "runtime", "starved"].filter(name =>
        kinds.some(row => row[`${name}_ns`] > 0),
    );
    assert.ok(said.length < 4 && said.includes("work"));
    assert.deepEqual(await heads(), ["share", ...said, "tasks", "median", "max"]);
    await page.click(".profile summary");
    await page.uncheck(".profile details >> text=median");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space"); // the next one: max
    assert.deepEqual(await heads(), ["share", ...said, "tasks"]);
    await page.waitForFunction(() => window.tptrace.app.link.fragment() === location.hash);
    await page.reload();
    await page.waitForFunction(() => window.tptrace?.ready);
    await frame(page);
    assert.deepEqual(await heads(), ["share", ...said, "tasks"]);
    await page.click(".profile summary");
    for (const name of ["median", "max"]) await page.check(`.profile details >> text=${name}`);
    assert.deepEqual(await heads(), ["share", ...said, "tasks", "median", "max"]);
});

test("the profile has the report's rows, sorts, and filters", async () => {
    const page = await open_page(browser(), join(PAGES, "planted_lock.html#view=profile")),
        summary = report("planted_lock");
    const cells = n =>
        page.$$eval(
            ".profile tbody tr",
            (list, i) => list.map(row => row.children[i].textContent),
            n,
        );
    assert.equal((await cells(0)).length, summary.kinds.length);
    await page.click(".profile thead >> text=tasks");
    const heads = await page.$$eval(".profile thead th", list => list.map(th => th.textContent));
    assert.deepEqual(
        await cells(heads.findIndex(text => text.startsWith("tasks"))),
        summary.kinds
            .map(k => k.tasks)
            .sort((a, b) => b - a)
            .map(String),
    );
    const work_of = summary.kinds.map(k => k.work_ns),
        least = Math.max(...work_of);
    await page.click(".profile thead >> text=work");
    await page.fill(".profile input[type=search]", `> ${least - 1} ns`);
    assert.equal((await cells(0)).length, work_of.filter(ns => ns === least).length);
    await page.fill(".profile input[type=search]", summary.kinds[0].name.toUpperCase());
    const named = summary.kinds.filter(({ name }) => name.includes(summary.kinds[0].name));
    assert.equal((await cells(0)).length, named.length);
    await page.fill(".profile input[type=search]", "nobody is called so");
    assert.match(await page.textContent(".profile .body"), /The filter leaves no row/);
    await page.fill(".profile input[type=search]", "");
    await page.click(".profile .choice >> text=lock");
    assert.equal((await cells(0)).length, summary.locks.length);
    await page.click(".profile .choice >> text=worker");
    assert.equal((await cells(0)).length, summary.workers_profile.length);
});

test("the profile has functions by their samples, where the trace has some", async () => {
    const page = await open_page(browser(), join(PAGES, "planted_lock.html#view=profile")),
        choose = async by => {
            await page.click(`.profile .choice button:text-is("${by}")`);
            await frame(page);
        };
    await choose("function");
    assert.match(await page.textContent(".profile .body"), /no stack samples/);
    const of = { kind: "scan", file: "/a/lock.c", line: 13, caller: null, asleep_ns: 0 };
    await app(page, (a, code) => Object.assign(a.summary, { code }), [
        { ...of, function: "count_to", share: 0.75, cpu_ns: 3e6, samples: 30 },
        { ...of, function: "insert", share: 0.25, cpu_ns: 1e6, samples: 10 },
    ]);
    await choose("kind");
    await choose("function");
    const rows = await page.$$eval(".profile tbody tr", list =>
        list.map(row => [...row.children].map(cell => cell.textContent.replace(/\s/g, " "))),
    );
    assert.deepEqual(rows, [
        ["count_to in scanlock.c:13", "75 %", "3.00 ms", "30"],
        ["insert in scanlock.c:13", "25 %", "1.00 ms", "10"],
    ]);
});
