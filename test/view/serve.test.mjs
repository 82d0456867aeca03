// SPDX-License-Identifier: MIT
// serve.test.mjs - `tptrace view --serve`: what it answers and to whom, and a page whose strands
// come as it zooms in.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import {
    closeSync,
    constants,
    mkdtempSync,
    openSync,
    readFileSync,
    readSync,
    rmSync,
    truncateSync,
    writeSync,
} from "node:fs";
import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { app, paths, report, shared_browser } from "./browser.mjs";

const { PAGES, TPTRACE } = process.env;
const browser = shared_browser();

// A server, and where it is; end(): its exit status.
// The page is there: on a busy machine another one stands there for some time.
async function serve(t, ...options) {
    const server = await serve_beside(t, "inherit", ...options);
    while ((await get(server.url)).body.includes("The page opens here by itself"))
        await new Promise(again => setTimeout(again, 20));
    return server;
}
async function serve_beside(t, stderr, ...options) {
    const child = spawn(TPTRACE, ["view", "--serve", ...options], {
            stdio: ["ignore", "pipe", stderr],
        }),
        ended = new Promise(done => child.on("exit", done));
    let text = "";
    child.stdout.on("data", bytes => {
        text += bytes;
    });
    while (!text.includes("\n")) await once(child.stdout, "data");
    const url = new URL(/^(http:\S+): /.exec(text)[1]);
    t.after(() => {
        child.kill();
        child.stdout.destroy();
    });
    return {
        url,
        ended,
        pid: child.pid,
        said: () => text,
        kill: signal => child.kill(signal),
        end: () => {
            child.kill("SIGINT");
            return ended;
        },
    };
}

// The status, and the body.
const get = (url, options = {}) =>
    new Promise((done, fail) =>
        request(url, { timeout: 20000, ...options }, answer => {
            let body = "";
            answer.on("data", bytes => {
                body += bytes;
            });
            answer.on("end", () =>
                done({ status: answer.statusCode, body, headers: answer.headers }),
            );
        })
            .on("error", fail)
            .end(),
    );

// What comes back for these bytes, each list of them sent by itself.
const send = (port, ...pieces) =>
    new Promise((done, fail) => {
        const socket = connect(port, "127.0.0.1"),
            got = [];
        socket
            .on("data", bytes => got.push(bytes))
            .on("error", fail)
            .on("close", () => done(Buffer.concat(got).toString()));
        (async () => {
            for (const piece of pieces) {
                socket.write(piece);
                await new Promise(setImmediate);
            }
        })();
    });

// It listens on 127.0.0.1 alone.
async function refuses_elsewhere(port) {
    const elsewhere = Object.values(networkInterfaces())
        .flat()
        .filter(at => !at.internal && at.family === "IPv4")
        .map(at => at.address);
    for (const address of [...elsewhere, "127.0.0.2"])
        await assert.rejects(
            new Promise((done, fail) =>
                connect(port, address).on("connect", done).on("error", fail),
            ),
            { code: "ECONNREFUSED" },
            address,
        );
}

test("only who has the address, and names it, gets an answer", async t => {
    const server = await serve(t, "--strands", "30", paths.partial),
        { url } = server,
        detail = new URL("detail?side=0&from=0&to=5000", url);
    const page = await get(url),
        whole = await get(detail);
    assert.deepEqual(
        [page.status, whole.status, page.headers["cache-control"]],
        [200, 200, "no-store"],
    );
    assert.ok(
        page.body.includes("connect-src 'self'") && whole.body.includes('data-column="start"'),
    );
    const token = url.pathname.slice(1, -1),
        other = at => (token[at] === "0" ? "1" : "0"),
        status = async (path, options) => (await get(url.origin, { path, ...options })).status;
    assert.match(token, /^[0-9a-f]{32}$/);
    for (const path of [
        "/",
        `/${token}`,
        `/${token.slice(0, 31)}${other(31)}/`,
        `/${other(0)}${token.slice(1)}/`,
        `/${token.toUpperCase()}x/`,
        `/${"0".repeat(32)}/detail?side=0&from=0&to=5`,
        `//${token}/`,
    ])
        assert.equal(await status(path), 403, path);
    for (const path of ["x", "../etc/passwd", "%2e%2e/etc/passwd", "detail/", "?x"])
        assert.ok([403, 404].includes(await status(url.pathname + path)), path);
    for (const query of [
        "",
        "?side=0",
        "?side=1&from=0&to=5",
        "?side=0&from=5&to=5",
        "?side=0&from=0&to=99999999999",
        "?side=0&from=-1&to=5",
        "?side=0&from=0&to=5&x=1",
        "?side=0&from=0&to=99999999999999999999999",
    ])
        assert.equal(await status(url.pathname + "detail" + query), 400, query);
    for (const host of ["evil.example", "evil.example:" + url.port, "127.0.0.1", "127.0.0.1:1"])
        assert.equal(await status(url.pathname, { headers: { host } }), 403, host);
    for (const method of ["POST", "PUT", "OPTIONS", "DELETE"])
        assert.equal(await status(url.pathname, { method }), 405, method);
    const head = `GET ${url.pathname} HTTP/1.1\r\nHost: ${url.host}\r\n\r\n`;
    assert.match(await send(url.port, ...head), /^HTTP\/1.1 200 OK\r\n/);
    assert.match(await send(url.port, `GET /${"a".repeat(5000)}`), /^HTTP\/1.1 414 /);
    const silent = Array.from({ length: 10 }, () => connect(url.port, "127.0.0.1"));
    assert.equal((await get(url)).status, 200, "beside others that say nothing");
    silent.forEach(socket => socket.destroy());
    await refuses_elsewhere(url.port);
    assert.equal(await server.end(), 0);
});

