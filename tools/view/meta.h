/* SPDX-License-Identifier: MIT */
/* meta.h - what the page says besides the report's JSON: names of kinds, sites and waits, rows. */
#pragma once

#include "tools/view/columns.h"

struct view_wanted;

/* {"elapsed":..,"rows":[..],..}: tools/view/README.md. */
void meta_put(FILE *out, const struct view_run *run, const struct view_wanted *wanted);

/* `,"key":[..]`: what `put` prints, as an array of its lines. */
void meta_put_lines(FILE *out, const char *key, const struct summary *summary,
		    void (*put)(FILE *out, const struct summary *summary));
