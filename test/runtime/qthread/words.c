/* SPDX-License-Identifier: MIT */
/*
 * words.c - full/empty words and syncvars, and what is made of them: locks and sincs.
 *
 * Who changes a word's state serves those who wait for that, in order, at once: a reader that
 * empties it lets one writer fill it again, and so on.
 */
#include "test/runtime/qthread/own.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum op { READ_FF, READ_FE, WRITE_FF, WRITE_EF, PRECOND };
#define NEEDS_EMPTY(op) ((op) == WRITE_EF)

struct waiter {
	struct waiter *next;
	struct ult *ult;
	struct task *task; /* PRECOND */
	uint64_t value;	   /* to write, or read */
	enum op op;
};

/* A word that is empty or waited for; of a syncvar only the latter counts. */
struct word {
	struct word *next;
	const void *address;
	struct waiter *first;
	bool empty;
};

#define STRIPES 64u
static struct stripe {
	struct ult_lock lock;
	struct word *words;
} stripes[STRIPES];

/* A word or a syncvar at hand, whose stripe is locked. */
struct cell {
	void *address;
	bool var;
	struct stripe *stripe;
	struct word *word; /* NULL: full, and nobody waits */
};

static struct cell cell_open(const void *address, bool var)
{
	uintptr_t hash = (uintptr_t)address / 8 * 0x9e3779b97f4a7c15u;
	struct cell cell = { (void *)(uintptr_t)address, var, &stripes[hash >> 58], NULL };

	ult_lock_acquire(&cell.stripe->lock);
	for (cell.word = cell.stripe->words; cell.word; cell.word = cell.word->next)
		if (cell.word->address == address)
			break;
	return cell;
}

static struct word *cell_word(struct cell *cell)
{
	if (!cell->word) {
		cell->word = calloc(1, sizeof(*cell->word));
		cell->word->address = cell->address;
		cell->word->next = cell->stripe->words;
		cell->stripe->words = cell->word;
	}
	return cell->word;
}

static bool cell_empty(const struct cell *cell)
{
	if (cell->var)
		return ((syncvar_t *)cell->address)->u.w & 4;
	return cell->word && cell->word->empty;
}

static uint64_t cell_value(const struct cell *cell)
{
	return cell->var ? ((syncvar_t *)cell->address)->u.w >> 4 : *(aligned_t *)cell->address;
}

static void cell_set(const struct cell *cell, uint64_t value)
{
	if (cell->var)
		((syncvar_t *)cell->address)->u.w =
			value << 4 | (((syncvar_t *)cell->address)->u.w & 15);
	else
		*(aligned_t *)cell->address = value;
}

static void cell_mark(struct cell *cell, bool empty)
{
	if (cell->var)
		((syncvar_t *)cell->address)->u.w =
			(((syncvar_t *)cell->address)->u.w & ~UINT64_C(14)) | (empty ? 4 : 0);
	else if (empty || cell->word)
		cell_word(cell)->empty = empty;
}

static void cell_do(struct cell *cell, struct waiter *waiter)
{
	if (waiter->op == READ_FF || waiter->op == READ_FE)
		waiter->value = cell_value(cell);
	if (waiter->op == WRITE_FF || waiter->op == WRITE_EF)
		cell_set(cell, waiter->value);
	if (waiter->op == READ_FE || waiter->op == WRITE_EF)
		cell_mark(cell, waiter->op == READ_FE);
}

/* Serves who can be served; returns the tasks that have one word less to wait for. */
static struct waiter *cell_serve(struct cell *cell)
{
	struct waiter *ready = NULL, **link = cell->word ? &cell->word->first : NULL;

	while (link && *link) {
		struct waiter *waiter = *link;

		if (NEEDS_EMPTY(waiter->op) != cell_empty(cell)) {
			link = &waiter->next;
			continue;
		}
		*link = waiter->next;
		cell_do(cell, waiter);
		if (waiter->op == PRECOND) {
			waiter->next = ready;
			ready = waiter;
		} else {
			ult_wake(waiter->ult);
		}
		link = &cell->word->first; /* one that was passed over may be served now */
	}
	return ready;
}

