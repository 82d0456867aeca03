/* SPDX-License-Identifier: MIT */
/*
 * loader.c - stands for the loader of another libc: says which LD_PRELOAD it got, and ends with 9.
 *
 * The kernel starts it in a program's place, so it has no libc, and nothing to start one.
 */
#include <stddef.h>
#include <sys/syscall.h>

static void call(long number, long a, const void *b, size_t c)
{
#ifdef __x86_64__
	__asm__ volatile("syscall"
			 : "+a"(number)
			 : "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
#else
	register long x0 __asm__("x0") = a, x8 __asm__("x8") = number;
	register const void *x1 __asm__("x1") = b;
	register size_t x2 __asm__("x2") = c;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x1), "r"(x2), "r"(x8) : "memory");
#endif
}

static size_t bytes_of(const char *text)
{
	size_t n = 0;

	while (text[n])
		n++;
	return n;
}

static int begins(const char *text, const char *with)
{
	while (*with && *text == *with)
		text++, with++;
	return !*with;
}

__attribute__((used)) void run(char **stack)
{
	char **at = stack + 1 + (size_t)stack[0] + 1; /* argc, arguments, NULL */

	for (; *at; at++)
		if (begins(*at, "LD_PRELOAD="))
			call(SYS_write, 1, *at, bytes_of(*at));
	call(SYS_write, 1, "\n", 1);
	call(SYS_exit_group, 9, NULL, 0);
}

#ifdef __x86_64__
__asm__(".globl _start\n_start: mov %rsp, %rdi\n and $-16, %rsp\n call run\n");
#else
__asm__(".globl _start\n_start: mov x0, sp\n bl run\n");
#endif
