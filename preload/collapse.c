/* SPDX-License-Identifier: MIT */
/*
 * collapse.c - one pass over a slice of events, with a stack of the tasks that are open; and a look
 * back over what is about to be hidden, which is hidden then, so that each event has one, too.
 */
#include "preload/collapse.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH 1024u    /* tasks on top of one another */
#define CHILDREN 8192u /* powers of two: tables by the low bits of ids and names, */
#define NAMES 4096u    /* where the newer pushes out the older, which is then unknown */
#define BAGS 256u
#define K (WIRE_HIDDEN_K - 1)

enum next_edge { NEXT_CREATE, NEXT_CREATE_CONT, NEXT_WAIT_CONT, NEXT_JOIN };

/* A created task. */
struct child {
	_Alignas(64) uint64_t id;
	uint64_t name;
	uint32_t slice;	  /* that it is of: all others are forgotten */
	uint32_t creator; /* frame.serial; 0: a task that is not in this slice from its beginning */
	uint64_t when;	  /* it was created; then when it ended */
	uint64_t span, path; /* of its creator up to its creation, then up to its own end */
	uint32_t chain;
	uint32_t site;
	bool undeferred, final, maybe_final;
	enum { CHILD_GONE, CHILD_CREATED, CHILD_RUNS, CHILD_ENDED, CHILD_JOINED } state;
};

/* A task that began in this slice and has not ended. */
struct frame {
	_Alignas(32) uint32_t serial;
	uint32_t child;		/* its own entry in child[], while that is child_id's */
	struct wire_event *out; /* where its BEGIN stands */
	uint32_t pending;	/* first of those below it */
	uint64_t id, child_id;	/* two, if it was STARTed */
	uint64_t begin, n_ids;	/* time, and the rest as in struct collapse then */
	uint32_t n_created, n_continuations;
	uint64_t ready[2];
	/* what went on since then, without what is on top of it */
	uint64_t own, work;
	uint64_t span, path; /* from its begin up to here */
	uint32_t chain;
	uint64_t n_waits;
	uint64_t n_tasks; /* below it */
	/* children, and what it waits for */
	uint32_t n_open;     /* created and not ended */
	uint32_t n_unjoined; /* ended and not joined */
	uint64_t join_span, last_path;
	uint32_t join_chain;
	uint32_t created; /* child[] created last */
	uint64_t bag, object, wait_began;
	uint32_t wait;	  /* enum wire_wait */
	uint8_t ended_by; /* enum wire_kind; WIRE_NONE: it runs */
	bool final, maybe_final, grouped;
	bool continues;	  /* ready since it created the task that was begun at once */
	bool child_ended; /* since it began to wait */
	bool hides;	  /* it was collapsed before */
};

/* How it stood before an event of the output, from the timed one before it on. */
struct before {
	uint16_t n_ready; /* n_created + n_continuations of struct collapse */
	uint16_t edge;	  /* that released the strand that begins */
};

/* How long the worker was busy and idle beside what, while a task ran and those below it. */
struct shape {
	uint64_t next[2][4]; /* with nothing else ready, and with more */
	uint64_t idle[WIRE_HIDDEN_K], busy[WIRE_HIDDEN_K];
};

struct pending { /* a task in the output that is hidden once one below it on the stack is collapsed
		  */
	uint64_t own, ready;
	uint32_t site;
};

struct collapse {
	/* the slice at hand */
	const struct collapse_limits *limits;
	struct wire_event *first, *out; /* what was written; where the next one goes */
	struct frame *top; /* the innermost open task; frame[0], which is none, if there is none */
	uint32_t n_pending;
	uint64_t worker, n_ids;
	uint64_t last; /* time of the last timed event */
	uint64_t held; /* WIRE_TRACER taken out */
	/* strands that are ready besides the one that begins next: created tasks, and creators
	 * that were left for the task that they created */
	uint32_t n_created, n_continuations;
	uint64_t ready[2]; /* integrals of those two */
	uint32_t serial, slice;

