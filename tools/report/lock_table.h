/* SPDX-License-Identifier: MIT */
/* lock_table.h - locks, and places that wait for tasks: `--by lock`, `--by wait`. */
#pragma once

#include "tools/summary/summary.h"
#include "tools/table/table.h"

/* Those waited for longest first; and below each who waited, and who held it. */
struct table lock_table(const struct summary *summary);

/* Those with the most idle time first; and what each waited for last. */
struct table wait_table(const struct summary *summary);
