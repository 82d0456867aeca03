/* SPDX-License-Identifier: MIT */
/*
 * starpu_task.c - tasks: their submission, their run on a worker, their callback.
 *
 * Hot path, a task: starpu_task_submit(), create(), end_strand(), starpu_depends();
 * _starpu_driver_start_job(), start(); _starpu_driver_end_job(), end().  260 lines.
 *
 * A task is created where StarPU looks for what it depends on, if that can be seen: before, it may
 * have submitted other tasks that this one is to come after, or have made its caller wait.  Else
 * it is created before it is submitted.
 */
#include "shims/starpu/starpu.h"
#include "shims/starpu/starpu_fields.h"

#include "preload/poison.h"

STARPU_IN_TASK(CALL_WRAPPER)

#define NO_CL 1	  /* for the code, where a task has none */
#define CL_SPMD 1 /* enum starpu_codelet_type */

static void callback_run(void *arg);

static struct call *task_call(void *return_address, const void *task, const void *cl)
{
	uintptr_t key = cl ? (uintptr_t)cl ^ starpu_word_at(cl, STARPU_CL_CPU_FUNCS) : NO_CL;
	struct call *call;

	starpu_frame.site_task = task;
	call = CALL_FROM(return_address, starpu, starpu_task_submit, key);
	starpu_frame.site_task = NULL;
	return call;
}

static void put_bag(struct starpu *s, struct worker *worker, const void *task)
{
	uint32_t ctx = 0;

	if (s->layout && s->layout->sched_ctx) {
		ctx = starpu_half_at(task, s->layout->sched_ctx);
		if (ctx == s->no_ctx)
			ctx = starpu_ctx(s);
		if (ctx >= s->no_ctx)
			ctx = 0;
	}
	if (ctx >= atomic_load_explicit(&s->n_ctxs, memory_order_relaxed))
		atomic_store_explicit(&s->n_ctxs, ctx + 1, memory_order_relaxed);
	record_detail(worker, WIRE_BAG, starpu_bag(s, ctx));
}

/* The task at hand creates a callback, which is to be run by callback_run(). */
static void create_callback(struct starpu *s, struct worker *worker, void *task,
			    void *return_address, bool after)
{
	starpu_fn callback = (starpu_fn)starpu_word_at(task, s->layout->callback_func);
	struct call *call = CALL_FROM(return_address, starpu, callback, callback);

	record_create(worker, call->site, WIRE_TASK_GLOBAL);
	if (after)
		starpu_depend_put(worker, (uintptr_t)task, WIRE_DEPEND_ON);
	record_detail(worker, WIRE_NAME, starpu_name(task, STARPU_NAME_CALLBACK));
	put_bag(s, worker, task);
	*(starpu_word *)((char *)task + s->layout->callback_func) = (uintptr_t)callback_run;
}

static bool has_callback(const struct starpu *s, const void *task)
{
	uint64_t callback = s->layout ? starpu_word_at(task, s->layout->callback_func) : 0;

	return callback && callback != (uintptr_t)callback_run;
}

/* ---- submission ---- */

static void submission_open(struct starpu_submission *submission, struct worker *worker, void *task,
			    struct call *call)
{
	submission->task = task;
	submission->call = call;
	submission->entry_ticks = worker_ticks(worker);
	submission->entry_head = atomic_load_explicit(&worker->head, memory_order_relaxed);
}

/* The strand of the submitting task ends, when StarPU was called if nothing was recorded since. */
static void end_strand(struct starpu *s, struct worker *worker,
		       struct starpu_submission *submission, uint32_t flags)
{
	uint64_t ticks;

	if (!worker->task) {
		submission->alone = s->starpu_worker_get_id() >= 0;
		record_root(worker);
	} else if (starpu_frame.closed) {
		record_resume(worker, worker->task);
	}
	ticks = atomic_load_explicit(&worker->head, memory_order_relaxed) == submission->entry_head
			? submission->entry_ticks
			: worker_ticks(worker);
	record_event_at(worker, ticks, WIRE_CREATE, site_make(submission->call->site, flags));
	record_next_id(worker);
}

