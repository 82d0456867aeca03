/* SPDX-License-Identifier: MIT */
/*
 * names_program.c - a program that names_test builds in many ways and asks about.
 *
 * A comment with @ marks a line that the test expects.  It has its own GOMP_task(), so that it
 * sees where the tasks' functions begin, and needs no libgomp.
 */
#include <stddef.h>

void say(const char *label, const void *address, int is_return_address);
void say_modules(void);
void library_work(void);
void GOMP_task(void (*run)(void *), void *data, void (*copy)(void *, void *), long n_bytes,
	       long align, _Bool is_deferred, unsigned int flags, void **depend, int priority,
	       void *detach);
void GOMP_taskwait(void);
void leaf(const char *label);
void cold_leaf(const char *label);
void caller(void);
void jumps(void);
void parts(int n);
void tasks(int n);
int main(void);

void GOMP_task(void (*run)(void *), void *data, void (*copy)(void *, void *), long n_bytes,
	       long align, _Bool is_deferred, unsigned int flags, void **depend, int priority,
	       void *detach)
{
	static _Alignas(64) char room[4096];

	(void)n_bytes, (void)align, (void)is_deferred, (void)flags;
	(void)depend, (void)priority, (void)detach;
	say(copy ? "copied_task" : "task", (const void *)run, 0);
	say("created", __builtin_return_address(0), 1);
	if (copy)
		say("copy", (const void *)copy, 0);
	if (copy)
		copy(room, data);
	run(copy ? room : data);
}

void GOMP_taskwait(void)
{
}

__attribute__((noinline)) void leaf(const char *label)
{
	say(label, __builtin_return_address(0), 1);
}

__attribute__((noinline, cold)) void cold_leaf(const char *label)
{
	say(label, __builtin_return_address(0), 1);
}

__attribute__((always_inline)) static inline void inlined(void)
{
	leaf("inlined"); /* @inlined */
	__asm__ volatile("");
}

__attribute__((noinline)) void caller(void) /* @caller */
{
	leaf("call"); /* @call */
	inlined();
	say("caller", (const void *)caller, 0);
}

/* Nothing before the call: at -O2 the call's row is at the function's first byte too. */
__attribute__((noinline)) void jumps(void) /* @jumps */
{
	leaf("jump");
}

/* At -O2 in two parts. */
__attribute__((noinline)) void parts(int n)
{
	if (n > 3)
		cold_leaf("cold"); /* @cold */
	__asm__ volatile("");
}

__attribute__((noinline)) void tasks(int n)
{
	int room[n];

	room[0] = n;
#pragma omp task firstprivate(room) /* @copied_task */
	{
		leaf(room[0] ? "in_copied_task" : "");
		__asm__ volatile("");
	}
	if (n > 1) {
		int more = n;
#pragma omp task shared(more) /* @task */
		{
			more++;
			leaf("in_task"); /* @in_task */
			__asm__ volatile("");
		}
	}
#pragma omp taskwait
}

#ifdef REBUILT
void one_more(void);
void one_more(void)
{
	say("one_more", NULL, 0);
}
#endif

int main(void)
{
	caller();
	jumps();
	say("jumps", (const void *)jumps, 0);
	parts(4);
	tasks(3);
	library_work();
	say_modules();
	return 0;
}
