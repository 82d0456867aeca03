/* SPDX-License-Identifier: MIT */
/* kind_names.c - a name for each kind; "?" for those that none is known of. */
#include "tools/whatif/kind_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/whatif/what_if.h"

int kind_names_make(struct kind_names *names, const struct run *run)
{
	names->name = calloc(run->dag.n_kinds + 1ull, sizeof(*names->name));
	if (!names->name)
		return -ENOMEM;
	for (names->n = 0; names->n < run->dag.n_kinds; names->n++) {
		char text[512];

		if (!what_if_kind(run, names->n, text, sizeof(text)))
			strcpy(text, "?");
		names->name[names->n] = strdup(text);
		if (!names->name[names->n])
			return -ENOMEM;
	}
	return 0;
}

void kind_names_free(struct kind_names *names)
{
	for (uint32_t i = 0; i < names->n; i++)
		free(names->name[i]);
	free(names->name);
	*names = (struct kind_names){ 0 };
}
