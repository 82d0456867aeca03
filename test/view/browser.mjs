// SPDX-License-Identifier: MIT
// browser.mjs - Debian's Chromium without a screen, by playwright-core; or FIREFOX, by WebDriver
// BiDi.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before } from "node:test";
import { pathToFileURL } from "node:url";

const packages = process.env.PACKAGES ?? "build/view/packages";
const { default: playwright } = await import(
    pathToFileURL(join(packages, "node_modules/playwright-core/index.js"))
);
const axe_path = join(packages, "node_modules/axe-core/axe.min.js");

const FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
];

export const { FIREFOX } = process.env;
// Its driver emulates neither: nothing moves, and who asks for a dark page chooses it.
const PREFERENCES = { "ui.prefersReducedMotion": 1 };
// Options of a test of what that driver cannot do.
export const needs = what => ({ skip: FIREFOX ? `the driver of Firefox has no ${what}` : false });

export const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser"];
export const chromium_path = PLACES.find(existsSync);

// The traces of the pages in PAGES, by name.
const { PAGES, TPTRACE } = process.env;
export const paths = PAGES
    ? Object.fromEntries(
          readFileSync(join(PAGES, "traces"), "utf8")
              .trim()
              .split("\n")
              .map(line => line.split("\t")),
      )
    : {};
export const report = (name, ...options) =>
    JSON.parse(
        execFileSync(TPTRACE, ["report", "--json", ...options, paths[name]], {
            encoding: "utf8",
            stdio: ["ignore", "pipe", "ignore"],
        }),
    );

// A browser whose profile is new and empty; close() ends it.
export async function open_browser() {
    return FIREFOX
        ? playwright._bidiFirefox.launch({
              executablePath: FIREFOX,
              firefoxUserPrefs: PREFERENCES,
              headless: true,
          })
        : playwright.chromium.launch({
              executablePath: chromium_path,
              args: FLAGS,
              headless: true,
          });
}

// What is told now is computed and drawn: nothing that was computed has more computed.
export async function frame(page) {
    const two = () =>
        page.evaluate(
            () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))),
        );
    const is_busy = () => page.$("[aria-busy=true]");
    do {
        await two();
        await page.waitForFunction(() => !document.querySelector("[aria-busy=true]"));
        await two();
    } while (await is_busy());
}

// Pages that were left, by their options: to load a file takes half as long as to begin a page.
const idle = new Map();
const opened = new Set();

async function new_page(browser, options) {
    const context = await browser.newContext(options),
        page = await context.newPage(),
        trouble = [];
    page.on("pageerror", error =>
        trouble.push(`error: ${error.stack.split("\n").slice(0, 4).join(" ")}`),
    );
    page.on("console", message => {
        if (message.type() === "error") trouble.push(`console: ${message.text()}`);
    });
    page.on("dialog", dialog => {
        trouble.push(`dialog: ${dialog.message()}`);
        dialog.dismiss();
    });
    page.on("request", request => {
        if (!/^(about|file|blob|data):/.test(request.url()))
            trouble.push(`network: ${request.url()}`);
    });
    return Object.assign(page, { trouble, opened_as: JSON.stringify(options) });
}

// A page at that file, once it is drawn.  Everything that it asks the network for, or complains of,
// lands in .trouble.
export async function open_page(browser, path, options = {}) {
    const all = { viewport: { width: 1440, height: 900 }, ...options },
        page = idle.get(JSON.stringify(all))?.pop() ?? (await new_page(browser, all)),
        { trouble } = page;
    opened.add(page);
    await page.goto("file://" + path);
    await page
        .waitForFunction(() => window.tptrace && window.tptrace.ready, null, { timeout: 30000 })
        .catch(error => {
            throw new Error(`${path}: ${[...trouble, error.message].join("; ")}`);
        });
    if (FIREFOX && options.colorScheme === "dark") await app(page, a => a.wear(true));
    await frame(page);
    return page;
}

// Of a page whose timelines and a view below are in sight: without it, it opens on the story.
export const BELOW = "#view=dag";

// A view is made in the frame that follows the click on its tab: who looks at once may find none.
export async function show_view(page, title) {
    await page.click(`.tabs button:text-is("${title}")`);
    await frame(page);
}

export const box_of = async (page, selector) =>
    (await page.waitForSelector(selector)).boundingBox();

// A function that gives the browser which all tests of a file share.  What a test opens is closed
// when it ends; one that opens many closes each.
export function shared_browser() {
    let browser;
    before(async () => {
        browser = await open_browser();
    });
    afterEach(async () => {
        for (const page of opened) await close(page);
    });
    after(() => browser.close());
    return () => browser;
}

// A function that opens a page by its name, in the browser that all tests of a file share.
export function shared_pages(fragment = "", options = {}) {
    const browser = shared_browser();
    return (name, at = fragment, more = {}) =>
        open_page(browser(), join(PAGES, name + ".html") + at, { ...options, ...more });
}

// What axe-core finds on a page, or below an element of it: of what impact, which rule, where.
export async function axe_faults(page, below = null) {
    await page.evaluate(readFileSync(axe_path, "utf8"));
    const { violations } = await page.evaluate(
        what => window.axe.run(what ?? document, { resultTypes: ["violations"] }),
        below,
    );
    return violations.map(({ impact, id, nodes }) => ({
        impact,
        text: `${id}: ${nodes.map(node => node.html.slice(0, 100))}`,
    }));
}

export const serious_faults = async page =>
    (await axe_faults(page))
        .filter(({ impact }) => impact === "serious" || impact === "critical")
        .map(({ text }) => text);

// The words of texts that have several.
export const words = (...texts) => texts.join(" ").split(" ");

// fn(app, arg) in the page.
export const app = (page, fn, arg) =>
    page.evaluate(`(${fn})(window.tptrace.app, ${JSON.stringify(arg ?? null)})`);

// How many pixels of a canvas have that colour, #rrggbb; at: [x, y, width, height] of it, or all.
export const pixels_of = (page, selector, colour, at = []) =>
    page.$eval(
        selector,
        (canvas, [hex, x = 0, y = 0, wide = canvas.width, high = canvas.height]) => {
            const { data } = canvas.getContext("2d").getImageData(x, y, wide, high),
                want = parseInt(hex.slice(1), 16);
            let n = 0;
            for (let i = 0; i < data.length; i += 4)
                n += ((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]) === want ? 1 : 0;
            return n;
        },
        [colour, ...at],
    );

// A number and its unit are one word.
export const spaced = text => text.replace(/[\u00a0\u2009\u202f]/g, " ");

// fn(the mounted view's object, the app, arg)
export const of_view = (page, id, fn, arg) =>
    page.evaluate(
        `(${fn})(window.tptrace.views.${id}.${id}, window.tptrace.app, ` +
            `${JSON.stringify(arg ?? null)})`,
    );

// The page is not needed any more: whoever opens one next has it, with nothing of what was there.
export async function leave(page) {
    opened.delete(page);
    const { viewport } = JSON.parse(page.opened_as);
    if (JSON.stringify(page.viewportSize()) !== JSON.stringify(viewport))
        return page.context().close();
    await page.mouse.move(0, 0);
    await page.goto("about:blank");
    page.trouble.length = 0;
    idle.set(page.opened_as, [...(idle.get(page.opened_as) ?? []), page]);
}

// It is left, and had nothing to complain of.
export async function close(page) {
    opened.delete(page);
    assert.deepEqual(page.trouble, []);
    await leave(page);
}
