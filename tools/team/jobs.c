/* SPDX-License-Identifier: MIT */
/* jobs.c - compares what traces say of their processes. */
#include "tools/team/jobs.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/xalloc.h"

#define SLACK_S 60u /* clocks of two hosts, and ranks that start late */

enum relation { UNKNOWN, SAME, DIFFERENT };

static void copy(char **out, const char *text)
{
	*out = text && *text ? xstrdup(text) : NULL;
}

void job_facts_of(struct job_facts *facts, const struct reader *reader)
{
	const struct defs *defs = reader_defs(reader);
	const struct reader_facts *file = reader_facts(reader);

	*facts = (struct job_facts){ .ppid = defs_meta_number(defs, "ppid"),
				     .began_ns = defs_meta_number(defs, "began_ns"),
				     .ended_ns = defs_meta_number(defs, "ended_ns"),
				     .recorded = defs_meta_number(defs, "recorded") };
	if (facts->began_ns && !facts->ended_ns)
		facts->ended_ns = facts->began_ns + file->last_ns;
	copy(&facts->job, defs_meta(defs, "job"));
	copy(&facts->launcher, defs_meta(defs, "launcher"));
}

void job_facts_free(struct job_facts *facts)
{
	if (!facts)
		return;
	free(facts->job);
	free(facts->launcher);
	*facts = (struct job_facts){ 0 };
}

static enum relation names(const char *a, const char *b)
{
	if (!a || !b)
		return UNKNOWN;
	return strcmp(a, b) == 0 ? SAME : DIFFERENT;
}

/* Whether they ran at the same time. */
static enum relation times(const struct input *a, const struct input *b)
{
	const struct job_facts *x = a->facts, *y = b->facts;
	uint64_t apart;

	if (strcmp(a->host, b->host) == 0 && x->began_ns && y->began_ns)
		return x->began_ns < y->ended_ns && y->began_ns < x->ended_ns ? SAME : DIFFERENT;
	if (!x->recorded || !y->recorded)
		return UNKNOWN;
	apart = x->recorded > y->recorded ? x->recorded - y->recorded : y->recorded - x->recorded;
	return apart <= SLACK_S ? SAME : DIFFERENT;
}

static bool is_child(const struct input *a, const struct input *b)
{
	return strcmp(a->host, b->host) == 0 && b->pid && a->facts->ppid == b->pid &&
	       a->facts->began_ns >= b->facts->began_ns;
}

static enum relation relation(const struct input *a, const struct input *b)
{
	enum relation jobs = names(a->facts->job, b->facts->job);
	enum relation launchers = names(a->facts->launcher, b->facts->launcher);
	bool ranks = a->has_rank && b->has_rank;

	if (jobs == SAME)
		return SAME;
	if (ranks && a->rank == b->rank)
		return DIFFERENT;
	if (launchers != UNKNOWN)
		return launchers == SAME && times(a, b) != DIFFERENT ? SAME : DIFFERENT;
	if (ranks)
		return times(a, b);
	if (jobs == DIFFERENT)
		return DIFFERENT;
	if (is_child(a, b) || is_child(b, a))
		return SAME;
	if (!a->facts->recorded || !b->facts->recorded)
		return UNKNOWN;
	if (strcmp(a->host, b->host) != 0 || a->facts->ppid != b->facts->ppid)
		return DIFFERENT;
	return times(a, b);
}

/* The job that an input's stands for, while jobs are joined. */
static uint32_t root_of(const struct inputs *inputs, uint32_t i)
{
	while (inputs->at[i].job != i)
		i = inputs->at[i].job;
	return i;
}

static void join(struct inputs *inputs, uint32_t i, uint32_t j)
{
	uint32_t a = root_of(inputs, i), b = root_of(inputs, j);

	inputs->at[a < b ? b : a].job = a < b ? a : b;
}

/* Whether all may be of one job: no two are known to be of different ones. */
static bool may_be_one(const struct inputs *inputs)
{
	for (uint32_t i = 0; i < inputs->n; i++)
		for (uint32_t j = 0; j < i; j++)
			if (relation(&inputs->at[i], &inputs->at[j]) == DIFFERENT &&
			    root_of(inputs, i) != root_of(inputs, j))
				return false;
	return true;
}

uint32_t jobs_find(struct inputs *inputs, enum jobs_rest rest)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < inputs->n; i++)
		inputs->at[i].job = i;
	for (uint32_t i = 0; i < inputs->n; i++)
		for (uint32_t j = 0; j < i; j++)
			if (relation(&inputs->at[i], &inputs->at[j]) == SAME)
				join(inputs, i, j);
	if (rest == JOBS_REST_TOGETHER && may_be_one(inputs))
		for (uint32_t i = 1; i < inputs->n; i++)
			join(inputs, i, 0);
	for (uint32_t i = 0; i < inputs->n; i++)
		inputs->at[i].job = root_of(inputs, i);
	for (uint32_t i = 0; i < inputs->n; i++) { /* roots come before the others */
		uint32_t root = inputs->at[i].job;

		inputs->at[i].job = root == i ? n++ : inputs->at[root].job;
	}
	return n;
}
