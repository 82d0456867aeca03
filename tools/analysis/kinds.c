/* SPDX-License-Identifier: MIT */
/* kinds.c - the work of each task, gathered by kind. */
#include "tools/analysis/kinds.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/xalloc.h"
#include "tools/base/zeroed.h"

/* Of the strand's own task, when so much of the strand is selected. */
static uint64_t work_within(const struct dag *dag, strand_id s, uint64_t within)
{
	const struct collapsed *collapsed = dag_collapsed(dag, s);

	if (!collapsed || within == 0)
		return within;
	return (uint64_t)((unsigned __int128)collapsed->own_ns * within / dag_length(dag, s));
}

uint64_t *kinds_work(const struct dag *dag, const struct select *select)
{
	uint64_t *work = zeroed_alloc(dag->n_tasks + 1ull, sizeof(*work));

	for (task_id t = 0; select && select->part && t < dag->n_tasks; t++)
		work[t] = KINDS_NOT_THERE;
	for (strand_id s = 0; s < dag->n_strands; s++) {
		uint64_t start = dag_start(dag, s), end = dag_end(dag, s);
		uint64_t *of = &work[dag->strand[s].task];

		if (dag_is_node(dag, s) || !select_has(select, start, end))
			continue;
		if (*of == KINDS_NOT_THERE)
			*of = 0;
		*of += work_within(dag, s, select_within(select, start, end));
	}
	return work;
}

/*
 * The medians of all kinds at once: a digit a pass, from the highest, each kind keeps count of
 * the digits of those of its tasks that share the digits found so far.  No list is sorted.
 */
#define DIGIT_BITS 8
#define DIGITS (1u << DIGIT_BITS)

struct search {
	uint64_t prefix; /* of the median: its digits found so far */
	uint64_t rank;	 /* of the median among those with that prefix */
	uint32_t count[DIGITS];
};

static void take_digit(struct search *search)
{
	unsigned digit = 0;

	while (digit + 1 < DIGITS && search->rank >= search->count[digit])
		search->rank -= search->count[digit++];
	search->prefix = search->prefix << DIGIT_BITS | digit;
	memset(search->count, 0, sizeof(search->count));
}

static void find_medians(const struct dag *dag, const uint64_t *work, struct search *search,
			 uint64_t largest)
{
	int shift = 0;

	while (shift + DIGIT_BITS < 64 && largest >> (shift + DIGIT_BITS))
		shift += DIGIT_BITS;
	for (; shift >= 0; shift -= DIGIT_BITS) {
		for (task_id t = 0; t < dag->n_tasks; t++) {
			struct search *of = &search[dag->task_kind[t]];
			uint64_t digits = work[t] >> shift;

			if (dag->task_state[t] & TASK_BEGUN && work[t] != KINDS_NOT_THERE &&
			    digits >> DIGIT_BITS == of->prefix)
				of->count[digits % DIGITS]++;
		}
		for (uint32_t k = 0; k < dag->n_kinds; k++)
			take_digit(&search[k]);
	}
}

static uint64_t count_tasks(const struct dag *dag, const uint64_t *work, struct kind_facts *facts)
{
	uint64_t largest = 0;

	for (task_id t = 0; t < dag->n_tasks; t++) {
		struct kind_facts *kind = &facts[dag->task_kind[t]];

		if (work[t] == KINDS_NOT_THERE)
			continue;
		kind->n_tasks++;
		if (!(dag->task_state[t] & TASK_BEGUN))
			continue;
		if (dag->task_state[t] & TASK_CALLED) {
			kind->n_called++;
			kind->called_ns += work[t];
		}
		if (kind->n_begun++ == 0 || work[t] < kind->min_ns)
			kind->min_ns = work[t];
		if (work[t] > kind->max_ns)
			kind->max_ns = work[t];
		if (work[t] > largest)
			largest = work[t];
	}
	return largest;
}

/* When the longest task of each kind began: the first of equals. */
static void find_longest(const struct dag *dag, const uint64_t *work, struct kind_facts *facts)
{
	for (uint32_t k = 0; k < dag->n_kinds; k++)
		facts[k].max_at_ns = KINDS_NOT_THERE;
	for (strand_id s = 0; s < dag->n_strands; s++) {
		task_id task = dag->strand[s].task;

		if (!(dag->how[s] & STRAND_FIRST) || work[task] == KINDS_NOT_THERE)
			continue;
		struct kind_facts *kind = &facts[dag->task_kind[task]];

		if (work[task] == kind->max_ns && dag_start(dag, s) < kind->max_at_ns)
			kind->max_at_ns = dag_start(dag, s);
	}
}

