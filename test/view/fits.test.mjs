// SPDX-License-Identifier: MIT
// fits.test.mjs - what must hold of every view alike: no control or key leaves the screen, keys are
// the control's that has the focus, and paper has all of a table.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
    BELOW,
    app,
    box_of,
    close,
    frame,
    needs,
    of_view,
    shared_pages,
    show_view,
    words,
} from "./browser.mjs";

const open = shared_pages(BELOW, { reducedMotion: "reduce" });
const PAGES = ["planted_lock", "hostile", "sides_three", "job_few"];
const SIZES = [
    [1400, 900],
    [1000, 700],
    [900, 700],
    [390, 800],
];

const titles_of = page =>
    page.$$eval("#tabs button:not(.larger)", list => list.map(node => node.textContent));

// What can be read or pressed, and ends beyond the right edge or begins before the left one.
const beyond = page =>
    page.evaluate(() => {
        const wide = document.documentElement.scrollWidth - innerWidth,
            nodes = document.querySelectorAll("button, select, input, label, h2, .key li, .pair"),
            is_out = node => {
                const { left, right, width } = node.getBoundingClientRect();
                return width > 0 && (left < -0.5 || right > innerWidth + 0.5);
            };
        const is_cut = node =>
            node.matches("#legend .key li") && node.scrollWidth > node.clientWidth + 1;
        const list = [...nodes]
            .filter(node => node.checkVisibility({ visibilityProperty: true }))
            .filter(node => !node.closest(".scroll, .unseen, .skip"))
            .filter(node => is_out(node) || is_cut(node))
            .map(node => (node.textContent || node.getAttribute("aria-label")).slice(0, 60));
        return wide > 0 ? [`${wide} px to scroll`, ...list] : list;
    });

test("no control and no key leaves the screen, in any view, however narrow", async () => {
    for (const name of PAGES)
        for (const [width, height] of SIZES) {
            const page = await open(name, BELOW, { viewport: { width, height } });
            for (const title of await titles_of(page)) {
                await show_view(page, title);
                assert.deepEqual(await beyond(page), [], `${name}, ${title}, ${width} px`);
            }
            await close(page);
        }
});

// From now on window.texts() has what the canvases in sight say, as they were drawn last: [{ text,
// left, right, middle, width }, ..] of each.
const listen_to_texts = page =>
    page.evaluate(() => {
        const { fillText, clearRect } = CanvasRenderingContext2D.prototype,
            said = new Map();
        CanvasRenderingContext2D.prototype.clearRect = function (x, y, w, h) {
            said.set(this.canvas, []);
            return clearRect.call(this, x, y, w, h);
        };
        CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...most) {
            const wide = Math.min(this.measureText(text).width, most[0] ?? Infinity),
                left = x - { right: wide, center: wide / 2 }[this.textAlign] || x;
            const of = { text, left, right: left + wide, middle: y };
            said.get(this.canvas)?.push({ ...of, width: this.canvas.clientWidth });
            return fillText.call(this, text, x, y, ...most);
        };
        window.texts = () =>
            [...said]
                .filter(([canvas]) => canvas.checkVisibility())
                .map(([canvas, list]) => ({ list, moves: "view" in canvas.dataset }));
    });

// What cannot be read: beyond the edge of a canvas that cannot be moved, or across another text.
const unreadable = page =>
    page.evaluate(() =>
        window.texts().flatMap(({ list, moves }) => {
            const out = list.filter(t => !moves && (t.left < -1 || t.right > t.width + 1)),
                across = list.filter((a, i) =>
                    list.some(
                        (b, k) =>
                            k < i &&
                            Math.abs(a.middle - b.middle) < 8 &&
                            Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2,
                    ),
                );
            return [...out, ...across].map(t => `${t.text} at ${t.left}, ${t.middle}`);
        }),
    );

// A number of tasks, or a time, that lost its unit.
const cut_figures = page =>
    page.evaluate(() =>
        window
            .texts()
            .flatMap(({ list }) => list.map(({ text }) => text))
            .filter(text => /^[\d\u202f]+ (tasks?|strands?)\b.*\u2026$/.test(text)),
    );

