/* SPDX-License-Identifier: MIT */
/* collapsed_tasks.c - reads records of collapsed tasks, and fits their times to the strands. */
#include "tools/dag/collapsed_tasks.h"

#include "tools/trace/reader.h"
#include "tools/base/at_most.h"

#define ROUNDING_NS 64u /* sums of ticks, and times, are rounded apart */

/* ---- events ---- */

static uint64_t *field_ns(struct collapsed *collapsed, unsigned field)
{
	if (field == WIRE_COLLAPSED_JOIN_SPAN)
		return &collapsed->join_span_ns;
	if (field >= WIRE_COLLAPSED_BUSY)
		return &collapsed->busy_ns[field - WIRE_COLLAPSED_BUSY];
	if (field >= WIRE_COLLAPSED_IDLE)
		return &collapsed->idle_ns[field - WIRE_COLLAPSED_IDLE];
	if (field >= WIRE_COLLAPSED_READY)
		return &collapsed->ready_ns[field - WIRE_COLLAPSED_READY];
	if (field >= WIRE_COLLAPSED_NEXT)
		return &collapsed->next_ns[(field - WIRE_COLLAPSED_NEXT) / 4]
					  [(field - WIRE_COLLAPSED_NEXT) % 4];
	switch (field) {
	case WIRE_COLLAPSED_OWN:
		return &collapsed->own_ns;
	case WIRE_COLLAPSED_WORK:
		return &collapsed->work_ns;
	case WIRE_COLLAPSED_SPAN:
		return &collapsed->span_ns;
	default:
		return &collapsed->path_ns;
	}
}

int collapsed_event(struct state *state)
{
	struct dag *dag = state->dag;
	strand_id s = state->lane[state->worker].open;
	unsigned field = collapsed_field(state->event->b);
	uint64_t value = collapsed_value(state->event->b);
	uint32_t n = (uint32_t)at_most(UINT32_MAX, value);
	uint64_t *index;

	if (s == STRAND_NONE)
		return state_contradicts(state, "no strand begins before it");
	index = map_put(&dag->collapsed_of, s);
	if (!(dag->how[s] & STRAND_COLLAPSED)) {
		dag->how[s] |= STRAND_COLLAPSED;
		*index = dag->n_collapsed;
		ARRAY_ADD(dag->collapsed, dag->n_collapsed, state->room.collapsed,
			  (struct collapsed){ 0 });
	}
	if (field == WIRE_COLLAPSED_CHAIN)
		dag->collapsed[*index].chain = n;
	else if (field == WIRE_COLLAPSED_TASKS)
		dag->collapsed[*index].n_tasks = value;
	else if (field == WIRE_COLLAPSED_JOIN_CHAIN)
		dag->collapsed[*index].join_chain = n;
	else if (field == WIRE_COLLAPSED_CREATED)
		dag->collapsed[*index].n_created = n;
	else if (field == WIRE_COLLAPSED_WAITED)
		dag->collapsed[*index].n_waited = n;
	else if (field != WIRE_COLLAPSED_MADE)
		*field_ns(&dag->collapsed[*index], field) =
			reader_duration_ns(state->reader, value);
	return 0;
}

/* ---- what is said of a record fits together ---- */

static bool about(uint64_t a, uint64_t b)
{
	return a < b ? b - a <= ROUNDING_NS : a - b <= ROUNDING_NS;
}

/* How long the record says that the task took; UINT64_MAX if that is longer than any window. */
static uint64_t took_ns(const struct collapsed *collapsed, uint64_t *busy_ns)
{
	uint64_t idle = 0, busy = 0;
	bool fits = true;

	for (unsigned k = 0; k < WIRE_COLLAPSED_K; k++) {
		fits &= collapsed->idle_ns[k] < WINDOW_MAX_NS &&
			collapsed->busy_ns[k] < WINDOW_MAX_NS;
		idle += collapsed->idle_ns[k];
		busy += collapsed->busy_ns[k];
	}
	*busy_ns = busy;
	return fits ? idle + busy : UINT64_MAX;
}

/* Whether a record that took so long may say that. */
static bool fits_together(const struct collapsed *collapsed, uint64_t took, uint64_t busy)
{
	return took < UINT64_MAX && collapsed->n_tasks <= UINT32_MAX &&
	       collapsed->chain <= collapsed->n_tasks &&
	       collapsed->join_chain <= collapsed->n_tasks &&
	       collapsed->n_created <= collapsed->n_tasks && about(busy, collapsed->work_ns) &&
	       collapsed->own_ns <= collapsed->work_ns &&
	       collapsed->span_ns <= collapsed->work_ns &&
	       collapsed->path_ns <= collapsed->work_ns &&
	       collapsed->join_span_ns <= collapsed->work_ns;
}

/* All times become `part` of `whole`. */
static void scale(struct collapsed *collapsed, uint64_t part, uint64_t whole)
{
	for (unsigned field = WIRE_COLLAPSED_OWN; field < WIRE_COLLAPSED_FIELDS; field++) {
		uint64_t *ns;

		if (collapsed_is_count(field))
			continue;
		ns = field_ns(collapsed, field);
		*ns = (uint64_t)((unsigned __int128)*ns * part / whole);
	}
}