/*
 * The work of collapsed tasks is known to an eighth.  The median of a kind with such tasks is
 * looked for in the buckets, as if the tasks of a bucket were spread evenly over it.
 */
static void count_in_buckets(const struct dag *dag, const uint64_t *work, uint64_t **n_by_work)
{
	for (task_id t = 0; t < dag->n_tasks; t++)
		if (n_by_work[dag->task_kind[t]] && dag->task_state[t] & TASK_BEGUN &&
		    work[t] != KINDS_NOT_THERE)
			n_by_work[dag->task_kind[t]][wire_bucket(work[t])]++;
}

static uint64_t median_in_buckets(const uint64_t *n_by_work, const struct kind_facts *facts)
{
	uint64_t rank = 0;
	uint32_t bucket = 0;

	for (uint32_t i = 0; i < WIRE_BUCKETS; i++)
		rank += n_by_work[i];
	rank = rank ? (rank - 1) / 2 : 0;

	while (bucket + 1 < WIRE_BUCKETS && rank >= n_by_work[bucket])
		rank -= n_by_work[bucket++];
	uint64_t low = wire_bucket_least(bucket);
	uint64_t high = bucket + 1 < WIRE_BUCKETS ? wire_bucket_least(bucket + 1) : UINT64_MAX;
	double part = n_by_work[bucket] ? ((double)rank + .5) / (double)n_by_work[bucket] : 0;
	uint64_t median = low + (uint64_t)((double)(high - low) * part);

	if (median < facts->min_ns)
		return facts->min_ns;
	return median > facts->max_ns ? facts->max_ns : median;
}

static void add_collapsed(const struct dag *dag, const uint64_t *work, struct kind_facts *facts)
{
	uint64_t **n_by_work = xcalloc(dag->n_kinds + 1ull, sizeof(*n_by_work));

	for (uint32_t k = 0; k < dag->n_kinds; k++) {
		const struct kind_collapsed *collapsed = dag->kind_collapsed[k];
		struct kind_facts *kind = &facts[k];

		uint64_t n = collapsed ? collapsed->n_tasks : 0;

		if (n == 0)
			continue;
		n_by_work[k] = xmalloc(sizeof(collapsed->n_by_work));
		memcpy(n_by_work[k], collapsed->n_by_work, sizeof(collapsed->n_by_work));
		if (kind->n_begun == 0 || collapsed->least_ns < kind->min_ns)
			kind->min_ns = collapsed->least_ns;
		if (collapsed->most_ns > kind->max_ns) {
			kind->max_ns = collapsed->most_ns;
			kind->max_at_ns = KINDS_NOT_THERE;
		}
		kind->n_tasks += n;
		kind->n_begun += n;
	}
	count_in_buckets(dag, work, n_by_work);
	for (uint32_t k = 0; k < dag->n_kinds; k++)
		if (n_by_work[k])
			facts[k].median_ns = median_in_buckets(n_by_work[k], &facts[k]);
	for (uint32_t k = 0; k < dag->n_kinds; k++)
		free(n_by_work[k]);
	free(n_by_work);
}

void kinds_of(const struct dag *dag, const struct select *select, struct kind_facts *facts)
{
	uint64_t *work = kinds_work(dag, select);
	struct search *search = xcalloc(dag->n_kinds + 1ull, sizeof(*search));
	uint64_t largest;

	memset(facts, 0, dag->n_kinds * sizeof(*facts));
	largest = count_tasks(dag, work, facts);
	find_longest(dag, work, facts);
	for (uint32_t k = 0; k < dag->n_kinds; k++)
		search[k].rank = facts[k].n_begun ? (facts[k].n_begun - 1) / 2 : 0;
	find_medians(dag, work, search, largest);
	for (uint32_t k = 0; k < dag->n_kinds; k++)
		if (facts[k].n_begun)
			facts[k].median_ns = search[k].prefix;
	if (dag->n_collapsed)
		add_collapsed(dag, work, facts);
	free(work);
	free(search);
}

struct kind_collapsed *kinds_sums(struct kind_collapsed **there)
{
	if (!*there) {
		*there = xcalloc(1, sizeof(**there));
		(*there)->least_ns = UINT64_MAX;
	}
	return *there;
}
