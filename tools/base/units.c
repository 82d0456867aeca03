/* SPDX-License-Identifier: MIT */
/* units.c - chooses a unit and the digits. */
#include "tools/base/units.h"

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
