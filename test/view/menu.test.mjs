// SPDX-License-Identifier: MIT
// menu.test.mjs - the menu of what is selected, by mouse and keys, and what fingers do.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
    BELOW,
    FIREFOX,
    app,
    axe_faults,
    box_of,
    close,
    frame,
    needs,
    shared_pages,
    show_view,
} from "./browser.mjs";

const permissions = ["clipboard-read", "clipboard-write"],
    open = shared_pages(BELOW, FIREFOX ? {} : { permissions });
const entries = page =>
    page.$$eval("#menu:not([hidden]) button", list => list.map(node => node.textContent));
const focused = page => page.evaluate(() => document.activeElement.textContent);
const choose = async (page, text) => {
    await page.click(`#menu button:text-is("${text}")`);
    await frame(page);
};

// touch(type, [x, y], ..): where fingers are
async function fingers_on(page) {
    const cdp = await page.context().newCDPSession(page);
    return (type, ...points) =>
        cdp.send("Input.dispatchTouchEvent", {
            type,
            touchPoints: points.map(([x, y], id) => ({ x, y, id })),
        });
}

// The longest strand, and the middle of it in the timelines.
const longest = page =>
    app(page, a => {
        const s = a.data.strand,
            box = document.querySelector("#middle canvas").getBoundingClientRect();
        let best = 0;
        for (let i = 1; i < s.n; i++)
            if (s.end[i] - s.start[i] > s.end[best] - s.start[best]) best = i;
        const pitch = Math.max(4, Math.min(110, (box.height - 20) / a.data.rows.length)),
            at = ((s.start[best] + s.end[best]) / 2 - a.time.from) / (a.time.to - a.time.from);
        return {
            strand: best,
            task: s.task[best],
            x: box.left + 64 + at * (box.width - 72),
            y: box.top + pitch * (s.row[best] + 0.5),
        };
    });

test("a right click selects, and offers the other views", async () => {
    const page = await open("fib3"),
        { strand, task, x, y } = await longest(page);
    await page.mouse.click(x, y, { button: "right" });
    assert.equal(await app(page, a => a.selection.strand), strand);
    const offered = await entries(page);
    assert.deepEqual(offered, [
        "zoom to it",
        "show in the DAG",
        "show in Why late",
        "show in Dependences",
        "show in the table",
        "select all of its kind",
        "note this time",
        "note this instant",
        "copy the link",
        "copy the facts",
    ]);
    for (const [text, view] of [
        ["show in the DAG", "dag"],
        ["show in Why late", "scg"],
        ["show in Dependences", "ucc"],
        ["show in the table", "tasks"],
    ]) {
        await app(
            page,
            (a, i) => {
                a.find("");
                a.zoom(0, a.extent);
                a.select({ task: null, strand: i });
            },
            strand,
        );
        await page.keyboard.press(".");
        await choose(page, text);
        assert.equal(await app(page, a => a.shown), view);
        assert.deepEqual(await entries(page), [], "it is closed");
    }
    assert.deepEqual(
        await page.$$eval("table.tasks tbody tr", rows =>
            rows.map(row => Number(row.dataset.task)),
        ),
        [task],
    );
    await page.keyboard.press(".");
    await choose(page, "select all of its kind");
    assert.deepEqual(await app(page, a => [a.selection.kind, a.selection.task]), [
        await app(page, (a, t) => a.data.task.kind[t], task),
        null,
    ]);
});

test("on a pause it leads to Why idle; on a row it is of that; on nothing, the link", async () => {
    const page = await open("planted_tail");
    const pause = await app(page, a => {
        const box = document.querySelector("#middle canvas").getBoundingClientRect(),
            s = a.data.strand,
            row = a.data.row_strands.findIndex(
                list => list.length && s.end[list.at(-1)] < 0.9 * a.data.elapsed,
            );
        return {
            x: box.left + 64 + 0.95 * (box.width - 72),
            y:
                box.top +
                Math.max(4, Math.min(110, (box.height - 20) / a.data.rows.length)) * (row + 0.5),
            row,
        };
    });
    await page.mouse.click(pause.x, pause.y, { button: "right" });
    assert.equal(await app(page, a => a.selection.worker), pause.row);
    await choose(page, "why idle");
    assert.equal(await app(page, a => a.shown), "why");
    await page.keyboard.press("Escape");
    await show_view(page, "Profile");
    await page.click(".profile tbody tr", { button: "right" });
    assert.equal(
        await app(page, a => a.selection.kind),
        Number(await page.getAttribute(".profile tbody tr", "data-kind")),
    );
    assert.ok((await entries(page)).includes("show its tasks"));
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.keyboard.press(".");
    assert.deepEqual(await entries(page), ["copy the link"]);
});

