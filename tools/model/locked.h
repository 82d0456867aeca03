/* SPDX-License-Identifier: MIT */
/*
 * locked.h - which objects of a trace are locks: the runtime's own, which one task at a time has
 * entered, and only who entered leaves.  A simulation may let their waiters in in another order.
 */
#pragma once

#include "tools/dag/dag.h"
#include "tools/model/change.h"

struct locked {
	struct map by_name; /* object -> number + 1 in object[] */
	struct locked_object {
		bool is_lock;
		bool gone; /* by a change: nobody waits for it */
		struct locked_holder {
			task_id task; /* TASK_NONE: nobody */
			uint32_t depth;
			uint64_t since_ns;
		} holder, former; /* who held it then, and may yet hand it over (DAG_HANDOVER_NS) */
		uint64_t left_ns;
	} * object;
	uint64_t n, room;
};

void locked_find(struct locked *locked, const struct dag *dag, const struct changes *changes);
void locked_free(struct locked *locked);

/* What the strand's end waits for, or leaves; NULL if it is none. */
const struct locked_object *locked_at(const struct locked *locked, const struct dag *dag,
				      strand_id s);
