/* SPDX-License-Identifier: MIT */
/* rewrite.c - measures what is in closed tasks, and writes the slice anew. */
#include "collector/collapse/rewrite.h"

#include "collector/collapse/collapse_tally.h"

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

/*
 * Tasks that run at once leave their creators one by one, with one created task at a time: rows of
 * their own, to which adding takes as little as to the others'.
 */
#define DEEP_BITS ((DEEP - 1) * READY_CONTINUATION | (2 * ROWS - 1))
static inline bool is_deep(uint32_t what)
{
	return !(what & ~DEEP_BITS);
}
static inline uint64_t *deep_row(struct collapse *c, uint32_t what)
{
	_Static_assert(READY_CREATED == ROWS && READY_CONTINUATION > DEEP * 2 * ROWS, "disjoint");
	return &c->deep[(what / (READY_CONTINUATION / (2 * ROWS)) | what) % (DEEP * 2 * ROWS)];
}

/* What there is of a task besides few and deep rows. */
struct rest {
	rows row;
	uint64_t ready, continuations;
};

static inline __attribute__((always_inline)) void add_rest(struct rest *rest, uint32_t what,
							   uint64_t dt)
{
	uint32_t k = n_created(what) + n_continuations(what);

	rest->ready += dt * n_created(what);
	rest->continuations += dt * n_continuations(what);
	rest->row[(k < K ? k : K) * ROWS + what % ROWS] += dt;
}

/* Empties the deep rows; no more continuations were ready than `bits` has, which are all of them.
 */
static void add_deep(struct collapse *c, uint32_t bits, struct rest *rest)
{
	for (uint32_t n = 1; n <= n_continuations(bits); n++) {
		uint64_t *row = deep_row(c, n * READY_CONTINUATION);

		for (uint32_t i = 0; i < 2 * ROWS; i++) {
			if (row[i])
				add_rest(rest, n * READY_CONTINUATION + i, row[i]);
			row[i] = 0;
		}
	}
}

/* Hot path: the shape of a task from its BEGIN to its END; out of line, for the registers' sake. */
static __attribute__((noinline)) void shape_measure(struct collapse *c, const struct slice *source,
						    const struct closed *task, struct shape *shape)
{
	const struct interval *end = &c->interval[task->end.interval];
	const uint32_t before = task->ready;
	rows few = { 0 }; /* of few created tasks, no more than K */
	struct rest rest = { 0 };
	uint32_t last = 0, bits = 0; /* of all deep rows */

	*shape = (struct shape){ 0 };
	for (const struct interval *interval = &c->interval[task->interval]; interval < end;
	     interval++) {
		uint32_t what = interval->what - before, dt = interval->dt;

		if (__builtin_expect(what < WIRE_COLLAPSED_K * ROWS, 1)) {
			few[what] += dt;
		} else if (is_deep(what)) {
			*deep_row(c, what) += dt;
			bits |= what;
		} else if (__builtin_expect(what >= ROW_STRANGE - before, 0)) {
			add_collapsed(shape, source->slot[dt].b,
				      n_created(last) + n_continuations(last));
			continue;
		} else {
			add_rest(&rest, what, dt);
		}
		last = what;
	}
	add_deep(c, bits, &rest);
	shape->ready[0] += rest.ready + sum_ready(few);
	shape->ready[1] += rest.continuations;
	sum_rows(few, shape);
	sum_rows(rest.row, shape);
}

static inline void collapsed_put(struct wire_event **out, unsigned field, uint64_t value)
{
	if (value)
		*(*out)++ = (struct wire_event){ WIRE_COLLAPSED, collapsed_make(field, value) };
}

/* What goes between the task's BEGIN and its END. */
static struct wire_event *put_task(const struct closed *task, const struct shape *shape,
				   struct wire_event *out)
{
	const struct cut *end = &task->end;
	const struct sums *sums = &end->sums;

	/* also if it is 0: the task is collapsed, as this says */
	*out++ = (struct wire_event){ WIRE_COLLAPSED, collapsed_make(WIRE_COLLAPSED_MADE,
								     end->n_ids - task->n_ids) };
	collapsed_put(&out, WIRE_COLLAPSED_OWN, sums->own);
	collapsed_put(&out, WIRE_COLLAPSED_WORK, sums->own + sums->below);
	collapsed_put(&out, WIRE_COLLAPSED_SPAN, sums->own + sums->span);
	collapsed_put(&out, WIRE_COLLAPSED_PATH, sums->own + sums->path);
	collapsed_put(&out, WIRE_COLLAPSED_CHAIN, sums->chain);
	collapsed_put(&out, WIRE_COLLAPSED_TASKS, sums->n_tasks);
	for (unsigned i = 0; i < 8; i++)
		collapsed_put(&out, WIRE_COLLAPSED_NEXT + i, shape->next[i / 4][i % 4]);
	for (unsigned i = 0; i < 2; i++)
		collapsed_put(&out, WIRE_COLLAPSED_READY + i, shape->ready[i]);
	for (unsigned i = 0; i < WIRE_COLLAPSED_K; i++)
		collapsed_put(&out, WIRE_COLLAPSED_IDLE + i, shape->idle[i]);
	for (unsigned i = 0; i < WIRE_COLLAPSED_K; i++)
		collapsed_put(&out, WIRE_COLLAPSED_BUSY + i, shape->busy[i]);
	collapsed_put(&out, WIRE_COLLAPSED_JOIN_SPAN, end->join_span);
	collapsed_put(&out, WIRE_COLLAPSED_JOIN_CHAIN, end->join_chain);
	collapsed_put(&out, WIRE_COLLAPSED_CREATED, end->n_created);
	collapsed_put(&out, WIRE_COLLAPSED_WAITED, end->n_waited);
	return out;
}

/* How long the recorder held the worker inside the task: no more notes than were there, and short
 * ones, so that they may be added up again. */
static struct wire_event *put_held(const struct collapse *c, const struct slice *source,
				   const struct closed *task, struct wire_event *out)
{
	uint32_t end = task->end.at < c->held ? task->end.at : c->held;
	uint64_t left = 0;

	for (uint32_t i = task->at + 1; i < end; i++)
		if (event_kind(&source->slot[i]) == WIRE_TRACER)
			left += source->slot[i].b;
	for (; left; out++) {
		*out = (struct wire_event){ WIRE_TRACER, left < c->strand ? left : c->strand };
		left -= out->b;
	}
	return out;
}

/* Copies what stays of events from .. to - 1. */
static struct wire_event *events_copy(const struct slice *source, uint32_t from, uint32_t to,
				      struct wire_event *out)
{
	for (uint32_t i = from; i < to; i++) {
		*out = source->slot[i];
		out += event_kind(out) != WIRE_TALLY;
	}
	return out;
}

uint32_t rewrite(struct collapse *c, const struct slice *source, struct wire_event *out)
{
	struct wire_event *at = out;
	uint32_t from = 0;

	for (uint32_t i = 0; i < c->n_closed; i++) {
		const struct closed *task = &c->closed[i];
		struct shape shape;

		shape_measure(c, source, task, &shape);
		at = events_copy(source, from, task->at + 1, at);
		at = put_task(task, &shape, at);
		at = put_held(c, source, task, at);
		tally_pending(c, task->pending, task->end.pending);
		c->n_waits += task->end.sums.n_waits;
		from = task->end.at;
	}
	return (uint32_t)(events_copy(source, from, source->n, at) - out);
}