test("keys open it, walk in it, and leave it where they came from", async () => {
    const page = await open("fib3", "#task=1&view=ucc"),
        first = "zoom to it",
        last = "copy the facts";
    const keys = FIREFOX ? ["."] : [".", "ContextMenu", "Shift+F10"]; // its driver lacks the others
    for (const key of keys) {
        await page.focus("#middle canvas");
        await page.keyboard.press(key);
        await page.waitForSelector("#menu:not([hidden])");
        assert.equal(await app(page, a => a.selection.task), 1, "what is selected stays so");
        assert.equal(await focused(page), first);
        await page.keyboard.press("ArrowUp");
        assert.equal(await focused(page), last);
        await page.keyboard.press("ArrowDown");
        assert.equal(await focused(page), first);
        await page.keyboard.press("End");
        assert.equal(await focused(page), last);
        await page.keyboard.press("Escape");
        assert.deepEqual(await entries(page), []);
        assert.equal(
            await page.evaluate(
                () => document.activeElement === document.querySelector("#middle canvas"),
            ),
            true,
        );
        assert.equal(await app(page, a => a.selection.task), 1, "Esc closed the menu alone");
    }
    await page.keyboard.press(".");
    assert.deepEqual(await axe_faults(page, "#menu"), []);
    await page.mouse.click(4, 4);
    assert.deepEqual(await entries(page), [], "a click elsewhere closes it");
});

