// SPDX-License-Identifier: MIT
// sums.mjs - that what a page lists adds up to what the report says.
import assert from "node:assert/strict";
import { PATH } from "../../tools/view/page/data.js";
import { sums_build, sums_of } from "../../tools/view/page/dag_sums.js";
import { tree_build, tree_sum } from "../../tools/view/page/dag_tree.js";
import { EXTRA, JOINS } from "../../tools/view/page/kinds.js";
import { finish } from "../../tools/view/page/steps.js";

const added = (sums, key, row) => {
    const of = (sums[key] ??= {
        times: 0,
        ...Object.fromEntries(Object.keys(row).map(k => [k, 0])),
    });
    of.times++;
    for (const name of Object.keys(row)) of[name] += row[name];
};

// Operations by device and name, and uses of data by kind and access, are the report's; how many
// devices there are.
export function check_operations({ data, summary }) {
    const sums = {},
        uses = {},
        key_of = (...parts) => parts.join(" ");
    for (const { device, n, site, begin, end, bytes } of data.operations)
        for (let i = 0; i < n; i++)
            added(sums, key_of(device, data.meta.operations[site[i]].name), {
                busy_ns: end[i] - begin[i],
                bytes: bytes[i],
            });
    for (let t = 0; t < data.task.n; t++)
        for (let i = data.uses.first[t]; i < data.uses.first[t + 1]; i++) {
            const { access, node, bytes } = data.uses,
                { name } = data.kinds[data.task.kind[t]];
            added(uses, key_of(name, access[i], node[i] - 1), { bytes: bytes[i] });
        }
    const accesses = ["unknown", "read", "write", "unordered"],
        of = (rows, key, names) =>
            Object.fromEntries(
                (rows ?? []).map(row => [
                    key(row),
                    Object.fromEntries(["times", ...names].map(name => [name, row[name]])),
                ]),
            );
    assert.deepEqual(
        sums,
        of(summary.operations, ({ device, name }) => key_of(device, name ?? "?"), [
            "busy_ns",
            "bytes",
        ]),
    );
    assert.deepEqual(
        uses,
        of(
            summary.data,
            ({ name, access, node }) => key_of(name, accesses.indexOf(access), node ?? -1),
            ["bytes"],
        ),
    );
    return data.operations.length;
}

// What a page keeps and what it leaves out is all, at the root of its tree.
export function check_left({ data, summary, meta }) {
    const tree = tree_build(data, { joins: JOINS, extra: EXTRA, path: PATH }),
        all = tree_sum(tree, tree.root),
        kept = finish(sums_build({ ...data, left: null }, tree.order)),
        own = sums_of(kept, 0, tree.order.n);
    assert.deepEqual([all.tasks, all.work], [summary.tasks, summary.work_ns]);
    assert.deepEqual([own.tasks, own.work], [all.tasks - all.left_tasks, all.work - all.left_work]);
    assert.ok(all.left_tasks > 0 && all.strands === meta.strands);
}