static void cell_close(struct cell *cell, struct waiter *ready)
{
	struct word **link = &cell->stripe->words;

	if (cell->word && !cell->word->first && !cell->word->empty) {
		while (*link != cell->word)
			link = &(*link)->next;
		*link = cell->word->next;
		free(cell->word);
	}
	ult_lock_release(&cell->stripe->lock);
	while (ready) {
		struct waiter *waiter = ready;

		ready = waiter->next;
		task_ready(waiter->task);
		free(waiter);
	}
}

static void cell_append(struct cell *cell, struct waiter *waiter)
{
	struct waiter **link = &cell_word(cell)->first;

	while (*link)
		link = &(*link)->next;
	*link = waiter;
}

static int wait_for(const void *address, bool var, enum op op, uint64_t *value, bool block)
{
	struct waiter waiter = { .ult = ult_self(), .op = op, .value = value ? *value : 0 };
	struct cell cell = cell_open(address, var);

	if (NEEDS_EMPTY(op) == cell_empty(&cell)) {
		cell_do(&cell, &waiter);
		cell_close(&cell, cell_serve(&cell));
	} else if (!block) {
		cell_close(&cell, NULL);
		return QTHREAD_OPFAIL;
	} else {
		cell_append(&cell, &waiter);
		cell_close(&cell, NULL);
		ult_park();
	}
	if (value)
		*value = waiter.value;
	return QTHREAD_SUCCESS;
}

/* Sets the state, and the value if there is one. */
static int change(const void *address, bool var, bool empty, const uint64_t *value)
{
	struct cell cell = cell_open(address, var);

	if (value)
		cell_set(&cell, *value);
	cell_mark(&cell, empty);
	cell_close(&cell, cell_serve(&cell));
	return QTHREAD_SUCCESS;
}

bool word_await(const aligned_t *word, struct task *task)
{
	struct cell cell = cell_open(word, false);
	bool full = !cell_empty(&cell);
	struct waiter *waiter = full ? NULL : calloc(1, sizeof(*waiter));

	if (waiter) {
		waiter->op = PRECOND;
		waiter->task = task;
		cell_append(&cell, waiter);
	}
	cell_close(&cell, NULL);
	return full;
}

/* ---- threads that are no workers have a task do it ---- */

struct errand {
	const void *address;
	uint64_t *value;
	enum op op;
	bool var, done;
	pthread_mutex_t lock;
	pthread_cond_t changed;
};

static aligned_t errand_run(void *arg)
{
	struct errand *errand = arg;

	wait_for(errand->address, errand->var, errand->op, errand->value, true);
	pthread_mutex_lock(&errand->lock);
	errand->done = true;
	pthread_cond_signal(&errand->changed);
	pthread_mutex_unlock(&errand->lock);
	return 0;
}

static int wait_here(const void *address, bool var, enum op op, uint64_t *value)
{
	struct errand errand = {
		address, value, op, var, false, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER
	};

	if (task_self())
		return wait_for(address, var, op, value, true);
	qthread_fork(errand_run, &errand, NULL);
	pthread_mutex_lock(&errand.lock);
	while (!errand.done)
		pthread_cond_wait(&errand.changed, &errand.lock);
	pthread_mutex_unlock(&errand.lock);
	return QTHREAD_SUCCESS;
}

/* ---- the interface ---- */

/* A function that is one call: its name, its parameters, and what it returns. */
#define IS(name, parameters, call)                                                                 \
	ULT_EXPORT int name parameters                                                             \
	{                                                                                          \
		return call;                                                                       \
	}

static int read_word(uint64_t *to, const void *from, bool var, enum op op)
{
	uint64_t value = 0;
	int status = wait_here(from, var, op, &value);

	if (to)
		*to = value;
	return status;
}

IS(qthread_readFF, (aligned_t *dest, const aligned_t *src), read_word(dest, src, false, READ_FF))
IS(qthread_readFE, (aligned_t *dest, const aligned_t *src), read_word(dest, src, false, READ_FE))