test("no text on a picture is cut, or across another, in any view", async () => {
    let n_texts = 0;
    for (const name of words(
        "planted_lock team thousand planted_chain sides_three job_few queued sides_queued",
    ))
        for (const [width, height] of [SIZES[0], SIZES[3]]) {
            const page = await open(name, BELOW, { viewport: { width, height } });
            await listen_to_texts(page);
            for (const title of await titles_of(page)) {
                await show_view(page, title);
                await app(page, a => a.tell("theme"));
                await frame(page);
                assert.deepEqual(await unreadable(page), [], `${name}, ${title}, ${width} px`);
                assert.deepEqual(await cut_figures(page), [], `${name}, ${title}, ${width} px`);
                n_texts += await page.evaluate(() => window.texts().flatMap(x => x.list).length);
            }
            await close(page);
        }
    assert.ok(n_texts > 1000, `${n_texts} texts`);
});

test("names of steps have room beside the circles", async () => {
    const page = await open("tree", "#view=ucc"),
        left_of = ucc => (ucc.bounds().left - ucc.camera.x) * ucc.camera.kx,
        left = await of_view(page, "ucc", left_of);
    assert.ok(left >= 40, `circles from ${left} px on`);
});

test("nor where Dependences shows each step", async () => {
    const page = await open("planted_chain", BELOW);
    await listen_to_texts(page);
    await show_view(page, "Dependences");
    const { x, y } = await box_of(page, "section[data-view=ucc] canvas");
    await page.mouse.move(x + 2, y + 8); // where the first step is
    for (let i = 0; i < 20; i++) {
        await page.mouse.wheel(0, -100);
        await frame(page);
        assert.deepEqual(await unreadable(page), [], `after + for ${i + 1} times`);
    }
});

test("on a narrow screen the view that is chosen comes first, a picture with its key", async () => {
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
});

test("axes have round numbers, and names", async () => {
    const page = await open("fib3"),
        numbers = await page.$$eval("#speedup svg text", list =>
            list.map(node => Number(node.textContent)),
        );
    const speedups = numbers.filter((_, i) => i >= numbers.indexOf(0)),
        step = speedups[1];
    assert.ok(speedups.length >= 3 && /^[125]0*$/.test(String(step * 10)), `${numbers}`);
    assert.ok(speedups.every((x, i) => Math.abs(x - i * step) < 1e-9));
    await listen_to_texts(page);
    const said = async title => {
        await show_view(page, title);
        await app(page, a => a.tell("theme"));
        await frame(page);
        return page.evaluate(() => window.texts().flatMap(x => x.list.map(t => t.text)));
    };
    assert.ok((await said("Dependences")).includes("step 1"));
    const texts = await said("Tasks");
    assert.ok(texts.includes("work of a task") && texts.includes("how many tasks"), `${texts}`);
});

test("one choice of colours is of all views", async () => {
    const page = await open("planted_tail", "#view=dag"),
        fills = () =>
            app(page, a => {
                const { dag, ucc } = Object.fromEntries(
                        ["dag", "ucc"].map(id => [id, window.tptrace.views[id][id]]),
                    ),
                    nodes = dag.layout.places.map(place => place.node),
                    node = nodes.find(of => of.what.startsWith("task")),
                    strand = a.data.task.first[node.task];
                return [dag.fill_of(node), ucc.fill_of(strand), a.colour_of(strand)];
            });
    await show_view(page, "Dependences");
    await show_view(page, "DAG");
    const [before, ...others] = await fills();
    assert.deepEqual(others, [before, before]);
    await page.selectOption('select[aria-label="colour of strands"]', "depth");
    await frame(page);
    const [after, ...rest] = await fills();
    assert.deepEqual(rest, [after, after]);
    assert.notEqual(after, before);
});

test("keys are for the control that has the focus: a number, a slider", async () => {
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
});

test("on paper a table has all its rows, and nothing to scroll", needs("paper"), async () => {
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
