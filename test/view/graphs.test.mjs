// SPDX-License-Identifier: MIT
// graphs.test.mjs - the DAG, the consequence graph, the constraints and "why idle" in a browser:
// their figures are the report's, and what is clicked, opened and followed is what the page says.
// PAGES, TPTRACE: as data.test.mjs has them.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
    app,
    close,
    frame,
    needs,
    leave,
    paths,
    report,
    of_view,
    serious_faults,
    shared_pages,
    words,
} from "./browser.mjs";

const open_at = shared_pages("", { reducedMotion: "reduce" });
const open = (name, view, options) => open_at(name, view ? "#view=" + view : "", options);
const press = async (page, text) => {
    await page.click(`.view:not([hidden]) button:text-is("${text}")`);
    await frame(page);
};

// The middle of a node on the screen, by a function that picks its place in the scene.
async function node_at(page, choose) {
    const at = await page.evaluate(`(() => {
        const dag = window.tptrace.views.dag.dag, { camera } = dag;
        const { left, top } = dag.canvas.node.getBoundingClientRect();
        const each = dag.scene.find(${choose}), { shown } = each;
        return {
            x: left + (shown.x - camera.x) * camera.kx,
            y: top + (shown.y + shown.depth / 2 - camera.y) * camera.ky,
        };
    })()`);
    return at;
}

// ---- DAG ----

test("DAG: all of it has the report's tasks and work, whatever is open", async () => {
    for (const name of words(
        "fib3 planted_tail planted_producer_slow",
        "planted_chain collapsed thousand team",
    )) {
        const page = await open(name, "dag"),
            want = report(name);
        for (let level = 0; level < 4; level++) {
            const [tasks, work, n] = await of_view(page, "dag", dag => {
                const closed = dag.scene
                    .filter(({ node }) => !node.open && node.what !== "creates")
                    .map(({ node }) => dag.sum(node));
                return [
                    closed.reduce((sum, of) => sum + of.tasks, 0),
                    closed.reduce((sum, of) => sum + of.work, 0),
                    closed.length,
                ];
            });
            assert.equal(work, want.work_ns, `${name}: work, ${n} nodes`);
            assert.equal(tasks, want.tasks_begun ?? want.tasks, `${name}: tasks`);
            await page.keyboard.press("x");
            await frame(page);
        }
        await close(page);
    }
});

test(
    "DAG: X opens a level, C closes it; double click opens a node, Enter closes it",
    needs("double clicks"),
    async () => {
        const page = await open("fib3", "dag"),
            nodes = () => of_view(page, "dag", dag => dag.scene.length);
        await page.keyboard.press("c");
        await page.keyboard.press("c");
        await frame(page);
        const few = await nodes();
        await page.keyboard.press("x");
        await frame(page);
        const more = await nodes();
        assert.ok(more > few);
        const at = await node_at(
            page,
            'each => each.node.what === "section" && !each.node.open || ' +
                "each.node.what === 'task' " +
                "&& !each.node.open && window.tptrace.views.dag.dag.sum(each.node).tasks > 1",
        );
        await page.mouse.dblclick(at.x, at.y);
        await frame(page);
        assert.ok((await nodes()) > more);
        await page.keyboard.press("Enter");
        await frame(page);
        assert.equal(await nodes(), more);
        await page.keyboard.press("c");
        await frame(page);
        assert.ok((await nodes()) < more);
    },
);

test("DAG: of a team's tasks the one with all work is first and largest", async () => {
    const page = await open("team", "dag"),
        boxes = await of_view(page, "dag", (dag, a) =>
            dag.scene
                .filter(({ node }) => node.parent?.what === "tasks")
                .map(({ node, shown: { x, left, right } }) => ({
                    share: node.share ?? 0,
                    worker: a.data.strand.row[a.data.task.first[node.task]],
                    n: dag.sum(node).tasks,
                    x,
                    width: left + right,
                })),
        );
    assert.deepEqual(
        boxes.map(({ n }) => n),
        [1, 63],
    );
    const [first, rest] = boxes;
    assert.equal(first.worker, 37);
    assert.ok(first.share > 0.8 && first.x < rest.x && first.width > 1.8 * rest.width, boxes);
});

