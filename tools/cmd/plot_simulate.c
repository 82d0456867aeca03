/* SPDX-License-Identifier: MIT */
/* plot_simulate.c - runs the simulation and keeps its points. */
#include "tools/cmd/plot_simulate.h"

#include <errno.h>
#include <stdlib.h>

#include "tools/base/order.h"
#include "tools/cmd/simulable.h"
#include "tools/cmd/widths.h"
#include "tools/model/forecast.h"

/* As `tptrace simulate` has them unless somebody asks for others. */
#define RUNS 5u
#define SEED 1u

static int by_workers(const void *a, const void *b)
{
	const struct plot_point *x = a, *y = b;

	return order_least(x->workers, y->workers);
}

static int take_points(struct plot_point **points, const struct point *point, uint32_t n)
{
	struct plot_point *kept = malloc((n + 1ull) * sizeof(*kept));

	if (!kept)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		kept[i] = (struct plot_point){ .workers = point[i].n_workers,
					       .elapsed_ns = point[i].outcome.elapsed_ns,
					       .low_ns = point[i].low_ns,
					       .high_ns = point[i].high_ns };
	qsort(kept, n, sizeof(*kept), by_workers);
	free(*points);
	*points = kept;
	return 0;
}

int plot_simulate(struct plot_point **points, uint32_t *n, const struct run *run,
		  const char *workers, struct err *err)
{
	uint32_t width[WIDTHS_MOST];
	struct points_wanted wanted = { .workers = width, .n_runs = RUNS, .seed = SEED };
	struct forecast forecast = { .dag = &run->dag,
				     .cpu_wait_ns = machine_wait_ns(&run->machine, &run->dag) };
	struct changes changes = { 0 };
	int error = simulable(run, err);

	if (error)
		return error;
	widths_read(workers, width, n);
	wanted.n = forecast.n_points = *n;
	forecast.recorded_policy = policy_of_run(simulable_runtime(run), &run->dag);
	error = forecast_add(&forecast, "as recorded", &changes, forecast.recorded_policy, &wanted,
			     err);
	if (!error && take_points(points, forecast.row[0].point, *n) < 0)
		error = err_set(err, ENOMEM, "out of memory");
	changes_free(&changes);
	forecast_free(&forecast);
	return error;
}
