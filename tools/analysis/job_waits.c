/* SPDX-License-Identifier: MIT */
/* job_waits.c - finds for whom each call waits, and walks back from the late ones. */
#include "tools/analysis/job_waits.h"

#include <stdlib.h>

#include "tools/base/at_most.h"
#include "tools/base/map.h"
#include "tools/base/order.h"
#include "tools/base/ratio.h"
#include "tools/base/xalloc.h"

/* What late ranks ran during a wait. */
struct charge_of {
	struct job_late late; /* all but ->late and ->kind is the wait's */
	double part;	      /* of the call, that is charged */
	double idle;	      /* idle workers, in the mean */
};

struct search {
	struct job_waits *waits;
	struct job_match *match;
	const struct job_rank *rank; /* of the match, as the next two */
	uint32_t n_ranks;
	struct spool *spool;
	struct job_release **release; /* the waits' */
	struct job_late *charge;  /* n_charges: of one wait */
	uint64_t n_charges, room, late_room, serial_room;
	struct map late_of; /* late_key() -> index in waits->late, + 1 */
};

/* ---- who waits for whom ---- */

static bool waits_for(const struct search *search, const struct job_end *end,
		      const struct job_end *other)
{
	const struct job_rank *me = &search->rank[end->rank], *it = &search->rank[other->rank];
	const struct rank_message *message = job_message(search->match, end);

	switch (message->field) {
	case WIRE_MESSAGE_FROM_ROOT:
		return it->rank == message->rank;
	case WIRE_MESSAGE_SCAN:
		return it->rank < me->rank;
	default:
		return true;
	}
}

/* The call of `end` waits for the last of the n others that lets it go on: `other` has the latest
 * first. */
static void find_release(struct search *search, const struct job_end *end,
			 const struct job_end *other, uint64_t n)
{
	static const enum late how[] = {
		[WIRE_MESSAGE_TO] = LATE_RECEIVER, [WIRE_MESSAGE_FROM] = LATE_SENDER
	};
	const struct rank_message *message = job_message(search->match, end);
	const struct rank_call *call = &search->rank[end->rank].calls->call[message->call];
	struct job_release *release = &search->release[end->rank][message->call];
	uint64_t after_ns = at_least(call->begin_ns, release->ns);

	if (message->field == WIRE_MESSAGE_TO_ROOT && search->rank[end->rank].rank != message->rank)
		return;
	for (uint64_t i = 0; i < n && other[i].begin_ns > after_ns; i++) {
		if (other[i].again || other[i].rank == end->rank ||
		    other[i].begin_ns > call->end_ns || !waits_for(search, end, &other[i]))
			continue;
		*release = (struct job_release){
			.ns = other[i].begin_ns,
			.rank = other[i].rank,
			.call = job_message(search->match, &other[i])->call,
			.how = end->collective ? LATE_COLLECTIVE : how[message->field],
		};
		return;
	}
}

ORDER(latest_first, struct job_end, BY_MOST(begin_ns) ?: BY_LEAST(rank) ?: BY_LEAST(message))

static bool is_on_one_clock(const struct search *search, const struct job_end *end, uint64_t n)
{
	for (uint64_t i = 1; i < n; i++)
		if (search->rank[end[i].rank].clock != search->rank[end[0].rank].clock)
			return false;
	return true;
}

/* The call of each waits for others. */
static void release_each(void *context, struct job_end *end, uint64_t n)
{
	struct search *search = context;

	if (!is_on_one_clock(search, end, n)) {
		search->waits->n_apart++;
		return;
	}
	SORT(end, n, latest_first);
	for (uint64_t i = 0; i < n; i++)
		find_release(search, &end[i], end, n);
}

/* ---- charging ---- */

/* A place where a walk back is: on a rank, at a step, before that time. */
struct walk {
	uint32_t rank, step;
	uint64_t ns;
};