test("DAG: a click selects everywhere; what others select comes into sight", async () => {
    const page = await open("planted_producer_slow", "dag");
    await press(page, "fit");
    const at = await node_at(page, 'each => each.node.what === "strand"');
    await page.mouse.move(at.x, at.y);
    await page.waitForSelector("#tip:not([hidden])");
    await page.mouse.click(at.x, at.y);
    await frame(page);
    assert.notEqual(await app(page, a => a.selection.strand), null);
    assert.match(await page.evaluate(() => location.hash), /strand=/);
    const last = await app(page, a => {
        const t = a.data.task.n - 1;
        a.select({ task: t, strand: null });
        return t;
    });
    await frame(page);
    const [task, what, inside] = await of_view(page, "dag", dag => {
        const each = dag.entry(dag.picked),
            x = (each.shown.x - dag.camera.x) * dag.camera.kx,
            y = (each.shown.y - dag.camera.y) * dag.camera.ky;
        return [
            dag.picked.task,
            dag.picked.what,
            x > 0 && x < dag.canvas.width && y > 0 && y < dag.canvas.height,
        ];
    });
    assert.deepEqual([task, what, inside], [last, "task", true]);
});

test("DAG: dependences over the tree are those of the trace", async () => {
    const page = await open("depend_chain", "dag"),
        want = report("depend_chain");
    for (let i = 0; i < 6; i++) await page.keyboard.press("x");
    await press(page, "depend");
    const n = await of_view(page, "dag", dag =>
        dag.overlay.filter(each => each.kind === "depend").reduce((sum, each) => sum + each.n, 0),
    );
    assert.ok(n > 0);
    if (want.edges?.depend !== undefined) assert.equal(n, want.edges.depend.n ?? want.edges.depend);
});

test(
    "DAG: with time on y, nodes lie at their time; nothing moves for long",
    needs("motion"),
    async () => {
        const page = await open("planted_tail", "dag", { reducedMotion: "no-preference" });
        // at once: however slow the machine, it has not come to rest then
        const moves = await of_view(page, "dag", dag => {
            [...document.querySelectorAll(".view:not([hidden]) button")]
                .find(button => button.textContent === "linear")
                .click();
            return dag.moving;
        });
        assert.ok(moves);
        await page.waitForFunction(() => !window.tptrace.views.dag.dag.moving);
        const bad = await of_view(
            page,
            "dag",
            (dag, a) =>
                dag.scene.filter(
                    ({ node, shown }) =>
                        node.what === "strand" &&
                        Math.abs(
                            shown.y - (a.data.strand.start[node.strand] / a.data.elapsed) * 1500,
                        ) > 1e-6,
                ).length,
        );
        assert.equal(bad, 0);
        for (const scale of ["power", "log", "each", "depth"]) await press(page, scale);
    },
);

// ---- consequence graph ----

test("DAG: the replay has what had begun, steps by events, plays, and ends", async () => {
    const page = await open("planted_tail", "dag"),
        output = ".replay output";
    const phases = () =>
        of_view(page, "dag", (dag, { data }) => {
            const { start, end } = data.strand,
                { at } = dag.replay,
                want = i => (end[i] <= at ? "done" : start[i] > at ? "later" : "now"),
                counts = { later: 0, now: 0, done: 0 };
            const wrong = dag.scene
                .filter(({ node }) => node.what === "strand")
                .filter(({ node }) => {
                    counts[want(node.strand)]++;
                    return dag.look.phase(node) !== want(node.strand);
                });
            return { at, wrong: wrong.length, ...counts };
        });
    for (let level = 0; level < 3; level++) await page.keyboard.press("x");
    assert.equal((await phases()).at, null);
    assert.equal(await page.isVisible(output), false);
    await press(page, "replay");
    const first = await phases();
    assert.deepEqual([first.at, first.wrong], [0, 0]);
    assert.ok(first.later > 0, "no strand is still to come");
    const events = await app(page, a =>
        [...new Set([...a.data.strand.start, ...a.data.strand.end])]
            .filter(ns => ns > 0)
            .sort((x, y) => x - y),
    );
    for (const ns of events.slice(0, 5)) {
        await page.keyboard.press(".");
        assert.equal((await phases()).at, ns);
    }
    await page.keyboard.press(",");
    assert.equal((await phases()).at, events[3]);
    assert.equal(
        await page.textContent(output),
        await app(page, (a, ns) => a.format.time(ns), events[3]),
    );
    assert.equal(await app(page, a => a.hover.from), events[3], "the other views mark it");
    await page.fill(".replay input", String(events.at(-1) / 2));
    const half = await phases();
    assert.ok(half.done > 0 && half.wrong === 0 && half.later <= first.later, JSON.stringify(half));
    await press(page, "play");
    await page.waitForFunction(at => window.tptrace.views.dag.dag.replay.at > at, half.at, {
        timeout: 20000,
    });
    await press(page, "pause");
    await page.keyboard.press("r");
    assert.equal((await phases()).at, null);
    assert.equal(await page.isVisible(output), false);
});

