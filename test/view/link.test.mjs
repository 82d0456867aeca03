// SPDX-License-Identifier: MIT
// link.test.mjs - what is set on a page by mouse and keys is in its link: opened elsewhere, it says
// and draws the same.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { BELOW, app, box_of, frame, leave, shared_pages, show_view } from "./browser.mjs";
import { drag } from "./mouse.mjs";

const seen = new Set();
const open = shared_pages(BELOW, { reducedMotion: "reduce" });
const in_view = (view, what) => `section[data-view=${view}] ${what}`;

// All that views keep, as text, and the pixels of every canvas in sight.
async function state_of(page) {
    await page.mouse.move(2, 2);
    await page.evaluate(() => window.tptrace.app.over({}));
    await frame(page);
    return page.evaluate(() => {
        const sum = text =>
            [...text].reduce((of, letter) => (Math.imul(of, 31) + letter.charCodeAt(0)) | 0, 7);
        const in_sight = what =>
            [...document.querySelectorAll(what)].filter(node => node.offsetParent);
        return {
            kept: Object.fromEntries(
                [...window.tptrace.app.link.kept]
                    .map(([name, of]) => [name, of.read()])
                    .filter(([, text]) => text),
            ),
            selection: window.tptrace.app.selection,
            shown: window.tptrace.app.shown,
            search: document.getElementById("search")?.value,
            theme: document.documentElement.dataset.theme,
            pressed: in_sight("[aria-pressed=true], th[aria-sort]").map(node => node.textContent),
            ticked: in_sight("input").map(node => node.checked),
            chosen: in_sight("select, input[type=range], input[type=number]").map(
                node => node.value,
            ),
            pixels: in_sight("canvas").map(node => sum(node.toDataURL())),
        };
    });
}

// Opens the page's link in a page of its own, and back in its own history.
async function round_trip(name, page) {
    const is = await state_of(page);
    await page.waitForFunction(() => window.tptrace.app.link.fragment() === location.hash);
    const hash = await page.evaluate(() => location.hash),
        other = await open(name, hash);
    if (await page.evaluate(() => Boolean(window.tptrace.sides)))
        await other.waitForFunction(() => window.tptrace.sides);
    const there = await state_of(other);
    for (const key of Object.keys(is))
        assert.deepEqual(there[key], is[key], `${name} ${key} of ${hash}`);
    for (const key of Object.keys(is.kept)) seen.add(key);
    // away from it, and back: the page itself takes the state that its history has
    await other.evaluate(() => {
        location.hash = window.tptrace.app.side ? "#trace=1&view=tasks" : "#view=tasks";
    });
    await frame(other);
    assert.deepEqual((await state_of(other)).kept, {}, "after another link");
    await other.goBack();
    await frame(other);
    const again = await state_of(other);
    for (const key of Object.keys(is))
        assert.deepEqual(again[key], is[key], `${name} ${key} of ${hash}, back`);
    assert.deepEqual([...page.trouble, ...other.trouble], []);
    await leave(other);
    await leave(page);
}

async function drag_by(page, selector, dx, dy) {
    const box = await box_of(page, selector),
        x = box.x + box.width / 2,
        y = box.y + box.height / 2;
    await drag(page, [x, y], [x + dx, y + dy], 2);
    await frame(page);
}

async function press(page, view, ...texts) {
    for (const text of texts) await page.click(in_view(view, `button:text-is("${text}")`));
    await frame(page);
}

const tick = (page, view, text) =>
    page.locator(in_view(view, "label"), { hasText: text }).first().click();
async function tick_line(page, text) {
    if (!(await page.isVisible("#legend .boxes"))) await page.click("#legend summary");
    await page.locator("#legend .boxes label", { hasText: text }).first().click();
}

test("a link has the profile, the theme, and what the views above show", async () => {
    const page = await open("planted_lock");
    await show_view(page, "Profile");
    await page.fill(".profile input[type=search]", "> 1");
    await page.click('.profile button:text-is("site")');
    await page.click('.profile th button:text-matches("^work")');
    await page.click('.profile th button:text-matches("^work")');
    await page.click(".profile summary");
    await page.uncheck(".profile details >> text=tasks");
    await page.click('button[aria-label="light or dark"]');
    await page.selectOption('#legend select[aria-label$="ready"]', "holder");
    await page.selectOption("#legend select", "length");
    for (const text of ["steals", "creates", "joins", "ready path", "binding path"])
        await tick_line(page, text);
    await page.keyboard.press("w");
    await page.fill("#search", "> 1us"); // turns to the tasks
    await show_view(page, "Profile");
    await round_trip("planted_lock", page);
});

