/* SPDX-License-Identifier: MIT */
/* job_waits.c - brings the ends together by sorting them, and walks back from the late ones. */
#include "tools/analysis/job_waits.h"

#include <errno.h>
#include <stdlib.h>

#include "tools/base/at_most.h"
#include "tools/base/order.h"

/* What both ends of a message, or all of a collective call, have in common; and one of them. */
struct end {
	uint64_t from, to; /* ranks; 0 for a collective call */
	uint32_t comm, order, tag;
	bool collective, again; /* again: one of its rank began before */
	uint32_t rank, message; /* in job_rank[], and in its messages */
	uint64_t begin_ns;
};

/* For whom a call waits longest. */
struct release {
	uint64_t ns; /* when it was over; 0: it is for nobody */
	uint32_t rank, call;
	enum late how;
	uint64_t charged_ns; /* what others ran meanwhile */
};

/* What a late rank ran during a part of a wait. */
struct charge_of {
	struct job_late late;
	uint32_t call;
	double part; /* of the call, that is charged */
};

struct search {
	struct job_waits *waits;
	const struct job_rank *rank;
	uint32_t n_ranks;
	struct end *end;
	uint64_t n_ends, n_charges, room;
	struct release **release; /* by rank and call */
	struct charge_of *charge;
};

/* ---- matching ---- */

static struct end message_end(const struct search *search, uint32_t rank, uint32_t i)
{
	const struct job_rank *of = &search->rank[rank];
	const struct rank_message *message = &of->calls->message[i];
	struct end end = { .comm = message->comm,
			   .order = message->order,
			   .collective = message->field > WIRE_MESSAGE_FROM,
			   .rank = rank,
			   .message = i,
			   .begin_ns = of->calls->call[message->call].begin_ns };

	if (!end.collective) {
		bool sent = message->field == WIRE_MESSAGE_TO;

		end.from = sent ? of->rank : message->rank;
		end.to = sent ? message->rank : of->rank;
		end.tag = message->tag;
	}
	return end;
}

static int by_match(const struct end *x, const struct end *y)
{
	return order_least(x->collective, y->collective) ?: order_least(x->comm, y->comm) ?:
	       order_least(x->from, y->from) ?: order_least(x->to, y->to) ?:
	       order_least(x->tag, y->tag) ?: order_least(x->order, y->order);
}

/* Of one rank, that which began first comes first. */
static int by_match_and_rank(const void *a, const void *b)
{
	const struct end *x = a, *y = b;

	return by_match(x, y) ?: order_least(x->rank, y->rank) ?:
	       order_least(x->begin_ns, y->begin_ns) ?: order_least(x->message, y->message);
}

static const struct rank_message *message_of(const struct search *search, const struct end *end)
{
	return &search->rank[end->rank].calls->message[end->message];
}

