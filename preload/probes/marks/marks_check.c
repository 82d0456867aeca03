/* SPDX-License-Identifier: MIT */
/*
 * marks_check.c - the probe `marks`: tells which mark of tptrace_task.h contradicts those before
 * it.
 *
 * It is preloaded by `tptrace check-marks` alone, in place of the recorder: tptrace_task_find() is
 * its own, and nothing is recorded.  What a mark means is what shims/task makes of it.  All marks
 * of all threads take one lock, so that they have an order; a mark inside another one, as of a
 * signal handler, is passed over.  A handle is a task's number, and a tptrace_here says in `left`
 * what it is for.
 *
 * Example: end(&here) twice.  The first leaves { task = 7, left = &done } in it; the second finds
 * `done` where `runs` should be, and task 7 ended at shadow_task(7)->last: END_AGAIN.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/probes/marks/marks_say.h"
#include "preload/probes/marks/marks_shadow.h"
#include "shims/task/tptrace_task.h"

/* What a tptrace_here is for. */
static const char left, runs, done, passed_over;

/* Of a thread. */
static __thread struct {
	uint32_t number;
	uint32_t task;	  /* that runs here, or was left here; 0: none */
	uint32_t created; /* the newest of its tasks */
	bool is_left, has_run, is_in_mark;
} self;

static _Atomic uint32_t n_threads, lock;

/* ---- a mark ---- */

static void acquire(void)
{
	while (atomic_exchange_explicit(&lock, 1, memory_order_acquire))
		syscall(SYS_sched_yield);
}

static void release(void)
{
	atomic_store_explicit(&lock, 0, memory_order_release);
}

static bool mark_open(void)
{
	if (self.is_in_mark)
		return false;
	self.is_in_mark = true;
	if (!self.number)
		self.number = atomic_fetch_add(&n_threads, 1) + 1;
	acquire();
	marks_say_count(false);
	return true;
}

/* Not in a mark any more: a signal handler may make one from here on. */
static void mark_close(void)
{
	release();
	self.is_in_mark = false;
}

/* The task runs on this thread from this mark on. */
static void run_here(uint32_t number, const void *at)
{
	struct shadow_task *task = shadow_task(number);

	self.task = number;
	self.is_left = false;
	if (!task)
		return;
	task->state = TASK_RUNS;
	task->last = at;
	task->thread = self.number;
}

/* A task that nothing created. */
static void begin_implicit(const void *at)
{
	uint32_t number = shadow_add();
	struct shadow_task *task = shadow_task(number);

	run_here(number, at);
	if (task) {
		task->is_implicit = true;
		task->created = task->began = at;
	}
}

/* The task of that handle, if there is one. */
static struct shadow_task *known(tptrace_task_t handle, const void *at)
{
	struct shadow_task *task = shadow_task(handle);

	if (!task)
		marks_say(MARKS_UNKNOWN, at, NULL);
	return task;
}

static bool is_open(const struct shadow_task *task)
{
	return task->state != TASK_ENDED && task->state != TASK_DISCARDED;
}

/* ---- what leaves a task's code ---- */

/* The running task leaves by `here`; NULL: none does, and the resume is passed over. */
static struct shadow_task *leave(struct tptrace_here *here, const void *at)
{
	struct shadow_task *task = here->left == &left ? shadow_task(here->task) : NULL;

	if (task && task->state == TASK_LEFT && task->here == here)
		marks_say(MARKS_HERE_IN_USE, at, task->last);
	here->left = &passed_over;
	task = shadow_task(self.task);
	if (self.is_left && task && task->state == TASK_LEFT)
		marks_say(MARKS_LEAVES_AGAIN, at, task->last);
	else if (self.is_left) /* it went on elsewhere */
		marks_say(MARKS_LEAVES_NOTHING, at, NULL);
	if (self.is_left)
		return NULL;
	if (!self.task) {
		if (self.has_run)
			marks_say(MARKS_LEAVES_NOTHING, at, NULL);
		begin_implicit(at);
	}
	task = shadow_task(self.task);
	if (!task)
		return NULL;
	*here = (struct tptrace_here){ .task = self.task, .left = &left };
	task->state = TASK_LEFT;
	task->last = at;
	task->here = here;
	task->wait = TPTRACE_WAIT_YIELD; /* nothing to look at when it is resumed */
	self.is_left = true;
	return task;
}

/* The creator may be unknown: then the task is nobody's child, and its creator never waits for it.
 */
