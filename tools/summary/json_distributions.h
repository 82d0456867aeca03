/* SPDX-License-Identifier: MIT */
/* json_distributions.h - how times are spread, as members of a JSON object. */
#pragma once

#include "tools/analysis/distributions.h"
#include "tools/summary/summary.h"
#include "tools/table/json.h"

/* Members of a kind's object. */
void json_put_kind_distributions(struct json *to, const struct distributions *all, uint32_t kind);
/* How long stolen strands had been ready by idle workers. */
void json_put_steals_by_idle(struct json *to, const struct distributions *all);
/* The binding path (strand_paths.h). */
void json_put_binding_path(struct json *to, const struct summary *summary);
