/* SPDX-License-Identifier: MIT */
/* rewrite.c - looks back over what a task wrote, measures that, and writes it anew. */
#include "collector/drain/rewrite.h"

#include "collector/drain/collapse_tally.h"

#define K (WIRE_COLLAPSED_K - 1)

/* How long the worker was busy and idle beside what, while a task ran and those below it. */
struct shape {
	uint64_t next[2][4]; /* with nothing else ready, and with more */
	uint64_t idle[WIRE_COLLAPSED_K], busy[WIRE_COLLAPSED_K];
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

	if (field >= WIRE_COLLAPSED_BUSY)
		add_shifted(shape->busy, field - WIRE_COLLAPSED_BUSY, k, value);
	else if (field >= WIRE_COLLAPSED_IDLE)
		add_shifted(shape->idle, field - WIRE_COLLAPSED_IDLE, k, value);
	else if (field >= WIRE_COLLAPSED_MORE && field < WIRE_COLLAPSED_READY)
		shape->next[1][field - WIRE_COLLAPSED_MORE] += value;
	else if (field >= WIRE_COLLAPSED_NEXT && field < WIRE_COLLAPSED_MORE)
		shape->next[k > 0][field - WIRE_COLLAPSED_NEXT] += value;
}

/* The shape of what was written since the task's BEGIN, up to its END, which is at c->out. */
static void measure(const struct collapse *c, const struct frame *frame, struct shape *shape)
{
	const struct before *before = &c->before[frame->out - c->first];
	uint32_t n_ready = frame->n_created + frame->n_continuations;
	uint64_t last = frame->begin;
	bool collapsed = false;
	uint32_t k = 0;

	*shape = (struct shape){ 0 };
	for (const struct wire_event *event = frame->out + 1; event <= c->out; event++) {
		unsigned kind = event_kind(event);

		before++;
		if (kind == WIRE_COLLAPSED) {
			add_collapsed(shape, event->b, k);
			collapsed = true;
		}
		if (!kind_timed(kind))
			continue;
		uint64_t dt = event_ticks(event) - last;

		last += dt;
		k = before->n_ready - n_ready;
		if (collapsed) {
			collapsed = false; /* its fields say the rest */
		} else if (kind_ends(kind)) {
			shape->busy[k < K ? k : K] += dt;
		} else {
			shape->idle[k < K ? k : K] += dt;
			shape->next[k > 0][before->edge] += dt;
		}
	}
}

static void put_collapsed(struct collapse *c, unsigned field, uint64_t value)
{
	if (value)
		*c->out++ = (struct wire_event){ WIRE_COLLAPSED, collapsed_make(field, value) };
}

/* Puts what it comes to in the place of all that was written since the task's BEGIN. */
void rewrite(struct collapse *c, struct frame *frame, uint64_t now)
{
	uint64_t took = now - frame->begin;
	struct shape shape;

	measure(c, frame, &shape);
	c->out = frame->out + 1;
	*c->out++ = (struct wire_event){
		/* also if it is 0: the task is collapsed, as this says */
		WIRE_COLLAPSED, collapsed_make(WIRE_COLLAPSED_MADE, c->n_ids - frame->n_ids)
	};
	put_collapsed(c, WIRE_COLLAPSED_OWN, frame->own);
	put_collapsed(c, WIRE_COLLAPSED_WORK, frame->work);
	put_collapsed(c, WIRE_COLLAPSED_SPAN, frame->span);
	put_collapsed(c, WIRE_COLLAPSED_PATH, frame->path);
	put_collapsed(c, WIRE_COLLAPSED_CHAIN, frame->chain);
	put_collapsed(c, WIRE_COLLAPSED_TASKS, frame->n_tasks);
	for (unsigned i = 0; i < 8; i++)
		put_collapsed(c, WIRE_COLLAPSED_NEXT + i, shape.next[i / 4][i % 4]);
	put_collapsed(c, WIRE_COLLAPSED_READY,
		      c->ready[0] - frame->ready[0] - took * frame->n_created);
	put_collapsed(c, WIRE_COLLAPSED_READY + 1,
		      c->ready[1] - frame->ready[1] - took * frame->n_continuations);
	for (unsigned i = 0; i < WIRE_COLLAPSED_K; i++)
		put_collapsed(c, WIRE_COLLAPSED_IDLE + i, shape.idle[i]);
	for (unsigned i = 0; i < WIRE_COLLAPSED_K; i++)
		put_collapsed(c, WIRE_COLLAPSED_BUSY + i, shape.busy[i]);
	note(c, 0, 0, 0);
	tally_pending(c, frame->pending);
	c->n_waits += frame->n_waits;
	frame->n_waits = 0;
}
