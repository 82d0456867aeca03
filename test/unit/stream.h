/* SPDX-License-Identifier: MIT */
/*
 * stream.h - random events of one worker, of every kind that wire.h allows, and what a decoder
 * must make of them.
 *
 * Tasks begin last-made-first, first-made-first, or were made elsewhere; they end, nest and are
 * resumed; sites follow each other in patterns or at random; names lie next to one another, or come
 * again; some numbers are huge, some times equal.  So each guess of guess.h is often right and
 * often wrong.
 */
#pragma once

#include "collector/trace/wire.h"
#include "tools/trace/decode.h"
#include "test/unit/random.h"

#define STREAM_TASKS 64u
#define STREAM_ID(worker, n) ((uint64_t)(worker) << WIRE_ID_WORKER_SHIFT | (n))
#define STREAM_ID_MAX ((UINT64_C(1) << WIRE_ID_WORKER_SHIFT) - 1)

struct stream {
	struct random random;
	uint32_t worker;
	uint64_t ticks; /* of the last timed event */
	uint64_t n_ids;
	uint64_t task[STREAM_TASKS], fresh[STREAM_TASKS]; /* begun; made and not begun */
	uint32_t n_task, n_fresh;
	uint64_t last_begun, group, name, bag;
	unsigned field; /* of collapsed tasks, the last one */
};

static inline uint64_t stream_any_id(struct stream *s)
{
	bool here = random_one_in(&s->random, 2);
	uint64_t worker = here ? s->worker : random_below(&s->random, WIRE_WORKERS);

	return STREAM_ID(worker, 1 + random_wide(&s->random, WIRE_ID_WORKER_SHIFT) % STREAM_ID_MAX);
}

/* The oldest, the youngest or any other of those made here; or one from elsewhere. */
static inline uint64_t stream_to_begin(struct stream *s)
{
	uint32_t at = s->n_fresh - 1;

	if (random_one_in(&s->random, 4) && (s->last_begun & STREAM_ID_MAX) - 1 < STREAM_ID_MAX - 1)
		return s->last_begun + 1;
	if (s->n_fresh == 0 || random_one_in(&s->random, 8))
		return stream_any_id(s);
	if (random_one_in(&s->random, 3))
		at = random_one_in(&s->random, 2) ? 0
						  : (uint32_t)random_below(&s->random, s->n_fresh);
	uint64_t id = s->fresh[at];

	for (s->n_fresh--; at < s->n_fresh; at++)
		s->fresh[at] = s->fresh[at + 1];
	return id;
}

static inline uint32_t stream_site(struct stream *s)
{
	if (random_one_in(&s->random, 16))
		return (uint32_t)random_wide(&s->random, 32);
	return 1 + (uint32_t)random_below(&s->random, 4);
}

static inline void stream_push(struct stream *s, uint64_t id)
{
	if (s->n_task == STREAM_TASKS)
		s->n_task = 0;
	s->task[s->n_task++] = id;
}

