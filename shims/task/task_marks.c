/* SPDX-License-Identifier: MIT */
/*
 * task_marks.c - the marks of tptrace_task.h.
 *
 * Hot path, a task: mark_create(), task_leaves(); mark_begin(), mark_end(); mark_wait();
 * mark_resume(). 75 lines.
 *
 * While a task has left its code worker->task has STAY_CLOSED, so that marks of a thread that is
 * in the runtime are told from those of a task.
 */
#include "shims/task/task.h"

#include "preload/poison.h"

/* Hot path: whether a strand runs here. */
static inline bool is_inside(const struct worker *worker)
{
	return worker_state(worker) == WORKER_INSIDE;
}

/* Hot path: whether the thread is between strands: in the runtime, or in no task.  A
 * signal handler that interrupts a mark finds neither. */
static inline bool is_between(const struct worker *worker)
{
	return !worker->task || worker->task & STAY_CLOSED;
}

/* ---- what leaves a task's code ---- */

/* Hot path: the worker whose task makes the mark, or that is in none; NULL: record nothing. */
static inline struct worker *leaving(struct worker *worker, struct tptrace_here *here)
{
	here->task = HANDLE_UNRECORDED;
	if (__builtin_expect(!worker || is_inside(worker) || !worker->task, 1))
		return worker;
	if (worker->task & STAY_CLOSED)
		task_misused(TASK_LEAVES_NOTHING);
	return NULL;
}

/* Hot path: after the event that ends its strand. */
static inline void task_leaves(struct worker *worker, struct tptrace_here *here)
{
	here->task = handle_of(worker->task);
	here->left = worker;
	worker->task |= STAY_CLOSED;
}

static void mark_create(struct tptrace_runtime *runtime, tptrace_task_t *task,
			struct tptrace_here *here, tptrace_code_t code, const void *site)
{
	struct callsite *callsite = task_callsite(
		runtime, site ? site : __builtin_return_address(0), (void *)(uintptr_t)code);
	struct worker *worker = leaving(callsite_worker(callsite), here);
	record_id id;

	*task = HANDLE_UNRECORDED;
	if (!worker)
		return;
	id = record_create(worker, callsite->site, 0);
	record_detail(worker, WIRE_NAME, name_of(id));
	task_leaves(worker, here);
	*task = handle_of(id);
}

/* The name or 0, for what the task waits for. */
static uint64_t wanted_name(tptrace_task_t task)
{
	record_id id = handle_id(task);

	if (id)
		return name_of(id);
	if (!task)
		task_misused(TASK_UNKNOWN);
	return 0;
}

static void wait_for_name(struct worker *worker, uint32_t site, enum wire_wait wait, uint64_t name)
{
	record_wait(worker, site, wait);
	if (name)
		record_detail(worker, WIRE_OBJECT, name);
}

static void mark_wait(struct tptrace_runtime *runtime, struct tptrace_here *here, int what,
		      uint64_t object, const void *site)
{
	struct callsite *callsite =
		task_callsite(runtime, site ? site : __builtin_return_address(0), NULL);
	struct worker *worker = leaving(callsite_worker(callsite), here);

	if (!worker)
		return;
	switch (what) {
	case TPTRACE_WAIT_CHILDREN:
		record_wait(worker, callsite->site, WIRE_WAIT_CHILDREN);
		break;
	case TPTRACE_WAIT_TASK:
		wait_for_name(worker, callsite->site, WIRE_WAIT_NAMED, wanted_name(object));
		break;
	case TPTRACE_WAIT_GROUP:
		wait_for_name(worker, callsite->site, WIRE_WAIT_BAG, object);
		break;
	case TPTRACE_WAIT_OBJECT:
		wait_for_name(worker, callsite->site, WIRE_WAIT_NAMED, object);
		break;
	case TPTRACE_WAIT_LOCK:
		wait_for_name(worker, callsite->site, WIRE_WAIT_OBJECT, object);
		break;
	case TPTRACE_WAIT_BARRIER:
		wait_for_name(worker, callsite->site, WIRE_WAIT_BARRIER, object);
		break;
	case TPTRACE_WAIT_DEVICE:
		record_wait(worker, callsite->site, WIRE_WAIT_DEVICE);
		break;
	default: /* a yield, or of a later header */
		record_end_strand(worker, WIRE_YIELD, callsite->site);
	}
	task_leaves(worker, here);
}

