/* SPDX-License-Identifier: MIT */
/*
 * qth_task.c - tasks: qthread_spawn() and all that is made of it.
 *
 * Hot path, a task: qthread_fork(), spawn_task(), describe(), owner_of(); task_run(), record_run();
 * and qthread_readFF(), which is WRAP().  150 lines.
 *
 * The library is handed our function and a qth_record, from a pool.  A task whose argument the
 * library copies has its record in front of the copy.
 *
 * qthread_fork() and its kin do nothing but call qthread_spawn() [qthread.c, 1.10 to 1.23]; so
 * do we, as the library may have been built to do it without a call that could be seen.
 */
#include "shims/qth/qth.h"

#include <sys/mman.h>

#include "preload/budget.h"
#include "shims/common/copy.h"

#include "preload/poison.h"

enum qth_flag { /* qthread.h */
		QTH_SIMPLE = 1 << 1,
		QTH_NEW_TEAM = 1 << 2,
		QTH_NEW_SUBTEAM = 1 << 3,
		QTH_RET_SYNCVAR = 1 << 4,
		QTH_RET_SINC = 1 << 5,
		QTH_RET_SINC_VOID = 1 << 6,
		QTH_LOCAL_PRIORITY = 1 << 9,
		QTH_NETWORK = 1 << 10,
};
#define NO_SHEPHERD ((uint16_t)-1)

#define ROOM_BYTES 4096u

/* A task that was created: what its code and argument are. */
struct qth_record {
	qth_fn fn; /* overwritten when it is free (pool.h) */
	void *arg;
	record_id id;
	uintptr_t owner; /* whose task it is: a loop, a team, or nobody */
};

static struct pool records = { .record_bytes = sizeof(struct qth_record) };

/* ---- running ---- */

/* Hot path: runs a task's code.  It may end on another thread. */
static inline word record_run(struct worker *worker, const struct qth_record *record)
{
	struct qth_place *place = qth_place_of(worker);
	bool in_team = record->owner & QTH_TEAM;
	word value;

	place->loop = in_team ? NULL : (struct qth_loop *)record->owner;
	place->team = in_team ? record->owner : 0;
	place->yielded = false;
	record_begin(worker, record->id);
	value = record->fn(record->arg);
	worker = worker_self();
	if (!worker || worker->task != record->id) /* a loop's task has ended before */
		return value;
	if (__builtin_expect(record->owner & QTH_LEADER, 0))
		qth_team_leader_waits(worker, record->owner);
	else
		record_end(worker, 0);
	return value;
}

static word task_run(void *arg)
{
	struct qth_record record = *(struct qth_record *)arg;
	struct worker *worker = record_worker();

	if (!worker)
		return record.fn(record.arg);
	pool_give(&records, &qth_place_of(worker)->spare, worker->index, arg);
	return record_run(worker, &record);
}

/* The record is in front of the library's copy of the argument. */
static word copied_task_run(void *arg)
{
	struct qth_record record = *(struct qth_record *)arg;
	struct worker *worker = record_worker();

	record.arg = (struct qth_record *)arg + 1;
	if (!worker)
		return record.fn(record.arg);
	return record_run(worker, &record);
}

/* ---- creating ---- */

struct spawn {
	qth_fn fn;
	const void *arg;
	void *ret;
	size_t bytes;
	uint16_t shep;
	unsigned flags;
	size_t n;
	void *preconds; /* n, and the addresses of n words */
};

static int spawn_plain(const struct qth *qth, const struct spawn *spawn)
{
	return qth->qthread_spawn(spawn->fn, spawn->arg, spawn->bytes, spawn->ret, spawn->n,
				  spawn->preconds, spawn->shep, spawn->flags);
}

/* Where record and argument are laid side by side; not on the stack, which may be small. */
static char *room_for(struct qth_place *place, size_t bytes)
{
	if (bytes > ROOM_BYTES)
		return map_zeroed(bytes);
	if (!place->room)
		place->room = map_zeroed(ROOM_BYTES);
	return place->room;
}

/* The library copies the argument before it does anything that may use this room again. */
static int spawn_copied(const struct qth *qth, const struct spawn *spawn,
			const struct qth_record *record, char *room)
{
	size_t bytes = sizeof(*record) + spawn->bytes;
	int status;

	*(struct qth_record *)room = *record;
	copy_bytes(room + sizeof(*record), spawn->arg, spawn->bytes);
	status = qth->qthread_spawn(copied_task_run, room, bytes, spawn->ret, spawn->n,
				    spawn->preconds, spawn->shep, spawn->flags);
	if (bytes > ROOM_BYTES)
		munmap(room, bytes);
	return status;
}

