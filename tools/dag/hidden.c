/* SPDX-License-Identifier: MIT */
/*
 * hidden.c - tasks that were collapsed: what one record says of them, and what was tallied by kind.
 *
 * A record is whole in a trace without losses: BEGIN or START, the HIDDEN fields, END.  Where a gap or
 * the end of the trace cuts it, settle_cut() keeps of it what is known.
 */
#include "tools/dag/build.h"

#include <errno.h>
#include <stdlib.h>

#include "collector/reader.h"

#define ROUNDING_NS 64u /* sums of ticks, and times, are rounded apart */

/* ---- events ---- */

static uint64_t *hidden_field(struct hidden *hidden, unsigned field)
{
	if (field >= WIRE_HIDDEN_BUSY)
		return &hidden->busy_ns[field - WIRE_HIDDEN_BUSY];
	if (field >= WIRE_HIDDEN_IDLE)
		return &hidden->idle_ns[field - WIRE_HIDDEN_IDLE];
	if (field >= WIRE_HIDDEN_READY)
		return &hidden->ready_ns[field - WIRE_HIDDEN_READY];
	if (field >= WIRE_HIDDEN_NEXT)
		return &hidden->next_ns[(field - WIRE_HIDDEN_NEXT) / 4]
				       [(field - WIRE_HIDDEN_NEXT) % 4];
	switch (field) {
	case WIRE_HIDDEN_OWN:
		return &hidden->own_ns;
	case WIRE_HIDDEN_WORK:
		return &hidden->work_ns;
	case WIRE_HIDDEN_SPAN:
		return &hidden->span_ns;
	default:
		return &hidden->path_ns;
	}
}

int hidden_event(struct build *build)
{
	struct dag *dag = build->dag;
	const struct lane *lane = &build->lane[build->worker];
	strand_id s = lane->open;
	unsigned field = (unsigned)(build->event->b >> WIRE_HIDDEN_SHIFT);
	uint64_t value = wire_hidden_value(build->event->b);
	uint64_t *index;

	if (s == STRAND_NONE || (lane->begun_by != WIRE_BEGIN && lane->begun_by != WIRE_START))
		return build_contradicts(build, "no created task begins before it");
	index = table_put(&dag->hides, s);
	if (!index)
		return build_no_memory(build);
	if (!(dag->how[s] & STRAND_HIDES)) {
		if (!array_grow(&dag->hidden, &build->hidden_room, dag->n_hidden + 1ull,
				sizeof(*dag->hidden)))
			return build_no_memory(build);
		dag->how[s] |= STRAND_HIDES;
		*index = dag->n_hidden;
		dag->hidden[dag->n_hidden++] = (struct hidden){ 0 };
	}
	if (field == WIRE_HIDDEN_CHAIN)
		dag->hidden[*index].chain = (uint32_t)value;
	else if (field == WIRE_HIDDEN_TASKS)
		dag->hidden[*index].n_tasks = value;
	else if (field != WIRE_HIDDEN_MADE)
		*hidden_field(&dag->hidden[*index], field) =
			reader_duration_ns(build->reader, value);
	return 0;
}

/* ---- what is said of a record fits together ---- */

static bool about(uint64_t a, uint64_t b)
{
	return a < b ? b - a <= ROUNDING_NS : a - b <= ROUNDING_NS;
}

/* How long the record says that the task took; UINT64_MAX if that is longer than any window. */
static uint64_t took_ns(const struct hidden *hidden, uint64_t *busy_ns)
{
	uint64_t idle = 0, busy = 0;
	bool fits = true;

	for (unsigned k = 0; k < WIRE_HIDDEN_K; k++) {
		fits &= hidden->idle_ns[k] < WINDOW_MAX_NS && hidden->busy_ns[k] < WINDOW_MAX_NS;
		idle += hidden->idle_ns[k];
		busy += hidden->busy_ns[k];
	}
	*busy_ns = busy;
	return fits ? idle + busy : UINT64_MAX;
}

/* Whether a record that took so long may say that. */
static bool fits_together(const struct hidden *hidden, uint64_t took, uint64_t busy)
{
	return took < UINT64_MAX && hidden->n_tasks <= UINT32_MAX &&
	       about(busy, hidden->work_ns) && hidden->own_ns <= hidden->work_ns &&
	       hidden->span_ns <= hidden->work_ns && hidden->path_ns <= hidden->work_ns;
}

/* All times become `part` of `whole`. */
static void scale(struct hidden *hidden, uint64_t part, uint64_t whole)
{
	for (unsigned field = WIRE_HIDDEN_OWN; field < WIRE_HIDDEN_FIELDS; field++) {
		uint64_t *ns;

		if (field == WIRE_HIDDEN_CHAIN || field == WIRE_HIDDEN_TASKS)
			continue;
		ns = hidden_field(hidden, field);
		*ns = (uint64_t)((unsigned __int128)*ns * part / whole);
	}
}

