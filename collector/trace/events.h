/* SPDX-License-Identifier: MIT */
/*
 * events.h - the grammar of events: every kind of event, once.
 *
 * Recorder, encoder, decoder, text form, tools and FORMAT.md's tables (scripts/grammar) read it.  A
 * new kind is one line here, and a handler: on_*() in tools/dag, and collapse.c if tasks collapse.
 * A line has: number, name, word in the text form; whether the kind BEGINS or ENDS a strand, or
 * NEITHER; whether it MAKES an id (the worker's next one) or NOT; its operand (operand.h); how many
 * guesses guess.h has for it.  The comment before it is what it means, and is in FORMAT.md, too.
 * Numbers never change.  Kinds 1 to 23 have a time, 24 to 47 say more of the event or task before;
 * a reader skips kinds 48 to 63 that it does not know.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "collector/trace/wire_event.h"

/* clang-format off */
#define EVENTS_TIMED(E)                                                                            \
	/* a task that no event created begins */                                                  \
	E( 1, ROOT,          "root",          BEGINS,  MAKES, NONE,      0)                        \
	/* a created task begins */                                                                \
	E( 2, BEGIN,         "begin",         BEGINS,  NOT,   ID,        2)                        \
	/* a task of the group is made and begins */                                               \
	E( 3, MEMBER,        "member",        BEGINS,  MAKES, ID,        1)                        \
	/* the task named so last begins; the id made here is a further one of it */               \
	E( 4, START,         "start",         BEGINS,  MAKES, NAME,      1)                        \
	/* the task's next strand begins */                                                        \
	E( 5, RESUME,        "resume",        BEGINS,  NOT,   ID,        1)                        \
	/* makes a task */                                                                         \
	E( 6, CREATE,        "create",        ENDS,    MAKES, TASK,      1)                        \
	/* makes a group of tasks */                                                               \
	E( 7, FORK,          "fork",          ENDS,    MAKES, FORK,      1)                        \
	/* the task waits */                                                                       \
	E( 8, WAIT,          "wait",          ENDS,    NOT,   WAIT,      1)                        \
	/* the task lets others run */                                                             \
	E( 9, YIELD,         "yield",         ENDS,    NOT,   SITE,      1)                        \
	/* the object is released */                                                               \
	E(10, SIGNAL,        "signal",        ENDS,    NOT,   NAME,      0)                        \
	/* the task ends */                                                                        \
	E(11, END,           "end",           ENDS,    NOT,   NONE,      0)                        \
	/* the created task will never begin; any worker may say so */                             \
	E(12, DISCARD,       "discard",       NEITHER, NOT,   ID,        0)                        \
	/* the task named so last will never begin */                                              \
	E(13, DISCARD_NAMED, "discard-named", NEITHER, NOT,   NAME,      0)                        \
	/* the task named so last releases the `object` behind, at its own end */                  \
	E(14, SIGNAL_BY,     "signal-by",     NEITHER, NOT,   NAME,      0)

#define EVENTS_UNTIMED(E)                                                                          \
	/* a dependence of the `create` or `wait depend` before */                                 \
	E(24, DEPEND,        "depend",        NEITHER, NOT,   DEPEND,    0)                        \
	/* what the `wait` before is for, or the `signal-by` releases */                           \
	E(25, OBJECT,        "object",        NEITHER, NOT,   NAME,      2)                        \
	/* the name, from here on, of the task that the task at hand created last */               \
	E(26, NAME,          "name",          NEITHER, NOT,   NAME,      2)                        \
	/* that task belongs to this bag; a wait for the bag joins it */                           \
	E(27, BAG,           "bag",           NEITHER, NOT,   NAME,      1)                        \
	/* the running task opens a taskgroup; its `wait group` closes it */                       \
	E(28, GROUP,         "group",         NEITHER, NOT,   NONE,      0)                        \
	/* the `wait` before turned out to be none */                                              \
	E(29, NOWAIT,        "nowait",        NEITHER, NOT,   NONE,      0)                        \
	/* the running task is complete when this object is signalled, not at its end */           \
	E(30, HANDLE,        "handle",        NEITHER, NOT,   NAME,      0)                        \
	/* the running task cancelled its team, loop or taskgroup */                               \
	E(31, CANCEL,        "cancel",        NEITHER, NOT,   NUMBER,    0)                        \
	/* a gap: so many events of this worker are missing here */                                \
	E(32, LOST,          "lost",          NEITHER, NOT,   LOST,      0)                        \
	/* ids that the worker has given out, after a gap */                                       \
	E(33, NEXT_ID,       "next-id",       NEITHER, NOT,   NUMBER,    0)                        \
	/* the recorder itself took the worker so long */                                          \
	E(34, TRACER,        "tracer",        NEITHER, NOT,   TICKS,     0)                        \
	/* the task resumed before may have run elsewhere since its last strand here */            \
	E(35, MOVED,         "moved",         NEITHER, NOT,   NONE,      0)                        \
	/* of the strand that began just before: what missing events come to */                  \
	E(36, COLLAPSED,     "collapsed",     NEITHER, NOT,   COLLAPSED, 1)                        \
	/* of the `lost` before: when the first missing event would have been */                   \
	E(37, SINCE,         "since",         NEITHER, NOT,   TICKS,     0)                        \
	/* of the `lost` before: from when on events are there again */                            \
	E(38, UNTIL,         "until",         NEITHER, NOT,   TICKS,     0)                        \
	/* of all collapsed tasks of a site in this block: one number */                           \
	E(39, TALLY,         "tally",         NEITHER, NOT,   TALLY,     0)

