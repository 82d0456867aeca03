// SPDX-License-Identifier: MIT
// pages.mjs - what a page holds, read without a browser by the page's own modules.
import { readFileSync } from "node:fs";
import { numbers_of } from "../../tools/view/page/codec.js";
import { read_data } from "../../tools/view/page/data.js";

function block(html, tag) {
    const begin = html.indexOf(tag);
    if (begin < 0) throw new Error(`the page has no ${tag}`);
    return html.slice(begin + tag.length, html.indexOf("</script>", begin));
}

export async function read_page(path) {
    const html = readFileSync(path, "utf8"),
        json = id => JSON.parse(block(html, `<script type="application/json" id="${id}">`));
    const meta = json("meta"),
        texts = name =>
            block(html, `<script type="application/octet-stream" data-column="${name}">`);
    return {
        html,
        meta,
        summary: json("summary"),
        bounds: json("bounds").bounds,
        cures: json("cures"),
        column: name => numbers_of(texts(name)),
        data: await read_data(
            meta,
            name => numbers_of(texts(name)),
            async () => {},
        ),
    };
}
