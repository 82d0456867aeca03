/* SPDX-License-Identifier: MIT */
/*
 * to_otf2.c - Open Trace Format 2, by its own library: a location a worker, with regions that are
 * entered and left, and the thread model's tasks; counters on a location of their own.  The ranks
 * of a job are one archive, with what they sent each other.
 *
 * A task is (rank of the worker that created it, how many it had created): the attribute "task" of
 * its events is the trace's id, or -1 - n (tables.h).  An archive is a folder.  libotf2 is under
 * the BSD licence.
 */
#include <errno.h>
#include <otf2/otf2.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "tools/export/creations.h"
#include "tools/base/xalloc.h"
#include "tools/export/format.h"
#include "tools/export/frames.h"
#include "tools/export/moments.h"
#include "tools/export/otf2_defs.h"
#include "tools/export/otf2_lib.h"
#include "tools/base/progress.h"
#include "tools/export/tables.h"

/* Bytes; each location has one of both, and the library touches all of it. */
#define CHUNK_EVENTS OTF2_CHUNK_SIZE_MIN
#define CHUNK_DEFS OTF2_CHUNK_SIZE_MIN

struct otf2 {
	/* of all processes */
	const char *path;
	OTF2_Archive *archive;
	struct otf2_defs defs;
	struct otf2_comms comms;
	OTF2_AttributeList *attributes;
	const struct job_times *times; /* NULL: of one */
	bool failed;
	/* of the one at hand */
	uint32_t process;
	const struct export *export;
	struct frames frames;
	struct creations creations;
	struct otf2_messages messages;
	uint32_t *generation; /* by task: its number among those of its creator, from 1 */
	OTF2_EvtWriter *writer;
	uint64_t last_ns; /* of the worker at hand */
};

/* What the library refuses first, and where it is left then. */
struct refused {
	jmp_buf back;
	OTF2_ErrorCode code;
};

/*
 * Called for each error, which the library would print.  What failed to write a buffer has freed
 * it, and writes it once more when the file is closed: nothing of the library is called from here
 * on, and what it has is left to the end of the process.
 */
static OTF2_ErrorCode leave(void *of, const char *file, uint64_t line, const char *function,
			    OTF2_ErrorCode code, const char *format, va_list values)
{
	struct refused *refused = of;

	(void)file;
	(void)line;
	(void)function;
	(void)format;
	(void)values;
	refused->code = code;
	longjmp(refused->back, 1);
}

static void check(struct otf2 *to, OTF2_ErrorCode code)
{
	to->failed |= code != OTF2_SUCCESS;
}

#define CALL(to, name, ...) check(to, otf2_lib.OTF2_##name(__VA_ARGS__))

static uint64_t archive_ns(const struct otf2 *to, uint64_t ns)
{
	return job_times_at(to->times, to->process, ns);
}

/* ---- tasks ---- */

/* The worker that counts the task as its own. */
static uint32_t creator_of(const struct export *export, task_id task)
{
	const struct dag *dag = export->dag;
	strand_id first = export->task[task].first;
	strand_id pred = first == STRAND_NONE ? STRAND_NONE : dag->strand[first].pred;

	if (pred != STRAND_NONE && !dag_is_node(dag, pred) && export_has(export, pred))
		return dag->strand[pred].worker;
	return dag->strand[first].worker;
}

static void number_tasks(struct otf2 *to)
{
	const struct export *export = to->export;
	FREED uint32_t *n = xcalloc(export->dag->n_slots + 1ull, sizeof(*n));

	to->generation = xcalloc(export->dag->n_tasks + 1ull, sizeof(*to->generation));
	for (task_id t = 0; t < export->dag->n_tasks; t++)
		if (export->task[t].kept && export->task[t].first != STRAND_NONE)
			to->generation[t] = ++n[creator_of(export, t)];
}

static void add_task_id(struct otf2 *to, task_id task)
{
	CALL(to, AttributeList_AddInt64, to->attributes, OTF2_DEFS_TASK,
	     tables_task_id(to->export, task));
}

