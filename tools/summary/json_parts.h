/* SPDX-License-Identifier: MIT */
/* json_parts.h - members that several objects of the report have. */
#pragma once

#include "tools/analysis/breakdown.h"
#include "tools/table/json.h"

/* "work_ns", "delay_ns", "no_work_sched_ns", "no_work_app_ns" */
void json_put_charge(struct json *to, const struct charge *charge);

/* "states":{..} */
void json_put_states(struct json *to, const struct charge state[STATES]);

/* "key":{"delay_ns":..}: what was not work. */
void json_put_free(struct json *to, const char *key, const struct charge *charge);

/* "ready_path":{..} */
void json_put_ready_path(struct json *to, const struct breakdown *breakdown);
