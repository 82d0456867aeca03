/* SPDX-License-Identifier: MIT */
/* tbb_point.c - a table of objects of flow graphs, and copies of vtables. */
#include "shims/tbb/nodes/tbb_point.h"

#include "preload/budget.h"
#include "preload/libc.h"

#include "preload/poison.h"

#define ALL_WORDS 8  /* of vtables of receivers and senders, 2021.1 .. 2023 */
#define CLASSES 512u /* templates' instances */
#define PROBES 32u

static struct flow_class classes[CLASSES];
static uint32_t n_classes;
struct flow_point *_Atomic flow_points;
_Atomic uint32_t flow_lock;
const struct flow_ours *_Atomic flow_ours;

/* ---- points ---- */

/* Untouched pages of it take no memory. */
static struct flow_point *points_map(void)
{
	struct flow_point *all = map_zeroed(FLOW_POINTS * sizeof(*all));

	atomic_store_explicit(&flow_points, all, memory_order_release);
	return all;
}

struct flow_point *point_of(uintptr_t address, bool make)
{
	struct flow_point *all = atomic_load_explicit(&flow_points, memory_order_acquire);
	uint64_t hash = (uint64_t)(address >> 3) * 0x9e3779b97f4a7c15u >> 40;

	if (!all && make)
		all = points_map();
	for (uint32_t i = 0; all && i < PROBES; i++) {
		struct flow_point *point = &all[(hash + i) % FLOW_POINTS];
		uintptr_t at = atomic_load_explicit(&point->address, memory_order_acquire);

		if (at == address)
			return point;
		if (!at && make)
			atomic_store_explicit(&point->address, address, memory_order_release);
		if (!at)
			return make ? point : NULL;
	}
	return NULL;
}

/* No address of user space, and no other name of this shim, has this bit. */
#define NAME_MARK (UINT64_C(1) << 59)
#define NAME_POINT_AT 40

uint64_t flow_name(const struct flow_message *message)
{
	uint64_t number = message->number & ((UINT64_C(1) << NAME_POINT_AT) - 1);

	return NAME_MARK | (uint64_t)point_number(message->point) << NAME_POINT_AT | number;
}

/* ---- vtables ---- */

bool class_is_copy(const uintptr_t *vtable)
{
	return (uintptr_t)vtable - (uintptr_t)classes < sizeof(classes);
}

/* As many words as its module has there: how many belong to the vtable, nothing says. */
static void class_copy(struct flow_class *class, const uintptr_t *original)
{
	struct segment segment = segment_of((uintptr_t)original);

	for (int n = -FLOW_BEFORE; n < FLOW_WORDS; n++) {
		uintptr_t *to = n < 0 ? &class->before[FLOW_BEFORE + n] : &class->word[n];
		uintptr_t from = (uintptr_t)(original + n);

		if ((n >= TBB_VTABLE_TOP && n < ALL_WORDS) ||
		    (from >= segment.start && from + sizeof(*to) <= segment.end))
			*to = original[n];
	}
	class->original = original;
	class->put = original[FLOW_PUT];
}

struct flow_class *class_get(uintptr_t object)
{
	const uintptr_t *original = body_word_at(*body_word_at(object));

	for (uint32_t i = n_classes; i > 0; i--)
		if (classes[i - 1].original == original && libc_can_read(&original[FLOW_PUT]) &&
		    classes[i - 1].put == original[FLOW_PUT])
			return &classes[i - 1];
	if (n_classes == CLASSES || !body_has_type(object) ||
	    !body_is_type((uintptr_t)original, ""))
		return NULL;
	class_copy(&classes[n_classes], original);
	return &classes[n_classes++];
}

void class_put(uintptr_t object, const struct flow_class *class)
{
	uintptr_t seen = (uintptr_t) class->original;

	__atomic_compare_exchange_n(body_word_at(object), &seen, (uintptr_t) class->word, false,
				    __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

/* Of an object that has our copy. */
flow_any_fn flow_real(const void *object, int word)
{
	return (flow_any_fn)class_of(object)->original[word];
}