/* How events name it. */
#define OF_TASK(to, task)                                                                          \
	otf2_defs_team(&(to)->defs), (to)->defs.rank[creator_of((to)->export, task)],              \
		(to)->generation[task]

static void put_created(struct otf2 *to, uint64_t ns, task_id task)
{
	task_id parent = to->export->task[task].creator;

	add_task_id(to, task);
	if (parent != TASK_NONE)
		CALL(to, AttributeList_AddInt64, to->attributes, OTF2_DEFS_PARENT,
		     tables_task_id(to->export, parent));
	CALL(to, EvtWriter_ThreadTaskCreate, to->writer, to->attributes, ns, OF_TASK(to, task));
}

static void put_creations(struct otf2 *to, strand_id s, uint64_t ns)
{
	uint64_t n;
	const struct creation *creation = creations_of(&to->creations, s, &n);

	for (uint64_t i = 0; i < n; i++)
		put_created(to, ns, creation[i].task);
}

/* The first strand of a task that no exported strand created. */
static bool is_orphan(const struct export *export, strand_id s)
{
	strand_id pred = export->dag->strand[s].pred;

	return export->task[export->dag->strand[s].task].first == s &&
	       (pred == STRAND_NONE || dag_is_node(export->dag, pred) || !export_has(export, pred));
}

static void put_switch(struct otf2 *to, uint64_t ns, task_id task)
{
	CALL(to, EvtWriter_ThreadTaskSwitch, to->writer, NULL, ns, OF_TASK(to, task));
}

/* The task is over with that strand. */
static void put_complete(struct otf2 *to, strand_id s, uint64_t ns)
{
	const struct dag *dag = to->export->dag;
	task_id task = dag->strand[s].task;

	if (to->export->task[task].last != s || !(dag->task_state[task] & TASK_ENDED))
		return;
	CALL(to, EvtWriter_ThreadTaskComplete, to->writer, NULL, ns, OF_TASK(to, task));
}

/* ---- slices ---- */

/* What the wait before the strand received. */
static void put_received(struct otf2 *to, enum slice_step step, strand_id s, uint64_t ns)
{
	const struct dag *dag = to->export->dag;
	strand_id before = dag->strand[s].pred;

	if (step != SLICE_LEAVE && before != STRAND_NONE && !dag_is_node(dag, before) &&
	    dag->strand[before].task == dag->strand[s].task)
		otf2_messages_end(&to->messages, before, ns);
}

static void put_otf2_step(void *context, enum slice_step step, strand_id s, uint64_t from_begin_ns)
{
	struct otf2 *to = context;
	uint64_t ns = to->last_ns = archive_ns(to, from_begin_ns);
	task_id task = to->export->dag->strand[s].task;
	uint32_t frame = frames_step(&to->frames, step, s);

	if (!frames_opens(step))
		put_received(to, step, s, ns);
	if (step == SLICE_ENTER && is_orphan(to->export, s))
		put_created(to, ns, task);
	if (step == SLICE_ENTER)
		put_switch(to, ns, task);
	if (step == SLICE_ENTER)
		add_task_id(to, task);
	if (frames_opens(step))
		CALL(to, EvtWriter_Enter, to->writer, to->attributes, ns, to->defs.region[frame]);
	else
		CALL(to, EvtWriter_Leave, to->writer, NULL, ns, to->defs.region[frame]);
	if (step == SLICE_RESUME)
		put_switch(to, ns, task);
	if (step == SLICE_LEAVE)
		put_complete(to, s, ns);
	if (step == SLICE_PAUSE || step == SLICE_LEAVE) {
		otf2_messages_begin(&to->messages, s, ns);
		put_creations(to, s, ns);
	}
	if (step == SLICE_ENTER)
		put_received(to, step, s, ns);
}

static int open_location(struct otf2 *to, uint32_t number)
{
	to->writer = otf2_lib.OTF2_Archive_GetEvtWriter(to->archive, to->defs.base + number);
	to->messages.writer = to->writer;
	return to->writer ? 0 : -EIO;
}

