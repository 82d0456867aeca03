/* SPDX-License-Identifier: MIT */
/*
 * ompt_task.c - callbacks about explicit tasks: created, switched to and from, done, cancelled.
 *
 * Hot path, a task: __kmpc_omp_task_alloc(), put_note(); __kmpc_omp_task(), ompt_task_create();
 * ompt_task_schedule() twice, with begins() and ends(); and __kmpc_omp_taskwait().  130 lines.
 *
 * libomp says of a switch which task is left and which goes on.  Most tasks that are left have no
 * strand open: they wait, or are within a creation that runs the new task at once.  One that has
 * one is taken aside and goes on when it is switched to again: a part of an untied task that ends,
 * and, when there are no wrappers, whoever yields or runs a task within its creation.
 *
 * The tasks of a taskloop are members of a group.  Of a loop with many, libomp makes some more,
 * which split it and run nothing of the program: they are not recorded.  The others are then
 * created by them, on whatever thread they run.  [kmp_tasking.cpp, __kmp_taskloop_recur()]
 */
#include "shims/ompt/omp_aside.h"
#include "shims/ompt/ompt_callbacks.h"
#include "shims/ompt/ompt_kmpc.h"

#include "preload/poison.h"

static uint32_t wire_flags(int flags)
{
	if (__builtin_expect(flags & OMPT_TASK_FINAL, 0))
		record_final();
	return (flags & OMPT_TASK_UNDEFERRED ? WIRE_TASK_UNDEFERRED : 0) |
	       (flags & OMPT_TASK_FINAL ? WIRE_TASK_FINAL : 0) |
	       (flags & OMPT_TASK_UNTIED ? WIRE_TASK_UNTIED : 0);
}

/* Of the task that was allocated, which libomp's own threads may run. */
static inline uint32_t target_flag(const struct ompt_thread *thread)
{
	return thread->note_flags & FLAG_HELPER ? WIRE_TASK_TARGET : 0;
}

/* Whether the task's word does not say which task it is, or only a root's id of the time before. */
static bool is_initial(uint64_t word)
{
	return word == 0 || (word & OMPT_STATE) == OMPT_INITIAL;
}

/* Whether it says that code of the program's has begun in the task. */
static inline bool has_begun(uint64_t word)
{
	return (word & (OMPT_BEGUN | OMPT_AUX)) == OMPT_BEGUN;
}

/* The group of the taskloop whose tasks this thread is making; 0 if it makes others. */
static record_id loop_at_hand(const struct worker *worker)
{
	const struct ompt_thread *thread = &ompt_thread;
	record_id self = worker->task & ~OMPT_CLOSED;

	if (self & OMPT_AUX)
		return OMPT_ID(self);
	return thread->loop && thread->loop_task == self ? thread->loop : 0;
}

/* A wait for dependences that libomp announces as a task. */
static void create_pseudo(struct worker *worker, union ompt_data *task, const void *return_address)
{
	const struct ompt_thread *thread = &ompt_thread;

	task->value = 0;
	if (worker->task & OMPT_CLOSED) /* a wrapper has recorded it */
		return;
	ompt_wait(worker,
		  thread->wrapped == worker->task ? thread->note_site : ompt_site(return_address),
		  WIRE_WAIT_DEPEND);
	task->value = OMPT_PSEUDO;
}

