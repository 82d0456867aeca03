/* SPDX-License-Identifier: MIT */
/* json_parts.h - members that several objects of the report have; none begins with a comma. */
#pragma once

#include <stdio.h>
#include "tools/analysis/states.h"
#include "tools/table/places.h"

/* The name (as `key`), "file" and "line" of code; and its "module". */
void json_put_code(FILE *out, const char *key, const struct place *place);
void json_put_place(FILE *out, const char *key, const struct place *place);

/* "work_ns", "delay_ns", "no_work_sched_ns", "no_work_app_ns" */
void json_put_charge(FILE *out, const struct charge *charge);
