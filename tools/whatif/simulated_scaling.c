/* SPDX-License-Identifier: MIT */
/* simulated_scaling.c - the work of each kind in several runs. */
#include "tools/whatif/simulated_scaling.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/order.h"
#include "tools/base/units.h"
#include "tools/base/xalloc.h"
#include "tools/whatif/simulable.h"
#include "tools/whatif/what_if.h"

#define NAME_MOST 256u

struct sums {
	uint32_t n_workers;
	double *work_ns; /* by row */
};

static uint64_t n_tasks(const struct run *run)
{
	return run->dag.n_tasks + run->dag.n_collapsed_tasks;
}

/* A row for all, and one for each name of a kind. */
static void name_rows(struct scaling *scaling, const struct run *run)
{
	const struct dag *dag = &run->dag;
	char name[NAME_MOST];

	scaling->row = xcalloc(dag->n_kinds + 1ull, sizeof(*scaling->row));
	scaling->row_of = xcalloc(dag->n_kinds + 1ull, sizeof(*scaling->row_of));
	scaling->n_rows = 1;
	for (kind_id kind = 0; kind < dag->n_kinds; kind++) {
		uint32_t row = 1;

		if (!what_if_kind(run, kind, name, sizeof(name)))
			continue;
		while (row < scaling->n_rows && strcmp(scaling->row[row].name, name) != 0)
			row++;
		scaling->row_of[kind] = row;
		if (row < scaling->n_rows)
			continue;
		scaling->row[row].name = xstrdup(name);
		scaling->n_rows++;
	}
}

/* Which row a kind of any of the runs is; 0 if it is none of the first one. */
static uint32_t row_of(const struct scaling *scaling, const struct run *run, kind_id kind)
{
	for (uint32_t row = 1; row < scaling->n_rows; row++)
		if (what_if_is_kind(run, kind, scaling->row[row].name))
			return row;
	return 0;
}

/* A collapsed task stands for tasks of several kinds, so that only the sum is certain. */
static void sum_up(struct sums *sums, const struct scaling *scaling, const struct run *run)
{
	const struct dag *dag = &run->dag;
	uint32_t *of = xmalloc((dag->n_kinds + 1ull) * sizeof(*of));

	sums->n_workers = dag->n_workers;
	sums->work_ns = xcalloc(scaling->n_rows, sizeof(*sums->work_ns));
	for (kind_id kind = 0; kind < dag->n_kinds; kind++)
		of[kind] = row_of(scaling, run, kind);
	for (strand_id s = 0; s < dag->n_strands; s++) {
		uint32_t row = dag_is_node(dag, s) ? 0 : of[dag_kind(dag, s)];
		double work = dag_is_node(dag, s) ? 0 : (double)dag_work(dag, s);

		sums->work_ns[0] += work;
		if (row && !dag->n_collapsed)
			sums->work_ns[row] += work;
	}
	free(of);
}

static int check_alike(const struct run *run, const struct run *other, struct err *err)
{
	const char *path = reader_facts(other->reader)->path;
	const char *first = reader_facts(run->reader)->path;
	const char *a = defs_meta(reader_defs(run->reader), "exe");
	const char *b = defs_meta(reader_defs(other->reader), "exe");
	unsigned long long n = n_tasks(run), m = n_tasks(other);

	if (simulable(other, err) < 0)
		return err->code;
	if (strcmp(a ? a : "", b ? b : "") != 0)
		return err_set(err, EINVAL, "%s and %s are traces of different programs", path,
			       first);
	if (n > 2 * m || m > 2 * n)
		return err_set(err, EINVAL,
			       "%s: %llu tasks, and %s has %llu, so that their work cannot be "
			       "compared",
			       path, m, first, n);
	return 0;
}

static double cpu_wait(const struct run *run)
{
	double all = (double)run->dag.elapsed_ns * run->dag.n_workers;

	return all > 0 ? (double)machine_wait_ns(&run->machine, &run->dag) / all : 0;
}

static int add_trace(struct sums *sums, struct scaling *scaling, const struct run *run,
		     const char *path, struct err *err)
{
	struct run other = { 0 };
	int error = run_open(&other, path, NULL, err);

	if (error)
		return error;
	scaling->cpu_wait = fmax(scaling->cpu_wait, cpu_wait(&other));
	error = check_alike(run, &other, err);
	if (!error)
		sum_up(sums, scaling, &other);
	run_close(&other);
	return error;
}

ORDER(by_workers, struct sums, BY_LEAST(n_workers))

/* The least work of each number of workers. */
static int fill(struct scaling *scaling, struct sums *sums, uint32_t n, const char *path,
		struct err *err)
{
	SORT(sums, n, by_workers);
	scaling->traced = xcalloc(n, sizeof(*scaling->traced));
	for (uint32_t row = 0; row < scaling->n_rows; row++)
		scaling->row[row].work_ns = xcalloc(n, sizeof(double));
	for (uint32_t i = 0; i < n; i++) {
		bool is_new = i == 0 || sums[i].n_workers != sums[i - 1].n_workers;
		uint32_t at = scaling->n_traced += is_new;

		scaling->traced[at - 1] = sums[i].n_workers;
		for (uint32_t row = 0; row < scaling->n_rows; row++) {
			double *work = &scaling->row[row].work_ns[at - 1];

			if (is_new || sums[i].work_ns[row] < *work)
				*work = sums[i].work_ns[row];
		}
	}
	if (scaling->n_traced < 2)
		return err_set(err, EINVAL,
			       "%s: all traces are on %u worker%s; name one trace, or others on "
			       "another number of workers",
			       path, scaling->traced[0], units_s(scaling->traced[0]));
	return 0;
}

int simulated_scaling(struct scaling *scaling, const struct run *run, char **path, int n,
		      struct err *err)
{
	struct sums *sums = xcalloc((size_t)n + 1, sizeof(*sums));
	int error = 0;

	name_rows(scaling, run);
	scaling->cpu_wait = cpu_wait(run);
	sum_up(&sums[0], scaling, run);
	for (int i = 0; i < n && !error; i++)
		error = add_trace(&sums[i + 1], scaling, run, path[i], err);
	if (!error)
		error = fill(scaling, sums, (uint32_t)n + 1, reader_facts(run->reader)->path, err);
	if (!error)
		scaling_fit(scaling);
	for (int i = 0; i <= n; i++)
		free(sums[i].work_ns);
	free(sums);
	return error;
}
