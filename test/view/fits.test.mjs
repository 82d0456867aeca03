// SPDX-License-Identifier: MIT
// fits.test.mjs - what must hold of every view alike: no control or key leaves the screen, keys are
// the control's that has the focus, and paper has all of a table.
import assert from "node:assert/strict";
import { test } from "node:test";
import { BELOW, app, box_of, close, frame, shared_pages, show_view } from "./browser.mjs";

const open = shared_pages(BELOW, { reducedMotion: "reduce" });
const PAGES = ["planted_lock", "hostile", "sides_three", "job_few"];
const SIZES = [
    [1400, 900],
    [900, 700],
    [390, 800],
];

// What can be read or pressed, and ends beyond the right edge or begins before the left one.
const beyond = page =>
    page.evaluate(() => {
        const wide = document.documentElement.scrollWidth - innerWidth,
            nodes = document.querySelectorAll("button, select, input, label, h2, .key li, .pair"),
            is_out = node => {
                const { left, right, width } = node.getBoundingClientRect();
                return width > 0 && (left < -0.5 || right > innerWidth + 0.5);
            };
        const list = [...nodes]
            .filter(node => node.checkVisibility({ visibilityProperty: true }))
            .filter(node => !node.closest(".scroll, .unseen, .skip") && is_out(node))
            .map(node => (node.textContent || node.getAttribute("aria-label")).slice(0, 60));
        return wide > 0 ? [`${wide} px to scroll`, ...list] : list;
    });

test("no control and no key leaves the screen, in any view, however narrow", async () => {
    for (const name of PAGES)
        for (const [width, height] of SIZES) {
            const page = await open(name, BELOW, { viewport: { width, height } }),
                titles = await page.$$eval("#tabs button:not(.larger)", list =>
                    list.map(node => node.textContent),
                );
            for (const title of titles) {
                await show_view(page, title);
                assert.deepEqual(await beyond(page), [], `${name}, ${title}, ${width} px`);
            }
            await close(page);
        }
});

test("on a narrow screen the view that is chosen comes first, its picture with its key", async () => {
    const page = await open("planted_lock", BELOW, { viewport: { width: 390, height: 800 } });
    const tops = async () => {
        const boxes = ["#tabs", "#lower", "#upper"].map(id => box_of(page, id));
        return (await Promise.all(boxes)).map(({ y }) => y);
    };
    const [tabs, lower, upper] = await tops();
    assert.ok(tabs < lower && lower < upper, `${[tabs, lower, upper]}`);
    await show_view(page, "Finding");
    const [legend, story] = await Promise.all(["#legend", "#lower"].map(id => box_of(page, id)));
    assert.ok(legend.y < story.y);
    await close(page);
});

test("keys are the control's that has the focus: numbers, texts, choices, and a slider's", async () => {
    const page = await open("planted_tail", "#view=scg"),
        seen = () => app(page, a => [a.shown, a.time.from, a.time.to, a.is_large]);
    await page.selectOption("section.view:not([hidden]) select", "stretch");
    const before = await seen();
    await page.focus('input[aria-label="value of pure red"]');
    for (const key of ["1", "0", "l", "w", "f", "ArrowUp"]) await page.keyboard.press(key);
    assert.deepEqual(await seen(), before);
    await show_view(page, "Why idle");
    const [shown, ...rest] = await seen(),
        slider = page.locator("section.view:not([hidden]) input[type=range]"),
        at = await slider.inputValue();
    await slider.focus();
    await page.keyboard.press("ArrowRight");
    assert.notEqual(await slider.inputValue(), at);
    assert.deepEqual(await seen(), [shown, ...rest]);
    await page.keyboard.press("w");
    await frame(page);
    assert.notDeepEqual(await seen(), [shown, ...rest], "other keys are the page's");
    await close(page);
});

test("on paper a table has all its rows, and nothing to scroll", async () => {
    for (const [name, title] of [
        ["thousand", "Profile"],
        ["long", "Tasks"],
        ["planted_lock", "Source"],
    ]) {
        const page = await open(name);
        await show_view(page, title);
        await page.emulateMedia({ media: "print" });
        await frame(page);
        const cut = await page.$$eval(".scroll", list =>
            list
                .filter(node => node.checkVisibility())
                .filter(node => getComputedStyle(node).overflowY !== "visible")
                .map(node => node.className),
        );
        assert.deepEqual(cut, [], `${name}, ${title}`);
        assert.equal(await page.$eval("#side", node => getComputedStyle(node).flexBasis), "auto");
        await page.emulateMedia({ media: null });
        await close(page);
    }
});
