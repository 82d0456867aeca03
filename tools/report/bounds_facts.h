/* SPDX-License-Identifier: MIT */
/* bounds_facts.h - how fast the run could be on other numbers of workers, for all outputs. */
#pragma once

#include <stdio.h>
#include "tools/table/look.h"
#include "tools/summary/summary.h"

/* `--bounds`: a table of speed-ups. */
void bounds_put(FILE *out, const struct summary *summary, const struct look *look);

/* ,"bounds":{..}. */
void bounds_put_json(FILE *out, const struct summary *summary);
