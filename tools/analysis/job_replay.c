/* SPDX-License-Identifier: MIT */
/* job_replay.c - the calls of a job once more, with other times between them. */
#include "tools/analysis/job_replay.h"

#include <math.h>
#include <stdlib.h>

#include "tools/base/at_most.h"
#include "tools/base/map.h"
#include "tools/base/order.h"
#include "tools/base/ratio.h"
#include "tools/base/xalloc.h"

/* A message, or a collective call: when the last one that sends had begun, and the last one that
 * receives; as recorded, and anew. */
struct replay_group {
	uint64_t sent_ns, posted_ns, bytes;
	double sent, posted;
};

/* When a step ends, or a call begins; and when it would, without the tasks beside the next call. */
struct replay_time {
	double all, early;
};

struct replay_rank {
	uint64_t *group_of;	  /* by message: 2 * its number, + 1 if another end of its rank came
				   * before; 0: it is not matched */
	uint32_t *message;	  /* by call: its first message */
	struct replay_time *step; /* by step; NAN: not known yet */
	struct replay_time *begin;
	double *end;  /* these by call */
	double shift; /* what happened last, after when it was recorded */
};

struct replay_moment {
	uint64_t ns;
	uint32_t rank, call;
	bool ends;
};

/* ---- what there is ---- */

/* Begins first: what ends at the same time may have waited for them. */
ORDER(by_time, struct replay_moment, BY_LEAST(ns) ?: BY_LEAST(ends) ?: BY_LEAST(rank) ?:
      BY_LEAST(call))

/* The first two ends of a message are the sender's and the receiver's. */
static void note_network(struct job_replay *replay, const struct job_end *end)
{
	const struct job_match *match = replay->match;
	bool first = job_message(match, end)->field == WIRE_MESSAGE_TO;
	const struct rank_call *taken = job_call(match, &end[first]);
	uint64_t sent_ns = job_call(match, &end[!first])->begin_ns;
	uint64_t bytes = job_message(match, &end[!first])->bytes;
	struct replay_network *network = &replay->network;
	uint32_t size = wire_bucket(bytes);

	if (taken->begin_ns >= sent_ns || taken->end_ns <= sent_ns)
		return;
	network->n++;
	if (network->least_ns[size] && network->least_ns[size] <= taken->end_ns - sent_ns)
		return;
	network->least_ns[size] = taken->end_ns - sent_ns;
	network->bytes[size] = bytes;
}

#define LONG_BYTES 16384u /* of such messages the bandwidth counts */

static void fit_network(struct replay_network *network)
{
	for (uint32_t i = 0; i < WIRE_BUCKETS; i++) {
		double ns = (double)network->least_ns[i];

		if (ns > 0 && (network->latency_ns <= 0 || ns < network->latency_ns))
			network->latency_ns = ns;
	}
	for (uint32_t i = 0; i < WIRE_BUCKETS; i++) {
		double ns = (double)network->least_ns[i] - network->latency_ns;

		if (network->bytes[i] < LONG_BYTES || ns <= 0)
			continue;
		ns /= (double)network->bytes[i];
		if (network->byte_ns <= 0 || ns < network->byte_ns)
			network->byte_ns = ns;
	}
}

static void note_group(void *context, struct job_end *end, uint64_t n)
{
	struct job_replay *replay = context;
	struct replay_group *group = &replay->group[++replay->n_groups];

	*group = (struct replay_group){ 0 };
	if (!end->collective)
		note_network(replay, end);
	for (uint64_t i = 0; i < n; i++) {
		const struct job_rank *rank = &replay->match->rank[end[i].rank];
		const struct rank_message *message = job_message(replay->match, &end[i]);
		bool collective = message->field > WIRE_MESSAGE_FROM;

		replay->rank[end[i].rank].group_of[end[i].message] =
			2 * replay->n_groups + end[i].again;
		if (!end[i].again && job_sends(rank, message)) {
			group->bytes = message->bytes;
			group->sent_ns = at_least(group->sent_ns, end[i].begin_ns);
		}
		if (!end[i].again && !collective && job_arrives(rank, message))
			group->posted_ns = at_least(group->posted_ns, end[i].begin_ns);
	}
}