	struct frame frame[DEPTH + 1];
	struct child child[CHILDREN];
	uint16_t by_name[NAMES]; /* child[] */
	struct {
		uint64_t bag;
		uint32_t depth, serial;
	} by_bag[BAGS];
	struct pending pending[COLLAPSE_SLICE];
	struct before before[COLLAPSE_SLICE]; /* first[] */

	/* of all slices */
	struct collapse_tally tally[COLLAPSE_TALLIES];
	uint16_t by_site[4 * COLLAPSE_TALLIES]; /* tally[] + 1 */
	uint32_t n_tallies;
	uint64_t n_waits;
};

struct collapse *collapse_new(void)
{
	return calloc(1, sizeof(struct collapse));
}

void collapse_free(struct collapse *collapse)
{
	free(collapse);
}

const struct collapse_tally *collapse_tallies(const struct collapse *c, uint32_t *n)
{
	*n = c->n_tallies;
	return c->tally;
}

uint64_t collapse_waits(const struct collapse *c)
{
	return c->n_waits;
}

/* ---- tallies ---- */

/* NULL if there are too many sites: their tasks are not hidden. */
static struct collapse_tally *tally_of(struct collapse *c, uint32_t site)
{
	uint32_t at = site * 0x9e3779b1u % (4 * COLLAPSE_TALLIES);

	while (c->by_site[at] && c->tally[c->by_site[at] - 1].site != site)
		at = (at + 1) % (4 * COLLAPSE_TALLIES);
	if (!c->by_site[at]) {
		if (c->n_tallies == COLLAPSE_TALLIES)
			return NULL;
		c->tally[c->n_tallies].site = site;
		c->tally[c->n_tallies].least = UINT64_MAX;
		c->by_site[at] = (uint16_t)++c->n_tallies;
	}
	return &c->tally[c->by_site[at] - 1];
}

static inline bool can_tally(struct collapse *c, uint32_t site)
{
	return c->n_tallies < COLLAPSE_TALLIES || tally_of(c, site);
}

static void tally_pending(struct collapse *c, uint32_t from)
{
	for (uint32_t i = from; i < c->n_pending; i++) {
		const struct pending *task = &c->pending[i];
		struct collapse_tally *tally = tally_of(c, task->site);

		tally->n_tasks++;
		tally->work += task->own;
		tally->ready += task->ready;
		if (task->own < tally->least)
			tally->least = task->own;
		if (task->own > tally->most)
			tally->most = task->own;
		tally->n_by_work[wire_bucket(task->own)]++;
	}
	c->n_pending = from;
}

/* ---- the stack ---- */

static inline bool is_open(const struct collapse *c)
{
	return c->top != c->frame;
}

/* What is open cannot be collapsed: it is copied, and what comes is looked at afresh. */
static void give_up(struct collapse *c)
{
	c->top = c->frame;
	c->n_pending = 0;
	c->n_created = c->n_continuations = 0;
}

static inline void copy(struct collapse *c, const struct wire_event *event)
{
	*c->out++ = *event;
}

/* Keeps how it stood for `dt` before the event that is written next, or so many further `ahead`;
 * `edge` counts if that begins a strand. */
static inline void note(struct collapse *c, unsigned ahead, uint64_t dt, enum next_edge edge)
{
	c->before[c->out - c->first + ahead] =
		(struct before){ (uint16_t)(c->n_created + c->n_continuations), (uint16_t)edge };
	c->ready[0] += dt * c->n_created;
	c->ready[1] += dt * c->n_continuations;
}

