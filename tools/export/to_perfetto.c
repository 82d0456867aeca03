/* SPDX-License-Identifier: MIT */
/*
 * to_perfetto.c - Perfetto's protobuf: a track of nested slices a worker, arrows from create to
 * begin, counters of what runs, is ready and is lost.
 *
 * Field numbers are those of Perfetto's protos/perfetto/trace: trace_packet.proto, track_event/
 * track_event.proto, track_descriptor.proto, debug_annotation.proto, interned_data.proto.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/at_most.h"
#include "tools/base/order.h"
#include "tools/export/facts.h"
#include "tools/export/format.h"
#include "tools/export/frames.h"
#include "tools/export/moments.h"
#include "tools/base/progress.h"
#include "tools/export/protobuf.h"
#include "tools/summary/path_rows.h"

enum { TRACE_PACKET = 1 };
enum { /* TracePacket */
       PACKET_TIMESTAMP = 8,
       PACKET_SEQUENCE_ID = 10,
       PACKET_TRACK_EVENT = 11,
       PACKET_INTERNED_DATA = 12,
       PACKET_SEQUENCE_FLAGS = 13,
       PACKET_TRACK_DESCRIPTOR = 60
};
enum { SEQUENCE_CLEARED = 1, SEQUENCE_NEEDS_STATE = 2 };
enum { /* TrackDescriptor */
       TRACK_UUID = 1,
       TRACK_NAME = 2,
       TRACK_PROCESS = 3,
       TRACK_PARENT = 5,
       TRACK_COUNTER = 8,
       TRACK_CHILD_ORDERING = 11,
       TRACK_RANK = 12
};
enum { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum { ORDERING_EXPLICIT = 3 };
enum { /* TrackEvent */
       EVENT_ANNOTATION = 4,
       EVENT_TYPE = 9,
       EVENT_NAME_IID = 10,
       EVENT_TRACK = 11,
       EVENT_NAME = 23,
       EVENT_COUNTER = 30,
       EVENT_FLOW = 47,
       EVENT_FLOW_END = 48,
       EVENT_CALLSTACK = 56
};
enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4 };
enum { ANNOTATION_UINT = 3, ANNOTATION_TEXT = 6, ANNOTATION_NAME = 10, ANNOTATION_NAME_IID = 1 };
enum { /* InternedData */
       INTERNED_EVENT_NAME = 2,
       INTERNED_ANNOTATION_NAME = 3,
       INTERNED_FUNCTION = 5,
       INTERNED_FRAME = 6,
       INTERNED_CALLSTACK = 7
};
enum { INTERNED_IID = 1, INTERNED_TEXT = 2 };
enum { FRAME_FUNCTION = 2, STACK_FRAME = 2 };

/* Our tracks.  Those of workers are WORKER_FIRST + WORKER_TRACKS * worker + one of these. */
enum { UUID_PROCESS = 1, UUID_ABOUT, UUID_PATH, UUID_RUNNING, UUID_READY, UUID_LOST };
enum { ON_SLICES, ON_RUNNING, ON_READY, ON_LOST };
#define WORKER_FIRST 100u
#define WORKER_TRACKS 4u

enum { NAME_TASK_ID = 1 }; /* of an annotation */

struct perfetto {
	const struct export *export;
	FILE *out;
	struct frames frames;	 /* whose names are interned, by 1 + number; then "creates" */
	struct path_rows stacks; /* likewise, by path */
	struct protobuf packet, event, inner;
	bool begun, failed;
};

static uint64_t track_of(uint32_t worker, unsigned what)
{
	return WORKER_FIRST + (uint64_t)WORKER_TRACKS * worker + what;
}

/* ---- packets ---- */

static void put_packet(struct perfetto *to)
{
	protobuf_number(&to->packet, PACKET_SEQUENCE_ID, 1);
	protobuf_number(&to->packet, PACKET_SEQUENCE_FLAGS,
			to->begun ? SEQUENCE_NEEDS_STATE : SEQUENCE_CLEARED);
	to->begun = true;
	to->failed |= to->packet.failed;
	protobuf_write(to->out, TRACE_PACKET, &to->packet);
	protobuf_clear(&to->packet);
}

static void begin_event(struct perfetto *to, uint64_t track, unsigned type)
{
	protobuf_clear(&to->event);
	protobuf_number(&to->event, EVENT_TYPE, type);
	protobuf_number(&to->event, EVENT_TRACK, track);
}

static void end_event(struct perfetto *to, uint64_t ns)
{
	protobuf_number(&to->packet, PACKET_TIMESTAMP, ns);
	protobuf_message(&to->packet, PACKET_TRACK_EVENT, &to->event);
	put_packet(to);
}

