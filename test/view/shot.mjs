// SPDX-License-Identifier: MIT
// shot.mjs FRAGMENT OUT PAGE [WIDTH HEIGHT dark|light|print SCALE PART] - a picture of a page, or
// of what a selector names in it.
import { resolve } from "node:path";
import { open_browser, open_page } from "./browser.mjs";

const [fragment, out, file, wide = "1440", high = "900", look = "light", scale = "1", part] =
    process.argv.slice(2);
const browser = await open_browser(),
    width = Number(wide);
const page = await open_page(browser, resolve(file) + fragment, {
    viewport: { width, height: Number(high) },
    deviceScaleFactor: Number(scale),
    colorScheme: look === "dark" ? "dark" : "light",
});
if (look === "print") await page.emulateMedia({ media: "print" });
await page.waitForTimeout(400);
await (part ? page.locator(part) : page).screenshot({ path: out });
console.log(JSON.stringify(await page.evaluate(() => window.tptrace.timing)), ...page.trouble);
await browser.close();
