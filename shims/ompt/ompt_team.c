/* SPDX-License-Identifier: MIT */
/*
 * ompt_team.c - callbacks about parallel regions and their implicit tasks; and, when no wrapper
 * sees the program's calls, about waits, locks and taskloops.
 *
 * An implicit task ends where the barrier at the end of its region begins: libomp says that a
 * worker has left that barrier only when it is needed again.  Up to LLVM 18 that barrier looks
 * like those of worksharing constructs, but for its return address: a worker has none, and the
 * thread that forked has the fork's.  [kmp_barrier.cpp, __kmp_join_barrier()]
 *
 * The region that libomp itself forks holds its hidden helpers, which run target tasks and nothing
 * else: it is not recorded.  Of a nested region the return address is libomp's, too.
 * [z_Linux_util.cpp, __kmp_hidden_helper_threads_initz_routine()]
 */
#include "shims/ompt/ompt_callbacks.h"

#include "preload/poison.h"

ompt_callback ompt_callback_of(int event)
{
	switch (event) {
#define OMPT_CALLBACK(event_, function, use, parameters)                                           \
	case event_:                                                                               \
		return use ? (ompt_callback)function : NULL;
		OMPT_CALLBACKS
#undef OMPT_CALLBACK
	default:
		return NULL;
	}
}

/* ---- regions ---- */

/* Whether this thread has forked a region whose first implicit task is to begin. */
static bool is_forking(const struct ompt_thread *thread, const struct worker *worker)
{
	return thread->forker && worker->task == (thread->forker | OMPT_CLOSED);
}

/*
 * libomp reports two regions for a teams construct with one team: its own, with an initial task
 * that has another region's word or none, and then the team's.  They are one. [kmp_runtime.cpp,
 * __kmp_fork_call(), __kmp_invoke_teams_master()]
 */
static bool told_again(const struct worker *worker, const void *return_address)
{
	const struct ompt_thread *thread = &ompt_thread;

	return !return_address && is_forking(thread, worker) && thread->n_regions < OMPT_REGIONS;
}

/*
 * A thread's last open region is the one that ends: this is how an end finds its begin.  libomp
 * passes the end a word of the team after it gave the team back: another master may have taken the
 * team, or its memory may be gone.  Nothing here reads or writes that word at an end.
 * [kmp_runtime.cpp, __kmp_join_call(), __kmp_free_team()]
 */
static void region_push(struct ompt_thread *thread, const void *return_address, record_id task,
			enum ompt_told told)
{
	const struct ompt_region *outer = ompt_innermost();
	struct ompt_region *region;

	if (told == OMPT_UNTOLD && outer) /* calls inside are made from where that was forked */
		return_address = outer->return_address;
	thread->n_regions++;
	region = ompt_innermost();
	if (!region)
		return;
	*region = (struct ompt_region){
		.return_address = return_address,
		.task = task,
		.team = thread->team,
		.told = told,
	};
}

/* The task that goes on when the innermost region has ended; 0 if none does. */
static record_id region_pop(struct ompt_thread *thread, const union ompt_data *encountering)
{
	const struct ompt_region *region;

	if (!thread->n_regions) /* begun before we were told of anything */
		return 0;
	region = ompt_innermost();
	if (thread->n_regions-- > OMPT_REGIONS)
		return OMPT_ID(encountering->value);
	if (!region)
		return 0;
	thread->team = region->team;
	return region->told == OMPT_FORKED ? region->task : 0;
}

/* Each team of a teams construct is told as a region of its own, which it is not. */
static bool is_league_team(const struct ompt_thread *thread, const void *return_address,
			   unsigned requested)
{
	return !return_address && requested <= 1 && thread->n_regions < OMPT_REGIONS;
}

