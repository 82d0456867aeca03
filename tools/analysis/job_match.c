/* SPDX-License-Identifier: MIT */
/* job_match.c - brings the ends together by sorting them. */
#include "tools/analysis/job_match.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/at_most.h"
#include "tools/base/map.h"
#include "tools/base/order.h"
#include "tools/base/xalloc.h"

#define IN_A_BUCKET (1u << 17) /* ends: 6 MB, which are sorted at once */
#define FIBONACCI 0x9e3779b97f4a7c15u

/* ---- ranks that others spawned ---- */

static struct job_spawn *spawn_of_world(struct job_match *match, const struct job_rank *rank)
{
	for (uint32_t i = 0; i < match->n_spawns; i++)
		if (match->spawn[i].world == rank->world)
			return &match->spawn[i];
	match->spawn[match->n_spawns] = (struct job_spawn){ .world = rank->world,
							    .clock = rank->clock,
							    .first_ns = UINT64_MAX };
	return &match->spawn[match->n_spawns++];
}

/* When the ranks of each world began. */
static void find_worlds(struct job_match *match)
{
	match->n_spawns = 0;
	for (uint32_t r = 0; r < match->n_ranks; r++) {
		const struct job_rank *rank = &match->rank[r];
		struct job_spawn *spawn = spawn_of_world(match, rank);

		spawn->first_ns = at_most(spawn->first_ns, rank->calls->born_ns);
		spawn->last_ns = at_least(spawn->last_ns, rank->calls->born_ns);
		spawn->is_ambiguous |= spawn->clock != rank->clock;
	}
}

static void find_used(struct job_match *match, struct map *used)
{
	for (uint32_t r = 0; r < match->n_ranks; r++) {
		const struct job_rank *rank = &match->rank[r];

		for (uint32_t m = 0; m < rank->calls->n_messages; m++)
			*map_put(used, job_rank_id(rank->world, rank->calls->message[m].comm)) = 1;
		spool_rest(match->spool);
	}
}

/* The call may have spawned them, if they began meanwhile, and what it made is used. */
static void try_call(struct job_spawn *spawn, const struct job_rank *rank,
		     const struct rank_message *message, const struct map *used)
{
	const struct rank_call *call = &rank->calls->call[message->call];
	uint32_t comm = wire_comm_nth(message->comm, message->order);
	bool is_alone = message->n_ranks == 1;

	if (spawn->world == rank->world || spawn->clock != rank->clock ||
	    call->begin_ns > spawn->first_ns || spawn->last_ns > call->end_ns ||
	    !map_find(used, job_rank_id(rank->world, comm)))
		return;
	spawn->is_ambiguous |= spawn->comm && (spawn->comm != comm || spawn->parent != rank->world);
	spawn->parent = rank->world;
	spawn->comm = comm;
	spawn->is_alone = is_alone;
	spawn->rank = is_alone ? rank->rank : 0;
}

static void find_spawns(struct job_match *match)
{
	AT_END(map_free) struct map used = { 0 };

	find_worlds(match);
	if (match->n_spawns == 1) {
		match->n_spawns = 0;
		return;
	}
	find_used(match, &used);
	for (uint32_t r = 0; r < match->n_ranks; r++) {
		const struct job_rank *rank = &match->rank[r];

		for (uint32_t m = 0; m < rank->calls->n_messages; m++) {
			const struct rank_message *message = &rank->calls->message[m];

			for (uint32_t i = 0; i < match->n_spawns; i++)
				if (message->field == WIRE_MESSAGE_ALL && message->order &&
				    (message->comm == WIRE_COMM_WORLD || message->n_ranks == 1))
					try_call(&match->spawn[i], rank, message, &used);
		}
		spool_rest(match->spool);
	}
}

/* Between the rank's world and another one; NULL. */
static const struct job_spawn *spawn_between(const struct job_match *match,
					     const struct job_rank *rank, uint32_t comm)
{
	for (uint32_t i = 0; i < match->n_spawns; i++) {
		const struct job_spawn *spawn = &match->spawn[i];
		bool is = comm == WIRE_COMM_PARENT
				  ? spawn->world == rank->world
				  : spawn->parent == rank->world && spawn->comm == comm;

		if (is && spawn->comm && !spawn->is_ambiguous)
			return spawn;
	}
	return NULL;
}

