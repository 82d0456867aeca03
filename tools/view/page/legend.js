// SPDX-License-Identifier: MIT
// legend.js - what colours mean, in one line: what has no room in it is behind a button, "+5".
import { button } from "./dom.js";

// The keys in `host`, whenever their entries or their room change.
export function fold_keys(host) {
    const unfold = () => {
            host.classList.toggle("unfolded");
            fold();
        },
        more = button("", unfold, { class: "more-keys" });
    const fold = () => {
        const is_open = host.classList.contains("unfolded");
        let n_out = 0;
        for (const key of host.querySelectorAll(".key"))
            for (const entry of key.children) {
                const is_cut = entry.scrollWidth > entry.clientWidth + 1,
                    is_below = entry.offsetTop > key.firstChild.offsetTop,
                    is_out = !is_open && (is_below || is_cut);
                entry.classList.toggle("out", is_out);
                n_out += Number(is_out);
            }
        more.textContent = is_open ? "one line" : `+${n_out}`;
        more.title = is_open ? "fold the legend" : `${n_out} colours more`;
        more.classList.toggle("out", !is_open && n_out === 0); // its room stays: nothing jumps
        more.setAttribute("aria-expanded", String(is_open));
    };
    const entries = new MutationObserver(fold);
    for (const strip of host.children) entries.observe(strip, { childList: true });
    host.append(more);
    new ResizeObserver(fold).observe(host);
}
