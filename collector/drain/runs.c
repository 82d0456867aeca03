/* SPDX-License-Identifier: MIT */
/* runs.c - finds children that run in a row, and merges their records. */
#include "collector/drain/runs.h"

#include <stdlib.h>
#include <string.h>

#define LEAST_ROOM 64u
#define CREATED_MOST 32768u /* 1.3 MiB, of a task that created a million others */
#define WAITS_MOST 4096u
#define ROUNDING 64u
#define BEHIND                                                                                     \
	7u /* so many children stay as they are: more are ready than a record tells apart          \
	    */

_Static_assert(BEHIND >= WIRE_COLLAPSED_K - 1, "as many as a record tells apart");

/* ---- tasks that are created and did not begin here ---- */

/* Makes room for another one of n things of some bytes.  Of `most` the older half is forgotten. */
static void *make_room(void *things, uint32_t *n, uint32_t *room, uint32_t most, size_t bytes)
{
	uint32_t half = most / 2;
	char *grown = things;

	if (*n == most) {
		memmove(grown, grown + half * bytes, half * bytes);
		*n = half;
	}
	if (*n < *room)
		return things;
	grown = realloc(things, (*room ? 2 * *room : LEAST_ROOM) * bytes);
	if (!grown) {
		*n = 0;
		return *room ? things : NULL;
	}
	*room = *room ? 2 * *room : LEAST_ROOM;
	return grown;
}

/* All is said of the task created last. */
static void put_fresh(struct runs *runs)
{
	struct runs_created *top = runs->n_created ? &runs->created[runs->n_created - 1] : NULL;
	struct runs_created fresh = runs->fresh;

	runs->fresh.n = 0;
	if (!fresh.n || (runs->named && (runs->by_name || !fresh.bag)))
		return;
	if (top && top->creator == fresh.creator && top->bag == fresh.bag &&
	    (top->n == 1 || fresh.last - top->last == top->step)) {
		top->step = fresh.last - top->last;
		top->last = fresh.last;
		top->n++;
	} else {
		runs->created = make_room(runs->created, &runs->n_created, &runs->created_room,
					  CREATED_MOST, sizeof(fresh));
		if (runs->created)
			runs->created[runs->n_created++] = fresh;
	}
}

/* The task that would begin next if the newest one does; NULL: none is known. */
static const struct runs_created *newest(const struct runs *runs)
{
	return runs->n_created ? &runs->created[runs->n_created - 1] : NULL;
}

static void take_newest(struct runs *runs)
{
	struct runs_created *top = &runs->created[runs->n_created - 1];

	top->last -= top->step;
	if (--top->n == 0)
		runs->n_created--;
}

static void forget(struct runs *runs)
{
	runs->n_created = runs->n_waits = 0;
	runs->fresh.n = 0;
	runs->running = 0;
}

/* From now on a task may be awaited by its name. */
static void forget_named(struct runs *runs)
{
	runs->n_created = 0;
	runs->by_name = true;
}

void runs_free(struct runs *runs)
{
	free(runs->created);
	free(runs->wait);
	*runs = (struct runs){ 0 };
}

/* ---- who waits ---- */

static struct runs_wait *waiting(struct runs *runs)
{
	return runs->n_waits ? &runs->wait[runs->n_waits - 1] : NULL;
}

static void begin_wait(struct runs *runs, uint32_t what)
{
	struct runs_wait wait = { .id = runs->running, .what = what & 0xff };

	runs->wait =
		make_room(runs->wait, &runs->n_waits, &runs->wait_room, WAITS_MOST, sizeof(wait));
	if (runs->wait)
		runs->wait[runs->n_waits++] = wait;
}

static void resume(struct runs *runs, uint64_t id)
{
	runs->running = id;
	for (uint32_t i = runs->n_waits; i > 0; i--)
		if (runs->wait[i - 1].id == id) {
			runs->n_waits = i - 1;
			return;
		}
}

/* Whether a wait ends only when that one of the waiting task's children has. */
static bool awaits(const struct runs_wait *wait, const struct runs_created *child)
{
	if (!wait || child->creator != wait->id)
		return false;
	if (wait->what == WIRE_WAIT_BAG)
		return child->bag && child->bag == wait->object;
	return !child->bag && (wait->what == WIRE_WAIT_CHILDREN || wait->what == WIRE_WAIT_GROUP);
}