/* The time back to which the step is what the rank was at. */
static uint64_t begin_of(const struct search *search, const struct walk *at)
{
	const struct rank_calls *calls = search->rank[at->rank].calls;
	const struct rank_step *step = &calls->step[at->step];

	if (step->before == RANK_NONE)
		return 0;
	if (step->call != RANK_NONE)
		return step->begin_ns;
	return at_most(step->begin_ns, calls->step[step->before].end_ns);
}

static double part_of(uint64_t ns, uint64_t all_ns)
{
	return ns < all_ns ? (double)ns / (double)all_ns : all_ns ? 1 : 0;
}

static void charge(struct search *search, const struct charge_of *wait, const struct walk *at,
		   uint64_t from_ns)
{
	const struct rank_step *step = &search->rank[at->rank].calls->step[at->step];
	struct job_late *to;
	double cpu_part = part_of(step->cpu_wait_ns, step->end_ns - begin_of(search, at));

	if (from_ns >= at->ns)
		return;
	to = ARRAY_ADD(search->charge, search->n_charges, search->room, wait->late);
	to->late = at->rank;
	to->kind = step->kind;
	to->ns = (uint64_t)((double)(at->ns - from_ns) * (1 - cpu_part) * wait->part);
	to->idle_ns = (uint64_t)((double)(at->ns - from_ns) * (1 - cpu_part) * wait->idle);
	search->waits->cpu_wait_ns += (uint64_t)((double)(at->ns - from_ns) * cpu_part);
}

/* To the step before: of the rank that this one waited for itself, where it did. */
static void walk_on(const struct search *search, struct walk *at)
{
	const struct rank_calls *calls = search->rank[at->rank].calls;
	const struct rank_step *step = &calls->step[at->step];

	if (step->call != RANK_NONE) {
		const struct job_release *release = &search->release[at->rank][step->call];

		if (release->ns && release->ns < at->ns) {
			const struct rank_calls *others = search->rank[release->rank].calls;

			*at = (struct walk){ release->rank, others->call[release->call].step,
					     release->ns };
			return;
		}
	}
	at->step = step->before;
}

ORDER(by_late, struct job_late, BY_LEAST(how) ?: BY_LEAST(late) ?: BY_LEAST(kind) ?:
      BY_LEAST(waiter))

/* A kind's number is of one rank. */
static uint64_t late_key(const struct job_late *late)
{
	return ((uint64_t)late->kind * LATES + late->how) << 32 | late->waiter;
}

static struct job_late *late_like(struct search *search, const struct job_late *charge)
{
	struct job_waits *waits = search->waits;
	uint64_t *known = map_put(&search->late_of, late_key(charge));
	struct job_late *late;

	if (!*known) {
		late = ARRAY_ADD(waits->late, waits->n_late, search->late_room, *charge);
		late->ns = late->idle_ns = 0;
		*known = waits->n_late;
	}
	return &waits->late[*known - 1];
}

/* The charges of a wait: those of one late rank and kind are one. */
static void add_charges(struct search *search)
{
	const struct job_late *charge = search->charge;

	if (search->n_charges)
		qsort(search->charge, search->n_charges, sizeof(*charge), by_late);
	for (uint64_t i = 0, n; i < search->n_charges; i += n) {
		struct job_late *to = late_like(search, &charge[i]);
		uint64_t ns = charge[i].ns;

		to->idle_ns += charge[i].idle_ns;
		for (n = 1; i + n < search->n_charges; n++) {
			if (by_late(&charge[i], &charge[i + n]) != 0)
				break;
			ns += charge[i + n].ns;
			to->idle_ns += charge[i + n].idle_ns;
		}
		to->ns += ns;
		to->n_waits++;
		if (ns > to->longest_ns) {
			to->longest_ns = ns;
			to->site = charge[i].site;
		}
	}
	search->n_charges = 0;
}

