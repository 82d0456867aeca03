// SPDX-License-Identifier: MIT
// findings.js - what the report found; a click goes to the place and the time.
import { lines, plain, sentence, share, time } from "./format.js";
import { el, fill } from "./dom.js";

const OF_ALL = new Set(["loaded", "oversubscribed"]); // of no kind more than of the others
// Which view shows it best; none: the timelines do.
const BEST = { chain: "dag", fine: "tasks", coarse: "tasks" };

/** @param {App} app */
export function choose_finding(app, i) {
    const at = app.meta.findings[i],
        id = app.summary.findings[i].id;
    const has_time = at.to > at.from;
    app.select({
        finding: i,
        kind: (at.site < 0 || at.kind) && !OF_ALL.has(id) ? at.kind : null,
        site: null,
        task: null,
        strand: null,
        worker: null,
        from: has_time ? at.from : null,
        to: has_time ? Math.min(at.to, app.meta.elapsed) : null,
    });
    if (has_time) {
        const air = (at.to - at.from) * 0.15;
        app.zoom(at.from - air, at.to + air);
    } else app.zoom(0, app.meta.elapsed);
    if (BEST[id] && app.has_view(BEST[id])) app.show(BEST[id]);
    app.say(`${at.title}: ${app.summary.findings[i].what}`);
}

/** @param {App} app */
function row(app, finding, i) {
    const at = app.meta.findings[i],
        open = app.selection.finding === i;
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
            el("span", { class: "where" }, el("bdi", {}, plain(finding.where ?? ""))),
        ),
        el(
            "div",
            { class: "more" },
            el("p", { class: open ? null : "short" }, el("bdi", {}, lines(sentence(finding.what)))),
            open
                ? el(
                      "p",
                      { class: "try" },
                      el("b", {}, "try: "),
                      el("bdi", {}, lines(sentence(finding.try))),
                  )
                : null,
        ),
    );
}

/** @param {App} app */
export function mount_findings(app, host) {
    const s = app.summary,
        draw = () => {
            const lost = s.cumulative_ns - s.work_ns;
            fill(
                host,
                el("h2", {}, "Findings"),
                s.findings.length === 0
                    ? el("p", { class: "hint" }, "No known cause took 2 % of the worker time.")
                    : el(
                          "ol",
                          { class: "findings" },
                          s.findings.map((finding, i) => row(app, finding, i)),
                      ),
                el(
                    "p",
                    { class: "rest" },
                    sentence(
                        `${time(s.not_explained_ns)} of ${time(lost)} lost are not explained ` +
                            `(${share(s.not_explained_ns / (lost || 1))})`,
                    ),
                ),
            );
        };
    app.on(news => {
        if (!news.has("selection")) return;
        const focus = [...host.querySelectorAll("button.finding")].indexOf(document.activeElement);
        draw();
        if (focus >= 0) host.querySelectorAll("button.finding")[focus].focus();
    });
    draw();
}
