// SPDX-License-Identifier: MIT
// looks.test.mjs - what every page says and looks like, whatever is in its trace: names, losses,
// the verdict, many workers, small screens, axe-core.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import {
    BELOW,
    app,
    close,
    frame,
    leave,
    paths,
    report,
    serious_faults,
    shared_pages,
    show_view,
    spaced,
    words,
} from "./browser.mjs";

const { TPTRACE } = process.env;
const open = shared_pages();

const QUIET = { reducedMotion: "reduce" };

test("names are text, whatever is in them, and nothing foreign runs", async () => {
    const page = await open("hostile");
    await page.fill("#search", "img");
    await frame(page);
    await show_view(page, "Profile");
    assert.equal(
        await page.$$eval("img, iframe, object, embed, link:not([rel=icon])", list => list.length),
        0,
    );
    assert.ok((await page.textContent(".profile")).includes("<img src=x onerror=alert(1)>"));
    assert.ok((await page.textContent(".profile")).includes("\\u202e"));
    for (const node of await page.$$(".profile tbody tr")) await node.click();
    assert.deepEqual(page.trouble, []);
    const ran = await page.evaluate(
        () =>
            new Promise(done => {
                const script = document.createElement("script"),
                    image = document.createElement("img");
                script.textContent = "window.foreign = true";
                image.setAttribute("onerror", "window.foreign = true");
                image.src = "data:,x";
                document.body.append(script, image);
                setTimeout(() => done(window.foreign === true), 100);
            }),
    );
    assert.equal(ran, false);
    await leave(page);
});

test("a thousand workers have rows to scroll, and a page that answers", async () => {
    const page = await open("thousand", "#view=time");
    assert.ok(await page.isVisible(".rows"));
    await page.evaluate(() => {
        document.querySelector(".rows").scrollTop = 2000;
    });
    await frame(page);
    for (let i = 0; i < 10; i++) {
        await page.keyboard.press("w");
        await frame(page);
    }
});

test("lines of the speed-up look different; those on one another share a key", async () => {
    const apart = ["measured", "greedy schedule", "work and span", "work stealing, at least"],
        cases = {
            planted_tail: apart,
            planted_lock: [
                "measured",
                "greedy schedule = work and span",
                "work stealing, at least",
            ],
        };
    for (const [name, keys] of Object.entries(cases)) {
        const page = await open(name),
            looks_in = part =>
                page.$$eval(`#speedup ${part} [data-line]`, lines =>
                    lines.map(({ dataset, attributes: { stroke, "stroke-dasharray": dash } }) =>
                        [dataset.line, stroke.value, dash.value].join(" "),
                    ),
                );
        const looks = await looks_in(".speedup");
        for (const i of [0, 1])
            assert.equal(new Set(looks.map(look => look.split(" ")[i])).size, 3, `${looks}`);
        assert.equal(new Set(looks.map(look => look.replace(/^\S+ \S+/, ""))).size, 3, `${looks}`);
        assert.deepEqual((await looks_in(".key")).sort(), looks.sort());
        const said = await page.$$eval("#speedup .key li", list => list.map(li => li.textContent));
        assert.deepEqual(said, keys);
        await close(page);
    }
});

test("DAG: what is open at first is all in sight, and boxes have room for names", async () => {
    for (const [name, height] of [
        ["long", 900],
        ["queued", 900],
        ["thousand", 700],
        ["fib3", 700],
        ["tree", 640],
    ]) {
        const page = await open(name, "#view=dag", { ...QUIET, viewport: { width: 1440, height } }),
            [ends, [widest, highest], box, bottom] = await page.evaluate(() => {
                const { dag } = window.tptrace.views.dag;
                const { camera, canvas, layout } = dag,
                    x = at => (at - camera.x) * camera.kx,
                    bottom_y = (layout.depth - camera.y) * camera.ky,
                    boxes = layout.places.filter(({ node }) => !node.open && node.what === "tasks");
                return [
                    [x(-layout.left), x(layout.right)],
                    [canvas.width, canvas.height],
                    Math.min(100, ...boxes.map(({ left, right }) => (left + right) * camera.kx)),
                    bottom_y,
                ];
            });
        assert.ok(ends[0] >= 0 && ends[1] <= widest, `${name}: ${ends} of ${widest}`);
        assert.ok(bottom <= highest, `${name}: down to ${bottom} of ${highest}`);
        assert.ok(box >= 46, `${name}: a box is ${box} px wide`);
        await close(page);
    }
});

test("consequence: columns of few workers have all of the width", async () => {
    for (const name of ["fib3", "planted_tail"]) {
        const page = await open(name, "#view=scg", QUIET),
            ends = await page.evaluate(() => {
                const { scg } = window.tptrace.views.scg;
                const g = scg.geometry();
                return [g.x(g.n - 1) + g.bar, scg.canvas.width, g.x(1) - g.x(0) - g.bar];
            });
        assert.ok(ends[0] > 0.9 * ends[1] && ends[0] <= ends[1], `${name}: ${ends}`);
        assert.ok(ends[2] > 40, `${name}: ${ends[2]} px for lines`);
        await close(page);
    }
});