test("who sends nothing, or reads nothing, holds up nobody", async t => {
    const { url } = await serve(t, paths.fib3),
        closed = new Set(),
        places = 16,
        most = 20;
    const silent = async (head, n) => {
        const socket = connect(url.port, "127.0.0.1");
        socket.on("error", () => {}).on("close", () => closed.add(n));
        t.after(() => socket.destroy());
        await once(socket, "connect");
        if (head) socket.write(head);
        else socket.resume();
    };
    for (let n = 0; n < most; n++) await silent("", n);
    assert.equal((await get(url)).status, 200);
    await new Promise(again => setTimeout(again, 100));
    assert.deepEqual(
        [...closed].sort((a, b) => a - b),
        Array.from({ length: most + 1 - places }, (_, n) => n),
        "the oldest made room",
    );
    for (let n = 0; n < most; n++)
        await silent(`GET ${url.pathname} HTTP/1.1\r\nHost: ${url.host}\r\n\r\n`, most + n);
    assert.equal((await get(url)).status, 200);
    for (let n = 0; n < most; n++) await silent(`GET ${url.pathname}`, 2 * most + n);
    assert.equal((await get(url)).status, 200);
});

test("who is connected when it ends gets an answer", async t => {
    const { url, kill, ended } = await serve(t, paths.fib3),
        head = `GET ${url.pathname} HTTP/1.1\r\nHost: ${url.host}\r\n\r\n`,
        socket = connect(url.port, "127.0.0.1"),
        closed = once(socket, "close");
    let got = "";
    socket.on("data", bytes => {
        got += bytes;
    });
    socket.write(head.slice(0, 9));
    await get(url); // connected later
    kill("SIGSTOP");
    await new Promise(done => socket.write(head.slice(9), done));
    kill("SIGINT");
    kill("SIGCONT");
    await closed;
    assert.match(got, /^HTTP\/1\.1 200 OK\r\n[^]*<\/html>\s*$/);
    assert.equal(await ended, 0);
});

test("a window whose child ends is an answer, and the next one is another", async t => {
    const server = await serve(t, "--strands", "30", paths.queued),
        { url } = server,
        to = report("queued").elapsed_ns,
        detail = new URL(`detail?side=0&from=0&to=${to}`, url),
        limit = bytes =>
            execFileSync("prlimit", [`--pid=${server.pid}`, `--fsize=${bytes}:unlimited`]);
    limit("1");
    assert.equal((await get(detail)).status, 500);
    assert.equal((await get(url)).status, 200);
    limit("unlimited");
    assert.equal((await get(detail)).status, 200);
    assert.equal(await server.end(), 0);
});

test("it ends by itself, and says in one line why it cannot begin", async t => {
    const server = await serve(t, "--idle", "1", paths.fib3),
        { port } = server.url;
    const said = (...options) => {
        try {
            execFileSync(TPTRACE, ["view", ...options], { stdio: "pipe" });
        } catch (error) {
            return [error.status, error.stderr.toString()];
        }
    };
    const [status, text] = said("--serve", "--port", port, paths.fib3);
    assert.deepEqual(
        [status, text],
        [1, `tptrace: 127.0.0.1, port ${port}: Address already in use; --port takes another one\n`],
    );
    for (const options of [
        ["--serve", "--port", "65536"],
        ["--serve", "-o", "x.html"],
        ["--port", "80"],
        ["--idle", "5"],
        ["--serve", "--idle", "x"],
    ])
        assert.equal(said(...options, paths.fib3)[0], 2, options.join(" "));
    assert.equal(await server.ended, 0);
});