void ompt_parallel_begin(union ompt_data *encountering, const void *frame,
			 union ompt_data *parallel, unsigned requested, int flags,
			 const void *return_address)
{
	bool initial = !encountering->value || (encountering->value & OMPT_STATE) == OMPT_INITIAL;
	bool helpers = initial && ompt_has_code((uintptr_t)return_address);
	struct worker *worker = helpers ? NULL : record_worker();
	struct ompt_thread *thread = &ompt_thread;
	record_id self;

	if (helpers)
		parallel->value = 0;
	if (worker && __builtin_expect(told_again(worker, return_address), 0)) {
		parallel->value = thread->forked;
		region_push(thread, return_address, 0, OMPT_AGAIN);
		return;
	}
	if (!worker || is_league_team(thread, return_address, requested)) {
		region_push(thread, return_address, 0, OMPT_UNTOLD);
		return;
	}
	if (ompt_has_note(worker, OMPT_NOTE_FORK)) {
		record_event_at(worker, thread->note_ticks, WIRE_FORK,
				site_make(thread->note_site, WIRE_FORK_TEAM));
		self = worker->task;
		worker->task |= OMPT_CLOSED;
	} else {
		self = ompt_end_strand(
			worker, WIRE_FORK,
			site_make(ompt_site_of(return_address, OMPT_FORKS), WIRE_FORK_TEAM));
	}
	parallel->value = record_next_id(worker);
	thread->forker = self;
	thread->forked = parallel->value;
	if (initial)
		encountering->value = self | OMPT_INITIAL;
	region_push(thread, return_address, self, OMPT_FORKED);
}

/* An untied task whose end is not told of, as is_stale() has it: all of the region are over. */
static void end_untied(struct worker *worker)
{
	if (worker->task && !(worker->task & OMPT_CLOSED))
		record_end(worker, 0);
}

void ompt_parallel_end(union ompt_data *parallel, union ompt_data *encountering, int flags,
		       const void *return_address)
{
	struct worker *worker = record_worker();
	record_id task = region_pop(&ompt_thread, encountering);

	(void)parallel; /* not the region's any more */
	if (!task || !worker)
		return;
	ompt_thread.forker = 0;
	ompt_thread.entered = NULL;
	if (ompt_state.bare)
		end_untied(worker);
	record_resume(worker, task);
}

static void member_end(struct worker *worker, union ompt_data *task)
{
	ompt_ensure_open(worker);
	record_end(worker, 0);
	task->value = 0;
}

/*
 * The region of an implicit task that begins; 0: none.  The forking thread trusts what it keeps:
 * for a region serialized within a team of a teams construct libomp passes the team's word.
 */
static record_id region_of(const struct worker *worker, const union ompt_data *parallel, int flags)
{
	const struct ompt_thread *thread = &ompt_thread;
	record_id region = parallel ? parallel->value : 0;

	if (!is_forking(thread, worker) || region == thread->forked)
		return region;
	return flags & OMPT_TASK_INITIAL ? 0 : thread->forked; /* see told_again() */
}

static void member_begin(const union ompt_data *parallel, union ompt_data *task, unsigned n,
			 unsigned index, int flags)
{
	struct worker *worker;
	record_id region;

	task->value = 0;
	if ((!parallel || !parallel->value) && !ompt_thread.forker)
		return; /* the initial task: a root, if it does anything */
	worker = record_worker();
	region = worker ? region_of(worker, parallel, flags) : 0;
	if (!region)
		return;
	end_untied(worker); /* of the region before */
	ompt_thread.team = region;
	ompt_thread.forker = 0;
	ompt_thread.entered = NULL; /* of another region: gone with it */
	if (index == 0 && !(flags & OMPT_TASK_INITIAL))
		record_runtime_workers(ompt_state.runtime, n);
	task->value = record_member(worker, region) | OMPT_BEGUN;
}

void ompt_implicit_task(int endpoint, union ompt_data *parallel, union ompt_data *task, unsigned n,
			unsigned index, int flags)
{
	struct worker *worker;

	if (endpoint == OMPT_SCOPE_BEGIN) {
		member_begin(parallel, task, n, index, flags);
		return;
	}
	worker = record_worker();
	if (worker && task && (task->value & OMPT_STATE) == OMPT_BEGUN &&
	    (worker->task & ~OMPT_CLOSED) == OMPT_ID(task->value))
		member_end(worker, task);
	if (worker && ompt_state.bare && !(flags & OMPT_TASK_INITIAL))
		end_untied(worker); /* in the region's barrier */
}

static bool ends_region(int kind, const void *return_address)
{
	const struct ompt_region *region;

	if (kind == OMPT_SYNC_IMPLICIT_PARALLEL || kind == OMPT_SYNC_TEAMS)
		return true;
	if (kind != OMPT_SYNC_IMPLICIT)
		return false;
	region = return_address ? ompt_innermost() : NULL;
	return !return_address || (region && region->return_address == return_address);
}

