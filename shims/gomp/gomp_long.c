/* SPDX-License-Identifier: MIT */
/* gomp_long.c - tasks with copy constructors, events, wide alignment, or much data. */
#include "shims/gomp/gomp_long.h"

#include <stdalign.h>

#include "shims/common/copy.h"

#include "preload/poison.h"

void gomp_nothing(void *data)
{
}

void *gomp_run_back(struct aside *aside, void *returned)
{
	if (!aside_threw(aside))
		record_end(worker_self(), ((struct gomp_run *)aside)->below);
	return NULL; /* it is of no use: less is kept */
}

/* Whether libgomp forgets the event of the task that begins: see struct gomp_await. */
static bool is_forgotten(const struct stay *stay)
{
	const struct gomp_await *await = &gomp_thread.await;

	return stay->below && stay->below == await->task && stay->task != await->created;
}

/* Up to the program's code: its data. */
static __attribute__((noinline)) void *long_task_begin(struct long_head *head)
{
	uint64_t *data = (void *)((char *)head + head->offset);
	struct worker *worker = record_worker();

	for (int i = 0; i < head->n_words; i++)
		data[i] = head->word[i];
	head->run.aside.back = worker ? gomp_run_back : NULL;
	if (!worker)
		return data;
	struct stay stay =
		head->loop ? stay_member(worker, head->id) : stay_begin(worker, head->id);

	if (head->detached && !is_forgotten(&stay))
		record_detail(worker, WIRE_HANDLE, head->word[0]);
	head->run.below = stay.below;
	return data;
}

static void long_task_run(void *block)
{
	struct long_head *head = block;
	void *data = long_task_begin(head);

	aside_call(data, NULL, NULL, NULL, head->run.aside.back ? &head->run.aside : NULL,
		   (aside_fn *)(uintptr_t)head->fn);
}

/* The program's copy constructor, called by libgomp on the block that the task will get. */
static void long_task_copy(void *to, void *from)
{
	struct long_head *head = from;

	if (head->detached)
		*(uint64_t *)head->data = head->word[0];
	*(struct long_head *)to = *head;
	head->cpyfn((char *)to + head->offset, head->data);
}

/* ---- how it is handed over ---- */

static size_t long_align(const uintptr_t in[6])
{
	return in[IN_ALIGN] > alignof(struct long_head) ? in[IN_ALIGN] : alignof(struct long_head);
}

static size_t long_offset(const uintptr_t in[6])
{
	return (sizeof(struct long_head) + long_align(in) - 1) & ~(long_align(in) - 1);
}

void *long_room(struct omp_aside *aside, const uintptr_t in[6])
{
	size_t bytes = in[IN_CPYFN] ? 0 : in[IN_BYTES];
	char *room = omp_aside_room(aside, long_offset(in) + bytes + long_align(in));

	return (void *)(((uintptr_t)room + long_align(in) - 1) & ~(long_align(in) - 1));
}

void long_lay(void *room, struct long_head head, uintptr_t in[6])
{
	head.fn = (gomp_fn)in[IN_FN];
	head.data = (void *)in[IN_DATA]; /* NOLINT: words */
	head.cpyfn = (gomp_cpyfn)in[IN_CPYFN];
	head.offset = (uint32_t)long_offset(in);
	*(struct long_head *)room = head;
	if (!head.cpyfn)
		copy_bytes((char *)room + head.offset, head.data, in[IN_BYTES]);
	in[IN_FN] = (uintptr_t)long_task_run;
	in[IN_DATA] = (uintptr_t)room;
	in[IN_CPYFN] = head.cpyfn ? (uintptr_t)long_task_copy : 0;
	in[IN_BYTES] += head.offset;
	in[IN_ALIGN] = long_align(in);
}

void *gomp_aside_back(struct aside *aside, void *returned)
{
	struct worker *worker = worker_self();

	if (omp_aside_close(worker, (struct omp_aside *)aside))
		record_resume(worker, worker->task);
	return NULL; /* it is of no use: less is kept */
}