test("the view below gets more room, and gives it back", async () => {
    const page = await open("fib3", "dag"),
        height = () => page.evaluate(() => document.querySelector("#lower").clientHeight),
        had = await height();
    await page.keyboard.press("l");
    await frame(page);
    assert.ok((await height()) > had + 50, `${had} px`);
    await page.click(".larger");
    await frame(page);
    assert.equal(await height(), had);
});

test("consequence: columns add up to the report's work, and a click finds the strand", async () => {
    for (const name of ["fib3", "planted_tail", "planted_lock", "collapsed", "thousand"]) {
        const page = await open(name, "scg"),
            want = report(name);
        const work = await of_view(page, "scg", scg =>
            scg.sums.reduce((sum, of) => sum + of.work.at(-1), 0),
        );
        assert.equal(work, want.work_ns, name);
        await close(page);
    }
    const page = await open("planted_tail", "scg");
    const [strand, x, y] = await of_view(page, "scg", (scg, a) => {
        const s = a.data.strand,
            g = scg.geometry(),
            { left, top } = scg.canvas.node.getBoundingClientRect();
        let best = 0;
        for (let i = 1; i < s.n; i++)
            if (s.end[i] - s.start[i] > s.end[best] - s.start[best]) best = i;
        return [
            best,
            left + g.x(s.row[best]) + g.bar / 2,
            top + g.y((s.start[best] + s.end[best]) / 2),
        ];
    });
    await page.mouse.move(x, y);
    assert.match(await page.textContent("#tip"), /bound by/);
    await page.mouse.click(x, y);
    await frame(page);
    assert.equal(await app(page, a => a.selection.strand), strand);
    await page.keyboard.press("b");
    const cause = await app(page, a => a.selection.strand);
    assert.ok(cause < strand);
    for (const id of ["length", "row", "stretch"])
        await page.selectOption(".view:not([hidden]) select", id);
    for (const button of ["own worker", "same task", "same worker"]) await press(page, button);
});

test("consequence: a bound of the colours is the user's", async () => {
    const page = await open("planted_tail", "scg"),
        bounds = () => of_view(page, "scg", scg => scg.bounds);
    assert.equal(await page.isVisible('input[aria-label="value of pure red"]'), false);
    await page.selectOption("section.view:not([hidden]) select", "stretch");
    const [low] = await bounds();
    await page.locator('input[aria-label="value of pure red"]').selectText();
    await page.keyboard.type("17.5");
    await page.keyboard.press("Tab");
    assert.deepEqual(await bounds(), [low, 17.5]);
});

test("consequence: strands have their kinds' colours at first", async () => {
    const page = await open("planted_tail", "scg");
    const is = await of_view(page, "scg", (scg, { data, colour }) => {
        const [first] = data.strand.task.filter((task, i) => data.strand.row[i] === 1),
            kind = data.leading.indexOf(data.task.kind[first]);
        return [scg.value.id, scg.colour_of(kind) === colour.kinds[kind]];
    });
    assert.deepEqual(is, ["kind", true]);
});

test("consequence: counters are those of the trace, and colour work first", async () => {
    const page = await open("strand_counters", "scg"),
        want = report("strand_counters");
    const [sums, id, value] = await of_view(page, "scg", (scg, a) => [
        Object.fromEntries(
            a.data.counters.map(({ name, of }) => [name, of.reduce((x, y) => x + y, 0)]),
        ),
        scg.value.id,
        scg.value.of(a.data.task.first[1]),
    ]);
    assert.deepEqual(sums, {
        "page-faults": 130,
        "cpu-time": 34,
        PAPI_TOT_INS: 600,
        PAPI_TOT_CYC: 400,
    });
    assert.ok(want.tasks > 0);
    assert.deepEqual([id, value], ["page-faults", 200]);
    await page.selectOption(".view:not([hidden]) select", "PAPI_TOT_INS");
    assert.equal(await of_view(page, "scg", (scg, a) => scg.value.of(a.data.task.first[1])), 1.5);
});

