/* SPDX-License-Identifier: MIT */
/* copy.h - copies a task's argument without a call of libc, which the program may have replaced. */
#pragma once

#include <stddef.h>

/* Hot path: no libc, and mostly a few words. */
static inline void copy_bytes(void *to, const void *from, size_t bytes)
{
	char *out = to;
	const char *in = from;

	for (; bytes >= 8; bytes -= 8, in += 8, out += 8) {
		__builtin_memcpy(out, in, 8);
		__asm__("" : "+r"(out)); /* or the compiler makes a call of memcpy() of the loop */
	}
	for (; bytes; bytes--) {
		*out++ = *in++;
		__asm__("" : "+r"(out));
	}
}
