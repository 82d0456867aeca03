/* SPDX-License-Identifier: MIT */
/* head_tail.c - finds head and tail, and tells them. */
#include "tools/summary/head_tail.h"

#include "tools/base/units.h"

#define ROUNDING_NS 1000000u /* ticks become ns: the end may seem to be before the last event */
#define TOLD_PARTS 100u

static bool meta_ns(const struct defs *defs, const char *key, uint64_t *ns)
{
	const char *text = defs_meta(defs, key);

	return text && defs_number(text, ns) == 0;
}

/* Whether recording was turned on or off before the window, or after it. */
static bool turned(const struct run *run, bool before)
{
	const struct dag *dag = &run->dag;
	const struct defs *defs = reader_defs(run->reader);

	for (uint32_t i = 0; i < defs->n_marks; i++) {
		uint64_t ns = reader_ns(run->reader, defs->mark[i].units);

		if (defs->mark[i].what > WIRE_MARK_STOP)
			continue;
		if (before ? ns <= dag->begin_ns : ns >= dag->begin_ns + dag->elapsed_ns)
			return true;
	}
	return false;
}

static bool lost_before(const struct dag *dag)
{
	for (uint64_t i = 0; i < dag->n_gaps; i++)
		if (dag->gap[i].since_ns == 0)
			return true;
	return false;
}

static bool lost_after(const struct dag *dag)
{
	for (uint64_t i = 0; i < dag->n_gaps; i++)
		if (dag->gap[i].until_ns >= dag->elapsed_ns)
			return true;
	return false;
}

struct ends ends_of(const struct run *run)
{
	const struct dag *dag = &run->dag;
	const struct defs *defs = reader_defs(run->reader);
	uint64_t begin_ns = run_began_ns(run), end_ns = begin_ns + dag->elapsed_ns;
	struct ends ends = { 0 };
	uint64_t ns;

	if (defs_meta(defs, "virtual")) /* the process had other time */
		return ends;
	if (meta_ns(defs, "began_ns", &ns) && ns <= begin_ns && !defs_meta(defs, "continues") &&
	    !lost_before(dag) && !turned(run, true))
		ends.head = (struct end_time){ true, begin_ns - ns };
	if (meta_ns(defs, "ended_ns", &ns) && ns + ROUNDING_NS >= end_ns && !lost_after(dag) &&
	    !turned(run, false) && !run->phases.stopped_at_end)
		ends.tail = (struct end_time){ true, ns > end_ns ? ns - end_ns : 0 };
	return ends;
}

void ends_put(FILE *out, const struct ends *ends, uint64_t elapsed_ns)
{
	struct end_time head = ends->head, tail = ends->tail;
	uint64_t all = head.ns + elapsed_ns + tail.ns;
	char text[3][UNITS_TIME];

	if (head.ns + tail.ns == 0 || head.ns + tail.ns < all / TOLD_PARTS)
		return;
	if (head.known && tail.known)
		fprintf(out,
			"the program ran for %s: %s before its first call of the runtime, %s "
			"after the last\n",
			units_time(text[0], all), units_time(text[1], head.ns),
			units_time(text[2], tail.ns));
	else
		fprintf(out, "the program also ran for %s %s call of the runtime\n",
			units_time(text[0], head.known ? head.ns : tail.ns),
			head.known ? "before its first" : "after its last");
}
