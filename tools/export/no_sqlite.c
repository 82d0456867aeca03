/* SPDX-License-Identifier: MIT */
/* no_sqlite.c - in place of to_sqlite.c where SQLite is missing: a format that nothing writes. */
#include "tools/export/format.h"

const struct format format_sqlite = { .name = "sqlite" };
