/* SPDX-License-Identifier: MIT */
/* GOMP_task of seven arguments: what lies above them is the caller's own, and nobody writes it.
 * Here it is in a page that cannot be written. */
// not-on: libomp
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096
#define STACK (64 * PAGE)
#define TIMES 4

void GOMP_task(void (*fn)(void *), void *data, void (*cpy)(void *, void *), long size, long align,
	       bool if_clause, unsigned flags);
void GOMP_taskwait(void);

static long n_ran, n_copies;

static void ran(void *data)
{
	__sync_fetch_and_add(&n_ran, *(long *)data);
}

static void copy(void *to, void *from)
{
	memcpy(to, from, 16);
	__sync_fetch_and_add(&n_copies, 1);
}

#ifdef __x86_64__
/* On that stack, whose last words are the flags and padding. */
void task_at(void *stack, void (*fn)(void *), void *data, void (*cpy)(void *, void *),
	     unsigned flags);
__asm__("	.text\n"
	"task_at:\n"
	"	push %rbx\n"
	"	mov %rsp, %rbx\n"
	"	mov %rdi, %rsp\n"
	"	mov %rsi, %rdi\n"
	"	mov %rdx, %rsi\n"
	"	mov %rcx, %rdx\n"
	"	mov $16, %ecx\n"
	"	mov %r8d, (%rsp)\n"
	"	mov $8, %r8d\n"
	"	mov $1, %r9d\n"
	"	call GOMP_task@PLT\n"
	"	mov %rbx, %rsp\n"
	"	pop %rbx\n"
	"	ret\n");
#else
static void task_at(void *stack, void (*fn)(void *), void *data, void (*cpy)(void *, void *),
		    unsigned flags)
{
	GOMP_task(fn, data, cpy, 16, 8, true, flags);
}
#endif

int main(void)
{
	char *stack = mmap(NULL, STACK + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);
	long one[2] = { 1, 0 };

	mprotect(stack + STACK, PAGE, PROT_READ);
#pragma omp parallel
#pragma omp single
	{
		for (unsigned i = 0; i < 4 * TIMES;
		     i++) /* plain, untied, final, both; copied or not */
			task_at(stack + STACK - 16, ran, one, i % 8 < 4 ? NULL : copy, i % 4);
		GOMP_taskwait();
	}
	printf("%ld ran, %ld copies\n", n_ran, n_copies);
	printf("tptrace-tasks 16\n");
	return n_ran != 4 * TIMES;
}
