/* SPDX-License-Identifier: MIT */
/*
 * slow.c - the probe `slow`: lengthens the strands of chosen kinds of tasks, so that a prediction
 * is checked by a run.
 *
 * TPTRACE_SLOW, which `tptrace record --slow` writes, is a list of kinds (kind_list.h).  Before an
 * event that ends a strand of such a kind is stored, the thread spins for (factor - 1) x the time
 * since the strand began; the event gets the time after that (worker->not_before), so that the spin
 * is the task's work.  A counter `slowed` (ns) says of each strand how long it was.
 */
#include <stdlib.h>
#include <string.h>

#include "collector/session/environment.h"
#include "collector/session/processor.h"
#include "preload/probe.h"
#include "preload/probes/kind_list.h"
#include "preload/session.h"

#define SLOW_VARIABLE "TPTRACE_SLOW"
#define LIST_BYTES (64u << 10)
#define MILLI 1000u

/* Of this session; written before it is on. */
static struct {
	char list[LIST_BYTES];
	uint64_t ns_by_ticks; /* << 32 */
	uint32_t number;      /* of the counter */
} slow;

/* Of one worker's thread. */
struct slowing {
	kinds_class runs, begins; /* the strand that runs; the one that is about to begin */
	uint64_t began_ticks;	  /* when the one that runs did, if it is slowed */
	uint64_t spun_ns;	  /* what the strand that ends was slowed by */
};

/* ---- the spin ---- */

/* ticks x factor, << 32 >> 32; the product has up to 96 bits. */
static uint64_t ns_of(uint64_t ticks)
{
	return (uint64_t)((unsigned __int128)ticks * slow.ns_by_ticks >> 32);
}

/* Until the strand that runs was long enough; how long, in ns. */
static uint64_t spin(struct worker *worker, const struct slowing *slowing)
{
	uint64_t since = worker_ticks(worker), now = since, ran = since - slowing->began_ticks;
	uint64_t wanted = (ran * (kinds_milli(slowing->runs) - MILLI) + MILLI - 1) / MILLI;

	while (now - since < wanted) {
		processor_relax();
		now = worker_ticks(worker);
	}
	worker->not_before = now;
	return ns_of(now - since);
}

/* ---- events ---- */

static void slow_before(struct worker *worker, void *own, enum wire_kind kind, uint64_t b)
{
	struct slowing *slowing = own;

	slowing->spun_ns = 0;
	if (kind_ends(kind) && slowing->runs)
		slowing->spun_ns = spin(worker, slowing);
	if (kind_ends(kind) || kind_begins(kind))
		slowing->runs = 0;
	slowing->begins = kinds_event(worker, kind, b);
}

static void slow_after(struct worker *worker, void *own, enum wire_kind kind, const void *frame)
{
	struct slowing *slowing = own;

	(void)frame;
	if (slowing->spun_ns)
		probe_put(worker, WIRE_COUNTER, field_make(slow.number, slowing->spun_ns));
	if (!kind_begins(kind))
		return;
	slowing->runs = slowing->begins;
	if (slowing->runs)
		slowing->began_ticks = worker_ticks(worker);
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

static bool slow_open(struct session *session)
{
	const char *value = options_variable(SLOW_VARIABLE), *why = NULL;
	int number;

	if (!value || !*value || probe_rules_time())
		return false;
	if (strlen(value) >= LIST_BYTES || !kinds_open(strcpy(slow.list, value)))
		why = "invalid; `tptrace record --slow KIND=1.2` writes it; nothing is slowed";
	number = why ? -1 : probe_counter(session, "slowed", "ns");
	if (!why && number < 0)
		why = "too many counters beside it; nothing is slowed";
	if (why) {
		options_say_bad(SLOW_VARIABLE, value, why);
		return false;
	}
	slow.number = (uint32_t)number;
	slow.ns_by_ticks = calibrate(session);
	session->process.slow = session_keep(session, slow.list);
	session->options.collapse_ns = 0; /* an aggregate has no counts */
	return true;
}

__attribute__((constructor)) static void slow_add(void)
{
	static struct probe probe = { .name = "slow",
				      .order = PROBE_STRETCHES,
				      .worker_bytes = sizeof(struct slowing),
				      .open = slow_open,
				      .before = slow_before,
				      .after = slow_after };

	probe_add(&probe);
}
