/* SPDX-License-Identifier: MIT */
/* ends.c - finds head and tail, and tells them. */
#include "tools/export/ends.h"

#include "tools/export/text.h"

#define ROUNDING_NS 1000000u /* ticks become ns: the end may seem to be before the last event */
#define TOLD_PARTS 100u

static bool meta_ns(const struct defs *defs, const char *key, uint64_t *ns)
{
	const char *text = defs_meta(defs, key);

	return text && defs_number(text, ns) == 0;
}

/* Whether recording was turned on or off before the window, or after it. */
static bool turned(const struct summary *summary, const struct reader *reader, bool before)
{
	const struct dag *dag = summary->dag;
	const struct defs *defs = summary->defs;

	for (uint32_t i = 0; i < defs->n_marks; i++) {
		uint64_t ns = reader_ns(reader, defs->mark[i].units);

		if (defs->mark[i].what > DEFS_MARK_STOP)
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

void ends_find(struct summary *summary, const struct reader *reader)
{
	const struct dag *dag = summary->dag;
	const struct defs *defs = summary->defs;
	uint64_t begin_ns = defs->first.ns + dag->begin_ns, end_ns = begin_ns + dag->elapsed_ns;
	uint64_t ns;

	if (meta_ns(defs, "began_ns", &ns) && ns <= begin_ns && !defs_meta(defs, "continues") &&
	    !lost_before(dag) && !turned(summary, reader, true))
		summary->head = (struct end_time){ true, begin_ns - ns };
	if (meta_ns(defs, "ended_ns", &ns) && ns + ROUNDING_NS >= end_ns && !lost_after(dag) &&
	    !turned(summary, reader, false) && !summary->phases.stopped_at_end)
		summary->tail = (struct end_time){ true, ns > end_ns ? ns - end_ns : 0 };
}

void ends_put(FILE *out, const struct summary *summary)
{
	struct end_time head = summary->head, tail = summary->tail;
	uint64_t all = head.ns + summary->dag->elapsed_ns + tail.ns;
	char text[3][TEXT_TIME];

	if (summary->select.part || head.ns + tail.ns < all / TOLD_PARTS)
		return;
	if (head.known && tail.known)
		fprintf(out,
			"the program ran for %s; %s of that came before its first call of the "
			"runtime, %s after the last\n",
			text_time(text[0], all), text_time(text[1], head.ns),
			text_time(text[2], tail.ns));
	else
		fprintf(out, "the program ran for %s %s call of the runtime, too\n",
			text_time(text[0], head.known ? head.ns : tail.ns),
			head.known ? "before its first" : "after its last");
}