/* Of n ranks, each with its moments in order from `at` on, the one with the first moment is on top.
 */
struct merging {
	const struct replay_moment *moment;
	uint64_t *at, *until; /* by rank */
	uint32_t *heap, n;
};

static bool comes_first(const struct merging *merging, uint32_t a, uint32_t b)
{
	return by_time(&merging->moment[merging->at[a]], &merging->moment[merging->at[b]]) < 0;
}

static void sift_down(struct merging *merging, uint32_t i)
{
	uint32_t *heap = merging->heap;

	for (uint32_t child; (child = 2 * i + 1) < merging->n; i = child) {
		uint32_t rank = heap[i];

		if (child + 1 < merging->n && comes_first(merging, heap[child + 1], heap[child]))
			child++;
		if (!comes_first(merging, heap[child], rank))
			break;
		heap[i] = heap[child];
		heap[child] = rank;
	}
}

static void take_moments(struct merging *merging, struct replay_moment *to, struct spool *spool)
{
	for (uint32_t i = merging->n; i-- > 0;)
		sift_down(merging, i);
	for (uint64_t i = 0; merging->n; i++) {
		uint32_t rank = merging->heap[0];

		to[i] = merging->moment[merging->at[rank]++];
		if (merging->at[rank] == merging->until[rank])
			merging->heap[0] = merging->heap[--merging->n];
		sift_down(merging, 0);
		if (i % 65536 == 0)
			spool_rest(spool);
	}
}

/* Ranks' moments lie behind each other, each in order: sorting all would take memory for all. */
static void merge_ranks(struct job_replay *replay)
{
	uint32_t n_ranks = replay->match->n_ranks;
	struct replay_moment *to =
		spool_array(replay->match->spool, replay->n_moments, sizeof(*to));
	uint64_t *at = xcalloc(2 * (n_ranks + 1ull), sizeof(*at)), sum = 0;
	uint32_t *heap = xcalloc(n_ranks + 1ull, sizeof(*heap));
	struct merging merging = { replay->moment, at, at + n_ranks, heap, 0 };

	for (uint32_t r = 0; r < n_ranks; r++) {
		uint64_t n = 2ull * replay->match->rank[r].calls->n_calls;

		merging.at[r] = sum;
		merging.until[r] = sum += n;
		if (n)
			heap[merging.n++] = r;
	}
	take_moments(&merging, to, replay->match->spool);
	replay->moment = to;
	free(at);
	free(heap);
}

static void open_rank(struct job_replay *replay, uint32_t r)
{
	uint64_t first = replay->n_moments;
	const struct rank_calls *calls = replay->match->rank[r].calls;
	struct spool *spool = replay->match->spool;
	struct replay_rank *rank = &replay->rank[r];

	rank->group_of = spool_array(spool, calls->n_messages, sizeof(*rank->group_of));
	rank->message = spool_array(spool, calls->n_calls + 1ull, sizeof(*rank->message));
	rank->step = spool_array(spool, calls->n_steps, sizeof(*rank->step));
	rank->begin = spool_array(spool, calls->n_calls, sizeof(*rank->begin));
	rank->end = spool_array(spool, calls->n_calls, sizeof(*rank->end));
	for (uint32_t m = calls->n_messages; m-- > 0;)
		rank->message[calls->message[m].call] = m;
	for (uint32_t c = 0; c < calls->n_calls; c++) {
		const struct rank_call *call = &calls->call[c];

		replay->moment[replay->n_moments++] =
			(struct replay_moment){ call->begin_ns, r, c, false };
		replay->moment[replay->n_moments++] =
			(struct replay_moment){ call->end_ns, r, c, true };
	}
	if (calls->n_calls)
		qsort(&replay->moment[first], replay->n_moments - first, sizeof(*replay->moment),
		      by_time);
}

