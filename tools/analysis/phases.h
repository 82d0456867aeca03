/* SPDX-License-Identifier: MIT */
/*
 * phases.h - from marks in time to what is analysed.
 *
 *	phase	all of the process from one PHASE mark to the next, or to the end
 *	region	from a BEGIN to the END of that name; where several are open, until the last ends
 *	stopped	from STOP to START: nothing was recorded, so it is never selected
 */
#pragma once

#include "tools/analysis/select.h"

enum phase_what { PHASE_START, PHASE_STOP, PHASE_PHASE, PHASE_BEGIN, PHASE_END };

struct phase_mark {
	uint64_t ns; /* since the window began; 0 for what was before it */
	enum phase_what what;
	const char *name; /* borrowed; NULL for START and STOP */
	uint32_t number;  /* phases_select()'s: of equal times, as they stood */
};

#define PHASES_MAX 1000u /* those that do not fit share the last */

struct phases {
	const char *name[PHASES_MAX + 2]; /* [0]: what is in no phase */
	uint32_t n;			  /* 1 if there are no phases */
	struct select stopped;		  /* when nothing was recorded */
	bool stopped_at_end;		  /* the recording was, and not started again */
	bool region_found;		  /* there is one of the name that is wanted */
};

struct phases_wanted {
	const char *phase, *region; /* NULL: all */
	uint64_t from_ns, to_ns;    /* to_ns UINT64_MAX: to the end */
};

/*
 * Selects what is wanted of a window of elapsed_ns; puts the marks in order.  `phases` is freed by
 * phases_free().
 */
void phases_select(struct phases *phases, struct select *select, struct phase_mark *mark,
		   uint32_t n_marks, uint64_t elapsed_ns, const struct phases_wanted *wanted);
void phases_free(struct phases *phases);

/* The phase's number; 0 if there is none of that name. */
uint32_t phases_find(const struct phases *phases, const char *name);