static void put_counter(struct perfetto *to, uint64_t track, uint64_t ns, uint64_t value)
{
	begin_event(to, track, TYPE_COUNTER);
	protobuf_number(&to->event, EVENT_COUNTER, value);
	end_event(to, ns);
}

/* ---- tracks ---- */

static void begin_track(struct perfetto *to, uint64_t uuid, const char *name, uint64_t parent,
			uint64_t rank)
{
	protobuf_clear(&to->event);
	protobuf_number(&to->event, TRACK_UUID, uuid);
	protobuf_text(&to->event, TRACK_NAME, name);
	if (!parent)
		return;
	protobuf_number(&to->event, TRACK_PARENT, parent);
	protobuf_number(&to->event, TRACK_RANK, rank);
}

static void end_track(struct perfetto *to)
{
	protobuf_number(&to->event, TRACK_CHILD_ORDERING, ORDERING_EXPLICIT);
	protobuf_message(&to->packet, PACKET_TRACK_DESCRIPTOR, &to->event);
	put_packet(to);
}

static void put_track(struct perfetto *to, uint64_t uuid, const char *name, uint64_t parent,
		      uint64_t rank)
{
	begin_track(to, uuid, name, parent, rank);
	end_track(to);
}

static void put_counter_track(struct perfetto *to, uint64_t uuid, const char *name, uint64_t parent,
			      uint64_t rank)
{
	begin_track(to, uuid, name, parent, rank);
	protobuf_clear(&to->inner);
	protobuf_message(&to->event, TRACK_COUNTER, &to->inner);
	end_track(to);
}

static void put_process(struct perfetto *to)
{
	const char *command = facts_find(to->export, "command");
	const char *pid = facts_find(to->export, "pid");

	if (!*command)
		command = facts_find(to->export, "trace");
	begin_track(to, UUID_PROCESS, command, 0, 0);
	protobuf_clear(&to->inner);
	protobuf_number(&to->inner, PROCESS_PID, *pid ? strtoull(pid, NULL, 10) & INT32_MAX : 1);
	protobuf_text(&to->inner, PROCESS_NAME, command);
	protobuf_message(&to->event, TRACK_PROCESS, &to->inner);
	end_track(to);
}

static void put_worker_tracks(struct perfetto *to, uint32_t worker)
{
	uint64_t rank = worker + 10ull;
	char name[40];

	snprintf(name, sizeof(name), "worker %u", worker);
	put_track(to, track_of(worker, ON_SLICES), name, UUID_PROCESS, rank);
	snprintf(name, sizeof(name), "running on worker %u", worker);
	put_counter_track(to, track_of(worker, ON_RUNNING), name, track_of(worker, ON_SLICES), 1);
	snprintf(name, sizeof(name), "ready, held by worker %u", worker);
	put_counter_track(to, track_of(worker, ON_READY), name, track_of(worker, ON_SLICES), 2);
	snprintf(name, sizeof(name), "events lost on worker %u", worker);
	put_counter_track(to, track_of(worker, ON_LOST), name, track_of(worker, ON_SLICES), 3);
}

static void put_tracks(struct perfetto *to)
{
	put_process(to);
	put_track(to, UUID_ABOUT, "about this export", UUID_PROCESS, 1);
	put_counter_track(to, UUID_RUNNING, "running", UUID_PROCESS, 2);
	put_counter_track(to, UUID_READY, "ready", UUID_PROCESS, 3);
	put_counter_track(to, UUID_LOST, "events lost", UUID_PROCESS, 4);
	put_track(to, UUID_PATH, "ready path", UUID_PROCESS, 5);
	for (uint32_t w = 0; w < to->export->dag->n_slots; w++)
		if (to->export->worker[w])
			put_worker_tracks(to, w);
}

static void put_facts(struct perfetto *to)
{
	begin_event(to, UUID_ABOUT, TYPE_INSTANT);
	protobuf_text(&to->event, EVENT_NAME, "tptrace export");
	for (uint32_t i = 0; i < to->export->n_facts; i++) {
		protobuf_clear(&to->inner);
		protobuf_text(&to->inner, ANNOTATION_NAME, to->export->fact[i].key);
		protobuf_text(&to->inner, ANNOTATION_TEXT, to->export->fact[i].value);
		protobuf_message(&to->event, EVENT_ANNOTATION, &to->inner);
	}
	end_event(to, 0);
}

/* ---- names and stacks, which events refer to by number ---- */