/* What others ran while the call waited. */
static void charge_wait(struct search *search, uint32_t rank, uint32_t number)
{
	const struct rank_call *call = &search->rank[rank].calls->call[number];
	struct job_release *release = &search->release[rank][number];
	struct charge_of wait = { { .how = release->how, .waiter = rank, .site = call->site },
				  1 - part_of(call->ready_ns, call->end_ns - call->begin_ns),
				  ratio(call->idle_ns, call->end_ns - call->begin_ns) };
	const struct long_wait kept = { rank, release->rank, call->begin_ns, call->end_ns,
					release->ns };
	struct walk at = { release->rank,
			   search->rank[release->rank].calls->call[release->call].step,
			   release->ns };

	long_waits_add(&search->waits->longest, &kept);

	search->waits->late_ns += release->ns - call->begin_ns;
	search->waits->idle_ns += (uint64_t)((double)(release->ns - call->begin_ns) * wait.idle);
	while (at.ns > call->begin_ns && at.step != RANK_NONE) {
		uint64_t begin_ns = at_most(begin_of(search, &at), at.ns);

		begin_ns = at_least(call->begin_ns, begin_ns);
		charge(search, &wait, &at, begin_ns);
		release->charged_ns += at.ns - begin_ns;
		at.ns = begin_ns;
		walk_on(search, &at);
	}
	add_charges(search);
}

static void charge_all(struct search *search)
{
	struct job_waits *waits = search->waits;

	for (uint32_t r = 0; r < search->n_ranks; r++) {
		const struct rank_calls *calls = search->rank[r].calls;

		for (uint32_t c = 0; c < calls->n_calls; c++) {
			waits->in_calls_ns += calls->call[c].end_ns - calls->call[c].begin_ns;
			if (search->release[r][c].ns)
				charge_wait(search, r, c);
			if (c % JOB_ROW == 0)
				spool_rest(search->spool);
		}
	}
	long_waits_sort(&waits->longest);
	SORT(waits->late, waits->n_late, by_late);
}

/* ---- messages ---- */

/* Of the task that makes the call; RANK_NONE: not known. */
static uint32_t caller_kind(const struct rank_calls *calls, const struct rank_call *call)
{
	return call->step == RANK_NONE ? RANK_NONE : calls->step[call->step].kind;
}

static void open_traffic(struct search *search)
{
	struct job_waits *waits = search->waits;

	for (uint32_t r = 0; r < search->n_ranks; r++) {
		for (uint32_t i = 0; i < search->rank[r].calls->n_steps; i++)
			waits->n_traffic = (uint32_t)at_least(
				waits->n_traffic, search->rank[r].calls->step[i].kind + 1ull);
		spool_rest(search->spool);
	}
	waits->traffic = xcalloc(waits->n_traffic + 1ull, sizeof(*waits->traffic));
}

static void count_call(struct job_traffic *to, const struct rank_call *call, unsigned field,
		       const struct job_release *release)
{
	if (field <= WIRE_MESSAGE_FROM)
		to->ns += above(call->end_ns - call->begin_ns,
				release->charged_ns + call->cpu_wait_ns);
	if (!call->ready_ns)
		return;
	to->n_ready++;
	to->ready_ns += call->ready_ns;
	if (call->ready_ns > to->ready_longest_ns) {
		to->ready_longest_ns = call->ready_ns;
		to->ready_site = call->site;
	}
}

/* A call's time goes with its first message. */
static void count_message(struct search *search, uint32_t rank, uint32_t message)
{
	const struct rank_calls *calls = search->rank[rank].calls;
	const struct rank_message *of = &calls->message[message];
	const struct rank_call *call = &calls->call[of->call];
	uint32_t kind = caller_kind(calls, call);
	struct job_traffic *to;

	if (kind == RANK_NONE)
		return;
	to = &search->waits->traffic[kind];
	to->rank = rank;
	if (!message || calls->message[message - 1].call != of->call)
		count_call(to, call, of->field, &search->release[rank][of->call]);
	if (of->field > WIRE_MESSAGE_FROM || of->again)
		return;
	to->n++;
	to->bytes += of->bytes;
}