/* A task that nothing created begins. */
static record_id begin_root(struct worker *worker)
{
	return record_begin_new(worker, WIRE_ROOT, 0);
}

/* By a thread that is in no task's code: a task without code does it. */
static void release_outside(struct worker *worker, uint64_t object)
{
	record_id before = worker->task, root = begin_root(worker);

	record_event(worker, WIRE_SIGNAL, object);
	record_resume(worker, root);
	record_end(worker, before);
}

static void mark_release(struct tptrace_here *here, uint64_t object)
{
	struct worker *worker = record_worker();

	here->task = HANDLE_UNRECORDED;
	if (!worker)
		return;
	if (!is_inside(worker)) {
		if (is_between(worker))
			release_outside(worker, object);
		return;
	}
	record_event(worker, WIRE_SIGNAL, object);
	task_leaves(worker, here);
}

/* ---- what enters it ---- */

/* Hot path: the task that runs here, if one does, lets another run.  Whether one did. */
static inline bool step_aside(struct worker *worker)
{
	if (__builtin_expect(!is_inside(worker), 1))
		return false;
	record_event(worker, WIRE_YIELD, 0);
	return true;
}

static void mark_resume(struct tptrace_here *here)
{
	struct worker *worker = record_worker();
	record_id task = handle_id(here->task);
	bool is_left = here->task != 0;

	here->task = 0;
	if (!worker)
		return;
	if (__builtin_expect(!task || worker->task == task, 0)) {
		if (!is_left || task)
			task_misused(TASK_RESUMES_NOTHING);
		return;
	}
	step_aside(worker);
	stay_resume_from(worker, here->left, task);
}

/* A task that is not known begins as one that nothing created. */
static record_id begin_unknown(struct worker *worker, const tptrace_task_t *task)
{
	if (!*task || *task & HANDLE_BEGUN)
		task_misused(TASK_BEGINS_AGAIN);
	return begin_root(worker);
}

/* On top of what its thread is in. */
static void mark_begin(tptrace_task_t *task, struct tptrace_here *here)
{
	struct worker *worker = record_worker();
	record_id id = *task & HANDLE_BEGUN ? 0 : handle_id(*task);

	here->task = HANDLE_UNRECORDED;
	if (!worker || !(is_between(worker) || is_inside(worker)))
		return;
	here->below = worker->task;
	here->left = step_aside(worker) ? worker : NULL;
	if (__builtin_expect(id != 0, 1))
		record_begin(worker, id);
	else
		id = begin_unknown(worker, task);
	*task |= HANDLE_BEGUN;
	here->task = handle_of(id);
}

/* What stepped aside for it goes on. */
static void mark_end(struct tptrace_here *here)
{
	struct worker *worker = record_worker();
	record_id task = handle_id(here->task);
	bool is_begun = here->task != 0;

	here->task = 0;
	if (!worker)
		return;
	if (__builtin_expect(!task || worker->task != task, 0)) {
		if (!is_begun || task)
			task_misused(TASK_ENDS_NOTHING);
		return;
	}
	record_end(worker, here->below);
	if (here->left)
		stay_resume_from(worker, here->left, here->below);
}

/* ---- what says more of a task ---- */

/* The worker that has just created the task, or NULL. */
static struct worker *creator_of(tptrace_task_t task)
{
	struct worker *worker = task == HANDLE_UNRECORDED ? NULL : record_worker();

	if (!worker || handle_id(task) == worker->last_id)
		return worker;
	task_misused(TASK_UNKNOWN);
	return NULL;
}

static void mark_group(tptrace_task_t task, const void *group)
{
	struct worker *worker = creator_of(task);

	if (worker)
		record_detail(worker, WIRE_BAG, (uintptr_t)group);
}