test("a page over its budget says so, and works", async () => {
    const page = await open("partial");
    assert.match(await page.textContent("#header"), /of 400 strands the page has \d+ in full/);
    for (const key of ["w", "w", "d", "0"]) {
        await page.keyboard.press(key);
        await frame(page);
    }
});

test("what a device did has a lane below the workers, and says for whom", async () => {
    const page = await open("operations", "#view=time"),
        { elapsed_ns } = report("operations"),
        at = await page.evaluate(() => {
            const canvas = document.querySelector("#middle canvas").getBoundingClientRect();
            return { left: canvas.left + 64, width: canvas.width - 72, top: canvas.top };
        });
    const tip_at = async (ns, more = 0) => {
        await page.mouse.move(at.left + 3, at.top + 3);
        for (let y = at.top + 10; y < 890; y += 6) {
            await page.mouse.move(at.left + (at.width * ns) / elapsed_ns + more, y);
            const text = await page.textContent("#tip");
            if (text.startsWith("gpu")) return text;
        }
        return "";
    };
    assert.match(await tip_at(70), /^gpukernelran40 ns from 55 nsforf.*moved7 B/);
    assert.equal(await tip_at(30), "");
    const selected = () => app(page, ({ selection: { task, kind } }) => [task, kind]),
        click_at = async ns => {
            await tip_at(ns);
            await page.mouse.down();
            await page.mouse.up();
            await frame(page);
        };
    await app(page, a => {
        const [lane] = a.data.operations;
        lane.task.fill(-1);
        lane.kind.fill(-1);
        a.select({ kind: 0 });
    });
    await click_at(70);
    assert.deepEqual(await selected(), [null, 0]);
    await app(page, a => {
        const [lane] = a.data.operations;
        lane.begin.fill(-1e6); // as if it led out of what is in sight
        for (const column of [lane.end, lane.latest]) column.fill(1e6);
    });
    assert.match(await tip_at(0), /^gpu/);
    for (const [ns, px] of [
        [0, -9],
        [elapsed_ns, 4],
    ])
        assert.equal(await tip_at(ns, px), "", "beside the axis");
});

test("workers that ran nothing are said, and not called busy", async () => {
    const page = await open("alone", "#view=why");
    assert.match(await page.textContent("#header"), /2 of 3 workers ran no task at all/);
    assert.match(
        await page.textContent("[data-view=why]"),
        /No worker that ran a task was ever idle; the others were all the time/,
    );
});

test("the header says first what the report says first, word for word", async () => {
    const names = Object.keys(paths).filter(n =>
        /^(gap|collapsed|lost|died|torn|cut|found|stop|planted_loaded|fib3$)/.test(n),
    );
    for (const name of names) {
        const page = await open(name),
            command = await page.getAttribute("#header h1 bdi", "title"), // in full
            told = spaced(command + (await page.textContent("#header"))).replace(/\s+/g, " ");
        const text = execFileSync(TPTRACE, ["report", paths[name]], {
            encoding: "utf8",
            stdio: ["ignore", "pipe", "ignore"],
            env: { ...process.env, COLUMNS: "1000" },
        });
        // all lines above the verdict; facts are apart by three blanks
        const above = text.slice(0, text.search(/^[\d.]+ (CPUs|of \d+ worker)/m)).split(/\n| {3}/);
        for (const fact of above.map(line => line.trim().replace(/\s+/g, " ")))
            assert.ok(told.includes(fact), `${name}: ${fact} is not in ${told}`);
        await close(page);
    }
    assert.ok(names.length > 5);
});

test("the machine comes before the first cause, whichever cost more", async () => {
    const page = await open("without_hold"),
        { findings } = report("without_hold"),
        [machine] = findings.filter(({ id }) => id === "loaded");
    assert.notEqual(findings[0], machine);
    assert.equal(
        spaced(await page.textContent("#header .warnings li")),
        `LOADED MACHINE: ${machine.what.split("\n")[0]}`,
    );
    await close(page);
    const told = await open("planted_loaded_member_half");
    assert.equal((await told.textContent("#header")).match(/loaded machine/gi).length, 1);
    assert.match(await told.textContent(".verdict"), /loaded machine/);
    await close(told);
    const quiet = await open("planted_imbalance");
    assert.doesNotMatch(await quiet.textContent("#header"), /MACHINE|MORE WORKERS/);
});