test("a link has the order of tasks", async () => {
    const page = await open("planted_lock");
    await show_view(page, "Tasks");
    await page.click('table.tasks th button:text-matches("began")');
    await round_trip("planted_lock", page);
});

test("a link has notes, and says nothing of them once they are gone", async () => {
    const page = await open("planted_lock");
    await app(page, a => a.select({ from: 1000, to: 5000 }));
    await page.keyboard.press("n");
    await page.keyboard.type("50 % = a & b, #1");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    const { x, y, width } = await box_of(page, "#middle canvas");
    await page.mouse.move(x + 0.8 * width, y + 20);
    await page.keyboard.press("n");
    await page.keyboard.type("n: here");
    await frame(page);
    assert.equal(await app(page, a => a.notes.length), 2, "letters in a note are no keys");
    const removed = await open("planted_lock", await app(page, a => a.link.fragment()));
    for (const i of [2, 1]) await removed.click(`#notes [aria-label="remove note ${i}"]`);
    await frame(removed);
    assert.ok(await removed.isHidden("#notes"));
    assert.doesNotMatch(await app(removed, a => a.link.fragment()), /notes/);
    await leave(removed);
    await round_trip("planted_lock", page);
});

test("a link has which of many rows are in sight, and CPU bars that are off", async () => {
    const page = await open("thousand"),
        bars = await open("machine");
    await page.evaluate(() => {
        document.querySelector("#middle .rows").scrollTop = 640;
    });
    await tick_line(page, "joins");
    await frame(page);
    await round_trip("thousand", page);
    await tick_line(bars, "CPU");
    await round_trip("machine", bars);
});

// The first node of the DAG that is not open.
async function click_closed(page) {
    await page.click(in_view("dag", "canvas"), {
        position: await page.evaluate(() => {
            const { dag } = window.tptrace.views.dag,
                { to } = dag.scene.find(({ node }) => !node.open);
            return {
                x: (to.x - dag.camera.x) * dag.camera.kx,
                y: (to.y + to.depth / 2 - dag.camera.y) * dag.camera.ky,
            };
        }),
    });
    await frame(page);
}

test("a link has what the DAG shows and has open, and where", async () => {
    const page = await open("fib3");
    await show_view(page, "DAG");
    await press(
        page,
        "dag",
        "collapse",
        "linear",
        "each",
        "worker",
        "join",
        "depend",
        "ready path",
    );
    await click_closed(page);
    await page.keyboard.press("Enter");
    await frame(page);
    await drag_by(page, in_view("dag", "canvas"), 90, 30);
    await round_trip("fib3", page);
    const all = await open("fib3");
    await show_view(all, "DAG");
    await press(all, "dag", "expand", "fit", "replay");
    await all.keyboard.press(".");
    await frame(all);
    await all.keyboard.press("l");
    await frame(all);
    await round_trip("fib3", all);
    const near = await open("fib3");
    await show_view(near, "DAG");
    await near.focus(in_view("dag", "canvas"));
    for (let i = 0; i < 3; i++) await near.keyboard.press("+");
    await app(near, a => a.select({ task: 3 }));
    await frame(near);
    await round_trip("fib3", near);
    const own = await open("fib3");
    await show_view(own, "DAG");
    await click_closed(own);
    await round_trip("fib3", own);
    const one = await open("planted_chain", "#task=5");
    await show_view(one, "DAG");
    await frame(one);
    assert.deepEqual(
        (await one.evaluate(() => window.tptrace.app.link.looks())).filter(
            part => part !== "view=dag",
        ),
        [],
    );
    await round_trip("planted_chain", one);
});

test("a link has what the consequence graph shows", async () => {
    const page = await open("strand_counters");
    await show_view(page, "Why late");
    await page.selectOption(in_view("scg", "select"), "PAPI_TOT_INS");
    await page.fill(in_view("scg", 'input[aria-label="value of pure red"]'), "17.5");
    await page.keyboard.press("Tab");
    await press(page, "scg", "own worker", "same task", "same worker");
    await round_trip("strand_counters", page);
    const many = await open("thousand");
    await show_view(many, "Why late");
    await drag_by(many, in_view("scg", "canvas"), -200, 0);
    await round_trip("thousand", many);
});

