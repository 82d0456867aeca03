/* SPDX-License-Identifier: MIT */
/*
 * starpu_task.c - tasks: their submission, their run on a worker, their callback.
 *
 * Hot path, a task: starpu_task_submit(), create(), end_strand(), starpu_depends();
 * _starpu_driver_start_job(), job_start(); _starpu_driver_end_job(), job_end().  260 lines.
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

/* Where StarPU creates a task by itself: a return address in its code. */
static void *starpu_itself(const struct starpu *s)
{
	return (char *)s->starpu_task_submit + 1;
}

static struct callsite *task_callsite(void *return_address, const void *task, const void *cl)
{
	uintptr_t key = cl ? (uintptr_t)cl ^ starpu_word_at(cl, STARPU_CL_CPU_FUNCS) : NO_CL;
	struct callsite *callsite;

	starpu_thread.site_task = task;
	callsite = CALLSITE_FROM(return_address, starpu, starpu_task_submit, key);
	starpu_thread.site_task = NULL;
	return callsite;
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
	struct callsite *callsite = CALLSITE_FROM(return_address, starpu, callback, callback);

	record_create(worker, callsite->site, WIRE_TASK_GLOBAL);
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
			    struct callsite *callsite)
{
	submission->task = task;
	submission->callsite = callsite;
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
	} else if (starpu_thread.closed) {
		record_resume(worker, worker->task);
	}
	ticks = atomic_load_explicit(&worker->head, memory_order_relaxed) == submission->entry_head
			? submission->entry_ticks
			: worker_ticks(worker);
	record_event_at(worker, ticks, WIRE_CREATE, site_make(submission->callsite->site, flags));
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
	starpu_thread.closed = true;
	if (empty && has_callback(s, task)) {
		starpu_keep(starpu_name(task, STARPU_NAME_CALLBACK),
			    starpu_word_at(task, s->layout->callback_func));
		record_resume(worker, submission->creator);
		create_callback(s, worker, task, starpu_itself(s), true);
	}
	if (starpu_flag(s, task, STARPU_FLAG_SYNCHRONOUS)) {
		record_resume(worker, submission->creator);
		record_wait_for(worker, submission->callsite->site, WIRE_WAIT_NAMED,
				(uintptr_t)task);
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
	starpu_thread.closed = closed;
}

/*
 * StarPU submits this task for itself, so the task does not show whose data it waits for.  One
 * without code only stands for waits and dependences that are recorded where they come from.
 */
static bool is_internal(const struct starpu *s, void *return_address)
{
	return segment_has(&s->head.code, (uintptr_t)return_address) &&
	       !starpu_thread.return_address;
}

int starpu_task_submit(void *task)
{
	void *return_address = __builtin_return_address(0);
	struct callsite *callsite = CALLSITE(starpu, starpu_task_submit, NULL);
	struct starpu *s = starpu_of(callsite);
	struct worker *worker = callsite_worker(callsite);
	struct starpu_thread *here = &starpu_thread;
	struct starpu_submission submission = { 0 }, *outer = here->submission;
	bool internal = is_internal(s, return_address), closed = here->closed;
	void *cl;
	int result;

	if (here->return_address)
		return_address = (void *)here->return_address;
	here->return_address = 0;
	if (!worker)
		return s->starpu_task_submit(task);
	cl = starpu_cl(s, task);
	if (internal && s->layout && !cl && !starpu_flag(s, task, STARPU_FLAG_USE_TAG))
		return s->starpu_task_submit(task);
	submission_open(&submission, worker, task, task_callsite(return_address, task, cl));
	here->submission = &submission;
	if (!cl || internal || !s->_starpu_detect_implicit_data_deps)
		create(s, worker, &submission, !internal);
	result = s->starpu_task_submit(task);
	here->submission = outer;
	submission_close(&submission, result != 0, closed);
	return result;
}