test("no text of a page is the name of an object, nor is one empty in the help", async () => {
    for (const name of ["fib3", "planted_lock", "hostile", "sides_two"]) {
        const page = await open(name);
        const n = await page.$$eval(".tabs .choice button", list => list.length);
        for (let i = 0; i < n; i++) {
            await page.click(`.tabs .choice button >> nth=${i}`);
            await frame(page);
        }
        await page.keyboard.press("?");
        const texts = await page.$$eval("dialog dt, dialog dd", list =>
            list.map(node => node.textContent),
        );
        assert.ok(texts.length > 20 && texts.every(Boolean), name);
        const found = await page.evaluate(() =>
            [...document.querySelectorAll("body *:not(script)")]
                .flatMap(node => [
                    ...[...node.childNodes].filter(child => child.nodeType === 3),
                    ...node.attributes,
                ])
                .map(({ nodeValue }) => nodeValue)
                .filter(text => /\[object|undefined|\bNaN\b/.test(text)),
        );
        assert.deepEqual(found, [], name);
        await close(page);
    }
});

test("the legend cuts no name off, however many and long they are", async () => {
    for (const width of [1000, 1400]) {
        const page = await open("hostile", "#view=time", { viewport: { width, height: 800 } });
        const [names, out] = await page.$eval("#legend .key", key => {
            const right = Math.min(innerWidth, key.getBoundingClientRect().right),
                all = [...key.children];
            return [
                all.length,
                all.filter(li => li.getBoundingClientRect().right > right + 1).length,
            ];
        });
        assert.ok(names > 7 && out === 0, `${out} of ${names} at ${width} px`);
        await close(page);
    }
});

test("the verdict is the report's, word for word", async () => {
    for (const name of words(
        "planted_oversubscribed planted_oversubscribed_not planted_loaded planted_asleep",
        "planted_stretch machine_sleep fib3",
    )) {
        const page = await open(name),
            told = spaced(await page.textContent(".verdict"));
        const text = execFileSync(TPTRACE, ["report", "--verbose", paths[name]], {
            encoding: "utf8",
            stdio: ["ignore", "pipe", "ignore"],
        }).replace(/\s+/g, " ");
        assert.match(told, /[\d.]+ of \d+ workers? w(as|ere) in tasks.*\.$/, name);
        assert.ok(text.includes(told), `${name}: ${told}`);
        assert.match(await page.textContent(".verdict strong"), / in tasks.*\.$/, name);
        await close(page);
    }
});

test("of many losses the first are said, what each worker lost comes last, on demand", async () => {
    const page = await open("losses"),
        shown = () =>
            page.$$eval("#header .warnings li:not(.rest)", list =>
                list.filter(node => node.checkVisibility()).map(node => node.textContent),
            );
    const few = await shown();
    assert.equal(few.length, 5);
    assert.match(few[0], /^LOST: 56 events/);
    const [first] = await page.$$eval("#header > *", list => list.map(node => node.className));
    assert.equal(first, "warnings"); // before the verdict
    assert.match(few[1], /^1 task created and never begun/);
    await page.click("#header .warnings button");
    const all = await shown();
    assert.equal(all.filter(text => /worker \d+: 7 events/.test(text)).length, 8);
    assert.match(all.at(-1), /worker 8: 7 events/);
    await page.click("#header .warnings button");
    assert.deepEqual(await shown(), few);
    await close(page);
});

test("the key of components says how much each has, and in words what it is", async () => {
    const page = await open("planted_lock", BELOW),
        told = await page.$$eval("#bars .totals li", list => list.map(node => node.textContent)),
        want = await app(page, a =>
            ["work", "delay", "no_work_sched", "no_work_app"].map(name =>
                a.format.time(a.summary[name + "_ns"]),
            ),
        );
    assert.equal(told.length, 4);
    told.forEach((text, i) => assert.ok(text.endsWith(want[i]), `${text}, not ${want[i]}`));
    assert.match(told[3], /^no-work-app.*the program had no more to run/);
    await close(page);
});

test("no option of a command is broken in two", async () => {
    const page = await open("planted_fine"),
        told = await page.$$eval(".told .option", list =>
            list.map(node => [node.textContent, getComputedStyle(node).whiteSpace]),
        );
    assert.ok(told.length > 0);
    assert.match(told[0][0], /^--[a-z-]+$/);
    assert.equal(told[0][1], "nowrap");
    await close(page);
});

test("a long verdict leaves a small screen to the views", async () => {
    const page = await open("planted_asleep_mutex", "", { viewport: { width: 1280, height: 720 } });
    const width = await page.evaluate(() => document.querySelector(".verdict").offsetWidth);
    assert.ok(width >= 400, `the verdict is ${width} wide`);
});

test("no fault that axe-core calls serious", async () => {
    const looks = [
        ["planted_tail", { viewport: { width: 1440, height: 900 } }],
        ["planted_lock", { viewport: { width: 1440, height: 900 }, colorScheme: "dark" }],
        ["planted_tail", { viewport: { width: 400, height: 800 } }],
        ["hostile", { viewport: { width: 900, height: 700 } }],
    ];
    for (const [name, options] of looks) {
        const page = await open(name, "", options);
        await page.click("button.finding").catch(() => {});
        assert.deepEqual(await serious_faults(page), [], `${name} ${JSON.stringify(options)}`);
        const below = await page.evaluate(() =>
            [...document.querySelectorAll("tbody th .swatch + bdi")]
                .filter(
                    node =>
                        node.getBoundingClientRect().top >=
                        node.previousElementSibling.getBoundingClientRect().bottom,
                )
                .map(node => node.textContent),
        );
        assert.deepEqual(below, [], `${name}: names are below their colours`);
        assert.ok(
            await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
            `${name}: is wider than its window`,
        );
        await leave(page);
    }
});