/* The object of an untimed event or a discard. */
static inline uint64_t stream_detail(struct stream *s, enum wire_kind kind)
{
	switch (kind) {
	case WIRE_DEPEND:
		return random_wide(&s->random, WIRE_DEPEND_SHIFT) |
		       (1 + random_below(&s->random, WIRE_DEPENDS - 1)) << WIRE_DEPEND_SHIFT;
	case WIRE_GROUP:
	case WIRE_NOWAIT:
	case WIRE_MOVED:
	case WIRE_NO_WORKER:
		return 0;
	case WIRE_DISCARD:
		return stream_any_id(s);
	case WIRE_NAME:
		if (random_one_in(&s->random, 4))
			s->name = random_wide(&s->random, 48);
		else
			s->name += random_one_in(&s->random, 2) ? 256 : -256;
		return s->name;
	case WIRE_BAG:
		if (random_one_in(&s->random, 4))
			s->bag = random_wide(&s->random, 48);
		return s->bag;
	case WIRE_OBJECT:
		if (random_one_in(&s->random, 4))
			return random_wide(&s->random, 64);
		return random_one_in(&s->random, 2) ? s->bag : s->name;
	case WIRE_NEXT_ID: /* ahead of what was given out, and never so far that ids run out */
		s->n_ids += random_wide(&s->random, 40);
		return s->n_ids;
	case WIRE_TRACER:
	case WIRE_SINCE:
	case WIRE_UNTIL:
		return random_wide(&s->random, 56);
	case WIRE_TALLY:
		return tally_make(stream_site(s) % WIRE_TALLY_SITES,
				  1 + (uint32_t)random_below(&s->random, WIRE_TALLY_PARTS - 1),
				  random_wide(&s->random, WIRE_TALLY_SHIFT));
	case WIRE_COLLAPSED: {
		uint64_t field = s->field % (WIRE_COLLAPSED_FIELDS - 1) + 1;

		if (random_one_in(&s->random, 4))
			field = 1 + random_below(&s->random, WIRE_COLLAPSED_FIELDS - 1);
		s->field = (unsigned)field;
		uint64_t value = random_wide(
			&s->random, field == WIRE_COLLAPSED_MADE ? 30 : WIRE_COLLAPSED_SHIFT);

		if (field == WIRE_COLLAPSED_MADE)
			s->n_ids += value;
		return collapsed_make(field, value);
	}
	case WIRE_COUNTER:
		return field_make(random_below(&s->random, WIRE_COUNTERS),
				    random_wide(&s->random, WIRE_FIELD_SHIFT));
	case WIRE_MESSAGE:
		return field_make(1 + random_below(&s->random, WIRE_MESSAGE_NEAR),
				    random_wide(&s->random, WIRE_FIELD_SHIFT));
	case WIRE_DATA:
	case WIRE_OPERATION:
		return field_make(1 + random_below(&s->random, WIRE_FIELDS - 1),
				  random_wide(&s->random, WIRE_FIELD_SHIFT));
	case WIRE_LOST:
		return random_wide(&s->random, WIRE_LOSS_SHIFT) |
		       random_below(&s->random, WIRE_LOSSES) << WIRE_LOSS_SHIFT;
	default: /* HANDLE, CANCEL */
		return random_one_in(&s->random, 8) ? UINT64_MAX : random_wide(&s->random, 64);
	}
}

static inline uint64_t stream_operand(struct stream *s, enum wire_kind kind)
{
	struct random *r = &s->random;
	uint64_t b = 0;

	switch (kind) {
	case WIRE_BEGIN:
		b = s->last_begun = stream_to_begin(s);
		stream_push(s, b);
		break;
	case WIRE_MEMBER:
		if (!s->group || random_one_in(r, 4))
			s->group = stream_any_id(s);
		b = s->group;
		stream_push(s, STREAM_ID(s->worker, ++s->n_ids));
		break;
	case WIRE_START:
		b = random_one_in(r, 4) ? random_wide(r, 48) : s->name;
		stream_push(s, STREAM_ID(s->worker, ++s->n_ids));
		break;
	case WIRE_ROOT:
		stream_push(s, STREAM_ID(s->worker, ++s->n_ids));
		break;
	case WIRE_RESUME:
		b = s->n_task && !random_one_in(r, 4) ? s->task[s->n_task - 1] : stream_any_id(s);
		break;
	case WIRE_CREATE:
		b = stream_site(s) | (random_one_in(r, 4) ? random_below(r, 32) << 32 : 0);
		s->n_fresh -= s->n_fresh == STREAM_TASKS;
		s->fresh[s->n_fresh++] = STREAM_ID(s->worker, ++s->n_ids);
		break;
	case WIRE_FORK:
		b = stream_site(s) | random_below(r, 32) << 32;
		s->group = STREAM_ID(s->worker, ++s->n_ids);
		break;
	case WIRE_WAIT:
		b = stream_site(s) | (1 + random_below(r, WIRE_WAITS - 1)) << 32;
		break;
	case WIRE_YIELD:
		b = stream_site(s);
		break;
	case WIRE_SIGNAL:
		b = random_wide(r, 64);
		break;
	case WIRE_END:
		s->n_task -= s->n_task > 0;
		break;
	default:
		b = stream_detail(s, kind);
		break;
	}
	return b;
}

static inline enum wire_kind stream_any_kind(struct random *random)
{
	unsigned kind;

	do
		kind = (unsigned)random_below(random, WIRE_KINDS);
	while (!kind_known(kind));
	return (enum wire_kind)kind;
}