static bool waits_for(const struct search *search, const struct end *end, const struct end *other)
{
	const struct job_rank *me = &search->rank[end->rank], *it = &search->rank[other->rank];
	const struct rank_message *message = message_of(search, end);

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
static void find_release(struct search *search, const struct end *end, const struct end *other,
			 uint64_t n)
{
	static const enum late how[] = {
		[WIRE_MESSAGE_TO] = LATE_RECEIVER, [WIRE_MESSAGE_FROM] = LATE_SENDER
	};
	const struct rank_message *message = message_of(search, end);
	const struct rank_call *call = &search->rank[end->rank].calls->call[message->call];
	struct release *release = &search->release[end->rank][message->call];
	uint64_t after_ns = at_least(call->begin_ns, release->ns);

	if (message->field == WIRE_MESSAGE_TO_ROOT && search->rank[end->rank].rank != message->rank)
		return;
	for (uint64_t i = 0; i < n && other[i].begin_ns > after_ns; i++) {
		if (other[i].again || other[i].rank == end->rank ||
		    other[i].begin_ns > call->end_ns || !waits_for(search, end, &other[i]))
			continue;
		*release = (struct release){
			.ns = other[i].begin_ns,
			.rank = other[i].rank,
			.call = message_of(search, &other[i])->call,
			.how = end->collective ? LATE_COLLECTIVE : how[message->field],
		};
		return;
	}
}

static int latest_first(const void *a, const void *b)
{
	const struct end *x = a, *y = b;

	return order_most(x->begin_ns, y->begin_ns) ?: order_least(x->rank, y->rank) ?:
	       order_least(x->message, y->message);
}

/* How many ranks the n ends are of.  A collective call that does not block has two on each: it
 * begins, which lets others go on, and is waited for. */
static uint64_t count_ranks(struct end *end, uint64_t n)
{
	uint64_t n_ranks = 0;

	for (uint64_t i = 0; i < n; i++) {
		end[i].again = end[i].collective && i && end[i].rank == end[i - 1].rank;
		n_ranks += !end[i].again;
	}
	return n_ranks;
}

/* Whether these are all ends of one message or call. */
static bool is_complete(const struct search *search, struct end *end, uint64_t n)
{
	const struct rank_message *first = message_of(search, &end[0]);
	uint64_t n_ranks = count_ranks(end, n);

	if (end->collective)
		return n_ranks == first->n_ranks;
	return n == 2 && first->field != message_of(search, &end[1])->field;
}

static bool is_on_one_host(const struct search *search, const struct end *end, uint64_t n)
{
	for (uint64_t i = 1; i < n; i++)
		if (search->rank[end[i].rank].host != search->rank[end[0].rank].host)
			return false;
	return true;
}

static void match(struct search *search, struct end *end, uint64_t n)
{
	struct job_waits *waits = search->waits;

	if (!end->comm || !end->order) {
		waits->n_unknown += n;
		return;
	}
	if (!is_complete(search, end, n)) {
		waits->n_unmatched += n;
		return;
	}
	*(end->collective ? &waits->n_collectives : &waits->n_messages) += 1;
	if (!is_on_one_host(search, end, n)) {
		waits->n_apart++;
		return;
	}
	qsort(end, n, sizeof(*end), latest_first);
	for (uint64_t i = 0; i < n; i++)
		find_release(search, &end[i], end, n);
}

static void match_all(struct search *search)
{
	for (uint32_t r = 0; r < search->n_ranks; r++)
		for (uint32_t i = 0; i < search->rank[r].calls->n_messages; i++)
			search->end[search->n_ends++] = message_end(search, r, i);
	if (search->n_ends)
		qsort(search->end, search->n_ends, sizeof(*search->end), by_match_and_rank);
	for (uint64_t i = 0, n; i < search->n_ends; i += n) {
		for (n = 1; i + n < search->n_ends; n++)
			if (by_match(&search->end[i], &search->end[i + n]) != 0)
				break;
		match(search, &search->end[i], n);
	}
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

static int charge(struct search *search, const struct charge_of *wait, const struct walk *at,
		  uint64_t from_ns)
{
	const struct rank_step *step = &search->rank[at->rank].calls->step[at->step];
	struct charge_of *to;
	double cpu_part = part_of(step->cpu_wait_ns, step->end_ns - begin_of(search, at));

	if (from_ns >= at->ns)
		return 0;
	if (!array_grow(&search->charge, &search->room, search->n_charges + 1,
			sizeof(*search->charge)))
		return -ENOMEM;
	to = &search->charge[search->n_charges++];
	*to = *wait;
	to->late.late = at->rank;
	to->late.kind = step->kind;
	to->late.ns = (uint64_t)((double)(at->ns - from_ns) * (1 - cpu_part) * wait->part);
	search->waits->cpu_wait_ns += (uint64_t)((double)(at->ns - from_ns) * cpu_part);
	return 0;
}

/* To the step before: of the rank that this one waited for itself, where it did. */
static void walk_on(const struct search *search, struct walk *at)
{
	const struct rank_calls *calls = search->rank[at->rank].calls;
	const struct rank_step *step = &calls->step[at->step];

	if (step->call != RANK_NONE) {
		const struct release *release = &search->release[at->rank][step->call];

		if (release->ns && release->ns < at->ns) {
			const struct rank_calls *others = search->rank[release->rank].calls;

			*at = (struct walk){ release->rank, others->call[release->call].step,
					     release->ns };
			return;
		}
	}
	at->step = step->before;
}

/* What others ran while the call waited. */
static int charge_wait(struct search *search, uint32_t rank, uint32_t number)
{
	const struct rank_call *call = &search->rank[rank].calls->call[number];
	struct release *release = &search->release[rank][number];
	struct charge_of wait = { { .how = release->how, .waiter = rank, .site = call->site },
				  number,
				  1 - part_of(call->ready_ns, call->end_ns - call->begin_ns) };
	struct walk at = { release->rank,
			   search->rank[release->rank].calls->call[release->call].step,
			   release->ns };
	int error = 0;

	search->waits->late_ns += release->ns - call->begin_ns;
	while (!error && at.ns > call->begin_ns && at.step != RANK_NONE) {
		uint64_t begin_ns = at_most(begin_of(search, &at), at.ns);

		begin_ns = at_least(call->begin_ns, begin_ns);
		error = charge(search, &wait, &at, begin_ns);
		release->charged_ns += at.ns - begin_ns;
		at.ns = begin_ns;
		walk_on(search, &at);
	}
	return error;
}

static int charge_all(struct search *search)
{
	int error = 0;

	for (uint32_t r = 0; r < search->n_ranks; r++) {
		const struct rank_calls *calls = search->rank[r].calls;

		for (uint32_t c = 0; c < calls->n_calls && !error; c++) {
			search->waits->in_calls_ns +=
				calls->call[c].end_ns - calls->call[c].begin_ns;
			if (search->release[r][c].ns)
				error = charge_wait(search, r, c);
		}
	}
	return error;
}

static int by_late(const struct job_late *x, const struct job_late *y)
{
	return order_least(x->how, y->how) ?: order_least(x->late, y->late) ?:
	       order_least(x->kind, y->kind) ?: order_least(x->waiter, y->waiter);
}

static int by_late_and_call(const void *a, const void *b)
{
	const struct charge_of *x = a, *y = b;

	return by_late(&x->late, &y->late) ?: order_least(x->call, y->call);
}

/* Charges of one waiter, late rank and kind as one; those of a call are one wait. */
static void add_charges(struct search *search)
{
	struct job_waits *waits = search->waits;
	struct charge_of *charge = search->charge;
	struct job_late *to = NULL;

	if (search->n_charges)
		qsort(charge, search->n_charges, sizeof(*charge), by_late_and_call);
	for (uint64_t i = 0, n; i < search->n_charges; i += n) {
		uint64_t ns = charge[i].late.ns;

		for (n = 1; i + n < search->n_charges; n++) {
			if (by_late_and_call(&charge[i], &charge[i + n]) != 0)
				break;
			ns += charge[i + n].late.ns;
		}
		if (!to || by_late(to, &charge[i].late) != 0) {
			to = &waits->late[waits->n_late++];
			*to = charge[i].late;
			to->ns = 0;
		}
		to->ns += ns;
		to->n_waits++;
		if (ns > to->longest_ns) {
			to->longest_ns = ns;
			to->site = charge[i].late.site;
		}
	}
}

/* ---- messages ---- */

/* Of the task that makes the call; RANK_NONE: not known. */
static uint32_t caller_kind(const struct rank_calls *calls, const struct rank_call *call)
{
	return call->step == RANK_NONE ? RANK_NONE : calls->step[call->step].kind;
}

static int open_traffic(struct search *search)
{
	struct job_waits *waits = search->waits;

	for (uint32_t r = 0; r < search->n_ranks; r++)
		for (uint32_t i = 0; i < search->rank[r].calls->n_steps; i++)
			waits->n_traffic = (uint32_t)at_least(
				waits->n_traffic, search->rank[r].calls->step[i].kind + 1ull);
	waits->traffic = calloc(waits->n_traffic + 1ull, sizeof(*waits->traffic));
	return waits->traffic ? 0 : -ENOMEM;
}

static void count_call(struct job_traffic *to, const struct rank_call *call, unsigned field,
		       const struct release *release)
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
	if (of->field > WIRE_MESSAGE_FROM)
		return;
	to->n++;
	to->bytes += of->bytes;
}

static int count_messages(struct search *search)
{
	int error = open_traffic(search);

	for (uint32_t r = 0; r < search->n_ranks && !error; r++)
		for (uint32_t i = 0; i < search->rank[r].calls->n_messages; i++)
			count_message(search, r, i);
	return error;
}

/* ---- calls beside each other ---- */

/* Of each rank, once it is known when its calls waited for nobody any more. */
static int find_serial(struct search *search)
{
	struct job_waits *waits = search->waits;
	uint64_t room = 0;
	int error = 0;

	for (uint32_t r = 0; r < search->n_ranks && !error; r++) {
		const struct rank_calls *calls = search->rank[r].calls;
		uint64_t *own_ns = malloc((calls->n_calls + 1ull) * sizeof(*own_ns));

		for (uint32_t c = 0; own_ns && c < calls->n_calls; c++)
			own_ns[c] = at_least(calls->call[c].begin_ns, search->release[r][c].ns);
		error = own_ns ? job_serial_add(&waits->serial, &waits->n_serial, &room, r, calls,
						own_ns)
			       : -ENOMEM;
		free(own_ns);
	}
	return error;
}

/* ---- all of it ---- */

static int open_search(struct search *search)
{
	uint64_t n_ends = 0;
	bool all = true;

	search->release = calloc(search->n_ranks + 1ull, sizeof(*search->release));
	for (uint32_t r = 0; search->release && r < search->n_ranks; r++) {
		const struct rank_calls *calls = search->rank[r].calls;

		n_ends += calls->n_messages;
		search->release[r] = calloc(calls->n_calls + 1ull, sizeof(**search->release));
		all &= search->release[r] != NULL;
	}
	search->end = malloc((n_ends + 1) * sizeof(*search->end));
	return search->release && search->end && all ? 0 : -ENOMEM;
}

int job_waits_find(struct job_waits *waits, const struct job_rank *rank, uint32_t n_ranks)
{
	struct search search = { .waits = waits, .rank = rank, .n_ranks = n_ranks };
	int error;

	*waits = (struct job_waits){ 0 };
	error = open_search(&search);
	if (!error) {
		match_all(&search);
		error = charge_all(&search);
	}
	if (!error)
		error = count_messages(&search) ?: find_serial(&search);
	if (!error) {
		waits->late = calloc(search.n_charges + 1, sizeof(*waits->late));
		error = waits->late ? 0 : -ENOMEM;
	}
	if (!error)
		add_charges(&search);
	for (uint32_t r = 0; search.release && r < n_ranks; r++)
		free(search.release[r]);
	free(search.release);
	free(search.end);
	free(search.charge);
	if (error)
		job_waits_free(waits);
	return error;
}

void job_waits_free(struct job_waits *waits)
{
	free(waits->late);
	free(waits->traffic);
	free(waits->serial);
	*waits = (struct job_waits){ 0 };
}
