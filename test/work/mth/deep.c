/* SPDX-License-Identifier: MIT */
/* deep.c - nearly all of a 16 KiB stack is used where the runtime is called. */
// env: LD_BIND_NOW=1
#include <alloca.h>
#include <stdio.h>
#include <string.h>
#include "myth/myth.h"

/*
 * Bytes of it that are left to the calls.  Names are bound before: what ld.so takes of the stack to
 * bind one at its first call depends on the processor, for it saves all vector registers.
 */
#define LEFT 2600

static myth_mutex_t mutex = MYTH_MUTEX_INITIALIZER;

static void *leaf(void *arg)
{
	return arg;
}

static void *deep(void *arg)
{
	char here;
	volatile char *room = alloca(16384 - LEFT - 200);
	void *result;
	long n = (long)arg;

	memset((void *)room, (int)n, 16384 - LEFT - 200);
	__asm__ volatile("" : : "r"(room) : "memory"); /* all of it is needed */
	myth_mutex_lock(&mutex);
	myth_mutex_unlock(&mutex);
	myth_yield();
	myth_join(myth_create(n > 0 ? deep : leaf, (void *)(n - 1)), &result);
	here = room[n];
	return (void *)((long)result + (here == (char)n));
}

int main(void)
{
	myth_thread_attr_t attr = { 0 };
	myth_thread_t thread;
	void *result;

	myth_init();
	myth_thread_attr_init(&attr);
	attr.stacksize = 16384;
	attr.child_first = 1;
	myth_create_ex(&thread, &attr, deep, (void *)20);
	myth_join(thread, &result);
	printf("%ld\ntptrace-tasks 22\n", (long)result);
	return 0;
}
