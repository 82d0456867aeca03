/* SPDX-License-Identifier: MIT */
/* large.c - aligned to huge pages, and said to the kernel, if it fills some. */
#include "tools/base/large.h"

#include <sys/mman.h>

#include "tools/base/xalloc.h"

#define HUGE_PAGE (UINT64_C(1) << 21)
#define WORTH_IT (8 * HUGE_PAGE)

void *large_alloc(uint64_t n, size_t entry_bytes)
{
	uint64_t bytes = n * entry_bytes;
	void *at;

	if (bytes < WORTH_IT)
		return xmalloc(bytes);
	if (n > (SIZE_MAX - HUGE_PAGE) / entry_bytes || posix_memalign(&at, HUGE_PAGE, bytes) != 0)
		out_of_memory();
	madvise(at, bytes / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE); /* it is advice: may fail */
	return at;
}