void job_replay_open(struct job_replay *replay, struct job_match *match)
{
	uint64_t n_calls = 0, n_messages = 0;

	*replay = (struct job_replay){ .match = match, .begin_ns = UINT64_MAX };
	for (uint32_t r = 0; r < match->n_ranks; r++) {
		n_calls += match->rank[r].calls->n_calls;
		n_messages += match->rank[r].calls->n_messages;
	}
	replay->rank = xcalloc(match->n_ranks + 1ull, sizeof(*replay->rank));
	replay->group = spool_array(match->spool, n_messages + 1, sizeof(*replay->group));
	replay->moment = spool_array(match->spool, 2 * n_calls, sizeof(*replay->moment));
	for (uint32_t r = 0; r < match->n_ranks; r++) {
		const struct rank_calls *calls = match->rank[r].calls;

		open_rank(replay, r);
		replay->begin_ns = at_most(replay->begin_ns, calls->begin_ns);
		replay->end_ns = at_least(replay->end_ns, calls->end_ns);
		spool_rest(match->spool);
	}
	job_match_each(match, note_group, replay);
	fit_network(&replay->network);
	merge_ranks(replay);
}

void job_replay_close(struct job_replay *replay)
{
	free(replay->rank);
	*replay = (struct job_replay){ 0 };
}

/* ---- once more ---- */

/* Steps to be done, the last one first. */
struct step_stack {
	uint32_t *step;
	uint64_t n, room;
};

struct again {
	struct job_replay *replay;
	const struct replay_change *change;
	struct step_stack *stack;
};

static double since(const struct again *again, uint64_t ns)
{
	return (double)(int64_t)(ns - again->replay->begin_ns);
}

static double kind_factor(const double *factor, uint32_t kind)
{
	return factor && kind != RANK_NONE ? factor[kind] : 1;
}

/* What of a step's time counts. */
static double part_of_step(const struct again *again, uint32_t r, const struct rank_step *step)
{
	const struct replay_change *change = again->change;
	uint64_t ns = step->end_ns - step->begin_ns;

	if (change->span)
		return ratio(at_most(step->work_ns, ns), ns);
	return change->rank[r] * kind_factor(change->kind, step->kind);
}

/* Likewise of what lies between: it began as late. */
static double between(const struct again *again, uint64_t from_ns, uint64_t to_ns)
{
	return again->change->span ? 0 : (double)(int64_t)(to_ns - from_ns);
}

/* A rank's window. */
static double window_begins(const struct again *again, const struct rank_calls *calls)
{
	return between(again, again->replay->begin_ns, calls->begin_ns);
}

static bool is_beside(const struct replay_change *change, uint32_t kind)
{
	return change->beside && change->beside[kind];
}

/* By that before it, which has ended.  If it branches off within the step before it, that one's
 * rest is not on its way, and takes what its kind does. */
static struct replay_time step_ends(const struct again *again, uint32_t r, uint32_t s)
{
	const struct replay_change *change = again->change;
	const struct rank_calls *calls = again->replay->match->rank[r].calls;
	const struct replay_rank *rank = &again->replay->rank[r];
	const struct rank_step *step = &calls->step[s], *ahead;
	double gap, length;
	struct replay_time before;

	if (step->call != RANK_NONE) {
		before.all = before.early = rank->end[step->call];
		gap = between(again, calls->call[step->call].end_ns, step->begin_ns);
	} else if (step->before != RANK_NONE) {
		ahead = &calls->step[step->before];
		before = rank->step[step->before];
		gap = step->begin_ns < ahead->end_ns
			      ? -(double)(ahead->end_ns - step->begin_ns) *
					part_of_step(again, r, ahead)
			      : between(again, ahead->end_ns, step->begin_ns);
		if (gap < 0 && is_beside(change, ahead->kind))
			before.early -= gap; /* that is without all of it */
	} else {
		before.all = before.early = window_begins(again, calls);
		gap = between(again, calls->begin_ns, step->begin_ns);
	}
	length = part_of_step(again, r, step) * (double)(step->end_ns - step->begin_ns);
	before.all += gap + length;
	before.early += gap;
	if (!is_beside(change, step->kind))
		before.early += length;
	return before;
}

/* Steps before it that nobody asked for yet are first; and those that end now, anew: at a moment
 * things happen in any order. */
