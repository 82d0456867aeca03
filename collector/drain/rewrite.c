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
	for (uint32_t n = 1; n <= n_continuations(bits); n++)
		for (uint32_t i = 0; i < 2 * ROWS; i++) {
			uint32_t what = n * READY_CONTINUATION + i;

			if (*deep_row(c, what))
				add_rest(rest, what, *deep_row(c, what));
			*deep_row(c, what) = 0;
		}
}

/* Hot path: the shape of a task from its BEGIN to its END, or of a piece, between these intervals;
 * out of line, for the registers' sake. */
static __attribute__((noinline)) void measure(struct collapse *c,
					      const struct collapse_source *source,
					      const struct closed *task, struct shape *shape)
{
	const struct interval *end = &c->interval[task->interval_end];
	const uint32_t before = task->ready;
	rows few = { 0 }; /* of few created tasks, no more than K */
	struct rest rest = { 0 };
	uint32_t last = task->before, bits = 0; /* of all deep rows */

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
			add_collapsed(shape, source->slot[(source->first + dt) & source->mask].b,
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

static inline void put_collapsed(struct wire_event **out, unsigned field, uint64_t value)
{
	if (value)
		*(*out)++ = (struct wire_event){ WIRE_COLLAPSED, collapsed_make(field, value) };
}

/* What goes between the task's BEGIN and its END. */
static struct wire_event *put_record(const struct closed *task, const struct shape *shape,
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

/* ---- pieces ---- */

#define PIECE_MOST (WIRE_COLLAPSED_FIELDS + 1u) /* events that a piece becomes, at most */

/* What of a task that takes longer than a piece is told. */
struct telling {
	const struct closed *task;
	struct closed told;  /* in the pieces before */
	uint64_t now;	     /* where the piece at hand begins, and then ends */
	uint64_t alone;	     /* of all its work: what ran while nothing else was ready; .. */
	uint64_t told_alone; /* .. in the pieces before */
	uint32_t n_out;	     /* events that the pieces before became */
};

static inline const struct wire_event *event_of(const struct collapse_source *source, uint32_t i)
{
	return &source->slot[(source->first + i) & source->mask];
}

/* Whether the task takes no longer than a piece; or says what no shares can be reckoned of. */
static bool piece_is_whole(const struct collapse *c, const struct collapse_source *source,
			   const struct closed *task)
{
	uint64_t begin = event_ticks(event_of(source, task->at)),
		 end = event_ticks(event_of(source, task->end));

	return end - begin <= c->piece || task->work > UINT32_MAX || task->own > task->work ||
	       task->span > task->work || task->path > task->work || task->n_tasks > UINT32_MAX;
}

/*
 * Behind the last interval of the piece that begins with `from`.  It is as long as it may be, but
 * has so many events that all pieces together become no more than there were.
 */
static uint32_t piece_end(const struct collapse *c, struct telling *telling, uint32_t from)
{
	const struct closed *task = telling->task;
	uint32_t record = from; /* where the record of the interval at hand begins */
	uint64_t took = 0;

	for (uint32_t i = from; i < task->interval_end; i++) {
		const struct interval *interval = &c->interval[i];

		if (interval->what & ROW_STRANGE)
			continue;
		if (took + interval->dt > c->piece &&
		    record - task->interval >= telling->n_out + PIECE_MOST &&
		    task->interval_end - record >= PIECE_MOST) {
			telling->now += took;
			return record;
		}
		took += interval->dt;
		record = i + 1;
	}
	return task->interval_end;
}

static uint64_t busy_of(const struct shape *shape)
{
	uint64_t sum = 0;

	for (unsigned k = 0; k < WIRE_COLLAPSED_K; k++)
		sum += shape->busy[k];
	return sum;
}

static uint64_t share(uint64_t of, uint64_t part, uint64_t whole)
{
	return whole ? of * part / whole : 0; /* each below 2^32 */
}

/* How much of the ready path is in the pieces up to here: what ran alone, and of the rest as much
 * as of the rest of the work. */
static uint64_t path_upto(const struct telling *telling)
{
	const struct closed *task = telling->task, *told = &telling->told;

	if (task->path < telling->alone)
		return share(task->path, telling->told_alone, telling->alone);
	return telling->told_alone + share(task->path - telling->alone,
					   told->work - telling->told_alone,
					   task->work - telling->alone);
}

/* What the task's record says goes to its pieces as its work does, up to here; ids to the first. */
static void share_out(struct telling *telling, struct closed *piece, const struct shape *shape)
{
	const struct closed *task = telling->task;
	struct closed *told = &telling->told;
	uint64_t whole = task->work;

	piece->made = told->work ? 0 : task->made;
	piece->work = busy_of(shape);
	told->work += piece->work;
	telling->told_alone += shape->busy[0];
	piece->own = share(task->own, told->work, whole) - told->own;
	piece->span = share(task->span, told->work, whole) - told->span;
	piece->path = path_upto(telling) - told->path;
	piece->n_tasks = share(task->n_tasks, told->work, whole) - told->n_tasks;
	told->own += piece->own;
	told->span += piece->span;
	told->path += piece->path;
	told->n_tasks += piece->n_tasks;
	piece->chain = piece->join_chain = piece->n_created = piece->n_waited = 0;
	piece->join_span = 0;
}

/* What is left of the task, for its last piece. */
static void share_rest(const struct telling *telling, struct closed *piece)
{
	const struct closed *task = telling->task, *told = &telling->told;

	*piece = (struct closed){ .made = told->work ? 0 : task->made,
				  .own = task->own - told->own,
				  .work = task->work - told->work,
				  .span = task->span - told->span,
				  .path = task->path - told->path,
				  .join_span = task->join_span ? task->join_span - told->span : 0,
				  .n_tasks = task->n_tasks - told->n_tasks,
				  .chain = task->chain,
				  .join_chain = task->join_chain,
				  .n_created = task->n_created,
				  .n_waited = task->n_waited };
}

/*
 * A task that takes longer than a piece may is told piece by piece, so that it is known to the
 * length of a piece when the worker was busy.  Each but the last ends with SPLIT.
 */
static struct wire_event *put_task(struct collapse *c, const struct collapse_source *source,
				   const struct closed *task, struct wire_event *out)
{
	struct telling telling = { .task = task };
	const struct wire_event *first = out;
	struct closed piece = *task;
	struct shape shape;

	measure(c, source, task, &shape);
	if (piece_is_whole(c, source, task))
		return put_record(task, &shape, out);
	telling.alone = shape.busy[0];
	telling.now = event_ticks(event_of(source, task->at));
	for (;; piece.interval = piece.interval_end) {
		telling.n_out = (uint32_t)(out - first);
		piece.interval_end = piece_end(c, &telling, piece.interval);
		measure(c, source, &piece, &shape);
		if (piece.interval_end == task->interval_end)
			break;
		piece.before = c->interval[piece.interval_end - 1].what - task->ready;
		share_out(&telling, &piece, &shape);
		out = put_record(&piece, &shape, out);
		*out++ = (struct wire_event){ event_at(telling.now, WIRE_SPLIT), 0 };
		*out++ = (struct wire_event){ event_at(telling.now, WIRE_RESUME), task->id };
	}
	share_rest(&telling, &piece);
	return put_record(&piece, &shape, out);
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

		at = copy(c, source, from, task->at + 1, at);
		at = put_task(c, source, task, at);
		tally_pending(c, task->pending, task->pending_end);
		c->n_waits += task->n_waits;
		from = task->end;
	}
	return (uint32_t)(copy(c, source, from, source->n, at) - out);
}
