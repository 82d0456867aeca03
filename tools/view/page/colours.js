// SPDX-License-Identifier: MIT
// colours.js - one meaning, one colour, in every view: kinds in a categorical palette, components
// in earth, edges in violet and by the style of their lines, paths in hues of their own; told apart
// by the colour-blind [Okabe and Ito 2008; Tol 2021].

const LIGHT = {
    kinds: ["#0072b2", "#009e73", "#56b4e9", "#cc79a7", "#e3c800", "#332288", "#999933", "#882255"],
    others: "#9fb0c0",
    runtime: "#7c7f86",
    blocked: "#d55e00",
    message: "#d55e00", // as all that keeps a task: rows have one bin for it
    device: "#d55e00",
    tracer: "#b9b9c4",
    idle: "#e9ebee",
    no_work: "#d7dade",
    ink: "#1b1f24",
    faint: "#5a636d",
    paper: "#ffffff",
    panel: "#f5f6f8",
    line: "#d3d8de",
    accent: "#0b5cad",
    path: "#d4006a",
    critical: "#5e1fb0",
    binding: "#7a4a00",
    leap: "#c800c8",
    cpu: { run: "#8d99a6", wait: "#b2182b", asleep: "#dfe3e8" },
    components: {
        work: "#37474f",
        delay: "#8c510a",
        no_work_sched: "#d8b365",
        no_work_app: "#c3c9d1",
    },
    edges: {
        create: "#9b96c4",
        create_cont: "#b9b5d6",
        wait_cont: "#dad7ea",
        join: "#6b7280",
        depend: "#6a5fa0",
        sync: "#2f2a4a",
    },
    bounds: {
        measured: "#1b1f24",
        order: "#0b5cad",
        span: "#00796b",
        range: "#6b7d92",
        simulated: "#b3541e",
    },
};
const DARK = {
    kinds: ["#4ba3e3", "#2fc79a", "#8fd0f5", "#e39ac4", "#f0dc4e", "#8f86e8", "#bdbd5c", "#d06a98"],
    others: "#72859a",
    runtime: "#8a8e96",
    blocked: "#f07b1f",
    message: "#f07b1f",
    device: "#f07b1f",
    tracer: "#5b5e6c",
    idle: "#262b32",
    no_work: "#343a42",
    ink: "#e8ebef",
    faint: "#a0aab5",
    paper: "#15181c",
    panel: "#1d2126",
    line: "#363d46",
    accent: "#6db3f8",
    path: "#ff5fa2",
    critical: "#c3a2ff",
    binding: "#e3b778",
    leap: "#ff7dff",
    cpu: { run: "#75818e", wait: "#ef5566", asleep: "#333a43" },
    components: {
        work: "#b0bec5",
        delay: "#c98a3d",
        no_work_sched: "#e8cf96",
        no_work_app: "#59626d",
    },
    edges: {
        create: "#756fa8",
        create_cont: "#6c66a0",
        wait_cont: "#4c4870",
        join: "#8b93a1",
        depend: "#8d86b0",
        sync: "#dcd6ff",
    },
    bounds: {
        measured: "#e8ebef",
        order: "#6db3f8",
        span: "#4fc3b4",
        range: "#93a3b8",
        simulated: "#f0a070",
    },
};

// 0 to 1 from blue over pale yellow to red: grey is the runtime's [RdYlBu, colorbrewer2.org].
function ramp(share) {
    const x = Math.max(0, Math.min(1, share)),
        mix = (a, b, t) => Math.round(a + (b - a) * t);
    const middle = [247, 236, 178],
        from = x < 0.5 ? [38, 102, 187] : middle,
        to = x < 0.5 ? middle : [200, 40, 40];
    const t = x < 0.5 ? 2 * x : 2 * x - 1;
    return `rgb(${mix(from[0], to[0], t)},${mix(from[1], to[1], t)},${mix(from[2], to[2], t)})`;
}

// [r, g, b] of "#rrggbb" or "rgb(..)".
export function parts_of(colour) {
    if (colour[0] !== "#")
        return colour
            .match(/[\d.]+/g)
            .slice(0, 3)
            .map(Number);
    const n = parseInt(colour.slice(1), 16);
    return [(n >> 16) & 255, (n >> 8) & 255, n & 255];
}

function is_light(colour) {
    const [r, g, b] = parts_of(colour);
    return 0.299 * r + 0.587 * g + 0.114 * b > 140;
}

// How a line of each edge is broken [px drawn, px left out, ..]; a dependence is not.
const DASHES = {
    create: [1, 3],
    create_cont: [1, 3],
    wait_cont: [1, 3],
    join: [6, 3],
    depend: [],
    sync: [7, 3, 1, 3],
};

// dark: whether the page is.  leading: kinds that have a colour of their own.
export function colours(dark, leading) {
    const theme = dark ? DARK : LIGHT,
        of_kind = new Map(leading.map((kind, i) => [kind, theme.kinds[i]]));
    return {
        ...theme,
        dark,
        ramp,
        kind: k => of_kind.get(k) ?? theme.others,
        worker: w => theme.kinds[w % theme.kinds.length],
        state: name => (name === "running" ? theme.kinds[0] : theme[name]),
        edge: name => theme.edges[name],
        dash: name => DASHES[name] ?? [],
        text: background => (is_light(background) ? "#14171a" : "#ffffff"),
    };
}
