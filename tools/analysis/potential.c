/* SPDX-License-Identifier: MIT */
/* potential.c - sorts where strands begin and end, and sweeps over both. */
#include "tools/analysis/potential.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/analysis/span.h"
#include "tools/base/at_most.h"
#include "tools/base/order.h"
#include "tools/base/xalloc.h"

/* Strands come and go one by one; a collapsed task comes and goes with all that it stands for. */
struct crowd {
	uint64_t ns;
	double n; /* below 0: they go */
};

struct gather {
	const struct dag *dag;
	uint64_t *begin, *end; /* n */
	uint64_t n;
	struct crowd *crowd; /* n_crowds */
	uint64_t n_crowds;
};

static void add_strand(void *context, strand_id s, uint64_t begin_ns, uint64_t end_ns)
{
	struct gather *gather = context;
	const struct collapsed *collapsed = dag_collapsed(gather->dag, s);

	if (begin_ns == end_ns)
		return;
	if (!collapsed) {
		gather->begin[gather->n] = begin_ns;
		gather->end[gather->n++] = end_ns;
		return;
	}
	double width = (double)collapsed->work_ns / (double)collapsed->span_ns;

	gather->crowd[gather->n_crowds++] = (struct crowd){ begin_ns, width };
	gather->crowd[gather->n_crowds++] = (struct crowd){ end_ns, -width };
}

/* ---- order ---- */

#define DIGIT 16u /* bits */

/* By digits, the lowest first, as far as there are any below `most`. */
static void sort_ns(uint64_t *ns, uint64_t *room, uint64_t n, uint64_t most, uint32_t *count)
{
	uint64_t *from = ns, *to = room;

	for (unsigned shift = 0; shift < 64 && most >> shift; shift += DIGIT) {
		uint64_t *other = from;

		memset(count, 0, ((1u << DIGIT) + 1) * sizeof(*count));
		for (uint64_t i = 0; i < n; i++)
			count[(from[i] >> shift & ((1u << DIGIT) - 1)) + 1]++;
		for (uint32_t d = 0; d < 1u << DIGIT; d++)
			count[d + 1] += count[d];
		for (uint64_t i = 0; i < n; i++)
			to[count[from[i] >> shift & ((1u << DIGIT) - 1)]++] = from[i];
		from = to;
		to = other;
	}
	if (from != ns)
		memcpy(ns, from, n * sizeof(*ns));
}

ORDER(by_time, struct crowd, BY_LEAST(ns) ?: BY_LEAST(n))

static void sort_all(struct gather *gather, uint64_t span_ns)
{
	uint64_t *room = xmalloc((gather->n + 1) * sizeof(*room));
	uint32_t *count = xmalloc(((1u << DIGIT) + 1) * sizeof(*count));

	sort_ns(gather->begin, room, gather->n, span_ns, count);
	sort_ns(gather->end, room, gather->n, span_ns, count);
	SORT(gather->crowd, gather->n_crowds, by_time);
	free(room);
	free(count);
}

/* ---- the sweep ---- */

static void pass(struct potential *potential, double ns, double k)
{
	double below = ceil(k) - 1;
	uint32_t at = below >= POTENTIAL_WORKERS - 1 ? POTENTIAL_WORKERS - 1 : (uint32_t)below;

	potential->step[at].ns += ns;
	potential->step[at].area += ns * k;
	potential->n = (uint32_t)at_least(potential->n, at + 1);
}

#define LITTLE 1e-6 /* what is left of the crowds by rounding */

static void sweep(struct potential *potential, const struct gather *gather)
{
	uint64_t begun = 0, ended = 0, c = 0, now = 0;
	double crowd = 0;

	while (ended < gather->n || c < gather->n_crowds) {
		uint64_t next = ended < gather->n ? gather->end[ended] : UINT64_MAX;
		double k = (double)(begun - ended) + crowd;

		if (begun < gather->n && gather->begin[begun] < next)
			next = gather->begin[begun];
		if (c < gather->n_crowds && gather->crowd[c].ns < next)
			next = gather->crowd[c].ns;
		if (next > now && k > LITTLE)
			pass(potential, (double)(next - now), k);
		now = next;
		for (; begun < gather->n && gather->begin[begun] == now; begun++)
			;
		for (; ended < gather->n && gather->end[ended] == now; ended++)
			;
		for (; c < gather->n_crowds && gather->crowd[c].ns == now; c++)
			crowd += gather->crowd[c].n;
	}
}

void potential_find(struct potential *potential, const struct dag *dag, const struct select *select)
{
	static const struct span_burden none;
	struct gather gather = { .dag = dag };

	*potential = (struct potential){ 0 };
	potential->step = xcalloc(POTENTIAL_WORKERS, sizeof(*potential->step));
	gather.begin = xmalloc((dag->n_strands + 1ull) * sizeof(*gather.begin));
	gather.end = xmalloc((dag->n_strands + 1ull) * sizeof(*gather.end));
	gather.crowd = xmalloc((2ull * dag->n_collapsed + 1) * sizeof(*gather.crowd));
	span_walk(dag, select, &none, add_strand, &gather, &potential->span_ns);
	sort_all(&gather, potential->span_ns);
	sweep(potential, &gather);
	free(gather.begin);
	free(gather.end);
	free(gather.crowd);
}

void potential_free(struct potential *potential)
{
	free(potential->step);
	*potential = (struct potential){ 0 };
}

double potential_elapsed(const struct potential *potential, uint32_t p)
{
	double ns = 0, area = 0;

	for (uint32_t i = 0; i < potential->n; i++)
		*(i < p ? &ns : &area) += i < p ? potential->step[i].ns : potential->step[i].area;
	return ns + area / p;
}

uint32_t potential_workers(const struct potential *potential, double part)
{
	double ns = 0, area = 0;

	for (uint32_t i = 0; i < potential->n; i++)
		area += potential->step[i].area;
	for (uint32_t p = 1; p <= potential->n && p < POTENTIAL_WORKERS; p++) {
		ns += potential->step[p - 1].ns;
		area -= potential->step[p - 1].area;
		if ((ns + area / p) * part <= (double)potential->span_ns * (1 + 1e-9))
			return p;
	}
	return 0;
}
