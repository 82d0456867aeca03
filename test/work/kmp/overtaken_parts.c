/* SPDX-License-Identifier: MIT */
/* Plays libomp to its tool, as where that is linked statically: parts of untied tasks overtake one
 * another between two threads.  On the helper T yields to S, whose part is over without a word, as
 * the next one is queued; then T's next part is queued, and begun by main before the helper's is
 * over.  The last that is over tells of T's end: the helper.  What main tells, and when, differs.
 */
// expect: r["tasks_ended"] == r["tasks"] - 1 == 12
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef union {
	uint64_t value;
	void *pointer;
} data;
typedef void (*callback)(void);
typedef callback (*lookup_fn)(const char *);
struct start {
	int (*initialize)(lookup_fn, int, data *);
	void (*finalize)(data *);
	data tool;
};

enum { COMPLETE = 1, YIELD = 2, SWITCH = 7 };
enum { BEGIN = 1, END = 2 };
enum { IMPLICIT = 2, UNTIED = 0x10000004, TEAM = 0x80000000, BARRIER_OF_REGION = 9 };

static callback callbacks[64];

static int set_callback(int event, callback function)
{
	callbacks[event] = function;
	return 5;
}

static callback lookup(const char *name)
{
	return strcmp(name, "ompt_set_callback") == 0 ? (callback)set_callback : NULL;
}

/* ---- what libomp tells ---- */

static data root, region, member[2];

static void schedule(data *prior, int status, data *next)
{
	((void (*)(data *, int, data *))callbacks[6])(prior, status, next);
}

static void create(data *task)
{
	((void (*)(data *, void *, data *, int, int, const void *))callbacks[5])(
		&member[0], NULL, task, UNTIED, 0, (const void *)create);
}

static void implicit(int endpoint, int n)
{
	((void (*)(int, data *, data *, unsigned, unsigned, int))callbacks[7])(
		endpoint, endpoint == BEGIN ? &region : NULL, &member[n], 2, (unsigned)n, IMPLICIT);
}

static void barrier(int n)
{
	((void (*)(int, int, data *, data *, const void *))callbacks[23])(
		BARRIER_OF_REGION, BEGIN, &region, &member[n], NULL);
}

/* ---- the helper, which does one thing at a time ---- */

static void (*todo)(void);
static sem_t given, done;

static void *help(void *arg)
{
	for (;;) {
		sem_wait(&given);
		if (!todo)
			return arg;
		todo();
		sem_post(&done);
	}
}

static void helper(void (*does)(void))
{
	todo = does;
	sem_post(&given);
	if (does)
		sem_wait(&done);
}

/* ---- the regions ---- */

static data t, s;

static void begins_both(void)
{
	implicit(BEGIN, 1);
	barrier(1);
	schedule(&member[1], SWITCH, &t);
	schedule(&t, YIELD, &s);
}

static void ends_t(void)
{
	schedule(&t, COMPLETE, &member[1]);
}

static void runs_s(void)
{
	schedule(&member[1], SWITCH, &s);
	schedule(&s, COMPLETE, &member[1]);
}

static void leaves(void)
{
	implicit(END, 1);
}

static void play(int how)
{
	((void (*)(data *, void *, data *, unsigned, int, const void *))callbacks[3])(
		&root, NULL, &region, 2, (int)TEAM, (const void *)play);
	implicit(BEGIN, 0);
	create(&t);
	create(&s);
	barrier(0);
	helper(begins_both);
	schedule(&member[0], SWITCH, &t);
	if (how == 0) { /* main runs S once it is told */
		helper(ends_t);
		schedule(&member[0], SWITCH, &s);
		schedule(&s, COMPLETE, &member[0]);
	} else if (how == 1) { /* .. and before */
		schedule(&member[0], SWITCH, &s);
		helper(ends_t);
		schedule(&s, COMPLETE, &member[0]);
	} else { /* main tells nothing more */
		helper(ends_t);
		helper(runs_s);
	}
	helper(leaves);
	implicit(END, 0);
	((void (*)(data *, data *, int, const void *))callbacks[4])(&region, &root, (int)TEAM,
								    (const void *)play);
}

int main(void)
{
	struct start *(*tool)(unsigned, const char *) = NULL;
	struct start *start;
	pthread_t thread;

	*(void **)&tool = dlsym(RTLD_DEFAULT, "ompt_start_tool");
	start = tool ? tool(201811, "a test") : NULL;
	if (start && start->initialize(lookup, 0, &start->tool)) {
		sem_init(&given, 0, 0);
		sem_init(&done, 0, 0);
		pthread_create(&thread, NULL, help, NULL);
		for (int how = 0; how < 3; how++)
			play(how);
		helper(NULL);
		pthread_join(thread, NULL);
	}
	printf("tptrace-tasks 6\n");
	return 0;
}