// A pipe that takes nothing more until read() empties it: what is written to `end` waits.
function full_pipe(path) {
    execFileSync("mkfifo", [path]);
    const own = openSync(path, constants.O_RDWR | constants.O_NONBLOCK),
        end = openSync(path, constants.O_RDWR),
        bytes = Buffer.alloc(4096);
    const until_busy = step => {
        try {
            for (;;) step();
        } catch (error) {
            if (error.code !== "EAGAIN") throw error;
        }
    };
    until_busy(() => writeSync(own, bytes));
    return {
        end,
        read: () => until_busy(() => readSync(own, bytes)),
        close: () => {
            closeSync(own);
            closeSync(end);
        },
    };
}

// A server of a damaged trace: it cannot warn of that, nor go on to write the page, before go_on().
async function held_server(t) {
    const folder = mkdtempSync(join(tmpdir(), "tptrace-view-")),
        pipe = full_pipe(join(folder, "stderr")),
        trace = join(folder, "cut.tpt");
    t.after(() => {
        pipe.close();
        rmSync(folder, { recursive: true });
    });
    execFileSync(TPTRACE, ["load", "-o", trace, paths.long]);
    truncateSync(trace, Math.floor(readFileSync(trace).length * 0.6));
    return { ...(await serve_beside(t, pipe.end, trace)), go_on: pipe.read };
}

test("while the page is made, its address says so", async t => {
    const server = await held_server(t),
        { url } = server,
        waiting = await get(url),
        page = await (await browser().newContext()).newPage();
    assert.equal(waiting.status, 200);
    assert.match(waiting.body, /location\.reload\(\)[^]*Step 2 of 3: [a-z ]+; \d+ s so far/);
    assert.deepEqual(
        [
            (await get(new URL("detail?side=0&from=0&to=5", url))).status,
            (await get(new URL("/", url))).status,
        ],
        [404, 403],
    );
    await page.goto(url.href + "#view=tasks");
    assert.match(await page.textContent("[role=status]"), /so far/);
    server.go_on();
    await page.waitForFunction(() => window.tptrace?.ready);
    assert.ok(page.url().endsWith("#view=tasks"), page.url());
    assert.equal(await server.end(), 0);
    assert.equal(server.said().match(/http:/g).length, 1, "the address is said once");
});

test("nobody answers for a page that is no longer made", async t => {
    const server = await held_server(t);
    server.end();
    await server.ended;
    const is_there = () =>
        get(server.url).then(
            () => true,
            error => error.code !== "ECONNREFUSED",
        );
    for (let i = 0; i < 1500 && (await is_there()); i++)
        await new Promise(again => setTimeout(again, 20));
    assert.ok(!(await is_there()));
});

async function open_served(url, fragment = "") {
    const context = await browser().newContext({ viewport: { width: 1440, height: 900 } }),
        page = await context.newPage();
    page.trouble = [];
    page.on("pageerror", error => page.trouble.push(error.stack));
    page.on("console", message => {
        if (message.type() === "error") page.trouble.push(message.text());
    });
    await page.goto(url.href + fragment);
    await page.waitForFunction(() => window.tptrace?.ready);
    return page;
}

const has = (page, from, to) =>
    page.waitForFunction(
        ([low, high]) => {
            const { full } = window.tptrace.app.data.partial;
            return full && full[0] <= low && full[1] >= high;
        },
        [from, to],
    );
const settle = (page, state) =>
    page.waitForFunction(want => window.tptrace.windows.state === want, state);

// What the pictures of a stretch add up to, by class, with the page's own functions of strands.
const work_of = (page, from, to) =>
    app(
        page,
        (a, { from: low, to: high }) => {
            const s = a.data.strand,
                clip = i => Math.max(0, Math.min(s.end[i], high) - Math.max(s.start[i], low));
            const rows = a.data.row_strands.map(list => list.reduce((sum, i) => sum + clip(i), 0));
            return {
                work: rows.reduce((x, y) => x + y, 0),
                strands: a.data.row_strands.flatMap(list =>
                    [...list].filter(i => s.end[i] > low && s.start[i] < high),
                ).length,
            };
        },
        { from, to },
    );

