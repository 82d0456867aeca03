/* SPDX-License-Identifier: MIT */
/* candidates.h - the kinds that are worth an action, and the span without some of them. */
#pragma once

#include "tools/model/fewest.h"

/* Fills the actions.  `model` is measured.  0 or -ENOMEM. */
int candidates_find(struct fewest *fewest, const struct model *model,
		    const struct changes *changes);

/* The span if strands whose kind has `taken[kind]` as given took no time; `level` has room for all
 * steps. */
uint64_t candidates_span(const struct graph *graph, const uint8_t *taken, bool as_given,
			 uint64_t *level);
