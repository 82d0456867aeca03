/* SPDX-License-Identifier: MIT */
/*
 * mth_birth.c - births: where they are kept, and the code that begins a task with one.
 *
 * A birth is made on one worker and freed on the one where its task begins.  Each worker has a
 * list of free ones that nobody else touches.  Where one worker makes what others begin, theirs
 * grow; so a long list is cut, and what was cut off is put on a shelf, where who has none looks.
 * A shelf has places for one list each, taken and filled by a single exchange, so that no list is
 * ever shared.
 */
#include "shims/mth.h"

#include <errno.h>
#include <sys/mman.h>

#include "preload/poison.h"

#define LIST_BIRTHS 128 /* cut off at once, at least; as many come from one mmap: a page */
#define SHELF_LISTS 64u

/* Indexed by the worker, as its list stays when the thread exits and another takes its place. */
static struct {
	_Alignas(64) struct birth *list;
	int32_t n_free; /* at least; lists on the shelf may be longer than LIST_BIRTHS */
} pool[WIRE_WORKERS];

static struct birth *_Atomic shelf[SHELF_LISTS];

static struct birth *shelf_take(uint32_t start)
{
	for (uint32_t i = 0; i < SHELF_LISTS; i++) {
		struct birth *_Atomic *place = &shelf[(start + i) % SHELF_LISTS];

		if (atomic_load_explicit(place, memory_order_relaxed)) {
			struct birth *list =
				atomic_exchange_explicit(place, NULL, memory_order_acquire);

			if (list)
				return list;
		}
	}
	return NULL;
}

static bool shelf_put(uint32_t start, struct birth *list)
{
	for (uint32_t i = 0; i < SHELF_LISTS; i++) {
		struct birth *empty = NULL;

		if (atomic_compare_exchange_strong_explicit(&shelf[(start + i) % SHELF_LISTS],
							    &empty, list, memory_order_release,
							    memory_order_relaxed))
			return true;
	}
	return false;
}

/* Another list for a worker whose own is empty: from the shelf, else from the system. */
__attribute__((noinline)) static struct birth *more(struct worker *worker)
{
	struct birth *list = shelf_take(worker->index);
	int saved = errno;

	if (!list) {
		list = mmap(NULL, LIST_BIRTHS * sizeof(*list), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		errno = saved;
		if (list == MAP_FAILED)
			return NULL;
		for (int i = 0; i + 1 < LIST_BIRTHS; i++)
			list[i].next = &list[i + 1];
	}
	pool[worker->index].n_free = LIST_BIRTHS;
	return list;
}

/* Cuts off the list's older half. */
__attribute__((noinline)) static void less(struct worker *worker)
{
	struct birth *last = pool[worker->index].list;

	for (int i = 1; i < LIST_BIRTHS; i++)
		last = last->next;
	if (shelf_put(worker->index, last->next)) {
		last->next = NULL;
		pool[worker->index].n_free = LIST_BIRTHS;
	} else {
		pool[worker->index].n_free = 0; /* the shelf is full: ask again in a while */
	}
}

/* Hot path: a birth from this worker's list. */
struct birth *birth_new(struct worker *worker)
{
	struct birth *birth = pool[worker->index].list;

	if (__builtin_expect(!birth, 0)) {
		birth = more(worker);
		if (!birth)
			return NULL;
	}
	pool[worker->index].list = birth->next;
	pool[worker->index].n_free--;
	return birth;
}

/* Hot path: a birth to this worker's list. */
void birth_free(struct worker *worker, struct birth *birth)
{
	birth->next = pool[worker->index].list;
	pool[worker->index].list = birth;
	if (__builtin_expect(++pool[worker->index].n_free >= 2 * LIST_BIRTHS, 0))
		less(worker);
}

/* Hot path: runs a task.  Nothing is below it: the stack is its own. */
void *birth_run(void *arg)
{
	struct birth birth = *(struct birth *)arg;
	struct worker *worker = record_worker();
	void *result;

	if (!worker)
		return birth.func(birth.arg);
	birth_free(worker, arg);
	record_begin(worker, birth.id);
	result = birth.func(birth.arg);
	mth_end();
	return result;
}
