// SPDX-License-Identifier: MIT
// views.js - all views, in the order of their tabs; the first two stand above.
import { view as parallelism } from "./parallelism.js";
import { view as timelines } from "./timelines.js";
import { view as tasks } from "./tasks.js";
import { view as source } from "./source.js";
import { view as dag } from "./dag.js";
import { view as scg } from "./scg.js";
import { view as ucc } from "./ucc.js";
import { view as why } from "./why.js";

export const views = [parallelism, timelines, dag, scg, ucc, why, source, tasks];
