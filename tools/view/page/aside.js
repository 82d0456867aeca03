// SPDX-License-Identifier: MIT
// aside.js - reads the columns in a Worker that the page's own script makes, so that the page draws and answers meanwhile.
import { PATH, data_of_run, names_of_columns, read_data } from "./data.js";
import { Integral } from "./levels.js";
import { earliest_ready } from "./pixels.js";
import { tree_facts } from "./dag_tree.js";

// Buffers in it, which go from one thread to the other.
function buffers_of(part, found = new Set()) {
    if (ArrayBuffer.isView(part)) found.add(part.buffer);
    else if (part !== null && typeof part === "object" && !(part instanceof Map)) for (const each of Object.values(part)) buffers_of(each, found);
    return found;
}

// ---- in the Worker ----

async function answer({ meta, texts }) {
    const data = await read_data(meta, name => texts[name], async () => {});
    earliest_ready(data);
    const { sums } = tree_facts(data, PATH);
    delete sums.data; // of which it is
    delete sums.order;
    for (const known of Object.keys(data_of_run(meta))) delete data[known];
    postMessage({ data }, [...buffers_of(data)]);
}

export function serve_aside() {
    addEventListener("message", event => answer(event.data).catch(error => postMessage({ error: error.message })));
}

// ---- in the page ----

function revive(integral) {
    return Object.setPrototypeOf(integral, Integral.prototype);
}

function take(meta, got) {
    const data = Object.assign(data_of_run(meta), got), { levels } = data;
    for (const list of [...levels.rows, levels.ready, levels.components]) list.forEach(revive);
    Object.assign(data.facts.sums, { data, order: data.order });
    return data;
}

function ask(script, message) {
    const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" })), worker = new Worker(url);
    return new Promise((done, fail) => {
        worker.onmessage = event => done(event.data);
        worker.onerror = () => fail(new Error("no Worker"));
        worker.postMessage(message);
    }).finally(() => {
        worker.terminate();
        URL.revokeObjectURL(url);
    });
}

// As read_data().  script: of the page.  Where there is no Worker, in slices.
export async function read_aside(script, meta, texts, slice) {
    const all = Object.fromEntries(names_of_columns(meta).map(name => [name, texts(name)]));
    let got = null;
    try { got = await ask(script, { meta, texts: all }); } catch { /* the browser lets none begin here */ }
    if (!got) return read_data(meta, name => all[name], slice);
    if (got.error) throw new Error(got.error);
    return take(meta, got.data);
}
