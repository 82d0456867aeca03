// SPDX-License-Identifier: MIT
// compare.test.mjs - pages of several runs in a browser: their figures are those of `diff --json`
// and `report --json`.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { time } from "../../tools/view/page/format.js";
import {
    app,
    close,
    frame,
    leave,
    pixels_of,
    serious_faults,
    shared_pages,
    show_view,
} from "./browser.mjs";

const { PAGES, TPTRACE } = process.env,
    SHOWN = "#view=compare",
    COMPONENTS = ["work", "delay", "no_work_sched", "no_work_app"];
const pages = Object.fromEntries(
    readFileSync(join(PAGES, "sides"), "utf8")
        .trim()
        .split("\n")
        .map(line => line.split("\t"))
        .map(([name, ...paths]) => [name, paths]),
);
const open_at = shared_pages(SHOWN);

// diff says 1 where the last is slower.
function json(...args) {
    try {
        return JSON.parse(
            execFileSync(TPTRACE, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }),
        );
    } catch (error) {
        if (error.status !== 1 || !error.stdout) throw error;
        return JSON.parse(error.stdout);
    }
}

const path_of = name => join(PAGES, name + ".html");

async function open(name, fragment = SHOWN, options = {}) {
    const page = await open_at(name, fragment, options);
    if (fragment.includes("compare"))
        await page.waitForFunction(
            () => window.tptrace.sides && document.querySelector(".gains tbody tr"),
        );
    await frame(page);
    return page;
}

const cells = page =>
    page.$$eval(".gains tbody tr", rows =>
        rows.map(row => [...row.children].map(cell => cell.textContent)),
    );
const change = ns => (ns > 0 ? "+" : ns < 0 ? "\u2212" : "") + time(Math.abs(ns));
const sum = of => (of ? COMPONENTS.reduce((all, name) => all + of[name + "_ns"], 0) : 0);

test("a page holds of each run what the report and diff say, and its strands", async () => {
    for (const [name, paths] of Object.entries(pages)) {
        const page = await open(name),
            sides = await page.evaluate(() =>
                window.tptrace.sides.map(({ summary, diff, data }) => ({
                    summary,
                    diff,
                    elapsed: data.elapsed,
                    work: data.levels.components.map(of => of.total),
                    n: data.row_strands.reduce((n, list) => n + list.length, 0),
                })),
            );
        assert.equal(sides.length, paths.length);
        for (const [i, side] of sides.entries()) {
            assert.deepEqual(
                side.summary,
                json("report", "--json", paths[i]),
                `report of run ${i} of ${name}`,
            );
            COMPONENTS.forEach((component, c) =>
                assert.equal(
                    side.work[c],
                    side.summary[component + "_ns"],
                    `${component} of run ${i} of ${name}`,
                ),
            );
            assert.equal(side.n, side.summary.strands);
            const want = i
                ? { ...json("diff", "--json", paths[0], paths[i]), a: null, b: null }
                : null;
            assert.deepEqual(side.diff, want, `diff of run ${i} of ${name}`);
        }
        await close(page);
    }
});

