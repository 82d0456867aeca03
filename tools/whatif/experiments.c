/* SPDX-License-Identifier: MIT */
/* experiments.c - opens the runs of both sides, and checks that they belong together. */
#include "tools/whatif/experiments.h"

#include <errno.h>
#include <stdlib.h>

#include "tools/team/inputs.h"

static int open_slowed(struct experiments *experiments, const char *named, struct err *err)
{
	struct against_side *side = &experiments->slowed[experiments->n++];
	int n, error;
	char **path = inputs_split(named, &n);

	if (!path)
		return err_no_memory(err);
	error = against_open(side, path, n, true, err);
	free(path);
	return error ? error : against_check(&experiments->plain, side, err);
}

int experiments_open(struct experiments *experiments, char **plain, int n_plain,
		     const char *const *slowed, uint32_t n, struct err *err)
{
	int error = against_open(&experiments->plain, plain, n_plain, false, err);

	for (uint32_t i = 0; i < n && !error; i++)
		error = open_slowed(experiments, slowed[i], err);
	return error;
}

void experiments_free(struct experiments *experiments)
{
	for (uint32_t i = 0; i < experiments->n; i++)
		against_free(&experiments->slowed[i]);
	against_free(&experiments->plain);
}
