/* SPDX-License-Identifier: MIT */
/* clock.c - chooses the clock and reads it where the hot path does not. */
#include "preload/clock.h"

#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CLOCKSOURCE "/sys/devices/system/clocksource/clocksource0/current_clocksource"

enum clock_source clock_probe(void)
{
#if defined(__x86_64__)
	char name[8] = { 0 };
	int fd = open(CLOCKSOURCE, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return CLOCK_SOURCE_MONOTONIC;
	if (read(fd, name, sizeof(name) - 1) < 0)
		name[0] = 0;
	close(fd);
	return strncmp(name, "tsc", 3) == 0 ? CLOCK_SOURCE_TSC : CLOCK_SOURCE_MONOTONIC;
#elif defined(__aarch64__)
	return CLOCK_SOURCE_CNTVCT;
#else
	return CLOCK_SOURCE_MONOTONIC;
#endif
}

const char *clock_source_name(enum clock_source source)
{
	static const char *const name[] = { "tsc", "cntvct", "monotonic" };

	return source <= CLOCK_SOURCE_MONOTONIC ? name[source] : "unknown";
}

uint64_t clock_monotonic_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

uint64_t clock_ticks_by(enum clock_source source)
{
	return source == CLOCK_SOURCE_MONOTONIC ? clock_monotonic_ns() : clock_ticks();
}

/* The tightest of a few tries: an interrupt between the two readings would skew the pair. */
struct clock_pair clock_pair(enum clock_source source)
{
	struct clock_pair best = { 0 };
	uint64_t best_width = UINT64_MAX;

	for (int i = 0; i < 8; i++) {
		uint64_t before = clock_ticks_by(source);
		uint64_t ns = clock_monotonic_ns();
		uint64_t after = clock_ticks_by(source);

		if (after - before < best_width) {
			best_width = after - before;
			best.ticks = before + (after - before) / 2;
			best.ns = ns;
		}
	}
	return best;
}