/* ---- children ---- */

/* A child that ran: its events, up to its END, and what its record says. */
struct member {
	const struct wire_event *begin, *end;
	bool has_record;
	uint64_t field[WIRE_COLLAPSED_FIELDS];
};

static uint64_t length_of(const struct member *member)
{
	return event_ticks(member->end) - event_ticks(member->begin);
}

/* Makes the row add up to `sum`.  False if it is not about that: times of a trace are rounded. */
static bool even_out(uint64_t *row, uint64_t sum)
{
	uint64_t over = -sum;

	for (unsigned k = 0; k < WIRE_COLLAPSED_K; k++)
		over += row[k];
	if (-over <= ROUNDING) {
		row[0] -= over;
		return true;
	}
	if (over > ROUNDING)
		return false;
	for (unsigned k = 0; k < WIRE_COLLAPSED_K; k++) {
		uint64_t less = row[k] < over ? row[k] : over;

		row[k] -= less;
		over -= less;
	}
	return true;
}

/* Whether the record is one of a whole task, and what it says adds up. */
static bool is_sound(struct member *member)
{
	uint64_t *field = member->field, work = field[WIRE_COLLAPSED_WORK];

	for (unsigned i = WIRE_COLLAPSED_JOIN_SPAN; i < WIRE_COLLAPSED_FIELDS; i++)
		if (field[i])
			return false;
	return field[WIRE_COLLAPSED_OWN] <= work && work <= length_of(member) &&
	       even_out(&field[WIRE_COLLAPSED_BUSY], work) &&
	       even_out(&field[WIRE_COLLAPSED_IDLE], length_of(member) - work);
}

/* Whether nothing but a whole task's begin, its record and its end is there. */
static bool member_at(struct member *member, const struct wire_event *event,
		      const struct wire_event *end)
{
	const struct wire_event *at = event;

	memset(member->field, 0, sizeof(member->field));
	member->begin = event;
	for (at++; at < end && event_kind(at) == WIRE_COLLAPSED; at++)
		if (collapsed_field(at->b) < WIRE_COLLAPSED_FIELDS)
			member->field[collapsed_field(at->b)] = collapsed_value(at->b);
	if (at == end || event_kind(at) != WIRE_END)
		return false;
	member->end = at;
	member->has_record = at > event + 1;
	return !member->has_record || is_sound(member);
}

static bool begins_child(const struct wire_event *event)
{
	return event_kind(event) == WIRE_BEGIN || event_kind(event) == WIRE_START;
}

/* ---- merging ---- */

/* What was taken out of children, to be put into a later one's record. */
struct moved {
	uint64_t ticks; /* by which what follows moves forward */
	uint64_t field[WIRE_COLLAPSED_FIELDS];
	uint32_t at; /* the child up to which this is true */
};

static void shift_row(uint64_t *row, uint32_t by)
{
	uint64_t more[WIRE_COLLAPSED_K] = { 0 };

	for (unsigned k = 0; k < WIRE_COLLAPSED_K; k++)
		more[k + by < WIRE_COLLAPSED_K ? k + by : WIRE_COLLAPSED_K - 1] += row[k];
	memcpy(row, more, sizeof(more));
}

/* Further children begin before what was taken out: these were ready meanwhile. */
static void move_on(struct moved *moved, uint32_t at)
{
	uint32_t by = at - moved->at;

	moved->at = at;
	if (!by || !moved->ticks)
		return;
	by = by < 1u << 20 ? by : 1u << 20;
	moved->field[WIRE_COLLAPSED_READY_CREATE] += by * moved->ticks;
	by = by < WIRE_COLLAPSED_K ? by : WIRE_COLLAPSED_K;
	shift_row(&moved->field[WIRE_COLLAPSED_IDLE], by);
	shift_row(&moved->field[WIRE_COLLAPSED_BUSY], by);
}

