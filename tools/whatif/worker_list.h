/* SPDX-License-Identifier: MIT */
/* worker_list.h - numbers of workers as users write them: "1,2,4,..,64". */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define WIDTHS_MOST 64u

/* Whether that is such a list: the value of an option. */
bool widths_are(const char *text);

/* False if that is no list of at most WIDTHS_MOST numbers from 1 to SIMULATE_WORKERS_MOST. */
bool widths_read(const char *text, uint32_t *workers, uint32_t *n);