static struct replay_time step_end(const struct again *again, uint32_t r, uint32_t s,
				   uint64_t now_ns)
{
	const struct rank_step *step = again->replay->match->rank[r].calls->step;
	struct replay_time *end = again->replay->rank[r].step;
	struct step_stack *stack = again->stack;

	for (uint32_t at = s; at != RANK_NONE && isnan(end[at].all);
	     at = step[at].call == RANK_NONE ? step[at].before : RANK_NONE)
		ARRAY_ADD(stack->step, stack->n, stack->room, at);
	while (stack->n) {
		uint32_t at = stack->step[--stack->n];

		end[at] = step_ends(again, r, at);
	}
	if (step[s].end_ns < now_ns)
		return end[s];
	if (step[s].call == RANK_NONE && step[s].before != RANK_NONE &&
	    step[step[s].before].end_ns >= now_ns)
		step_end(again, r, step[s].before, now_ns);
	return end[s] = step_ends(again, r, s);
}

/* Returns whether it was not known so. */
static bool begin_call(const struct again *again, const struct replay_moment *moment)
{
	struct job_replay *replay = again->replay;
	const struct job_rank *of = &replay->match->rank[moment->rank];
	struct replay_rank *rank = &replay->rank[moment->rank];
	uint32_t step = of->calls->call[moment->call].step;
	double own = again->change->span ? 0 : since(again, moment->ns) + rank->shift;
	struct replay_time now = { own, own };

	if (step != RANK_NONE) {
		now = step_end(again, moment->rank, step, moment->ns);
		own = between(again, of->calls->step[step].end_ns, moment->ns);
		now = (struct replay_time){ now.all + own, now.early + own };
	}
	if (rank->begin[moment->call].all == now.all &&
	    rank->begin[moment->call].early == now.early)
		return false;
	rank->begin[moment->call] = now;
	rank->shift = now.all - since(again, moment->ns);
	for (uint32_t m = rank->message[moment->call];
	     m < of->calls->n_messages && of->calls->message[m].call == moment->call; m++) {
		struct replay_group *group = &replay->group[rank->group_of[m] / 2];

		if (!rank->group_of[m] || rank->group_of[m] % 2)
			continue;
		if (job_sends(of, &of->calls->message[m]))
			group->sent = fmax(group->sent, now.early);
		else
			group->posted = fmax(group->posted, now.early);
	}
	return true;
}

/* When the last rank let the message's call go on; as recorded in *recorded_ns. */
static double released(const struct job_rank *of, const struct replay_group *group,
		       const struct rank_message *message, const struct rank_call *call,
		       uint64_t *recorded_ns)
{
	bool sent = message->field == WIRE_MESSAGE_TO;
	uint64_t ns = sent ? group->posted_ns : group->sent_ns;

	if (ns > call->end_ns || (sent ? ns <= call->begin_ns : !job_arrives(of, message)))
		return 0; /* it does not wait for it, or clocks are not so exact */
	*recorded_ns = at_least(*recorded_ns, ns);
	return sent ? group->posted : group->sent;
}

static double message_factor(const struct again *again, const struct rank_calls *calls,
			     const struct replay_rank *rank, uint32_t c)
{
	uint32_t step = calls->call[c].step, kind = RANK_NONE;

	if (step != RANK_NONE && calls->message[rank->message[c]].field <= WIRE_MESSAGE_FROM)
		kind = calls->step[step].kind;
	return again->change->messages * kind_factor(again->change->of_caller, kind);
}

/* What a call that waits spares.  A collective call takes as many messages one after the other as
 * its ranks can be halved. */
static double spared(const struct again *again, uint32_t r, uint32_t first)
{
	const struct rank_calls *calls = again->replay->match->rank[r].calls;
	const uint64_t *group_of = again->replay->rank[r].group_of;
	const struct replay_network *network = &again->replay->network;
	const struct rank_message *message = &calls->message[first];
	double bytes = 0, steps = 1;

	if (again->change->less_latency <= 0 && again->change->less_transfer <= 0)
		return 0;
	for (uint32_t m = first; m < calls->n_messages && calls->message[m].call == message->call;
	     m++)
		bytes += (double)again->replay->group[group_of[m] / 2].bytes;
	if (message->field > WIRE_MESSAGE_FROM)
		steps = ceil(log2(fmax(message->n_ranks, 2)));
	return again->change->less_latency * network->latency_ns * steps +
	       again->change->less_transfer * network->byte_ns * bytes;
}

