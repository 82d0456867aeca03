/* SPDX-License-Identifier: MIT */
/* fewest_put.h - the smallest sets of changes, in words and as JSON. */
#pragma once

#include <stdio.h>
#include "tools/model/fewest.h"

/* `name` is that of each kind, as options name it.  On one screen; as one line of JSON. */
void fewest_screen(FILE *out, const struct fewest *fewest, const struct forecast *forecast,
		   char *const *name);
void fewest_json(FILE *out, const struct fewest *fewest, const struct forecast *forecast,
		 char *const *name);