/*
 * Fields are in units, and become ns at the trace's own rate.  Where the clock had another one, they
 * grow or shrink to the strand's length.
 */
static void follow_clock(const struct build *build, strand_id s)
{
	struct hidden *hidden = &build->dag->hidden[*table_find(&build->dag->hides, s)];
	uint64_t length = dag_length(build->dag, s), busy, took = took_ns(hidden, &busy);
	uint64_t longer = took > length ? took : length;
	uint64_t off = took > length ? took - length : length - took;

	if (took && took < UINT64_MAX && off > ROUNDING_NS &&
	    (build->by_cause || off <= reader_off_ns(build->reader, longer) + ROUNDING_NS))
		scale(hidden, length, took);
}

bool hidden_fits(const struct build *build, strand_id s, enum wire_kind ended_by)
{
	const struct hidden *hidden = dag_hidden(build->dag, s);
	uint64_t busy, took;

	if (!hidden)
		return true;
	follow_clock(build, s);
	took = took_ns(hidden, &busy);
	return ended_by == WIRE_END && about(took, dag_length(build->dag, s)) &&
	       fits_together(hidden, took, busy);
}

/* ---- where it was cut ---- */

void hidden_shorten(const struct build *build, strand_id s)
{
	struct dag *dag = build->dag;
	struct hidden *hidden = &dag->hidden[*table_find(&dag->hides, s)];
	uint64_t length = build->ns - dag->begin_ns - dag_start(dag, s), busy;
	uint64_t took = took_ns(hidden, &busy);
	uint64_t *const part[] = { &hidden->own_ns, &hidden->work_ns, &hidden->span_ns,
				   &hidden->path_ns, &hidden->busy_ns[0] };

	for (unsigned i = 0; i < sizeof(part) / sizeof(part[0]) && took > length; i++)
		*part[i] -= *part[i] < took - length ? *part[i] : took - length;
}

/* Makes the times of ns[] add up to `want`, not `sum`: what rounding made of them is evened out. */
static void even_out(uint64_t *ns, uint64_t sum, uint64_t want)
{
	uint64_t over = sum > want ? sum - want : 0;

	if (want > sum)
		ns[0] += want - sum;
	for (unsigned k = 0; k < WIRE_HIDDEN_K && over; k++) {
		uint64_t less = ns[k] < over ? ns[k] : over;

		ns[k] -= less;
		over -= less;
	}
}

/*
 * The record of a strand whose END is missing.  If all fields are there they say when it ended; what lies
 * behind the cut is left out in proportion.  If not, the strand is as any other that was cut: its
 * task ran up to there.
 */
static int settle_cut(struct build *build, strand_id s)
{
	struct dag *dag = build->dag;
	struct hidden *hidden = &dag->hidden[*table_find(&dag->hides, s)];
	uint64_t length = dag_length(dag, s), busy, took = took_ns(hidden, &busy);

	if (took == 0 || !fits_together(hidden, took, busy)) {
		*hidden = (struct hidden){ 0 };
		dag->how[s] &= (uint8_t)~STRAND_HIDES;
		return 0;
	}
	even_out(hidden->busy_ns, busy, hidden->work_ns);
	took += hidden->work_ns - busy;
	if (took > length)
		scale(hidden, length, took);
	return took < length ? build_set_end(build, s, dag_start(dag, s) + took) : 0;
}

/* The record of a strand that is whole: work is exact, and the worker was idle for the rest. */
static void settle_whole(const struct dag *dag, strand_id s)
{
	struct hidden *hidden = &dag->hidden[*table_find(&dag->hides, s)];
	uint64_t length = dag_length(dag, s), busy, took = took_ns(hidden, &busy);
	uint64_t *const no_longer[] = { &hidden->work_ns, &hidden->own_ns, &hidden->span_ns,
					&hidden->path_ns };

	for (unsigned i = 0; i < sizeof(no_longer) / sizeof(no_longer[0]); i++)
		if (*no_longer[i] > length)
			*no_longer[i] = length;
	even_out(hidden->busy_ns, busy, hidden->work_ns);
	even_out(hidden->idle_ns, took - busy, length - hidden->work_ns);
}

int hidden_settle(struct build *build)
{
	struct dag *dag = build->dag;
	bool hides = false;
	int error = 0;

	for (strand_id s = 0; s < dag->n_strands && !error && dag->n_hidden; s++) {
		if (!(dag->how[s] & STRAND_HIDES))
			continue;
		if ((dag->how[s] & STRAND_ENDED_BY) == WIRE_NONE)
			error = settle_cut(build, s);
		else
			settle_whole(dag, s);
		hides |= dag->how[s] & STRAND_HIDES;
	}
	if (!hides)
		dag->n_hidden = 0;
	return error;
}

