/* SPDX-License-Identifier: MIT */
/*
 * to_perfetto.c - Perfetto's protobuf: a track of nested slices a worker, arrows from create to
 * begin, counters of what runs, is ready and is lost.  The ranks of a job are processes of one
 * file, each a sequence of packets, with arrows for messages.
 */
#include <stdlib.h>

#include "tools/base/at_most.h"
#include "tools/base/map.h"
#include "tools/base/order.h"
#include "tools/base/xalloc.h"
#include "tools/export/format.h"
#include "tools/export/moments.h"
#include "tools/export/perfetto.h"
#include "tools/base/progress.h"
#include "tools/run/identity.h"

enum { NAME_TASK_ID = 1, NAME_RANK, NAME_TAG, NAME_BYTES, NAMES }; /* of an annotation */
static const char *const annotations[NAMES] = {
	[NAME_TASK_ID] = "task", [NAME_RANK] = "rank", [NAME_TAG] = "tag", [NAME_BYTES] = "bytes"
};

/* What instants are, by number behind those of frames. */
enum { INSTANT_CREATES, INSTANT_SENDS, INSTANT_RECEIVES, INSTANT_GOES_ON, INSTANTS };
static const char *const instants[INSTANTS] = { [INSTANT_CREATES] = "creates",
						[INSTANT_SENDS] = "sends",
						[INSTANT_RECEIVES] = "receives",
						[INSTANT_GOES_ON] = "goes on" };

static uint64_t task_flow(const struct perfetto *to, task_id task)
{
	return to->process << PROCESS_FLOWS | (task + 1ull);
}

/* ---- names and stacks, which events refer to by number ---- */

static uint64_t instant_name(const struct perfetto *to, unsigned instant)
{
	return to->frames.n + 1ull + instant;
}

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
	for (unsigned i = 0; i < INSTANTS; i++)
		intern(to, INTERNED_EVENT_NAME, instant_name(to, i), instants[i]);
	for (unsigned i = NAME_TASK_ID; i < NAMES; i++)
		intern(to, INTERNED_ANNOTATION_NAME, i, annotations[i]);
	intern_stacks(to);
	protobuf_message(&to->packet, PACKET_INTERNED_DATA, &to->event);
	perfetto_packet(to);
}

/* ---- slices ---- */

/* An arrow leaves from the end of what it is drawn from: from an instant without any length. */
static void put_create(struct perfetto *to, strand_id first)
{
	const struct dag *dag = to->export->dag;
	strand_id creating = dag->strand[first].pred;

	perfetto_begin(to, perfetto_worker(to, dag->strand[creating].worker, ON_SLICES),
		       TYPE_INSTANT);
	protobuf_number(&to->event, EVENT_NAME_IID, instant_name(to, INSTANT_CREATES));
	protobuf_fixed64(&to->event, EVENT_FLOW, task_flow(to, dag->strand[first].task));
	perfetto_end(to, dag_end(dag, creating));
}

static void put_task_id(struct perfetto *to, task_id task)
{
	char id[EXPORT_ID];

	protobuf_clear(&to->inner);
	protobuf_number(&to->inner, ANNOTATION_NAME_IID, NAME_TASK_ID);
	protobuf_text(&to->inner, ANNOTATION_TEXT, export_id(to->export, task, id));
	protobuf_message(&to->event, EVENT_ANNOTATION, &to->inner);
}

static void enter(struct perfetto *to, strand_id s)
{
	task_id task = to->export->dag->strand[s].task;

	put_task_id(to, task);
	protobuf_number(&to->event, EVENT_CALLSTACK, to->stacks.paths.of_task[task] + 1ull);
	if (export_creator(to->export, s) != STRAND_NONE)
		protobuf_fixed64(&to->event, EVENT_FLOW_END, task_flow(to, task));
}

static void put_step(void *context, enum slice_step step, strand_id s, uint64_t ns)
{
	struct perfetto *to = context;
	uint64_t uuid = perfetto_worker(to, to->export->dag->strand[s].worker, ON_SLICES);
	uint32_t frame = frames_step(&to->frames, step, s);

	if (step == SLICE_ENTER && export_creator(to->export, s) != STRAND_NONE)
		put_create(to, s);
	perfetto_begin(to, uuid, frames_opens(step) ? TYPE_BEGIN : TYPE_END);
	if (frames_opens(step))
		protobuf_number(&to->event, EVENT_NAME_IID, frame + 1ull);
	if (step == SLICE_ENTER)
		enter(to, s);
	perfetto_end(to, ns);
}

