/* SPDX-License-Identifier: MIT */
/* task.c - forks, the runtimes that mark what they do, and marks that contradict others. */
#include "shims/task/task.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "preload/libc.h"

/* ---- forks ---- */

uint64_t task_forks;

static void forked(void)
{
	uint64_t next = task_forks + (UINT64_C(1) << HANDLE_FORKS_AT);

	task_forks = next == HANDLE_FORKS ? 0 : next;
}

__attribute__((constructor)) static void watch_forks(void)
{
	pthread_atfork(NULL, NULL, forked);
}

/* ---- runtimes ---- */

static struct task_runtime instances[INSTANCES];
static _Atomic uint32_t n_instances, instances_lock;

struct callsites task_callsites;

const struct callsite_runtime task_runtime = {
	.instances = instances,
	.instance_bytes = sizeof(instances[0]),
	.callsites = &task_callsites,
	.site = task_site,
};

struct task_runtime *task_instance(uint32_t number)
{
	return &instances[number - 1];
}

static void keep_text(char *to, size_t room, const char *text)
{
	strncpy(to, text && *text ? text : "?", room - 1);
}

/* The number of the runtime of that name and version, which may be another module's; with the lock.
 * Where there are too many the last one is for all others. */
static uint32_t runtime_number(const struct task_runtime *wanted)
{
	uint32_t n = atomic_load(&n_instances);

	for (uint32_t i = 0; i < n; i++)
		if (strcmp(instances[i].name, wanted->name) == 0 &&
		    strcmp(instances[i].version, wanted->version) == 0)
			return i + 1;
	if (n == INSTANCES)
		return n;
	instances[n] = *wanted;
	instances[n].head.runtime = record_runtime(wanted->name, wanted->version);
	atomic_store_explicit(&n_instances, n + 1, memory_order_release);
	return n + 1;
}

uint32_t task_declare(struct tptrace_runtime *runtime)
{
	uint32_t number = __atomic_load_n(&runtime->number, __ATOMIC_ACQUIRE);
	struct task_runtime wanted = { .head = { 0 } };

	if (number)
		return number;
	keep_text(wanted.name, sizeof(wanted.name), runtime->name);
	keep_text(wanted.version, sizeof(wanted.version), runtime->version);
	libc_lock(&instances_lock);
	number = runtime_number(&wanted);
	libc_unlock(&instances_lock);
	__atomic_store_n(&runtime->number, number, __ATOMIC_RELEASE);
	return number;
}

struct callsite *task_callsite_slow(struct tptrace_runtime *runtime, const void *site,
				    void *function)
{
	int saved = errno;
	uint32_t number = task_declare(runtime);

	errno = saved;
	return callsite_slow(&task_runtime, task_instance(number), (void *)(uintptr_t)site,
			     function, number);
}

/* ---- marks that contradict others ---- */

static const char *const misuse[TASK_MISUSES] = {
	[TASK_LEAVES_NOTHING] = "create or wait outside of a task's code",
	[TASK_BEGINS_AGAIN] = "begin of a task that was not created, or had begun",
	[TASK_ENDS_NOTHING] = "end of a task that does not run there",
	[TASK_RESUMES_NOTHING] = "resume of a task that runs, or was not left",
	[TASK_UNKNOWN] = "mark that names a task that was not created, or not just then",
	[TASK_UNNAMED] = "name or value without room for more (4,096 in all)",
	[TASK_NO_ACCESS] = "access that is none of enum tptrace_access",
	[TASK_NO_CLOCK] = "operation of a device whose clock was not marked",
	[TASK_ENDS_EARLY] = "operation that ends before it begins",
};
static _Atomic uint32_t n_misused[TASK_MISUSES];

/* As few times as possible, as the session keeps each text: exact up to 16. */
static bool is_told(uint32_t n)
{
	return n <= 16 || (n & (n - 1)) == 0;
}

void task_misused(enum task_misuse what)
{
	uint32_t n = atomic_fetch_add(&n_misused[what], 1) + 1;
	uint32_t n_runtimes = atomic_load_explicit(&n_instances, memory_order_acquire);
	char text[512] = "marks of tptrace_task.h that were not recorded as made:";
	size_t length = strlen(text);
	int saved = errno;

	if (!is_told(n) || !n_runtimes || !record_on())
		return;
	for (int i = 0; i < TASK_MISUSES && length < sizeof(text); i++) {
		n = atomic_load(&n_misused[i]);
		if (n)
			length += (size_t)snprintf(text + length, sizeof(text) - length,
						   " %s%u x %s;", n > 16 ? "more than " : "",
						   n > 16 ? n - 1 : n, misuse[i]);
	}
	text[length < sizeof(text) ? length - 1 : sizeof(text) - 1] = '\0';
	record_runtime_note(instances[0].head.runtime, text);
	errno = saved;
}