static void close_location(struct otf2 *to, uint32_t number)
{
	CALL(to, EvtWriter_GetNumberOfEvents, to->writer, &to->defs.n_events[number]);
	CALL(to, Archive_CloseEvtWriter, to->archive, to->writer);
}

static int put_worker(struct otf2 *to, struct slices *slices, uint32_t worker)
{
	int error = open_location(to, worker);

	if (error)
		return error;
	to->last_ns = 0;
	slices_each_of(slices, worker, put_otf2_step, to);
	otf2_messages_behind(&to->messages, worker, to->defs.rank[worker] == 0, to->last_ns);
	close_location(to, worker);
	return 0;
}

static int put_workers(struct otf2 *to)
{
	AT_END(slices_close) struct slices slices;
	int error = 0;

	slices_open(&slices, to->export);

	for (uint32_t w = 0; w < to->export->dag->n_slots && !error; w++)
		if (to->export->worker[w])
			error = put_worker(to, &slices, w);
	return error;
}

/* ---- counters ---- */

static void put_metric(struct otf2 *to, uint64_t ns, OTF2_MetricRef metric, uint64_t n)
{
	OTF2_Type type = OTF2_TYPE_UINT64;
	OTF2_MetricValue value = { .unsigned_int = n };

	CALL(to, EvtWriter_Metric, to->writer, NULL, archive_ns(to, ns), metric, 1, &type, &value);
}

static void on_count(void *context, enum moment_count what, uint32_t worker, uint64_t ns,
		     uint64_t n)
{
	struct otf2 *to = context;

	(void)worker;
	if (what == MOMENT_RUNNING)
		put_metric(to, ns, otf2_defs_running(&to->defs), n);
	else if (what == MOMENT_READY)
		put_metric(to, ns, otf2_defs_ready(&to->defs), n);
}

static int put_counters(struct otf2 *to)
{
	uint32_t location = to->export->dag->n_slots;
	struct moments of = { .context = to, .count = on_count };
	int error = open_location(to, location);

	if (error)
		return error;
	progress_stage(to->export->progress, "writing counters", 0);
	moments_tell(to->export, &of);
	close_location(to, location);
	return 0;
}

/* ---- the archive ---- */

static OTF2_FlushType before_flush(void *data, OTF2_FileType type, OTF2_LocationRef location,
				   void *caller, bool final)
{
	(void)data;
	(void)type;
	(void)location;
	(void)caller;
	(void) final;
	return OTF2_FLUSH;
}

