/* SPDX-License-Identifier: MIT */
/*
 * heap.h - memory of the recorder's own, in the traced process.
 *
 * The program's malloc() is not for the collector: a fork, which may happen while the collector is
 * inside it, would leave its locks taken in the child, and a sanitizer would report what the
 * collector has not freed yet as the program's leaks.  So the linker gives all of libtptrace.so,
 * and the zstd in it, this heap in place of malloc(), calloc(), realloc(), free() and strdup()
 * (--wrap, see Makefile).  They behave as those do, for any thread; no memory is given back to the
 * kernel but that of large blocks.
 *
 * libc itself (open_memstream(), getcwd(NULL, 0)) still allocates with the program's malloc(), and
 * free() here does not know such memory: nothing in this library asks for it.
 */
#pragma once

/* In a child of fork, whose heap may be in disorder: a new one.  What is in the old one stays. */
void heap_forget(void);