/* All but what nearly every creation is. */
static __attribute__((noinline)) void create_else(union ompt_data *encountering,
						  union ompt_data *task, int flags,
						  const void *return_address)
{
	struct worker *worker = record_worker();
	record_id self, group;
	uint32_t site;

	if (!worker)
		return;
	if (__builtin_expect(ompt_thread.probe != NULL, 0)) {
		*ompt_thread.probe = task;
		return;
	}
	if (__builtin_expect(flags & OMPT_TASK_TASKWAIT, 0)) {
		create_pseudo(worker, task, return_address);
		return;
	}
	ompt_thread.kmpc = NULL;
	group = loop_at_hand(worker);
	if (__builtin_expect(group != 0, 0)) {
		task->value = group | OMPT_LOOP;
		return;
	}
	/* In a team of one all are undeferred, which the program did not ask for. */
	if (flags & OMPT_TASK_UNDEFERRED && ompt_thread.wrapped == worker->task) {
		if (!ompt_thread.if0 && !(flags & OMPT_TASK_FINAL))
			flags &= ~OMPT_TASK_UNDEFERRED;
		ompt_thread.if0 = false;
	}
	if (__builtin_expect(ompt_has_note(worker, OMPT_NOTE_TASK), 1)) {
		record_event_at(worker, ompt_thread.note_ticks, WIRE_CREATE,
				site_make(ompt_thread.task_site,
					  wire_flags(flags) | target_flag(&ompt_thread)));
		self = worker->task;
		worker->task |= OMPT_CLOSED;
	} else {
		site = ompt_thread.wrapped == worker->task ? ompt_thread.task_site
							   : ompt_site(return_address);
		self = ompt_end_strand(worker, WIRE_CREATE, site_make(site, wire_flags(flags)));
	}
	task->value = record_next_id(worker);
	if (__builtin_expect(ompt_thread.wrapped == self, 1))
		return;
	if (is_initial(encountering->value))
		encountering->value = self | OMPT_INITIAL;
	if (flags & OMPT_TASK_UNDEFERRED)
		encountering->value |= OMPT_ASIDE;
	else
		record_resume(worker, self);
}

/*
 * Hot path: a task is created, and soon queued, or run at once.  Mostly by a wrapper that noted it,
 * for no taskloop and without flags that would be told: those of a team of one are undeferred,
 * which the program did not ask for.  No taskloop of this task is at hand: its strand would have
 * ended.
 */
void ompt_task_create(union ompt_data *encountering, const void *frame, union ompt_data *task,
		      int flags, int has_dependences, const void *return_address)
{
	const int told = OMPT_TASK_TASKWAIT | OMPT_TASK_FINAL | OMPT_TASK_UNTIED;
	struct ompt_thread *thread = &ompt_thread;
	struct worker *worker = worker_self();
	struct store store = NO_STORE;

	if (__builtin_expect(worker && worker->task && thread->wrapped == worker->task &&
				     ompt_has_note(worker, OMPT_NOTE_TASK) && !(flags & told) &&
				     !thread->if0,
			     1))
		store = worker_enter(worker, WORKER_OUTSIDE, 1);
	if (!store.slot) {
		create_else(encountering, task, flags, return_address);
		return;
	}
	thread->kmpc = NULL;
	worker_fill(store.slot, event_at(thread->note_ticks, WIRE_CREATE),
		    site_make(thread->task_site, target_flag(thread)));
	worker_leave(worker, store, WORKER_OUTSIDE);
	worker->task |= OMPT_CLOSED;
	task->value = record_next_id(worker);
}

/* ---- switches ---- */

/*
 * The code of the task that runs here has ended.  Of an untied one that was left, and is open
 * nowhere: here it ends.  One that is open elsewhere ends there: see is_stale().
 */
static void task_end(struct worker *worker, union ompt_data *task, bool detached)
{
	record_id id = OMPT_ID(task->value);

	if (__builtin_expect(worker->task != id, 0)) {
		uint64_t word = __atomic_exchange_n(&task->value, 0, __ATOMIC_RELAXED);

		if (worker->task != (id | OMPT_CLOSED) && !(word & OMPT_ASIDE))
			return;
		record_resume(worker, id);
	}
	if (detached || task->value & OMPT_FULFILLED)
		record_detail(worker, WIRE_HANDLE, id);
	if (__builtin_expect(detached, 0)) {
		record_event(worker, WIRE_END, 0);
		task->value = id | OMPT_DETACHED;
		return;
	}
	if (ompt_has_note(worker, OMPT_NOTE_END))
		record_event_at(worker, ompt_thread.note_ticks, WIRE_END, 0);
	else
		record_event(worker, WIRE_END, 0);
	task->value = 0;
}

