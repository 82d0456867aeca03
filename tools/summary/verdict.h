/* SPDX-License-Identifier: MIT */
/* verdict.h - how much is lost, and to what, in a few sentences: for the screen and the page. */
#pragma once

#include <stdint.h>
#include "tools/summary/summary.h"

#define VERDICT_TEXT 2400
#define OUTSIDE_TOLD .2 /* of a process's time, outside of the runtime's */

/* One line; of the findings, the reader is shown the first n_shown. */
void verdict_say(char text[VERDICT_TEXT], const struct summary *summary, uint32_t n_shown);
