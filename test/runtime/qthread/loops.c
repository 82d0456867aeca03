/* SPDX-License-Identifier: MIT */
/*
 * loops.c - the stand-in's loops.  As in the real library, tasks of its own create those of a
 * loop, and whoever has to wait for them polls, unless it has a sinc or syncvars for it.
 */
#include "test/runtime/qthread/own.h"

#include <stdlib.h>

#include "test/runtime/qthread/qthread/qloop.h"

enum wait { POLL, SYNCVARS, SINC };

struct portion {
	size_t start, stop;
	size_t number; /* its children's are 2 n + 1 and 2 n + 2 */
	void *ret;
	struct spread *of;
};

/* A loop of one task a worker. */
struct spread {
	qt_loop_f each;
	qt_loopr_f accum;
	void *arg;
	enum wait wait;
	unsigned flags;
	struct portion *portion;
	size_t n;
	syncvar_t *var; /* of each portion */
	qt_sinc_t sinc;
	size_t n_done;
};

static aligned_t portion_run(void *arg);

static void portion_spawn(struct portion *portion)
{
	struct spread *spread = portion->of;
	void *ret = spread->wait == SYNCVARS ? &spread->var[portion->number]
		    : spread->wait == SINC   ? (void *)&spread->sinc
					     : NULL;

	qthread_spawn(portion_run, portion, 0, ret, 0, NULL, (qthread_shepherd_id_t)portion->number,
		      spread->flags);
}

static aligned_t portion_run(void *arg)
{
	struct portion *portion = arg;
	struct spread *spread = portion->of;

	for (size_t child = 2 * portion->number + 1; child <= 2 * portion->number + 2; child++)
		if (child < spread->n)
			portion_spawn(&spread->portion[child]);
	if (spread->accum)
		spread->accum(portion->start, portion->stop, spread->arg, portion->ret);
	else
		spread->each(portion->start, portion->stop, spread->arg);
	if (spread->wait == POLL)
		__atomic_add_fetch(&spread->n_done, 1, __ATOMIC_RELEASE);
	return 0;
}

static void poll(const size_t *n_done, size_t n)
{
	while (__atomic_load_n(n_done, __ATOMIC_ACQUIRE) != n)
		qthread_yield();
}

/* Runs it in as many portions as there are workers, or iterations. */
static void spread_run(struct spread *spread, size_t start, size_t stop, char *rets, size_t bytes)
{
	size_t n = stop - start < qthread_num_workers() ? stop - start : qthread_num_workers();

	spread->n = n;
	spread->portion = calloc(n, sizeof(*spread->portion));
	spread->var = calloc(n, sizeof(*spread->var));
	if (spread->wait == SYNCVARS)
		spread->flags |= QTHREAD_SPAWN_RET_SYNCVAR_T;
	if (spread->wait == SINC) {
		spread->flags |= QTHREAD_SPAWN_RET_SINC_VOID;
		qt_sinc_init(&spread->sinc, 0, NULL, NULL, n);
	}
	for (size_t i = 0; i < n; i++) {
		spread->var[i].u.w = 4; /* empty */
		spread->portion[i] = (struct portion){ start + (stop - start) * i / n,
						       start + (stop - start) * (i + 1) / n, i,
						       rets + i * bytes, spread };
	}
	portion_spawn(&spread->portion[0]);
	if (spread->wait == POLL)
		poll(&spread->n_done, n);
	for (size_t i = 0; i < n && spread->wait == SYNCVARS; i++)
		qthread_syncvar_readFF(NULL, &spread->var[i]);
	if (spread->wait == SINC) {
		qt_sinc_wait(&spread->sinc, NULL);
		qt_sinc_fini(&spread->sinc);
	}
	free(spread->portion);
	free(spread->var);
}

#define BALANCE(name, how, which)                                                                  \
	ULT_EXPORT void name(QTH_LOOP)                                                             \
	{                                                                                          \
		struct spread spread = {                                                           \
			.each = func, .arg = argptr, .wait = how, .flags = which                   \
		};                                                                                 \
                                                                                                   \
		spread_run(&spread, start, stop, NULL, 0);                                         \
	}

BALANCE(qt_loop_balance, POLL, 0)
BALANCE(qt_loop_balance_dc, POLL, 0)
BALANCE(qt_loop_balance_simple, POLL, QTHREAD_SPAWN_SIMPLE)
BALANCE(qt_loop_balance_sv, SYNCVARS, 0)
BALANCE(qt_loop_balance_sinc, SINC, 0)

static void accumulate(QTH_ACCUM, enum wait wait)
{
	size_t n = stop - start < qthread_num_workers() ? stop - start : qthread_num_workers();
	char *rets = calloc(n, size);
	struct spread spread = { .accum = func, .arg = argptr, .wait = wait };

	spread_run(&spread, start, stop, rets, size);
	__builtin_memcpy(out, rets, size);
	for (size_t i = 1; i < n; i++)
		acc(out, rets + i * size);
	free(rets);
}

#define ACCUM(name, how)                                                                           \
	ULT_EXPORT void name(QTH_ACCUM)                                                            \
	{                                                                                          \
		accumulate(start, stop, size, out, func, argptr, acc, how);                        \
	}

