/* SPDX-License-Identifier: MIT */
/* keep_names.h - puts the names of a trace's sites into the trace. */
#pragma once

#include <stdint.h>
#include "collector/trace/err.h"

/*
 * Looks up the names of all sites and adds them to the trace, which must have ended (kept.h).
 * *n_sites: how many there are.  0, or -errno and *err, and the trace is as it was.  Where a cgroup
 * limits memory, the process may take no more than half of what is left, from then on.
 */
int keep_names(const char *path, uint32_t *n_sites, struct err *err);

/*
 * The same in a process of its own, which may crash over a corrupt binary: waits for it.  Says
 * nothing.  Any thread.
 */
void keep_names_apart(const char *path);
