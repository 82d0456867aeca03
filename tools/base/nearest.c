/* SPDX-License-Identifier: MIT */
/* nearest.c - the distance of Damerau [1964] between neighbours, in the table of Wagner and Fischer
 * [1974]. */
#include "tools/base/nearest.h"

#include <string.h>

#include "tools/base/at_most.h"

#define LETTERS 64u
#define DISTANCE_MOST 2u

static unsigned distance(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);
	uint64_t d[LETTERS + 1][LETTERS + 1];

	if (n > LETTERS || m > LETTERS)
		return DISTANCE_MOST + 1;
	for (unsigned i = 0; i <= n; i++)
		d[i][0] = i;
	for (unsigned j = 0; j <= m; j++)
		d[0][j] = j;
	for (size_t i = 1; i <= n; i++)
		for (size_t j = 1; j <= m; j++) {
			uint64_t replaced = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);

			d[i][j] = at_most(replaced, at_most(d[i - 1][j], d[i][j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d[i][j] = at_most(d[i][j], d[i - 2][j - 2] + 1);
		}
	return (unsigned)d[n][m];
}

const char *nearest_of(const char *typed, const char *const *word, size_t n)
{
	unsigned nearest = DISTANCE_MOST + 1;
	const char *best = NULL;

	for (size_t i = 0; i < n; i++) {
		unsigned far = distance(typed, word[i]);

		if (far < nearest && 3 * far <= strlen(typed)) {
			nearest = far;
			best = word[i];
		}
	}
	return best;
}