test("the table has what each component, kind and finding gained or lost", async () => {
    for (const [name, paths] of Object.entries(pages).filter(([of]) => of !== "sides_same")) {
        const page = await open(name),
            diffs = paths.slice(1).map(path => json("diff", "--json", paths[0], path));
        const rows = new Map((await cells(page)).map(([head, ...rest]) => [head, rest]));
        for (const component of COMPONENTS) {
            const key = component + "_ns",
                want = [diffs[0].sides[0][key], ...diffs.map(diff => diff.sides[1][key])],
                is = rows.get(component.replaceAll("_", "-"));
            assert.deepEqual(is.slice(0, want.length), want.map(time));
            assert.deepEqual(
                is.slice(want.length).filter((_, i) => i % 2 === 0),
                diffs.map(diff => change(diff.delta[key])),
            );
        }
        for (const [list, value] of [
            ["kind", sum],
            ["finding", of => (of ? of.lost_ns : 0)],
        ]) {
            await page.click(`.gains .choice >> text="${list}"`);
            const is = (await cells(page))
                .map(row =>
                    row
                        .slice(1 + paths.length)
                        .filter((_, i) => i % 2 === 0)
                        .join(" "),
                )
                .sort();
            const all = new Map();
            diffs.forEach((diff, d) =>
                diff[list + "s"].forEach(row => {
                    const key = JSON.stringify([row.id, row.name, row.file, row.module, row.line]);
                    if (!all.has(key))
                        all.set(
                            key,
                            diffs.map(() => 0),
                        );
                    all.get(key)[d] = value(row.delta);
                }),
            );
            const want = [...all.values()].map(changes => changes.map(change).join(" "));
            assert.deepEqual(is, want.sort(), `${list}s of ${name}`);
        }
        await close(page);
    }
});

test("all runs have one axis of time, which keys, link and the other views share", async () => {
    const page = await open("sides_two"),
        longest = Math.max(
            ...(await page.evaluate(() => window.tptrace.sides.map(side => side.data.elapsed))),
        );
    const in_sight = () => page.evaluate(() => window.tptrace.app.time);
    assert.deepEqual(await in_sight(), { from: 0, to: longest });
    const first = await app(page, a => a.colour.kinds[0]);
    assert.ok((await pixels_of(page, ".compare canvas", first)) > 1000);
    assert.ok(
        !(await page.isVisible("#upper")) && !(await page.isVisible("#middle")),
        "the runs have all of the room",
    );
    await page.keyboard.press("w");
    await frame(page);
    const closer = await in_sight();
    assert.ok(closer.to - closer.from < 0.8 * longest);
    await page.waitForFunction(
        () => window.tptrace.app.link.fragment() === location.hash && location.hash.includes("at="),
    );
    const linked = await in_sight();
    const other = await open("sides_two", await page.evaluate(() => location.hash)),
        again = await other.evaluate(() => window.tptrace.app.time);
    assert.ok(
        Math.abs(again.from - linked.from) <= 1 && Math.abs(again.to - linked.to) <= 1,
        JSON.stringify([again, linked]),
    );
    await close(other);
    await page.keyboard.press("0");
    await frame(page);
    assert.deepEqual(await in_sight(), { from: 0, to: longest });
    const spoken = await page.$$eval(".compare .unseen tbody tr", rows => rows.length);
    await page.focus(".compare canvas");
    assert.equal(
        await page.$$eval(".compare .unseen tbody tr", rows => rows.length),
        4,
        `at first ${spoken}`,
    );
    await show_view(page, "Tasks");
    await page.waitForSelector("#upper");
    await page.waitForSelector("#middle");
});

test("a run ends where its time is over, on the scale of the longest", async () => {
    const page = await open("sides_two"),
        width = (await page.$eval(".compare canvas", canvas => canvas.width)) - 72,
        ends = await page.evaluate(() => window.tptrace.sides.map(({ data }) => data.elapsed)),
        accent = await app(page, a => a.colour.accent);
    for (const end of ends) {
        const x = Math.min(width - 1, Math.round((width * end) / Math.max(...ends))),
            n = await pixels_of(page, ".compare canvas", accent, [64 + x, 0, 1]);
        assert.ok(n > 40, `a mark of ${n} px`);
    }
});

