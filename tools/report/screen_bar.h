/* SPDX-License-Identifier: MIT */
/* screen_bar.h - components with their shares as numbers and bars. */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include "tools/analysis/states.h"

void screen_put_component(FILE *out, const char *name, uint64_t ns, uint64_t of_ns);
/* The four. */
void screen_put_charge(FILE *out, const struct charge *charge, uint64_t of_ns);
