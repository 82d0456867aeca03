/* SPDX-License-Identifier: MIT */
/* rewrite.c - measures what is in closed tasks, and writes the slice anew. */
#include "collector/drain/rewrite.h"

#include "collector/drain/collapse_tally.h"

#define K (WIRE_COLLAPSED_K - 1)

/* How long the worker was busy and idle beside what, while a task ran and those below it. */
struct shape {
	uint64_t next[2][4]; /* with nothing else ready, and with more */
	uint64_t idle[WIRE_COLLAPSED_K], busy[WIRE_COLLAPSED_K];
	uint64_t ready[2]; /* created tasks and continuations, each for how long */
};

/* Strands that were ready with a task were ready for its ancestor, too, and `k` more. */
static void add_shifted(uint64_t *to, unsigned at, uint32_t k, uint64_t value)
{
	to[at + k < K ? at + k : K] += value;
}

/* A collapsed field of a task that began with so many others ready. */
static void add_collapsed(struct shape *shape, uint64_t b, uint32_t k)
{
	unsigned field = collapsed_field(b);
	uint64_t value = collapsed_value(b);

	if (field >= WIRE_COLLAPSED_JOIN_SPAN)
		return;
	if (field >= WIRE_COLLAPSED_BUSY)
		add_shifted(shape->busy, field - WIRE_COLLAPSED_BUSY, k, value);
	else if (field >= WIRE_COLLAPSED_IDLE)
		add_shifted(shape->idle, field - WIRE_COLLAPSED_IDLE, k, value);
	else if (field >= WIRE_COLLAPSED_MORE && field < WIRE_COLLAPSED_READY)
		shape->next[1][field - WIRE_COLLAPSED_MORE] += value;
	else if (field >= WIRE_COLLAPSED_NEXT && field < WIRE_COLLAPSED_MORE)
		shape->next[k > 0][field - WIRE_COLLAPSED_NEXT] += value;
	else if (field == WIRE_COLLAPSED_READY || field == WIRE_COLLAPSED_READY + 1)
		shape->ready[field - WIRE_COLLAPSED_READY] += value;
}

/* How long each row was with so many ready, K for more. */
typedef uint64_t rows[WIRE_COLLAPSED_K * ROWS];

/* What the rows of a task's intervals come to. */
static void sum_rows(const rows row, struct shape *shape)
{
	for (unsigned k = 0; k < WIRE_COLLAPSED_K; k++) {
		shape->busy[k] += row[k * ROWS + ROW_BUSY];
		for (unsigned edge = 0; edge < N_NEXT; edge++) {
			shape->idle[k] += row[k * ROWS + edge];
			shape->next[k > 0][edge] += row[k * ROWS + edge];
		}
	}
}

/* Created tasks that were ready, each for how long, if nothing else was. */
static uint64_t sum_ready(const rows row)
{
	uint64_t ready = 0;

	for (unsigned i = 0; i < WIRE_COLLAPSED_K * ROWS; i++)
		ready += i / ROWS * row[i];
	return ready;
}

/* Of what was ready during an interval: created tasks, and the others. */
static inline uint32_t n_created(uint32_t what)
{
	return what % READY_CONTINUATION / READY_CREATED;
}
static inline uint32_t n_continuations(uint32_t what)
{
	return what / READY_CONTINUATION;
}

/* The shape of a task from its BEGIN to its END. */
static void measure(const struct collapse *c, const struct collapse_source *source,
		    const struct closed *task, struct shape *shape)
{
	const struct interval *end = &c->interval[task->interval_end];
	rows few = { 0 }, row = { 0 }; /* of few created tasks, no more than K; all others */
	uint64_t ready = 0, continuations = 0;
	uint32_t last = 0;

	*shape = (struct shape){ 0 };
	for (const struct interval *interval = &c->interval[task->interval]; interval < end;
	     interval++) {
		uint32_t what = interval->what - task->ready, dt = interval->dt, k;

		if (__builtin_expect(what < WIRE_COLLAPSED_K * ROWS, 1)) {
			few[what] += dt;
			last = what;
			continue;
		}
		if (__builtin_expect(what >= ROW_STRANGE - task->ready, 0)) {
			add_collapsed(shape, source->slot[(source->first + dt) & source->mask].b,
				      n_created(last) + n_continuations(last));
			continue;
		}
		last = what;
		ready += (uint64_t)dt * n_created(what);
		continuations += (uint64_t)dt * n_continuations(what);
		k = n_created(what) + n_continuations(what);
		row[(k < K ? k : K) * ROWS + what % ROWS] += dt;
	}
	shape->ready[0] += ready + sum_ready(few);
	shape->ready[1] += continuations;
	sum_rows(few, shape);
	sum_rows(row, shape);
}

