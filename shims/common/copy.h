/* SPDX-License-Identifier: MIT */
/* copy.h - copies a task's argument without a call of libc, which the program may have replaced. */
#pragma once

#include <stddef.h>

/* Hot path: no libc, and mostly a few words. */
static inline void copy_bytes(void *to, const void *from, size_t bytes)
{
	char *out = to;
	const char *in = from;
	size_t n = 0;

	for (; n < (bytes & ~(size_t)7); n += 8) {
		__builtin_memcpy(out + n, in + n, 8);
		__asm__("" : "+r"(n)); /* or the compiler makes a call of memcpy() of the loop */
	}
	for (; n < bytes; n++) {
		out[n] = in[n];
		__asm__("" : "+r"(n));
	}
}
