/* SPDX-License-Identifier: MIT */
/* few.c - what does not fit into a byte. */
#include "tools/base/few.h"

#include <stdlib.h>

#include "tools/base/zeroed.h"

void few_open(struct few *few, uint64_t n)
{
	*few = (struct few){ .n = zeroed_alloc(n + 1, 1) };
}

void few_add_many(struct few *few, uint32_t i)
{
	uint64_t *many = map_put(&few->many, i);

	*many += few->n[i] == UINT8_MAX ? 1 : UINT8_MAX;
	few->n[i] = UINT8_MAX;
}

void few_free(struct few *few)
{
	free(few->n);
	map_free(&few->many);
	*few = (struct few){ 0 };
}
