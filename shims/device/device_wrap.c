/* SPDX-License-Identifier: MIT */
/*
 * device_wrap.c - the wrappers.
 *
 * Hot path: next_at(), waiting_worker(); wait_begin(), wait_end().
 */
#include "shims/common/waiters.h"
#include "shims/device/device.h"

#include "preload/poison.h"

/* The worker's strand ends, but for a call that is not recorded: of that there is no task. */
static struct stay wait_begin(struct worker *worker, const void *from,
			      const struct device_function *function)
{
	uint64_t ticks = record_ticks(worker);
	uint32_t site = device_site(from, function);

	if (!site) {
		worker_turn(worker, WORKER_INSIDE);
		return (struct stay){ 0 };
	}
	record_event_at(worker, ticks, WIRE_WAIT, site_make(site, WIRE_WAIT_DEVICE));
	return stay_close(worker);
}

/* The call is back, or its thread is cancelled.  A child that was forked in it may have no worker.
 */
static void wait_end(const struct stay *stay)
{
	struct worker *worker = worker_self();

	clock_fence();
	if (stay->task && worker)
		stay_reopen_task(worker, stay->task);
}

#define FROM __builtin_return_address(0)

#define WRAPPER(whose, name, n, none, blocks)                                                      \
	static const struct device_function function_##name = { #name, DEVICE_OF_##whose };        \
	CALL_EXPORT word device_##name(WORDS(n)) __asm__(#name);                                   \
	CALL_EXPORT word device_##name(WORDS(n))                                                   \
	{                                                                                          \
		static void *_Atomic slot;                                                         \
		word (*function)(WORDS(n)) = next_at(&slot, #name, FROM, next_bind);               \
		struct worker *worker = waiting_worker();                                          \
                                                                                                   \
		if (__builtin_expect(!function, 0))                                                \
			return none;                                                               \
		if (!worker || !(blocks))                                                          \
			return function(NAMES(n));                                                 \
		__attribute__((cleanup(wait_end), unused)) struct stay stay =                      \
			wait_begin(worker, FROM, &function_##name);                                \
                                                                                                   \
		return function(NAMES(n));                                                         \
	}
DEVICE_FUNCTIONS(WRAPPER)
