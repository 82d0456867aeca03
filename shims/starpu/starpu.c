/* SPDX-License-Identifier: MIT */
/* starpu.c - what is to be known of an instance of StarPU, and the kinds of its tasks. */
#include "shims/starpu/starpu.h"
#include "shims/starpu/starpu_fields.h"

#include <stdio.h>
#include <string.h>

STARPU_IN_STARPU(CALL_WRAPPER)

__thread struct starpu_thread starpu_thread;

#define TASK_ROOM 2048
#define UNTOUCHED 0xa5
#define MAGIC 42 /* [_STARPU_TASK_MAGIC] */

/* Whether tasks and codelets of this instance look as the layout says. */
static bool layout_fits(struct starpu *s, const struct starpu_layout *layout)
{
	uint64_t room[TASK_ROOM / 8];
	unsigned char *bytes = (unsigned char *)room;
	unsigned n = TASK_ROOM;

	memset(room, UNTOUCHED, sizeof(room));
	s->starpu_task_init(room);
	while (n && bytes[n - 1] == UNTOUCHED)
		n--;
	if (n != layout->task_bytes ||
	    (layout->magic && starpu_half_at(room, layout->magic) != MAGIC))
		return false;
	if (layout->sched_ctx)
		s->no_ctx = starpu_half_at(room, layout->sched_ctx);
	if (!s->fstarpu_codelet_set_nbuffers)
		return true;
	memset(room, 0, sizeof(room));
	s->fstarpu_codelet_set_nbuffers(room, 3);
	return starpu_half_at(room, layout->cl_nbuffers) == 3;
}

static const struct starpu_layout *layout_of(struct starpu *s, int minor, int micro)
{
	for (unsigned i = 0; i < STARPU_LAYOUTS; i++) {
		const struct starpu_layout *layout = &starpu_layouts[i];

		if (layout->minor == minor && layout->micro_first <= micro &&
		    micro <= layout->micro_last && layout_fits(s, layout))
			return layout;
	}
	return NULL;
}

static void starpu_identify(void *instance, void *handle)
{
	struct starpu *s = instance;
	int major = 0, minor = 0, micro = 0;
	char version[64];

	if (s->starpu_get_version)
		s->starpu_get_version(&major, &minor, &micro);
	if (major == 1 && s->starpu_task_init && s->starpu_data_get_sequential_consistency_flag)
		s->layout = layout_of(s, minor, micro);
	snprintf(version, sizeof(version), "%d.%d.%d%s", major, minor, micro,
		 s->layout ? "" : " (unknown layout: recorded without dependences)");
	s->head.runtime = record_runtime("StarPU", version);
}

/* The name of a codelet: its own, or that of its performance model. */
static const char *codelet_name(struct starpu *s, void *cl)
{
	uint64_t task[TASK_ROOM / 8] = { 0 };

	if (!s->starpu_task_get_name)
		return NULL;
	memcpy((char *)task + s->layout->cl, &cl, sizeof(cl));
	return s->starpu_task_get_name(task);
}

/* The name of a task that has no codelet. */
static const char *task_name(const void *task)
{
	const char *name = (const char *)starpu_word_at(task, STARPU_TASK_NAME);

	return name ? name : "(empty task)";
}

/* A task's site has its codelet's function and name; `function` is then only a part of the key. */
static uint32_t starpu_site(void *instance, uintptr_t return_address, uintptr_t function)
{
	struct starpu *s = instance;
	const void *task = starpu_thread.site_task;
	void *cl = task ? starpu_cl(s, task) : NULL;
	const char *name = NULL;

	if (task) {
		function = cl ? starpu_word_at(cl, STARPU_CL_CPU_FUNCS) : 0;
		if (cl)
			name = codelet_name(s, cl);
		else if (s->layout)
			name = task_name(task);
		else if (s->starpu_task_get_name)
			name = s->starpu_task_get_name((void *)task);
	}
	return record_site_named(s->head.runtime, return_address, function, name);
}

CALL_RUNTIME(starpu, STARPU_FUNCTIONS(CALL_DOOR),
	     STARPU_FUNCTIONS(CALL_NAME) STARPU_VARIADICS(CALL_NAME) STARPU_ASKED(CALL_NAME),
	     .probe = "starpu_task_submit", .library = "libstarpu-1.3.so.9",
	     .identify = starpu_identify, .site = starpu_site);

bool starpu_is_empty(const struct starpu *s, const void *task)
{
	const struct starpu_layout *layout = s->layout;
	const void *cl = starpu_cl(s, task);

	if (!layout)
		return false;
	return !cl || starpu_half_at(cl, STARPU_CL_WHERE) == 1 /* STARPU_NOWHERE */ ||
	       (layout->where && starpu_half_at(task, layout->where) == 1);
}

int starpu_init(void *conf)
{
	struct callsite *callsite = CALLSITE(starpu, starpu_init, NULL);
	struct starpu *s = starpu_of(callsite);
	int result = s->starpu_init(conf);

	if (result == 0 && callsite->site && s->starpu_worker_get_count)
		record_runtime_workers(s->head.runtime, s->starpu_worker_get_count());
	return result;
}