static void put_path(struct perfetto *to)
{
	const struct export *export = to->export;
	char name[EXPORT_NAME];

	for (uint32_t i = 0; i < export->path.n; i++) {
		strand_id s = export->path.strand[i];

		if (!export_has(export, s))
			continue;
		perfetto_begin(to, perfetto_track(to, UUID_PATH), TYPE_BEGIN);
		protobuf_text(&to->event, EVENT_NAME, export_name(export, s, name));
		perfetto_end(to, dag_start(export->dag, s));
		perfetto_begin(to, perfetto_track(to, UUID_PATH), TYPE_END);
		perfetto_end(to, dag_end(export->dag, s));
	}
}

/* ---- messages ---- */

/* Both ends of a message make the same of it, and all of a call that sends from a root.  0: it is
 * not known. */
static uint64_t message_flow(const struct perfetto *to, const struct dag_message *message)
{
	bool sent = message->field == WIRE_MESSAGE_TO, rooted = message->field > WIRE_MESSAGE_FROM;
	const struct job_times *times = to->times;
	uint64_t own = to->rank, other = message->rank; /* also a root */
	uint32_t comm = message->comm;

	if (times) {
		const struct job_rank *rank = &times->rank[to->process];

		own = job_rank_id(rank->world, rank->rank);
		other = job_other(&times->match, rank, message->field, message->rank, &comm);
	}
	const uint64_t part[] = { rooted,
				  comm,
				  message->order,
				  sent ? own : other,
				  sent	   ? other
				  : rooted ? 0
					   : own,
				  rooted ? 0 : message->tag };
	uint64_t hash = MAP_HASH;

	for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++)
		hash = map_hash_number(hash, part[i]);
	return comm && message->order ? FLOW_OF_MESSAGE | hash : 0;
}

static void annotate(struct perfetto *to, unsigned name, uint64_t value)
{
	protobuf_clear(&to->inner);
	protobuf_number(&to->inner, ANNOTATION_NAME_IID, name);
	protobuf_number(&to->inner, ANNOTATION_UINT, value);
	protobuf_message(&to->event, EVENT_ANNOTATION, &to->inner);
}

/* One end: it is sent as the call begins, and received as it ends. */
static void put_message(struct perfetto *to, const struct dag_message *message, uint64_t uuid)
{
	bool rooted = message->field == WIRE_MESSAGE_FROM_ROOT;
	bool sends = rooted ? message->rank == to->rank : message->field == WIRE_MESSAGE_TO;
	uint64_t flow = message_flow(to, message);

	if (message->again || (message->field > WIRE_MESSAGE_FROM && !rooted))
		return; /* it has its arrow, or each waits for others: there is none */
	perfetto_begin(to, uuid, TYPE_INSTANT);
	protobuf_number(&to->event, EVENT_NAME_IID,
			instant_name(to, sends ? INSTANT_SENDS : INSTANT_RECEIVES));
	annotate(to, NAME_RANK, message->rank);
	if (message->tag)
		annotate(to, NAME_TAG, message->tag - 1);
	annotate(to, NAME_BYTES, message->bytes);
	if (flow)
		protobuf_fixed64(&to->event, sends ? EVENT_FLOW : EVENT_FLOW_END, flow);
	perfetto_end(to, sends ? message->begin_ns : message->end_ns);
}

static void put_messages(struct perfetto *to)
{
	const struct export *export = to->export;
	const struct dag *dag = export->dag;

	for (uint64_t i = 0; i < dag->n_messages; i++) {
		const struct dag_message *message = &dag->message[i];
		strand_id s = message->strand;

		if (s == STRAND_NONE)
			put_message(to, message, perfetto_track(to, UUID_PROCESS));
		else if (export_has(export, s))
			put_message(to, message,
				    perfetto_worker(to, dag->strand[s].worker, ON_SLICES));
	}
}

/* ---- operations ---- */

/* An arrow leads from where it ends to where its task goes on. */
static void put_operation(struct perfetto *to, uint64_t i)
{
	const struct operation *of = &to->operations.of[i];
	const struct dag *dag = to->export->dag;
	uint64_t uuid = perfetto_track(to, OPERATION_FIRST + of->lane);
	uint64_t flow = FLOW_OF_OPERATION | to->process << PROCESS_FLOWS | i;
	bool waited = of->waiter != STRAND_NONE && export_has(to->export, of->waiter);

	perfetto_begin(to, uuid, TYPE_BEGIN);
	protobuf_text(&to->event, EVENT_NAME, operation_name(to->export, of));
	if (of->its->task != TASK_NONE)
		put_task_id(to, of->its->task);
	if (of->its->bytes)
		annotate(to, NAME_BYTES, of->its->bytes);
	if (waited)
		protobuf_fixed64(&to->event, EVENT_FLOW, flow);
	perfetto_end(to, of->its->begin_ns);
	perfetto_begin(to, uuid, TYPE_END);
	perfetto_end(to, of->its->end_ns);
	if (!waited)
		return;
	perfetto_begin(to, perfetto_worker(to, dag->strand[of->waiter].worker, ON_SLICES),
		       TYPE_INSTANT);
	protobuf_number(&to->event, EVENT_NAME_IID, instant_name(to, INSTANT_GOES_ON));
	protobuf_fixed64(&to->event, EVENT_FLOW_END, flow);
	perfetto_end(to, dag_start(dag, of->waiter));
}

