// SPDX-License-Identifier: MIT
// firefox.test.mjs - pages in Firefox, by WebDriver BiDi: they draw without complaint, say what the
// report says, and do what a mouse and keys ask for; also a page that fetches from `tptrace view
// --serve`.  PAGES, TPTRACE: as data.test.mjs.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { drag } from "../mouse.mjs";

const { PAGES, TPTRACE, PACKAGES, FIREFOX } = process.env,
    COMPONENTS = ["work", "delay", "no_work_sched", "no_work_app"];
const { default: puppeteer } = await import(
    pathToFileURL(join(PACKAGES, "node_modules/puppeteer-core/lib/esm/puppeteer/puppeteer-core.js"))
);
const paths = Object.fromEntries(
    readFileSync(join(PAGES, "traces"), "utf8")
        .trim()
        .split("\n")
        .map(line => line.split("\t")),
);
const report = (name, ...options) =>
    JSON.parse(
        execFileSync(TPTRACE, ["report", "--json", ...options, paths[name]], {
            encoding: "utf8",
            stdio: ["ignore", "pipe", "ignore"],
        }),
    );
let browser;
before(async () => {
    browser = await puppeteer.launch({
        browser: "firefox",
        executablePath: FIREFOX,
        headless: true,
    });
});
after(() => browser.close());

// With the timelines and a view below in sight.
async function open(url, fragment = url.includes("#") ? "" : "#view=dag") {
    const page = await browser.newPage();
    page.trouble = [];
    page.on("pageerror", error => page.trouble.push(error.message));
    page.on("console", message => {
        if (message.type() === "error") page.trouble.push(message.text());
    });
    await page.setViewport({ width: 1440, height: 900 });
    await page.goto(
        (url.includes("://") ? url : "file://" + join(PAGES, url + ".html")) + fragment,
    );
    await page.waitForFunction(() => window.tptrace && window.tptrace.ready, { timeout: 30000 });
    return page;
}

async function close(page) {
    assert.deepEqual(page.trouble, []);
    await page.close();
}

