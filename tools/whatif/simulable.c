/* SPDX-License-Identifier: MIT */
/* simulable.c - what a simulation needs of a trace. */
#include "tools/whatif/simulable.h"

#include <errno.h>

const char *simulable_runtime(const struct run *run)
{
	const struct defs *defs = reader_defs(run->reader);
	uint32_t best = 0;

	for (uint32_t r = 1; r < run->dag.n_runtimes; r++)
		if (run->dag.runtime[r].n_tasks > run->dag.runtime[best].n_tasks)
			best = r;
	return run->dag.n_runtimes && best < defs->n_runtimes ? defs->runtime[best].name : NULL;
}

static bool was_stopped(const struct run *run)
{
	const struct defs *defs = reader_defs(run->reader);

	for (uint32_t i = 0; i < defs->n_marks; i++)
		if (defs->mark[i].what == WIRE_MARK_STOP)
			return true;
	return run->dag.n_gaps > 0;
}

/* Why the first of them are missing, and what to do. */
static const char *reason_of(const struct dag *dag, const char **advice)
{
	static const char *const why[WIRE_LOSSES][2] = {
		[WIRE_LOSS_RING] = { "a ring was full",
				     "record with a larger --buffer, or --overflow=flush" },
		[WIRE_LOSS_SIZE] = { "the trace could not grow",
				     "record with a larger --max-size, or on a larger disk" },
		[WIRE_LOSS_OLD] = { "only the newest were kept", "record without --keep=last" },
		[WIRE_LOSS_DIED] = { "the collector died", "record the run again" },
	};

	for (uint64_t i = 0; i < dag->n_gaps; i++)
		if (dag->gap[i].why < WIRE_LOSSES && why[dag->gap[i].why][0]) {
			*advice = why[dag->gap[i].why][1];
			return why[dag->gap[i].why][0];
		}
	*advice = "record the run again";
	return "`tptrace report` says more";
}

int simulable_whole(const struct run *run, const char *what, struct err *err)
{
	const char *path = reader_facts(run->reader)->path, *advice, *reason;
	const struct dag *dag = &run->dag;

	reason = reason_of(dag, &advice);
	if (dag->n_lost)
		return err_set(err, ENODATA,
			       "%s: %llu events are missing (%s), and %s needs the whole run; %s",
			       path, (unsigned long long)dag->n_lost, reason, what, advice);
	if (dag->n_found)
		return err_set(err, ENODATA,
			       "%s: the creation of some tasks is missing (%s), and %s needs the "
			       "whole run; %s",
			       path, reason, what, advice);
	if (was_stopped(run))
		return err_set(err, ENODATA,
			       "%s: recording was stopped for a part of the run, and %s needs all "
			       "of it; record without `tptrace stop`",
			       path, what);
	return 0;
}

int simulable(const struct run *run, struct err *err)
{
	const char *path = reader_facts(run->reader)->path;
	const struct dag *dag = &run->dag;
	bool any = dag->n_collapsed_tasks || dag->n_collapsed;
	int error = simulable_whole(run, "a simulation", err);

	for (task_id t = 0; t < dag->n_tasks && !any; t++)
		any = dag->task_kind[t] != KIND_OF_ROOTS;
	if (!error && !any)
		return err_set(err, ENODATA, "%s: no task was created, so nothing can be simulated",
			       path);
	return error;
}