/* A task leaves for good.  False if it never began: then it did not run here. */
static bool task_leave(struct worker *worker, union ompt_data *prior, int status)
{
	uint64_t word = prior->value;

	if (__builtin_expect(has_begun(word), 1)) {
		task_end(worker, prior, status == OMPT_TASK_DETACH);
		return true;
	}
	prior->value = 0;
	if (word & OMPT_AUX)
		return true;
	if (word && !(word & OMPT_STATE))
		record_event(worker, WIRE_DISCARD, OMPT_ID(word));
	return false;
}

/* A task is left that will go on. */
static void suspend(struct worker *worker, union ompt_data *prior)
{
	record_id self = worker->task & ~OMPT_CLOSED;

	if (__builtin_expect(is_initial(prior->value), 0))
		prior->value = self ? self | OMPT_INITIAL : 0;
	if (__builtin_expect(self && worker->task == self && OMPT_ID(prior->value) == self, 0)) {
		ompt_end_strand(worker, WIRE_YIELD, 0);
		prior->value |= OMPT_ASIDE | OMPT_YIELDED;
		ompt_thread.yielded = self;
	}
}

/* Whether the task is one of libomp's own, to split a taskloop: then its code is libomp's. */
static bool splits_loop(const union ompt_data *task)
{
	uint32_t offset = atomic_load_explicit(&ompt_state.task_offset, memory_order_relaxed);

	return offset && ompt_has_code(*(const uintptr_t *)((const char *)task + offset));
}

/* A task of a taskloop begins. */
static void enter_loop_task(struct worker *worker, union ompt_data *next)
{
	record_id group = OMPT_ID(next->value);

	if (splits_loop(next)) {
		next->value = group | OMPT_AUX;
		worker->task = next->value | OMPT_CLOSED;
	} else {
		next->value = record_member(worker, group) | OMPT_BEGUN;
	}
}

/*
 * A task goes on that was left.  As long as it always did so where it had been left, which was the
 * last task to be left there, it was nowhere else.
 */
static void go_on(struct worker *worker, union ompt_data *task)
{
	uint64_t word = task->value;
	bool moved =
		word & OMPT_YIELDED && (word & OMPT_MOVED || ompt_thread.yielded != OMPT_ID(word));

	task->value = (word & ~(OMPT_ASIDE | OMPT_YIELDED)) | (moved ? OMPT_MOVED : 0);
	record_resume(worker, OMPT_ID(word));
	if (__builtin_expect(moved, 0))
		record_detail(worker, WIRE_MOVED, 0);
}

/* A task begins, or goes on, or is what the thread comes back to. */
static void task_enter(struct worker *worker, union ompt_data *next)
{
	uint64_t word = next->value;

	if (__builtin_expect(word != 0 && !(word & OMPT_STATE), 1)) {
		next->value = word | OMPT_BEGUN;
		record_begin(worker, OMPT_ID(word));
	} else if (word & OMPT_ASIDE) {
		go_on(worker, next);
	} else if (word & OMPT_BEGUN || word == 0) {
		worker->task = word ? OMPT_ID(word) | OMPT_CLOSED : 0;
	} else if (word & OMPT_LOOP) {
		enter_loop_task(worker, next);
	} else {
		worker->task = word | OMPT_CLOSED;
	}
}

/* A detachable task's event has come, on any thread: after its code, or early, even before it. */
static void fulfill(struct worker *worker, union ompt_data *task, bool early)
{
	uint64_t word = task->value;

	if (early ? !word || word & OMPT_AUX : (word & OMPT_STATE) != OMPT_DETACHED)
		return;
	record_resume(worker, ompt_end_strand(worker, WIRE_SIGNAL, OMPT_ID(word)));
	if (early) /* another thread may run or begin the task */
		__atomic_fetch_or(&task->value, OMPT_FULFILLED, __ATOMIC_RELAXED);
	else
		task->value = 0;
}