/* A strand of the innermost task ends.  False if nothing is open any more. */
static bool end_strand(struct collapse *c, uint64_t now, enum wire_kind kind)
{
	struct frame *frame;
	uint64_t dt = now - c->last;

	if (!is_open(c))
		return false;
	frame = c->top;
	if (frame->ended_by != WIRE_NONE || dt > c->limits->strand) {
		give_up(c);
		return false;
	}
	note(c, 0, dt, 0);
	frame->own += dt;
	frame->work += dt;
	frame->span += dt;
	frame->path += dt;
	frame->ended_by = (uint8_t)kind;
	return true;
}

/* ---- children ---- */

static inline struct child *child_of(struct collapse *c, uint64_t id)
{
	struct child *child = &c->child[id % CHILDREN];

	return child->id == id && child->slice == c->slice ? child : NULL;
}

static inline uint32_t name_slot(uint64_t name)
{
	return (uint32_t)((name * 0x9e3779b97f4a7c15u) >> 52) % NAMES;
}

static inline struct child *child_named(struct collapse *c, uint64_t name)
{
	struct child *child = &c->child[c->by_name[name_slot(name)]];

	return child->name == name && child->slice == c->slice ? child : NULL;
}

static void on_create(struct collapse *c, uint64_t now, uint64_t b)
{
	const uint32_t flags = (uint32_t)(b >> 32);
	const uint32_t strange = WIRE_TASK_DETACHED | WIRE_TASK_EMPTY | WIRE_TASK_GLOBAL;
	bool inside = end_strand(c, now, WIRE_CREATE);
	uint64_t id = c->worker << WIRE_ID_WORKER_SHIFT | ++c->n_ids;
	struct child *child = &c->child[id % CHILDREN];

	*child = (struct child){ .id = id, .slice = c->slice, .site = (uint32_t)b, .when = now };
	child->state = flags & strange ? CHILD_GONE : CHILD_CREATED;
	child->final = flags & WIRE_TASK_FINAL;
	child->undeferred = flags & WIRE_TASK_UNDEFERRED;
	child->maybe_final = c->limits->final_tasks;
	if (!inside)
		return;
	if (flags & strange) {
		give_up(c);
		return;
	}
	struct frame *frame = c->top;

	child->creator = frame->serial;
	child->final = frame->final || flags & WIRE_TASK_FINAL;
	child->maybe_final = frame->maybe_final;
	child->undeferred = frame->final || flags & WIRE_TASK_UNDEFERRED;
	child->span = frame->span;
	child->path = frame->path;
	child->chain = frame->chain;
	frame->created = (uint32_t)(id % CHILDREN);
	frame->n_open++;
	c->n_created++;
}

/* memset() of so much that the compiler would call it, or use a slow instruction. */
static inline void clear(struct frame *frame)
{
	typedef uint64_t piece __attribute__((vector_size(16), may_alias));
	piece *at = (piece *)frame;

	_Static_assert(sizeof(*frame) % (2 * sizeof(piece)) == 0, "cleared in pairs");
	for (size_t i = 0; i < sizeof(*frame) / sizeof(piece); i += 2)
		at[i] = at[i + 1] = (piece){ 0 };
}

static void push(struct collapse *c, struct child *child, uint64_t id, uint64_t now)
{
	struct frame *frame = ++c->top;

	clear(frame);
	frame->serial = ++c->serial;
	frame->out = c->out;
	frame->pending = c->n_pending;
	frame->id = id;
	frame->begin = now;
	frame->n_ids = c->n_ids;
	frame->n_created = c->n_created;
	frame->n_continuations = c->n_continuations;
	frame->ready[0] = c->ready[0];
	frame->ready[1] = c->ready[1];
	frame->maybe_final = child ? child->maybe_final : c->limits->final_tasks;
	if (child) {
		frame->child = (uint32_t)(child - c->child);
		frame->child_id = child->id;
		frame->final = child->final;
		child->state = CHILD_RUNS;
	}
}

/* A child that begins at once is undeferred if its creator is below a final task. */
static bool may_be_undeferred(const struct frame *frame, const struct child *child)
{
	return frame->maybe_final && !frame->final && frame->ended_by == WIRE_CREATE &&
	       !child->undeferred;
}