/* ---- tallies ---- */

static struct kind_hidden *kind_hidden_of(struct build *build, const struct defs_hidden *said)
{
	struct kind_hidden *hidden = calloc(1, sizeof(*hidden));

	if (!hidden)
		return NULL;
	hidden->n_tasks = said->n_tasks;
	hidden->work_ns = reader_duration_ns(build->reader, said->work);
	hidden->ready_ns = reader_duration_ns(build->reader, said->ready);
	hidden->least_ns = reader_duration_ns(build->reader, said->least);
	hidden->most_ns = reader_duration_ns(build->reader, said->most);
	for (uint32_t i = 0; i < WIRE_BUCKETS; i++) {
		uint64_t ns = reader_duration_ns(build->reader, wire_bucket_least(i));

		hidden->n_by_work[wire_bucket(ns)] += said->n_by_work[i];
	}
	return hidden;
}

static int read_tallies(struct build *build, uint64_t *n_said)
{
	struct dag *dag = build->dag;
	const struct defs *defs = reader_defs(build->reader);
	uint32_t kind;

	for (uint32_t i = 0; i < defs->n_sites; i++)
		if (defs->site[i].hidden && i + 1 >= dag->n_kinds &&
		    build_kind(build, i, KIND_TASK, &kind) < 0)
			return -ENOMEM;
	dag->kind_hidden = calloc(dag->n_kinds + 1ull, sizeof(struct kind_hidden *));
	if (!dag->kind_hidden)
		return build_no_memory(build);
	for (uint32_t i = 0; i < defs->n_sites; i++) {
		if (!defs->site[i].hidden || !dag->n_hidden || defs->site[i].hidden->n_tasks == 0)
			continue;
		dag->kind_hidden[i + 1] = kind_hidden_of(build, defs->site[i].hidden);
		if (!dag->kind_hidden[i + 1])
			return build_no_memory(build);
		*n_said += defs->site[i].hidden->n_tasks;
	}
	return 0;
}

/* Nothing was tallied: the tasks that a strand hides are taken for ones of its own task's kind. */
static int guess_tallies(struct build *build)
{
	struct dag *dag = build->dag;

	for (strand_id s = 0; s < dag->n_strands; s++) {
		const struct hidden *hidden = dag_hidden(dag, s);
		struct kind_hidden **kind = hidden ? &dag->kind_hidden[dag_kind(dag, s)] : NULL;

		if (!hidden || hidden->n_tasks == 0)
			continue;
		uint64_t work_ns = hidden->work_ns - hidden->own_ns;
		uint64_t each_ns = work_ns / hidden->n_tasks;

		if (!*kind)
			*kind = calloc(1, sizeof(**kind));
		if (!*kind)
			return build_no_memory(build);
		if ((*kind)->n_tasks == 0 || each_ns < (*kind)->least_ns)
			(*kind)->least_ns = each_ns;
		if (each_ns > (*kind)->most_ns)
			(*kind)->most_ns = each_ns;
		(*kind)->n_tasks += hidden->n_tasks;
		(*kind)->work_ns += work_ns;
		(*kind)->n_by_work[wire_bucket(each_ns)] += hidden->n_tasks;
	}
	return 0;
}

/*
 * What was tallied of hidden tasks, by kind.  Of a killed program tallies may be behind, and of one
 * whose trace was cut off ahead of the records: these say how many there are, and what is between
 * is shared out as the rest is.
 */
int hidden_tally(struct build *build)
{
	struct dag *dag = build->dag;
	const char *waits = defs_meta(reader_defs(build->reader), "hidden_waits");
	uint64_t n_said = 0, before = 0;
	int error = read_tallies(build, &n_said);

	for (uint32_t i = 0; i < dag->n_hidden; i++)
		dag->n_hidden_tasks += dag->hidden[i].n_tasks;
	if (waits && dag->n_hidden)
		dag->n_hidden_waits = strtoull(waits, NULL, 10);
	dag->n_untold = n_said < dag->n_hidden_tasks ? dag->n_hidden_tasks - n_said : 0;
	if (!error && n_said == 0)
		return guess_tallies(build);
	for (uint32_t k = 0; k < dag->n_kinds && !error && n_said != dag->n_hidden_tasks; k++) {
		struct kind_hidden *hidden = dag->kind_hidden[k];
		uint64_t upto = before + (hidden ? hidden->n_tasks : 0);
		unsigned __int128 n = dag->n_hidden_tasks;

		if (hidden)
			hidden->n_tasks =
				(uint64_t)(n * upto / n_said) - (uint64_t)(n * before / n_said);
		before = upto;
	}
	return error;
}