/* A status that comes without a task that goes on. */
static void schedule_none(struct worker *worker, union ompt_data *prior, int status)
{
	if (status == OMPT_TASK_LATE_FULFILL || status == OMPT_TASK_CANCEL ||
	    status == OMPT_TASK_EARLY_FULFILL) {
		fulfill(worker, prior, status == OMPT_TASK_EARLY_FULFILL);
	} else if (status == OMPT_TASKWAIT_COMPLETE && prior->value == OMPT_PSEUDO) {
		record_id self = worker->task & ~OMPT_CLOSED;

		prior->value = 0;
		if (ompt_thread.wrapped != self)
			stay_reopen_task(worker, self);
	} else if (status == OMPT_TASK_COMPLETE && task_leave(worker, prior, status)) {
		worker->task = 0;
	}
}

/*
 * Hot path: whether what runs here is not what is left.
 *
 * When the last part of an untied task overtakes the one before, the thread that runs the latter
 * tells of the end, and the other one is silent; so is whoever runs a part that is not the last.
 * [kmp_tasking.cpp, td_untied_count]  Wrappers see it themselves: untied_run().  Or a part of an
 * undeferred task is followed by the next one, but its parent was said to go on between the two.
 */
static inline bool is_stale(const struct worker *worker, const union ompt_data *prior)
{
	bool begun = has_begun(prior->value) ||
		     (!prior->value && ompt_state.bare && ompt_thread.entered); /* a member */

	return !(worker->task & OMPT_CLOSED) && worker->task && begun &&
	       OMPT_ID(prior->value) != worker->task;
}

static __attribute__((noinline)) void leave_stale(struct worker *worker, union ompt_data *prior)
{
	union ompt_data *entered = ompt_thread.entered;
	uint64_t word = entered ? __atomic_load_n(&entered->value, __ATOMIC_RELAXED) : 0;
	uint64_t aside = word | OMPT_ASIDE | OMPT_YIELDED;
	record_id self = OMPT_ID(prior->value);
	record_id under = !self || prior->value & OMPT_MOVED ? 0 : self | OMPT_CLOSED;
	bool lives = OMPT_ID(word) == worker->task &&
		     __atomic_compare_exchange_n(&entered->value, &word, aside, false,
						 __ATOMIC_RELAXED, __ATOMIC_RELAXED);

	if (lives || (prior->value & OMPT_ASIDE && !ompt_state.bare))
		ompt_end_strand(worker, WIRE_YIELD, 0);
	else
		record_end(worker, 0);
	worker->task = under; /* that one is open nowhere, unless it moved */
}

/* All but what nearly every switch is. */
static __attribute__((noinline)) void schedule_else(union ompt_data *prior, int status,
						    union ompt_data *next)
{
	struct worker *worker = record_worker();

	if (!worker || ompt_thread.probe)
		return;
	if (!next) {
		schedule_none(worker, prior, status);
		return;
	}
	if (is_stale(worker, prior))
		leave_stale(worker, prior);
	if (status != OMPT_TASK_COMPLETE && status != OMPT_TASK_CANCEL &&
	    status != OMPT_TASK_DETACH)
		suspend(worker, prior);
	else if (!task_leave(worker, prior, status) &&
		 (!(next->value & OMPT_ASIDE) ||
		  worker->task != (OMPT_ID(next->value) | OMPT_CLOSED)))
		return;
	ompt_thread.under = worker->task;
	ompt_thread.entered = next;
	task_enter(worker, next);
}

/* Hot path: whether a task begins, on top of one whose strand has ended. */
static inline bool begins(record_id self, const union ompt_data *prior, int status,
			  const union ompt_data *next)
{
	return status == OMPT_TASK_SWITCH && self & OMPT_CLOSED && next->value &&
	       !(next->value & (OMPT_STATE | OMPT_FULFILLED)) && has_begun(prior->value);
}

