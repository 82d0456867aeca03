// SPDX-License-Identifier: MIT
// views.js - all views, in the order of their tabs; the first two stand above.
import { view as parallelism } from "./parallelism.js";
import { view as timelines } from "./timelines.js";
import { view as tasks } from "./tasks.js";
import { view as source } from "./source.js";
import { view as flame } from "./flame.js";
import { view as dag } from "./dag.js";
import { view as profile } from "./table.js";
import { view as scg } from "./scg.js";
import { view as ucc } from "./ucc.js";
import { view as story } from "./story.js";
import { view as why } from "./why.js";

// A tab that leaves all the room to the two above.
const timelines_alone = {
    id: "time",
    title: "Timelines",
    hint: "parallelism and timelines alone, with all of the room",
    above: true,
    mount: () => ({ draw() {}, hit: () => null }),
};

export const views = [
    parallelism,
    timelines,
    story,
    timelines_alone,
    profile,
    dag,
    scg,
    ucc,
    why,
    source,
    tasks,
    flame,
];
