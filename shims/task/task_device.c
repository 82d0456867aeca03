/* SPDX-License-Identifier: MIT */
/*
 * task_device.c - operations of devices, whose clocks are others.
 *
 * A time of a device becomes one of CLOCK_MONOTONIC by the last mark of its clock, and is recorded
 * as so many ns before the operation's mark.  Off the hot path.
 */
#include "shims/task/task.h"

#include <time.h>

#define NS_PER_S 1000000000

static uint64_t monotonic_ns(void)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* When the device's clock showed 0, on CLOCK_MONOTONIC, is one word: so no lock is needed. */
static int64_t ticks_ns(const struct tptrace_device *device, uint64_t ticks)
{
	uint64_t per_s = device->ticks_per_s ? device->ticks_per_s : NS_PER_S;

	return (int64_t)((unsigned __int128)ticks * NS_PER_S / per_s);
}

void mark_clock(struct tptrace_device *device, uint64_t ticks)
{
	int64_t zero_ns = (int64_t)monotonic_ns() - ticks_ns(device, ticks);

	/* 0 is a clock that was not marked */
	__atomic_store_n(&device->zero_ns, zero_ns ? zero_ns : 1, __ATOMIC_RELAXED);
}

/* How long before now_ns; 0 where the clocks have drifted so far that it is later. */
static uint64_t ago_ns(const struct tptrace_device *device, int64_t zero_ns, uint64_t ticks,
		       uint64_t now_ns)
{
	int64_t ago = (int64_t)now_ns - zero_ns - ticks_ns(device, ticks);

	return ago > 0 ? (uint64_t)ago : 0;
}

static void put_field(struct worker *worker, enum wire_field field, uint64_t value)
{
	record_detail(worker, WIRE_OPERATION, field_make(field, value));
}

void mark_operation(struct tptrace_device *device, uint64_t begin, uint64_t end, uint64_t bytes,
		    const void *site)
{
	struct callsite *callsite = task_callsite(
		&device->runtime, site ? site : __builtin_return_address(0), NULL);
	struct worker *worker = record_worker();
	int64_t zero_ns = __atomic_load_n(&device->zero_ns, __ATOMIC_RELAXED);
	uint64_t now_ns = monotonic_ns();

	if (!worker)
		return;
	if (device->ticks_per_s && !zero_ns)
		task_misused(TASK_NO_CLOCK);
	else if (end < begin)
		task_misused(TASK_ENDS_EARLY);
	else {
		put_field(worker, WIRE_FIELD_MOMENT, worker_ticks(worker) & WIRE_FIELD_MOST);
		put_field(worker, WIRE_FIELD_SITE, callsite->site);
		put_field(worker, WIRE_FIELD_BEGAN, ago_ns(device, zero_ns, begin, now_ns));
		put_field(worker, WIRE_FIELD_ENDED, ago_ns(device, zero_ns, end, now_ns));
		put_field(worker, WIRE_FIELD_BYTES, bytes);
	}
}
