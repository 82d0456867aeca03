/* SPDX-License-Identifier: MIT */
/* kind_names.h - all kinds of a run, as --split and the like name them. */
#pragma once

#include "tools/run/run.h"

struct kind_names {
	char **name; /* n, by kind */
	uint32_t n;
};

int kind_names_make(struct kind_names *names, const struct run *run); /* 0 or -ENOMEM */
void kind_names_free(struct kind_names *names);			      /* a zeroed one is fine */