// ---- constraints ----

test("constraints: the weighted collection is as high as the report's span", async () => {
    for (const name of words(
        "fib3 planted_tail depend_chain planted_chain",
        "planted_producer_slow barrier_tasks collapsed",
    )) {
        const page = await open(name, "ucc"),
            want = report(name);
        if (/^depend|chain/.test(name)) await press(page, "all");
        await press(page, "time");
        const [height, units, strands] = await of_view(page, "ucc", (ucc, a) => [
            ucc.levels.height,
            ucc.graph.n,
            a.data.strand.n,
        ]);
        assert.equal(height, want.span_ns, name);
        assert.equal(units, strands);
        await close(page);
    }
});

test("dependences: tasks in layers, creation and joins hidden, the critical path lit", async () => {
    const page = await open("depend_fan_in", "ucc");
    const told = await of_view(page, "ucc", (ucc, a) => {
        const name = i => a.format.kind_at(ucc.kind_of(ucc.units[i])),
            units = [...ucc.units.keys()],
            at = { width: 20, height: 20 };
        return {
            rows: units.map(i => name(i) + ucc.levels.row[i]),
            edges: [...ucc.graph.from].map((from, e) => name(from) + name(ucc.graph.to[e])),
            lit: units
                .filter(i => ucc.outline_of(ucc.units[i], at)[0] === a.colour.critical)
                .map(name),
            // C ran 16 and was ready for 4; had it run 3, it would have been late
            late: [16, 3].map(ran => {
                const c = Object.create(ucc, { length_of: { value: () => ran } });
                return units.filter(i => c.is_late(ucc.units[i])).map(name);
            }),
        };
    });
    assert.deepEqual(told, {
        rows: ["A0", "B0", "C1"],
        edges: ["AC", "BC"],
        lit: ["A", "C"],
        late: [[], ["C"]],
    });
    await press(page, "all");
    assert.ok((await of_view(page, "ucc", ucc => ucc.graph.n)) > 3);
    await close(page);
    const none = await open("fib3", "ucc");
    assert.equal(await none.isVisible('section[data-view=ucc] button:text-is("all")'), false);
});

test("constraints: a tall collection uses the width, all in sight, its units dots", async () => {
    const page = await open("long", "ucc");
    const told = await of_view(page, "ucc", ucc => {
        const { left, right, top, bottom } = ucc.bounds(),
            { width, height, ctx } = ucc.canvas,
            ratio = devicePixelRatio;
        const ink = [0, ucc.graph.n - 1].map(i => {
            const at = ucc.on_screen(ucc.box(i));
            return ctx.getImageData(
                (at.x + at.width / 2) * ratio,
                (at.y + at.height / 2) * ratio,
                1,
                1,
            ).data[3];
        });
        return {
            rows: ucc.levels.rows,
            wide: (right - left) * ucc.camera.kx,
            high: (bottom - top) * ucc.camera.ky,
            width,
            height,
            ink,
            is_dense: ucc.is_dense,
        };
    });
    assert.ok(
        told.rows > 1000 && told.wide > 200 && told.wide <= told.width && told.high <= told.height,
        JSON.stringify(told),
    );
    assert.ok(
        told.ink.every(alpha => alpha > 0),
        `the first and the last unit are drawn: ${JSON.stringify(told)}`,
    );
    // of widths, too, where a window that changes has no room for them
    await of_view(page, "ucc", ucc =>
        [0, 8, 9].forEach(height => ucc.draw_width(ucc.canvas.ctx, { width: 300, height })),
    );
});

test("constraints: of a task alone, and a unit is selected by a click", async () => {
    const page = await open("fib3", "ucc"),
        all = await of_view(page, "ucc", ucc => ucc.graph.n);
    await app(page, a => a.select({ task: 2 }));
    await frame(page);
    const n = await of_view(page, "ucc", ucc => ucc.graph.n);
    assert.ok(n > 0 && n < all);
    const [strand, x, y] = await of_view(page, "ucc", ucc => {
        const at = ucc.on_screen(ucc.box(ucc.graph.n - 1)),
            { left, top } = ucc.canvas.node.getBoundingClientRect();
        return [ucc.units[ucc.graph.n - 1], left + at.x + at.width / 2, top + at.y + at.height / 2];
    });
    await page.mouse.click(x, y);
    await frame(page);
    assert.equal(await app(page, a => a.selection.strand), strand);
});

// ---- why idle ----

