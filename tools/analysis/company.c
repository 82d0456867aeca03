/* SPDX-License-Identifier: MIT */
/* company.c - one loop over the strands, with the integral of how many run. */
#include "tools/analysis/company.h"

#include <stdlib.h>

#include "tools/base/xalloc.h"
#include "tools/dag/running.h"

#define SINGLE 8u /* numbers below have a row each */

struct crowd {
	const struct dag *dag;
	struct running running;
	uint64_t now_ns;
	double busy;		 /* integral of running workers up to now */
	double *busy_from;	 /* by worker: at the start of what it runs */
	struct company_row *row; /* n_kinds * COMPANY_SIZES */
};

static uint32_t size_of(double others)
{
	uint32_t n = others > 0 ? (uint32_t)(others + .5) : 0, size = n;

	if (n < SINGLE)
		return n;
	for (size = SINGLE; n >= 2 * SINGLE && size + 1 < COMPANY_SIZES; size++)
		n /= 2;
	return size;
}

static uint32_t least_of(uint32_t size)
{
	return size < SINGLE ? size : SINGLE << (size - SINGLE);
}

static void go_on(struct crowd *crowd, uint64_t ns)
{
	crowd->busy += (double)crowd->running.n * (double)(ns - crowd->now_ns);
	crowd->now_ns = ns;
}

static bool is_task_within(const struct dag *dag, strand_id s, const struct select *select)
{
	uint64_t length = dag_length(dag, s);

	return dag->how[s] & STRAND_FIRST && (dag->how[s] & STRAND_ENDED_BY) == WIRE_END &&
	       length && !dag_collapsed(dag, s) &&
	       select_within(select, dag_start(dag, s), dag_end(dag, s)) == length;
}

static void end_first(struct crowd *crowd, const struct select *select, const uint32_t *n_samples)
{
	const struct dag *dag = crowd->dag;
	strand_id s;
	struct company_row *row;
	double mean;

	go_on(crowd, crowd->running.heap[0].end_ns);
	s = running_pop(&crowd->running);
	if (!is_task_within(dag, s, select))
		return;
	mean = (crowd->busy - crowd->busy_from[dag->strand[s].worker]) / (double)dag_length(dag, s);
	row = &crowd->row[(uint64_t)dag_kind(dag, s) * COMPANY_SIZES + size_of(mean - 1)];
	row->n_tasks++;
	row->work_ns += dag_length(dag, s);
	row->n_samples += n_samples ? n_samples[s] : 0;
}

static void walk(struct crowd *crowd, const struct select *select, const uint32_t *n_samples)
{
	const struct dag *dag = crowd->dag;

	for (strand_id s = 0; s < dag->n_strands; s++) {
		if (dag_is_node(dag, s) || !dag_length(dag, s))
			continue;
		while (running_ends(&crowd->running, dag_start(dag, s)))
			end_first(crowd, select, n_samples);
		go_on(crowd, dag_start(dag, s));
		crowd->busy_from[dag->strand[s].worker] = crowd->busy;
		running_push(&crowd->running, s);
	}
	while (crowd->running.n)
		end_first(crowd, select, n_samples);
}

static void keep_rows(struct company *company, struct company_row *row, uint64_t n)
{
	uint32_t kept = 0;

	company->row = row;
	for (uint64_t i = 0; i < n; i++) {
		if (i % COMPANY_SIZES == 0)
			company->first[i / COMPANY_SIZES] = kept;
		if (!row[i].n_tasks)
			continue;
		row[i].kind = (kind_id)(i / COMPANY_SIZES);
		row[i].others = least_of((uint32_t)(i % COMPANY_SIZES));
		row[kept++] = row[i];
	}
	company->first[n / COMPANY_SIZES] = kept;
}

void company_build(struct company *company, const struct dag *dag, const struct select *select,
		   const uint32_t *n_samples)
{
	uint64_t n = (uint64_t)dag->n_kinds * COMPANY_SIZES;
	struct crowd crowd = { .dag = dag,
			       .busy_from = xcalloc(dag->n_slots + 1ull, sizeof(double)),
			       .row = xcalloc(n + 1, sizeof(*crowd.row)) };

	running_open(&crowd.running, dag);

	*company = (struct company){ .first = xcalloc(dag->n_kinds + 1ull, sizeof(uint32_t)) };
	walk(&crowd, select, n_samples);
	keep_rows(company, crowd.row, n);
	running_close(&crowd.running);
	free(crowd.busy_from);
}

void company_free(struct company *company)
{
	free(company->row);
	free(company->first);
	*company = (struct company){ 0 };
}