static inline void put_collapsed(struct wire_event **out, unsigned field, uint64_t value)
{
	if (value)
		*(*out)++ = (struct wire_event){ WIRE_COLLAPSED, collapsed_make(field, value) };
}

/* What goes between the task's BEGIN and its END. */
static struct wire_event *put_task(const struct closed *task, const struct shape *shape,
				   struct wire_event *out)
{
	*out++ =
		(struct wire_event){ /* also if it is 0: the task is collapsed, as this says */
				     WIRE_COLLAPSED, collapsed_make(WIRE_COLLAPSED_MADE, task->made)
		};
	put_collapsed(&out, WIRE_COLLAPSED_OWN, task->own);
	put_collapsed(&out, WIRE_COLLAPSED_WORK, task->work);
	put_collapsed(&out, WIRE_COLLAPSED_SPAN, task->span);
	put_collapsed(&out, WIRE_COLLAPSED_PATH, task->path);
	put_collapsed(&out, WIRE_COLLAPSED_CHAIN, task->chain);
	put_collapsed(&out, WIRE_COLLAPSED_TASKS, task->n_tasks);
	for (unsigned i = 0; i < 8; i++)
		put_collapsed(&out, WIRE_COLLAPSED_NEXT + i, shape->next[i / 4][i % 4]);
	for (unsigned i = 0; i < 2; i++)
		put_collapsed(&out, WIRE_COLLAPSED_READY + i, shape->ready[i]);
	for (unsigned i = 0; i < WIRE_COLLAPSED_K; i++)
		put_collapsed(&out, WIRE_COLLAPSED_IDLE + i, shape->idle[i]);
	for (unsigned i = 0; i < WIRE_COLLAPSED_K; i++)
		put_collapsed(&out, WIRE_COLLAPSED_BUSY + i, shape->busy[i]);
	put_collapsed(&out, WIRE_COLLAPSED_JOIN_SPAN, task->join_span);
	put_collapsed(&out, WIRE_COLLAPSED_JOIN_CHAIN, task->join_chain);
	put_collapsed(&out, WIRE_COLLAPSED_CREATED, task->n_created);
	put_collapsed(&out, WIRE_COLLAPSED_WAITED, task->n_waited);
	return out;
}

/* Copies what stays of events from .. to - 1. */
static struct wire_event *copy(const struct collapse *c, const struct collapse_source *source,
			       uint32_t from, uint32_t to, struct wire_event *out)
{
	for (uint32_t i = from; i < to; i++) {
		const struct wire_event *event = &source->slot[(source->first + i) & source->mask];
		unsigned kind = event_kind(event);

		*out = *event;
		out += kind != RING_TALLY && (kind != WIRE_TRACER || event->b > c->strand);
	}
	return out;
}

uint32_t rewrite(struct collapse *c, const struct collapse_source *source, struct wire_event *out)
{
	struct wire_event *at = out;
	uint32_t from = 0;

	for (uint32_t i = 0; i < c->n_closed; i++) {
		const struct closed *task = &c->closed[i];
		struct shape shape;

		measure(c, source, task, &shape);
		at = copy(c, source, from, task->at + 1, at);
		at = put_task(task, &shape, at);
		tally_pending(c, task->pending, task->pending_end);
		c->n_waits += task->n_waits;
		from = task->end;
	}
	return (uint32_t)(copy(c, source, from, source->n, at) - out);
}
