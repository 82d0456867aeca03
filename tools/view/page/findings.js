// SPDX-License-Identifier: MIT
// findings.js - what the report found; a click goes to the place and the time.
import { lines, plain, sentence, share, time } from "./format.js";
import { button, el, fill, region, unbroken } from "./dom.js";

// Which view shows it best; none: the timelines do.
const STORY = "story", // which shows the run from end to end,
    SEEN_LEAST = 0.02; // but for a stretch that is no wider there than a letter
const BEST = { chain: "dag", fine: "tasks", coarse: "tasks" };

/** @param {App} app */
const is_story = ({ shown, sides }) => shown === STORY || (shown === null && !sides.length);

/** @param {App} app */
export function choose_finding(app, i) {
    const at = app.meta.findings[i],
        { id } = app.summary.findings[i];
    const has_time = at.to > at.from;
    app.choose({
        finding: i,
        kind: (at.site < 0 || at.kind) && !at.of_machine ? at.kind : null,
        from: has_time ? at.from : null,
        to: has_time ? Math.min(at.to, app.meta.elapsed) : null,
    });
    const told = is_story(app),
        whole = told && at.to - at.from > SEEN_LEAST * app.extent;
    if (has_time && !whole) {
        const air = (at.to - at.from) * 0.15;
        app.zoom(at.from - air, at.to + air);
    } else app.zoom(0, app.extent);
    if (BEST[id] && !told && app.has_view(BEST[id])) app.show(BEST[id]);
    app.say(`${at.title}: ${app.summary.findings[i].what}`);
}

// The next finding, or the one before; round and round.
/** @param {App} app */
export function step_finding(app, step) {
    const n = app.meta.findings.length;
    if (n) choose_finding(app, ((app.selection.finding ?? (step > 0 ? -1 : n)) + step + n) % n);
}

// "1.08 s instead of 17.8 s at best"; null: no shorter.
export const shorter = (elapsed, gain) =>
    gain > 0 ? `${time(elapsed - gain)} instead of ${time(elapsed)} at best` : null;

const words_of = text => unbroken(lines(sentence(text)));

export const told_region = () => Object.assign(region("the finding"), { className: "told" });

// Finding i in words: what was seen, and beside it what to do.  Both: [[name, text], ..].
/** @param {App} app */
export function fill_told(app, host, i, headline, seen, cure) {
    const n = app.meta.findings.length,
        pair = ([name, text]) =>
            el("div", {}, el("dt", {}, name), el("dd", {}, el("bdi", {}, words_of(text)))),
        step = (text, by, title) => button(text, () => step_finding(app, by), { title });
    const steps = [
        el("span", { class: "hint" }, `${i + 1} of ${n}`),
        step("before", -1, "the finding before ([)"),
        step("next", 1, "the next finding (])"),
    ];
    fill(
        host,
        el(
            "div",
            { class: "head" },
            el("h2", { class: "headline" }, headline),
            n > 1 ? el("span", { class: "steps" }, steps) : null,
        ),
        el(
            "div",
            { class: "halves" },
            [seen, cure].map(list => el("dl", {}, list.map(pair))),
        ),
    );
}

/** @param {App} app */
function row(app, finding, i) {
    const at = app.meta.findings[i],
        where = at.of_machine ? "" : finding.where, // that is no line's fault
        open = app.selection.finding === i,
        is_told = is_story(app);
    return el(
        "li",
        {},
        el(
            "button",
            {
                type: "button",
                class: "finding",
                "aria-expanded": String(open),
                on: { click: () => (open ? app.clear() : choose_finding(app, i)) },
            },
            el("span", { class: "lost" }, time(finding.lost_ns)),
            el("span", { class: "name" }, at.title),
            el("span", { class: "where" }, el("bdi", {}, plain(where ?? ""))),
        ),
        is_told
            ? null
            : el(
                  "div",
                  { class: "more" },
                  el("p", { class: open ? null : "short" }, el("bdi", {}, words_of(finding.what))),
                  open
                      ? el(
                            "p",
                            { class: "try" },
                            el("b", {}, "try: "),
                            el("bdi", {}, words_of(finding.try)),
                        )
                      : null,
              ),
    );
}

// How the findings' sum compares with what is lost: a cause may lie inside work, which is no loss
// by the clock.
export function rest_said(summary) {
    const { findings, cumulative_ns, work_ns, not_explained_ns } = summary,
        idle = cumulative_ns - work_ns,
        in_work = findings.reduce((sum, of) => sum + (of.in_work_ns ?? 0), 0);
    const rest =
        `${time(not_explained_ns)} (${share(not_explained_ns / (idle || 1))}) of the ` +
        `${time(idle)} in which workers did not work are not explained`;
    return in_work > 0
        ? `${time(in_work)} of the findings are inside work: tasks took longer; ${rest}`
        : rest;
}

const NO_FINDING = "No known cause took 2 % of the worker time.";

/** @param {App} app */
export function mount_findings(app, host) {
    const s = app.summary,
        draw = () => {
            fill(
                host,
                el("h2", {}, app.letter ? `Findings of ${app.letter}` : "Findings"),
                s.findings.length === 0
                    ? el("p", { class: "hint" }, app.meta.no_finding ?? NO_FINDING)
                    : el(
                          "ol",
                          { class: "findings" },
                          s.findings.map((finding, i) => row(app, finding, i)),
                      ),
                s.not_explained_ns === undefined // of a job
                    ? null
                    : el("p", { class: "rest" }, sentence(rest_said(s))),
            );
        };
    app.on(news => {
        if (!news.has("selection") && !news.has("tab")) return;
        const focus = [...host.querySelectorAll("button.finding")].indexOf(document.activeElement);
        draw();
        if (focus >= 0) host.querySelectorAll("button.finding")[focus].focus();
    });
    draw();
}
