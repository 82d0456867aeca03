/* SPDX-License-Identifier: MIT */
/* apportion.c - largest remainders. */
#include "tools/analysis/apportion.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/order.h"
#include "tools/base/xalloc.h"

struct remainder {
	unsigned __int128 rest;
	uint32_t index;
};

ORDER(larger_first, struct remainder, BY_MOST(rest) ?: BY_LEAST(index))

void apportion(uint64_t total, const uint64_t *share, uint32_t n, uint64_t *out)
{
	struct remainder *rest = xmalloc((n + 1) * sizeof(*rest));
	unsigned __int128 sum = 0;
	uint64_t left = total;

	for (uint32_t i = 0; i < n; i++)
		sum += share[i];
	for (uint32_t i = 0; i < n && sum; i++) {
		unsigned __int128 product = (unsigned __int128)total * share[i];

		out[i] = (uint64_t)(product / sum);
		rest[i] = (struct remainder){ product % sum, i };
		left -= out[i];
	}
	if (sum == 0 && n) {
		memset(out, 0, n * sizeof(*out));
		out[0] = total;
		left = 0;
	}
	if (left) {
		SORT(rest, n, larger_first);
		for (uint32_t i = 0; i < left; i++)
			out[rest[i].index]++;
	}
	free(rest);
}