// Time by reason over all idle stretches that the view lists.
const reasons = page =>
    of_view(page, "why", why => {
        const sums = {};
        const at_once = work => {
            for (;;) {
                const { done, value } = work.next();
                if (done) return value;
            }
        };
        for (const stretch of why.stretches)
            for (const [reason, ns] of Object.entries(at_once(why.of_stretch(stretch))[0] ?? {}))
                sums[reason] = (sums[reason] ?? 0) + ns;
        return sums;
    });

test("why idle: the planted causes are told apart", async () => {
    const told = {};
    for (const name of words(
        "planted_held planted_held_fixed planted_barred",
        "planted_buried planted_serial_head",
    )) {
        const page = await open(name, "why");
        told[name] = await reasons(page);
        await close(page);
    }
    const most = sums => Object.entries(sums).sort((a, b) => b[1] - a[1])[0][0];
    assert.equal(most(told.planted_held), "held", JSON.stringify(told.planted_held));
    assert.equal(told.planted_held_fixed.held, undefined);
    assert.ok(told.planted_barred.barred > 0, JSON.stringify(told.planted_barred));
    assert.ok(told.planted_buried.buried > 0, JSON.stringify(told.planted_buried));
    assert.equal(most(told.planted_serial_head), "nothing");
});

test("why idle: first the sums of the report, whether all strands are there or not", async () => {
    for (const name of ["planted_tail", "partial"]) {
        const page = await open(name, "why"),
            { idle } = report(name).states,
            all = idle.delay_ns + idle.no_work_sched_ns + idle.no_work_app_ns,
            text = await page.textContent(".why .in-all"),
            time = ns => app(page, (a, of) => a.format.time(of), ns);
        assert.ok(text.includes(`were idle for ${await time(all)}`), text);
        for (const ns of Object.values(idle))
            assert.ok(ns === 0 || text.includes(await time(ns)), text);
        await close(page);
    }
});

test("why idle: a stretch that is clicked is selected; the instant is the slider's", async () => {
    const page = await open("planted_tail", "why");
    await page.click(".why tbody tr");
    await frame(page);
    const [selection, moment] = [
        await app(page, a => a.selection),
        await of_view(page, "why", why => why.moment),
    ];
    assert.deepEqual(
        [selection.worker, selection.from, selection.to],
        [moment.row, moment.from, moment.to],
    );
    await page.fill(".why input[type=range]", "900");
    await frame(page);
    const later = await of_view(page, "why", why => why.moment.ns);
    assert.ok(Math.abs(later - (moment.from + 0.9 * (moment.to - moment.from))) < 2);
    assert.match(await page.textContent(".why .instant + div"), /Workers then/);
});

test("why idle: a page without all strands proves nothing, and says so", async () => {
    const page = await open("partial", "why");
    assert.match(await page.textContent(".why"), /proves nothing of idle workers/);
    assert.deepEqual(await of_view(page, "why", why => why.stretches), []);
    for (const id of ["dag", "scg", "ucc"]) {
        await app(page, (a, view) => a.show(view), id);
        await frame(page);
    }
});

test("all four draw traces of every kind, and have a table behind", async () => {
    for (const name of [
        "hostile",
        "thousand",
        "collapsed_cut",
        "depend_mutex",
        "planted_lock_mutex",
        "barrier_none",
        ...Object.keys(paths).filter(path => /empty|lost|died/.test(path)),
    ]) {
        const page = await open(name);
        for (const id of ["dag", "scg", "ucc", "why"]) {
            await app(page, (a, view) => a.show(view), id);
            await frame(page);
            assert.deepEqual(page.trouble, [], `${name} ${id}`);
            assert.ok(
                await page.$eval(
                    `[data-view=${id}] caption`,
                    caption => caption.textContent.length > 0,
                ),
                `${name} ${id}`,
            );
        }
        await close(page);
    }
});

test("no fault that axe-core calls serious", async () => {
    const page = await open("planted_held");
    for (const id of ["dag", "scg", "ucc", "why"])
        for (const dark of [false, true]) {
            await app(
                page,
                (a, [view, is_dark]) => {
                    a.show(view);
                    a.wear(is_dark);
                },
                [id, dark],
            );
            await frame(page);
            if (id === "dag" && !dark) await press(page, "replay");
            assert.deepEqual(await serious_faults(page), [], `${id}, ${dark ? "dark" : "light"}`);
        }
    await leave(page);
});
