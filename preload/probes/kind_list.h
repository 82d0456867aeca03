/* SPDX-License-Identifier: MIT */
/*
 * kind_list.h - of which kind, as a list names them, the tasks of this process are.
 *
 * For the probes `slow` and `virtual`, each with its own.  A list has ` ` between entries:
 *
 *	KIND=MILLI@PLACE[|PLACE]..	KIND is for people; MILLI is a factor x 1000
 *	PLACE	root, or ID:f:OFFSET, or ID:r:OFFSET: the module by its build id in hex, or by its
 *		path; the function of its tasks, or where they are created if that is not known, in
 *		hex.  Bytes that would end a word are %XX
 *
 * A task's kind is that of the site that creates it; it is kept by the task's id, a byte each, and
 * by its name where runtimes have names.  Without memory for that a task is of none.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "collector/trace/events.h"

struct worker;

#define KINDS_MOST 250u

/* 0: none of the list; or 1 + its place in it. */
typedef uint8_t kinds_class;

/* While the session begins, on its thread.  False: an invalid list.  The text must stay until
 * kinds_off(). */
bool kinds_open(const char *list);
void kinds_off(void);

/* The MILLI of a kind of the list. */
uint32_t kinds_milli(kinds_class class);

/* An event of the worker's: keeps the kinds of the tasks that it makes and names.  The kind of
 * the strand that runs after it; only of an event that begins one. */
kinds_class kinds_event(const struct worker *worker, enum wire_kind kind, uint64_t b);