#define EVENTS_OPTIONAL(E)                                                                         \
	/* by its end the strand that runs has counted so many of this counter */                  \
	E(48, COUNTER,       "counter",       NEITHER, NOT,   COUNTER,   0)                        \
	/* by this call path the worker makes the next task or group */                            \
	E(49, PATH,          "path",          NEITHER, NOT,   PATH,      0)                        \
	/* of the `wait message` before: a part of a message that it was for */                    \
	E(50, MESSAGE,       "message",       NEITHER, NOT,   MESSAGE,   0)                   \
	/* the thread of this worker is none: it hands out tasks, and waits */                     \
	E(51, NO_WORKER,     "no-worker",     NEITHER, NOT,   NONE,      0)                        \
	/* a part of what is said of data that the task made before uses */                        \
	E(52, DATA,          "data",          NEITHER, NOT,   FIELD,     0)                        \
	/* a part of what a device, or I/O, did for the task that ran last on this worker */       \
	E(53, OPERATION,     "operation",     NEITHER, NOT,   FIELD,     0)                        \
	/* the root before follows this object's last signal: its thread was made, or joined it */ \
	E(54, FOLLOWS,       "follows",       NEITHER, NOT,   NAME,      0)
/* clang-format on */

#define EVENTS(E) EVENTS_TIMED(E) EVENTS_UNTIMED(E) EVENTS_OPTIONAL(E)

#define EVENT_NUMBER(number, name, ...) WIRE_##name = (number),
enum wire_kind { WIRE_NONE, EVENTS(EVENT_NUMBER) };
#undef EVENT_NUMBER

#define WIRE_UNTIMED 24u  /* the first kind without a time */
#define WIRE_OPTIONAL 48u /* the first kind that a reader skips if it does not know it */
#define WIRE_KINDS 64u

/* ---- what the list says of a kind ---- */

enum { EVENT_NEITHER, EVENT_BEGINS, EVENT_ENDS };
enum { EVENT_NOT, EVENT_MAKES };

#define EVENT_IF_BEGINS(number, name, word, strand, ...)                                           \
	| (uint32_t)(EVENT_##strand == EVENT_BEGINS) << (number)
#define EVENT_IF_ENDS(number, name, word, strand, ...)                                             \
	| (uint32_t)(EVENT_##strand == EVENT_ENDS) << (number)
#define EVENT_IF_MAKES(number, name, word, strand, makes, ...)                                     \
	| (uint32_t)(EVENT_##makes) << (number)
#define EVENT_IF_KNOWN(number, ...) | UINT64_C(1) << (number)

/* Whether there is such a kind.  All of these take any number; of a constant they are constant. */
static inline bool kind_known(unsigned kind)
{
	return kind < WIRE_KINDS && (0 EVENTS(EVENT_IF_KNOWN)) >> kind & 1;
}
static inline bool kind_timed(unsigned kind)
{
	return kind < WIRE_UNTIMED;
}
static inline bool kind_begins(unsigned kind)
{
	return kind < WIRE_UNTIMED && (0 EVENTS_TIMED(EVENT_IF_BEGINS)) >> kind & 1;
}
static inline bool kind_ends(unsigned kind)
{
	return kind < WIRE_UNTIMED && (0 EVENTS_TIMED(EVENT_IF_ENDS)) >> kind & 1;
}
/* Whether it makes a task, and not a group or a further id of one. */
static inline bool kind_makes_task(unsigned kind)
{
	return kind < WIRE_UNTIMED &&
	       (1u << WIRE_CREATE | 1u << WIRE_MEMBER | 1u << WIRE_ROOT) >> kind & 1;
}
static inline bool kind_makes(unsigned kind)
{
	return kind < WIRE_UNTIMED && (0 EVENTS_TIMED(EVENT_IF_MAKES)) >> kind & 1;
}
