/* SPDX-License-Identifier: MIT */
/* state.c - makes strands, edges and tasks, and says what is wrong with an event. */
#include "tools/dag/state.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/xalloc.h"
#include "tools/trace/reader.h"
#include "tools/base/event_text.h"

static const struct live_more nothing_more = { .team = NONE,
					       .team_next = NONE,
					       .team_prev = NONE,
					       .meeting = NONE,
					       .met = STRAND_NONE,
					       .named = TASK_NONE };

void state_open(struct state *state, struct dag *dag, const struct reader *reader,
		const struct merge *merge, uint64_t *n_steps, struct err *err)
{
	uint32_t n_lanes = reader_facts(reader)->n_workers;

	*state = (struct state){ .dag = dag,
				 .reader = reader,
				 .merge = merge,
				 .err = err,
				 .n_lanes = n_lanes,
				 .lane = xcalloc(n_lanes + 1ull, sizeof(*state->lane)),
				 .free_live = NONE,
				 .free_more = NONE,
				 .lossy_ns = UINT64_MAX,
				 .n_steps = n_steps };
	dag->n_counters = reader_defs(reader)->n_counters;
	dag->n_paths = reader_defs(reader)->n_paths;
	ids_open(&state->ids, n_lanes);
	array_grow(&state->more, &state->more_room, 1, sizeof(*state->more));
	state->more[state->n_more++] = nothing_more;
	for (uint32_t w = 0; w < n_lanes; w++)
		state->lane[w] = (struct lane){ .task = TASK_NONE,
						.open = STRAND_NONE,
						.noted = true,
						.newest = STRAND_NONE,
						.detailed = TASK_NONE };
}

void state_free(struct state *state)
{
	free(state->lane);
	ids_free(&state->ids);
	free(state->task_last);
	free(state->task_slot);
	free(state->task_flags);
	map_free(&state->done_by);
	map_free(&state->waits);
	free(state->live);
	free(state->more);
	*state = (struct state){ 0 };
}

/* ---- what is wrong ---- */

int state_contradicts(struct state *state, const char *format, ...)
{
	const char *refused = defs_meta(reader_defs(state->reader), "unrecorded_threads");
	char what[160], line[160] = "";
	FILE *out = fmemopen(line, sizeof(line) - 1, "w");
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	if (out) {
		text_event(out, state->worker, state->event);
		fclose(out);
	}
	line[strcspn(line, "\n")] = 0;
	return err_set(state->err, EPROTO, "%s: event `%s` contradicts the trace: %s%s",
		       reader_facts(state->reader)->path, line, what,
		       refused ? "; memory ran out and some threads were not recorded, which may "
				 "be the cause"
			       : "");
}

int state_unless_lossy(struct state *state, const char *what)
{
	return state_lossy(state) ? 0 : state_contradicts(state, "%s", what);
}

int state_too_large(struct state *state, const char *what)
{
	return err_set(state->err, EFBIG, "%s: has too many %s for its %" PRIu64 " events",
		       reader_facts(state->reader)->path, what, state->dag->n_events);
}

int state_too_long(struct state *state)
{
	return err_set(state->err, EFBIG, "%s: spans more than 78 hours, which is too long",
		       reader_facts(state->reader)->path);
}

/* ---- strands and edges ---- */

void state_strand_room(struct state *state)
{
	struct dag *dag = state->dag;
	uint64_t room = state->room.strands, waits_room = room;

	if (dag->n_strands == STRAND_NONE)
		too_many("strands");
	array_grow(&dag->how, &room, dag->n_strands + 1ull, sizeof(*dag->how));
	array_grow(&dag->wait_of, &waits_room, dag->n_strands + 1ull, sizeof(*dag->wait_of));
	prefault_pause(state->prefault);
	array_grow(&dag->strand, &state->room.strands, dag->n_strands + 1ull, sizeof(*dag->strand));
	prefault_resume(state->prefault, dag->strand, state->room.strands, sizeof(*dag->strand),
			&dag->n_strands);
}

void state_wait(struct state *state, strand_id s, site_id site, enum wire_wait what)
{
	struct dag *dag = state->dag;
	uint64_t key = (uint64_t)what << 32 | site, *number;

	if (key == state->wait_key) {
		dag_set_wait(dag, s, state->wait_number);
		return;
	}
	number = map_put(&state->waits, key);
	if (!*number && dag->n_waits < DAG_WAITS) {
		array_grow(&dag->wait, &state->room.waits, dag->n_waits + 2ull, sizeof(*dag->wait));
		if (!dag->n_waits)
			dag->wait[dag->n_waits++] = (struct dag_wait){ .site = SITE_NONE };
		*number = dag->n_waits;
		dag->wait[dag->n_waits++] =
			(struct dag_wait){ .site = site, .what = (uint8_t)what };
	}
	state->wait_key = key;
	state->wait_number = (uint16_t)*number;
	dag_set_wait(dag, s, state->wait_number);
}