/* All of a child but its own work is taken out of it. */
static void take_out(struct moved *moved, const struct member *member, uint32_t at)
{
	const uint64_t *field = member->field;
	uint64_t own = field[WIRE_COLLAPSED_OWN];

	move_on(moved, at);
	for (unsigned i = WIRE_COLLAPSED_READY; i < WIRE_COLLAPSED_JOIN_SPAN; i++)
		moved->field[i] += field[i];
	for (unsigned k = 0; k < WIRE_COLLAPSED_K; k++) {
		uint64_t stays =
			own < field[WIRE_COLLAPSED_BUSY + k] ? own : field[WIRE_COLLAPSED_BUSY + k];

		moved->field[WIRE_COLLAPSED_BUSY + k] -= stays;
		own -= stays;
	}
	for (unsigned edge = 0; edge < 4; edge++)
		moved->field[WIRE_COLLAPSED_MORE + edge] +=
			field[WIRE_COLLAPSED_NEXT + edge] + field[WIRE_COLLAPSED_MORE + edge];
	moved->field[WIRE_COLLAPSED_MADE] += field[WIRE_COLLAPSED_MADE];
	moved->field[WIRE_COLLAPSED_TASKS] += field[WIRE_COLLAPSED_TASKS];
	moved->field[WIRE_COLLAPSED_WORK] += field[WIRE_COLLAPSED_WORK] - field[WIRE_COLLAPSED_OWN];
	moved->ticks += length_of(member) - field[WIRE_COLLAPSED_OWN];
}

/* Where events go to, in place of others that were read before. */
struct writing {
	struct wire_event *out;
	struct moved moved;
};

static void put_moved(struct writing *writing, struct wire_event event)
{
	if (kind_timed(event_kind(&event)))
		event = (struct wire_event){ event_at(event_ticks(&event) - writing->moved.ticks,
						      event_kind(&event)),
					     event.b };
	*writing->out++ = event;
}

static void put_as_is(struct writing *writing, const struct member *member)
{
	for (const struct wire_event *at = member->begin; at <= member->end; at++)
		put_moved(writing, *at);
}

static void put_own(struct writing *writing, const struct member *member, uint32_t at)
{
	put_moved(writing, *member->begin);
	take_out(&writing->moved, member, at);
	put_moved(writing, *member->end);
}

/* What was taken out of others is in this one's record from now on. */
static void put_merged(struct writing *writing, const struct member *member, uint32_t at)
{
	struct moved *moved = &writing->moved;
	const struct wire_event end = *member->end;

	move_on(moved, at);
	put_moved(writing, *member->begin);
	for (unsigned i = 1; i < WIRE_COLLAPSED_FIELDS; i++) {
		uint64_t value = member->field[i] + moved->field[i];

		if (value || i == WIRE_COLLAPSED_MADE)
			*writing->out++ =
				(struct wire_event){ WIRE_COLLAPSED, collapsed_make(i, value) };
	}
	*moved = (struct moved){ 0 };
	put_moved(writing, end);
}

/* ---- a run of children ---- */

struct run {
	const struct wire_event *begin, *end; /* begin == end: there is none */
	uint32_t n;
	uint32_t last_record[BEHIND + 1]; /* by the number of children, mod BEHIND + 1: with a
					   * record, up to that one; and 1 */
};

static void run_add(struct run *run, const struct member *member)
{
	uint32_t before = run->n ? run->last_record[(run->n - 1) % (BEHIND + 1)] : 0;

	if (!run->n)
		run->begin = member->begin;
	run->last_record[run->n % (BEHIND + 1)] = member->has_record ? run->n + 1 : before;
	run->n++;
	run->end = member->end + 1;
}

/* Whether a path through the child may be longer than those through newer ones. */
static bool leads(struct runs_wait *wait, const struct member *member)
{
	uint64_t span = member->has_record ? member->field[WIRE_COLLAPSED_SPAN] : length_of(member);
	uint64_t n_chain = member->field[WIRE_COLLAPSED_CHAIN] + 1;
	bool leads = span > wait->span || n_chain > wait->n_chain;

	wait->span = span > wait->span ? span : wait->span;
	wait->n_chain = n_chain > wait->n_chain ? (uint32_t)n_chain : wait->n_chain;
	return leads;
}

