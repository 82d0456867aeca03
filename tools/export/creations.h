/* SPDX-License-Identifier: MIT */
/* creations.h - what each strand creates with its end: for formats that are written in order of
 * time. */
#pragma once

#include "tools/export/export.h"

struct creation {
	strand_id by;
	task_id task;
};

/* Tasks that are exported whose creating strand is, too, in the order of those strands. */
struct creations {
	struct creation *creation;
	uint64_t n;
};

void creations_find(struct creations *creations, const struct export *export);
void creations_free(struct creations *creations); /* a zeroed one is fine */
/* The first of the strand's, *n of them in a row. */
const struct creation *creations_of(const struct creations *creations, strand_id by, uint64_t *n);
