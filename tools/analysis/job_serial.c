/* SPDX-License-Identifier: MIT */
/* job_serial.c - counts who is in the library as time goes by, and compares like calls. */
#include "tools/analysis/job_serial.h"

#include <stdlib.h>

#include "tools/base/at_most.h"
#include "tools/base/order.h"
#include "tools/base/xalloc.h"

#define LEAST 16u   /* calls of either sort, as many as contention wants samples */
#define COMPANY 1.5 /* another one was there for half of the time */

enum edge_of { CALL_ENDS, CALL_BEGINS, CALL_IS_FREE };

/* A call begins, waits for nobody any more, or ends. */
struct edge_at {
	uint64_t ns;
	uint32_t call;
	enum edge_of what;
};

struct like {
	uint32_t site, size;
	uint64_t ns; /* own */
	double company;
	uint32_t call;
};

ORDER(by_edge_time, struct edge_at, BY_LEAST(ns) ?: BY_LEAST(what) ?: BY_LEAST(call))

ORDER(by_likeness, struct like, BY_LEAST(site) ?: BY_LEAST(size) ?: BY_LEAST(ns) ?: BY_LEAST(call))

static void put_call_edges(struct edge_at *edge, const struct rank_calls *calls,
			   const uint64_t *own_ns)
{
	for (uint32_t c = 0; c < calls->n_calls; c++) {
		const struct rank_call *call = &calls->call[c];

		*edge++ = (struct edge_at){ call->begin_ns, c, CALL_BEGINS };
		*edge++ = (struct edge_at){ own_ns[c], c, CALL_IS_FREE };
		*edge++ = (struct edge_at){ call->end_ns, c, CALL_ENDS };
	}
	qsort(edge - 3ull * calls->n_calls, 3ull * calls->n_calls, sizeof(*edge), by_edge_time);
}

/* How many were in the library while each of them had nobody to wait for, in the mean. */
static void find_company(struct like *like, const struct edge_at *edge, uint32_t n_edges)
{
	uint64_t n_inside = 0, then_ns = 0, sum_ns = 0;

	for (uint32_t i = 0; i < n_edges; i++) {
		struct like *of = &like[edge[i].call];

		sum_ns += n_inside * (edge[i].ns - then_ns);
		then_ns = edge[i].ns;
		if (edge[i].what == CALL_BEGINS) {
			n_inside++;
		} else if (edge[i].what == CALL_IS_FREE) {
			of->company = -(double)sum_ns;
			of->ns = edge[i].ns;
		} else {
			n_inside--;
			of->company += (double)sum_ns;
			of->ns = edge[i].ns - of->ns;
			of->company = of->ns ? of->company / (double)of->ns : 0;
		}
	}
}

/* Calls that ended once they had nobody to wait for are like no others. */
static void put_likeness(struct like *like, const struct rank_calls *calls, const uint64_t *own_ns)
{
	for (uint32_t c = 0; c < calls->n_calls; c++) {
		like[c].call = c;
		like[c].site = calls->call[c].site;
		like[c].ns = above(like[c].ns, calls->call[c].cpu_wait_ns);
	}
	for (uint32_t i = 0; i < calls->n_messages; i++)
		like[calls->message[i].call].size = wire_bucket(calls->message[i].bytes);
	for (uint32_t c = 0; c < calls->n_calls; c++)
		if (own_ns[c] >= calls->call[c].end_ns)
			like[c] = (struct like){ .site = like[c].site, .size = UINT32_MAX };
}

/* Those of n like calls that were beside others; false if they are not like one at a time.  Locks
 * are not fair: one call may wait for many others, which are as fast as ever. */
static bool compare_alike(struct job_serial *serial, const struct like *like, uint32_t n,
			  const struct rank_calls *calls)
{
	uint32_t step = calls->call[like->call].step;
	uint64_t alone_ns = 0, beside_ns = 0;
	double company = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (like[i].company <= 1) {
			serial->n_alone++;
			alone_ns += like[i].ns;
		} else if (like[i].company >= COMPANY) {
			serial->n_beside++;
			beside_ns += like[i].ns;
			company += like[i].company * (double)like[i].ns;
		}
	}
	if (serial->n_alone < LEAST || serial->n_beside < LEAST || !alone_ns || !beside_ns)
		return false;
	serial->site = like->site;
	serial->kind = step == RANK_NONE ? RANK_NONE : calls->step[step].kind;
	serial->alone_ns = alone_ns / serial->n_alone;
	serial->beside_ns = beside_ns / serial->n_beside;
	serial->company = company / (double)beside_ns;
	serial->ns = above(beside_ns, serial->n_beside * serial->alone_ns);
	/* nearer to that than to side by side */
	return (double)serial->beside_ns / (double)serial->alone_ns - 1 >=
	       (serial->company - 1) / 2;
}

void job_serial_add(struct job_serial **serial, uint32_t *n, uint64_t *room, uint32_t rank,
		    const struct rank_calls *calls, const uint64_t *own_ns)
{
	struct edge_at *edge = xcalloc(3ull * calls->n_calls + 1, sizeof(*edge));
	struct like *like = xcalloc(calls->n_calls + 1ull, sizeof(*like));

	if (calls->n_calls) {
		put_call_edges(edge, calls, own_ns);
		find_company(like, edge, 3 * calls->n_calls);
		put_likeness(like, calls, own_ns);
		SORT(like, calls->n_calls, by_likeness);
	}
	for (uint32_t i = 0, of; i < calls->n_calls; i += of) {
		struct job_serial found = { .rank = rank };

		for (of = 1; i + of < calls->n_calls; of++)
			if (like[i + of].site != like[i].site || like[i + of].size != like[i].size)
				break;
		if (!compare_alike(&found, &like[i], of, calls))
			continue;
		array_grow(serial, room, *n + 1ull, sizeof(**serial));
		(*serial)[(*n)++] = found;
	}
	free(edge);
	free(like);
}
