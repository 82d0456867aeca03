// SPDX-License-Identifier: MIT
// notes.js - a reader's words on an instant or a stretch of time: on the rulers, in a list, and in
// the link, which is the only place that keeps them.
import { button, el, fill, link_button } from "./dom.js";
import { time } from "./format.js";

const NOTES_MOST = 50, // a link that mails take
    LETTERS_MOST = 200;

/** @typedef {{ from: number, to: number | null, text: string }} Note  to: null of an instant */

const one_line = text => [...text.replace(/\s/g, " ")].slice(0, LETTERS_MOST).join("");

// A note is a line: FROM[-TO] and its text.
/** @param {Note[]} notes */
export const text_of_notes = notes =>
    notes
        .map(({ from, to, text }) => `${from}${to === null ? "" : `-${to}`} ${one_line(text)}`)
        .join("\n");

// What is no note of a run of that length is left out.
/** @returns {Note[]} */
export function notes_of_text(text, extent) {
    const list = [];
    for (const line of text.split("\n").slice(0, NOTES_MOST)) {
        const [, from, to, words] = /^(\d+)(?:-(\d+))? (.*)$/.exec(line) ?? [],
            note = { from: Number(from), to: to === undefined ? null : Number(to) };
        if (from !== undefined && note.from <= extent && is_stretch(note, extent))
            list.push({ ...note, text: one_line(words) });
    }
    return in_order(list);
}

const is_stretch = ({ from, to }, extent) => to === null || (to > from && to <= extent);
const in_order = list => list.sort((a, b) => a.from - b.from || (a.to ?? 0) - (b.to ?? 0));

// The time of what is selected; null: none is.
/** @param {App} app */
export function selected_time({ selection, data }) {
    const { from, to, strand, task } = selection,
        of = strand !== null ? [data?.strand.start, data?.strand.end, strand] : null,
        [begin, end, i] = of ?? [data?.task.begin, data?.task.end, task];
    if (from !== null) return { from, to };
    return i !== null && end?.[i] > begin[i] ? { from: begin[i], to: end[i] } : null;
}

// Where the pointer is on an axis of time; null: on none.
/** @param {App} app */
export const pointed_instant = ({ hover }) =>
    hover.from === null ? null : { from: Math.max(0, Math.floor(hover.from)), to: null };

const time_of = ({ from, to }) => (to === null ? time(from) : `${time(from)} to ${time(to)}`);

class Notes {
    /** @param {App} app */
    constructor(app, host) {
        this.app = app;
        this.host = host;
        app.link.keep(
            "notes",
            () => text_of_notes(app.notes),
            text => {
                if (text === text_of_notes(app.notes)) return; // a field may have the focus
                app.notes = notes_of_text(text, app.extent);
                this.draw();
            },
        );
        app.note = at => this.add(at ?? selected_time(app) ?? pointed_instant(app));
        this.draw();
    }

    add(at) {
        const { app } = this;
        if (!at) return app.say("nothing to note: select a time, or point at one");
        if (app.notes.length >= NOTES_MOST)
            return app.say(`a link has at most ${NOTES_MOST} notes`);
        const note = { ...at, text: "" };
        app.notes = in_order([...app.notes, note]);
        this.draw();
        this.host.querySelectorAll("input")[app.notes.indexOf(note)].focus();
    }

    remove(note) {
        this.app.notes = this.app.notes.filter(other => other !== note);
        this.draw();
    }

    go_to({ from, to }) {
        const { app } = this,
            air = (to - from) * 0.15;
        if (to === null) {
            const half = (app.time.to - app.time.from) / 2;
            return app.zoom(from - half, from + half);
        }
        app.select_time(from, to);
        app.zoom(from - air, to + air);
    }

    item(note, i) {
        const at = time_of(note),
            field = el("input", {
                type: "text",
                maxlength: LETTERS_MOST,
                placeholder: "what is there",
                "aria-label": `note ${i + 1}, ${at}`,
                on: {
                    input: () => {
                        note.text = one_line(field.value);
                        this.app.dirty();
                    },
                    keydown: event => {
                        if (event.key === "Enter") field.blur();
                    },
                },
            });
        field.value = note.text;
        return el(
            "li",
            {},
            link_button(`${i + 1}: ${at}`, () => this.go_to(note)),
            button("\u00d7", () => this.remove(note), { "aria-label": `remove note ${i + 1}` }),
            field,
        );
    }

    draw() {
        const { notes } = this.app;
        this.host.hidden = notes.length === 0;
        fill(
            this.host,
            el("h2", {}, "Notes"),
            el(
                "ol",
                { class: "notes" },
                notes.map((note, i) => this.item(note, i)),
            ),
            el("p", { class: "sum" }, "The link of this page has them; no other place does."),
        );
        this.app.dirty();
    }
}

/** @param {App} app */
export function mount_notes(app, host) {
    new Notes(app, host);
}
