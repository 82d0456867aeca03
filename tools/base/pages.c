/* SPDX-License-Identifier: MIT */
/* pages.c - gives pages out, and takes them back. */
#include "tools/base/pages.h"

#include <stdlib.h>

#include "tools/base/xalloc.h"

void pages_open(struct pages *pages, uint64_t n_entries, size_t entry_bytes)
{
	uint64_t n = (n_entries >> PAGES_BITS) + 1;

	*pages = (struct pages){ .page = xcalloc(n, sizeof(*pages->page)),
				 .n_held = xcalloc(n, sizeof(*pages->n_held)),
				 .n = n,
				 .entry_bytes = entry_bytes };
}

void pages_close(struct pages *pages)
{
	for (uint64_t i = 0; pages->page && i < pages->n; i++)
		free(pages->page[i]);
	while (pages->spare) {
		void *next = *(void **)pages->spare;

		free(pages->spare);
		pages->spare = next;
	}
	free(pages->page);
	free(pages->n_held);
	*pages = (struct pages){ 0 };
}

void pages_give(struct pages *pages, uint32_t i)
{
	void *page = pages->spare;

	if (page)
		pages->spare = *(void **)page;
	else
		page = xmalloc(pages->entry_bytes << PAGES_BITS);
	pages->page[i >> PAGES_BITS] = page;
}

void pages_take(struct pages *pages, uint32_t i)
{
	void **page = pages->page[i >> PAGES_BITS];

	*page = pages->spare;
	pages->spare = page;
	pages->page[i >> PAGES_BITS] = NULL;
}