/* Hot path: whether the task that runs here ends, and one goes on whose strand has ended. */
static inline bool ends(record_id self, const union ompt_data *prior, int status,
			const union ompt_data *next)
{
	return status == OMPT_TASK_COMPLETE && !(self & OMPT_CLOSED) &&
	       prior->value == (self | OMPT_BEGUN) &&
	       (next->value & (OMPT_BEGUN | OMPT_ASIDE)) == OMPT_BEGUN &&
	       ompt_thread.note != OMPT_NOTE_END;
}

/* Hot path: this thread leaves a task for another.  A task that is a probe has no id, and so
 * neither begins nor ends. */
void ompt_task_schedule(union ompt_data *prior, int status, union ompt_data *next)
{
	struct worker *worker = worker_self();
	struct ompt_thread *thread = &ompt_thread;

	if (__builtin_expect(worker && worker_state(worker) >= WORKER_OUTSIDE && next, 1)) {
		record_id self = worker->task, id = next->value;

		if (begins(self, prior, status, next)) {
			next->value = id | OMPT_BEGUN;
			thread->under = self;
			thread->entered = next;
			record_begin(worker, id);
			return;
		}
		if (__builtin_expect(ends(self, prior, status, next), 1)) {
			prior->value = 0;
			thread->entered = next;
			record_end(worker, OMPT_ID(id) | OMPT_CLOSED);
			return;
		}
	}
	schedule_else(prior, status, next);
}

/* ---- what is said of tasks ---- */

static void depend_put(struct worker *worker, const struct ompt_depend *depend)
{
	uint64_t at = depend_address(depend->variable.value);
	enum wire_depend type = WIRE_DEPEND_OUT;

	if (depend->type >= OMPT_DEPEND_OUT_ALL) /* omp_all_memory */
		type = WIRE_DEPEND_ALL;
	else if (!at) /* libomp passes over it, also where gcc's code means omp_all_memory */
		return;
	else if (depend->type == OMPT_DEPEND_IN)
		type = WIRE_DEPEND_IN;
	else if (depend->type == OMPT_DEPEND_MUTEX || depend->type == OMPT_DEPEND_SET)
		type = WIRE_DEPEND_SET; /* mutexinoutset: one at a time, but in any order */
	if (type == WIRE_DEPEND_ALL)
		at = 0;
	record_detail(worker, WIRE_DEPEND, depend_make(at, type));
}

/* Dependences of the task, or pseudo task, created last; those of ordered loops are ignored. */
void ompt_dependences(union ompt_data *task, const struct ompt_depend *depend, int n)
{
	struct worker *worker = record_worker();
	uint64_t word = task->value;

	if (!worker || !word || (word & OMPT_STATE && word != OMPT_PSEUDO))
		return;
	for (int i = 0; i < n; i++)
		if (depend[i].type != OMPT_DEPEND_SOURCE && depend[i].type != OMPT_DEPEND_SINK)
			depend_put(worker, &depend[i]);
}

/* `which` is as in GOMP_cancel(): 1 parallel, 2 loop, 4 sections, 8 taskgroup. */
void ompt_cancel(union ompt_data *task, int flags, const void *return_address)
{
	static const uint8_t which[] = { [1] = 1, [2] = 4, [4] = 2, [8] = 8 };
	struct worker *worker = record_worker();
	uint32_t kind = flags & OMPT_CANCEL_KINDS;

	if (worker && flags & OMPT_CANCEL_ACTIVATED && kind < sizeof(which) && which[kind])
		record_detail(worker, WIRE_CANCEL, which[kind]);
}

void *omp_loop_back(struct aside *head, void *returned)
{
	struct omp_aside *aside = (struct omp_aside *)head;
	struct ompt_loop loop = aside->loop;

	if (omp_aside_close(worker_self(), aside))
		ompt_loop_close(&loop);
	return returned;
}
