// SPDX-License-Identifier: MIT
// shot.mjs FRAGMENT OUT.png PAGE.html [WIDTH HEIGHT dark|light|print] - a picture of a page, to be looked at.
import { resolve } from "node:path";
import { open_browser, open_page } from "./browser.mjs";

const [fragment, out, file, width = "1440", height = "900", look = "light"] = process.argv.slice(2);
const browser = await open_browser();
const page = await open_page(browser, resolve(file) + fragment, { viewport: { width: Number(width), height: Number(height) },
    colorScheme: look === "dark" ? "dark" : "light" });
if (look === "print") await page.emulateMedia({ media: "print" });
await page.waitForTimeout(400);
await page.screenshot({ path: out });
console.log(JSON.stringify(await page.evaluate(() => window.tptrace.timing)), ...page.trouble);
await browser.close();