static inline bool begins_inside(const struct collapse *c, const struct frame *frame,
				 const struct child *child, uint64_t now)
{
	return child && now - c->last <= c->limits->strand && child->state == CHILD_CREATED &&
	       child->creator == frame->serial && frame->ended_by != WIRE_NONE &&
	       frame->ended_by != WIRE_YIELD && c->top < c->frame + DEPTH &&
	       !may_be_undeferred(frame, child);
}

/* A child of the innermost task is what its worker goes on with. */
static inline void leave_for_child(struct collapse *c, struct frame *frame,
				   const struct child *child, uint64_t now)
{
	c->n_created--;
	if (frame->ended_by == WIRE_CREATE && !child->undeferred && !frame->continues) {
		frame->continues = true;
		c->n_continuations++;
	}
	note(c, 0, now - c->last, NEXT_CREATE);
}

/* A task begins on top of the innermost, if that created it; else what is open is given up. */
static void on_begin(struct collapse *c, struct child *child, uint64_t id, uint64_t now)
{
	if (child && child->state != CHILD_CREATED)
		child = NULL;
	if (is_open(c) && begins_inside(c, c->top, child, now))
		leave_for_child(c, c->top, child, now);
	else
		give_up(c);
	push(c, child, id, now);
}

/* ---- waits ---- */

/* The task's own last strand, or the child that ended last, released what comes now. */
static enum next_edge join(struct frame *frame, const struct child *one)
{
	uint64_t span = one ? one->span : frame->join_span;
	uint32_t chain = one ? one->chain : frame->join_chain;

	if (span > frame->span)
		frame->span = span;
	if (chain > frame->chain)
		frame->chain = chain;
	if (!frame->child_ended)
		return NEXT_WAIT_CONT;
	frame->path = one ? one->path : frame->last_path;
	return NEXT_JOIN;
}

/* What the innermost task waited for is over.  False if that is not plain. */
static bool end_wait(struct collapse *c, struct frame *frame, enum next_edge *edge)
{
	struct child *child;

	*edge = NEXT_WAIT_CONT;
	frame->n_waits++;
	switch (frame->wait) {
	case 0: /* it was none */
		return true;
	case WIRE_WAIT_GROUP:
		if (!frame->grouped)
			return false;
		frame->grouped = false;
		break;
	case WIRE_WAIT_BAG:
		if (frame->object != frame->bag)
			return false;
		break;
	case WIRE_WAIT_CHILDREN:
		break;
	case WIRE_WAIT_NAMED:
		child = child_named(c, frame->object);
		if (!child || child->creator != frame->serial || child->state != CHILD_ENDED)
			return false;
		child->state = CHILD_JOINED;
		frame->n_unjoined--;
		frame->child_ended = child->when >= frame->wait_began;
		*edge = join(frame, child);
		return true;
	default:
		return false;
	}
	if (frame->n_open)
		return false;
	*edge = join(frame, NULL);
	frame->n_unjoined = 0;
	frame->join_span = frame->join_chain = 0;
	return true;
}

static void on_resume(struct collapse *c, uint64_t id, uint64_t now)
{
	enum next_edge edge = NEXT_WAIT_CONT;
	struct frame *frame;
	bool plain = true;

	if (!is_open(c))
		return;
	frame = c->top;
	if (frame->id != id || frame->ended_by == WIRE_NONE || now - c->last > c->limits->strand) {
		give_up(c);
		return;
	}
	if (frame->ended_by == WIRE_CREATE) {
		struct child *child = &c->child[frame->created];

		edge = NEXT_CREATE_CONT;
		if (frame->continues)
			c->n_continuations--;
		frame->continues = false;
		plain = child->creator == frame->serial;
		if (plain && child->undeferred) {
			plain = child->state == CHILD_ENDED;
			edge = join(frame, child);
			frame->n_unjoined--;
			child->state = CHILD_JOINED;
		}
	} else if (frame->ended_by == WIRE_WAIT) {
		plain = end_wait(c, frame, &edge);
	} else { /* after a yield: who knows where it was meanwhile */
		plain = false;
	}
	if (!plain) {
		give_up(c);
		return;
	}
	note(c, 0, now - c->last, edge);
	frame->child_ended = false;
	frame->ended_by = WIRE_NONE;
}

