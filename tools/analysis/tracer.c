/* SPDX-License-Identifier: MIT */
/* tracer.c - finds the free time that holds take up. */
#include "tools/analysis/tracer.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/order.h"
#include "tools/base/at_most.h"
#include "tools/base/xalloc.h"

#define PIECES_MOST 1024u /* so many stretches of free time of a worker are remembered */

struct piece {
	uint64_t from_ns, to_ns;
	strand_id inside; /* a collapsed strand, of whose idle time so much is not taken yet */
};

struct lane {
	uint64_t n_holds, at; /* of its holds: hold[first + at] is the next */
	uint64_t first;
	uint64_t end_ns; /* of its last strand */
	strand_id last;
	struct piece *piece; /* free time before that, not taken yet, in order */
	uint64_t n_pieces, room;
};

struct search {
	const struct dag *dag;
	struct tracer *tracer;
	uint64_t span_room;
	struct lane *lane; /* dag->n_slots */
	uint64_t *hold;	   /* dag->hold[], by worker */
};

static void add_span(struct search *search, const struct hold *hold, uint64_t from, uint64_t to)
{
	struct tracer *tracer = search->tracer;

	ARRAY_ADD(tracer->span, tracer->n, search->span_room,
		  (struct tracer_span){ from, to, hold->worker, hold->strand });
}

static void add_inside(struct search *search, strand_id s, uint64_t ns)
{
	uint64_t *inside = map_put(&search->tracer->inside, s);

	*inside += ns;
}

static void push_piece(struct lane *lane, uint64_t from, uint64_t to, strand_id inside)
{
	if (from >= to)
		return;
	if (lane->n_pieces == PIECES_MOST) {
		lane->n_pieces /= 2;
		memmove(lane->piece, lane->piece + lane->n_pieces,
			lane->n_pieces * sizeof(*lane->piece));
	}
	ARRAY_ADD(lane->piece, lane->n_pieces, lane->room, (struct piece){ from, to, inside });
}

/* Takes *left of the latest free time that is remembered; *left is what there was too little. */
static void take_latest(struct search *search, struct lane *lane, const struct hold *hold,
			uint64_t *left)
{
	struct piece *piece = &lane->piece[lane->n_pieces - 1];
	uint64_t within = piece->to_ns - piece->from_ns, n = at_most(*left, within);

	*left -= n;
	piece->to_ns -= n;
	lane->n_pieces -= n == within;
	if (piece->inside != STRAND_NONE) {
		add_inside(search, piece->inside, n);
		return;
	}
	add_span(search, hold, piece->to_ns, piece->to_ns + n);
}

/* Takes the free time that is remembered, the latest first. */
static void take_back(struct search *search, struct lane *lane, const struct hold *hold,
		      uint64_t length)
{
	while (length && lane->n_pieces)
		take_latest(search, lane, hold, &length);
}

static const struct hold *next_hold(const struct search *search, const struct lane *lane)
{
	if (lane->at == lane->n_holds)
		return NULL;
	return &search->dag->hold[search->hold[lane->first + lane->at]];
}

/* Holds that the collapsed task tells of which ran last, whose idle time is the latest. */
static void pass_inside(struct search *search, struct lane *lane)
{
	const struct hold *hold;

	while ((hold = next_hold(search, lane)) && hold->inside && hold->strand == lane->last) {
		uint64_t left = hold->length_ns;

		if (lane->n_pieces && lane->piece[lane->n_pieces - 1].inside == lane->last)
			take_latest(search, lane, hold, &left);
		lane->at++;
	}
}

/*
 * The worker is free from its last strand up to `to`, where `s` begins, or the window ends: then
 * `s` is that last strand, behind whose events some more of its holds may be told.
 */
static void pass_free(struct search *search, struct lane *lane, uint64_t to, strand_id s)
{
	uint64_t from = lane->end_ns;
	const struct hold *hold;

	pass_inside(search, lane);

	while ((hold = next_hold(search, lane)) && hold->after && hold->strand == lane->last) {
		uint64_t begin = hold->ns > from ? hold->ns : from;
		uint64_t left = begin < to ? to - begin : 0;
		uint64_t n = hold->length_ns < left ? hold->length_ns : left;

		begin = begin < to ? begin : to;
		push_piece(lane, from, begin, STRAND_NONE);
		if (n)
			add_span(search, hold, begin, begin + n);
		take_back(search, lane, hold, hold->length_ns - n);
		from = begin + n > from ? begin + n : from;
		lane->at++;
	}
	push_piece(lane, from, to, STRAND_NONE);
	while ((hold = next_hold(search, lane)) && !hold->after && hold->strand == s) {
		take_back(search, lane, hold, hold->length_ns);
		lane->at++;
	}
}

