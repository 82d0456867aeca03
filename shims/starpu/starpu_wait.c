/* SPDX-License-Identifier: MIT */
/* starpu_wait.c - waits for tasks, for tags, and for all of a scheduling context. */
#include "shims/starpu/starpu.h"
#include "shims/starpu/starpu_fields.h"

#include "preload/poison.h"

#define WAITS(...)                                                                                 \
	WRAP_ROW(starpu, starpu_worker(callsite), starpu_leave(worker), starpu_return(&stay),      \
		 __VA_ARGS__)

static inline void wait_for_ctx(struct worker *worker, const struct callsite *callsite,
				unsigned ctx)
{
	wrap_wait_for(worker, callsite, WIRE_WAIT_BAG, starpu_bag(starpu_of(callsite), ctx));
}

/* A wait for several things: for the first of them as long as for all, and then for the others. */
#define WAITS_FOR_ALL(result, name, parameters, arguments, n, wait, nth)                           \
	result name parameters                                                                     \
	{                                                                                          \
		struct callsite *callsite = CALLSITE(starpu, name, NULL);                          \
		struct starpu *s = starpu_of(callsite);                                            \
		struct worker *worker = starpu_worker(callsite);                                   \
		unsigned i = 0;                                                                    \
                                                                                                   \
		if (!worker || (n) == 0)                                                           \
			return s->name arguments;                                                  \
		record_wait_for(worker, callsite->site, WIRE_WAIT_##wait, nth);                    \
		struct stay stay = starpu_leave(worker);                                           \
                                                                                                   \
		RETURNED_##result s->name arguments;                                               \
		starpu_return(&stay);                                                              \
		for (i = 1; i < (n); i++) {                                                        \
			record_wait_for(worker_self(), callsite->site, WIRE_WAIT_##wait, nth);     \
			stay_resume(&stay);                                                        \
		}                                                                                  \
		return GIVEN_##result;                                                             \
	}

/* Without a context of its own, a thread waits for the tasks of all. */
static uint32_t n_ctxs(struct starpu *s)
{
	return starpu_ctx(s) < s->no_ctx ? 1
					 : atomic_load_explicit(&s->n_ctxs, memory_order_relaxed);
}

static uint64_t bag(struct starpu *s, uint32_t i)
{
	uint32_t ctx = starpu_ctx(s);

	return starpu_bag(s, ctx < s->no_ctx ? ctx : i);
}

STARPU_IN_WAIT(CALL_MADE)

/* ---- waits until few enough tasks are left: for whichever ends last before ---- */

struct watch {
	struct stay stay;
	struct starpu *s;
};

static inline struct watch watch_leave(const struct callsite *callsite, struct worker *worker)
{
	struct watch watch = { starpu_leave(worker), starpu_of(callsite) };

	atomic_fetch_add(&watch.s->n_watching, 1);
	return watch;
}

static inline void watch_return(const struct watch *watch)
{
	atomic_fetch_sub(&watch->s->n_watching, 1);
	starpu_return(&watch->stay);
}

static inline void wait_for_end(struct worker *worker, const struct callsite *callsite)
{
	wrap_wait_for(worker, callsite, WIRE_WAIT_OBJECT, starpu_any_end(starpu_of(callsite)));
}

#define WATCHES(...)                                                                               \
	WRAP_ROW(starpu, starpu_worker(callsite), watch_leave(callsite, worker),                   \
		 watch_return(&stay), __VA_ARGS__)

STARPU_WAITS(CALL_ROW)
