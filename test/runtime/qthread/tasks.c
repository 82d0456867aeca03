/* SPDX-License-Identifier: MIT */
/* tasks.c - the stand-in for Qthreads: start and end, tasks, teams, barriers, queues. */
#include "test/runtime/qthread/own.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "test/runtime/qthread/qthread/barrier.h"

static struct task main_task = { .shepherd = NO_SHEPHERD };
static unsigned n_teams = 1;

struct task *task_self(void)
{
	return ult_self() ? ult_arg(ult_self()) : NULL;
}

static size_t setting(const char *name, size_t otherwise)
{
	const char *text = getenv(name);
	size_t value = text ? strtoul(text, NULL, 10) : 0;

	return value ? value : otherwise;
}

ULT_EXPORT int qthread_initialize(void)
{
	static bool once;

	if (ult_started())
		return QTHREAD_SUCCESS;
	if (ult_start((uint32_t)(setting("QTHREAD_NUM_SHEPHERDS", 2) *
				 setting("QTHREAD_NUM_WORKERS_PER_SHEPHERD", 1)),
		      setting("QTHREAD_STACK_SIZE", 32768), &main_task) != 0)
		return QTHREAD_OPFAIL;
	if (!once)
		atexit(qthread_finalize);
	once = true;
	return QTHREAD_SUCCESS;
}

ULT_EXPORT void qthread_finalize(void)
{
	if (ult_started() && task_self() == &main_task)
		ult_stop();
}

ULT_EXPORT qthread_worker_id_t qthread_num_workers(void)
{
	return (qthread_worker_id_t)ult_n_workers();
}

ULT_EXPORT qthread_shepherd_id_t qthread_num_shepherds(void)
{
	return (qthread_shepherd_id_t)ult_n_workers();
}

ULT_EXPORT qthread_shepherd_id_t qthread_shep(void)
{
	return (qthread_shepherd_id_t)ult_worker();
}

/* ---- tasks ---- */

static struct team *team_make(struct team *parent)
{
	struct team *team = calloc(1, sizeof(*team));

	qt_sinc_init(&team->sinc, 0, NULL, NULL, 1);
	team->id = __atomic_add_fetch(&n_teams, 1, __ATOMIC_RELAXED);
	if (parent) {
		team->of_parent = &parent->sinc;
		qt_sinc_expect(team->of_parent, 1);
	}
	return team;
}

/* A leader's word is filled when all of its team have ended. */
static void team_leave(struct task *task)
{
	struct team *team = task->team;

	qt_sinc_submit(&team->sinc, NULL);
	if (!task->leads)
		return;
	qt_sinc_wait(&team->sinc, NULL);
	if (team->of_parent)
		qt_sinc_submit(team->of_parent, NULL);
	qt_sinc_fini(&team->sinc);
	free(team);
}

static void task_run(void *arg)
{
	struct task *task = arg;
	aligned_t value = task->fn(task->arg);

	if (task->team)
		team_leave(task);
	if (!task->ret)
		;
	else if (task->flags & QTHREAD_SPAWN_RET_SINC_VOID)
		qt_sinc_submit(task->ret, NULL);
	else if (task->flags & QTHREAD_SPAWN_RET_SINC)
		qt_sinc_submit(task->ret, &value);
	else if (task->flags & QTHREAD_SPAWN_RET_SYNCVAR_T)
		qthread_syncvar_writeEF_const(task->ret, value);
	else
		qthread_writeEF_const(task->ret, value);
	free(task->preconds);
	free(task);
}

void task_ready(struct task *task)
{
	size_t n = task->preconds ? (size_t)(uintptr_t)task->preconds[0] : 0;

	while (task->n_full < n)
		if (!word_await(task->preconds[++task->n_full], task))
			return;
	if (task->shepherd == NO_SHEPHERD)
		ult_wake(task->ult);
	else
		ult_wake_on(task->ult, task->shepherd % ult_n_workers());
}

