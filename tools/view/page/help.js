// SPDX-License-Identifier: MIT
// help.js - what keys do, and what the words of the page mean.
import { COMPONENTS, MEANING, NAMES } from "./bars.js";
import { el } from "./dom.js";

const KEYS = [
    ["W, S", "zoom in, out"],
    ["A, D, \u2190, \u2192", "left, right"],
    ["F", "zoom to the selection"],
    ["0", "the whole run"],
    ["/", "search; there Enter and Shift + Enter step from hit to hit"],
    ["[, ]", "finding before, after"],
    ["1 .. 9", "the first nine tabs: the finding, the timelines, .."],
    ["Shift + drag", "select time"],
    ["N", "note the selected time, or the pointer's; the link has the notes"],
    ["Wheel", "zoom; with Shift: move"],
    ["Click on a pause", "select its worker and time; Why idle explains it"],
    ["Right click, .", "what can be done with it: show it elsewhere, copy its link"],
    ["X, C, Z", "DAG: open a level, close one, show all"],
    ["R", "DAG: replay; , and . step"],
    ["L", "more room for the view below, or less"],
    ["B", "Why late: go to what delayed the start"],
    ["Esc", "select nothing"],
    ["?", "these keys"],
];
// As DESIGN and tptrace(1) have them.
const WORDS = [
    ["task", "one piece of work that the program hands to its runtime"],
    ["kind", "the code that tasks run: a function, or a line of it"],
    ["site", "the place in the program that creates a task, waits, or locks"],
    ["strand", "what one worker runs of a task without a call of the runtime in between"],
    ["ready", "all that a strand waits for is over; a free worker could run it"],
    ["holder", "the worker on which what a ready strand waited for ended"],
    ["edge", "why a strand could not begin before another ended:"],
    ["create", "it is the first of a task that the other created"],
    ["create-cont", "it goes on behind the creation of a task"],
    ["wait-cont", "it goes on behind a wait that had nothing to wait for"],
    ["join", "it waited for the end of a task"],
    ["depend", "its task needs what the other writes"],
    ["sync", "a lock, a full/empty bit, or an event let it go on"],
    ["steal, migration", "a new, or a waiting, task goes on at another worker"],
    ["collapsed", "many short tasks on one worker, recorded as one with their sums"],
    ["in runtime", "a worker is in a call of the runtime: it creates, waits, or looks for work"],
    ["starved", "a worker has nothing to run"],
    ...COMPONENTS.map(name => [NAMES[name], MEANING[name]]),
    ["work and span", "all work, and the longest chain of strands: no run is shorter than that"],
    ["ready path", "back from the end, each time to what let a strand become ready last"],
    ["greedy schedule", "each strand as early as its predecessors and P workers allow"],
    [
        "Cilkview",
        "a tool whose estimate from work, span and steals a work-stealing runtime reaches",
    ],
];

const list_of = pairs =>
    el(
        "dl",
        {},
        pairs.map(([key, text]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, text)]),
    );

export function mount_help(keys = KEYS) {
    const dialog = el(
        "dialog",
        { "aria-label": "keys and words", class: "help" },
        el("h2", {}, "Keys"),
        list_of(keys),
        el("h2", {}, "Words"),
        list_of(WORDS),
        el("form", { method: "dialog" }, el("button", {}, "close")),
    );
    document.body.append(dialog);
    return () => (dialog.open ? dialog.close() : dialog.showModal());
}