static void on_wait(struct collapse *c, uint64_t now, uint64_t b)
{
	if (!end_strand(c, now, WIRE_WAIT))
		return;
	c->top->wait = (uint32_t)(b >> 32);
	c->top->object = 0;
	c->top->wait_began = now;
	c->top->child_ended = false;
}

/* ---- the end ---- */

/* What was ready with a task was ready for the one that it is below, and `k` more. */
static void add_shifted(uint64_t *to, unsigned at, uint32_t k, uint64_t value)
{
	to[at + k < K ? at + k : K] += value;
}

/* A hidden field of a task that began with so many others ready. */
static void add_hidden(struct shape *shape, uint64_t b, uint32_t k)
{
	unsigned field = (unsigned)(b >> WIRE_HIDDEN_SHIFT);
	uint64_t value = wire_hidden_value(b);

	if (field >= WIRE_HIDDEN_BUSY)
		add_shifted(shape->busy, field - WIRE_HIDDEN_BUSY, k, value);
	else if (field >= WIRE_HIDDEN_IDLE)
		add_shifted(shape->idle, field - WIRE_HIDDEN_IDLE, k, value);
	else if (field >= WIRE_HIDDEN_MORE && field < WIRE_HIDDEN_READY)
		shape->next[1][field - WIRE_HIDDEN_MORE] += value;
	else if (field >= WIRE_HIDDEN_NEXT && field < WIRE_HIDDEN_MORE)
		shape->next[k > 0][field - WIRE_HIDDEN_NEXT] += value;
}

/* The shape of what was written since the task's BEGIN, up to its END, which is at c->out. */
static void measure(const struct collapse *c, const struct frame *frame, struct shape *shape)
{
	const struct before *before = &c->before[frame->out - c->first];
	uint32_t n_ready = frame->n_created + frame->n_continuations;
	uint64_t last = frame->begin;
	bool hides = false;
	uint32_t k = 0;

	*shape = (struct shape){ 0 };
	for (const struct wire_event *event = frame->out + 1; event <= c->out; event++) {
		unsigned kind = event->a & 0xff;

		before++;
		if (kind == WIRE_HIDDEN) {
			add_hidden(shape, event->b, k);
			hides = true;
		}
		if (kind >= WIRE_FIRST_UNTIMED)
			continue;
		uint64_t dt = (event->a >> 8) - last;

		last += dt;
		k = before->n_ready - n_ready;
		if (hides) {
			hides = false; /* its fields say the rest */
		} else if (wire_ends_strand(kind)) {
			shape->busy[k < K ? k : K] += dt;
		} else {
			shape->idle[k < K ? k : K] += dt;
			shape->next[k > 0][before->edge] += dt;
		}
	}
}

static void put_hidden(struct collapse *c, unsigned field, uint64_t value)
{
	if (value)
		*c->out++ = (struct wire_event){ WIRE_HIDDEN,
						 (uint64_t)field << WIRE_HIDDEN_SHIFT | value };
}

