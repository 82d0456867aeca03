// SPDX-License-Identifier: MIT
// dom.js - elements.  Text is text: nothing here takes markup.
import { brief } from "./format.js";

// el("td", { class: "number", on: { click } }, "12", el("b", {}, "x"))
export function el(tag, attributes = {}, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (name === "on")
            for (const [event, heard] of Object.entries(value ?? {}))
                node.addEventListener(event, heard);
        else if (value === true) node.setAttribute(name, "");
        else if (value !== false && value !== null && value !== undefined)
            node.setAttribute(name, value);
    }
    node.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined));
    return node;
}

// A name from a trace: may be of any script, and turns nothing around it.
export function name_of(text) {
    return el("bdi", {}, text);
}

// Text in which no option of a command, such as --what-if, is broken in two.
export function unbroken(text) {
    return text
        .split(/(?<![\w-])(--[a-z][a-z-]*)/)
        .map((part, i) => (i % 2 ? el("span", { class: "option" }, part) : part));
}

export function fill(node, ...children) {
    node.replaceChildren(
        ...children.flat(Infinity).filter(child => child !== null && child !== undefined),
    );
    return node;
}

// The same with a table that is made anew: the button in a column's head that had the focus has it
// again.
export function refill(node, ...children) {
    const column = node.querySelector("thead th:focus-within")?.cellIndex;
    fill(node, ...children);
    if (column !== undefined)
        node.querySelectorAll("thead th")[column]?.querySelector("button")?.focus();
}

// A small square of that colour, as keys have it.
export function swatch(colour, hatched) {
    const node = el("span", {
        class: hatched ? "swatch hatched" : "swatch",
        "aria-hidden": "true",
    });
    node.style.backgroundColor = colour;
    return node;
}

// The name beside a swatch; the whole of it is its title.
export function key_name(text) {
    return el("bdi", { title: text }, brief(text));
}

// What colours mean.  list: [[text, colour], ..]
export function keys(list) {
    return el(
        "ul",
        { class: "key" },
        list.map(([text, colour, title]) => el("li", { title }, swatch(colour), text)),
    );
}

// A row of column heads, and what they have in common.
export const head_of = (texts, more = {}) =>
    el(
        "thead",
        {},
        el(
            "tr",
            {},
            texts.map(text => el("th", { scope: "col", ...more }, text)),
        ),
    );

// more: other attributes.
export function button(text, click, more = {}) {
    return el("button", { type: "button", ...more, on: { click } }, text);
}

// What scrolls, by keys too.
export const region = (label, ...children) =>
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, ...children);

// Controls behind a button; open where those were that were there before.
export const options_in = (bar, text, title, ...boxes) =>
    el(
        "details",
        { class: "options", open: bar.querySelector("details")?.open },
        el("summary", { title }, text),
        el("div", { class: "boxes" }, boxes),
    );

// Attributes of a row that a click chooses, and Enter; none where `choose` is null.
export const chosen_by = choose =>
    choose && {
        class: "can",
        tabindex: "0",
        on: { click: choose, keydown: ({ key }) => key === "Enter" && choose() },
    };

// A button that looks like a link.
export const link_button = (text, click) => button(text, click, { class: "link" });

// Buttons that belong together.
export const group = (label, ...children) =>
    el("div", { class: "choice", role: "group", "aria-label": label }, children);

// Of which one is pressed.  list: [[id, text, hint], ..]
export const choice = (label, list, chosen, choose) =>
    group(
        label,
        list.map(([id, text, title]) =>
            button(text, () => choose(id), { "aria-pressed": String(id === chosen), title }),
        ),
    );

// Of which one is chosen, in a list that opens.  list: as of choice(), by texts
export const choice_in_list = (label, list, chosen, choose) =>
    el(
        "select",
        { "aria-label": label, on: { change: event => choose(event.target.value) } },
        list.map(([value, text, title]) =>
            el("option", { value, title, selected: value === chosen }, text),
        ),
    );

// A box to tick, with its colour if it has one.
export const box = (text, checked, change, colour, title) =>
    el(
        "label",
        { title },
        el("input", { type: "checkbox", checked, on: { change } }),
        colour ? swatch(colour) : null,
        text,
    );

// One that puts `id` into a set, and takes it out.
/** @param {App} app */
export function box_of(app, set, id, text, colour, title = null) {
    const change = event => {
        set[event.target.checked ? "add" : "delete"](id);
        app.dirty();
    };
    return box(text, set.has(id), change, colour, title);
}