test("the other views show the run that is chosen, and back and forth lead there", async () => {
    const page = await open("sides_three"),
        paths = pages.sides_three;
    await page.click('[aria-label="other views show"] >> text=C');
    await page.waitForFunction(
        () => window.tptrace && window.tptrace.ready && window.tptrace.app.side === 2,
    );
    assert.deepEqual(
        await page.evaluate(() => window.tptrace.summary),
        json("report", "--json", paths[2]),
    );
    assert.match(await page.textContent("#header h1"), /^C: /);
    assert.equal(await page.textContent("#findings h2"), "Findings of C");
    await page.waitForFunction(() => window.tptrace.sides);
    const files = await page.evaluate(() =>
        window.tptrace.sides.map(side => side.summary.elapsed_ns),
    );
    assert.deepEqual(
        files,
        paths.map(path => json("report", "--json", path).elapsed_ns),
    );
    await show_view(page, "Tasks");
    await page.waitForFunction(
        () => location.hash.includes("trace=2") && location.hash.includes("view=tasks"),
    );
});

test("a kind that is clicked is selected, and told in all runs", async () => {
    const page = await open("sides_same");
    await page.click('.gains .choice >> text="kind"');
    const name = await page.textContent(".gains tbody tr.can bdi");
    await page.click(".gains tbody tr.can");
    await frame(page);
    assert.equal(await page.textContent(".gains tbody tr.chosen bdi"), name);
    const kind = await page.evaluate(() => window.tptrace.app.selection.kind);
    assert.equal(await page.evaluate(k => window.tptrace.app.data.kinds[k].name, kind), name);
});

test("what cannot be compared is refused in a line, and leaves no page", () => {
    const [good] = pages.sides_same,
        out = path_of("sides_refused");
    for (const [paths, status, says] of [
        [["--compare", good, good, good, good], 2, /at most 3/],
        [[good, good + ".none"], 1, /\.none/],
    ]) {
        const done = spawnSync(TPTRACE, ["view", "-o", out, ...paths], { encoding: "utf8" });
        assert.equal(done.status, status);
        assert.match(done.stderr, says);
        assert.ok(!existsSync(out) && !existsSync(out + ".part"));
    }
});

test("a page of one run has nothing of this", async () => {
    const page = await open("fib3", ""),
        html = readFileSync(path_of("fib3"), "utf8");
    assert.deepEqual(
        await page.$$eval(
            ".tabs button",
            list => list.filter(button => button.textContent === "Compare").length,
        ),
        0,
    );
    assert.ok(
        !html.includes("compare_table") &&
            !html.includes('<div hidden id="side-') &&
            !html.includes('id="sides"'),
    );
});

test("no serious accessibility fault, light and dark, wide and narrow", async () => {
    for (const options of [{ colorScheme: "dark" }, { viewport: { width: 700, height: 700 } }]) {
        const page = await open("sides_three", SHOWN, options);
        assert.deepEqual(await serious_faults(page), [], JSON.stringify(options));
        assert.ok(
            await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
            "is wider than its window",
        );
        await leave(page);
    }
});

test("arcs of each run are drawn where they are wanted, with the reports' numbers", async () => {
    const page = await open("sides_two"),
        sides = pages.sides_two.map(path => json("report", "--json", path));
    const label = text => page.locator(".compare .boxes label", { hasText: text });
    for (const [text, key] of [
        ["steals", "steals"],
        ["leaps", "leaps"],
        ["migrations", "migrations"],
    ])
        if (sides.some(side => side[key] > 0))
            assert.equal(
                await label(text).textContent(),
                `${text} ${sides.map(side => side[key]).join(" | ")}`,
            );
        else assert.equal(await label(text).count(), 0, `${text}: none`);
    assert.ok(sides.some(side => side.steals > 0));
    const ink = () =>
        page.evaluate(() => {
            const canvas = document.querySelector(".compare canvas"),
                data = canvas
                    .getContext("2d")
                    .getImageData(64, 0, canvas.width - 64, canvas.height).data;
            let n = 0;
            for (let i = 0; i < data.length; i += 4)
                if (data[i] + data[i + 1] + data[i + 2] < 120) n++;
            return n;
        });
    const had = await ink();
    await label("steals").locator("input").check();
    await frame(page);
    assert.ok((await ink()) > had, "steals are drawn");
    await label("steals").locator("input").uncheck();
    await frame(page);
    assert.equal(await ink(), had);
});
