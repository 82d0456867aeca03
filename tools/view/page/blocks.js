// SPDX-License-Identifier: MIT
// blocks.js - the page's blocks of data.  Those of the first run stand by themselves, those of each
// other one in an element.

// [{ label, elapsed }, ..] of a page of several runs; [] of one.
export function read_sides() {
    const node = document.getElementById("sides");
    return node ? JSON.parse(node.textContent) : [];
}

// A page of a job has it; its processes are runs 1, 2, .., as far as their pages are in it.
export function has_job() {
    return document.getElementById("job") !== null;
}

let job = null; // of thousands of processes it takes long to read

export function read_job() {
    return (job ??= JSON.parse(document.getElementById("job").textContent));
}

// How many runs the fragment may ask for.
function n_runs() {
    return has_job() ? read_job().processes.length + 1 : read_sides().length;
}

// The run that the fragment asks for; how many there are takes long to know, of a job.
export function side_of(hash, runs = n_runs) {
    const found = /(?:^#|&)trace=(\d+)(?:&|$)/.exec(hash),
        side = found ? Number(found[1]) : 0;
    return side && side < runs() ? side : 0;
}

export function read_json(side, name) {
    const node = side
        ? document.querySelector(`#side-${side} > [data-block="${name}"]`)
        : document.getElementById(name);
    return JSON.parse(node.textContent);
}

function column_node(side, name) {
    return document.querySelector(
        `${side ? `#side-${side}` : "body"} > script[data-column="${name}"]`,
    );
}

// Whether a column was read to its end: the browser has come to what is behind it.
export function has_column(side, name) {
    return Boolean(column_node(side, name)?.nextSibling);
}

// Base64; the second time, "".
export function take_column(side, name) {
    const node = column_node(side, name),
        text = node ? node.textContent : "";
    if (node) node.remove();
    return text;
}

// All strands of a stretch of time, from where the page was read: { own, texts }; own: its "meta".
// Throws what is wrong.
export async function ask_window(side, from, to) {
    const answer = await fetch(`detail?side=${side}&from=${Math.floor(from)}&to=${Math.ceil(to)}`, {
        cache: "no-store",
    });
    if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
    const blocks = new DOMParser().parseFromString(await answer.text(), "text/html");
    return {
        own: JSON.parse(blocks.getElementById("meta").textContent),
        texts: name => blocks.querySelector(`script[data-column="${name}"]`)?.textContent ?? "",
    };
}