/* ---- counters ---- */

static void on_count(void *to, enum moment_count what, uint32_t worker, uint64_t ns, uint64_t n)
{
	bool ready = what == MOMENT_READY || what == MOMENT_HELD;
	uint64_t track = what == MOMENT_RUNNING || what == MOMENT_READY
				 ? perfetto_track(to, ready ? UUID_READY : UUID_RUNNING)
				 : perfetto_worker(to, worker, ready ? ON_READY : ON_RUNNING);

	perfetto_count(to, track, ns, n);
}

static int by_time(const void *a, const void *b)
{
	const struct gap *x = *(const struct gap *const *)a, *y = *(const struct gap *const *)b;

	return order_least(x->until_ns, y->until_ns);
}

/* Events are counted as lost when they are there again. */
static void put_lost(struct perfetto *to)
{
	const struct dag *dag = to->export->dag;
	FREED const struct gap **gap = xmalloc((dag->n_gaps + 1) * sizeof(*gap));
	FREED uint64_t *lost = xcalloc(dag->n_slots + 1ull, sizeof(*lost));
	uint64_t all = 0, n = 0;

	for (uint64_t i = 0; i < dag->n_gaps; i++)
		if (dag->gap[i].why != WIRE_LOSS_STOPPED && dag->gap[i].worker < dag->n_slots)
			gap[n++] = &dag->gap[i];
	qsort(gap, n, sizeof(*gap), by_time);
	perfetto_count(to, perfetto_track(to, UUID_LOST), 0, 0);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t ns = at_most(dag->elapsed_ns, gap[i]->until_ns);

		lost[gap[i]->worker] += gap[i]->n;
		all += gap[i]->n;
		perfetto_count(to, perfetto_track(to, UUID_LOST), ns, all);
		if (to->export->worker[gap[i]->worker])
			perfetto_count(to, perfetto_worker(to, gap[i]->worker, ON_LOST), ns,
				       lost[gap[i]->worker]);
	}
}

static void put_counter_tracks(struct perfetto *to)
{
	struct moments of = { .context = to, .count = on_count };

	put_lost(to);
	progress_stage(to->export->progress, "writing counters", 0);
	moments_tell(to->export, &of);
}

static void write_all(struct perfetto *to)
{
	put_interned(to);
	perfetto_tracks(to);
	perfetto_facts(to);
	slices_each(to->export, put_step, to);
	put_messages(to);
	for (uint64_t i = 0; i < to->operations.n; i++)
		put_operation(to, i);
	put_path(to);
	put_counter_tracks(to);
}

static void add_process(struct perfetto *to, const struct export *export)
{
	path_rows_build(&to->stacks, export->summary);
	to->export = export;
	to->rank = identity_of(export->run->reader).rank;
	to->begun = false;
	frames_find(&to->frames, export);
	operations_find(&to->operations, export);
	write_all(to);
	path_rows_free(&to->stacks);
	operations_free(&to->operations);
	frames_free(&to->frames);
}

static void close_perfetto(struct perfetto *to)
{
	protobuf_free(&to->packet);
	protobuf_free(&to->event);
	protobuf_free(&to->inner);
}

static void write_perfetto(const struct export *export, FILE *out)
{
	AT_END(close_perfetto) struct perfetto to = { .out = out };

	add_process(&to, export);
}

/* ---- a job ---- */

static int put_rank(void *context, uint32_t i, const struct export *export)
{
	struct perfetto *to = context;

	to->process = i;
	add_process(to, export);
	return 0;
}

static int write_job(const struct format_job *job, const char *path, FILE *out, struct err *err)
{
	AT_END(close_perfetto) struct perfetto to = { .out = out, .times = job->times };
	int error = 0;

	(void)path;
	(void)err;
	for (uint32_t i = 0; i < job->times->n && !error; i++)
		error = job->visit(job->context, i, put_rank, &to);
	return error;
}

const struct format format_perfetto = {
	.name = "perfetto",
	.suffix = ".pftrace",
	.reader = "https://ui.perfetto.dev",
	.binary = true,
	.file = write_perfetto,
	.job = write_job,
};
