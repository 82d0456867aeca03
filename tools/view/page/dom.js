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

// more: other attributes.
export function button(text, click, more = {}) {
    return el("button", { type: "button", ...more, on: { click } }, text);
}

// Buttons of which one is pressed.  list: [[id, text, hint], ..]
export function choice(label, list, chosen, choose) {
    const group = el("div", { class: "choice", role: "group", "aria-label": label });
    for (const [id, text, hint] of list)
        group.append(
            button(text, () => choose(id), { "aria-pressed": String(id === chosen), title: hint }),
        );
    return group;
}
