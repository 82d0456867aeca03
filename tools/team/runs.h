/* SPDX-License-Identifier: MIT */
/*
 * runs.h - the traces that a command was given, each read by one of the team.
 *
 * The largest are begun first; what comes of them is taken in order.
 */
#pragma once

#include "tools/team/inputs.h"
#include "tools/team/team.h"

struct runs {
	struct team *team;
	const struct input *const *input; /* n, in the order in which they are taken */
	uint32_t n;
	/* What came of input[i], before what it said is on stderr. */
	void (*take)(void *context, uint32_t i, const struct crew_done *done);
	void *context;
	uint32_t n_bad; /* whose exit status was not 0 */
	int status;	/* the worst of these: 1 before others */
};

/* Whether its work was done, and said nothing against it. */
bool runs_done(const struct crew_done *done);

/* 0, or -errno and *err. */
int runs_each(struct runs *runs, struct err *err);
/* The same for all inputs in their order, or as they were given. */
int runs_of_inputs(struct runs *runs, const struct inputs *inputs, bool as_given, struct err *err);
