/* SPDX-License-Identifier: MIT */
/* units.c - chooses a unit and the digits. */
#include "tools/base/units.h"

#include <inttypes.h>
#include <stdio.h>

char *units_time(char out[UNITS_TIME], uint64_t ns)
{
	static const char *const unit[] = { "ns", "us", "ms", "s" };
	double value = (double)ns;
	int u = 0;

	if (ns == 0) {
		snprintf(out, UNITS_TIME, "0");
		return out;
	}
	while (u < 3 && value >= 999.5) {
		value /= 1000;
		u++;
	}
	snprintf(out, UNITS_TIME, "%.*f %s",
		 u == 0 || value >= 99.95 ? 0
		 : value >= 9.995	  ? 1
					  : 2,
		 value, unit[u]);
	return out;
}

char *units_times(char out[UNITS_TIMES], uint64_t n)
{
	if (n == 1)
		snprintf(out, UNITS_TIMES, "once");
	else
		snprintf(out, UNITS_TIMES, "%llu times", (unsigned long long)n);
	return out;
}

/* Four digits, and k, M, G or T. */
static char *number_text(char out[UNITS_COUNTER], double value)
{
	static const char unit[] = " kMGTPE";
	int u = 0;

	while (value >= 99999.5 && unit[u + 1]) {
		value /= 1000;
		u++;
	}
	snprintf(out, UNITS_COUNTER, "%.*f%s%.*s",
		 value == (double)(uint64_t)value && !u ? 0
		 : value >= 999.95			? 0
		 : value >= 9.9995			? 1
							: 3,
		 value, u ? " " : "", u ? 1 : 0, &unit[u]);
	return out;
}

char *units_counter(char out[UNITS_COUNTER], bool is_time, double value)
{
	char text[UNITS_TIME];

	if (!is_time)
		return number_text(out, value);
	snprintf(out, UNITS_COUNTER, "%s", units_time(text, (uint64_t)(value + .5)));
	return out;
}

char *units_rank(char out[UNITS_RANK], uint64_t rank, uint32_t nth_world)
{
	int n = snprintf(out, UNITS_RANK, "%" PRIu64, rank);

	if (nth_world > 1)
		snprintf(out + n, UNITS_RANK - (size_t)n, " of world %u", nth_world);
	return out;
}
