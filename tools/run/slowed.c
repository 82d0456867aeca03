/* SPDX-License-Identifier: MIT */
/* slowed.c - reads `meta slow`, which is what the recorder was asked for. */
#include "tools/run/slowed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t slowed_kinds(const struct defs *defs, struct slowed_kind kind[SLOWED_MOST])
{
	const char *at = defs_meta(defs, "slow");
	uint32_t n = 0;

	while (at && *at && n < SLOWED_MOST) {
		size_t bytes = strcspn(at, "= ");

		if (at[bytes] != '=' || bytes >= sizeof(kind[n].name))
			return n;
		memcpy(kind[n].name, at, bytes);
		kind[n].name[bytes] = 0;
		defs_unescape(kind[n].name);
		kind[n++].factor = strtod(at + bytes + 1, NULL) / 1000;
		at = strchr(at, ' ');
		at += at != NULL;
	}
	return n;
}

char *slowed_text(const struct defs *defs, char out[SLOWED_TEXT])
{
	struct slowed_kind kind[SLOWED_MOST];
	uint32_t n = slowed_kinds(defs, kind);
	size_t used = 0;

	out[0] = 0;
	for (uint32_t i = 0; i < n && used < SLOWED_TEXT; i++)
		used += (size_t)snprintf(out + used, SLOWED_TEXT - used, "%s%s x%g", i ? ", " : "",
					 kind[i].name, kind[i].factor);
	return out;
}

uint32_t slowed_counter(const struct defs *defs)
{
	for (uint32_t i = 0; i < defs->n_counters; i++)
		if (defs->counter[i].name && strcmp(defs->counter[i].name, SLOWED_COUNTER) == 0)
			return i;
	return DEFS_COUNTERS_MAX;
}