/* Writes the run. */
static void run_end(struct run *run, struct runs_wait *wait, struct writing *writing,
		    uint64_t longest)
{
	uint32_t last = run->n > BEHIND ? run->last_record[run->n % (BEHIND + 1)] : 0, i = 0;
	struct member member;

	for (const struct wire_event *at = run->begin; at < run->end; at++) {
		uint64_t length;
		bool leading;

		if (!begins_child(at)) {
			put_moved(writing, *at);
			continue;
		}
		member_at(&member, at, run->end);
		length = length_of(&member) + writing->moved.ticks;
		leading = leads(wait, &member);
		at = member.end;
		if (member.has_record && i + 1 < last && !leading && length <= longest / 2)
			put_own(writing, &member, i);
		else if (member.has_record && i < last && writing->moved.ticks &&
			 (i + 1 == last || length > longest / 2))
			put_merged(writing, &member, i);
		else
			put_as_is(writing, &member);
		i++;
	}
	*run = (struct run){ 0 };
}

/* ---- all events ---- */

/* What an event that is no part of a run says of who waits and what is created. */
static void follow(struct runs *runs, const struct wire_event *event, uint64_t id)
{
	const struct runs_created *child = newest(runs);
	struct runs_wait *wait = waiting(runs);

	switch (event_kind(event)) {
	case WIRE_CREATE:
		runs->fresh = (struct runs_created){ .last = id,
						     .n = !site_flags(event->b),
						     .creator = runs->running };
		runs->named = false;
		break;
	case WIRE_NAME:
		runs->fresh.last = event->b;
		runs->named = true;
		break;
	case WIRE_BAG:
		runs->fresh.bag = event->b;
		break;
	case WIRE_DEPEND:
		runs->fresh.n = 0;
		if (depend_type(event->b) == WIRE_DEPEND_ON)
			forget_named(runs);
		break;
	case WIRE_BEGIN:
	case WIRE_START:
		if (child && child->last == event->b)
			take_newest(runs);
		runs->running = event_kind(event) == WIRE_START ? id : event->b;
		break;
	case WIRE_ROOT:
	case WIRE_MEMBER:
		runs->running = id;
		break;
	case WIRE_RESUME:
		resume(runs, event->b);
		break;
	case WIRE_WAIT:
		begin_wait(runs, site_flags(event->b));
		if (wait_rule(site_flags(event->b) & 0xff) == WIRE_WAIT_NAMED)
			forget_named(runs);
		break;
	case WIRE_OBJECT:
		if (wait)
			wait->object = event->b;
		break;
	case WIRE_NOWAIT:
		runs->n_waits -= runs->n_waits > 0;
		break;
	case WIRE_LOST:
		forget(runs);
		break;
	default:
		break;
	}
}

uint32_t runs_merge(struct runs *runs, struct wire_event *event, uint32_t n, uint64_t worker,
		    uint64_t n_ids, uint64_t longest)
{
	const struct wire_event *end = event + n, *at = event;
	struct writing writing = { .out = event };
	struct run run = { 0 };
	struct member member;

	while (at < end) {
		const struct runs_created *child;

		if (kind_timed(event_kind(at)))
			put_fresh(runs);
		child = newest(runs);
		if (child && begins_child(at) && child->last == at->b &&
		    awaits(waiting(runs), child) && member_at(&member, at, end)) {
			run_add(&run, &member);
			for (; at <= member.end; at++) {
				n_ids = ids_after(event_kind(at), at->b, n_ids);
				if (at == member.begin)
					follow(runs, at, id_make(worker, n_ids));
			}
			continue;
		}
		if (run.n && event_kind(at) == WIRE_TRACER) {
			run.end = at + 1;
			at++;
			continue;
		}
		if (run.n)
			run_end(&run, waiting(runs), &writing, longest);
		n_ids = ids_after(event_kind(at), at->b, n_ids);
		follow(runs, at, id_make(worker, n_ids));
		*writing.out++ = *at++;
	}
	if (run.n)
		run_end(&run, waiting(runs), &writing, longest);
	return (uint32_t)(writing.out - event);
}
