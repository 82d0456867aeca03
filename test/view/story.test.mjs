// SPDX-License-Identifier: MIT
// story.test.mjs - what a page opens on: its main finding in pictures, and the rest a key away.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
    app,
    close,
    frame,
    pixels_of,
    report,
    shared_pages,
    show_view,
    spaced,
} from "./browser.mjs";

const open = shared_pages();
const STORY = ".told + .area canvas";

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
        const { what_if, findings: tried } = report(name, "--what-if"),
            [{ change, elapsed_ns: cured, at_best }] = tried[0].what_if;
        const gain = tried[0].gain_ns,
            part = await app(page, (a, x) => a.format.share(x), gain / what_if.elapsed_ns),
            best = at_best ? "at best " : "";
        const all = `${best}${await say(cured)}, ${await say(gain)} (${part}) less than`;
        assert.ok(
            told.includes(`simulated: ${all} ${await say(what_if.elapsed_ns)}, with ${change}`),
            told,
        );
        assert.deepEqual(await app(page, a => [a.selection.finding, a.selection.from]), [
            0,
            meta.from,
        ]);
        await show_view(page, "Dependences");
        assert.match(await page.textContent("[data-view=ucc] .hint"), /^the whole run: \d\d+ /);
        await close(page);
    }
});

// How many pixels above one another, at that time, the story's canvas has of the first kind.
async function tall_at(page, ns) {
    const wide = await page.$eval(STORY, canvas => canvas.width),
        [extent, colour] = await app(page, a => [a.extent, a.colour.kinds[0]]);
    return pixels_of(page, STORY, colour, [64 + ((wide - 72) * ns) / extent, 0, 1]);
}

test("below the run is the one with the cure, as long as that is simulated", async () => {
    const page = await open("planted_lock"),
        [{ elapsed_ns }] = report("planted_lock", "--what-if").findings[0].what_if;
    await page.evaluate(() => window.tptrace.app.clear());
    await frame(page);
    const [within, beyond] = [
        await tall_at(page, 0.9 * elapsed_ns),
        await tall_at(page, 1.1 * elapsed_ns),
    ];
    // of the run one row in four, and its share of the profile; of the other one all four
    assert.ok(within > 2.5 * beyond && beyond > 0, `${within} px, then ${beyond}`);
    await close(page);
    const none = await open("planted_chain");
    assert.match(await none.textContent(".told"), /not simulated: there is no change/);
    assert.equal(await app(none, () => document.querySelector('[data-column^="cure"]')), null);
});

test("next goes through all findings, and keys to each tab and back", async () => {
    const one = await open("planted_tail");
    assert.equal(await one.$(".told button"), null, "there is no next one");
    await close(one);
    const page = await open("planted_asleep_by_sums"),
        n = report("planted_asleep_by_sums").findings.length;
    assert.equal(n, 2);
    for (let i = 1; i <= n; i++) {
        await page.click('.told button:text-is("next")');
        await frame(page);
        assert.equal(await app(page, a => a.selection.finding), i % n);
    }
    const titles = await page.$$eval(".tabs .choice button", list =>
        list.map(node => node.textContent),
    );
    for (const [i, title] of titles.slice(0, 9).entries()) {
        await page.keyboard.press(String(i + 1));
        await frame(page);
        assert.equal(
            await page.textContent('.tabs .choice button[aria-pressed="true"]'),
            title,
            `key ${i + 1}`,
        );
        assert.equal(await page.isVisible("#middle canvas"), title !== "Finding");
    }
});

test("what the machine did has no line of code, but the CPU time of each worker", async () => {
    const page = await open("planted_asleep_by_sums"),
        { findings } = report("planted_asleep_by_sums"),
        of_machine = await app(page, a => a.meta.findings.map(each => each.of_machine));
    assert.deepEqual(of_machine, [false, true]);
    // as if the source had been there
    const files = Object.fromEntries(
        findings.map(({ file, line }) => [file, "int x;\n".repeat(line)]),
    );
    await app(page, (a, sources) => Object.assign(a, { sources }), files);
    for (const i of [0, 1]) {
        await page.click('.told button:text-is("next")');
        await page.click('.told button:text-is("before")');
        if (i) await page.click('.told button:text-is("next")');
        await frame(page);
        const { line } = findings[i];
        assert.equal(await page.isVisible(".lines"), Boolean(line) && !of_machine[i]);
        const had = await app(page, a => a.colour.cpu.run),
            n = await pixels_of(page, STORY, had, [70, 60, 900]);
        assert.equal(n > 100, of_machine[i], `${n} pixels of CPU time with finding ${i}`);
        const { what, where } = findings[i],
            head = await page.textContent(".told .headline");
        assert.equal(head.toLowerCase() === what.split(":")[0].toLowerCase(), of_machine[i], head);
        const listed = await page.textContent(`button.finding >> nth=${i}`);
        assert.equal(listed.includes(where), !of_machine[i], listed);
    }
});