const frame = page =>
    page.evaluate(
        () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
const app = (page, fn, arg) =>
    page.evaluate(`(${fn})(window.tptrace.app, ${JSON.stringify(arg ?? null)})`);
const text_of = (page, selector) => page.$eval(selector, node => node.textContent);
// How many colours each canvas in sight has.
const painted = page =>
    page.evaluate(() =>
        [...document.querySelectorAll("canvas")]
            .filter(c => c.offsetParent !== null && c.height > 40)
            .map(c => {
                const seen = new Set(),
                    data = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
                for (let i = 0; i < data.length; i += 4)
                    seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
                return seen.size;
            }),
    );

test("every page opens, has the report's figures, and draws each of its views", async () => {
    for (const name of [
        "planted_tail",
        "planted_lock",
        "fib3",
        "collapsed",
        "hostile",
        "machine",
        "thousand",
        "partial",
        "one_worker",
    ]) {
        const page = await open(name);
        assert.deepEqual(await page.evaluate(() => window.tptrace.summary), report(name));
        for (const view of ["dag", "scg", "ucc", "why", "source", "tasks"]) {
            await app(page, (a, id) => a.show(id), view);
            await frame(page);
            await frame(page);
            const colours = await painted(page);
            assert.ok(
                colours.length >= 1 && colours.every(n => n > 2),
                `${name}, ${view}: canvases have ${colours} colours`,
            );
        }
        await close(page);
    }
});

test("a right click opens the menu at the pointer, a key where the focus is", async () => {
    const page = await open("planted_tail"),
        entries = () =>
            page.$$eval("#menu:not([hidden]) button", list => list.map(node => node.textContent));
    const box = await (await page.$("#middle canvas")).boundingBox();
    await page.mouse.click(box.x + 0.75 * box.width, box.y + 15, { button: "right" });
    assert.ok((await entries()).includes("show in the DAG"), `${await entries()}`);
    const { strand } = await app(page, a => a.selection);
    assert.notEqual(strand, null);
    await page.keyboard.press("Escape");
    assert.deepEqual(await entries(), []);
    await page.focus("#middle canvas");
    await page.keyboard.press(".");
    assert.equal((await entries())[0], "zoom to it");
    await page.keyboard.press("Escape");
    assert.equal((await app(page, a => a.selection)).strand, strand);
    await close(page);
});

test("a finding, the mouse, the wheel and keys do what they do", async () => {
    const page = await open("planted_tail");
    await page.click("button.finding");
    await frame(page);
    const [selection, meta] = await app(page, a => [a.selection, a.meta.findings[0]]);
    assert.deepEqual([selection.finding, selection.from, selection.to], [0, meta.from, meta.to]);
    await page.keyboard.press("Escape");
    await page.keyboard.press("0");
    const box = await (await page.$("#upper canvas")).boundingBox();
    for (const [a, b] of [
        [0.1, 0.4],
        [0.35, 0.95],
    ]) {
        const at = share => box.x + share * box.width;
        await drag(page, [at(a), box.y + 60], [at(b), box.y + 70], 3);
        await frame(page);
        const { from, to } = await app(page, x => x.selection),
            want = report("planted_tail", "--from", `${from}ns`, "--to", `${to}ns`);
        const is = JSON.parse(await page.$eval("#bars .sum", node => node.dataset.components));
        for (const name of COMPONENTS)
            assert.equal(is[name], want[name + "_ns"], `${name} of ${from} to ${to}`);
    }
    const had = await app(page, a => a.time);
    await page.mouse.wheel({ deltaY: -200 });
    await frame(page);
    const closer = await app(page, a => a.time);
    assert.ok(closer.to - closer.from < 0.9 * (had.to - had.from), "the wheel zooms in");
    await page.keyboard.press("w");
    await frame(page);
    const { from, to } = await app(page, a => a.time);
    assert.ok(to - from < closer.to - closer.from, "w zooms in");
    await page.waitForFunction(() => location.hash.includes("at="));
    const other = await open(await page.evaluate(() => location.href));
    assert.equal(await text_of(other, "#details"), await text_of(page, "#details"));
    await close(other);
    await page.keyboard.press("Escape"); // only tasks of the selected time are found
    await page.keyboard.press("/");
    await page.keyboard.type("#2");
    await frame(page);
    await frame(page);
    assert.deepEqual(
        await page.$$eval("table.tasks tbody tr", list =>
            list.map(row => Number(row.dataset.task)),
        ),
        [2],
    );
    await close(page);
});

test("runs side by side", async () => {
    const page = await open("sides_two", "#view=compare");
    await page.waitForFunction(
        () => window.tptrace.sides && document.querySelector(".gains tbody tr"),
    );
    assert.equal(await page.evaluate(() => window.tptrace.sides.length), 2);
    await close(page);
});

test("strands that are left out come from the server", async t => {
    const child = spawn(TPTRACE, ["view", "--serve", "--strands", "30", paths.long], {
        stdio: ["ignore", "pipe", "inherit"],
    });
    t.after(() => child.kill());
    let text = "";
    for await (const bytes of child.stdout) {
        text += bytes;
        if (text.includes("\n")) break;
    }
    const page = await open(/^(http:\S+): /.exec(text)[1], "#at=120000-120700");
    await page.waitForFunction(() => {
        const { full } = window.tptrace.app.data.partial;
        return full && full[0] <= 120000 && full[1] >= 120700;
    });
    const work = await app(page, a =>
        a.data.row_strands.reduce(
            (sum, list) =>
                sum +
                list.reduce(
                    (of, i) =>
                        of +
                        Math.max(
                            0,
                            Math.min(a.data.strand.end[i], 120700) -
                                Math.max(a.data.strand.start[i], 120000),
                        ),
                    0,
                ),
            0,
        ),
    );
    assert.equal(work, report("long", "--from", "120000ns", "--to", "120700ns").work_ns);
    await close(page);
});