/* Hot path: the task is created now.  data: it depends on others by its data. */
static void create(struct starpu *s, struct worker *worker, struct starpu_submission *submission,
		   bool data)
{
	void *task = submission->task;
	bool empty = starpu_is_empty(s, task);

	end_strand(s, worker, submission, WIRE_TASK_GLOBAL | (empty ? WIRE_TASK_EMPTY : 0));
	starpu_depends(s, worker, task, data);
	record_detail(worker, WIRE_NAME, (uintptr_t)task);
	if (starpu_flag(s, task, STARPU_FLAG_USE_TAG))
		record_detail(worker, WIRE_NAME,
			      starpu_tag_name(starpu_word_at(task, s->layout->tag_id)));
	put_bag(s, worker, task);
	if (!s->layout) /* it may be one that is run again, which cannot be told */
		starpu_keep(starpu_name(task, STARPU_NAME_CREATED), 1);
	submission->creator = worker->task;
	submission->created = true;
	starpu_frame.closed = true;
	if (empty && has_callback(s, task)) {
		starpu_keep(starpu_name(task, STARPU_NAME_CALLBACK),
			    starpu_word_at(task, s->layout->callback_func));
		record_resume(worker, submission->creator);
		create_callback(s, worker, task, (void *)s->code.start, true);
	}
	if (starpu_flag(s, task, STARPU_FLAG_SYNCHRONOUS)) {
		record_resume(worker, submission->creator);
		record_wait_for(worker, submission->call->site, WIRE_WAIT_NAMED, (uintptr_t)task);
	}
}

static void submission_close(struct starpu_submission *submission, bool failed, bool closed)
{
	struct worker *worker = worker_self();

	if (submission->created && failed) {
		record_event(worker, WIRE_DISCARD_NAMED, (uintptr_t)submission->task);
		starpu_take(starpu_name(submission->task, STARPU_NAME_CREATED));
	}
	if (submission->created && !closed)
		record_resume(worker, submission->creator);
	if (submission->alone)
		record_end(worker, 0);
	starpu_frame.closed = closed;
}

/*
 * StarPU submits this task for itself, so the task does not show whose data it waits for.  One
 * without code only stands for waits and dependences that are recorded where they come from.
 */
static bool is_internal(const struct starpu *s, void *return_address)
{
	return segment_has(&s->code, (uintptr_t)return_address) && !starpu_frame.return_address;
}

int starpu_task_submit(void *task)
{
	void *return_address = __builtin_return_address(0);
	struct call *call = CALL(starpu, starpu_task_submit, NULL);
	struct starpu *s = starpu_of(call);
	struct worker *worker = call_worker(call);
	struct starpu_frame *frame = &starpu_frame;
	struct starpu_submission submission = { 0 }, *outer = frame->submission;
	bool internal = is_internal(s, return_address), closed = frame->closed;
	void *cl;
	int result;

	if (frame->return_address)
		return_address = (void *)frame->return_address;
	frame->return_address = 0;
	if (!worker)
		return s->starpu_task_submit(task);
	cl = starpu_cl(s, task);
	if (internal && s->layout && !cl && !starpu_flag(s, task, STARPU_FLAG_USE_TAG))
		return s->starpu_task_submit(task);
	submission_open(&submission, worker, task, task_call(return_address, task, cl));
	frame->submission = &submission;
	if (!cl || internal || !s->_starpu_detect_implicit_data_deps)
		create(s, worker, &submission, !internal);
	result = s->starpu_task_submit(task);
	frame->submission = outer;
	submission_close(&submission, result != 0, closed);
	return result;
}

/* Called when the tasks that must come before are submitted, and this one is about to be. */
void _starpu_detect_implicit_data_deps(void *task)
{
	struct call *call = CALL(starpu, _starpu_detect_implicit_data_deps, NULL);
	struct starpu *s = starpu_of(call);
	struct starpu_submission *submission = starpu_frame.submission;

	if (submission && submission->task == task && !submission->created)
		create(s, worker_self(), submission, true);
	s->_starpu_detect_implicit_data_deps(task);
}

