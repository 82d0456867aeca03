/* SPDX-License-Identifier: MIT */
/* path_table.h - creation paths, as data; the screen has them as a profile. */
#pragma once

#include "tools/summary/path_rows.h"
#include "tools/table/table.h"

/* The most costly first. */
struct table path_table(const struct path_rows *rows);
