// SPDX-License-Identifier: MIT
// left.test.mjs - whatever a page leaves out: what it says of its tasks is what a page of all
// strands says, and what hangs below each of its strands are whole subtrees with their sums.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { NODE, id_of, index_of } from "../../tools/view/page/data.js";
import { NONE } from "../../tools/view/page/kinds.js";
import { read_page } from "./pages.mjs";

const { PAGES, TPTRACE } = process.env,
    SHARES = [0.1, 0.5];
const traces = readFileSync(join(PAGES, "traces"), "utf8")
    .trim()
    .split("\n")
    .map(line => line.split("\t"));

async function page_of(path, most) {
    const out = join(PAGES, "left.html");
    execFileSync(TPTRACE, ["view", "--strands", String(most), "-o", out, path], {
        stdio: "ignore",
    });
    return read_page(out);
}

const work_of = ({ collapsed, strand }, i) =>
    collapsed.get(i)?.work ?? strand.end[i] - strand.start[i];

function check_tasks(data, whole) {
    for (let t = 0; t < data.task.n; t++) {
        const own = id_of(data.task, t),
            { parent } = data.task,
            facts = ({ task, children }, i) =>
                ["kind", "begin", "end", "created", "ready", "depth", "work", "n_strands"]
                    .map(name => task[name][i])
                    .concat(task.state[i], children.n[i]);
        assert.deepEqual(facts(data, t), facts(whole, own), `task ${own}`);
        assert.equal(id_of(data.task, parent[t]), whole.task.parent[own], `who created ${own}`);
    }
}

// Of each strand of the page, and last of none: sums of what has it as the last that is kept of
// those before it in its task, or above.
function left_of(data, whole) {
    const s = whole.strand,
        number = new Map(
            Array.from({ length: data.strand.n }, (_, i) => [id_of(data.strand, i), i]),
        ),
        sums = new Map();
    for (let i = 0; i < s.n; i++) {
        if (number.has(i) || s.flags[i] & NODE) continue;
        let up = i;
        while (up !== NONE && !number.has(up))
            up =
                s.pred[up] !== NONE && !(s.flags[s.pred[up]] & NODE)
                    ? s.pred[up]
                    : whole.task.first[s.task[up]] === up
                      ? NONE
                      : whole.task.first[s.task[up]];
        const owner = up === NONE ? data.strand.n : number.get(up),
            none = { tasks: 0, strands: 0, work: 0, start: Infinity, end: -Infinity },
            of = sums.get(owner) ?? none;
        sums.set(owner, {
            tasks:
                of.tasks +
                Number(whole.task.first[s.task[i]] === i) +
                (whole.collapsed.get(i)?.tasks ?? 0),
            strands: of.strands + 1,
            work: of.work + work_of(whole, i),
            start: Math.min(of.start, s.start[i]),
            end: Math.max(of.end, s.end[i]),
        });
    }
    return sums;
}

function check_left(data, whole) {
    const want = left_of(data, whole),
        { left } = data;
    for (let i = 0; i <= data.strand.n; i++) {
        const at = left.of[i],
            got = { tasks: 0, strands: 0, work: 0, start: Infinity, end: -Infinity };
        for (const name of Object.keys(got)) if (at) got[name] = left[name][at];
        assert.deepEqual(got, want.get(i) ?? { ...got, strands: 0 }, `below strand ${i}`);
    }
    return want.size;
}

// Its creators are on the page, and, of a task of few strands, all others of it.
function check_kept(data, whole) {
    for (let i = 0; i < data.strand.n; i++) {
        const t = whole.strand.task[id_of(data.strand, i)];
        if (t === NONE) continue;
        const first = whole.task.first[t],
            creator = whole.strand.pred[first];
        assert.notEqual(index_of(data.strand, first), null);
        if (creator !== NONE && !(whole.strand.flags[creator] & NODE))
            assert.notEqual(index_of(data.strand, creator), null, `who created ${t}`);
    }
}

let n_left = 0;
for (const [name, path] of traces.filter(([of]) => !/^(thousand|queued|planted_.*)$/.test(of)))
    test(name, async () => {
        const page = await read_page(join(PAGES, name + ".html")),
            { data: whole } = page.meta.partial ? await page_of(path, 0xffffffff) : page;
        for (const share of SHARES) {
            const most = Math.max(1, Math.floor(share * whole.strand.n)),
                { data, meta } = await page_of(path, most);
            if (!data.partial) continue;
            assert.equal(meta.kept, most, "the room is filled");
            check_tasks(data, whole);
            check_kept(data, whole);
            n_left += check_left(data, whole);
        }
    });

test("something was left out", () => assert.ok(n_left > 1000, `below ${n_left} strands`));

// A worker creates n tasks, and another one runs them; names are long, and numbers random.
function large_text(n, kinds) {
    const lines = ["tptrace text 2", "clock ns", "runtime 0 name=x version=1 workers=2"];
    let ns = 0,
        seed = 1;
    const random = most => (seed = (seed * 48271) % 0x7fffffff) % most;
    for (let i = 1; i <= kinds; i++) lines.push(`site ${i} name=${"f".repeat(400)}${i}`);
    lines.push("0 w0 root 0.1");
    for (let i = 1; i <= n; i++) {
        lines.push(`${(ns += 1 + random(1 << 20))} w0 create 0.${i + 1} site=${1 + random(kinds)}`);
        lines.push(`${(ns += 1 + random(1 << 20))} w0 resume 0.1`);
    }
    lines.push(`${++ns} w0 wait children site=1`);
    for (let i = 1; i <= n; i++) {
        lines.push(`${(ns += random(1 << 20))} w1 begin 0.${i + 1}`);
        lines.push(`${(ns += 1 + random(1 << 20))} w1 end`);
    }
    return [...lines, `${ns} w0 resume 0.1`, `${ns + 1} w0 end`, ""].join("\n");
}

test("long names of many kinds leave a page that can be mailed", () => {
    const path = join(PAGES, "large.txt"),
        out = join(PAGES, "large.html");
    writeFileSync(path, large_text(280000, 1800));
    execFileSync(TPTRACE, ["view", "-o", out, path], { stdio: "ignore" });
    const { size } = statSync(out),
        [, strands, kept] = /"strands":(\d+),"kept":(\d+)/.exec(readFileSync(out, "utf8"));
    assert.ok(size <= 15e6 && size > 13e6, `${size} bytes`);
    assert.ok(Number(kept) < Number(strands), `${kept} of ${strands} strands`);
    rmSync(path);
    rmSync(out);
});
