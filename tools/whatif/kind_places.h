/* SPDX-License-Identifier: MIT */
/* kind_places.h - where the code of kinds is, as the recorder's lists of kinds have it
 * (preload/probes/kind_list.h).
 */
#pragma once

#include <stdio.h>
#include "tools/run/run.h"

#define PLACES_BYTES 512u

/* With the bytes as %XX that have a meaning in the list, or would end a word. */
void places_put_text(FILE *out, const char *text);

/* The kind's own place.  False: nothing says where its code is. */
bool places_one(const struct run *run, kind_id kind, char place[PLACES_BYTES]);

/* All its places, `|` between them, and before unless it is the first.  False likewise. */
bool places_put(FILE *out, const struct run *run, kind_id kind, bool *first);