static void mark_needs(tptrace_task_t task, uint64_t object, int is_task)
{
	struct worker *worker = creator_of(task);
	uint64_t name = is_task && worker ? wanted_name(object) : object;

	if (worker && name)
		record_detail(worker, WIRE_DEPEND, depend_make(name, WIRE_DEPEND_ON));
}

static void mark_access(tptrace_task_t task, uint64_t object, int access)
{
	static const uint8_t type[] = { [TPTRACE_ACCESS_READ] = WIRE_DEPEND_IN,
					[TPTRACE_ACCESS_WRITE] = WIRE_DEPEND_OUT,
					[TPTRACE_ACCESS_UNORDERED] = WIRE_DEPEND_SET };
	struct worker *worker = creator_of(task);

	if (worker && access >= TPTRACE_ACCESS_READ && access <= TPTRACE_ACCESS_UNORDERED)
		record_detail(worker, WIRE_DEPEND, depend_make(object, type[access]));
	else if (worker)
		task_misused(TASK_NO_ACCESS);
}

static void mark_data(tptrace_task_t task, uint64_t object, int access, uint64_t bytes, int node)
{
	struct worker *worker = creator_of(task);

	if (!worker)
		return;
	if (access < TPTRACE_ACCESS_READ || access > TPTRACE_ACCESS_UNORDERED) {
		task_misused(TASK_NO_ACCESS);
		return;
	}
	record_detail(worker, WIRE_DATA, field_make(WIRE_FIELD_OBJECT, object));
	record_detail(worker, WIRE_DATA, field_make(WIRE_FIELD_ACCESS, (uint64_t)access));
	record_detail(worker, WIRE_DATA, field_make(WIRE_FIELD_BYTES, bytes));
	if (node >= 0)
		record_detail(worker, WIRE_DATA, field_make(WIRE_FIELD_NODE, (uint64_t)node));
}

static void mark_discard(tptrace_task_t *task)
{
	struct worker *worker = record_worker();
	record_id id = *task & HANDLE_BEGUN ? 0 : handle_id(*task);

	if (worker && id)
		record_event(worker, WIRE_DISCARD, id);
	else if (worker && *task != HANDLE_UNRECORDED)
		task_misused(TASK_UNKNOWN);
	*task |= HANDLE_BEGUN;
}

/* The master of a runtime that counts dependences, say, is in no task then. */
static void mark_release_by(tptrace_task_t task, uint64_t object)
{
	struct worker *worker = task == HANDLE_UNRECORDED ? NULL : record_worker();
	uint64_t name = worker ? wanted_name(task) : 0;

	if (name)
		record_both(worker, (struct wire_event){ WIRE_SIGNAL_BY, name },
			    (struct wire_event){ WIRE_OBJECT, object });
}

/* ---- names and values ---- */

static void mark_name(const void **site, const char *name, const char *file, uint32_t line)
{
	if (!task_name(site, __builtin_return_address(0), name, file, line))
		task_misused(TASK_UNNAMED);
}

static void mark_value(const void **site, const char *key, int64_t value)
{
	if (!task_value(site, __builtin_return_address(0), key, value))
		task_misused(TASK_UNNAMED);
}

/* ---- workers, and the table ---- */

static void mark_no_worker(void)
{
	struct worker *worker = record_worker();

	if (worker)
		record_detail(worker, WIRE_NO_WORKER, 0);
}

static void mark_workers(struct tptrace_runtime *runtime, uint32_t n)
{
	record_runtime_workers(task_instance(task_declare(runtime))->head.runtime, n);
}

static const struct tptrace_task_calls marks = {
	.workers = mark_workers,
	.create = mark_create,
	.group = mark_group,
	.needs = mark_needs,
	.discard = mark_discard,
	.begin = mark_begin,
	.end = mark_end,
	.wait = mark_wait,
	.release = mark_release,
	.resume = mark_resume,
	.name = mark_name,
	.value = mark_value,
	.release_by = mark_release_by,
	.no_worker = mark_no_worker,
	.access = mark_access,
	.data = mark_data,
	.clock = mark_clock,
	.operation = mark_operation,
};

const struct tptrace_task_calls *tptrace_task_find(uint32_t bytes)
{
	return bytes <= sizeof(marks) ? &marks : NULL;
}
