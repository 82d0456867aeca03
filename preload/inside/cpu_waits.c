/* SPDX-License-Identifier: MIT */
/* cpu_waits.c - reads clocks, and what threads waited. */
#include "preload/inside/cpu_waits.h"

#include <errno.h>

#include "collector/session/clock.h"
#include "preload/inside/process_info.h"

/* Without the thread that asks, which is the recorder's. */
static enum cputimes_source read_process(struct cputimes_reading *out)
{
	uint64_t own_ns, all_ns;

	if (!clock_cpu_ns(0, &own_ns) || !clock_process_ns(0, &all_ns))
		return CPUTIMES_UNKNOWN;
	out->run_ns = all_ns > own_ns ? all_ns - own_ns : 0;
	return CPUTIMES_CLOCK;
}

bool waits_of(uint32_t thread, uint64_t *wait_ns)
{
	struct cputimes_reading reading = { 0 };
	int saved = errno;
	bool known = process_may_open() && cputimes_read_schedstat(0, thread, &reading);

	errno = saved;
	*wait_ns = reading.wait_ns;
	return known;
}

enum cputimes_source waits_read(void *arg, uint32_t thread, struct cputimes_reading *out)
{
	int saved = errno;

	(void)arg;
	if (!thread)
		return read_process(out);
	out->has_wait = cputimes_read_schedstat(0, thread, out);
	cputimes_read_mask(thread, &out->mask);
	errno = saved;
	return clock_cpu_ns(thread, &out->run_ns) ? CPUTIMES_CLOCK : CPUTIMES_UNKNOWN;
}