ULT_EXPORT int qthread_readFE_nb(aligned_t *dest, const aligned_t *src)
{
	uint64_t value = 0;
	int status = wait_for(src, false, READ_FE, &value, false);

	if (status == QTHREAD_SUCCESS && dest)
		*dest = value;
	return status;
}

ULT_EXPORT int qthread_readXX(aligned_t *dest, const aligned_t *src)
{
	*dest = *src;
	return QTHREAD_SUCCESS;
}

ULT_EXPORT int qthread_writeEF(aligned_t *dest, const aligned_t *src)
{
	uint64_t value = *src;

	return wait_here(dest, false, WRITE_EF, &value);
}

IS(qthread_writeEF_const, (aligned_t *dest, aligned_t src), qthread_writeEF(dest, &src))

ULT_EXPORT int qthread_writeFF(aligned_t *dest, const aligned_t *src)
{
	uint64_t value = *src;

	return wait_here(dest, false, WRITE_FF, &value);
}

IS(qthread_writeFF_const, (aligned_t *dest, aligned_t src), qthread_writeFF(dest, &src))
IS(qthread_writeF, (aligned_t *dest, const aligned_t *src), change(dest, false, false, src))
IS(qthread_writeF_const, (aligned_t *dest, aligned_t src), qthread_writeF(dest, &src))
IS(qthread_fill, (const aligned_t *dest), change(dest, false, false, NULL))
IS(qthread_empty, (const aligned_t *dest), change(dest, false, true, NULL))
IS(qthread_purge_to, (aligned_t *dest, const aligned_t *src), change(dest, false, true, src))

ULT_EXPORT int qthread_purge(aligned_t *dest)
{
	static const aligned_t zero;

	return qthread_purge_to(dest, &zero);
}

ULT_EXPORT int qthread_feb_status(const aligned_t *addr)
{
	struct cell cell = cell_open(addr, false);
	int full = !cell_empty(&cell);

	cell_close(&cell, NULL);
	return full;
}

IS(qthread_syncvar_readFF, (uint64_t *dest, syncvar_t *src), read_word(dest, src, true, READ_FF))
IS(qthread_syncvar_readFE, (uint64_t *dest, syncvar_t *src), read_word(dest, src, true, READ_FE))

ULT_EXPORT int qthread_syncvar_writeEF(syncvar_t *dest, const uint64_t *src)
{
	uint64_t value = *src;

	return wait_here(dest, true, WRITE_EF, &value);
}

IS(qthread_syncvar_writeEF_const, (syncvar_t *dest, uint64_t src),
   qthread_syncvar_writeEF(dest, &src))
IS(qthread_syncvar_writeF, (syncvar_t *dest, const uint64_t *src), change(dest, true, false, src))
IS(qthread_syncvar_writeF_const, (syncvar_t *dest, uint64_t src),
   qthread_syncvar_writeF(dest, &src))
IS(qthread_syncvar_fill, (syncvar_t *dest), change(dest, true, false, NULL))
IS(qthread_syncvar_empty, (syncvar_t *dest), change(dest, true, true, NULL))
IS(qthread_syncvar_status, (syncvar_t *v), !(v->u.w & 4))

ULT_EXPORT uint64_t qthread_syncvar_incrF(syncvar_t *operand, uint64_t inc)
{
	struct cell cell = cell_open(operand, true);
	uint64_t value = cell_value(&cell) + inc;

	cell_set(&cell, value);
	cell_mark(&cell, false);
	cell_close(&cell, cell_serve(&cell));
	return value;
}

/* ---- locks ---- */

IS(qthread_lock, (const aligned_t *a), qthread_readFE(NULL, a))
IS(qthread_unlock, (const aligned_t *a), qthread_fill(a))
IS(qthread_trylock, (const aligned_t *a), qthread_readFE_nb(NULL, a))
IS(qthread_lock_init, (const aligned_t *a, bool is_recursive), QTHREAD_SUCCESS)
IS(qthread_lock_destroy, (aligned_t *a), QTHREAD_SUCCESS)

