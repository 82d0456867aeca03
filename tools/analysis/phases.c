/* SPDX-License-Identifier: MIT */
/* phases.c - one pass over the marks in order of time. */
#include "tools/analysis/phases.h"

#include <string.h>

#include "tools/base/order.h"

/* What holds between two marks. */
struct state {
	bool stopped;
	uint32_t phase;
	uint64_t n_open; /* regions that are wanted */
	uint64_t since_ns;
};

ORDER(by_time, struct phase_mark, BY_LEAST(ns) ?: BY_LEAST(number))

uint32_t phases_find(const struct phases *phases, const char *name)
{
	for (uint32_t i = 1; i < phases->n; i++)
		if (strcmp(phases->name[i], name) == 0)
			return i;
	return 0;
}

static uint32_t phase_of(struct phases *phases, const char *name)
{
	uint32_t found = phases_find(phases, name);

	if (found)
		return found;
	if (phases->n > PHASES_MAX) {
		phases->name[PHASES_MAX + 1] = "(others)";
		phases->n = PHASES_MAX + 2;
		return PHASES_MAX + 1;
	}
	phases->name[phases->n] = name;
	return phases->n++;
}

static bool is_wanted(const struct phases *phases, const struct state *state,
		      const struct phases_wanted *wanted)
{
	if (state->stopped || (wanted->region && !state->n_open))
		return false;
	return !wanted->phase ||
	       (state->phase && strcmp(phases->name[state->phase], wanted->phase) == 0);
}

/* What held until now is over. */
static void close_stretch(struct phases *phases, struct select *select, struct state *state,
			  uint64_t ns, const struct phases_wanted *wanted)
{
	uint64_t from = state->since_ns, to = ns;
	if (state->stopped)
		select_add(&phases->stopped, from, to, 0);

	state->since_ns = ns;
	if (!is_wanted(phases, state, wanted))
		return;
	from = from < wanted->from_ns ? wanted->from_ns : from;
	to = to > wanted->to_ns ? wanted->to_ns : to;
	select_add(select, from, to, state->phase);
}

static void apply(struct phases *phases, struct state *state, const struct phase_mark *mark,
		  const struct phases_wanted *wanted)
{
	bool of_region = mark->name && wanted->region && strcmp(mark->name, wanted->region) == 0;

	switch (mark->what) {
	case PHASE_START:
		state->stopped = false;
		return;
	case PHASE_STOP:
		state->stopped = true;
		return;
	case PHASE_PHASE:
		state->phase = phase_of(phases, mark->name);
		return;
	case PHASE_BEGIN:
		state->n_open += of_region;
		phases->region_found |= of_region;
		return;
	case PHASE_END:
		state->n_open -= of_region && state->n_open;
	}
}

/* Whether recording was off before the first mark that says: that one turns it on. */
static bool stopped_at_first(const struct phase_mark *mark, uint32_t n_marks)
{
	for (uint32_t i = 0; i < n_marks; i++)
		if (mark[i].what <= PHASE_STOP)
			return mark[i].what == PHASE_START;
	return false;
}

void phases_select(struct phases *phases, struct select *select, struct phase_mark *mark,
		   uint32_t n_marks, uint64_t elapsed_ns, const struct phases_wanted *wanted)
{
	struct state state = { 0 };

	*phases = (struct phases){ .n = 1, .name = { "(no phase)" } };
	*select = (struct select){ .part = wanted->phase || wanted->region || wanted->from_ns ||
					   wanted->to_ns < elapsed_ns };
	for (uint32_t i = 0; i < n_marks; i++)
		mark[i].number = i;
	SORT(mark, n_marks, by_time);
	state.stopped = stopped_at_first(mark, n_marks);
	for (uint32_t i = 0; i < n_marks; i++) {
		uint64_t ns = mark[i].ns < elapsed_ns ? mark[i].ns : elapsed_ns;

		close_stretch(phases, select, &state, ns, wanted);
		apply(phases, &state, &mark[i], wanted);
	}
	close_stretch(phases, select, &state, elapsed_ns, wanted);
	phases->stopped_at_end = state.stopped;
	select->n_rows = phases->n;
}

void phases_free(struct phases *phases)
{
	select_free(&phases->stopped);
}