static void check_create(struct tptrace_runtime *runtime, tptrace_task_t *handle,
			 struct tptrace_here *here, tptrace_code_t code, const void *site)
{
	const void *at = __builtin_return_address(0);
	struct shadow_task *creator, *task;

	*handle = 0;
	if (!mark_open())
		return;
	creator = leave(here, at);
	*handle = self.created = shadow_add();
	task = shadow_task(*handle);
	if (task) {
		marks_say_count(true);
		task->state = TASK_READY;
		task->created = task->last = at;
		task->creator = creator ? self.task : 0;
	}
	if (task && creator)
		creator->n_open++;
	mark_close();
}

/* What it waits for is looked at when it is resumed: by then it must be there. */
static void check_wait(struct tptrace_runtime *runtime, struct tptrace_here *here, int what,
		       uint64_t object, const void *site)
{
	const void *at = __builtin_return_address(0);
	struct shadow_task *task;

	if (!mark_open())
		return;
	if (what == TPTRACE_WAIT_TASK && !known(object, at))
		what = TPTRACE_WAIT_YIELD;
	task = leave(here, at);
	if (task) {
		task->wait = (uint8_t)what;
		task->object = object;
		task->before = shadow_tasks();
	}
	mark_close();
}

/* A release outside of a task's code is right, and there is nothing to resume. */
static void check_release(struct tptrace_here *here, uint64_t object)
{
	const void *at = __builtin_return_address(0);
	struct shadow_object *released;

	if (!mark_open())
		return;
	released = shadow_object(object);
	if (released)
		released->is_released = true;
	here->left = &passed_over; /* in no task's code nothing is left */
	if (self.task && !self.is_left)
		leave(here, at);
	mark_close();
}

/* ---- what enters it ---- */

/* A child, or a task of the group, that the task waits for and that has not ended. */
static const struct shadow_task *open_of(const struct shadow_task *task, uint32_t number)
{
	for (uint32_t i = task->before; i; i--) {
		const struct shadow_task *other = shadow_task(i);

		if (is_open(other) && !other->is_implicit &&
		    (task->wait == TPTRACE_WAIT_CHILDREN ? other->creator == number
							 : other->group == task->object))
			return other;
	}
	return NULL;
}

/* What the task waits for must have come. */
static void look_at_wait(const struct shadow_task *task, uint32_t number, const void *at)
{
	const struct shadow_object *object = shadow_object(task->object);
	const struct shadow_task *other = NULL;

	if (task->wait == TPTRACE_WAIT_TASK)
		other = shadow_task(task->object);
	else if (task->wait == TPTRACE_WAIT_CHILDREN ? task->n_open != 0
		 : task->wait == TPTRACE_WAIT_GROUP  ? object && object->n_open
						     : false)
		other = open_of(task, number);
	if (other && is_open(other))
		marks_say(MARKS_RESUME_EARLY, at, other->created);
	if (task->wait == TPTRACE_WAIT_OBJECT && object && !object->is_released)
		marks_say(MARKS_RESUME_UNRELEASED, at, task->last);
}

/* Whatever thread it is on: the task need not have left there. */
static void check_resume(struct tptrace_here *here)
{
	const void *at = __builtin_return_address(0);
	struct shadow_task *task;

	if (!mark_open())
		return;
	task = here->left == &left || here->left == &done ? shadow_task(here->task) : NULL;
	if (here->left == &left && task && task->state == TASK_LEFT) {
		look_at_wait(task, (uint32_t)here->task, at);
		run_here((uint32_t)here->task, at);
		here->left = &done;
	} else if (task) {
		marks_say(MARKS_RESUME_AGAIN, at, task->last);
	} else if (here->left != &passed_over) {
		marks_say(MARKS_RESUME_NOTHING, at, NULL);
	}
	mark_close();
}

/* What it needs must have come. */
static void look_at_needs(const struct shadow_task *task, const void *at)
{
	const struct shadow_need *need = shadow_need_of(task->need);

	for (; need; need = shadow_need_of(need->next)) {
		const struct shadow_task *other = need->is_task ? shadow_task(need->object) : NULL;
		const struct shadow_object *object =
			need->is_task ? NULL : shadow_object(need->object);

		if (other && is_open(other))
			marks_say(MARKS_BEGIN_EARLY, at, other->created);
		if (object && !object->is_released)
			marks_say(MARKS_BEGIN_UNRELEASED, at, task->created);
	}
}