test("strands that were left out come as the page zooms in, with the report's figures", async t => {
    const server = await serve(t, "--strands", "30", paths.long),
        page = await open_served(server.url, "#at=3000-3500&view=dag"),
        full = report("long");
    await settle(page, "whole");
    assert.ok((await app(page, a => a.data.strand.n)) < full.strands / 10, "most are left out");
    assert.equal(await page.textContent("#detail"), "every strand in sight is here");
    for (const [from, to] of [
        [3000, 3500],
        [120000, 120700],
        [80010, 83333],
        [199000, 200300],
    ]) {
        const had = await work_of(page, from, to);
        await app(page, (a, at) => a.zoom(at.from, at.to), { from, to });
        await has(page, from, to);
        const is = await work_of(page, from, to),
            want = report("long", "--from", `${from}ns`, "--to", `${to}ns`);
        if (from === 120000) assert.ok(had.strands < is.strands / 2, "they were not there before");
        assert.equal(is.work, want.work_ns, `work from ${from} to ${to}`);
        const row = await app(
            page,
            a =>
                window.tptrace.views.timelines.hit(64 + 300, 20) !== null &&
                a.data.row_strands.length,
        );
        assert.equal(row, 2);
    }
    await server.end();
    const gone = page.trouble.length;
    await app(page, a => a.zoom(60000, 60010));
    await settle(page, "lost");
    assert.match(await page.textContent("#detail"), /has ended/);
    assert.deepEqual(page.trouble.slice(0, gone), []);
});

test("what is selected stays so by another number as strands come, and in a link", async t => {
    const server = await serve(t, "--strands", "30", paths.long),
        page = await open_served(server.url, "#at=3000-3500&view=dag");
    await settle(page, "whole");
    await app(page, a => a.zoom(80000, 81000));
    await has(page, 80000, 81000);
    const of = i =>
        `{ id: a.data.strand.id[${i}], start: a.data.strand.start[${i}], task: ` +
        `a.data.task.id[a.data.strand.task[${i}]], work: ` +
        `a.data.task.work[a.data.strand.task[${i}]] }`;
    const strand = await page.evaluate(
        "(() => { const a = window.tptrace.app, s = a.data.strand, i = " +
            "a.data.row_strands[1].findLast(k => s.start[k] < 80500); a.select({ strand: i }); " +
            `return ${of("i")}; })()`,
    );
    assert.equal(
        strand.work,
        20 + (strand.task % 60),
        "a task's work is that of the trace, not of the page",
    );
    await page.waitForFunction(id => location.hash.includes(`strand=${id}`), strand.id);
    await page.waitForFunction(
        task => document.querySelector("#details").textContent.includes(`task${task},`),
        strand.task,
    );
    const text = await page.textContent("#details"),
        other = await open_served(server.url, await page.evaluate(() => location.hash));
    await settle(other, "whole");
    assert.deepEqual(
        await other.evaluate(
            `(() => { const a = window.tptrace.app; return ${of("a.selection.strand")}; })()`,
        ),
        strand,
    );
    await other.waitForFunction(
        want => document.querySelector("#details").textContent === want,
        text,
    );
    await app(page, a => a.zoom(81500, 83000));
    await has(page, 81500, 83000);
    assert.deepEqual(
        await page.evaluate(
            `(() => { const a = window.tptrace.app; return ${of("a.selection.strand")}; })()`,
        ),
        strand,
        "it stays selected, by another number",
    );
    for (const view of ["dag", "scg", "ucc", "why", "tasks"]) {
        await app(page, (a, id) => a.show(id), view);
        const at = 20000 * ["dag", "scg", "ucc", "why", "tasks"].indexOf(view) + 30000;
        await app(page, (a, k) => a.zoom(k, k + 300), at);
        await has(page, at, at + 300);
        assert.ok(await page.isVisible(`[data-view=${view}]`), view);
    }
    assert.deepEqual(page.trouble, []);
    assert.deepEqual(other.trouble, []);
});

test("a file asks for nothing, and a server of a small run has nothing to ask for", async t => {
    assert.ok(readFileSync(join(PAGES, "partial.html"), "utf8").includes("connect-src 'none'"));
    const server = await serve(t, paths.fib3, paths.planted_tail),
        page = await open_served(server.url, "#view=compare");
    assert.deepEqual(await page.evaluate(() => window.tptrace.summary), report("fib3"));
    assert.equal(await page.evaluate(() => window.tptrace.windows ?? null), null);
    assert.equal((await get(new URL("detail?side=0&from=0&to=5", server.url))).status, 400);
    assert.deepEqual(page.trouble, []);
    assert.equal(await server.end(), 0);
});
