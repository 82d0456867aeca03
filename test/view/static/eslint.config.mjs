// SPDX-License-Identifier: MIT
// eslint.config.mjs - what the page's JavaScript and its tests are held to, beside types and
// layout.
import js from "@eslint/js";

const names = list => Object.fromEntries(list.split(" ").map(name => [name, "readonly"]));
const BROWSER = names(
    "window document location history navigator matchMedia devicePixelRatio Worker Blob URL " +
        "Image " +
        "requestAnimationFrame cancelAnimationFrame setTimeout clearTimeout performance atob " +
        "fetch " +
        "getComputedStyle ResizeObserver MutationObserver DecompressionStream Response " +
        "innerWidth " +
        "innerHeight self postMessage addEventListener ImageData OffscreenCanvas Path2D console " +
        "DOMParser requestIdleCallback setImmediate scrollY CanvasRenderingContext2D " +
        "getSelection MessageChannel CustomEvent Node HTMLElement TextDecoder URLSearchParams",
);
const NODE = names("process console Buffer URL setTimeout clearTimeout fetch performance");

export default [
    js.configs.recommended,
    { files: ["tools/view/page/*.js"], languageOptions: { globals: BROWSER } },
    { files: ["test/view/**"], languageOptions: { globals: { ...NODE, ...BROWSER } } },
    {
        rules: {
            eqeqeq: "error",
            "max-depth": ["error", 5],
            "max-lines-per-function": ["error", 60],
            "no-implicit-globals": "error",
            "no-shadow": "error",
            "no-var": "error",
            "prefer-const": ["error", { destructuring: "all" }],
        },
    },
];
