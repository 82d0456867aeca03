/* SPDX-License-Identifier: MIT */
/* scaling_put.h - how much longer each kind takes on several numbers of workers. */
#pragma once

#include <stdio.h>
#include "tools/model/scaling.h"

/* A table, with what lies beyond the traced numbers of workers marked. */
void scaling_screen(FILE *out, const struct scaling *scaling, const uint32_t *workers, uint32_t n);
/* A member of an object, which begins with a comma. */
void scaling_json(FILE *out, const struct scaling *scaling, const uint32_t *workers, uint32_t n);