test(
    "it copies facts, and the link, which opens the same; or shows them",
    needs("clipboard"),
    async () => {
        const page = await open("fib3"),
            { strand, x, y } = await longest(page);
        await page.mouse.click(x, y, { button: "right" });
        await choose(page, "copy the link");
        await page.waitForFunction(
            () => document.getElementById("live").textContent === "copied the link",
        );
        const link = await page.evaluate(() => navigator.clipboard.readText());
        assert.match(link, /^file:.*fib3\.html#/);
        const other = await open("fib3", new URL(link).hash);
        assert.equal(await app(other, a => a.selection.strand), strand);
        await close(other);
        await page.keyboard.press(".");
        await choose(page, "copy the facts");
        await page.waitForFunction(
            () => document.getElementById("live").textContent === "copied the facts",
        );
        const facts = (await page.evaluate(() => navigator.clipboard.readText()))
                .split("\n")
                .map(line => line.split(": ")),
            shown = await page.textContent("#details");
        assert.ok(
            facts.length > 3 &&
                facts.every(([label, ...text]) => shown.includes(label + text.join(": "))),
            shown,
        );
        await page.evaluate(() => {
            navigator.clipboard.writeText = () => Promise.reject(new Error("no"));
        });
        await page.keyboard.press(".");
        await choose(page, "copy the link");
        assert.equal(await page.inputValue("dialog.copied textarea"), link);
        await page.keyboard.press("Escape");
        await page.waitForSelector("dialog.copied", { state: "detached" });
    },
);

test("a note is of what is selected or pointed at; its place leads back to it", async () => {
    const page = await open("planted_tail"),
        { strand, x, y } = await longest(page),
        notes = () => app(page, a => a.notes);
    assert.ok(await page.isHidden("#notes"));
    await page.keyboard.press("n");
    assert.deepEqual(await notes(), [], "nothing is selected, and the pointer is nowhere");
    await page.mouse.click(x, y, { button: "right" });
    await choose(page, "note this instant");
    await page.keyboard.type("an instant");
    await page.keyboard.press("Escape");
    await page.mouse.click(x, y, { button: "right" });
    await choose(page, "note this time");
    await page.keyboard.type("a strand");
    await frame(page);
    const [low, high] = await app(
            page,
            (a, s) => [a.data.strand.start[s], a.data.strand.end[s]],
            strand,
        ),
        list = await notes(),
        of_strand = list.find(note => note.to !== null),
        instant = list.find(note => note.to === null);
    assert.deepEqual(of_strand, { from: low, to: high, text: "a strand" });
    assert.ok(instant.from > low && instant.from < high && instant.text === "an instant");
    assert.deepEqual(await axe_faults(page, "#notes"), []);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.click("#notes li:has(input[aria-label*=' to ']) .link");
    const { from, to, time } = await app(page, a => ({ ...a.selection, time: a.time }));
    assert.ok(from !== null && time.from <= from && time.to >= to);
    const box = await box_of(page, "#middle canvas"),
        at = of => box.x + 64 + ((of - time.from) / (time.to - time.from)) * (box.width - 72);
    await page.mouse.move(at(from) + 20, box.y + box.height - 16);
    assert.ok((await page.textContent("#tip")).includes("a strand"));
});

test(
    "two fingers zoom and move, one moves; a right button neither drags nor clicks",
    needs("fingers"),
    async () => {
        const page = await open("planted_tail", "#view=dag", { hasTouch: true }),
            touch = await fingers_on(page);
        const time = async () => {
            await frame(page);
            return app(page, a => a.time);
        };
        const whole = await time(),
            box = await box_of(page, "#middle canvas"),
            x = box.x + 64 + (box.width - 72) / 2,
            y = box.y + 20;
        await touch("touchStart", [x - 50, y], [x + 50, y]);
        await touch("touchMove", [x - 100, y], [x + 100, y]);
        await touch("touchEnd");
        const closer = await time(),
            length = whole.to - whole.from;
        assert.ok(
            Math.abs((closer.to - closer.from) / length - 0.5) < 0.02,
            `half of it: ${JSON.stringify(closer)}`,
        );
        assert.ok(
            Math.abs((closer.from + closer.to) / 2 / length - 0.5) < 0.02,
            "around the fingers",
        );
        await touch("touchStart", [x, y]);
        await touch("touchMove", [x - 60, y]);
        await touch("touchMove", [x - 120, y]);
        await touch("touchEnd");
        const moved = await time();
        assert.ok(
            moved.from > closer.from &&
                Math.abs(moved.to - moved.from - closer.to + closer.from) < 2,
            "as long as before, and later",
        );
        const dag = await box_of(page, "#lower canvas"),
            camera = () => page.evaluate(() => ({ ...window.tptrace.views.dag.dag.camera })),
            was = await camera();
        const [cx, cy] = [dag.x + dag.width / 2, dag.y + dag.height / 2];
        await touch("touchStart", [cx - 40, cy], [cx + 40, cy]);
        await touch("touchMove", [cx - 80, cy], [cx + 80, cy]);
        await touch("touchEnd");
        const now = await camera();
        assert.ok(
            Math.abs(now.kx / was.kx - 2) < 0.1 && Math.abs(now.ky / was.ky - 2) < 0.1,
            JSON.stringify([was, now]),
        );
        await page.mouse.move(x, y);
        await page.mouse.down({ button: "right" });
        await page.mouse.move(x + 90, y);
        await page.mouse.up({ button: "right" });
        assert.deepEqual(await time(), moved);
    },
);

test("a narrow page scrolls under a finger on the timelines", needs("fingers"), async () => {
    const page = await open("planted_tail", BELOW, {
            hasTouch: true,
            isMobile: true,
            viewport: { width: 400, height: 700 },
        }),
        touch = await fingers_on(page);
    const box = await box_of(page, "#middle canvas"),
        x = box.x + 200,
        y = box.y + 100,
        whole = await app(page, a => a.time);
    await touch("touchStart", [x, y]);
    for (let i = 1; i < 10; i++) await touch("touchMove", [x, y - 20 * i]);
    await touch("touchEnd");
    await page.waitForFunction(() => scrollY > 50);
    assert.deepEqual(await app(page, a => a.time), whole);
});
