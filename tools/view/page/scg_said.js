// SPDX-License-Identifier: MIT
// scg_said.js - in words, why the selected strand started when it did; where none is selected, the
// one that lay ready longest.
import { before_made, bound_of } from "./bound.js";
import { fill, link_button } from "./dom.js";
import { EDGES, NONE } from "./kinds.js";
import { outside_of } from "./pixels.js";
import { Work, for_each, stage } from "./steps.js";

// The strand that lay ready longest before it began; NONE.
/** @param {Data} data */
export function* latest_of(data) {
    const { start, task, n } = data.strand;
    let latest = NONE,
        most = 0;
    yield* stage(before_made(data), 0, 0.5);
    const look = s => {
        const waited = task[s] === NONE ? 0 : start[s] - bound_of(data, s).ready;
        if (waited <= most) return;
        most = waited;
        latest = s;
    };
    yield* stage(for_each(n, look), 0.5, 1);
    return latest;
}

const OUTSIDE = {
    message: "it waited for a message until then",
    device: "it waited for a device until then",
    thread: "it is the first of its thread",
};
const UNKNOWN = {
    start: "nothing came before it",
    unknown: "nothing recorded released it",
    left: "the page leaves out strands before it",
};

// Where it is not known to have been ready before it began: why.
/** @param {Data} data */
export function no_wait_said(data, s, by) {
    return UNKNOWN[by] ?? (by === "outside" ? OUTSIDE[outside_of(data, s)] : null);
}

// What bound it; link(strand) -> its name.
/** @param {App} app */
export function words_of(app, s, link) {
    const { data, format } = app,
        { by, cause, ready, waited, latency } = bound_of(data, s),
        { row, start, edge } = data.strand,
        worker = of => `worker ${data.rows[row[of]]}`,
        rest = latency > 0 ? `, and the runtime took ${format.time(latency)}` : "";
    const began = `began at ${format.time(start[s])} on ${worker(s)}`;
    const no_wait = no_wait_said(data, s, by);
    if (no_wait) return [link(s), ` ${began}: ${no_wait}`];
    if (by === "application") {
        const what = (EDGES[edge[s]] ?? "edge").replace("_", "-");
        return [
            ...[link(s), ` ${began}: its worker had waited ${format.time(waited)} for `],
            ...[link(cause), ` on ${worker(cause)}, which let it go (${what})${rest}`],
        ];
    }
    return [
        ...[link(s), ` ${began}: ready since ${format.time(ready)}, it waited `],
        `${format.time(waited)} until ${worker(s)} had done `,
        ...[link(cause), rest],
    ];
}

export class Said {
    /** @param {App} app */
    constructor(app, node) {
        this.app = app;
        this.node = node;
        this.work = new Work(node);
        // nothing of the table behind the view changes with it
        node.addEventListener("computed", event => event.stopPropagation());
        this.latest = null;
        this.follow();
    }

    follow() {
        const { strand, task } = this.app.selection,
            chosen = strand ?? (task === null ? NONE : this.app.data.task.first[task]);
        this.work.start(this.find(chosen), s => this.show(s, chosen));
    }

    *find(chosen) {
        if (chosen !== NONE) return chosen;
        return (this.latest ??= yield* latest_of(this.app.data));
    }

    link(s) {
        const { data, format } = this.app,
            name = format.place(data.kinds[data.task.kind[data.strand.task[s]]]);
        return link_button(name, () => this.app.select({ strand: s, task: data.strand.task[s] }));
    }

    show(s, chosen) {
        if (s === NONE) return fill(this.node);
        fill(
            this.node,
            chosen === NONE ? "Longest ready: " : null,
            words_of(this.app, s, of => this.link(of)),
            ".",
        );
    }
}
