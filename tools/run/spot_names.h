/* SPDX-License-Identifier: MIT */
/* spot_names.h - the spots of stacks, by the names of libraries' functions (spots.h). */
#pragma once

#include "tools/analysis/spots.h"
#include "tools/run/sampled.h"

/* That of a stack. */
enum code_spot spot_of(const struct sampled *sampled, uint32_t stack);