ULT_EXPORT int qthread_spawn(qthread_f f, const void *arg, size_t arg_size, void *ret,
			     size_t npreconds, void *preconds, qthread_shepherd_id_t target_shep,
			     unsigned feature_flag)
{
	struct task *self = task_self(), *task = calloc(1, sizeof(*task) + arg_size);
	struct team *team = self ? self->team : NULL;

	task->fn = f;
	task->arg = (void *)(uintptr_t)arg;
	if (arg_size)
		task->arg = memcpy(task->copied, arg, arg_size);
	task->ret = ret;
	task->flags = feature_flag;
	task->shepherd = target_shep;
	task->preconds = npreconds ? preconds : NULL;
	task->leads = feature_flag & (QTHREAD_SPAWN_NEW_TEAM | QTHREAD_SPAWN_NEW_SUBTEAM);
	if (task->leads)
		task->team = team_make(feature_flag & QTHREAD_SPAWN_NEW_SUBTEAM ? team : NULL);
	else if ((task->team = team))
		qt_sinc_expect(&team->sinc, 1);
	if (ret && feature_flag & QTHREAD_SPAWN_RET_SYNCVAR_T)
		qthread_syncvar_empty(ret);
	else if (ret && !(feature_flag & (QTHREAD_SPAWN_RET_SINC | QTHREAD_SPAWN_RET_SINC_VOID)))
		qthread_empty(ret);
	task->ult = ult_make(task_run, task, 0);
	if (!task->ult)
		abort();
	task_ready(task);
	return QTHREAD_SUCCESS;
}

#define FORK(name, parameters, bytes, shepherd, flags)                                             \
	ULT_EXPORT int name parameters                                                             \
	{                                                                                          \
		return qthread_spawn(f, arg, bytes, ret, 0, NULL, shepherd, flags);                \
	}

FORK(qthread_fork, (QTH_TASK, aligned_t *ret), 0, NO_SHEPHERD, 0)
FORK(qthread_fork_net, (QTH_TASK, aligned_t *ret), 0, NO_SHEPHERD, QTHREAD_SPAWN_NETWORK)
FORK(qthread_fork_to, (QTH_TASK, aligned_t *ret, qthread_shepherd_id_t to), 0, to, 0)
FORK(qthread_fork_syncvar, (QTH_TASK, syncvar_t *ret), 0, NO_SHEPHERD, QTHREAD_SPAWN_RET_SYNCVAR_T)
FORK(qthread_fork_syncvar_to, (QTH_TASK, syncvar_t *ret, qthread_shepherd_id_t to), 0, to,
     QTHREAD_SPAWN_RET_SYNCVAR_T)
FORK(qthread_fork_copyargs, (QTH_TASK, size_t bytes, aligned_t *ret), bytes, NO_SHEPHERD, 0)
FORK(qthread_fork_copyargs_to,
     (QTH_TASK, size_t bytes, syncvar_t *ret, qthread_shepherd_id_t to), bytes, to, 0)
FORK(qthread_fork_syncvar_copyargs, (QTH_TASK, size_t bytes, syncvar_t *ret), bytes, NO_SHEPHERD,
     QTHREAD_SPAWN_RET_SYNCVAR_T)
FORK(qthread_fork_syncvar_copyargs_simple, (QTH_TASK, size_t bytes, syncvar_t *ret), bytes,
     NO_SHEPHERD, QTHREAD_SPAWN_RET_SYNCVAR_T | QTHREAD_SPAWN_SIMPLE)

static int spawn_after(QTH_TASK, size_t arg_size, void *ret, qthread_shepherd_id_t shepherd,
		       unsigned flags, int n, va_list words)
{
	size_t n_words = (size_t)(n < 0 ? -n : n);
	aligned_t **array = n < 0 ? va_arg(words, aligned_t **) : NULL;
	aligned_t **all = NULL;

	if (n_words) {
		all = malloc((n_words + 1) * sizeof(*all));
		all[0] = (aligned_t *)n_words;
	}
	for (size_t i = 0; i < n_words; i++)
		all[i + 1] = array ? array[i] : va_arg(words, aligned_t *);
	return qthread_spawn(f, arg, arg_size, ret, n_words, all, shepherd, flags);
}

#define FORK_AFTER(name, parameters, size, shepherd, flags)                                        \
	ULT_EXPORT int name parameters                                                             \
	{                                                                                          \
		va_list words;                                                                     \
		int status;                                                                        \
                                                                                                   \
		va_start(words, npreconds);                                                        \
		status = spawn_after(f, arg, size, ret, shepherd, flags, npreconds, words);        \
		va_end(words);                                                                     \
		return status;                                                                     \
	}

FORK_AFTER(qthread_fork_precond, (QTH_TASK, aligned_t *ret, int npreconds, ...), 0, NO_SHEPHERD, 0)
FORK_AFTER(qthread_fork_precond_simple, (QTH_TASK, aligned_t *ret, int npreconds, ...), 0,
	   NO_SHEPHERD, QTHREAD_SPAWN_SIMPLE)