/* Whether the task may begin. */
static bool look_at_begin(const struct shadow_task *task, const void *at)
{
	if (!task)
		marks_say(MARKS_BEGIN_UNCREATED, at, NULL);
	else if (task->state == TASK_DISCARDED)
		marks_say(MARKS_BEGIN_DISCARDED, at, task->last);
	else if (task->state != TASK_READY)
		marks_say(MARKS_BEGIN_AGAIN, at, task->began);
	else
		look_at_needs(task, at);
	return task && task->state == TASK_READY;
}

/* What is not created begins all the same, as a task of its own, so that its end is no further
 * mistake. */
static void check_begin(tptrace_task_t *handle, struct tptrace_here *here)
{
	const void *at = __builtin_return_address(0);
	struct shadow_task *task;
	uint64_t below;

	here->left = &passed_over;
	if (!mark_open())
		return;
	task = shadow_task(*handle);
	below = self.task | (uint64_t)self.is_left << 32;
	self.has_run |= !self.task;
	if (look_at_begin(task, at)) {
		run_here((uint32_t)*handle, at);
		task->began = at;
	} else {
		begin_implicit(at);
	}
	*here = (struct tptrace_here){ .task = self.task, .below = below, .left = &runs };
	mark_close();
}

/* Why the task of `here` cannot end here; MARKS_KINDS: it can. */
static enum marks_wrong look_at_end(const struct tptrace_here *here, const struct shadow_task *task,
				    const void **other)
{
	const struct shadow_task *top = shadow_task(self.task);

	if ((here->left != &runs && here->left != &done) || !task)
		return MARKS_END_NOTHING;
	*other = task->last;
	if (task->state == TASK_ENDED)
		return MARKS_END_AGAIN;
	if (task->state == TASK_LEFT)
		return MARKS_END_LEFT;
	if (task->thread != self.number)
		return MARKS_END_ELSEWHERE;
	if (here->task == self.task)
		return MARKS_KINDS;
	*other = top ? top->last : NULL;
	return MARKS_END_BELOW;
}

/* Its creator and its group have one less to wait for; the first time that it ends. */
static void set_ended(struct shadow_task *task, enum task_state state, const void *at)
{
	struct shadow_task *creator = shadow_task(task->creator);
	struct shadow_object *group = shadow_object(task->group);

	if (is_open(task) && creator)
		creator->n_open--;
	if (is_open(task) && group)
		group->n_open--;
	task->state = state;
	task->last = at;
}

/* To what the thread was in: a task that had left, or that stepped aside. */
static void go_back(uint64_t below, const void *at)
{
	bool had_left = below >> 32 != 0;

	self.task = 0;
	if (below && !had_left)
		run_here((uint32_t)below, at);
	self.task = (uint32_t)below;
	self.is_left = had_left;
}

static void check_end(struct tptrace_here *here)
{
	const void *at = __builtin_return_address(0), *other = NULL;
	struct shadow_task *task;
	enum marks_wrong wrong;

	if (here->left == &passed_over || !mark_open())
		return;
	task = shadow_task(here->task);
	wrong = look_at_end(here, task, &other);
	if (wrong != MARKS_KINDS)
		marks_say(wrong, at, other);
	if (wrong == MARKS_KINDS || wrong == MARKS_END_LEFT) {
		set_ended(task, TASK_ENDED, at);
		go_back(here->below, at);
		here->left = &done;
	}
	mark_close();
}

/* ---- what says more of a task ---- */

/* The task, if it is the one that this thread has just created. */
static struct shadow_task *new_task(tptrace_task_t handle, const void *at)
{
	struct shadow_task *task = known(handle, at);

	if (!task || (handle == self.created && (self.is_left || !task->creator)))
		return task;
	marks_say(MARKS_LATE, at, task->created);
	return NULL;
}

/* A task is in one group, the first. */
static void check_group(tptrace_task_t handle, const void *group)
{
	const void *at = __builtin_return_address(0);
	struct shadow_object *object;
	struct shadow_task *task;

	if (!mark_open())
		return;
	task = new_task(handle, at);
	object = shadow_object((uintptr_t)group);
	if (task && object && !task->group) {
		task->group = (uintptr_t)group;
		object->n_open++;
	}
	mark_close();
}

static void check_needs(tptrace_task_t handle, uint64_t object, int is_task)
{
	const void *at = __builtin_return_address(0);
	struct shadow_task *task;

	if (!mark_open())
		return;
	task = new_task(handle, at);
	if (task && (!is_task || known(object, at)))
		shadow_need(task, object, is_task != 0);
	mark_close();
}

/* Access and data are said of the newest task, between its creation and the creator's resume; what
 * follows from them is not checked. */
