// SPDX-License-Identifier: MIT
// mouse.mjs - what a hand does with a mouse, in any browser's `page`.

/** From [x, y] to [x, y], in so many steps. */
export async function drag(page, from, to, steps = 1) {
    await page.mouse.move(...from);
    await page.mouse.down();
    await page.mouse.move(...to, { steps });
    await page.mouse.up();
}
