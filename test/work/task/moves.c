// SPDX-License-Identifier: MIT
// moves.c - tasks that wait for one another by events and yield, and go on on any thread.
// expect: r["edges"]["sync"] == 2000
// expect: r["tasks_ended"] == 10
#include "test/steal/steal.h"

#include <stdio.h>
#include <stdlib.h>

#define PAIRS 5
#define ROUNDS 200

static struct pair {
	struct steal_task one, other;
	struct steal_event to_one, to_other;
	long n;
} pair[PAIRS];

static void one(void *arg)
{
	struct pair *at = arg;

	for (int i = 0; i < ROUNDS; i++) {
		at->n++;
		steal_event_set(&at->to_other);
		steal_event_wait(&at->to_one);
	}
}

static void other(void *arg)
{
	struct pair *at = arg;

	for (int i = 0; i < ROUNDS; i++) {
		steal_event_wait(&at->to_other);
		at->n++;
		steal_event_set(&at->to_one);
		if (i % 7 == 0)
			steal_yield();
	}
}

int main(void)
{
	struct steal_group group = { 0 };
	long sum = 0;

	steal_start((unsigned)atoi(getenv("STEAL_WORKERS")));
	for (int i = 0; i < PAIRS; i++) {
		steal_spawn(&pair[i].one, &group, one, &pair[i]);
		steal_spawn(&pair[i].other, &group, other, &pair[i]);
	}
	steal_wait(&group);
	steal_stop();
	for (int i = 0; i < PAIRS; i++)
		sum += pair[i].n;
	printf("%ld\ntptrace-tasks %d\n", sum, 2 * PAIRS);
	return 0;
}
