/* SPDX-License-Identifier: MIT */
/*
 * tbb_again.c - task objects that are handed over again before they have run.
 *
 * No public interface does so, but programs that make tasks of their own may, from several threads
 * at once.  Each time is a task of its own, with a name of its own, and who runs the object takes
 * the oldest.  Such an object has a copy of its vtable that leads here, until it has run as often
 * as it was handed over.  That takes a lock; so only classes have it that are not oneTBB's own, and
 * those of which an object was seen to be handed over so.
 */
#include "shims/tbb/tbb_vtable.h"

#include "preload/libc.h"
#include "preload/poison.h"

#define OBJECTS 4096u /* at once; a power of two */
#define PROBES 16u

struct object {
	const struct tbb_task *task; /* NULL: free */
	uint64_t first_name;
	uint32_t n_made, n_run; /* since it is in the table */
	bool plain;		/* the first was made as any other: its name is the address */
};

static struct object objects[OBJECTS];
static _Atomic uint32_t lock;

/* The task's entry, or a free one for it; NULL if there is none.  With the lock. */
static struct object *object_of(const struct tbb_task *task, bool make)
{
	uint64_t hash = ((uintptr_t)task >> 6) * 0x9e3779b97f4a7c15u >> 40;
	struct object *unused = NULL;

	for (uint32_t i = 0; i < PROBES; i++) {
		struct object *object = &objects[(hash + i) % OBJECTS];

		if (object->task == task)
			return object;
		if (!object->task && !unused)
			unused = object;
	}
	return make ? unused : NULL;
}

/* No address is odd. */
static uint64_t object_name(const struct object *object, uint32_t n)
{
	return n == 0 && object->plain ? (uintptr_t)object->task : object->first_name + 2u * n;
}

void again_acquire(void)
{
	libc_lock(&lock);
}

void again_release(void)
{
	libc_unlock(&lock);
}

void again_forget(void)
{
	for (uint32_t i = 0; i < OBJECTS; i++)
		objects[i].task = NULL;
	atomic_store(&lock, 0);
}

uint64_t again_name(struct tbb_task *task, const struct vtable *vtable)
{
	static uint64_t n_entries;
	const uintptr_t *word = task->vtable;
	bool pending = vtable_is_copy(word);
	struct object *object = object_of(task, true);

	if (!object)
		return 0;
	if (!vtable_is_again(word)) {
		vtable = vtable_again(vtable);
		if (!vtable)
			return 0;
		*object = (struct object){ .task = task,
					   .first_name = ++n_entries << 32 | 1,
					   .n_made = pending,
					   .plain = pending };
		task->vtable = vtable->word;
	}
	return object->task == task ? object_name(object, object->n_made++) : 0;
}

uint64_t again_run(struct tbb_task *task, const struct vtable *vtable)
{
	struct object *object;
	uint64_t name = 0;

	again_acquire();
	object = object_of(task, false);
	if (object)
		name = object_name(object, object->n_run++);
	if (!object || object->n_run == object->n_made) {
		task->vtable = vtable->original;
		if (object)
			object->task = NULL;
	}
	again_release();
	return name;
}
