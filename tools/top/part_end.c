/* SPDX-License-Identifier: MIT */
/* part_end.c - finds what runs and what waits at the end, and writes events that say so. */
#include "tools/top/part_end.h"

#include <stdlib.h>

#include "tools/base/xalloc.h"
#include "tools/trace/reader.h"
#include "tools/base/map.h"

#define NOBODY 0x1u	    /* a name that no object has: nobody waits for it */
#define WAITING_MOST 30000u /* that begin and end in one block of at most 65,536 events */

struct worker_end {
	uint64_t running; /* the task whose strand runs; 0: none */
	uint64_t created; /* by its last creation */
	uint64_t last_units, n_ids;
};

struct ending {
	struct worker_end *worker; /* n_workers */
	uint32_t n_workers;
	struct map waiting; /* by id: 1 if it was created and has not begun, .. */
	struct map begun;   /* .. ids that another worker's stream says more of first */
};

static void set_of(struct map *map, uint64_t id, uint64_t value)
{
	uint64_t *at = map_put(map, id);

	*at = value;
}

/* Tasks that are not created by id, that have no code, or that begin by their name, are no such. */
static void see_creation(struct ending *ending, struct worker_end *worker,
			 const struct event *event)
{
	worker->created = site_flags(event->b) & WIRE_TASK_EMPTY ? 0 : event->made;
	if (worker->created)
		set_of(&ending->waiting, worker->created, 1);
}

uint64_t part_running(const struct event *event, uint64_t running)
{
	switch (event->kind) {
	case WIRE_ROOT:
	case WIRE_MEMBER:
	case WIRE_START:
		return event->made;
	case WIRE_BEGIN:
	case WIRE_RESUME:
		return event->b;
	case WIRE_CREATE:
	case WIRE_FORK:
	case WIRE_WAIT:
	case WIRE_YIELD:
	case WIRE_SIGNAL:
	case WIRE_END:
	case WIRE_LOST:
		return 0;
	default:
		return running;
	}
}

static void see_event(struct ending *ending, struct worker_end *worker, const struct event *event)
{
	worker->running = part_running(event, worker->running);
	switch (event->kind) {
	case WIRE_CREATE:
		see_creation(ending, worker, event);
		break;
	case WIRE_BEGIN:
	case WIRE_DISCARD:
		set_of(&ending->begun, event->b, 1);
		break;
	case WIRE_NAME:
		if (worker->created)
			set_of(&ending->begun, worker->created, 1);
		break;
	default:
		break;
	}
	worker->last_units = event->units;
	worker->n_ids = ids_after(event->kind, event->b, worker->n_ids);
}

static int see_worker(struct ending *ending, const struct reader *reader, uint32_t w,
		      struct err *err)
{
	const struct event *event;
	AT_END(cursor_close) struct cursor cursor;
	int more;

	cursor_open(&cursor, reader, w);
	if (reader_blocks(reader, w))
		ending->worker[w].n_ids = reader_block(reader, w, 0)->first_id;
	while ((more = cursor_next(&cursor, &event, err)) > 0)
		see_event(ending, &ending->worker[w], event);
	return more;
}

/* ---- what is written ---- */

struct written {
	struct wire_event *event;
	uint32_t n;
};

static void put_event(struct written *to, uint64_t units, unsigned kind, uint64_t b)
{
	to->event[to->n++] = (struct wire_event){ event_at(units, kind), b };
}

static void put_waiting(struct ending *ending, struct written *to, uint64_t units,
			struct part_end *end)
{
	const struct map *waiting = &ending->waiting;

	for (uint32_t i = 0; i < waiting->n_slots; i++) {
		if (!waiting->used[i] || map_find(&ending->begun, waiting->entry[i].key))
			continue;
		end->n_waiting++;
		if (end->n_waiting > WAITING_MOST) {
			end->n_untold++;
			continue;
		}
		put_event(to, units, WIRE_BEGIN, waiting->entry[i].key);
		put_event(to, units, WIRE_END, 0);
	}
}

/* The instant up to which all events are there; events of before it may have been overtaken. */
static uint64_t last_instant(const struct ending *ending, const struct reader *reader)
{
	uint64_t units = reader_defs(reader)->whole_units;

	for (uint32_t w = 0; w < ending->n_workers && !units; w++)
		if (ending->worker[w].last_units > units)
			units = ending->worker[w].last_units;
	return units;
}

static void put_worker(struct ending *ending, struct trace_file *file, struct encoder *encoder,
		       struct written *to, uint32_t w, uint32_t seqno)
{
	const struct worker_end *worker = &ending->worker[w];
	struct wire_block block = { .worker = w, .seqno = seqno };
	struct encode_source source = { .slot = to->event,
					.n = to->n,
					.last_units = worker->last_units,
					.n_ids = worker->n_ids };
	const void *body;
	int error = to->n ? encode_block(encoder, &source, &block, &body) : 0;

	if (error)
		trace_file_fail(file, -error, "cannot pack events");
	else if (to->n)
		trace_file_put(file, &block, body);
}

static void put_ends(struct ending *ending, struct trace_file *file, struct encoder *encoder,
		     const uint32_t *seqno, uint64_t units, struct part_end *end)
{
	struct written to = { .event = xcalloc(2 * WAITING_MOST + 4, sizeof(*to.event)) };
	bool told = false;

	for (uint32_t w = 0; w < ending->n_workers; w++) {
		const struct worker_end *worker = &ending->worker[w];

		to.n = 0;
		if (!seqno[w] || worker->last_units > units)
			continue;
		if (worker->running)
			put_event(&to, units, WIRE_SIGNAL, NOBODY);
		if (!told)
			put_waiting(ending, &to, units, end);
		told = true;
		if (worker->running)
			put_event(&to, units, WIRE_RESUME, worker->running);
		put_worker(ending, file, encoder, &to, w, seqno[w]);
	}
	free(to.event);
}

int part_end_put(struct trace_file *file, int fd, struct encoder *encoder, const uint32_t *seqno,
		 struct part_end *end, struct err *err)
{
	struct ending ending = { 0 };
	struct reader *reader;
	char path[40];
	int error;

	*end = (struct part_end){ 0 };
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	error = reader_open(&reader, path, err);
	if (error)
		return error;
	ending.n_workers = reader_facts(reader)->n_workers;
	ending.worker = xcalloc(ending.n_workers + 1ull, sizeof(*ending.worker));
	for (uint32_t w = 0; w < ending.n_workers && !error; w++)
		error = see_worker(&ending, reader, w, err);
	if (!error)
		put_ends(&ending, file, encoder, seqno, last_instant(&ending, reader), end);
	map_free(&ending.waiting);
	map_free(&ending.begun);
	free(ending.worker);
	reader_close(reader);
	return error;
}
