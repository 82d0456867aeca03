/* SPDX-License-Identifier: MIT */
/* worker_list.c - reads lists of numbers of workers, with what dots leave out. */
#include "tools/whatif/worker_list.h"

#include <stdlib.h>
#include <string.h>

#include "tools/model/simulate.h"

static uint64_t number_at(const char **at)
{
	char *end;
	unsigned long long n = strtoull(*at, &end, 10);

	if (**at < '0' || **at > '9')
		return 0;
	*at = end;
	return n;
}

/* "..", "..." or the sign for it. */
static bool dots_at(const char **at)
{
	size_t n = strncmp(*at, "\xe2\x80\xa6", 3) == 0 ? 3 : strspn(*at, ".");

	*at += n;
	return n > 1;
}

/* Goes on by the ratio of the last two numbers, or by doubling, up to the next one. */
static bool fill_up(uint32_t *workers, uint32_t *n, uint64_t last)
{
	uint64_t ratio = *n > 1 && workers[*n - 2] ? workers[*n - 1] / workers[*n - 2] : 2;
	uint64_t next = *n ? workers[*n - 1] * (ratio > 1 ? ratio : 2) : last;

	for (; next < last && *n<WIDTHS_MOST; next *= ratio> 1 ? ratio : 2)
		workers[(*n)++] = (uint32_t)next;
	return *n < WIDTHS_MOST;
}

bool widths_read(const char *text, uint32_t *workers, uint32_t *n)
{
	*n = 0;
	for (;;) {
		bool dots = *n && dots_at(&text);
		uint64_t value;

		if (dots && *text++ != ',')
			return false;
		value = number_at(&text);
		if (!value || value > SIMULATE_WORKERS_MOST || *n == WIDTHS_MOST)
			return false;
		if (dots && !fill_up(workers, n, value))
			return false;
		workers[(*n)++] = (uint32_t)value;
		if (!*text)
			return true;
		if (*text++ != ',')
			return false;
	}
}

bool widths_are(const char *text)
{
	uint32_t workers[WIDTHS_MOST], n;

	return widths_read(text, workers, &n);
}
