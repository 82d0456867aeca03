/* SPDX-License-Identifier: MIT */
/* scaling_put.h - how much longer each kind takes on several numbers of workers. */
#pragma once

#include <stdio.h>
#include "tools/model/scaling.h"
#include "tools/table/json.h"

/* A table, with what lies beyond the traced numbers of workers marked. */
void scaling_screen(FILE *out, const struct scaling *scaling, const uint32_t *workers, uint32_t n);
/* "stretch":{..} */
void scaling_json(struct json *to, const struct scaling *scaling, const uint32_t *workers,
		  uint32_t n);