void state_set_long(struct state *state, strand_id s, uint64_t length)
{
	struct dag *dag = state->dag;
	uint64_t *kept = map_put(&dag->lengths, s);

	dag->strand[s].length = STRAND_LONG;
	*kept = length;
}

bool state_is_open(const struct state *state, strand_id s)
{
	const struct dag *dag = state->dag;

	return state->lane[dag->strand[s].worker].open == s ||
	       dag_end(dag, s) > state->ns - dag->begin_ns;
}

int state_edge(struct state *state, strand_id from)
{
	struct dag *dag = state->dag;

	if (!state_may_link(state, dag->n_extras))
		return state_too_large(state, "edges");
	if (state_lossy(state) && state_is_open(state, from))
		return 0; /* its end is missing */
	if (dag->n_extras == UINT32_MAX)
		too_many("edges");
	ARRAY_ADD(dag->extra, dag->n_extras, state->room.extras,
		  (struct extra){ state->newest, from });
	dag->how[state->newest] |= STRAND_EXTRA;
	return 0;
}

int state_edges_from_task(struct state *state, task_id task)
{
	const uint64_t *signaller;
	int error = state_edge(state, state->task_last[task]);

	if (error || !(state->task_flags[task] & BUILD_SIGNALLED))
		return error;
	signaller = map_find(&state->done_by, task);
	return signaller ? state_edge(state, (strand_id)*signaller) : 0;
}

/* ---- tasks ---- */

/* Grows all arrays of tasks by at least one. */
static void grow_by_task(struct state *state)
{
	struct dag *dag = state->dag;
	struct {
		void *array;
		size_t bytes;
	} all[] = {
		{ &dag->task_kind, sizeof(*dag->task_kind) },
		{ &dag->task_state, sizeof(*dag->task_state) },
		{ &state->task_last, sizeof(*state->task_last) },
		{ &state->task_slot, sizeof(*state->task_slot) },
		{ &state->task_flags, sizeof(*state->task_flags) },
		{ &dag->task_path, sizeof(*dag->task_path) },
	};
	size_t n_arrays = sizeof(all) / sizeof(all[0]) - !dag->n_paths;
	uint64_t n = dag->n_tasks + 1ull, room = 0;

	for (size_t i = 0; i < n_arrays; i++) {
		room = state->room.tasks;
		array_grow(all[i].array, &room, n, all[i].bytes);
	}
	state->room.tasks = room;
}

void state_task_room(struct state *state)
{
	if (state->dag->n_tasks >= MADE_TEAM - 1)
		too_many("tasks");
	grow_by_task(state);
}

int state_no_id(struct state *state)
{
	return state_contradicts(state, "its id was given out before");
}

void state_begin(struct state *state, task_id task)
{
	uint32_t index = state->free_live;
	strand_id creator = state->task_last[task];

	if (index != NONE) {
		state->free_live = state->live[index].next_free;
	} else {
		array_grow(&state->live, &state->live_room, state->n_live + 1,
			   sizeof(*state->live));
		index = (uint32_t)state->n_live++;
	}
	state->live[index] =
		(struct live){ .task = task,
			       .parent = creator == STRAND_NONE ? TASK_NONE
								: state->dag->strand[creator].task,
			       .created = TASK_NONE,
			       .depends = NONE,
			       .preds = NONE,
			       .children = { NONE, NONE } };
	state->task_slot[task] = index;
}

struct live_more *state_more(struct state *state, struct live *live)
{
	uint32_t index = live->more ? live->more : state->free_more;

	if (live->more)
		return &state->more[index];
	if (index != NONE) {
		state->free_more = state->more[index].next_free;
	} else {
		array_grow(&state->more, &state->more_room, state->n_more + 1,
			   sizeof(*state->more));
		index = (uint32_t)state->n_more++;
	}
	live->more = index;
	state->more[index] = nothing_more;
	return &state->more[index];
}

void state_end(struct state *state, struct live *live)
{
	if (live->more) {
		state->more[live->more].next_free = state->free_more;
		state->free_more = live->more;
	}
	live->next_free = state->free_live;
	state->free_live = (uint32_t)(live - state->live);
}
