/* SPDX-License-Identifier: MIT */
/* otf2_lib.c - loads libotf2. */
#include "tools/export/otf2_lib.h"

struct otf2_lib otf2_lib;
static const char *const call_name[] = { LATE_NAMES(OTF2_CALLS) };

const char *otf2_lib_load(void)
{
	return late_load(OTF2_LIBRARY, call_name, LATE_COUNT(call_name), &otf2_lib);
}