static void intern(struct perfetto *to, uint32_t field, uint64_t iid, const char *text)
{
	protobuf_clear(&to->inner);
	protobuf_number(&to->inner, INTERNED_IID, iid);
	protobuf_text(&to->inner, INTERNED_TEXT, text);
	protobuf_message(&to->event, field, &to->inner);
}

/* A kind's function and its frame have the kind's number; a path's stack has that of the path. */
static void intern_stacks(struct perfetto *to)
{
	const struct export *export = to->export;
	uint32_t chain[PATHS_DEEPEST];

	for (kind_id k = 0; k < export->dag->n_kinds; k++) {
		intern(to, INTERNED_FUNCTION, k + 1ull, export->name[k]);
		protobuf_clear(&to->inner);
		protobuf_number(&to->inner, INTERNED_IID, k + 1ull);
		protobuf_number(&to->inner, FRAME_FUNCTION, k + 1ull);
		protobuf_message(&to->event, INTERNED_FRAME, &to->inner);
	}
	for (uint32_t p = 0; p < to->stacks.paths.n; p++) {
		uint32_t n = path_chain(&to->stacks, p, chain);

		protobuf_clear(&to->inner);
		protobuf_number(&to->inner, INTERNED_IID, p + 1ull);
		for (uint32_t i = 0; i < n; i++)
			protobuf_number(&to->inner, STACK_FRAME,
					to->stacks.paths.path[chain[i]].kind + 1ull);
		protobuf_message(&to->event, INTERNED_CALLSTACK, &to->inner);
	}
}

static void put_interned(struct perfetto *to)
{
	char name[EXPORT_NAME];

	protobuf_clear(&to->event);
	for (uint32_t f = 0; f < to->frames.n; f++)
		intern(to, INTERNED_EVENT_NAME, f + 1ull, frames_name(&to->frames, f, name));
	intern(to, INTERNED_EVENT_NAME, to->frames.n + 1ull, "creates");
	intern(to, INTERNED_ANNOTATION_NAME, NAME_TASK_ID, "task");
	intern_stacks(to);
	protobuf_message(&to->packet, PACKET_INTERNED_DATA, &to->event);
	put_packet(to);
}

/* ---- slices ---- */

/* An arrow leaves from the end of what it is drawn from: from an instant without any length. */
static void put_create(struct perfetto *to, strand_id first)
{
	const struct dag *dag = to->export->dag;
	strand_id creating = dag->strand[first].pred;

	begin_event(to, track_of(dag->strand[creating].worker, ON_SLICES), TYPE_INSTANT);
	protobuf_number(&to->event, EVENT_NAME_IID, to->frames.n + 1ull);
	protobuf_fixed64(&to->event, EVENT_FLOW, dag->strand[first].task + 1ull);
	end_event(to, dag_end(dag, creating));
}

static void put_task_id(struct perfetto *to, task_id task)
{
	char id[EXPORT_ID];

	protobuf_clear(&to->inner);
	protobuf_number(&to->inner, ANNOTATION_NAME_IID, NAME_TASK_ID);
	protobuf_text(&to->inner, ANNOTATION_TEXT, export_id(to->export, task, id));
	protobuf_message(&to->event, EVENT_ANNOTATION, &to->inner);
}

static bool has_creator(const struct export *export, strand_id s)
{
	strand_id pred = export->dag->strand[s].pred;

	return export->dag->how[s] & STRAND_FIRST && pred != STRAND_NONE &&
	       export_has(export, pred);
}

static void enter(struct perfetto *to, strand_id s)
{
	task_id task = to->export->dag->strand[s].task;

	put_task_id(to, task);
	protobuf_number(&to->event, EVENT_CALLSTACK, to->stacks.paths.of_task[task] + 1ull);
	if (has_creator(to->export, s))
		protobuf_fixed64(&to->event, EVENT_FLOW_END, task + 1ull);
}

static int put_step(struct perfetto *to, enum slice_step step, strand_id s, uint64_t ns)
{
	uint64_t track = track_of(to->export->dag->strand[s].worker, ON_SLICES);
	uint32_t frame = frames_step(&to->frames, step, s);

	if (frame == UINT32_MAX)
		return -ENOMEM;
	if (step == SLICE_ENTER && has_creator(to->export, s))
		put_create(to, s);
	begin_event(to, track, frames_opens(step) ? TYPE_BEGIN : TYPE_END);
	if (frames_opens(step))
		protobuf_number(&to->event, EVENT_NAME_IID, frame + 1ull);
	if (step == SLICE_ENTER)
		enter(to, s);
	end_event(to, ns);
	progress_add(to->export->progress, step == SLICE_PAUSE || step == SLICE_LEAVE);
	return 0;
}

