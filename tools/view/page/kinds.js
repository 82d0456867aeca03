// SPDX-License-Identifier: MIT
// kinds.js - numbers and words of trace and DAG, as `make bless-kinds` writes them.
export const NONE = 0xffffffff;
// flags of a strand, behind the event that ended it
export const ENDED_BY = 15;
export const FIRST = 16;
export const JOINS = 32;
export const EXTRA = 64;
export const COLLAPSED = 128;
export const EVENT = {
    ROOT: 1,
    BEGIN: 2,
    MEMBER: 3,
    START: 4,
    RESUME: 5,
    CREATE: 6,
    FORK: 7,
    WAIT: 8,
    YIELD: 9,
    SIGNAL: 10,
    END: 11,
    DISCARD: 12,
    DISCARD_NAMED: 13,
    SIGNAL_BY: 14,
};
export const ENDED = {
    0: "",
    6: "create",
    7: "fork",
    8: "wait",
    9: "yield",
    10: "signal",
    11: "end",
};
export const EDGES = [
    "create",
    "create_cont",
    "wait_cont",
    "join",
    "depend",
    "sync",
];
export const EDGE = {
    CREATE: 0,
    CREATE_CONT: 1,
    WAIT_CONT: 2,
    JOIN: 3,
    DEPEND: 4,
    SYNC: 5,
};
export const STATES = [
    "running",
    "runtime",
    "blocked",
    "idle",
    "tracer",
    "message",
    "device",
];
export const STATE = {
    RUNNING: 0,
    RUNTIME: 1,
    BLOCKED: 2,
    IDLE: 3,
    TRACER: 4,
    MESSAGE: 5,
    DEVICE: 6,
};
// states in which a task waits and keeps its worker
export const WAITING = [
    2,
    5,
    6,
];
export const CALLS = [
    "create",
    "fork",
    "wait",
    "lock",
    "yield",
    "signal",
    "begin",
];
export const WAITS = [
    "",
    "children",
    "group",
    "team",
    "depend",
    "object",
    "named",
    "bag",
    "barrier",
    "mutex",
    "rwlock",
    "cond",
    "sem",
    "thread",
    "threads",
    "address",
    "future",
    "word",
    "futex",
    "message",
    "device",
];