ACCUM(qt_loopaccum_balance, SYNCVARS)
ACCUM(qt_loopaccum_balance_sv, SYNCVARS)
ACCUM(qt_loopaccum_balance_sinc, SINC)

static void sum_up(size_t start, size_t stop, void *arg, void *ret)
{
	aligned_t sum = 0;

	for (size_t i = start; i < stop; i++)
		sum += ((aligned_t *)arg)[i];
	*(aligned_t *)ret = sum;
}

static void find_most(size_t start, size_t stop, void *arg, void *ret)
{
	aligned_t most = 0;

	for (size_t i = start; i < stop; i++) {
		qthread_readFF(NULL, &((aligned_t *)arg)[i]);
		if (((aligned_t *)arg)[i] > most)
			most = ((aligned_t *)arg)[i];
	}
	*(aligned_t *)ret = most;
}

static void more(void *a, const void *b)
{
	if (*(const aligned_t *)b > *(aligned_t *)a)
		*(aligned_t *)a = *(const aligned_t *)b;
}

ULT_EXPORT aligned_t qt_uint_sum(aligned_t *array, size_t length, int checkfeb)
{
	aligned_t sum;

	accumulate(0, length, sizeof(sum), &sum, sum_up, array, qt_uint_add_acc, SYNCVARS);
	return sum;
}

ULT_EXPORT aligned_t qt_uint_max(aligned_t *array, size_t length, int checkfeb)
{
	aligned_t most;

	accumulate(0, length, sizeof(most), &most, find_most, array, more, SYNCVARS);
	return most;
}

/* ---- a task an iteration, created by a task a worker ---- */

struct single {
	qt_loop_f each;
	void *arg;
	enum wait wait;
	unsigned flags;
};

struct iteration {
	const struct single *of;
	size_t at;
	size_t *n_done;
	qt_sinc_t *sinc;
};

static aligned_t iteration_run(void *arg)
{
	struct iteration *iteration = arg;

	iteration->of->each(iteration->at, iteration->at + 1, iteration->of->arg);
	if (iteration->sinc)
		qt_sinc_submit(iteration->sinc, NULL);
	else
		__atomic_add_fetch(iteration->n_done, 1, __ATOMIC_RELEASE);
	return 0;
}

static void create_iterations(size_t start, size_t stop, void *arg)
{
	const struct single *single = arg;
	size_t n_done = 0;
	qt_sinc_t sinc;

	if (single->wait == SINC)
		qt_sinc_init(&sinc, 0, NULL, NULL, stop - start);
	for (size_t i = start; i < stop; i++) {
		struct iteration iteration = { single, i, &n_done,
					       single->wait == SINC ? &sinc : NULL };

		qthread_spawn(iteration_run, &iteration, sizeof(iteration), NULL, 0, NULL,
			      NO_SHEPHERD, single->flags);
		qthread_yield_(2);
	}
	if (single->wait == SINC) {
		qt_sinc_wait(&sinc, NULL);
		qt_sinc_fini(&sinc);
	} else {
		poll(&n_done, stop - start);
	}
}

#define LOOP(name, how, which)                                                                     \
	ULT_EXPORT void name(QTH_LOOP)                                                             \
	{                                                                                          \
		struct single single = { func, argptr, how, which };                               \
		struct spread spread = { .each = create_iterations, .arg = &single, .wait = how }; \
                                                                                                   \
		spread_run(&spread, start, stop, NULL, 0);                                         \
	}

LOOP(qt_loop, POLL, 0)
LOOP(qt_loop_dc, POLL, 0)
LOOP(qt_loop_simple, SINC, QTHREAD_SPAWN_SIMPLE)
LOOP(qt_loop_sinc, SINC, 0)

/* ---- queues ---- */

struct qqloop_handle_s {
	qt_loop_f each;
	void *arg;
	size_t next, stop, chunk;
	size_t n_done;
};

ULT_EXPORT qqloop_handle_t *qt_loop_queue_create(qt_loop_queue_type type, size_t start, size_t stop,
						 size_t incr, qt_loop_f func, void *argptr)
{
	qqloop_handle_t *l = calloc(1, sizeof(*l));

	*l = (qqloop_handle_t){ func, argptr, start, stop, 16, 0 };
	return l;
}

ULT_EXPORT void qt_loop_queue_setchunk(qqloop_handle_t *l, size_t chunk)
{
	l->chunk = chunk;
}

static aligned_t fetch(void *arg)
{
	qqloop_handle_t *l = arg;
	size_t at;

	while ((at = __atomic_fetch_add(&l->next, l->chunk, __ATOMIC_RELAXED)) < l->stop)
		l->each(at, at + l->chunk < l->stop ? at + l->chunk : l->stop, l->arg);
	__atomic_add_fetch(&l->n_done, 1, __ATOMIC_RELEASE);
	return 0;
}

ULT_EXPORT void qt_loop_queue_run(qqloop_handle_t *loop)
{
	for (qthread_shepherd_id_t i = 0; i < qthread_num_workers(); i++)
		qthread_fork_to(fetch, loop, NULL, i);
	poll(&loop->n_done, qthread_num_workers());
	free(loop);
}
