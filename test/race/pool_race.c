/* SPDX-License-Identifier: MIT */
/*
 * pool_race.c - a pool's records under -fsanitize=thread: threads take them, and hand them to
 * others, which give them back.  Exit status 0, or 1 and what came out wrong; the tool's own
 * reports end it with 66.
 *
 * Nothing leads back from who gives to who takes but the shelf.  Built with -DBREAK_SHELF that
 * lacks its release, and the tool must say so.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#ifdef BREAK_SHELF
#define memory_order_release memory_order_relaxed
#endif
#include "shims/common/pool.c"
#undef memory_order_release

#define PAIRS 2
#define RECORDS 100000
#define CELLS 1024 /* on the way; more than what is cut off at once */

struct record {
	struct pool_record *next;
	uint64_t is_taken;
};

static struct pool pool = { .record_bytes = sizeof(struct record) };
static struct record *_Atomic cell[PAIRS][CELLS];
static _Atomic bool wrong;

static void *takes(void *arg)
{
	uint32_t pair = (uint32_t)(uintptr_t)arg;
	struct pool_list list = { 0 };

	for (uint32_t i = 0; i < RECORDS; i++) {
		struct record *record = pool_take(&pool, &list, pair);

		if (!record || record->is_taken) {
			wrong = true;
			return NULL;
		}
		record->is_taken = 1;
		while (atomic_load_explicit(&cell[pair][i % CELLS], memory_order_relaxed))
			sched_yield();
		atomic_store_explicit(&cell[pair][i % CELLS], record, memory_order_release);
	}
	return NULL;
}

static void *gives(void *arg)
{
	uint32_t pair = (uint32_t)(uintptr_t)arg;
	struct pool_list list = { 0 };

	for (uint32_t i = 0; i < RECORDS && !wrong; i++) {
		struct record *record;

		while (!(record = atomic_load_explicit(&cell[pair][i % CELLS],
						       memory_order_acquire)) &&
		       !wrong)
			sched_yield();
		atomic_store_explicit(&cell[pair][i % CELLS], NULL, memory_order_relaxed);
		if (!record || !record->is_taken)
			wrong = true;
		else
			record->is_taken = 0;
		if (record)
			pool_give(&pool, &list, PAIRS + pair, record);
	}
	return NULL;
}

int main(void)
{
	pthread_t thread[2 * PAIRS];

	for (uintptr_t i = 0; i < PAIRS; i++) {
		pthread_create(&thread[i], NULL, takes, (void *)i);
		pthread_create(&thread[PAIRS + i], NULL, gives, (void *)i);
	}
	for (int i = 0; i < 2 * PAIRS; i++)
		pthread_join(thread[i], NULL);
	if (wrong)
		puts("pool_race: a record was taken twice, or none was there");
	return wrong;
}
