/* SPDX-License-Identifier: MIT */
/* json_locks.h - locks and waits for tasks as members of the report's object. */
#pragma once

#include "tools/report/summary.h"

/* ,"locks":[..] */
void json_put_locks(FILE *out, const struct summary *summary);
/* ,"waits":[..] */
void json_put_waits(FILE *out, const struct summary *summary);