/* Puts what it comes to in the place of all that was written since the task's BEGIN. */
static void rewrite(struct collapse *c, struct frame *frame, uint64_t now)
{
	uint64_t took = now - frame->begin;
	struct shape shape;

	measure(c, frame, &shape);
	c->out = frame->out + 1;
	*c->out++ =
		(struct wire_event){ /* also if there were none: the task hides something */
				     WIRE_HIDDEN, (uint64_t)WIRE_HIDDEN_MADE << WIRE_HIDDEN_SHIFT |
							  (c->n_ids - frame->n_ids)
		};
	put_hidden(c, WIRE_HIDDEN_OWN, frame->own);
	put_hidden(c, WIRE_HIDDEN_WORK, frame->work);
	put_hidden(c, WIRE_HIDDEN_SPAN, frame->span);
	put_hidden(c, WIRE_HIDDEN_PATH, frame->path);
	put_hidden(c, WIRE_HIDDEN_CHAIN, frame->chain);
	put_hidden(c, WIRE_HIDDEN_TASKS, frame->n_tasks);
	for (unsigned i = 0; i < 8; i++)
		put_hidden(c, WIRE_HIDDEN_NEXT + i, shape.next[i / 4][i % 4]);
	put_hidden(c, WIRE_HIDDEN_READY, c->ready[0] - frame->ready[0] - took * frame->n_created);
	put_hidden(c, WIRE_HIDDEN_READY + 1,
		   c->ready[1] - frame->ready[1] - took * frame->n_continuations);
	for (unsigned i = 0; i < WIRE_HIDDEN_K; i++)
		put_hidden(c, WIRE_HIDDEN_IDLE + i, shape.idle[i]);
	for (unsigned i = 0; i < WIRE_HIDDEN_K; i++)
		put_hidden(c, WIRE_HIDDEN_BUSY + i, shape.busy[i]);
	note(c, 0, 0, 0);
	tally_pending(c, frame->pending);
	c->n_waits += frame->n_waits;
	frame->n_waits = 0;
}

/* What a task comes to in the end. */
struct ran {
	uint64_t begin, own, span, path, n_tasks;
	uint32_t chain;
};

/* A child is over: what can be joined of it. */
static inline void end_child(struct collapse *c, struct frame *creator, struct child *child,
			     const struct ran *ran, uint64_t now)
{
	child->state = CHILD_ENDED;
	child->span += ran->span;
	child->path += ran->path;
	child->chain += ran->chain + 1;
	if (child->span > creator->join_span)
		creator->join_span = child->span;
	if (child->chain > creator->join_chain)
		creator->join_chain = child->chain;
	creator->last_path = child->path;
	creator->child_ended = true;
	creator->n_open--;
	creator->n_unjoined++;
	creator->n_tasks += ran->n_tasks + 1;
	c->pending[c->n_pending++] =
		(struct pending){ ran->own, ran->begin - child->when, child->site };
	child->when = now;
}

/* The innermost task's figures become part of those of the one that it ran on top of. */
static void merge(struct collapse *c, const struct frame *frame, uint64_t now)
{
	struct frame *below = c->top;
	struct ran ran = { frame->begin, frame->own,	 frame->span,
			   frame->path,	 frame->n_tasks, frame->chain };

	below->work += frame->work;
	below->n_waits += frame->n_waits;

	end_child(c, below, &c->child[frame->child], &ran, now);
}

/* Whether it can be collapsed, and so can be what it ran on top of. */
static bool is_closed(struct collapse *c, const struct frame *frame, uint64_t now)
{
	const struct child *child = &c->child[frame->child];

	if (frame->n_open || frame->n_unjoined || frame->grouped ||
	    now - frame->begin > c->limits->task)
		return false;
	return frame == c->frame + 1 || (child->id == frame->child_id && child->slice == c->slice &&
					 can_tally(c, child->site));
}

/*
 * Hot path: a task that does nothing of note, whose END follows its BEGIN: half of all tasks
 * mostly. False if it needs a closer look.
 */
static bool on_leaf(struct collapse *c, struct child *child, uint64_t begin, uint64_t end)
{
	struct frame *frame = c->top;
	uint64_t dt = end - begin;
	struct ran ran = { begin, dt, dt, dt, 0, 0 };

	if (!is_open(c) || !begins_inside(c, frame, child, begin) || dt > c->limits->strand ||
	    dt > c->limits->task || !can_tally(c, child->site))
		return false;
	leave_for_child(c, frame, child, begin);
	note(c, 1, dt, 0);
	frame->work += dt;
	end_child(c, frame, child, &ran, end);
	return true;
}

