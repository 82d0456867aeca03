/* SPDX-License-Identifier: MIT */
/*
 * zeroed.h - memory for counters, zeroed by writing to it.
 *
 * What calloc() gives is the kernel's page of zeros until it is written: who first reads a counter
 * and then counts takes two page faults for each page.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "tools/base/xalloc.h"

/* n entries; free() frees them. */
static inline void *zeroed_alloc(uint64_t n, size_t entry_bytes)
{
	void *at = xmalloc(n < SIZE_MAX / entry_bytes ? n * entry_bytes : SIZE_MAX);

	explicit_bzero(at, n * entry_bytes); /* compilers make memset() a calloc() */
	return at;
}
