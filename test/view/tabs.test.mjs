// SPDX-License-Identifier: MIT
// tabs.test.mjs - what a view below shows when it is left and shown again, and what keys do in it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { app, frame, report, shared_pages, show_view } from "./browser.mjs";

const open = shared_pages("", { reducedMotion: "reduce" });

test("the profile marks what was selected, in its colours, while it was not in sight", async () => {
    const page = await open("fib3", "#view=profile"),
        marked = () =>
            page.$$eval(".profile tr.chosen", list => list.map(row => Number(row.dataset.kind))),
        colours = () =>
            page.$$eval(".profile .swatch", list => list.map(each => each.style.backgroundColor));
    const kinds = await page.$$eval(".profile tbody tr", list =>
            list.map(row => Number(row.dataset.kind)),
        ),
        light = await colours();
    for (const kind of kinds) {
        await show_view(page, "Tasks");
        await app(page, (a, k) => a.select({ kind: k }), kind);
        await frame(page);
        await show_view(page, "Profile");
        assert.deepEqual(await marked(), [kind]);
    }
    await show_view(page, "Tasks");
    await app(page, a => a.wear(!a.colour.dark));
    await frame(page);
    await show_view(page, "Profile");
    assert.notDeepEqual(await colours(), light);
});

test("who sorts by keys goes on from there; Escape leaves the filter", async () => {
    const page = await open("fib3", "#view=profile"),
        focused = () => page.evaluate(() => document.activeElement.textContent.split(" ")[0]);
    await page.click(".profile thead >> text=tasks");
    assert.equal(await focused(), "tasks");
    await page.keyboard.press("Enter");
    assert.equal(await focused(), "tasks");
    await page.focus(".profile input[type=search]");
    await page.keyboard.press("Escape");
    assert.equal(await page.evaluate(() => document.activeElement.tagName), "BODY");
    await show_view(page, "Tasks");
    await page.click("table.tasks thead >> text=began");
    await page.waitForSelector('table.tasks th[aria-sort]:has-text("began")');
    assert.equal(await focused(), "began");
});

test("of a profile without rows there is nothing to copy", async () => {
    const page = await open("fib3", "#view=profile"),
        is_disabled = () => page.isDisabled('.profile button:text-is("copy")');
    assert.equal(await is_disabled(), false);
    assert.equal(report("fib3").locks.length, 0);
    await page.click(".profile .choice >> text=lock");
    assert.equal(await is_disabled(), true);
    await page.click(".profile .choice >> text=kind");
    assert.equal(await is_disabled(), false);
});

test("consequence: the sentence is of what is selected, wherever that was done", async () => {
    const page = await open("planted_tail", "#view=scg"),
        said = () => page.textContent(".said");
    const tables = () =>
        page.evaluate(() => {
            window.n_tables ??= 0;
            window.watch ??= new MutationObserver(() => window.n_tables++);
            for (const behind of document.querySelectorAll(".view:not([hidden]) .unseen"))
                window.watch.observe(behind, { childList: true });
            return window.n_tables;
        });
    const n = await tables(),
        first = await said();
    await app(page, a => a.select({ strand: 1 }));
    await frame(page);
    const second = await said();
    assert.notEqual(second, first);
    assert.equal(await tables(), n, "the table behind is of the time in sight, not of a strand");
    await show_view(page, "Tasks");
    await app(page, a => a.select({ strand: null, task: null }));
    await frame(page);
    await show_view(page, "Why late");
    assert.equal(await said(), first);
});

test("DAG: Enter on what is not on the page zooms to its time", async () => {
    const page = await open("tree", "#view=dag");
    await app(page, a => {
        const { of } = a.data.left;
        a.select({ strand: of.findIndex(sums => sums > 0) });
    });
    await frame(page);
    await page.evaluate(() => {
        const { dag } = window.tptrace.views.dag;
        dag.pick(dag.scene.find(({ node }) => node.what === "left").node);
    });
    await frame(page);
    const before = await app(page, a => a.time);
    await page.keyboard.press("Enter");
    await frame(page);
    assert.notDeepEqual(await app(page, a => a.time), before);
});
