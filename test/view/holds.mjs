// SPDX-License-Identifier: MIT
// holds.mjs - for how long work held a page's main thread: of processor time, by what was done, as
// Chromium traces its tasks; so others on the machine make it no longer.
import { readFileSync } from "node:fs";

const CATEGORIES = ["toplevel", "devtools.timeline", "blink.user_timing"],
    MARK = "holds:";

// Runs `steps`, [name, fn] each, one after the other: [{ name, most, over }, ..]; most: the longest
// task, in ms; over: how many took longer than `limit`.
export async function holds(browser, page, path, steps, limit = 50) {
    await browser.startTracing(page, { path, categories: CATEGORIES });
    for (const [name, fn] of steps) {
        await page.evaluate(mark => performance.mark(mark), MARK + name).catch(() => {});
        await fn();
    }
    await page.evaluate(mark => performance.mark(mark), MARK + "end");
    await browser.stopTracing();
    return holds_of(JSON.parse(readFileSync(path, "utf8")).traceEvents, limit);
}

export function holds_of(events, limit) {
    const marks = events
            .filter(({ name }) => name.startsWith(MARK))
            .sort((a, b) => a.ts - b.ts)
            .filter(({ name }, i, all) => !i || name !== all[i - 1].name),
        page = marks.at(-1), // who loads it may be another process before
        tasks = events.filter(
            ({ name, pid, tid, tdur }) =>
                name.endsWith("RunTask") && pid === page.pid && tid === page.tid && tdur,
        );
    return marks.slice(0, -1).map(({ name, ts }, i) => {
        const own = tasks
            .filter(task => task.ts + task.dur > ts && task.ts < marks[i + 1].ts)
            .map(({ tdur }) => tdur / 1000);
        return {
            name: name.slice(MARK.length),
            most: Math.max(0, ...own),
            over: own.filter(ms => ms > limit).length,
        };
    });
}
