/* SPDX-License-Identifier: MIT */
/*
 * health.c - the health system of a country, in N days [Das et al. 1997: Colombian health care].
 *
 * A village has a hospital and, above the lowest level, more villages.  Some fall ill at home;
 * who is ill waits for a doctor, is looked at, then treated there, sent home, or sent to the
 * hospital of the next level.  Each day is one recursion over all villages: a task for each that
 * has others below.
 */
#define PORT_SIZE 1460
#define PORT_SMALL 4
#include "test/bench/bots/bots.h"

#define LEVELS 5
#define BRANCHES 6
#define PEOPLE 20 /* a village, at the lowest level */

struct patient {
	struct patient *next;
	int days_left, n_hospitals;
	long days_waited;
};

struct queue {
	struct patient *first, **last;
	long n;
};

struct village {
	struct port_task task;
	struct village *below;
	int level, n_doctors;
	unsigned state; /* of its random numbers */
	struct queue home, waiting, looked_at, treated, sent;
};
PORT_BODY(one_day, struct village)

static void queue_open(struct queue *queue)
{
	queue->first = NULL;
	queue->last = &queue->first;
	queue->n = 0;
}

static void queue_put(struct queue *queue, struct patient *patient)
{
	patient->next = NULL;
	*queue->last = patient;
	queue->last = &patient->next;
	queue->n++;
}

/* All of them, as a list; the queue is empty then. */
static struct patient *queue_take(struct queue *queue)
{
	struct patient *first = queue->first;

	queue_open(queue);
	return first;
}

/* Who is through, of those in `queue`, leaves it for where `leave` says. */
static void pass_on(struct village *at, struct queue *queue,
		    void (*leave)(struct village *at, struct patient *patient))
{
	struct patient *patient = queue_take(queue), *next;

	for (; patient; patient = next) {
		next = patient->next;
		if (--patient->days_left > 0)
			queue_put(queue, patient);
		else
			leave(at, patient);
	}
}

static void leave_treatment(struct village *at, struct patient *patient)
{
	at->n_doctors++;
	queue_put(&at->home, patient);
}

static void leave_examination(struct village *at, struct patient *patient)
{
	unsigned chance = bots_random(&at->state) % 100;

	if (chance < 60) {
		patient->days_left = 10;
		queue_put(&at->treated, patient);
	} else if (chance < 80 || at->level == LEVELS - 1) {
		leave_treatment(at, patient);
	} else {
		at->n_doctors++;
		queue_put(&at->sent, patient);
	}
}

static void see_doctors(struct village *at)
{
	struct patient *patient = queue_take(&at->waiting), *next;

	for (; patient; patient = next) {
		next = patient->next;
		if (at->n_doctors == 0) {
			patient->days_waited++;
			queue_put(&at->waiting, patient);
			continue;
		}
		at->n_doctors--;
		patient->n_hospitals++;
		patient->days_left = 3;
		queue_put(&at->looked_at, patient);
	}
}

static void fall_ill(struct village *at)
{
	struct patient *patient = queue_take(&at->home), *next;

	for (; patient; patient = next) {
		next = patient->next;
		queue_put(bots_random(&at->state) % 1000 < 20 ? &at->waiting : &at->home, patient);
	}
}

static void one_day_here(struct village *at)
{
	pass_on(at, &at->treated, leave_treatment);
	pass_on(at, &at->looked_at, leave_examination);
	see_doctors(at);
	fall_ill(at);
}

static void one_day(struct village *at)
{
	if (at->level == 0) {
		one_day_here(at);
		return;
	}
	PORT_OPEN(group);
	for (int i = 0; i < BRANCHES; i++) {
		memset(&at->below[i].task, 0, sizeof(at->below[i].task));
		if (at->level > 1)
			PORT_CREATE(group, one_day, &at->below[i]);
		else
			one_day(&at->below[i]);
	}
	one_day_here(at);
	if (at->level > 1) {
		PORT_WAIT(group);
	}
	for (int i = 0; i < BRANCHES; i++) {
		struct patient *patient = queue_take(&at->below[i].sent), *next;

		for (; patient; patient = next) {
			next = patient->next;
			queue_put(&at->waiting, patient);
		}
	}
	PORT_CLOSE(group);
}

static void found(struct village *village, int level, unsigned *state)
{
	village->level = level;
	village->state = *state = *state * 3 + 1;
	village->n_doctors = 2 << level;
	queue_open(&village->home);
	queue_open(&village->waiting);
	queue_open(&village->looked_at);
	queue_open(&village->treated);
	queue_open(&village->sent);
	for (int i = 0; i < PEOPLE << level; i++)
		queue_put(&village->home, (struct patient *)bots_alloc(1, sizeof(struct patient)));
	if (level == 0)
		return;
	village->below = (struct village *)bots_alloc(BRANCHES, sizeof(*village));
	for (int i = 0; i < BRANCHES; i++)
		found(&village->below[i], level - 1, state);
}

struct totals {
	long n_people, n_born, n_tasks, days_waited, n_hospitals;
};

static void count(const struct queue *queue, struct totals *totals)
{
	struct patient *patient = queue->first, *next;

	for (; patient; patient = next) {
		next = patient->next;
		totals->n_people++;
		totals->days_waited += patient->days_waited;
		totals->n_hospitals += patient->n_hospitals;
		free(patient);
	}
}

/* Counts, and frees, all of it. */
static void add_up(struct village *village, struct totals *totals)
{
	count(&village->home, totals);
	count(&village->waiting, totals);
	count(&village->looked_at, totals);
	count(&village->treated, totals);
	count(&village->sent, totals);
	totals->n_born += PEOPLE << village->level;
	if (village->level == 0)
		return;
	if (village->level > 1)
		totals->n_tasks += BRANCHES;
	for (int i = 0; i < BRANCHES; i++)
		add_up(&village->below[i], totals);
	free(village->below);
}

static long port_program(long size, long *n_tasks)
{
	struct totals totals = { 0, 0, 0, 0, 0 };
	struct village country;
	unsigned state = 23;

	memset(&country, 0, sizeof(country));
	found(&country, LEVELS - 1, &state);
	for (long day = 0; day < size; day++)
		one_day(&country);
	add_up(&country, &totals);
	bots_check(totals.n_people == totals.n_born, "somebody is lost");
	*n_tasks = totals.n_tasks * size;
	return totals.n_hospitals * 10000000 + totals.days_waited;
}