static void count_messages(struct search *search)
{
	open_traffic(search);

	for (uint32_t r = 0; r < search->n_ranks; r++) {
		for (uint32_t i = 0; i < search->rank[r].calls->n_messages; i++)
			count_message(search, r, i);
		spool_rest(search->spool);
	}
}

/* ---- calls beside each other ---- */

#define LEAST 16u   /* calls of either sort, as many as contention wants samples */
#define COMPANY 1.5 /* another one was there for half of the time */

enum edge_of { CALL_ENDS, CALL_BEGINS, CALL_IS_FREE };

/* A call begins, waits for nobody any more, or ends. */
struct edge_at {
	uint64_t ns;
	uint32_t call;
	enum edge_of what;
};

struct like {
	uint32_t site, size;
	uint64_t ns; /* own */
	double company;
	uint32_t call;
};

ORDER(by_edge_time, struct edge_at, BY_LEAST(ns) ?: BY_LEAST(what) ?: BY_LEAST(call))

ORDER(by_likeness, struct like, BY_LEAST(site) ?: BY_LEAST(size) ?: BY_LEAST(ns) ?: BY_LEAST(call))

static void put_call_edges(struct edge_at *edge, const struct rank_calls *calls,
			   const uint64_t *own_ns)
{
	for (uint32_t c = 0; c < calls->n_calls; c++) {
		const struct rank_call *call = &calls->call[c];

		*edge++ = (struct edge_at){ call->begin_ns, c, CALL_BEGINS };
		*edge++ = (struct edge_at){ own_ns[c], c, CALL_IS_FREE };
		*edge++ = (struct edge_at){ call->end_ns, c, CALL_ENDS };
	}
	qsort(edge - 3ull * calls->n_calls, 3ull * calls->n_calls, sizeof(*edge), by_edge_time);
}

/* How many were in the library while each of them had nobody to wait for, in the mean. */
static void find_company(struct like *like, const struct edge_at *edge, uint32_t n_edges)
{
	uint64_t n_inside = 0, then_ns = 0, sum_ns = 0;

	for (uint32_t i = 0; i < n_edges; i++) {
		struct like *of = &like[edge[i].call];

		sum_ns += n_inside * (edge[i].ns - then_ns);
		then_ns = edge[i].ns;
		if (edge[i].what == CALL_BEGINS) {
			n_inside++;
		} else if (edge[i].what == CALL_IS_FREE) {
			of->company = -(double)sum_ns;
			of->ns = edge[i].ns;
		} else {
			n_inside--;
			of->company += (double)sum_ns;
			of->ns = edge[i].ns - of->ns;
			of->company = of->ns ? of->company / (double)of->ns : 0;
		}
	}
}

/* Calls that ended once they had nobody to wait for are like no others. */
static void put_likeness(struct like *like, const struct rank_calls *calls, const uint64_t *own_ns)
{
	for (uint32_t c = 0; c < calls->n_calls; c++) {
		like[c].call = c;
		like[c].site = calls->call[c].site;
		like[c].ns = above(like[c].ns, calls->call[c].cpu_wait_ns);
	}
	for (uint32_t i = 0; i < calls->n_messages; i++)
		like[calls->message[i].call].size = wire_bucket(calls->message[i].bytes);
	for (uint32_t c = 0; c < calls->n_calls; c++)
		if (own_ns[c] >= calls->call[c].end_ns)
			like[c] = (struct like){ .site = like[c].site, .size = UINT32_MAX };
}

/* Those of n like calls that were beside others; false if they are not like one at a time.  Locks
 * are not fair: one call may wait for many others, which are as fast as ever. */
