/* SPDX-License-Identifier: MIT */
/* marks_say.h - puts what is wrong on the page of `tptrace check-marks`. */
#pragma once

#include <stdbool.h>

#include "preload/probes/marks/marks_page.h"

/* False: there is no page, and no mark is checked.  Once, before any of the others. */
bool marks_say_open(void);

/* `at` and `other` are return addresses of marks; NULL: there is none.  With the lock of
 * marks_check.c.
 */
void marks_say(enum marks_wrong what, const void *at, const void *other);
void marks_say_count(bool is_task); /* one more mark, or task */
