/* SPDX-License-Identifier: MIT */
/*
 * large.h - memory for arrays that are read in any order: in huge pages, where the kernel has them.
 *
 * A read that misses the TLB waits for the page table as well: in a virtual machine, as long again
 * as for the data.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* n entries, not zeroed; free() frees them. */
void *large_alloc(uint64_t n, size_t entry_bytes);