static bool compare_alike(struct job_serial *serial, const struct like *like, uint32_t n,
			  const struct rank_calls *calls)
{
	uint32_t step = calls->call[like->call].step;
	uint64_t alone_ns = 0, beside_ns = 0;
	double company = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (like[i].company <= 1) {
			serial->n_alone++;
			alone_ns += like[i].ns;
		} else if (like[i].company >= COMPANY) {
			serial->n_beside++;
			beside_ns += like[i].ns;
			company += like[i].company * (double)like[i].ns;
		}
	}
	if (serial->n_alone < LEAST || serial->n_beside < LEAST || !alone_ns || !beside_ns)
		return false;
	serial->site = like->site;
	serial->kind = step == RANK_NONE ? RANK_NONE : calls->step[step].kind;
	serial->alone_ns = alone_ns / serial->n_alone;
	serial->beside_ns = beside_ns / serial->n_beside;
	serial->company = company / (double)beside_ns;
	serial->ns = above(beside_ns, serial->n_beside * serial->alone_ns);
	/* nearer to that than to side by side */
	return (double)serial->beside_ns / (double)serial->alone_ns - 1 >=
	       (serial->company - 1) / 2;
}

/* Of a rank, whose calls waited for nobody from own_ns[] on. */
static void add_serial(struct search *search, uint32_t rank, const struct rank_calls *calls,
		       const uint64_t *own_ns)
{
	struct edge_at *edge = xcalloc(3ull * calls->n_calls + 1, sizeof(*edge));
	struct like *like = xcalloc(calls->n_calls + 1ull, sizeof(*like));

	if (calls->n_calls) {
		put_call_edges(edge, calls, own_ns);
		find_company(like, edge, 3 * calls->n_calls);
		put_likeness(like, calls, own_ns);
		SORT(like, calls->n_calls, by_likeness);
	}
	for (uint32_t i = 0, of; i < calls->n_calls; i += of) {
		struct job_serial found = { .rank = rank };

		for (of = 1; i + of < calls->n_calls; of++)
			if (like[i + of].site != like[i].site || like[i + of].size != like[i].size)
				break;
		if (!compare_alike(&found, &like[i], of, calls))
			continue;
		ARRAY_ADD(search->waits->serial, search->waits->n_serial, search->serial_room,
			  found);
	}
	free(edge);
	free(like);
}

/* Of each rank, once it is known when its calls waited for nobody any more. */
static void find_serial(struct search *search)
{
	for (uint32_t r = 0; r < search->n_ranks; r++) {
		const struct rank_calls *calls = search->rank[r].calls;
		uint64_t *own_ns = xmalloc((calls->n_calls + 1ull) * sizeof(*own_ns));

		for (uint32_t c = 0; c < calls->n_calls; c++)
			own_ns[c] = at_least(calls->call[c].begin_ns, search->release[r][c].ns);
		add_serial(search, r, calls, own_ns);
		free(own_ns);
		spool_rest(search->spool);
	}
}

/* ---- all of it ---- */

static void open_search(struct search *search)
{
	search->release = xcalloc(search->n_ranks + 1ull, sizeof(*search->release));
	search->waits->release = search->release;
	for (uint32_t r = 0; r < search->n_ranks; r++)
		search->release[r] = spool_array(search->spool, search->rank[r].calls->n_calls,
						 sizeof(**search->release));
}

void job_waits_find(struct job_waits *waits, struct job_match *match)
{
	struct search search = { .waits = waits,
				 .match = match,
				 .rank = match->rank,
				 .n_ranks = match->n_ranks,
				 .spool = match->spool };

	*waits = (struct job_waits){ 0 };
	open_search(&search);
	job_match_each(match, release_each, &search);
	charge_all(&search);
	count_messages(&search);
	find_serial(&search);
	map_free(&search.late_of);
	free(search.charge);
}

void job_waits_free(struct job_waits *waits)
{
	free(waits->late);
	free(waits->traffic);
	free(waits->serial);
	free(waits->release);
	long_waits_free(&waits->longest);
	*waits = (struct job_waits){ 0 };
}
