/* SPDX-License-Identifier: MIT */
/* self.h - what /proc/self/stat says of the process. */
#pragma once

#include <stdbool.h>

struct self_stat {
	char text[1024];
};

/* By bare system calls: the program may have its own open().  False if it cannot be read. */
bool self_read(struct self_stat *stat);

/* Where that field begins, by its number in proc(5), from 3 on: the name, the second, may have
 * blanks.  NULL if there is none. */
const char *self_field(const struct self_stat *stat, int number);