/* Tasks of StarPU's own that wait for nothing. */
#define SUBMITS(name, parameters, arguments)                                                       \
	int name parameters                                                                        \
	{                                                                                          \
		struct call *call = CALL(starpu, name, NULL);                                      \
		struct starpu *s = starpu_of(call);                                                \
		struct worker *worker = call_worker(call);                                         \
		struct starpu_submission submission = { 0 };                                       \
		bool closed = starpu_frame.closed;                                                 \
		int result;                                                                        \
                                                                                                   \
		if (!worker)                                                                       \
			return s->name arguments;                                                  \
		submission_open(&submission, worker, task,                                         \
				task_call(__builtin_return_address(0), task, starpu_cl(s, task))); \
		create(s, worker, &submission, false);                                             \
		result = s->name arguments;                                                        \
		submission_close(&submission, result != 0, closed);                                \
		return result;                                                                     \
	}

SUBMITS(starpu_task_submit_nodeps, (void *task), (task))
SUBMITS(_starpu_task_submit_nodeps, (void *task), (task))
SUBMITS(_starpu_task_submit_conversion_task, (void *task, unsigned on), (task, on))

/* ---- the run ---- */

static void lay_aside(struct worker *worker, uint32_t site)
{
	starpu_frame.below = worker->task;
	if (worker->task) /* the thread runs StarPU's driver itself */
		record_end_strand(worker, WIRE_YIELD, site);
}

static void take_up(struct worker *worker)
{
	if (starpu_frame.below)
		record_resume(worker, starpu_frame.below);
}

/* A run that nobody knew of before: of a parallel task's code by a further thread, say. */
static void start_member(struct starpu *s, struct worker *worker, uint32_t site, void *task)
{
	record_id member;

	starpu_frame.member = true;
	record_root(worker);
	starpu_frame.below = worker->task;
	member = record_create(worker, site, WIRE_TASK_GLOBAL);
	put_bag(s, worker, task);
	record_begin(worker, member);
}

static void start(struct starpu *s, struct worker *worker, void *return_address, uintptr_t rank)
{
	struct starpu_frame *frame = &starpu_frame;
	void *task = frame->task, *cl = starpu_cl(s, task);

	if (!s->layout && rank == 0 && !starpu_take(starpu_name(task, STARPU_NAME_CREATED))) {
		if (worker->task)
			frame->job = 0;
		else
			start_member(s, worker, task_call(return_address, task, cl)->site, task);
	} else if (rank == 0) {
		lay_aside(worker, task_call(return_address, task, cl)->site);
		record_start(worker, (uintptr_t)task);
		if (s->layout && s->layout->nb_termination_call_required &&
		    starpu_half_at(task, s->layout->nb_termination_call_required))
			record_detail(worker, WIRE_HANDLE, starpu_name(task, STARPU_NAME_END));
	} else if (cl && starpu_half_at(cl, STARPU_CL_TYPE) == CL_SPMD && !worker->task) {
		start_member(s, worker, task_call(return_address, task, cl)->site, task);
	} else {
		frame->job = 0;
	}
}

/* The next run of a task that is submitted again by StarPU whenever it ends. */
static void create_again(struct starpu *s, struct worker *worker, void *task, void *return_address)
{
	record_create(worker, task_call(return_address, task, starpu_cl(s, task))->site,
		      WIRE_TASK_GLOBAL);
	record_detail(worker, WIRE_NAME, (uintptr_t)task);
	put_bag(s, worker, task);
}

static void end_member(struct worker *worker)
{
	starpu_frame.member = false;
	record_end(worker, starpu_frame.below);
	record_resume(worker, starpu_frame.below);
	record_end(worker, 0);
}

static void end(struct starpu *s, struct worker *worker, void *return_address)
{
	struct starpu_frame *frame = &starpu_frame;
	void *task = frame->task;
	record_id self = worker->task;

	if (has_callback(s, task)) {
		frame->called_back = task;
		frame->callback = (starpu_fn)starpu_word_at(task, s->layout->callback_func);
		if (s->layout->nb_termination_call_required &&
		    starpu_half_at(task, s->layout->nb_termination_call_required)) {
			frame->called_back = NULL; /* another thread may call it */
			starpu_keep(starpu_name(task, STARPU_NAME_CALLBACK),
				    (uintptr_t)frame->callback);
		}
		create_callback(s, worker, task, return_address, false);
		record_resume(worker, self);
	} else if (starpu_flag(s, task, STARPU_FLAG_REGENERATE)) {
		create_again(s, worker, task, return_address);
		record_resume(worker, self);
	}
	starpu_end_others(worker, task);
	if (atomic_load_explicit(&s->n_watching, memory_order_relaxed)) {
		record_end_strand(worker, WIRE_SIGNAL, starpu_any_end(s));
		record_resume(worker, self);
	}
	record_end(worker, frame->below);
	take_up(worker);
}

