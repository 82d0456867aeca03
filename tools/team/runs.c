/* SPDX-License-Identifier: MIT */
/* runs.c - puts traces in order, and has them read. */
#include "tools/team/runs.h"

#include <stdlib.h>

#include "tools/base/order.h"
#include "tools/base/xalloc.h"

bool runs_done(const struct crew_done *done)
{
	return !done->error && done->status == 0;
}

static const char *path_of(void *context, uint32_t i)
{
	const struct runs *runs = context;

	return runs->input[i]->path;
}

static void take_run(void *context, uint32_t i, struct crew_done *done)
{
	struct runs *runs = context;
	int status;

	if (runs->take)
		runs->take(runs->context, i, done);
	status = team_tell(runs->team, runs->input[i]->path, done);
	runs->n_bad += status != 0;
	if (runs->status == 0 || status == 1)
		runs->status = status;
}

static int largest_first(const void *a, const void *b, void *context)
{
	const struct runs *runs = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return order_most(runs->input[x]->bytes, runs->input[y]->bytes) ?: (x > y) - (x < y);
}

int runs_each(struct runs *runs, struct err *err)
{
	FREED uint32_t *order = xmalloc((runs->n + 1ull) * sizeof(*order));

	for (uint32_t i = 0; i < runs->n; i++)
		order[i] = i;
	qsort_r(order, runs->n, sizeof(*order), largest_first, runs);
	return team_run(runs->team,
			&(struct team_pieces){ .name = path_of,
					       .take = take_run,
					       .context = runs,
					       .order = order,
					       .n = runs->n },
			err);
}

int runs_of_inputs(struct runs *runs, const struct inputs *inputs, bool as_given, struct err *err)
{
	FREED const struct input **input = xmalloc((inputs->n + 1ull) * sizeof(*input));

	for (uint32_t i = 0; i < inputs->n; i++)
		input[as_given ? inputs->at[i].given : i] = &inputs->at[i];
	runs->input = input;
	runs->n = inputs->n;
	return runs_each(runs, err);
}
