// SPDX-License-Identifier: MIT
// story.test.mjs - what a page opens on: its main finding in pictures, and the rest a key away.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { app, close, frame, open_page, report, shared_browser } from "./browser.mjs";

const { PAGES } = process.env;
const browser = shared_browser();
const open = (name, fragment = "", options = {}) =>
    open_page(browser(), join(PAGES, name + ".html") + fragment, options);
const spaced = text => text.replace(/[\u00a0\u2009\u202f]/g, " ");

test("a page opens on its main finding: what it is, cost, cure and gain", async () => {
    for (const name of ["planted_tail", "planted_lock"]) {
        const page = await open(name),
            { findings, elapsed_ns } = report(name),
            [first] = findings;
        const told = spaced(await page.textContent(".told")),
            say = ns => app(page, (a, n) => a.format.time(n), ns);
        const meta = await app(page, a => a.meta.findings[0]);
        assert.ok(meta.meaning.length > 20 && told.includes(meta.meaning), told);
        for (const text of [first.what, first.try, first.where ?? ""])
            assert.ok(told.includes(text), `${name}: ${text} is not in ${told}`);
        assert.ok(told.includes(await say(first.lost_ns)), told);
        const left = elapsed_ns - first.gain_ns;
        assert.ok(
            told.includes(`then${await say(left)} instead of ${await say(elapsed_ns)}`),
            told,
        );
        assert.deepEqual(await app(page, a => [a.selection.finding, a.selection.from]), [
            0,
            meta.from,
        ]);
        await close(page);
    }
});

test("next goes through all findings, and keys to each tab and back", async () => {
    const page = await open("planted_tail"),
        n = report("planted_tail").findings.length;
    for (let i = 1; i <= n; i++) {
        await page.click('.told button:text-is("next")');
        await frame(page);
        assert.equal(await app(page, a => a.selection.finding), i % n);
    }
    const titles = await page.$$eval(".tabs .choice button", list =>
        list.map(node => node.textContent),
    );
    for (const [i, title] of titles.entries()) {
        await page.keyboard.press(String(i + 1));
        await frame(page);
        assert.equal(
            await page.textContent('.tabs .choice button[aria-pressed="true"]'),
            title,
            `key ${i + 1}`,
        );
        assert.equal(await page.isVisible("#middle canvas"), title !== "Finding");
    }
    await close(page);
});

test("a link says where a page opens, and a page without findings says so", async () => {
    const page = await open("planted_tail", "#view=tasks");
    assert.deepEqual(await app(page, a => [a.selection.finding, a.shown]), [null, "tasks"]);
    await close(page);
    const well = await open("planted_barriers_few");
    assert.equal(report("planted_barriers_few").findings.length, 0);
    assert.match(await well.textContent(".told"), /No known cause/);
    await close(well);
});

test("the first screen is mostly picture; on a small one the finding is first", async () => {
    for (const fragment of ["", "#view=time", "#view=dag"]) {
        const page = await open("planted_lock", fragment, {
            viewport: { width: 1400, height: 900 },
        });
        const share = await page.evaluate(() => {
            const below = document.querySelector("#lower").getBoundingClientRect(),
                legend = document.querySelector("#legend").getBoundingClientRect(),
                is_story = document.querySelector(".told")?.offsetParent,
                lines = document.querySelector(".lines")?.getBoundingClientRect(),
                end = is_story ? lines.top || below.bottom : below.top || innerHeight;
            const tall = [
                ...document.querySelectorAll("#upper canvas, #middle canvas, .area canvas"),
            ]
                .filter(node => node.offsetParent)
                .map(node => node.getBoundingClientRect())
                .filter(box => box.bottom <= end + 1)
                .reduce((sum, box) => sum + box.height, 0);
            return tall / (end - legend.top);
        });
        assert.ok(share >= (fragment ? 0.7 : 0.6), `${fragment}: ${share} of it is picture`);
        await close(page);
    }
    const small = await open("planted_lock", "", { viewport: { width: 900, height: 700 } });
    const top = await small.evaluate(
        () => document.querySelector(".headline").getBoundingClientRect().top,
    );
    assert.ok(top < 350, `the finding begins at ${top}`);
    await close(small);
});