/* The kind of the next event; nested creation and waiting are the most frequent, as in life. */
static inline enum wire_kind stream_kind(struct stream *s)
{
	static const uint8_t often[] = { WIRE_CREATE, WIRE_RESUME, WIRE_BEGIN, WIRE_END,
					 WIRE_WAIT,   WIRE_CREATE, WIRE_BEGIN, WIRE_MEMBER };

	if (random_one_in(&s->random, 3))
		return stream_any_kind(&s->random);
	return (enum wire_kind)often[random_below(&s->random, sizeof(often))];
}

/* Makes the next event.  Its time is that of the last, a little later, or very much later. */
static inline struct wire_event stream_next(struct stream *s)
{
	enum wire_kind kind = stream_kind(s);
	uint64_t step = random_one_in(&s->random, 3) ? 0 : random_wide(&s->random, 20);

	if (random_one_in(&s->random, 1000))
		step = random_wide(&s->random, 45);
	if (!kind_timed(kind))
		return (struct wire_event){ kind, stream_operand(s, kind) };
	s->ticks += step;
	return (struct wire_event){ s->ticks << 8 | kind, stream_operand(s, kind) };
}

/* ---- what a decoder must make of them ---- */

struct model { /* from block to block; units = ticks >> shift */
	uint64_t last_units, n_ids;
	uint32_t worker, shift;
};

/* Operands that are ticks, which the file has as units. */
static inline bool model_in_ticks(enum wire_kind kind)
{
	return kind == WIRE_TRACER || kind == WIRE_SINCE || kind == WIRE_UNTIL;
}

static inline uint64_t model_made(struct model *model, enum wire_kind kind, uint64_t b)
{
	switch (kind) {
	case WIRE_START:
	case WIRE_ROOT:
	case WIRE_MEMBER:
	case WIRE_CREATE:
	case WIRE_FORK:
		return STREAM_ID(model->worker, ++model->n_ids);
	case WIRE_NEXT_ID:
		model->n_ids = b;
		return 0;
	case WIRE_COLLAPSED:
		if (b >> 56 == WIRE_COLLAPSED_MADE)
			model->n_ids += b & 0xffffffffffffff;
		return 0;
	default:
		return 0;
	}
}

/* Times become units; in what is collapsed, all but the counts are. */
static inline uint64_t model_operand(const struct model *model, enum wire_kind kind, uint64_t b)
{
	uint64_t field = b >> 56;

	if (model_in_ticks(kind))
		return b >> model->shift;
	if (kind_operand(kind) == OPERAND_FIELD && field == WIRE_FIELD_MOMENT)
		return field << 56 | (b & 0xffffffffffffff) >> model->shift;
	if (kind == WIRE_TALLY) {
		uint64_t what = b >> 39, part = what % 512, value = b & 0x7fffffffff;

		if (part >= 2 && part <= 5) /* work, ready, min, max */
			value >>= model->shift;
		if (part >= 8)
			what += wire_bucket(wire_bucket_least((uint32_t)part - 8) >> model->shift) -
				(part - 8);
		return what << 39 | value;
	}
	if (kind != WIRE_COLLAPSED || field == WIRE_COLLAPSED_MADE ||
	    field == WIRE_COLLAPSED_CHAIN || field == WIRE_COLLAPSED_TASKS ||
	    field >= WIRE_COLLAPSED_JOIN_CHAIN)
		return b;
	return field << 56 | (b & 0xffffffffffffff) >> model->shift;
}

/*
 * What becomes of a block of events.  Time never goes back; what comes before the block's first
 * timed event has its time.
 */
static inline void model_block(struct model *model, const struct wire_event *in, uint32_t n,
			       struct event *out)
{
	uint32_t n_timed = 0;

	for (uint32_t i = 0; i < n; i++) {
		enum wire_kind kind = (enum wire_kind)event_kind(&in[i]);

		if (kind_timed(kind)) {
			uint64_t units = event_ticks(&in[i]) >> model->shift;

			model->last_units = units > model->last_units ? units : model->last_units;
			for (uint32_t j = 0; j < i && n_timed == 0; j++)
				out[j].units = model->last_units;
			n_timed++;
		}
		out[i] = (struct event){ .units = model->last_units,
					 .b = model_operand(model, kind, in[i].b),
					 .made = model_made(model, kind, in[i].b),
					 .kind = kind };
	}
}

/* Whether two events are the same; struct event has padding. */
static inline bool event_equals(const struct event *x, const struct event *y)
{
	return x->units == y->units && x->b == y->b && x->made == y->made && x->kind == y->kind;
}