test("a link says where a page opens, and a page without findings says so", async () => {
    const page = await open("planted_tail", "#view=tasks");
    assert.deepEqual(await app(page, a => [a.selection.finding, a.shown]), [null, "tasks"]);
    await close(page);
    const well = await open("planted_barriers_few");
    assert.equal(report("planted_barriers_few").findings.length, 0);
    assert.match(await well.textContent(".told"), /No known cause/);
});

test("the words of a story do not run into one another", async () => {
    for (const width of [1400, 900, 400]) {
        const page = await open("planted_lock", "", { viewport: { width, height: 900 } }),
            words = await page.$$eval(".told dt", list =>
                list.map(dt => {
                    const text = document.createRange();
                    text.selectNodeContents(dt);
                    const { right } = text.getBoundingClientRect();
                    return [dt.textContent, right, dt.nextSibling.getBoundingClientRect().left];
                }),
            );
        assert.ok(words.length >= 4);
        for (const [word, end, next] of words)
            assert.ok(end + 4 <= next, `${word} ends at ${end}, what it names begins at ${next}`);
        await close(page);
    }
});

// How many pixels of the views above have that colour.
async function pixels_above(page, state) {
    const colour = await app(page, (a, name) => a.colour[name], state),
        canvases = ["#upper canvas", "#middle canvas"];
    return Promise.all(canvases.map(canvas => pixels_of(page, canvas, colour)));
}

test("what kept workers is lit with a finding, not with a kind alone", async () => {
    const page = await open("planted_lock", "#view=time&finding=0&kind=1"),
        both = await pixels_above(page, "blocked");
    assert.equal(await app(page, a => a.dims), true);
    assert.ok(both[0] > 1000 && both[1] > 1000, `${both} px of the colour of blocked`);
    await page.evaluate(() => window.tptrace.app.select({ finding: null }));
    await frame(page);
    const kind = await pixels_above(page, "blocked");
    assert.ok(kind[0] < both[0] / 10 && kind[1] < both[1] / 10, `${kind} px, ${both} before`);
});

// Of the upper screen, from the tabs to what is below the picture: the share that is picture,
// without rulers.
const picture_share = page =>
    page.evaluate(() => {
        const box_of = node => node.getBoundingClientRect(),
            seen = selector => [...document.querySelectorAll(selector)].filter(n => n.offsetParent),
            views = box_of(document.querySelector("#views")),
            [story] = seen(".told"),
            end = story
                ? box_of(seen(".lines")[0] ?? document.querySelector("footer")).top
                : box_of(seen("#lower")[0] ?? document.querySelector("footer")).top,
            above = story ? "[data-view=story] canvas" : "#upper canvas, #middle canvas",
            canvases = seen(`#map canvas, ${above}`);
        const area = canvases
            .map(box_of)
            .reduce((sum, { width, height }) => sum + width * height, -20 * views.width);
        return area / (views.width * (end - views.top));
    });

test("the first screen is mostly picture, a line of legend; a small one has findings", async () => {
    for (const name of ["planted_lock", "planted_tail"])
        for (const view of ["", "#view=time", "#view=dag"]) {
            const look = { viewport: { width: 1400, height: 900 } },
                page = await open(name, view, look),
                share = await picture_share(page),
                legend = await page.evaluate(() => document.querySelector("#legend").offsetHeight);
            assert.ok(share >= 0.7, `${name}${view}: ${share} of it is picture`);
            assert.ok(legend > 0 && legend < 36, `${name}${view}: the legend is ${legend} high`);
            await close(page);
        }
    const small = await open("planted_lock", "", { viewport: { width: 900, height: 700 } });
    const [finding, headline, picture] = await small.evaluate(() =>
        ["button.finding", ".headline", "[data-view=story] canvas"].map(
            selector => document.querySelector(selector).getBoundingClientRect().top,
        ),
    );
    assert.ok(finding < 160 && finding < headline, `the findings begin at ${finding}`);
    assert.ok(headline < picture && picture < 600, `the picture begins at ${picture}`);
});

test("what the legend has no room for is behind a button that says how much", async () => {
    const page = await open("hostile", "#view=time", { viewport: { width: 1000, height: 800 } }),
        hidden = () =>
            page.$$eval(
                "#legend .key li",
                list => list.filter(li => !li.checkVisibility({ visibilityProperty: true })).length,
            ),
        n = await hidden();
    assert.ok(n > 3);
    assert.equal(await page.textContent("#legend .more-keys"), `+${n}`);
    await page.click("#legend .more-keys");
    assert.equal(await hidden(), 0);
    await page.click("#legend .more-keys");
    assert.equal(await hidden(), n);
});
