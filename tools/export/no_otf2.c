/* SPDX-License-Identifier: MIT */
/* no_otf2.c - in place of to_otf2.c where libotf2 is missing: a format that nothing writes. */
#include "tools/export/format.h"

const struct format format_otf2 = { .name = "otf2" };