static void look_at_access(tptrace_task_t handle, int access, const void *at)
{
	if (!mark_open())
		return;
	if (new_task(handle, at) &&
	    (access < TPTRACE_ACCESS_READ || access > TPTRACE_ACCESS_UNORDERED))
		marks_say(MARKS_NO_ACCESS, at, NULL);
	mark_close();
}

static void check_access(tptrace_task_t handle, uint64_t object, int access)
{
	look_at_access(handle, access, __builtin_return_address(0));
}

static void check_data(tptrace_task_t handle, uint64_t object, int access, uint64_t bytes, int node)
{
	look_at_access(handle, access, __builtin_return_address(0));
}

static void check_discard(tptrace_task_t *handle)
{
	const void *at = __builtin_return_address(0);
	struct shadow_task *task;

	if (!mark_open())
		return;
	task = known(*handle, at);
	if (task && task->state != TASK_READY)
		marks_say(MARKS_DISCARDS_BEGUN, at, task->created);
	else if (task)
		set_ended(task, TASK_DISCARDED, at);
	mark_close();
}

/* The object is released even if the mark is wrong, so that one mistake is told once. */
static void check_release_by(tptrace_task_t handle, uint64_t object)
{
	const void *at = __builtin_return_address(0);
	struct shadow_object *released;
	struct shadow_task *task;

	if (!mark_open())
		return;
	task = known(handle, at);
	released = shadow_object(object);
	if (released)
		released->is_released = true;
	if (task && is_open(task))
		marks_say(MARKS_RELEASES_EARLY, at, task->created);
	mark_close();
}

/* ---- devices ---- */

/* The device's word says that its clock was marked; its value is the recorder's, which is not
 * there. */
static void check_clock(struct tptrace_device *device, uint64_t ticks)
{
	__atomic_store_n(&device->zero_ns, 1, __ATOMIC_RELAXED); /* it was marked */
}

static void check_operation(struct tptrace_device *device, uint64_t begin, uint64_t end,
			    uint64_t bytes, const void *site)
{
	const void *at = __builtin_return_address(0);

	if (!mark_open())
		return;
	if (device->ticks_per_s && !__atomic_load_n(&device->zero_ns, __ATOMIC_RELAXED))
		marks_say(MARKS_NO_CLOCK, at, NULL);
	if (end < begin)
		marks_say(MARKS_ENDS_EARLY, at, NULL);
	mark_close();
}

/* ---- the others, and the table ---- */

static void check_workers(struct tptrace_runtime *runtime, uint32_t n)
{
}

static void check_name(const void **site, const char *name, const char *file, uint32_t line)
{
}

static void check_value(const void **site, const char *key, int64_t value)
{
}

static void check_no_worker(void)
{
}

static const struct tptrace_task_calls checks = {
	.workers = check_workers,
	.create = check_create,
	.group = check_group,
	.needs = check_needs,
	.discard = check_discard,
	.begin = check_begin,
	.end = check_end,
	.wait = check_wait,
	.release = check_release,
	.resume = check_resume,
	.name = check_name,
	.value = check_value,
	.release_by = check_release_by,
	.no_worker = check_no_worker,
	.access = check_access,
	.data = check_data,
	.clock = check_clock,
	.operation = check_operation,
};

static bool is_on;

/* For the header, in place of the shim's. */
__attribute__((visibility("default"))) const struct tptrace_task_calls *
tptrace_task_find(uint32_t bytes);

const struct tptrace_task_calls *tptrace_task_find(uint32_t bytes)
{
	return is_on && bytes <= sizeof(checks) ? &checks : NULL;
}

/* A child has the thread that forked, and no other. */
static void forked(void)
{
	release();
}

__attribute__((constructor)) static void open_page(void)
{
	is_on = marks_say_open() && pthread_atfork(acquire, release, forked) == 0;
}

/* At exit, but not by a task's code: what should have come by then. */
__attribute__((destructor)) static void look_at_all(void)
{
	const struct shadow_task *here = shadow_task(self.task);

	if (!is_on || self.is_in_mark || (here && !here->is_implicit && here->state == TASK_RUNS))
		return;
	acquire();
	for (uint32_t i = 1; i <= shadow_tasks(); i++) {
		const struct shadow_task *task = shadow_task(i);

		if (task->state == TASK_READY)
			marks_say(MARKS_NEVER_BEGAN, task->created, NULL);
		else if (task->state == TASK_LEFT)
			marks_say(MARKS_NEVER_RESUMED, task->last, NULL);
		else if (task->state == TASK_RUNS && !task->is_implicit)
			marks_say(MARKS_NEVER_ENDED, task->began, task->created);
	}
	release();
}