FORK_AFTER(qthread_fork_precond_to,
	   (QTH_TASK, aligned_t *ret, qthread_shepherd_id_t shepherd, int npreconds, ...), 0,
	   shepherd, 0)
FORK_AFTER(qthread_fork_copyargs_precond,
	   (QTH_TASK, size_t arg_size, syncvar_t *ret, int npreconds, ...), arg_size, NO_SHEPHERD,
	   QTHREAD_SPAWN_RET_SYNCVAR_T)

ULT_EXPORT unsigned qt_team_id(void)
{
	struct task *self = task_self();

	return self && self->team ? self->team->id : 1;
}

ULT_EXPORT void qthread_yield_(int how)
{
	ult_yield();
}

ULT_EXPORT int qthread_migrate_to(qthread_shepherd_id_t shepherd)
{
	if (task_self() == &main_task)
		return QTHREAD_NOT_ALLOWED;
	if (shepherd >= ult_n_workers())
		return QTHREAD_BADARGS;
	ult_move(shepherd);
	return QTHREAD_SUCCESS;
}

void qt_begin_blocking_action(void) ULT_EXPORT;
void qt_end_blocking_action(void) ULT_EXPORT;

void qt_begin_blocking_action(void)
{
	ult_yield();
}

void qt_end_blocking_action(void)
{
	ult_yield();
}

/* ---- lists of who waits: barriers and queues ---- */

struct waiting {
	struct waiting *next;
	struct ult *ult;
};

static void wake_all(struct waiting *waiting)
{
	while (waiting) {
		struct waiting *next = waiting->next;

		ult_wake(waiting->ult);
		waiting = next;
	}
}

struct qt_barrier_s {
	struct ult_lock lock;
	struct waiting *first;
	size_t n_in, n_all;
};

ULT_EXPORT qt_barrier_t *qt_barrier_create(size_t max_threads, qt_barrier_btype type)
{
	qt_barrier_t *b = calloc(1, sizeof(*b));

	b->n_all = max_threads;
	return b;
}

ULT_EXPORT void qt_barrier_enter(qt_barrier_t *b)
{
	struct waiting self = { .ult = ult_self() }, *released = NULL;
	bool last;

	ult_lock_acquire(&b->lock);
	last = ++b->n_in == b->n_all;
	if (last) {
		released = b->first;
		b->first = NULL;
		b->n_in = 0;
	} else {
		self.next = b->first;
		b->first = &self;
	}
	ult_lock_release(&b->lock);
	if (last)
		wake_all(released);
	else
		ult_park();
}

ULT_EXPORT void qt_barrier_enter_id(qt_barrier_t *b, size_t id)
{
	qt_barrier_enter(b);
}

ULT_EXPORT void qt_barrier_destroy(qt_barrier_t *b)
{
	free(b);
}

struct qthread_queue_s {
	struct ult_lock lock;
	struct waiting *first;
	aligned_t length;
};

ULT_EXPORT qthread_queue_t qthread_queue_create(uint8_t flags, aligned_t length)
{
	return calloc(1, sizeof(struct qthread_queue_s));
}

ULT_EXPORT int qthread_queue_join(qthread_queue_t q)
{
	struct waiting self = { .ult = ult_self() };

	ult_lock_acquire(&q->lock);
	self.next = q->first;
	q->first = &self;
	q->length++;
	ult_lock_release(&q->lock);
	ult_park();
	return QTHREAD_SUCCESS;
}

ULT_EXPORT aligned_t qthread_queue_length(qthread_queue_t q)
{
	return __atomic_load_n(&q->length, __ATOMIC_RELAXED);
}

ULT_EXPORT int qthread_queue_release_one(qthread_queue_t q)
{
	struct waiting *one;

	ult_lock_acquire(&q->lock);
	one = q->first;
	q->first = one->next;
	one->next = NULL;
	q->length--;
	ult_lock_release(&q->lock);
	wake_all(one);
	return QTHREAD_SUCCESS;
}

ULT_EXPORT int qthread_queue_release_all(qthread_queue_t q)
{
	struct waiting *all;

	ult_lock_acquire(&q->lock);
	all = q->first;
	q->first = NULL;
	q->length = 0;
	ult_lock_release(&q->lock);
	wake_all(all);
	return QTHREAD_SUCCESS;
}

ULT_EXPORT int qthread_queue_destroy(qthread_queue_t q)
{
	free(q);
	return QTHREAD_SUCCESS;
}
