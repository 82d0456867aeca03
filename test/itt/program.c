/* SPDX-License-Identifier: MIT */
/*
 * program.c - annotated by ITT and NVTX as their headers do it: `program TASKS`.
 *
 * What stands here for the static parts of the two does what they do: it loads what the variable
 * names at the first call, hands it the functions' pointers, and calls through these.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- ITT ---- */

struct id {
	unsigned long long part[3];
};
struct domain {
	volatile int flags;
	const char *name;
	void *rest[4];
};
struct string {
	const char *text;
	void *rest[4];
};

static void (*task_begin)(const struct domain *, struct id, struct id, struct string *);
static void (*task_end)(const struct domain *);
static void (*frame_begin)(const struct domain *, struct id *);
static void (*frame_end)(const struct domain *, struct id *);
static int (*event_create)(const char *, int);
static int (*event_start)(int);
static int (*event_end)(int);
static void (*other)(void);

static void do_nothing(void)
{
}

static int no_event(const char *name, int bytes)
{
	(void)name;
	(void)bytes;
	return 0;
}

static int no_number(int event)
{
	(void)event;
	return 0;
}

struct function {
	const char *name;
	void **at;
	void *first, *none;
	int group;
};

#define FUNCTION(name, none) { "__itt_" #name, (void **)&name, NULL, (void *)none, 1 << 12 }
static struct function functions[] = {
	FUNCTION(task_begin, NULL),
	FUNCTION(task_end, NULL),
	{ "__itt_frame_begin_v3", (void **)&frame_begin, NULL, NULL, 1 << 12 },
	{ "__itt_frame_end_v3", (void **)&frame_end, NULL, NULL, 1 << 12 },
	FUNCTION(event_create, no_event),
	FUNCTION(event_start, no_number),
	FUNCTION(event_end, no_number),
	FUNCTION(other, do_nothing),
	{ 0 },
};

static struct {
	unsigned char magic[8];
	unsigned long version[3];
	volatile long initialised[3];
	pthread_mutex_t mutex;
	void *library, *error_handler;
	const char **path;
	struct function *function;
	void *rest[8];
} global = { .function = functions };

static void begin_itt(void)
{
	const char *path = getenv("INTEL_LIBITTNOTIFY64");
	void (*init)(void *, int) = NULL;

	for (struct function *f = functions; f->name; f++)
		*f->at = f->none;
	global.library = path ? dlopen(path, RTLD_LAZY) : NULL;
	if (global.library)
		*(void **)&init = dlsym(global.library, "__itt_api_init");
	if (init)
		init(&global, -1);
}

static struct domain domain = { 1, "solver", { 0 } }, off = { 0, "switched off", { 0 } };
static struct string tile = { "tile", { 0 } }, setup = { "set up", { 0 } };
static const struct id none;

#define BEGIN(domain, name)                                                                        \
	((domain)->flags && task_begin ? task_begin(domain, none, none, name) : (void)0)
#define END(domain) ((domain)->flags && task_end ? task_end(domain) : (void)0)

/* ---- NVTX ---- */

static int (*push)(const char *);
static int (*pop)(void);
static uint64_t (*start)(const char *);
static void (*stop)(uint64_t);

static int functions_of(int module, void ****table, unsigned *n)
{
	static void **core[16] = {
		[5] = (void **)&start,
		[7] = (void **)&stop,
		[9] = (void **)&push,
		[11] = (void **)&pop,
	};

	*table = core;
	*n = 16;
	return module == 1;
}

static const void *exported(uint32_t table)
{
	static const struct {
		size_t bytes;
		int (*functions)(int, void ****, unsigned *);
	} callbacks = { sizeof(callbacks), functions_of };

	return table == 1 ? &callbacks : NULL;
}

static void begin_nvtx(void)
{
	const char *path = getenv("NVTX_INJECTION64_PATH");
	void *library = path ? dlopen(path, RTLD_LAZY) : NULL;
	int (*init)(const void *(*)(uint32_t)) = NULL;

	if (library)
		*(void **)&init = dlsym(library, "InitializeInjectionNvtx2");
	if (init)
		init(exported);
}

/* ---- the program ---- */

static long count;

static void by_itt(int n)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < n; i++) {
#pragma omp task
		{
			BEGIN(&domain, &tile);
#pragma omp atomic
			count++;
			END(&domain);
		}
	}
}

static void by_nvtx(int n)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < n; i++) {
#pragma omp task
		{
			if (push)
				push("panel");
#pragma omp atomic
			count++;
			if (pop)
				pop();
		}
	}
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 10, event;
	uint64_t range;

	begin_itt();
	begin_nvtx();
	event = event_create("read", 4);
	by_itt(1); /* the recorder has begun */
	event_start(event);
	by_itt(n);
	event_end(event);
	BEGIN(&domain, &setup);
	BEGIN(&off, &tile);
	by_nvtx(n);
	END(&off);
	END(&domain);
	for (int i = 0; i < 3; i++) {
		if (frame_begin)
			frame_begin(&domain, NULL);
		by_itt(n);
		if (frame_end)
			frame_end(&domain, NULL);
	}
	range = start ? start("write") : 0;
	by_nvtx(2 * n);
	if (stop)
		stop(range);
	other();
	printf("%ld\n", count);
	return 0;
}