/* A wait begins or ends, as callbacks alone tell. */
static void bare_region(struct worker *worker, int kind, int endpoint, const void *return_address)
{
	if (!worker->task) /* late news of a region that is over */
		return;
	if (endpoint == OMPT_SCOPE_END)
		stay_reopen_task(worker, worker->task & ~OMPT_CLOSED);
	else if (kind == OMPT_SYNC_TASKWAIT)
		ompt_wait(worker, ompt_site(return_address), WIRE_WAIT_CHILDREN);
	else if (kind == OMPT_SYNC_TASKGROUP)
		record_detail(worker, WIRE_GROUP, 0);
	else if (kind != OMPT_SYNC_REDUCTION)
		ompt_wait(worker, ompt_site(return_address), WIRE_WAIT_TEAM);
}

static __attribute__((noinline)) void sync_else(int kind, int endpoint, union ompt_data *task,
						const void *return_address)
{
	struct worker *worker = worker_self();

	if (!worker || !task)
		return;
	if (endpoint == OMPT_SCOPE_BEGIN && (task->value & OMPT_STATE) == OMPT_BEGUN &&
	    worker->task == OMPT_ID(task->value) && ends_region(kind, return_address))
		member_end(worker, task);
	else if (ompt_state.bare)
		bare_region(worker, kind, endpoint, return_address);
}

/* Hot path: of nearly all, a wrapper tells. */
void ompt_sync_region(int kind, int endpoint, union ompt_data *parallel, union ompt_data *task,
		      const void *return_address)
{
	if (kind != OMPT_SYNC_TASKWAIT || ompt_state.bare)
		sync_else(kind, endpoint, task, return_address);
}

/* ---- what only the callbacks see ---- */

void ompt_sync_region_wait(int kind, int endpoint, union ompt_data *parallel, union ompt_data *task,
			   const void *return_address)
{
	struct worker *worker = worker_self();

	if (worker && worker->task && kind == OMPT_SYNC_TASKGROUP && endpoint == OMPT_SCOPE_BEGIN)
		ompt_wait(worker, ompt_site(return_address), WIRE_WAIT_GROUP);
}

void ompt_work(int work, int endpoint, union ompt_data *parallel, union ompt_data *task,
	       uint64_t count, const void *return_address)
{
	struct worker *worker = record_worker();
	struct ompt_thread *thread = &ompt_thread;

	if (!worker || work != OMPT_WORK_TASKLOOP)
		return;
	if (endpoint == OMPT_SCOPE_BEGIN) {
		thread->loop_task =
			ompt_end_strand(worker, WIRE_FORK,
					site_make(ompt_site_of(return_address, OMPT_LOOPS),
						  WIRE_FORK_LOOP | WIRE_FORK_NOWAIT));
		thread->loop = record_next_id(worker);
	} else {
		thread->loop = 0;
		stay_reopen_task(worker, worker->task & ~OMPT_CLOSED);
	}
}

static bool is_wait(int kind)
{
	return kind == OMPT_MUTEX_LOCK || kind == OMPT_MUTEX_NEST || kind == OMPT_MUTEX_CRITICAL ||
	       kind == OMPT_MUTEX_ORDERED;
}

void ompt_mutex_acquire(int kind, unsigned hint, unsigned implementation, uint64_t object,
			const void *return_address)
{
	struct worker *worker = record_worker();

	if (!worker || !is_wait(kind))
		return;
	ompt_wait(worker, ompt_site(return_address), WIRE_WAIT_OBJECT);
	record_detail(worker, WIRE_OBJECT, object);
}

void ompt_mutex_acquired(int kind, uint64_t object, const void *return_address)
{
	struct worker *worker = record_worker();

	clock_fence();
	if (worker && is_wait(kind))
		stay_reopen_task(worker, worker->task & ~OMPT_CLOSED);
}

void ompt_mutex_released(int kind, uint64_t object, const void *return_address)
{
	struct worker *worker = record_worker();

	if (worker && is_wait(kind))
		record_resume(worker, ompt_end_strand(worker, WIRE_SIGNAL, object));
}

/* A nestable lock is taken by the task that has it. */
void ompt_nest_lock(int endpoint, uint64_t object, const void *return_address)
{
	if (endpoint == OMPT_SCOPE_BEGIN)
		ompt_mutex_acquired(OMPT_MUTEX_NEST, object, return_address);
}
