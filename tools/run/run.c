/* SPDX-License-Identifier: MIT */
/* run.c - opens what a run is made of, one after the other. */
#include "tools/run/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/analysis/part_tallies.h"
#include "tools/base/xalloc.h"
#include "tools/dag/alike.h"
#include "tools/dag/width.h"
#include "tools/run/kept.h"
#include "tools/base/load.h"
#include "tools/base/order.h"
#include "tools/dag/dag.h"
#include "tools/run/sites.h"

struct coded {
	const struct name *name; /* of its code */
	uint64_t function;	 /* where that is, if the file is not known; else 0 */
	unsigned what, runtimes;
	kind_id kind;
};

static int by_code(const struct coded *x, const struct coded *y)
{
	return order_texts(x->name->function, y->name->function)
		       ?: order_texts(x->name->file, y->name->file)
		       ?: order_texts(x->name->module, y->name->module)
		       ?: order_least(x->name->line, y->name->line)
		       ?: order_least(x->what, y->what) ?: order_least(x->runtimes, y->runtimes)
		       ?: order_least(x->function, y->function);
}

ORDER(by_code_and_kind, struct coded, by_code(x, y) ?: BY_LEAST(kind))

/*
 * code[k] becomes the first kind of the same function, file, line and module as k; k itself where
 * that is not known.  Where only the function is, it must be at the same address.  *any: at least
 * two are the same.
 */
static void codes_find(kind_id *code, bool *any, const struct dag *dag, const struct sites *sites)
{
	FREED struct coded *coded = xmalloc((dag->n_kinds + 1ull) * sizeof(*coded));
	uint32_t n = 0;

	*any = false;
	for (kind_id k = 0; k < dag->n_kinds; k++) {
		site_id site = dag->kind_site[k];

		code[k] = k;
		if (site < sites->n && sites->site[site].code_known)
			coded[n++] =
				(struct coded){ .name = &sites->site[site].code,
						.function =
							sites->site[site].code.file
								? 0
								: sites->defs->site[site].function,
						.what = dag->kind_what[k],
						.runtimes = dag->kind_runtimes[k],
						.kind = k };
	}
	qsort(coded, n, sizeof(*coded), by_code_and_kind);
	for (uint32_t i = 1; i < n; i++)
		if (by_code(&coded[i - 1], &coded[i]) == 0) {
			code[coded[i].kind] = code[coded[i - 1].kind];
			*any = true;
		}
}

/* Marks as the analysis has them. */
static struct phase_mark *marks_of(const struct reader *reader, const struct dag *dag)
{
	static const enum phase_what what[WIRE_MARKS] = {
		[WIRE_MARK_START] = PHASE_START, [WIRE_MARK_STOP] = PHASE_STOP,
		[WIRE_MARK_PHASE] = PHASE_PHASE, [WIRE_MARK_BEGIN] = PHASE_BEGIN,
		[WIRE_MARK_END] = PHASE_END,
	};
	const struct defs *defs = reader_defs(reader);
	struct phase_mark *mark = xmalloc((defs->n_marks + 1ull) * sizeof(*mark));

	for (uint32_t i = 0; i < defs->n_marks; i++) {
		uint64_t ns = reader_ns(reader, defs->mark[i].units);

		mark[i] = (struct phase_mark){ .ns = ns > dag->begin_ns ? ns - dag->begin_ns : 0,
					       .what = what[defs->mark[i].what],
					       .name = defs->mark[i].name };
	}
	return mark;
}

#define SCHEDSTAT_LAG_NS 10000000u /* a tick of the slowest kernels */
#define STAT_LAG_NS 20000000u	   /* and a step of 10 ms */

/* By how much samples from there may be behind. */
static uint64_t lag_of(const char *source)
{
	if (!source || strcmp(source, "clock") == 0)
		return 0;
	return strcmp(source, "schedstat") == 0 ? SCHEDSTAT_LAG_NS : STAT_LAG_NS;
}

/* Samples of workers; or of the process, which are of none. */
static void add_samples(struct run *run, const struct defs_cpu *cpu, uint32_t n, bool of_process)
{
	for (uint32_t i = 0; i < n; i++) {
		struct machine_sample sample = { .run_ns = cpu[i].run_ns,
						 .wait_ns = cpu[i].wait_ns,
						 .has_wait = cpu[i].has_wait };

		if (!timeline_fits(reader_timeline(run->reader), cpu[i].units))
			continue;
		sample.ns =
			(int64_t)reader_ns(run->reader, cpu[i].units) - (int64_t)run->dag.begin_ns;
		if (of_process)
			machine_add_process(&run->machine, sample);
		else
			machine_add(&run->machine, cpu[i].worker, sample);
	}
}

