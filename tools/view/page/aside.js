// SPDX-License-Identifier: MIT
// aside.js - reads the columns in a Worker that the page's own script makes, so that the page draws
// and answers meanwhile: from the first column on, while the browser still reads the others.
import { numbers_of } from "./codec.js";
import { PATH, data_of_run, names_of_columns, read_data } from "./data.js";
import { Integral } from "./levels.js";
import { earliest_ready } from "./pixels.js";
import { tree_facts } from "./dag_tree.js";
import { finish } from "./steps.js";

// Buffers in it, which go from one thread to the other.
function buffers_of(part, found = new Set()) {
    if (ArrayBuffer.isView(part)) found.add(part.buffer);
    else if (part !== null && typeof part === "object" && !(part instanceof Map))
        for (const each of Object.values(part)) buffers_of(each, found);
    return found;
}

// ---- in the Worker ----

async function answer(meta, columns) {
    const data = await read_data(
        meta,
        name => columns[name],
        async () => {},
    );
    earliest_ready(data);
    const { sums } = finish(tree_facts(data, PATH));
    delete sums.data; // of which it is
    delete sums.order;
    for (const known of Object.keys(data_of_run(meta))) delete data[known];
    postMessage({ data }, { transfer: [...buffers_of(data)] });
}

// First comes `meta`, then each column, which is unpacked at once.
export function serve_aside() {
    const columns = {};
    let meta = null,
        missing = null;
    addEventListener("message", ({ data }) => {
        if (data.meta) {
            ({ meta } = data);
            missing = new Set(names_of_columns(meta));
            return;
        }
        columns[data.name] = numbers_of(data.text);
        columns[data.name].catch(() => {}); // answer() hears of it
        missing.delete(data.name);
        if (missing.size === 0)
            answer(meta, columns).catch(error => postMessage({ error: error.message }));
    });
}

// ---- in the page ----

function revive(integral) {
    return Object.setPrototypeOf(integral, Integral.prototype);
}

function take(meta, got) {
    const data = Object.assign(data_of_run(meta), got),
        { levels } = data;
    for (const list of [...levels.rows, levels.ready, levels.components]) list.forEach(revive);
    Object.assign(data.facts.sums, { data, order: data.order });
    return data;
}

// The reading of one run: begins when it is made, takes columns as they come.
export class Aside {
    // script: of the page
    constructor(script, meta) {
        this.meta = meta;
        this.missing = new Set(names_of_columns(meta));
        this.texts = {};
        this.answer = this.begin(script).catch(() => null); // the browser lets no Worker begin here
    }

    begin(script) {
        return new Promise((done, fail) => {
            const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
            this.end = () => {
                this.worker?.terminate();
                URL.revokeObjectURL(url);
            };
            this.worker = new Worker(url);
            this.worker.onmessage = event => done(event.data);
            this.worker.onerror = () => fail(new Error("no Worker"));
            this.worker.postMessage({ meta: this.meta });
        });
    }

    give(name, text) {
        this.texts[name] = text;
        this.missing.delete(name);
        this.worker?.postMessage({ name, text });
    }

    // Once all columns were given.  Where there is no Worker, in slices.
    async read(slice) {
        const { meta, texts } = this,
            got = await this.answer;
        this.end();
        if (!got) {
            const data = await read_data(meta, name => numbers_of(texts[name]), slice);
            for (const work = tree_facts(data, PATH); !work.next().done;) await slice();
            return data;
        }
        if (got.error) throw new Error(got.error);
        return take(meta, got.data);
    }
}

// Of a run whose columns are all there.  texts: function of a column's name that gives its base64.
export function read_aside(script, meta, texts, slice) {
    const aside = new Aside(script, meta);
    for (const name of [...aside.missing]) aside.give(name, texts(name));
    return aside.read(slice);
}
