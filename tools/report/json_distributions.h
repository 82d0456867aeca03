/* SPDX-License-Identifier: MIT */
/* json_distributions.h - how times are spread, as members of a JSON object. */
#pragma once

#include <stdio.h>
#include "tools/analysis/distributions.h"
#include "tools/summary/summary.h"
#include "tools/table/table.h"

/* Members of a kind's object, each after a comma. */
void json_put_kind_distributions(FILE *out, const struct distributions *all, uint32_t kind);
/* Of all kinds, and how long stolen strands had been ready by idle workers. */
struct table distribution_rows(const struct summary *summary);
/* Members of the trace's object, each after a comma. */
void json_put_steals(FILE *out, const struct distributions *all);
/* Another one, of the binding path (strand_paths.h).  0 or -ENOMEM. */
int json_put_binding_path(FILE *out, const struct summary *summary);
