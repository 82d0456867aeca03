// SPDX-License-Identifier: MIT
// bench.mjs PAGE.html.. - how soon a page draws and answers, how long its frames take while it
// zooms and pans, and for how long work held its main thread.
import { rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import * as browsers from "./browser.mjs";
import { holds } from "./holds.mjs";

const quantile = (list, q) =>
    [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(q * list.length))];

// It is loaded, and each of its tabs shown.
async function said_holds(browser, path) {
    const page = await browsers.open_page(browser, resolve(path)),
        tabs = await page.$$eval("#tabs .choice button", list =>
            list.map(({ textContent }) => textContent),
        ),
        trace = join(tmpdir(), `holds.${process.pid}.json`),
        load = async () => {
            await page.reload();
            await page.waitForFunction(() => window.tptrace?.ready);
            await browsers.frame(page);
        },
        select = async () => {
            await browsers.app(page, a => a.select({ strand: a.data.strand.n >> 1 }));
            await browsers.frame(page);
        };
    const found = await holds(browser, page, trace, [
        ["load", load],
        ...tabs.map(tab => [tab, () => browsers.show_view(page, tab)]),
        ["select", select],
    ]);
    rmSync(trace);
    return found.map(({ name, most }) => `${name} ${most.toFixed(0)}`).join(", ") + " ms";
}

for (const path of process.argv.slice(2)) {
    const browser = await browsers.open_browser(),
        page = await browsers.open_page(browser, resolve(path));
    const told = await page.evaluate(async () => {
        const { app, timing } = window.tptrace,
            elapsed = app.meta.elapsed,
            times = [],
            frame = () => new Promise(requestAnimationFrame).then(at => times.push(at));
        const paint = performance.getEntriesByName("first-contentful-paint")[0];
        await frame();
        const steps = () => times.splice(0).flatMap((at, i, all) => (i ? [at - all[i - 1]] : []));
        app.frames.length = times.length = 0;
        for (let i = 0; i < 120; i++) {
            app.scale(i < 60 ? 0.88 : 1 / 0.88, elapsed * 0.37);
            await frame();
        }
        const zoom = [...app.frames],
            zoom_steps = steps();
        app.zoom(elapsed * 0.3, elapsed * 0.31);
        await frame();
        app.frames.length = times.length = 0;
        for (let i = 0; i < 120; i++) {
            app.pan(0.05);
            await frame();
        }
        return {
            tasks: app.data.task.n,
            strands: app.data.strand.n,
            paint: paint ? paint.startTime : timing.first,
            ready: timing.ready,
            zoom,
            zoom_steps,
            pan: [...app.frames],
            pan_steps: steps(),
            memory: performance.memory ? performance.memory.usedJSHeapSize : 0,
        };
    });
    const ms = list =>
        `median ${quantile(list, 0.5).toFixed(1)} p95 ${quantile(list, 0.95).toFixed(1)} ms`;
    console.log(
        `${path}: ${(statSync(path).size / 1e6).toFixed(1)} MB, ${told.tasks} tasks, ` +
            `${told.strands} strands: first paint ${told.paint.toFixed(0)} ms, ready ` +
            `${told.ready.toFixed(0)} ms, ` +
            `frames of zoom ${ms(told.zoom)}, of pan ${ms(told.pan)}, on the screen every ` +
            `${ms(told.zoom_steps)} and ${ms(told.pan_steps)}, ` +
            `${(told.memory / 1e6).toFixed(0)} MB`,
    );
    console.log(`${path}: longest work of the main thread: ${await said_holds(browser, path)}`);
    await browser.close();
}
