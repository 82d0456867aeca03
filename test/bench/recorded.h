/* SPDX-License-Identifier: MIT */
/* recorded.h - a worker's events as its ring had them, read back from a trace. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include "tools/trace/reader.h"

struct recorded {
	struct wire_event *event; /* n of them, malloc'ed */
	uint64_t n, room;
};

/* False if memory runs out. */
static inline bool recorded_add(struct recorded *recorded, const struct event *event)
{
	if (recorded->n == recorded->room) {
		uint64_t room = recorded->room ? recorded->room * 2 : 1u << 16;
		struct wire_event *more = realloc(recorded->event, room * sizeof(*more));

		if (!more)
			return false;
		recorded->event = more;
		recorded->room = room;
	}
	recorded->event[recorded->n++] = (struct wire_event){
		event->kind | (kind_timed(event->kind) ? event->units << 8 : 0), event->b
	};
	return true;
}