static void on_end(struct collapse *c, uint64_t now)
{
	bool hides = is_open(c) && c->top->hides, inside = hides || end_strand(c, now, WIRE_END);

	if (hides)
		note(c, 0, now - c->last, 0);
	if (inside && !is_closed(c, c->top, now)) {
		give_up(c);
	} else if (inside) {
		struct frame *frame = c->top;

		if (!frame->hides && c->out - frame->out > (ptrdiff_t)c->limits->least)
			rewrite(c, frame, now);
		c->top--;
		if (is_open(c))
			merge(c, frame, now);
		else
			c->n_pending = 0;
	}
}

/* ---- what was collapsed before ---- */

static void on_hidden(struct collapse *c, uint64_t b)
{
	unsigned field = (unsigned)(b >> WIRE_HIDDEN_SHIFT);
	uint64_t value = wire_hidden_value(b);
	struct frame *frame;

	if (field == WIRE_HIDDEN_MADE)
		c->n_ids += value;
	if (!is_open(c))
		return;
	frame = c->top;
	frame->hides = true;
	if (field == WIRE_HIDDEN_READY || field == WIRE_HIDDEN_READY + 1)
		c->ready[field - WIRE_HIDDEN_READY] += value;
	else if (field == WIRE_HIDDEN_OWN)
		frame->own = value;
	else if (field == WIRE_HIDDEN_WORK)
		frame->work = value;
	else if (field == WIRE_HIDDEN_SPAN)
		frame->span = value;
	else if (field == WIRE_HIDDEN_PATH)
		frame->path = value;
	else if (field == WIRE_HIDDEN_CHAIN)
		frame->chain = (uint32_t)value;
	else if (field == WIRE_HIDDEN_TASKS)
		frame->n_tasks = value;
}

/* ---- what is said of tasks ---- */

static void on_name(struct collapse *c, uint64_t name)
{
	struct frame *frame;
	uint64_t id = c->worker << WIRE_ID_WORKER_SHIFT | c->n_ids;

	if (is_open(c)) {
		frame = c->top;
		c->child[frame->created].name = name;
		c->by_name[name_slot(name)] = (uint16_t)frame->created;
	} else if (child_of(c, id)) { /* of the task created just before, by whom we do not know */
		child_of(c, id)->name = name;
		c->by_name[name_slot(name)] = (uint16_t)(id % CHILDREN);
	}
}

/* All of a task's children are in one bag, and nobody else on the stack uses it meanwhile. */
static void on_bag(struct collapse *c, uint64_t bag)
{
	uint32_t at = (uint32_t)((bag * 0x9e3779b97f4a7c15u) >> 56) % BAGS;
	struct frame *frame, *user;

	if (!is_open(c))
		return;
	frame = c->top;
	user = &c->frame[c->by_bag[at].depth];
	if (frame->n_open + frame->n_unjoined > 1 && frame->bag != bag) {
		give_up(c);
		return;
	}
	if (c->by_bag[at].bag == bag && user != frame && user <= c->top &&
	    user->serial == c->by_bag[at].serial && user->n_open + user->n_unjoined > 0) {
		give_up(c);
		return;
	}
	frame->bag = bag;
	c->by_bag[at].bag = bag;
	c->by_bag[at].depth = (uint32_t)(frame - c->frame);
	c->by_bag[at].serial = frame->serial;
}

static void on_group(struct collapse *c)
{
	struct frame *frame;

	if (!is_open(c))
		return;
	frame = c->top;
	if (frame->ended_by != WIRE_NONE || frame->grouped || frame->n_open || frame->n_unjoined)
		give_up(c);
	else
		frame->grouped = true;
}