static bool end_call(const struct again *again, const struct replay_moment *moment)
{
	struct job_replay *replay = again->replay;
	const struct job_rank *of = &replay->match->rank[moment->rank];
	const struct rank_call *call = &of->calls->call[moment->call];
	struct replay_rank *rank = &replay->rank[moment->rank];
	uint64_t recorded_ns = call->begin_ns;
	double after = rank->begin[moment->call].early, takes;

	for (uint32_t m = rank->message[moment->call];
	     m < of->calls->n_messages && of->calls->message[m].call == moment->call; m++)
		if (rank->group_of[m])
			after = fmax(after, released(of, &replay->group[rank->group_of[m] / 2],
						     &of->calls->message[m], call, &recorded_ns));
	takes = message_factor(again, of->calls, rank, moment->call) *
		(double)(call->end_ns - recorded_ns);
	if (recorded_ns > call->begin_ns)
		takes = fmax(takes - spared(again, moment->rank, rank->message[moment->call]), 0);
	after += takes;
	after = fmax(after, rank->begin[moment->call].all);
	if (rank->end[moment->call] == after)
		return false;
	rank->end[moment->call] = after;
	rank->shift = after - since(again, moment->ns);
	return true;
}

static void begin_again(struct job_replay *replay)
{
	for (uint32_t r = 0; r < replay->match->n_ranks; r++) {
		for (uint32_t s = 0; s < replay->match->rank[r].calls->n_steps; s++)
			replay->rank[r].step[s].all = NAN;
		for (uint32_t c = 0; c < replay->match->rank[r].calls->n_calls; c++)
			replay->rank[r].begin[c].all = replay->rank[r].end[c] = -1;
		replay->rank[r].shift = 0;
		spool_rest(replay->match->spool);
	}
	for (uint64_t g = 0; g <= replay->n_groups; g++) {
		replay->group[g].sent = replay->group[g].posted = 0;
		if (g % 65536 == 0)
			spool_rest(replay->match->spool);
	}
}

/* When its window ends: the calls behind it are others'. */
static double rank_end(const struct again *again, uint32_t r)
{
	const struct rank_calls *calls = again->replay->match->rank[r].calls;
	uint64_t last_ns = calls->begin_ns;
	double last = window_begins(again, calls), end;

	for (uint32_t c = 0; c < calls->n_calls; c++) {
		end = again->replay->rank[r].end[c];
		last_ns = at_least(last_ns, calls->call[c].end_ns);
		last = fmax(last, end);
	}
	if (calls->last_step != RANK_NONE) {
		last_ns = at_least(last_ns, calls->step[calls->last_step].end_ns);
		last = fmax(last, step_end(again, r, calls->last_step, UINT64_MAX).all);
	}
	return last + between(again, last_ns, at_least(last_ns, calls->end_ns)) *
			      (again->change->span ? 0 : again->change->rank[r]);
}

static uint64_t at_once(const struct job_replay *replay, uint64_t i)
{
	uint64_t n = 1;

	while (i + n < replay->n_moments && replay->moment[i + n].ns == replay->moment[i].ns)
		n++;
	return n;
}

/* Of what happens at once, one may follow from the other: until nothing changes. */
static void happen(const struct again *again, const struct replay_moment *moment, uint64_t n)
{
	bool changed = true;

	for (uint64_t pass = 0; pass < n && changed; pass++) {
		changed = false;
		for (uint64_t i = 0; i < n; i++)
			changed |= (moment[i].ends ? end_call : begin_call)(again, &moment[i]);
	}
}

uint64_t job_replay_ns(struct job_replay *replay, const struct replay_change *change)
{
	struct step_stack stack = { 0 };
	struct again again = { replay, change, &stack };
	double end = 0;

	begin_again(replay);
	for (uint64_t i = 0, n; i < replay->n_moments; i += n) {
		n = at_once(replay, i);
		happen(&again, &replay->moment[i], n);
		if (i % 65536 < n)
			spool_rest(replay->match->spool);
	}
	for (uint32_t r = 0; r < replay->match->n_ranks; r++) {
		end = fmax(end, rank_end(&again, r));
		spool_rest(replay->match->spool);
	}
	free(stack.step);
	return (uint64_t)llround(end);
}