/* ---- matching ---- */

uint64_t job_other(const struct job_match *match, const struct job_rank *of, uint8_t field,
		   uint32_t rank, uint32_t *comm)
{
	const struct job_spawn *spawn = spawn_between(match, of, *comm);

	if (!spawn) {
		bool known = *comm && (field > WIRE_MESSAGE_FROM || !wire_comm_between(*comm));

		*comm = known ? *comm ^ of->world : 0;
		return job_rank_id(of->world, rank);
	}
	*comm = spawn->comm ^ spawn->parent;
	if (field == WIRE_MESSAGE_FROM_ROOT || field == WIRE_MESSAGE_TO_ROOT)
		*comm = 0; /* roots of both worlds have one number */
	if (spawn->parent == of->world)
		return job_rank_id(spawn->world, rank);
	return job_rank_id(spawn->parent, spawn->is_alone ? spawn->rank : rank);
}

static struct job_end message_end(const struct job_match *match, uint32_t rank, uint32_t i)
{
	const struct job_rank *of = &match->rank[rank];
	const struct rank_message *message = &of->calls->message[i];
	struct job_end end = { .comm = message->comm,
			       .order = message->order,
			       .collective = message->field > WIRE_MESSAGE_FROM,
			       .again = message->again,
			       .rank = rank,
			       .message = i,
			       .begin_ns = of->calls->call[message->call].begin_ns };

	uint64_t own = job_rank_id(of->world, of->rank);
	uint64_t other = job_other(match, of, message->field, message->rank, &end.comm);

	if (!end.collective) {
		bool sent = message->field == WIRE_MESSAGE_TO;

		end.from = sent ? own : other;
		end.to = sent ? other : own;
		end.tag = message->tag;
	}
	return end;
}

static int by_match(const struct job_end *x, const struct job_end *y)
{
	return order_least(x->collective, y->collective) ?: order_least(x->comm, y->comm) ?:
	       order_least(x->from, y->from) ?: order_least(x->to, y->to) ?:
	       order_least(x->tag, y->tag) ?: order_least(x->order, y->order);
}

/* Of one rank, that which began first comes first; the further ones of messages are behind. */
ORDER(by_match_and_rank, struct job_end, by_match(x, y) ?: BY_LEAST(again) ?: BY_LEAST(rank) ?:
      BY_LEAST(begin_ns) ?: BY_LEAST(message))

/* How many ranks the n ends of a call are of.  One that does not block has two on each: it begins,
 * which lets others go on, and is waited for. */
static uint64_t count_ranks(struct job_end *end, uint64_t n)
{
	uint64_t n_ranks = 0;

	for (uint64_t i = 0; i < n; i++) {
		end[i].again = i && end[i].rank == end[i - 1].rank;
		n_ranks += !end[i].again;
	}
	return n_ranks;
}

/* Whether these are all ends of one message or call. */
static bool is_complete(const struct job_match *match, struct job_end *end, uint64_t n)
{
	const struct rank_message *first = job_message(match, &end[0]);

	if (end->collective)
		return count_ranks(end, n) == first->n_ranks;
	return n >= 2 && !end[1].again && (n == 2 || end[2].again) &&
	       first->field != job_message(match, &end[1])->field;
}

/* All ends of a message or call are in one bucket, and those of calls that follow each other mostly
 * are, too, so that what lies together is used together. */
static uint32_t bucket_of(const struct job_match *match, const struct job_end *end)
{
	const uint64_t part[] = {
		end->comm, end->from, end->to, end->tag, end->order / JOB_ROW, end->collective
	};
	uint64_t hash = MAP_HASH;

	for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++)
		hash = (hash ^ part[i]) * FIBONACCI;
	return (uint32_t)((hash >> 32) % match->n_buckets);
}

