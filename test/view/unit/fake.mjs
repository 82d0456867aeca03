// SPDX-License-Identifier: MIT
// fake.mjs - small runs for tests, in the columns of tools/view/README.md, made from a task tree.
import { TURNS } from "../../../tools/view/page/data.js";
import { finish } from "../../../tools/view/page/steps.js";

export const at_once =
    fn =>
    (...args) =>
        finish(fn(...args));

export const NONE = 0xffffffff;
export const FLAG = { FIRST: 16, JOINS: 32, EXTRA: 64, COLLAPSED: 128, PATH: 256, NODE: 512 };

// A task: { kind, body }; body: a list of its strands' lengths and of what ends them: { run, make:
// [tasks] } or { run, wait: true }.  One worker runs everything depth-first, in no time but that of
// strands; others may be given by row_of(task number).
export function run_of(tops, row_of = () => 0, n_rows = 1) {
    const strands = [],
        tasks = [];
    let now = 0;
    const emit = (task, run, pred, flags, ended_by) => {
        strands.push({
            task,
            start: now,
            end: (now += run),
            pred,
            releaser: pred,
            flags,
            ended_by,
            row: row_of(task),
        });
        return strands.length - 1;
    };
    const start = (task, parent, pred) => {
        tasks.push({ kind: task.kind ?? 0, parent, created: now, ready: now, begin: now });
        return { number: tasks.length - 1, task, at: 0, pred, joined: false };
    };
    for (const top of tops) {
        const stack = [start(top, NONE, NONE)]; // no recursion: chains are deep
        while (stack.length) {
            const frame = stack.at(-1),
                step = frame.task.body[frame.at];
            if (frame.todo?.length) {
                stack.push(start(frame.todo.shift(), frame.number, frame.creator));
                continue;
            }
            if (!step) {
                tasks[frame.number].end = now;
                stack.pop();
                continue;
            }
            const flags = (frame.at++ === 0 ? FLAG.FIRST : 0) | (frame.joined ? FLAG.JOINS : 0);
            const s = emit(
                frame.number,
                step.run,
                frame.pred,
                flags,
                step.make ? 6 : step.wait ? 8 : 11,
            );
            frame.joined = !!step.wait;
            frame.pred = frame.creator = s;
            frame.todo = step.make ? [...step.make] : null;
        }
    }
    return columns(strands, tasks, n_rows, now);
}

export function columns(strands, tasks, n_rows, elapsed) {
    const column = (Type, rows, name) => Type.from(rows, row => row[name] ?? NONE);
    const of_task = tasks.map(() => []);
    strands.forEach((strand, s) => strand.task !== NONE && of_task[strand.task].push(s));
    const rows = Array.from({ length: n_rows }, () => []);
    strands.forEach((strand, s) => strand.task !== NONE && rows[strand.row].push(s));
    return {
        elapsed,
        n_workers: n_rows,
        rows: rows.map((_, i) => i),
        NONE,
        row_strands: rows.map(list => Uint32Array.from(list)),
        tracer: [],
        strand: {
            turn: new Map(strands.flatMap((s, i) => (s.turn ? [[i, s.turn]] : []))),
            n: strands.length,
            ...Object.fromEntries(
                ["start", "end"].map(name => [name, Float64Array.from(strands, s => s[name] ?? 0)]),
            ),
            ...Object.fromEntries(
                ["task", "pred", "releaser"].map(name => [
                    name,
                    column(Uint32Array, strands, name),
                ]),
            ),
            ...Object.fromEntries(
                ["row", "ended_by", "flags", "edge", "move", "after", "call", "wait"].map(name => [
                    name,
                    Uint16Array.from(
                        strands,
                        s => (s[name] ?? 0) | (name === "flags" && s.turn ? TURNS : 0),
                    ),
                ]),
            ),
        },
        task: {
            n: tasks.length,
            kind: column(Uint32Array, tasks, "kind"),
            parent: column(Uint32Array, tasks, "parent"),
            first: Uint32Array.from(of_task, list => list[0] ?? NONE),
            last: Uint32Array.from(of_task, list => list.at(-1) ?? NONE),
            ...Object.fromEntries(
                ["created", "ready", "begin", "end"].map(name => [
                    name,
                    Float64Array.from(tasks, t => t[name]),
                ]),
            ),
            work: Float64Array.from(of_task, list =>
                list.reduce((sum, s) => sum + strands[s].end - strands[s].start, 0),
            ),
        },
        extra: { from: new Uint32Array(0), to: new Uint32Array(0) },
        collapsed: new Map(),
        waits: [{}, {}],
    };
}

// Random, but the same each time.
export function random(seed) {
    return () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
}

export function fib(n) {
    if (n < 2) return { kind: 1, body: [{ run: 3 }] };
    return {
        kind: 1,
        body: [
            { run: 1, make: [fib(n - 1)] },
            { run: 1, make: [fib(n - 2)] },
            { run: 1, wait: true },
            { run: 2 },
        ],
    };
}

// One task that creates n of the kinds given, in turn, and waits.
export function loop(n, kinds = [1]) {
    const body = Array.from({ length: n }, (_, i) => ({
        run: 1,
        make: [{ kind: kinds[((i * kinds.length) / n) | 0], body: [{ run: 5 }] }],
    }));
    return { kind: 0, body: [...body, { run: 1, wait: true }, { run: 1 }] };
}

// n tasks, each created by the one before.
export function chain(n) {
    let task = { kind: 1, body: [{ run: 1 }] };
    for (let i = 1; i < n; i++)
        task = { kind: 1, body: [{ run: 1, make: [task] }, { run: 1, wait: true }, { run: 1 }] };
    return task;
}

// A random tree of about n tasks.
export function forest(n, next) {
    const task = depth => ({ kind: (next() * 3) | 0, body: body(depth) });
    const body = depth => {
        const steps = [];
        for (let i = (next() * 6) | 0; i-- > 0;) {
            const kind = next();
            if (kind < 0.6 && n > 0 && depth < 12)
                steps.push({
                    run: 1 + ((next() * 9) | 0),
                    make: Array.from(
                        { length: next() < 0.1 ? (1 + next() * 30) | 0 : 1 },
                        () => (n--, task(depth + 1)),
                    ),
                });
            else steps.push({ run: 1 + ((next() * 9) | 0), wait: kind < 0.9 });
        }
        steps.push({ run: 1 + ((next() * 9) | 0) });
        return steps;
    };
    return {
        kind: 0,
        body: Array.from({ length: 4 }, () => ({ run: 1, make: [task(1)] })).concat([
            { run: 1, wait: true },
            { run: 1 },
        ]),
    };
}
