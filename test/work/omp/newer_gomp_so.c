/* SPDX-License-Identifier: MIT */
/* Entry points that libgomp has gained since GCC 12, made of older ones, for newer_gomp.c. */
// part-of: newer_gomp.c
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

#define FLAG_DEPEND 8

void GOMP_barrier_ext(int kind);
bool GOMP_barrier_cancel_ext(int kind);
void GOMP_taskwait_depend_nowait(void **depend);

/* The library's own function, past whatever is preloaded. */
static void *gomp(const char *name)
{
	return dlsym(dlopen("libgomp.so.1", RTLD_NOLOAD | RTLD_LAZY), name);
}

static void nothing(void *data)
{
}

void GOMP_barrier_ext(int kind)
{
	((void (*)(void))gomp("GOMP_barrier"))();
}

bool GOMP_barrier_cancel_ext(int kind)
{
	return ((bool (*)(void))gomp("GOMP_barrier_cancel"))();
}

void GOMP_taskwait_depend_nowait(void **depend)
{
	((void (*)(void (*)(void *), void *, void *, long, long, bool, unsigned, void **, int,
		   void *))gomp("GOMP_task"))(nothing, NULL, NULL, 0, 1, true, FLAG_DEPEND, depend,
					      0, NULL);
}
