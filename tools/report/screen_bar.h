/* SPDX-License-Identifier: MIT */
/* screen_bar.h - a component with its share as a number and a bar. */
#pragma once

#include <stdint.h>
#include <stdio.h>

void screen_put_component(FILE *out, const char *name, uint64_t ns, uint64_t of_ns);