/* When it is known what its first process is like. */
static int open_archive(struct otf2 *to, const struct export *export, uint32_t n_processes)
{
	static const OTF2_FlushCallbacks flush = { .otf2_pre_flush = before_flush };
	const struct job_times *times = to->times;
	uint64_t length_ns = times ? times->end_ns - times->begin_ns : export->dag->elapsed_ns;

	to->comms.first = n_processes;
	to->archive =
		otf2_lib.OTF2_Archive_Open(to->path, "traces", OTF2_FILEMODE_WRITE, CHUNK_EVENTS,
					   CHUNK_DEFS, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	if (!to->archive)
		return -EIO;
	CALL(to, Archive_SetFlushCallbacks, to->archive, &flush, NULL);
	CALL(to, Archive_SetSerialCollectiveCallbacks, to->archive);
	otf2_defs_describe(to->archive, export, n_processes);
	CALL(to, Archive_OpenEvtFiles, to->archive);
	return otf2_defs_open(&to->defs, to->archive, n_processes, length_ns)
		       ?: to->failed ? -EIO
				     : 0;
}

/* Readers want a file of definitions for each location, be it empty. */
static void put_local_definitions(struct otf2 *to)
{
	CALL(to, Archive_OpenDefFiles, to->archive);
	for (uint64_t i = 0; i < to->defs.n_locations; i++) {
		OTF2_DefWriter *writer =
			otf2_lib.OTF2_Archive_GetDefWriter(to->archive, to->defs.location[i]);

		if (writer)
			CALL(to, Archive_CloseDefWriter, to->archive, writer);
	}
	CALL(to, Archive_CloseDefFiles, to->archive);
}

static void free_process(struct otf2 *to)
{
	frames_free(&to->frames);
	creations_free(&to->creations);
	otf2_messages_free(&to->messages);
	free(to->generation);
	to->generation = NULL;
}

/* A process's events and definitions. */
static int add_process(struct otf2 *to, const struct export *export)
{
	int error;

	frames_find(&to->frames, export);

	to->export = export;
	creations_find(&to->creations, export);
	number_tasks(to);
	otf2_messages_find(&to->messages, &to->comms, export->dag);
	otf2_defs_begin(&to->defs, export, &to->frames);
	to->messages.times = to->times;
	to->messages.process = to->process;
	error = put_workers(to) ?: put_counters(to);
	if (!error)
		otf2_defs_end(&to->defs, to->times);
	to->failed |= to->messages.failed;
	free_process(to);
	return error;
}

static int end_archive(struct otf2 *to)
{
	CALL(to, Archive_CloseEvtFiles, to->archive);
	put_local_definitions(to);
	return otf2_defs_put(&to->defs, to->archive, &to->comms) ?: to->failed ? -EIO : 0;
}

static int write_whole(struct otf2 *to, int (*write)(struct otf2 *to, const void *of),
		       const void *of)
{
	int error = to->attributes ? write(to, of) ?: end_archive(to) : -EIO;

	if (to->archive && otf2_lib.OTF2_Archive_Close(to->archive) != OTF2_SUCCESS && !error)
		error = -EIO;
	otf2_lib.OTF2_AttributeList_Delete(to->attributes);
	return error;
}

/* Has the archive written, with all that the library says about it. */
static int write_archive(const char *path, int (*write)(struct otf2 *to, const void *of),
			 const void *of, struct err *err)
{
	struct otf2 to = { .path = path, .attributes = otf2_lib.OTF2_AttributeList_New() };
	struct refused refused = { .code = OTF2_SUCCESS };
	OTF2_ErrorCallback before = otf2_lib.OTF2_Error_RegisterCallback(leave, &refused);
	volatile int error = -EIO;

	if (setjmp(refused.back) == 0)
		error = write_whole(&to, write, of);
	if (error && !err->text[0])
		err_set(err, -error, "libotf2 cannot write: %s",
			refused.code == OTF2_SUCCESS
				? strerror(-error)
				: otf2_lib.OTF2_Error_GetDescription(refused.code));
	otf2_lib.OTF2_Error_RegisterCallback(before, NULL);
	otf2_defs_close(&to.defs);
	otf2_comms_free(&to.comms);
	free_process(&to);
	return error;
}

static int write_one(struct otf2 *to, const void *of)
{
	const struct export *export = of;

	return open_archive(to, export, 1) ?: add_process(to, export);
}

static int write_folder(const struct export *export, const char *path, struct err *err)
{
	return write_archive(path, write_one, export, err);
}

/* ---- a job ---- */

static int put_process(void *context, uint32_t i, const struct export *export)
{
	struct otf2 *to = context;
	int error = to->archive ? 0 : open_archive(to, export, to->times->n);

	to->process = i;
	return error ?: add_process(to, export);
}

/* Communicators have numbers before they have events. */
static int write_ranks(struct otf2 *to, const void *of)
{
	const struct format_job *job = of;
	int error = 0;

	otf2_comms_find(&to->comms, job->times);

	to->times = job->times;
	for (uint32_t i = 0; i < job->times->n && !error; i++)
		error = job->visit(job->context, i, put_process, to);
	return error;
}

static int write_job(const struct format_job *job, const char *path, FILE *out, struct err *err)
{
	(void)out;
	return write_archive(path, write_ranks, job, err);
}

const struct format format_otf2 = {
	.name = "otf2",
	.suffix = ".otf2",
	.reader = "Vampir, Cube or otf2-print (its file traces.otf2)",
	.load = otf2_lib_load,
	.folder = write_folder,
	.job = write_job,
};
