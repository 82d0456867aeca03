/* SPDX-License-Identifier: MIT */
/*
 * itt.c - a collector of ITT: what INTEL_LIBITTNOTIFY64 names.
 *
 * A program that was compiled with ITT has a static part, which loads the collector at the first
 * call and hands it a list of its functions; __itt_api_init() puts ours in place of some, and
 * leaves the others as they are without a collector.  The declarations here are of that interface.
 *
 *	task		its name is that of the tasks whose code begins it; of the main thread, a
 *			region as well
 *	frame, event	a region
 *	pause, resume	recording stops, goes on
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "preload/probes/itt/annotations.h"

struct itt_function {
	const char *name; /* "__itt_task_begin" */
	void **at;	  /* what calls go through */
	void *first;	  /* the static part's, until it is initialised */
	void *none;	  /* .. and without a collector */
	int group;
};

struct itt_global {
	unsigned char magic[8];
	unsigned long version[3];
	volatile long initialised[3];
	pthread_mutex_t mutex;
	void *library;
	void *error_handler;
	const char **path;
	struct itt_function *function; /* up to one without a name */
};

struct itt_domain {
	volatile int flags; /* 0: it is switched off */
	const char *name;
};

struct itt_string {
	const char *text;
};

struct itt_id {
	unsigned long long part[3];
};

#define CALLER ((uintptr_t)__builtin_return_address(0))

/* ---- what takes the place of functions ---- */

static void task_begin(const struct itt_domain *domain, struct itt_id id, struct itt_id parent,
		       const struct itt_string *name)
{
	const char *text = name ? name->text : NULL;

	(void)domain;
	(void)id;
	(void)parent;
	annotation_name(CALLER, text);
	annotation_push(CALLER, text);
}

static void task_end(const struct itt_domain *domain)
{
	(void)domain;
	annotation_pop();
}

static void frame_begin(const struct itt_domain *domain, const struct itt_id *id)
{
	(void)id;
	annotation_begin(CALLER, domain ? domain->name : NULL);
}

static void frame_end(const struct itt_domain *domain, const struct itt_id *id)
{
	(void)id;
	if (domain && domain->name)
		annotation_end(domain->name);
}

#define EVENTS_MOST 256u
static char event_name[EVENTS_MOST][ANNOTATION_TEXT];
static _Atomic int n_events;

static int event_create(const char *name, int bytes)
{
	int number = atomic_fetch_add(&n_events, 1);
	size_t n = bytes > 0 ? (size_t)bytes : 0;

	if (number >= (int)EVENTS_MOST || !name)
		return 0; /* none */
	memcpy(event_name[number], name, n < ANNOTATION_TEXT ? n : ANNOTATION_TEXT - 1);
	return number + 1;
}

static int event_start(int event)
{
	if (event > 0 && event <= (int)EVENTS_MOST)
		annotation_begin(CALLER, event_name[event - 1]);
	return 0;
}

static int event_end(int event)
{
	if (event > 0 && event <= (int)EVENTS_MOST)
		annotation_end(event_name[event - 1]);
	return 0;
}

static void itt_pause(void)
{
	annotation_turn(false);
}

static void itt_resume(void)
{
	annotation_turn(true);
}

/* ---- the interface ---- */

#define OURS(what)                                                                                 \
	{                                                                                          \
		"__itt_" #what, (void *)what                                                       \
	}
static const struct {
	const char *name;
	void *function;
} ours[] = {
	OURS(task_begin),
	OURS(task_end),
	OURS(event_create),
	OURS(event_start),
	OURS(event_end),
	{ "__itt_frame_begin_v3", (void *)frame_begin },
	{ "__itt_frame_end_v3", (void *)frame_end },
	{ "__itt_pause", (void *)itt_pause },
	{ "__itt_resume", (void *)itt_resume },
};
#define N_OURS (sizeof(ours) / sizeof(ours[0]))

static void *ours_of(const char *name)
{
	for (size_t i = 0; i < N_OURS; i++)
		if (strcmp(ours[i].name, name) == 0)
			return ours[i].function;
	return NULL;
}

void __itt_api_init(struct itt_global *global, int groups);

/* Under the static part's lock. */
__attribute__((visibility("default"))) void __itt_api_init(struct itt_global *global, int groups)
{
	for (struct itt_function *f = global->function; f && f->name; f++) {
		void *function = f->group & groups ? ours_of(f->name) : NULL;

		*f->at = function ? function : f->none;
	}
}
