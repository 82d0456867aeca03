/* SPDX-License-Identifier: MIT */
/* qth.c - what is to be known of an instance of Qthreads; its start and end. */
#include "shims/qth/qth.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

QTH_IN_QTH(CALL_WRAPPER)

/* The oldest version that has all that this instance has: its file's name says more, if it does. */
static const char *version_by_functions(const struct qth *qth, void *handle)
{
	if (dlsym(handle, "hw_pool_init"))
		return "1.23";
	if (qth->qthread_spinlock_lock)
		return "1.18";
	if (qth->qthread_purge_to_const)
		return "1.14";
	return "1.10";
}

/* The version is in the real name of the file since 1.20: libqthread.so.1.23. */
static const char *version_of(const struct qth *qth, void *handle, const char *file)
{
	static char path[PATH_MAX]; /* one thread at a time, and its stack may be small */
	const char *at = realpath(file, path) ? strstr(path, ".so.") : NULL;
	static char version[16];

	if (!at || at[4] != '1' || strlen(at + 4) >= sizeof(version))
		return version_by_functions(qth, handle);
	return strcpy(version, at + 4);
}

static void qth_identify(void *instance, void *handle)
{
	struct qth *qth = instance;

	qth->head.runtime =
		record_runtime("Qthreads", version_of(qth, handle, qth->head.code.path));
}

CALL_RUNTIME(qth, QTH_FUNCTIONS(CALL_DOOR), QTH_FUNCTIONS(CALL_NAME) QTH_ASKED(CALL_NAME),
	     .probe = "qthread_spawn", .library = "libqthread.so.1", .identify = qth_identify,
	     .at_hand = callsite_first);

/* The caller is a task from here on: the library runs on its thread, too. */
static void started(struct qth *qth)
{
	struct worker *worker = record_worker();

	if (!worker)
		return;
	record_runtime_workers(qth->head.runtime, qth->qthread_num_workers());
	if (!worker->task)
		record_root(worker);
}

int qthread_initialize(void)
{
	struct callsite *callsite = CALLSITE(qth, qthread_initialize, NULL);
	int status = qth_of(callsite)->qthread_initialize();

	if (callsite->site && !qth_internal(callsite, __builtin_return_address(0)) && status == 0)
		started(qth_of(callsite));
	return status;
}

int qthread_init(uint16_t n_shepherds)
{
	struct callsite *callsite = CALLSITE(qth, qthread_init, NULL);
	int status = qth_of(callsite)->qthread_init(n_shepherds);

	if (callsite->site && status == 0)
		started(qth_of(callsite));
	return status;
}

/* The worker of a task, if one calls. */
static struct worker *leaver(struct worker *worker)
{
	return worker && worker->task ? worker : NULL;
}

WRAP(qth, leaver(QTH_WORKER(callsite)), qth_leave(worker), qth_return(&stay), void,
     qthread_finalize, (void), (), wrap_yield);

/* Here, as tasks are made without libc's memory. */
void *qth_preconds(int n, va_list words)
{
	uintptr_t n_words = n < 0 ? -(uintptr_t)n : (uintptr_t)n;
	void *const *array = n < 0 ? va_arg(words, void *const *) : NULL;
	void **all;

	if (n == 0)
		return NULL;
	all = malloc((n_words + 1) * sizeof(*all));
	if (!all)
		abort(); /* the library would use it, too */
	all[0] = (void *)n_words;
	for (uintptr_t i = 0; i < n_words; i++)
		all[i + 1] = array ? array[i] : va_arg(words, void *);
	return all;
}