/* Details of the task just created: who may wait for it, and what it waits for. */
static inline void describe(struct worker *worker, const struct spawn *spawn,
			    const struct qth_loop *loop, uintptr_t team)
{
	word *const *at = spawn->preconds;
	bool sinc = spawn->ret && spawn->flags & (QTH_RET_SINC | QTH_RET_SINC_VOID);

	if (loop)
		record_detail(worker, WIRE_BAG, loop->bag);
	else if (sinc)
		record_detail(worker, WIRE_BAG, (uintptr_t)spawn->ret);
	else if (spawn->ret)
		record_detail(worker, WIRE_NAME, (uintptr_t)spawn->ret);
	if (team && !loop && !sinc)
		record_detail(worker, WIRE_BAG, QTH_TEAM_BAG(team));
	for (size_t i = 1; i <= spawn->n; i++)
		record_detail(worker, WIRE_DEPEND, depend_make((uintptr_t)at[i], WIRE_DEPEND_ON));
}

/* The owner of a task: a loop, the team that it founds, or the one that its creator is in. */
static inline uintptr_t owner_of(const struct spawn *spawn, const struct qth_loop *loop,
				 uintptr_t team)
{
	if (loop)
		return loop->flat ? 0 : (uintptr_t)loop;
	if (!(spawn->flags & (QTH_NEW_TEAM | QTH_NEW_SUBTEAM)))
		return team & ~(uintptr_t)QTH_LEADER;
	if (!spawn->ret || spawn->flags & (QTH_RET_SINC | QTH_RET_SINC_VOID))
		return 0;
	return (uintptr_t)spawn->ret | QTH_TEAM | QTH_LEADER;
}

/* Hot path: a task is created. */
static inline int spawn_task(struct callsite *callsite, struct worker *worker,
			     const struct spawn *spawn)
{
	struct qth *qth = qth_of(callsite);
	struct qth_record *record = NULL, head;
	struct qth_place *place;
	char *room = NULL;
	int status;

	if (!worker)
		return spawn_plain(qth, spawn);
	place = qth_place_of(worker);
	if (spawn->bytes)
		room = room_for(place, sizeof(head) + spawn->bytes);
	else
		record = pool_take(&records, &place->spare, worker->index);
	if (!room && !record)
		return spawn_plain(qth, spawn);

	struct qth_loop *loop = place->loop;
	record_id id = record_create(worker, loop ? loop->site : callsite->site, 0);

	describe(worker, spawn, loop, spawn->flags & QTH_NEW_TEAM ? 0 : place->team);
	head = (struct qth_record){ .fn = spawn->fn,
				    .arg = (void *)spawn->arg,
				    .id = id,
				    .owner = owner_of(spawn, loop, place->team) };
	struct qth_stay stay = qth_leave(worker);

	stay.yielded = false;
	if (record) {
		*record = head;
		status = qth->qthread_spawn(task_run, record, 0, spawn->ret, spawn->n,
					    spawn->preconds, spawn->shep, spawn->flags);
	} else {
		status = spawn_copied(qth, spawn, &head, room);
	}
	qth_return(&stay);
	if (__builtin_expect(status != 0, 0) && (worker = worker_self())) {
		record_event(worker, WIRE_DISCARD, id);
		if (record)
			pool_give(&records, &qth_place_of(worker)->spare, worker->index, record);
	}
	return status;
}

#define SPAWNS(result, name, parameters, ...)                                                      \
	result name parameters                                                                     \
	{                                                                                          \
		struct spawn spawn = { .fn = fn, .arg = arg, .ret = ret, __VA_ARGS__ };            \
		struct callsite *callsite = CALLSITE(qth, name, fn);                               \
                                                                                                   \
		return spawn_task(callsite, QTH_WORKER(callsite), &spawn);                         \
	}

#define SPAWNS_AFTER(result, name, parameters, ...)                                                \
	result name parameters                                                                     \
	{                                                                                          \
		struct callsite *callsite = CALLSITE(qth, name, fn);                               \
		struct spawn spawn = { .fn = fn, .arg = arg, .ret = ret, __VA_ARGS__ };            \
		va_list words;                                                                     \
                                                                                                   \
		va_start(words, n);                                                                \
		spawn.preconds = qth_preconds(n, words);                                           \
		va_end(words);                                                                     \
		spawn.n = spawn.preconds ? *(size_t *)spawn.preconds : 0;                          \
		return spawn_task(callsite, QTH_WORKER(callsite), &spawn);                         \
	}

QTH_IN_TASK(CALL_MADE)