/* Counts the ends of each bucket, or puts them in their places. */
static void sort_out(struct job_match *match, bool put)
{
	for (uint32_t r = 0; r < match->n_ranks; r++) {
		for (uint32_t i = 0; i < match->rank[r].calls->n_messages; i++) {
			struct job_end end = message_end(match, r, i);
			uint32_t bucket = bucket_of(match, &end);

			if (!end.comm || !end.order)
				match->n_unknown += !put;
			else if (put)
				match->end[match->bucket[bucket]++] = end;
			else
				match->bucket[bucket]++;
		}
		spool_rest(match->spool);
	}
}

static void match_bucket(struct job_match *match, struct job_end *end, uint64_t n_ends,
			 job_matched *take, void *context)
{
	uint64_t rested = 0;

	SORT(end, n_ends, by_match_and_rank);
	for (uint64_t i = 0, n; i < n_ends; i += n) {
		for (n = 1; i + n < n_ends; n++)
			if (by_match(&end[i], &end[i + n]) != 0)
				break;
		if (!is_complete(match, &end[i], n)) {
			match->n_unmatched += n;
		} else {
			*(end[i].collective ? &match->n_collectives : &match->n_messages) += 1;
			take(context, &end[i], n);
		}
		if (i - rested >= JOB_ROW) {
			spool_rest(match->spool);
			rested = i;
		}
	}
}

void job_match_each(struct job_match *match, job_matched *take, void *context)
{
	uint64_t begin = 0;

	match->n_messages = match->n_collectives = match->n_unmatched = match->n_unknown = 0;
	memset(match->bucket, 0, match->n_buckets * sizeof(*match->bucket));
	find_spawns(match);
	sort_out(match, false);
	for (uint32_t b = 0; b < match->n_buckets; b++) {
		uint64_t n = match->bucket[b];

		match->bucket[b] = begin;
		begin += n;
	}
	sort_out(match, true);
	for (uint32_t b = 0; b < match->n_buckets; b++) {
		uint64_t from = b ? match->bucket[b - 1] : 0;

		match_bucket(match, &match->end[from], match->bucket[b] - from, take, context);
	}
}

void job_match_open(struct job_match *match, const struct job_rank *rank, uint32_t n_ranks,
		    struct spool *spool)
{
	uint64_t n_ends = 0;

	*match = (struct job_match){ .rank = rank, .n_ranks = n_ranks, .spool = spool };
	for (uint32_t r = 0; r < n_ranks; r++)
		n_ends += rank[r].calls->n_messages;
	match->n_buckets = (uint32_t)(n_ends / IN_A_BUCKET) + 1;
	match->bucket = xcalloc(match->n_buckets, sizeof(*match->bucket));
	match->spawn = xcalloc(n_ranks + 1ull, sizeof(*match->spawn));
	match->end = spool_array(spool, n_ends, sizeof(*match->end));
	find_spawns(match);
}

bool job_on_one_clock(const struct job_match *match)
{
	for (uint32_t r = 1; r < match->n_ranks; r++)
		if (match->rank[r].clock != match->rank[0].clock)
			return false;
	return true;
}

void job_match_close(struct job_match *match)
{
	free(match->bucket);
	free(match->spawn);
	*match = (struct job_match){ 0 };
}

bool job_sends(const struct job_rank *rank, const struct rank_message *message)
{
	switch (message->field) {
	case WIRE_MESSAGE_TO:
	case WIRE_MESSAGE_ALL:
		return true;
	case WIRE_MESSAGE_FROM_ROOT:
		return rank->rank == message->rank;
	case WIRE_MESSAGE_TO_ROOT:
		return rank->rank != message->rank;
	default:
		return false; /* it depends on more than the trace says */
	}
}

bool job_arrives(const struct job_rank *rank, const struct rank_message *message)
{
	switch (message->field) {
	case WIRE_MESSAGE_FROM:
	case WIRE_MESSAGE_ALL:
		return true;
	case WIRE_MESSAGE_FROM_ROOT:
		return rank->rank != message->rank;
	case WIRE_MESSAGE_TO_ROOT:
		return rank->rank == message->rank;
	default:
		return false;
	}
}
