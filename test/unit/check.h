/* SPDX-License-Identifier: MIT */
/* check.h - checks that tell, when one fails, what was looked at. */
#pragma once

#include "test/lib/test.h"

/* What is looked at; told when a check fails. */
static const char *name __attribute__((unused));

#define check(condition)                                                                           \
	do {                                                                                       \
		if (!(condition))                                                                  \
			fail_msg("%s: not %s", name, #condition);                                  \
	} while (0)