/* What the trace says of CPUs and CPU times. */
static void open_machine(struct run *run)
{
	const struct defs *defs = reader_defs(run->reader);
	struct machine *machine = &run->machine;

	*machine = (struct machine){ .source = defs_meta(defs, "cpu_times"),
				     .cpus = width_cpus(defs),
				     .cores = defs_meta_number(defs, "cores"),
				     .affinity = defs_meta_number(defs, "affinity"),
				     .bound = defs_meta_number(defs, "workers_affinity"),
				     .is_rank = defs_meta(defs, "rank") != NULL,
				     .quota_milli = defs_meta_number(defs, "cpu_quota") };
	if (defs_meta(defs,
		      "virtual")) { /* its workers had no CPUs to themselves, nor needed any */
		*machine = (struct machine){ 0 };
		machine_settle(machine);
		return;
	}
	machine->lag_ns = lag_of(machine->source);
	add_samples(run, defs->cpu, defs->n_cpus, false);
	add_samples(run, defs->process, defs->n_processes, true);
	machine_settle(machine);
}

/* Kinds of the same code become one. */
static void join_codes(struct run *run)
{
	FREED kind_id *code = xmalloc((run->dag.n_kinds + 1ull) * sizeof(*code));
	bool any;

	codes_find(code, &any, &run->dag, &run->sites);

	if (any)
		alike_join(&run->dag, code, &run->by_site);
}

/* Collapsed tasks become those of the selection. */
static void share_collapsed(struct run *run)
{
	part_tallies(&run->dag, &run->select, &run->n_guessed);

	if (run->by_site.n_kinds)
		part_tallies(&run->by_site, &run->select, &run->n_guessed_by_site);
}

int run_select(struct run *run, const struct phases_wanted *wanted, struct err *err)
{
	const char *path = reader_facts(run->reader)->path;
	FREED struct phase_mark *mark = marks_of(run->reader, &run->dag);

	phases_select(&run->phases, &run->select, mark, reader_defs(run->reader)->n_marks,
		      run->dag.elapsed_ns, wanted);
	if (wanted->phase && !phases_find(&run->phases, wanted->phase))
		return err_set(err, ERR_NAME,
			       "%s: has no phase `%s`; `report --by phase` lists them", path,
			       wanted->phase);
	if (wanted->region && !run->phases.region_found)
		return err_set(err, ERR_NAME, "%s: has no region `%s`", path, wanted->region);
	if (run->select.part && !run->select.total_ns)
		return err_set(err, ENODATA, "%s: nothing was recorded in this selection", path);
	if (run->select.part && run->dag.n_collapsed_tasks)
		share_collapsed(run);
	return 0;
}

/* Why there is no task. */
static int says_nothing(const struct run *run, const struct reader_facts *facts, struct err *err)
{
	const char *unwritten = defs_meta(reader_defs(run->reader), "unwritten");

	if (!run->dag.n_lost)
		return err_set(err, ENODATA, "%s: %s", facts->path,
			       facts->missing[0] ? facts->missing : "no task was recorded");
	return err_set(err, ENODATA, "%s: all %llu events%s are lost%s%s", facts->path,
		       (unsigned long long)run->dag.n_lost, facts->missing[0] ? " so far" : "",
		       unwritten ? ": " : "", unwritten ? unwritten : "");
}

/* Names that `record` had no time for are kept now, where the trace may be written. */
static void open_sites(struct run *run)
{
	const struct defs *defs = reader_defs(run->reader);
	struct err err;

	sites_open(&run->sites, defs);

	if (kept_is_wanted(defs) && !sites_changed(&run->sites, 0))
		kept_put(run->reader, &run->sites, &err);
}

int run_open(struct run *run, const char *path, const struct phases_wanted *wanted, struct err *err)
{
	static const struct phases_wanted whole = { .to_ns = UINT64_MAX };
	int error;

	*run = (struct run){ 0 };
	error = text_open(&run->reader, path, err) ?: dag_build(&run->dag, run->reader, err);
	if (!error && run->dag.n_strands == 0)
		error = says_nothing(run, reader_facts(run->reader), err);
	if (!error) {
		open_sites(run);
		join_codes(run);
		open_machine(run);
		error = run_select(run, wanted ? wanted : &whole, err);
	}
	if (error)
		run_close(run);
	return error;
}

void run_close(struct run *run)
{
	phases_free(&run->phases);
	select_free(&run->select);
	sites_close(&run->sites);
	machine_free(&run->machine);
	alike_free(&run->by_site);
	dag_free(&run->dag);
	reader_close(run->reader);
	*run = (struct run){ 0 };
}

uint64_t run_born_ns(const struct run *run)
{
	const struct defs *defs = reader_defs(run->reader);

	return defs_meta_number(defs, "began_ns") ?: defs->first.ns;
}

uint64_t run_began_ns(const struct run *run)
{
	return reader_defs(run->reader)->first.ns + run->dag.begin_ns;
}

bool run_is_whole(const struct run *run)
{
	return !run->select.part && run->select.total_ns == run->dag.elapsed_ns;
}

const struct select *run_selected(const struct run *run)
{
	bool is_one = run->phases.n == 1 && run->select.n == 1;

	return is_one && run_is_whole(run) ? NULL : &run->select;
}
