/* SPDX-License-Identifier: MIT */
/* gomp_long.c - tasks with copy constructors, events, dependences, wide alignment, or much data. */
#include "shims/gomp/gomp_long.h"

#include <stdalign.h>

#include "shims/common/copy.h"
#include "shims/common/pool.h"

#include "preload/poison.h"

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
	head->recorded = worker != NULL;
	if (!worker)
		return data;
	struct stay stay =
		head->loop ? stay_member(worker, head->id) : stay_begin(worker, head->id);

	if (head->detached && !is_forgotten(&stay))
		record_detail(worker, WIRE_HANDLE, head->word[0]);
	head->below = stay.below;
	return data;
}

/* With 16 bytes of stack: one word is kept. */
void long_task_run(void *block)
{
	struct long_head *head = block;
	void *data = long_task_begin(head);

	head->fn(data);
	if (head->recorded)
		gomp_task_end(head->below);
}

void long_task_copy(void *to, void *from)
{
	struct long_head *head = from;

	if (head->detached)
		*(uint64_t *)head->data = head->word[0];
	*(struct long_head *)to = *head;
	head->cpyfn((char *)to + head->offset, head->data);
}

void parcel_pack(struct parcel *parcel, gomp_fn fn, void *data, gomp_cpyfn cpyfn, long bytes,
		 long align)
{
	size_t wide =
		align > (long)alignof(struct long_head) ? (size_t)align : alignof(struct long_head);

	parcel->head.fn = fn;
	parcel->head.cpyfn = cpyfn;
	parcel->head.data = data;
	parcel->head.offset = (uint32_t)((sizeof(struct long_head) + wide - 1) & ~(wide - 1));
	parcel->bytes = (size_t)bytes;
	parcel->align = wide;
}

void *parcel_lay(const struct parcel *parcel, char *room)
{
	uintptr_t at = ((uintptr_t)room + parcel->align - 1) & ~(parcel->align - 1);

	*(struct long_head *)at = parcel->head;
	copy_bytes((char *)at + parcel->head.offset, parcel->head.data, parcel->bytes);
	return (void *)at;
}

/* ---- what is kept aside ---- */

/* Of a thread, in its worker's memory. */
struct asides {
	struct aside *innermost;
	struct pool_list spare;
};
_Static_assert(sizeof(struct asides) <= sizeof(((struct gomp_room *)0)->asides), "has room");

static struct pool pool = { .record_bytes = sizeof(struct aside) };

static inline struct asides *asides_of(struct worker *worker)
{
	return (struct asides *)gomp_room((struct omp_room *)worker->shim)->asides;
}

struct aside *aside_open(struct worker *worker, const void *at)
{
	struct asides *own = asides_of(worker);
	struct aside *aside = pool_take(&pool, &own->spare, worker->index);

	if (!aside)
		return NULL;
	aside->outer = own->innermost;
	aside->at = at;
	own->innermost = aside;
	return aside;
}

/* Those that the thread opened later have not returned, and never will: pthread_exit() was called,
 * or longjmp(). */
void aside_close(const void *at, struct gomp_await *await)
{
	struct worker *worker = worker_self();
	struct asides *own = worker ? asides_of(worker) : NULL;

	for (struct aside **link = own ? &own->innermost : NULL; link && *link;
	     link = &(*link)->outer) {
		struct aside *aside = *link;

		if (aside->at != at)
			continue;
		*link = aside->outer;
		*await = aside->await;
		pool_give(&pool, &own->spare, worker->index, aside);
		return;
	}
}
