/* SPDX-License-Identifier: MIT */
/* chosen.h - which workers are exported: those that ran a strand, and that somebody wanted. */
#pragma once

#include "tools/export/export.h"

/* Fills export->worker[].  0, or -errno and *err: the list is none, or no such worker was seen. */
int chosen_workers(struct export *export, struct err *err);

/* Whether the text is a list like "0,2-5". */
bool chosen_is_list(const char *text);