static void take_detail(struct collapse *c, const struct wire_event *event)
{
	switch (event->a & 0xff) {
	case WIRE_TRACER: /* a long one stays where it was: no-work is the tracer's then */
		if (event->b <= c->limits->strand) {
			c->held += event->b;
			return;
		}
		give_up(c);
		break;
	case WIRE_HIDDEN:
		on_hidden(c, event->b);
		break;
	case WIRE_NAME:
		on_name(c, event->b);
		break;
	case WIRE_BAG:
		on_bag(c, event->b);
		break;
	case WIRE_GROUP:
		on_group(c);
		break;
	case WIRE_OBJECT:
		if (is_open(c))
			c->top->object = event->b;
		break;
	case WIRE_NOWAIT:
		if (is_open(c))
			c->top->wait = 0;
		break;
	case WIRE_NEXT_ID:
		c->n_ids = event->b;
		give_up(c);
		break;
	default: /* so does WIRE_MOVED: this stream does not have all that the task did */
		give_up(c);
	}
	copy(c, event);
}

/* Takes a timed event, and the one after it if that is its end: how many. */
static inline uint32_t take_timed(struct collapse *c, const struct wire_event *event,
				  const struct wire_event *next)
{
	uint64_t now = event->a >> 8, id = event->b;
	struct child *child;

	switch (event->a & 0xff) {
	case WIRE_CREATE:
		on_create(c, now, event->b);
		break;
	case WIRE_BEGIN:
	case WIRE_START:
		if ((event->a & 0xff) == WIRE_START) {
			id = c->worker << WIRE_ID_WORKER_SHIFT | ++c->n_ids;
			child = child_named(c, event->b);
		} else {
			child = child_of(c, id);
		}
		if (next && (next->a & 0xff) == WIRE_END && on_leaf(c, child, now, next->a >> 8)) {
			copy(c, event);
			copy(c, next);
			c->last = next->a >> 8;
			return 2;
		}
		on_begin(c, child, id, now);
		break;
	case WIRE_RESUME:
		on_resume(c, event->b, now);
		break;
	case WIRE_WAIT:
		on_wait(c, now, event->b);
		break;
	case WIRE_YIELD:
		end_strand(c, now, WIRE_YIELD);
		break;
	case WIRE_END:
		*c->out = *event;
		on_end(c, now);
		break;
	case WIRE_ROOT:
	case WIRE_MEMBER:
	case WIRE_FORK:
		c->n_ids++; /* fall through */
	default:
		give_up(c);
	}
	copy(c, event);
	c->last = now;
	return 1;
}

static void take_all(struct collapse *c, const struct wire_event *event, uint32_t n)
{
	const struct wire_event *end = event + n;

	while (event < end) {
		if ((event->a & 0xff) < WIRE_FIRST_UNTIMED)
			event += take_timed(c, event, event + 1 < end ? event + 1 : NULL);
		else
			take_detail(c, event++);
	}
}

uint32_t collapse_run(struct collapse *c, struct collapse_source *source,
		      const struct collapse_limits *limits, struct wire_event *out)
{
	uint64_t first = source->first & source->mask, behind = source->mask - first;
	uint32_t n = behind < source->n ? (uint32_t)behind + 1 : source->n;

	c->limits = limits;
	c->first = c->out = out;
	c->held = 0;
	c->worker = source->worker;
	c->n_ids = source->n_ids;
	c->slice++;
	give_up(c);
	take_all(c, &source->slot[first], n);
	take_all(c, source->slot, source->n - n);
	while (c->held) { /* no more than were taken out; short, so that they may be again */
		uint64_t held = c->held < limits->strand ? c->held : limits->strand;

		*c->out++ = (struct wire_event){ WIRE_TRACER, held };
		c->held -= held;
	}
	source->n_ids = c->n_ids;
	return (uint32_t)(c->out - out);
}