/*
 * Fields are in units, and become ns at the trace's own rate.  Where the clock had another one,
 * they grow or shrink to the strand's length.
 */
static void follow_clock(const struct state *state, strand_id s)
{
	struct collapsed *collapsed =
		&state->dag->collapsed[*map_find(&state->dag->collapsed_of, s)];
	uint64_t length = dag_length(state->dag, s), busy, took = took_ns(collapsed, &busy);
	uint64_t longer = took > length ? took : length;
	uint64_t off = took > length ? took - length : length - took;

	if (took && took < UINT64_MAX && off > ROUNDING_NS &&
	    (state->by_cause || off <= reader_off_ns(state->reader, longer) + ROUNDING_NS))
		scale(collapsed, length, took);
}

bool collapsed_record_fits(const struct state *state, strand_id s)
{
	const struct collapsed *collapsed = dag_collapsed(state->dag, s);
	uint64_t busy, took;

	follow_clock(state, s);
	took = took_ns(collapsed, &busy);
	return about(took, dag_length(state->dag, s)) && fits_together(collapsed, took, busy);
}

/* ---- where it was cut ---- */

void collapsed_shorten(const struct state *state, strand_id s)
{
	struct dag *dag = state->dag;
	struct collapsed *collapsed = &dag->collapsed[*map_find(&dag->collapsed_of, s)];
	uint64_t length = state->ns - dag->begin_ns - dag_start(dag, s), busy;
	uint64_t took = took_ns(collapsed, &busy);
	uint64_t *const part[] = { &collapsed->own_ns, &collapsed->work_ns, &collapsed->span_ns,
				   &collapsed->path_ns, &collapsed->busy_ns[0] };

	for (unsigned i = 0; i < sizeof(part) / sizeof(part[0]) && took > length; i++)
		*part[i] -= *part[i] < took - length ? *part[i] : took - length;
}

/* Makes the times of ns[] add up to `want`, not `sum`: what rounding made of them is evened out. */
static void even_out(uint64_t *ns, uint64_t sum, uint64_t want)
{
	uint64_t over = sum > want ? sum - want : 0;

	if (want > sum)
		ns[0] += want - sum;
	for (unsigned k = 0; k < WIRE_COLLAPSED_K && over; k++) {
		uint64_t less = ns[k] < over ? ns[k] : over;

		ns[k] -= less;
		over -= less;
	}
}

/*
 * The record of a strand whose END is missing.  If all fields are there they say when it ended;
 * what lies behind the cut is left out in proportion.  If not, the strand is as any other that was
 * cut: its task ran up to there.
 */
static void settle_cut(struct state *state, strand_id s)
{
	struct dag *dag = state->dag;
	struct collapsed *collapsed = &dag->collapsed[*map_find(&dag->collapsed_of, s)];
	uint64_t length = dag_length(dag, s), busy, took = took_ns(collapsed, &busy);

	if (took == 0 || !fits_together(collapsed, took, busy)) {
		*collapsed = (struct collapsed){ 0 };
		dag->how[s] &= (uint8_t)~STRAND_COLLAPSED;
		return;
	}
	even_out(collapsed->busy_ns, busy, collapsed->work_ns);
	took += collapsed->work_ns - busy;
	if (took > length)
		scale(collapsed, length, took);
	if (took < length)
		state_set_end(state, s, dag_start(dag, s) + took);
}

/* The record of a strand that is whole: work is exact, and the worker was idle for the rest. */
static void settle_whole(const struct dag *dag, strand_id s)
{
	struct collapsed *collapsed = &dag->collapsed[*map_find(&dag->collapsed_of, s)];
	uint64_t length = dag_length(dag, s), busy, took = took_ns(collapsed, &busy);
	uint64_t *const no_longer[] = { &collapsed->work_ns, &collapsed->own_ns,
					&collapsed->span_ns, &collapsed->path_ns,
					&collapsed->join_span_ns };

	for (unsigned i = 0; i < sizeof(no_longer) / sizeof(no_longer[0]); i++)
		if (*no_longer[i] > length)
			*no_longer[i] = length;
	even_out(collapsed->busy_ns, busy, collapsed->work_ns);
	even_out(collapsed->idle_ns, took - busy, length - collapsed->work_ns);
}

void collapsed_settle(struct state *state)
{
	struct dag *dag = state->dag;
	bool any = false;

	for (strand_id s = 0; s < dag->n_strands && dag->n_collapsed; s++) {
		if (!(dag->how[s] & STRAND_COLLAPSED))
			continue;
		if ((dag->how[s] & STRAND_ENDED_BY) == WIRE_NONE) {
			settle_cut(state, s);
		} else
			settle_whole(dag, s);
		any |= dag->how[s] & STRAND_COLLAPSED;
	}
	if (!any)
		dag->n_collapsed = 0;
}
