/* SPDX-License-Identifier: MIT */
/*
 * bots.h - what the programs of this folder share: random numbers, memory, and their own check.
 *
 * The programs solve the problems of the Barcelona OpenMP Tasks Suite [Duran et al., ICPP 2009],
 * with its cut-offs, on input that is made up; they were written anew, over test/port/port.h.
 * Each makes the same tasks and the same result on every runtime and number of threads.
 */
#pragma once

#include "test/port/port.h"

/* The next of a sequence that its first value fixes [Numerical Recipes, ch. 7: ranqd1]. */
__attribute__((unused)) static unsigned bots_random(unsigned *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

__attribute__((unused)) static void *bots_alloc(size_t n, size_t bytes)
{
	void *memory = calloc(n, bytes);

	if (!memory)
		exit(1);
	return memory;
}

/* A program that finds its own result wrong exits. */
__attribute__((unused)) static void bots_check(bool right, const char *what)
{
	if (right)
		return;
	fprintf(stderr, "wrong result: %s\n", what);
	exit(1);
}

/* For checksums: a hash of bytes, FNV-1a, of 48 bits so that it is exact as a double as well. */
__attribute__((unused)) static long bots_hash(const void *bytes, size_t n)
{
	uint64_t hash = 14695981039346656037u;

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
	return (long)(hash >> 16);
}
