/* SPDX-License-Identifier: MIT */
/* speedups.c - keeps the points of each curve in order. */
#include "tools/summary/speedups.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/xalloc.h"

const char *const speedups_name[SPEEDUPS] = { "measured", "simulated", "predicted" };

const struct speedup_point *speedup_at(const struct speedup_curve *curve, uint32_t workers)
{
	for (uint32_t i = 0; i < curve->n; i++)
		if (curve->point[i].workers == workers)
			return &curve->point[i];
	return NULL;
}

uint32_t speedups_widest(const struct speedups *curves)
{
	uint32_t most = 0;

	for (int c = 0; c < SPEEDUPS; c++) {
		const struct speedup_curve *curve = &curves->of[c];

		if (curve->n && curve->point[curve->n - 1].workers > most)
			most = curve->point[curve->n - 1].workers;
	}
	return most;
}

void speedup_add(struct speedup_curve *curve, struct speedup_point point)
{
	struct speedup_point *larger;
	uint32_t at = 0;

	while (at < curve->n && curve->point[at].workers < point.workers)
		at++;
	if (at < curve->n && curve->point[at].workers == point.workers) {
		if (point.elapsed_ns < curve->point[at].elapsed_ns)
			curve->point[at] = point;
		return;
	}
	larger = xrealloc(curve->point, (curve->n + 1ull) * sizeof(*larger));
	curve->point = larger;
	memmove(&larger[at + 1], &larger[at], (curve->n - at) * sizeof(*larger));
	larger[at] = point;
	curve->n++;
}

void speedups_free(struct speedups *curves)
{
	for (int c = 0; c < SPEEDUPS; c++)
		free(curves->of[c].point);
	*curves = (struct speedups){ 0 };
}