test("a link has what the constraints are of, and where", async () => {
    const page = await open("fib3", "#task=2");
    await show_view(page, "Dependences");
    await press(page, "ucc", "time", "worker");
    const at = await page.evaluate(() => {
        const { ucc } = window.tptrace.views.ucc,
            place = ucc.on_screen(ucc.box(0)),
            box = ucc.canvas.node.getBoundingClientRect();
        return { x: box.left + place.x + place.width / 2, y: box.top + place.y + place.height / 2 };
    });
    await page.mouse.click(at.x, at.y);
    await frame(page);
    assert.notEqual(await page.evaluate(() => window.tptrace.app.selection.strand), null);
    await drag_by(page, in_view("ucc", "canvas"), 70, -20);
    await round_trip("fib3", page);
    const depend = await open("depend_chain");
    await show_view(depend, "Dependences");
    await press(depend, "ucc", "all");
    await round_trip("depend_chain", depend);
});

test("a link has the instant that Why idle explains, and the file of the source", async () => {
    const page = await open("planted_tail");
    await show_view(page, "Why idle");
    await page.click(".why tbody tr");
    await frame(page);
    await page.fill(".why input[type=range]", "900");
    await round_trip("planted_tail", page);
    const source = await open("sources");
    await show_view(source, "Source");
    await source.waitForSelector(in_view("source", "select"));
    await source.selectOption(
        in_view("source", "select"),
        await source.$eval(
            in_view("source", "select"),
            select => [...select.options].find(option => !option.selected).value,
        ),
    );
    await source.selectOption('#legend select[aria-label$="ready"]', "holder");
    await round_trip("sources", source);
});

test("a link has what Compare lists, and another run keeps it", async () => {
    const page = await open("sides_two");
    await show_view(page, "Compare");
    await page.waitForFunction(() => window.tptrace.sides);
    await press(page, "compare", "kind");
    await tick(page, "compare", "creates");
    await tick(page, "compare", "joins");
    await frame(page);
    await page.waitForFunction(() => /compare_arcs/.test(location.hash));
    await press(page, "compare", "B");
    await page.waitForFunction(() => window.tptrace?.ready && window.tptrace.sides);
    assert.match(await page.evaluate(() => location.hash), /trace=1&view=compare&.*compare_arcs=/);
    await round_trip("sides_two", page);
});

test("a link has what widths of Paths are of", async () => {
    const page = await open("fib3");
    await show_view(page, "Paths");
    await press(page, "flame", "all time");
    await round_trip("fib3", page);
});

test("a link has which rows of a job are open, and whether waits are drawn", async () => {
    const page = await open("job_few", "");
    await page.click("button:text-is('all workers')");
    await page.click("button:text-is('waits')");
    await frame(page);
    await round_trip("job_few", page);
});

test("a link with what no page has opens the page as it is at first", async () => {
    const odd =
        "#arcs=x.y&colour=&paths=%ZZ&cpu=7&rows=-9_1&ready=<b>" +
        "&profile=constructor&sort=99_1&theme=blue&tasks_sort=__proto__.1" +
        "&dag_open=9999999999.-1.x&dag_at=1_2_0_NaN&dag_node=1e9" +
        "&scg_value=toString&scg_bounds=1&ucc_of=-1&ucc_at=1_1_-1_1" +
        "&why_at=-5&notes=9-3%20x%0A1e3%20y&file=../x&dag_y=linear.log&unknown=1";
    const page = await open("planted_lock", odd);
    for (const title of ["DAG", "Why late", "Dependences", "Why idle", "Tasks", "Source"]) {
        await show_view(page, title);
        await frame(page);
    }
    assert.deepEqual(page.trouble, []);
    assert.deepEqual(
        Object.keys((await state_of(page)).kept).filter(
            name => name !== "arcs" && name !== "dag_open",
        ),
        [],
    );
    await leave(page);
});

test("these tests set all that a link can have", () => {
    const folder = new URL("../../tools/view/page/", import.meta.url),
        names = new Set();
    for (const file of readdirSync(folder).filter(name => name.endsWith(".js")))
        for (const match of readFileSync(new URL(file, folder), "utf8").matchAll(
            /\bkeep(?:_\w+)?\(\s*(?:(?:this\.)?app,\s*)?"(\w+)"/g,
        ))
            names.add(match[1]);
    assert.ok(names.size > 20);
    assert.deepEqual(
        [...names].filter(name => !seen.has(name)),
        [],
    );
});
