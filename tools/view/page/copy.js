// SPDX-License-Identifier: MIT
// copy.js - takes text out of the page: to the clipboard, or as a file.
import { el } from "./dom.js";

// Where the browser has no clipboard for this page, the text is shown, to be copied by hand.
/** @param {App} app */
export async function copy(app, what, text) {
    try {
        await navigator.clipboard.writeText(text);
        app.say(`copied ${what}`);
    } catch {
        const field = el("textarea", { readonly: true, rows: "4", "aria-label": what }),
            dialog = el(
                "dialog",
                { class: "copied", "aria-label": what },
                el("h2", {}, what),
                field,
                el("form", { method: "dialog" }, el("button", {}, "close")),
            );
        field.value = text;
        dialog.addEventListener("close", () => dialog.remove());
        document.body.append(dialog);
        dialog.showModal();
        field.select();
    }
}

// A cell of CSV [RFC 4180]; what a spreadsheet takes for a formula is text.
function cell(value) {
    const text = String(value ?? ""),
        safe = /^[=+\-@\t\r]/.test(text) && typeof value !== "number" ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}

export const csv_row = cells => cells.map(cell).join(",") + "\r\n";

export function save(name, text) {
    const url = URL.createObjectURL(new Blob([text], { type: "text/csv" })),
        link = el("a", { href: url, download: name });
    document.body.append(link); // Firefox wants it there
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
}

// A table as it stands: its cells apart by tabs.
export const text_of_table = table =>
    [...table.rows]
        .map(row => [...row.cells].map(each => each.textContent.trim()).join("\t"))
        .join("\n");
