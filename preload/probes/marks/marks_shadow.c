/* SPDX-License-Identifier: MIT */
/* marks_shadow.c - tables of tasks, needs and objects that only grow. */
#include "preload/probes/marks/marks_shadow.h"

#include <stddef.h>
#include <sys/mman.h>

#define BLOCK 16384u   /* entries of a table that are mapped at once */
#define BLOCKS 65536u  /* of a table: 2^30 entries */
#define OBJECTS 65536u /* at first; a power of two */

struct grown {
	size_t bytes; /* of an entry */
	uint32_t n;   /* the last number given */
	char **block; /* BLOCKS of them, mapped at the first */
};

static struct grown tasks = { .bytes = sizeof(struct shadow_task) };
static struct grown needs = { .bytes = sizeof(struct shadow_need) };
static struct {
	struct shadow_object *object;
	uint64_t n, room;
} objects;

/* Zeroed; NULL without memory.  malloc() may be the program's. */
static void *map_zeroed(size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

static void *grown_at(const struct grown *grown, uint64_t number)
{
	if (!number || number > grown->n)
		return NULL;
	return grown->block[number / BLOCK] + number % BLOCK * grown->bytes;
}

/* Entries never move, so that a pointer to one stays valid. */
static uint32_t grown_add(struct grown *grown)
{
	uint32_t number = grown->n + 1, at = number / BLOCK;

	if (!grown->block)
		grown->block = map_zeroed(BLOCKS * sizeof(grown->block[0]));
	if (!grown->block || at >= BLOCKS)
		return 0;
	if (!grown->block[at])
		grown->block[at] = map_zeroed(BLOCK * grown->bytes);
	if (!grown->block[at])
		return 0;
	return grown->n = number;
}

uint32_t shadow_add(void)
{
	return grown_add(&tasks);
}

uint32_t shadow_tasks(void)
{
	return tasks.n;
}

struct shadow_task *shadow_task(uint64_t number)
{
	return grown_at(&tasks, number);
}

void shadow_need(struct shadow_task *task, uint64_t object, bool is_task)
{
	uint32_t number = grown_add(&needs);
	struct shadow_need *need = grown_at(&needs, number);

	if (!need)
		return;
	*need = (struct shadow_need){ object, task->need, is_task };
	task->need = number;
}

const struct shadow_need *shadow_need_of(uint32_t number)
{
	return grown_at(&needs, number);
}

/* ---- objects ---- */

/* Its entry, or the free one where it would be. */
static struct shadow_object *entry_of(uint64_t key)
{
	uint64_t at = (key * UINT64_C(0x9e3779b97f4a7c15)) >> 20;

	while (objects.object[at % objects.room].key &&
	       objects.object[at % objects.room].key != key)
		at++;
	return &objects.object[at % objects.room];
}

/* At most half of the table is ever full. */
static bool grow(void)
{
	struct shadow_object *old = objects.object;
	uint64_t n = objects.room;
	size_t bytes = (size_t)(n ? 2 * n : OBJECTS) * sizeof(*old);
	struct shadow_object *wider = map_zeroed(bytes);

	if (!wider)
		return false;
	objects.object = wider;
	objects.room = bytes / sizeof(*old);
	for (uint64_t i = 0; i < n; i++)
		if (old[i].key)
			*entry_of(old[i].key) = old[i];
	if (old)
		munmap(old, (size_t)n * sizeof(*old));
	return true;
}

struct shadow_object *shadow_object(uint64_t key)
{
	struct shadow_object *object;

	if (!key || (objects.n >= objects.room / 2 && !grow()))
		return NULL;
	object = entry_of(key);
	if (!object->key)
		objects.n++;
	object->key = key;
	return object;
}
