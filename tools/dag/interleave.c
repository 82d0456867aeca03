/* SPDX-License-Identifier: MIT */
/* interleave.c - merges neighbours until one run is left. */
#include "tools/dag/interleave.h"

#include <string.h>

static void two(const uint64_t *a, const uint64_t *b, uint64_t *out, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint64_t x = *a, y = *b;
		uint64_t first = x < y;

		out[i] = first ? x : y;
		a += first;
		b += !first;
	}
	out[n] = INTERLEAVE_END;
}

uint64_t *interleave(uint64_t *key, uint64_t *other, struct run *run, uint32_t n)
{
	while (n > 1) {
		uint64_t *from = key;

		for (uint32_t i = 0; i < n / 2; i++) {
			struct run a = run[2 * i], b = run[2 * i + 1];
			uint32_t n_keys = a.end - a.first + b.end - b.first;

			two(key + a.first, key + b.first, other + a.first, n_keys);
			run[i] = (struct run){ a.first, a.first + n_keys };
		}
		if (n % 2) {
			struct run last = run[n - 1];

			memcpy(other + last.first, key + last.first,
			       (last.end - last.first + 1) * sizeof(*key));
			run[n / 2] = last;
		}
		n = (n + 1) / 2;
		key = other;
		other = from;
	}
	return key;
}