ULT_EXPORT int qthread_spinlock_init(qthread_spinlock_t *a, bool is_recursive)
{
	a->held = 0;
	return QTHREAD_SUCCESS;
}

ULT_EXPORT int qthread_spinlock_lock(qthread_spinlock_t *a)
{
	while (__atomic_exchange_n(&a->held, 1, __ATOMIC_ACQUIRE))
		qthread_yield();
	return QTHREAD_SUCCESS;
}

ULT_EXPORT int qthread_spinlock_unlock(qthread_spinlock_t *a)
{
	__atomic_store_n(&a->held, 0, __ATOMIC_RELEASE);
	return QTHREAD_SUCCESS;
}

/* ---- sincs ---- */

struct sum {
	qt_sinc_op_f op;
	size_t bytes;
	struct ult_lock lock;
	char value[];
};

struct sinc {
	uint64_t count;
	aligned_t ready;
	struct sum *sum;
};
_Static_assert(sizeof(struct sinc) <= sizeof(qt_sinc_t), "");

ULT_EXPORT void qt_sinc_init(qt_sinc_t *sinc_, size_t sizeof_value, const void *initial_value,
			     qt_sinc_op_f op, size_t expect)
{
	struct sinc *sinc = (struct sinc *)sinc_;

	*sinc = (struct sinc){ .count = expect };
	if (sizeof_value) {
		sinc->sum = calloc(1, sizeof(*sinc->sum) + sizeof_value);
		sinc->sum->op = op;
		sinc->sum->bytes = sizeof_value;
		memcpy(sinc->sum->value, initial_value, sizeof_value);
	}
	if (expect)
		qthread_empty(&sinc->ready);
	else
		qthread_fill(&sinc->ready);
}

ULT_EXPORT qt_sinc_t *qt_sinc_create(size_t sizeof_value, const void *initial_value,
				     qt_sinc_op_f op, size_t expect)
{
	qt_sinc_t *sinc = malloc(sizeof(*sinc));

	qt_sinc_init(sinc, sizeof_value, initial_value, op, expect);
	return sinc;
}

ULT_EXPORT void qt_sinc_reset(qt_sinc_t *sinc_, size_t expect)
{
	struct sinc *sinc = (struct sinc *)sinc_;

	sinc->count = expect;
	if (expect)
		qthread_empty(&sinc->ready);
}

ULT_EXPORT void qt_sinc_fini(qt_sinc_t *sinc_)
{
	struct sinc *sinc = (struct sinc *)sinc_;

	free(sinc->sum);
	sinc->sum = NULL;
	qthread_fill(&sinc->ready);
}

ULT_EXPORT void qt_sinc_destroy(qt_sinc_t *sinc)
{
	qt_sinc_fini(sinc);
	free(sinc);
}

ULT_EXPORT void qt_sinc_expect(qt_sinc_t *sinc_, size_t count)
{
	struct sinc *sinc = (struct sinc *)sinc_;

	if (count && __atomic_fetch_add(&sinc->count, count, __ATOMIC_ACQ_REL) == 0)
		qthread_empty(&sinc->ready);
}

ULT_EXPORT void qt_sinc_submit(qt_sinc_t *sinc_, const void *value)
{
	struct sinc *sinc = (struct sinc *)sinc_;

	if (value) {
		ult_lock_acquire(&sinc->sum->lock);
		sinc->sum->op(sinc->sum->value, value);
		ult_lock_release(&sinc->sum->lock);
	}
	if (__atomic_sub_fetch(&sinc->count, 1, __ATOMIC_ACQ_REL) == 0)
		qthread_fill(&sinc->ready);
}

ULT_EXPORT void qt_sinc_wait(qt_sinc_t *sinc_, void *target)
{
	struct sinc *sinc = (struct sinc *)sinc_;

	qthread_readFF(NULL, &sinc->ready);
	if (target && sinc->sum)
		memcpy(target, sinc->sum->value, sinc->sum->bytes);
}
