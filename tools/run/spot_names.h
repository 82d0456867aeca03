/* SPDX-License-Identifier: MIT */
/* spot_names.h - the spots of stacks, by functions of libraries and by instructions (spots.h). */
#pragma once

#include "tools/analysis/spots.h"
#include "tools/run/sampled.h"

/* That of a stack, as struct code_stacks has it. */
uint8_t spot_of(const struct sampled *sampled, uint32_t stack, bool in_kernel);

/* A function of libc by the name that programs call: `write` of `__libc_write`. */
const char *spot_library_name(const char *function);

/* It gives memory back to the kernel. */
bool spot_returns_memory(const char *function);

/* It waits until a time comes, and for nothing else. */
bool spot_sleeps(const char *function);

/* Its innermost function copies memory, or gets some of the kernel. */
bool spot_copies(const struct sampled *sampled, uint32_t stack);

/* It copies or drops a std::shared_ptr, whose count all copies have. */
bool spot_counts(const struct sampled *sampled, uint32_t stack);
