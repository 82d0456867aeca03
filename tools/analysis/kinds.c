/* SPDX-License-Identifier: MIT */
/* kinds.c - the work of each task, gathered by kind. */
#include "tools/analysis/kinds.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NOT_THERE UINT64_MAX /* work of a task that did not run in the selected time */

static uint64_t *work_by_task(const struct dag *dag, const struct select *select)
{
	uint64_t *work = calloc(dag->n_tasks + 1ull, sizeof(*work));

	for (task_id t = 0; work && select && select->part && t < dag->n_tasks; t++)
		work[t] = NOT_THERE;
	for (strand_id s = 0; work && s < dag->n_strands; s++) {
		uint64_t start = dag_start(dag, s), end = dag_end(dag, s);
		uint64_t *of = &work[dag->strand[s].task];

		if (dag_is_node(dag, s) || !select_has(select, start, end))
			continue;
		if (*of == NOT_THERE)
			*of = 0;
		*of += select_within(select, start, end);
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

			if (dag->task_state[t] & TASK_BEGUN && work[t] != NOT_THERE &&
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

		if (work[t] == NOT_THERE)
			continue;
		kind->n_tasks++;
		if (!(dag->task_state[t] & TASK_BEGUN))
			continue;
		if (kind->n_begun++ == 0 || work[t] < kind->min_ns)
			kind->min_ns = work[t];
		if (work[t] > kind->max_ns)
			kind->max_ns = work[t];
		if (work[t] > largest)
			largest = work[t];
	}
	return largest;
}

int kinds_of(const struct dag *dag, const struct select *select, struct kind_facts *facts)
{
	uint64_t *work = work_by_task(dag, select);
	struct search *search = calloc(dag->n_kinds + 1ull, sizeof(*search));
	int error = work && search ? 0 : -ENOMEM;

	memset(facts, 0, dag->n_kinds * sizeof(*facts));
	if (!error) {
		uint64_t largest = count_tasks(dag, work, facts);

		for (uint32_t k = 0; k < dag->n_kinds; k++)
			search[k].rank = facts[k].n_begun ? (facts[k].n_begun - 1) / 2 : 0;
		find_medians(dag, work, search, largest);
		for (uint32_t k = 0; k < dag->n_kinds; k++)
			if (facts[k].n_begun)
				facts[k].median_ns = search[k].prefix;
	}
	free(work);
	free(search);
	return error;
}