static void find(struct search *search)
{
	const struct dag *dag = search->dag;

	for (strand_id s = 0; s < dag->n_strands; s++) {
		struct lane *lane = &search->lane[dag->strand[s].worker];

		if (dag_is_node(dag, s) || !lane->n_holds)
			continue;
		pass_free(search, lane, dag_start(dag, s), s);
		if (dag_collapsed(dag, s))
			push_piece(lane, 0, collapsed_idle_ns(dag_collapsed(dag, s)), s);
		lane->end_ns = dag_end(dag, s) > lane->end_ns ? dag_end(dag, s) : lane->end_ns;
		lane->last = s;
	}
	for (uint32_t w = 0; w < dag->n_slots; w++)
		if (search->lane[w].n_holds)
			pass_free(search, &search->lane[w], dag->elapsed_ns, search->lane[w].last);
}

/* Holds by worker, each one's in the order of its events. */
static void sort_holds(struct search *search)
{
	const struct dag *dag = search->dag;
	uint64_t first = 0;

	for (uint64_t i = 0; i < dag->n_holds; i++)
		search->lane[dag->hold[i].worker].n_holds++;
	for (uint32_t w = 0; w < dag->n_slots; w++) {
		search->lane[w].first = first;
		search->lane[w].last = STRAND_NONE;
		first += search->lane[w].n_holds;
	}
	for (uint64_t i = 0; i < dag->n_holds; i++) {
		struct lane *lane = &search->lane[dag->hold[i].worker];

		search->hold[lane->first + lane->at++] = i;
	}
	for (uint32_t w = 0; w < dag->n_slots; w++)
		search->lane[w].at = 0;
}

ORDER(by_worker, struct tracer_span, BY_LEAST(worker) ?: BY_LEAST(from_ns))

void tracer_find(struct tracer *tracer, const struct dag *dag)
{
	struct search search = { .dag = dag, .tracer = tracer };

	*tracer = (struct tracer){ 0 };
	if (!dag->n_holds)
		return;
	search.lane = xcalloc(dag->n_slots + 1ull, sizeof(*search.lane));
	search.hold = xmalloc((dag->n_holds + 1) * sizeof(*search.hold));
	sort_holds(&search);
	find(&search);
	SORT(tracer->span, tracer->n, by_worker);
	for (uint32_t w = 0; w < dag->n_slots; w++)
		free(search.lane[w].piece);
	free(search.lane);
	free(search.hold);
}

void tracer_free(struct tracer *tracer)
{
	free(tracer->span);
	map_free(&tracer->inside);
	*tracer = (struct tracer){ 0 };
}

uint64_t tracer_inside(const struct tracer *tracer, strand_id s)
{
	const uint64_t *inside = map_find(&tracer->inside, s);

	return inside ? *inside : 0;
}

static bool is_of(const struct dag *dag, uint32_t worker, uint16_t runtimes)
{
	return dag->worker_runtimes[worker] & runtimes && !dag->beside[worker];
}

/* Of the time inside a collapsed strand, its part of what is selected. */
static uint64_t selected_inside(const struct dag *dag, const struct select *select, strand_id s,
				uint64_t ns)
{
	uint64_t length = dag_length(dag, s);
	uint64_t within = select_within(select, dag_start(dag, s), dag_end(dag, s));

	return length ? (uint64_t)((unsigned __int128)ns * within / length) : 0;
}

void tracer_by_kind(const struct tracer *tracer, const struct dag *dag, uint16_t runtimes,
		    const struct select *select, uint64_t *by_kind)
{
	for (uint64_t i = 0; i < tracer->n; i++) {
		const struct tracer_span *span = &tracer->span[i];
		kind_id kind = span->strand == STRAND_NONE ? 0 : dag_kind(dag, span->strand);

		if (is_of(dag, span->worker, runtimes))
			by_kind[kind] += select_within(select, span->from_ns, span->to_ns);
	}
	for (uint32_t i = 0; i < tracer->inside.n_slots; i++) {
		strand_id s = (strand_id)tracer->inside.entry[i].key;

		if (tracer->inside.used[i] && is_of(dag, dag->strand[s].worker, runtimes))
			by_kind[dag_kind(dag, s)] +=
				selected_inside(dag, select, s, tracer->inside.entry[i].value);
	}
}