/* Called when the tasks that must come before are submitted, and this one is about to be. */
void _starpu_detect_implicit_data_deps(void *task)
{
	struct callsite *callsite = CALLSITE(starpu, _starpu_detect_implicit_data_deps, NULL);
	struct starpu *s = starpu_of(callsite);
	struct starpu_submission *submission = starpu_thread.submission;

	if (submission && submission->task == task && !submission->created)
		create(s, worker_self(), submission, true);
	s->_starpu_detect_implicit_data_deps(task);
}

#define SUBMITS(result, name, parameters, arguments)                                               \
	result name parameters                                                                     \
	{                                                                                          \
		struct callsite *callsite = CALLSITE(starpu, name, NULL);                          \
		struct starpu *s = starpu_of(callsite);                                            \
		struct worker *worker = callsite_worker(callsite);                                 \
		struct starpu_submission submission = { 0 };                                       \
		bool closed = starpu_thread.closed;                                                \
		int error;                                                                         \
                                                                                                   \
		if (!worker)                                                                       \
			return s->name arguments;                                                  \
		submission_open(                                                                   \
			&submission, worker, task,                                                 \
			task_callsite(__builtin_return_address(0), task, starpu_cl(s, task)));     \
		create(s, worker, &submission, false);                                             \
		error = s->name arguments;                                                         \
		submission_close(&submission, error != 0, closed);                                 \
		return error;                                                                      \
	}

STARPU_SUBMITS(CALL_MADE)

/* ---- the run ---- */

static void lay_aside(struct worker *worker, uint32_t site)
{
	starpu_thread.below = worker->task;
	if (worker->task) /* the thread runs StarPU's driver itself */
		record_end_strand(worker, WIRE_YIELD, site);
}

static void take_up(struct worker *worker)
{
	if (starpu_thread.below)
		record_resume(worker, starpu_thread.below);
}

/* A run that nobody knew of before: of a parallel task's code by a further thread, say. */
static void start_member(struct starpu *s, struct worker *worker, uint32_t site, void *task)
{
	record_id member;

	starpu_thread.member = true;
	record_root(worker);
	starpu_thread.below = worker->task;
	member = record_create(worker, site, WIRE_TASK_GLOBAL);
	put_bag(s, worker, task);
	record_begin(worker, member);
}

static void job_start(struct starpu *s, struct worker *worker, void *return_address, uintptr_t rank)
{
	struct starpu_thread *here = &starpu_thread;
	void *task = here->task, *cl = starpu_cl(s, task);

	if (!s->layout && rank == 0 && !starpu_take(starpu_name(task, STARPU_NAME_CREATED))) {
		if (worker->task)
			here->job = 0;
		else
			start_member(s, worker, task_callsite(return_address, task, cl)->site,
				     task);
	} else if (rank == 0) {
		lay_aside(worker, task_callsite(return_address, task, cl)->site);
		record_start(worker, (uintptr_t)task);
		if (s->layout && s->layout->nb_termination_call_required &&
		    starpu_half_at(task, s->layout->nb_termination_call_required))
			record_detail(worker, WIRE_HANDLE, starpu_name(task, STARPU_NAME_END));
	} else if (cl && starpu_half_at(cl, STARPU_CL_TYPE) == CL_SPMD && !worker->task) {
		start_member(s, worker, task_callsite(return_address, task, cl)->site, task);
	} else {
		here->job = 0;
	}
}

/* The next run of a task that is submitted again by StarPU whenever it ends. */
static void create_again(struct starpu *s, struct worker *worker, void *task, void *return_address)
{
	record_create(worker, task_callsite(return_address, task, starpu_cl(s, task))->site,
		      WIRE_TASK_GLOBAL);
	record_detail(worker, WIRE_NAME, (uintptr_t)task);
	put_bag(s, worker, task);
}

static void end_member(struct worker *worker)
{
	starpu_thread.member = false;
	record_end(worker, starpu_thread.below);
	record_resume(worker, starpu_thread.below);
	record_end(worker, 0);
}

