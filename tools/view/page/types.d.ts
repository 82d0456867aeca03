// SPDX-License-Identifier: MIT
// types.d.ts - names of types for JSDoc in any module; not in the page.  Each follows from the code that makes it.
type App = import("./app.js").App;
type Data = import("./data.js").Data;
type Strands = Data["strand"];
type Tasks = Data["task"];
type Canvas = ReturnType<typeof import("./canvas.js").make_canvas>;
type Axis = ReturnType<typeof import("./canvas.js").make_axis>;

interface Window {
    tptrace: any; // for tests, and for whoever looks from the console
}
interface EventTarget {
    // of the page's own nodes
    matches?(selector: string): boolean;
    closest?(selector: string): HTMLElement | null;
    blur?(): void;
}
interface Uint8ArrayConstructor {
    fromBase64?(text: string): Uint8Array<ArrayBuffer>;
}
