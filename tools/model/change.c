/* SPDX-License-Identifier: MIT */
/* change.c - the names of costs. */
#include "tools/model/change.h"

#include <stdlib.h>

const char *const cost_name[COST_OF] = { "create", "begin", "steal",   "wait",
					 "lock",   "fork",  "outside", "inside" };

void changes_free(struct changes *changes)
{
	free(changes->kind);
	free(changes->unlocked);
	for (int of = 0; of < COST_OF; of++)
		free(changes->site_cost[of]);
	*changes = (struct changes){ 0 };
}
