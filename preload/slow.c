/* SPDX-License-Identifier: MIT */
/* slow.c - the spin at the end of strands that are slowed. */
#include "preload/slow.h"

#include <stdlib.h>
#include <string.h>

#include "preload/session.h"
#include "preload/worker.h"

#define LIST_BYTES (64u << 10)
#define MILLI 1000u

/* Of this session; written before `on`, and before the session is on. */
static struct {
	_Atomic bool on; /* set last */
	char list[LIST_BYTES];
	uint64_t ns_by_ticks; /* << 32 */
} slow;

/* ---- the spin ---- */

static void relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

/* ticks x factor, << 32 >> 32; the product has up to 96 bits. */
static uint64_t ns_of(uint64_t ticks)
{
	return (uint64_t)((unsigned __int128)ticks * slow.ns_by_ticks >> 32);
}

uint64_t slow_strand(struct worker *worker, kinds_class class, uint64_t began_ticks)
{
	uint64_t since = worker_ticks(worker), now = since;
	uint64_t wanted =
		((since - began_ticks) * (kinds_milli(class) - MILLI) + MILLI - 1) / MILLI;

	while (now - since < wanted) {
		relax();
		now = worker_ticks(worker);
	}
	worker->not_before = now;
	return ns_of(now - since);
}

/* ---- the session ---- */

#define CALIBRATE_NS 5000000u

/* How long a tick is: the clocks are compared over a while, to some 10 ns of 5 ms. */
static uint64_t calibrate(const struct session *session)
{
	struct clock_pair from = clock_pair(&session->clock), to;

	do
		to = clock_pair(&session->clock);
	while (to.ns - from.ns < CALIBRATE_NS);
	return to.ticks > from.ticks ? ((to.ns - from.ns) << 32) / (to.ticks - from.ticks) : 0;
}

void slow_open(struct session *session)
{
	const char *value = getenv(SLOW_VARIABLE);

	atomic_store(&slow.on, false);
	if (!value || !*value)
		return;
	if (strlen(value) >= LIST_BYTES || !kinds_open(strcpy(slow.list, value))) {
		options_say_bad(SLOW_VARIABLE, value,
				"invalid; `tptrace record --slow KIND=1.2` writes it; nothing is "
				"slowed");
		return;
	}
	slow.ns_by_ticks = calibrate(session);
	atomic_store(&slow.on, true);
}

bool slow_on(void)
{
	return atomic_load_explicit(&slow.on, memory_order_relaxed);
}

const char *slow_list(void)
{
	return slow_on() ? slow.list : NULL;
}
