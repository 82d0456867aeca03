/* SPDX-License-Identifier: MIT */
/* An OMPT tool that counts, and that keeps a word of its own in every task, for other_tool.c. */
// part-of: other_tool.c
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef union {
	uint64_t value;
	void *pointer;
} data;

typedef void (*callback)(void);
typedef callback (*lookup_fn)(const char *);

static long n_created, n_begun, n_ended, n_parallel, n_implicit, n_waits, n_wrong;
static int (*get_task_info)(int, int *, data **, void **, data **, int *);
static uintptr_t program;
static long n_elsewhere; /* return addresses that are not the program's */

#define ADD(n) __atomic_fetch_add(&(n), 1, __ATOMIC_RELAXED)

static void look_at(const void *return_address)
{
	/* the program's code is a few pages */
	if (return_address && (uintptr_t)return_address - program + 65536 > 131072)
		ADD(n_elsewhere);
}

static void on_create(data *parent, const void *frame, data *task, int flags, int n,
		      const void *return_address)
{
	if (!(flags & 0x10))
		look_at(return_address);
	if (task->value)
		ADD(n_wrong);
	task->value = flags & 0x10 ? 0 : 77;
	if (!(flags & 0x10))
		ADD(n_created);
}

static void on_schedule(data *prior, int status, data *next)
{
	data *current = NULL;

	if (next && next->value == 77) {
		next->value = 78;
		ADD(n_begun);
	}
	if (status == 1 && prior->value) {
		if (prior->value != 78)
			ADD(n_wrong);
		ADD(n_ended);
	}
	if (next && next->value == 78 && status == 7 && get_task_info &&
	    get_task_info(0, NULL, &current, NULL, NULL, NULL) == 2 && current != next)
		ADD(n_wrong);
}

static void on_parallel(data *parent, const void *frame, data *parallel, unsigned n, int flags,
			const void *return_address)
{
	look_at(return_address);
	parallel->value = 5;
	ADD(n_parallel);
}

static void on_implicit(int endpoint, data *parallel, data *task, unsigned n, unsigned index,
			int flags)
{
	if (endpoint != 1 || flags & 1)
		return;
	if (parallel->value != 5 || task->value)
		ADD(n_wrong);
	task->value = 6;
	ADD(n_implicit);
}

static void on_sync(int kind, int endpoint, data *parallel, data *task, const void *return_address)
{
	(void)return_address; /* libomp's, where the call was a jump */
	if (kind == 5 && endpoint == 1)
		ADD(n_waits);
}

static int initialize(lookup_fn lookup, int device, data *tool)
{
	int (*set)(int, callback) = (int (*)(int, callback))lookup("ompt_set_callback");

	get_task_info =
		(int (*)(int, int *, data **, void **, data **, int *))lookup("ompt_get_task_info");
	set(5, (callback)on_create);
	set(6, (callback)on_schedule);
	set(3, (callback)on_parallel);
	set(7, (callback)on_implicit);
	set(16, (callback)on_sync);
	return tool->value == 4711;
}

static void finalize(data *tool)
{
	printf("finalized\n");
}

struct start {
	int (*initialize)(lookup_fn, int, data *);
	void (*finalize)(data *);
	data tool;
};

struct start *ompt_start_tool(unsigned version, const char *runtime);
struct start *ompt_start_tool(unsigned version, const char *runtime)
{
	static struct start start = { initialize, finalize, { 4711 } };

	return version >= 201611 && strstr(runtime, "OMP") ? &start : NULL;
}

void other_tool_print(void *function);
void other_tool_print(void *function)
{
	printf("created %ld begun %ld ended %ld regions %ld members %ld waits %ld\n", n_created,
	       n_begun, n_ended, n_parallel, n_implicit, n_waits);
	printf("wrong %ld elsewhere %ld\n", n_wrong, n_elsewhere);
}

void other_tool_program(void *function);
void other_tool_program(void *function)
{
	program = (uintptr_t)function;
}