static uintptr_t rank_of(const struct starpu *s, uintptr_t d, uintptr_t e)
{
	return (uint32_t)(s->layout && s->layout->rank == 4 ? e : d);
}

void _starpu_driver_start_job(STARPU_JOB)
{
	struct call *call = CALL(starpu, _starpu_driver_start_job, NULL);
	struct starpu *s = starpu_of(call);
	struct starpu_frame *frame = &starpu_frame;
	struct worker *worker = call_worker(call);
	bool outer = !frame->starting; /* else it is for other workers of a context */

	frame->starting = true;
	s->_starpu_driver_start_job(a, job, c, d, e, f);
	if (!outer)
		return;
	frame->starting = false;
	if (!worker)
		return;
	if (frame->job && frame->member) /* of a processor that has several under way */
		end_member(worker);
	else if (frame->job)
		end(s, worker, __builtin_return_address(0));
	frame->task = s->starpu_task_get_current();
	frame->job = frame->task ? job : 0;
	if (frame->job && s->layout && starpu_word_at(frame->task, s->layout->omp_task))
		frame->job = 0; /* runs in pieces */
	if (frame->job)
		start(s, worker, __builtin_return_address(0), rank_of(s, d, e));
}

void _starpu_driver_end_job(STARPU_JOB)
{
	struct call *call = CALL(starpu, _starpu_driver_end_job, NULL);
	struct starpu *s = starpu_of(call);
	struct starpu_frame *frame = &starpu_frame;
	struct worker *worker = frame->job == job ? call_worker(call) : NULL;

	if (worker && frame->member)
		end_member(worker);
	else if (worker)
		end(s, worker, __builtin_return_address(0));
	if (worker)
		frame->job = 0;
	s->_starpu_driver_end_job(a, job, c, d, e, f);
}

/* ---- the callback ---- */

static void callback_call(struct starpu *s, struct worker *worker, void *task, starpu_fn callback,
			  void *arg)
{
	record_id below = worker->task, self;
	bool closed = starpu_frame.closed;
	bool regenerate = starpu_flag(s, task, STARPU_FLAG_REGENERATE);

	starpu_frame.closed = false;
	self = record_start(worker, starpu_name(task, STARPU_NAME_CALLBACK));
	callback(arg);
	worker = worker_self();
	if (regenerate && starpu_flag(s, task, STARPU_FLAG_REGENERATE)) {
		create_again(s, worker, task, (void *)s->code.start);
	} else {
		/* who waits for the task waits for its callback, too */
		record_end_strand(worker, WIRE_SIGNAL, (uintptr_t)task);
	}
	record_resume(worker, self);
	record_end(worker, below);
	starpu_frame.closed = closed;
}

static void callback_run(void *arg)
{
	struct call *call = CALL(starpu, callback, NULL);
	struct starpu *s = starpu_of(call);
	struct worker *worker = call_worker(call);
	void *task = s->starpu_task_get_current();
	starpu_fn callback = starpu_frame.callback;
	bool running;

	if (starpu_frame.called_back == task)
		starpu_frame.called_back = NULL;
	else
		callback = (starpu_fn)starpu_take(starpu_name(task, STARPU_NAME_CALLBACK));
	*(starpu_word *)((char *)task + s->layout->callback_func) = (uintptr_t)callback;
	if (!worker) {
		callback(arg);
		return;
	}
	running = worker->task && !starpu_frame.closed;
	record_id below = worker->task;

	if (running)
		record_end_strand(worker, WIRE_YIELD, call->site);
	callback_call(s, worker, task, callback, arg);
	if (running)
		record_resume(worker_self(), below);
}