static int put_workers(struct perfetto *to)
{
	struct slices slices;
	enum slice_step step;
	int error = slices_open(&slices, to->export);

	for (uint32_t w = 0; w < to->export->dag->n_slots && !error; w++) {
		slices_worker(&slices, w);
		while (!error && (step = slices_next(&slices)) != SLICE_OVER)
			error = put_step(to, step, slices.strand, slices.ns);
	}
	slices_close(&slices);
	return error;
}

static void put_path(struct perfetto *to)
{
	const struct export *export = to->export;
	char name[EXPORT_NAME];

	for (uint32_t i = 0; i < export->path.n; i++) {
		strand_id s = export->path.strand[i];

		if (!export_has(export, s))
			continue;
		begin_event(to, UUID_PATH, TYPE_BEGIN);
		protobuf_text(&to->event, EVENT_NAME, export_name(export, s, name));
		end_event(to, dag_start(export->dag, s));
		begin_event(to, UUID_PATH, TYPE_END);
		end_event(to, dag_end(export->dag, s));
	}
}

/* ---- counters ---- */

static void on_running(void *to, uint64_t ns, uint64_t n)
{
	put_counter(to, UUID_RUNNING, ns, n);
}

static void on_ready(void *to, uint64_t ns, uint64_t n)
{
	put_counter(to, UUID_READY, ns, n);
}

static void on_held(void *to, uint64_t ns, uint32_t worker, uint64_t n)
{
	put_counter(to, track_of(worker, ON_READY), ns, n);
}

static void on_busy(void *to, uint64_t ns, uint32_t worker, bool busy)
{
	put_counter(to, track_of(worker, ON_RUNNING), ns, busy);
}

static int by_time(const void *a, const void *b)
{
	const struct gap *x = *(const struct gap *const *)a, *y = *(const struct gap *const *)b;

	return order_least(x->until_ns, y->until_ns);
}

/* Events are counted as lost when they are there again. */
static int put_lost(struct perfetto *to)
{
	const struct dag *dag = to->export->dag;
	const struct gap **gap = malloc((dag->n_gaps + 1) * sizeof(*gap));
	uint64_t *lost = calloc(dag->n_slots + 1ull, sizeof(*lost)), all = 0, n = 0;

	for (uint64_t i = 0; gap && i < dag->n_gaps; i++)
		if (dag->gap[i].why != WIRE_LOSS_STOPPED && dag->gap[i].worker < dag->n_slots)
			gap[n++] = &dag->gap[i];
	qsort(gap, n, sizeof(*gap), by_time);
	put_counter(to, UUID_LOST, 0, 0);
	for (uint64_t i = 0; lost && i < n; i++) {
		uint64_t ns = at_most(dag->elapsed_ns, gap[i]->until_ns);

		lost[gap[i]->worker] += gap[i]->n;
		all += gap[i]->n;
		put_counter(to, UUID_LOST, ns, all);
		if (to->export->worker[gap[i]->worker])
			put_counter(to, track_of(gap[i]->worker, ON_LOST), ns,
				    lost[gap[i]->worker]);
	}
	int error = gap && lost ? 0 : -ENOMEM;

	free(lost);
	free(gap);
	return error;
}

static int put_counter_tracks(struct perfetto *to)
{
	struct moments of = { .context = to,
			      .running = on_running,
			      .ready = on_ready,
			      .held = on_held,
			      .busy = on_busy };

	if (put_lost(to) < 0)
		return -ENOMEM;
	progress_stage(to->export->progress, "writing counters", 0);
	return moments_tell(to->export, &of);
}

static int write_all(struct perfetto *to)
{
	int error;

	put_interned(to);
	put_tracks(to);
	put_facts(to);
	error = put_workers(to);
	if (error)
		return error;
	put_path(to);
	error = put_counter_tracks(to);
	return error ? error : to->failed ? -ENOMEM : 0;
}

static int write_perfetto(const struct export *export, FILE *out, struct err *err)
{
	struct perfetto to = { .export = export, .out = out };
	int error = path_rows_build(&to.stacks, export->summary);

	if (!error)
		error = frames_find(&to.frames, export);
	if (!error)
		error = write_all(&to);
	if (error)
		err_no_memory(err);
	path_rows_free(&to.stacks);
	frames_free(&to.frames);
	protobuf_free(&to.packet);
	protobuf_free(&to.event);
	protobuf_free(&to.inner);
	return error;
}

const struct format format_perfetto = {
	.name = "perfetto",
	.suffix = ".pftrace",
	.reader = "https://ui.perfetto.dev",
	.binary = true,
	.file = write_perfetto,
};
