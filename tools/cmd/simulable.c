/* SPDX-License-Identifier: MIT */
/* simulable.c - what a simulation needs of a trace. */
#include "tools/cmd/simulable.h"

#include <errno.h>

const char *simulable_runtime(const struct run *run)
{
	const struct defs *defs = reader_defs(run->reader);
	uint32_t best = 0;

	for (uint32_t r = 1; r < run->dag.n_runtimes; r++)
		if (run->dag.runtime[r].n_tasks > run->dag.runtime[best].n_tasks)
			best = r;
	return run->dag.n_runtimes ? defs->runtime[best].name : NULL;
}

static bool was_stopped(const struct run *run)
{
	const struct defs *defs = reader_defs(run->reader);

	for (uint32_t i = 0; i < defs->n_marks; i++)
		if (defs->mark[i].what == DEFS_MARK_STOP)
			return true;
	return run->dag.n_gaps > 0;
}

int simulable(const struct run *run, struct err *err)
{
	const char *path = reader_facts(run->reader)->path;
	const struct dag *dag = &run->dag;
	bool any = dag->n_collapsed_tasks || dag->n_collapsed;

	for (task_id t = 0; t < dag->n_tasks && !any; t++)
		any = dag->task_kind[t] != KIND_OF_ROOTS;
	if (dag->n_lost || dag->n_found)
		return err_set(err, ENODATA,
			       "%s: %llu events are missing, and a simulation needs all of them; "
			       "record with a larger --buffer, or TPTRACE_OVERFLOW=flush",
			       path, (unsigned long long)dag->n_lost);
	if (was_stopped(run))
		return err_set(
			err, ENODATA,
			"%s: recording was stopped meanwhile, and a simulation needs all of a "
			"run; record it without a stop",
			path);
	if (!any)
		return err_set(err, ENODATA, "%s: no task was created, so nothing can be simulated",
			       path);
	return 0;
}
