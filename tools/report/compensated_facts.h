/* SPDX-License-Identifier: MIT */
/* compensated_facts.h - the run without what recording took, for all outputs: `--compensate`. */
#pragma once

#include <stdio.h>
#include "tools/table/look.h"
#include "tools/summary/summary.h"
#include "tools/table/json.h"

/* A sentence and a table. */
void compensated_put(FILE *out, const struct summary *summary, const struct look *look);

/* "compensated":{..}, or null for a part of the run. */
void compensated_put_json(struct json *to, const struct summary *summary);