static void job_end(struct starpu *s, struct worker *worker, void *return_address)
{
	struct starpu_thread *here = &starpu_thread;
	void *task = here->task;
	record_id self = worker->task;

	if (has_callback(s, task)) {
		here->called_back = task;
		here->callback = (starpu_fn)starpu_word_at(task, s->layout->callback_func);
		if (s->layout->nb_termination_call_required &&
		    starpu_half_at(task, s->layout->nb_termination_call_required)) {
			here->called_back = NULL; /* another thread may call it */
			starpu_keep(starpu_name(task, STARPU_NAME_CALLBACK),
				    (uintptr_t)here->callback);
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
	record_end(worker, here->below);
	take_up(worker);
}

static uintptr_t rank_of(const struct starpu *s, uintptr_t d, uintptr_t e)
{
	return (uint32_t)(s->layout && s->layout->rank == 4 ? e : d);
}

void _starpu_driver_start_job(STARPU_JOB)
{
	struct callsite *callsite = CALLSITE(starpu, _starpu_driver_start_job, NULL);
	struct starpu *s = starpu_of(callsite);
	struct starpu_thread *here = &starpu_thread;
	struct worker *worker = callsite_worker(callsite);
	bool outer = !here->starting; /* else it is for other workers of a context */

	here->starting = true;
	s->_starpu_driver_start_job(a, job, c, d, e, f);
	if (!outer)
		return;
	here->starting = false;
	if (!worker)
		return;
	if (here->job && here->member) /* of a processor that has several under way */
		end_member(worker);
	else if (here->job)
		job_end(s, worker, __builtin_return_address(0));
	here->task = s->starpu_task_get_current();
	here->job = here->task ? job : 0;
	if (here->job && s->layout && starpu_word_at(here->task, s->layout->omp_task))
		here->job = 0; /* runs in pieces */
	if (here->job)
		job_start(s, worker, __builtin_return_address(0), rank_of(s, d, e));
}

void _starpu_driver_end_job(STARPU_JOB)
{
	struct callsite *callsite = CALLSITE(starpu, _starpu_driver_end_job, NULL);
	struct starpu *s = starpu_of(callsite);
	struct starpu_thread *here = &starpu_thread;
	struct worker *worker = here->job == job ? callsite_worker(callsite) : NULL;

	if (worker && here->member)
		end_member(worker);
	else if (worker)
		job_end(s, worker, __builtin_return_address(0));
	if (worker)
		here->job = 0;
	s->_starpu_driver_end_job(a, job, c, d, e, f);
}

/* ---- the callback ---- */

static void callback_call(struct starpu *s, struct worker *worker, void *task, starpu_fn callback,
			  void *arg)
{
	record_id below = worker->task, self;
	bool closed = starpu_thread.closed;
	bool regenerate = starpu_flag(s, task, STARPU_FLAG_REGENERATE);

	starpu_thread.closed = false;
	self = record_start(worker, starpu_name(task, STARPU_NAME_CALLBACK));
	callback(arg);
	worker = worker_self();
	if (regenerate && starpu_flag(s, task, STARPU_FLAG_REGENERATE)) {
		create_again(s, worker, task, starpu_itself(s));
	} else {
		/* who waits for the task waits for its callback, too */
		record_end_strand(worker, WIRE_SIGNAL, (uintptr_t)task);
	}
	record_resume(worker, self);
	record_end(worker, below);
	starpu_thread.closed = closed;
}

static void callback_run(void *arg)
{
	struct callsite *callsite = CALLSITE(starpu, callback, NULL);
	struct starpu *s = starpu_of(callsite);
	struct worker *worker = callsite_worker(callsite);
	void *task = s->starpu_task_get_current();
	starpu_fn callback = starpu_thread.callback;
	bool running;

	if (starpu_thread.called_back == task)
		starpu_thread.called_back = NULL;
	else
		callback = (starpu_fn)starpu_take(starpu_name(task, STARPU_NAME_CALLBACK));
	*(starpu_word *)((char *)task + s->layout->callback_func) = (uintptr_t)callback;
	if (!worker) {
		callback(arg);
		return;
	}
	running = worker->task && !starpu_thread.closed;
	record_id below = worker->task;

	if (running)
		record_end_strand(worker, WIRE_YIELD, callsite->site);
	callback_call(s, worker, task, callback, arg);
	if (running)
		record_resume(worker_self(), below);
}
