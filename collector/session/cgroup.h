/* SPDX-License-Identifier: MIT */
/*
 * cgroup.h - how much memory, how many CPUs and processes the cgroups of this process leave to it:
 * versions 1 and 2.
 *
 * A limit may stand at each level from the process's own group to the root of what is mounted; the
 * smallest rest counts.  Pages of files that the kernel can drop do not count as used.  Without
 * /proc, a mounted hierarchy or a limit nothing is known, and that is no limit.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CGROUP_NO_LIMIT UINT64_MAX

/* The process's group in one hierarchy: levels end at folder_bytes .. base_bytes. */
struct cgroup_place {
	char folder[1024]; /* "" if there is none */
	size_t base_bytes; /* of the folder: where the hierarchy is mounted */
	size_t folder_bytes;
};

struct cgroup {
	struct cgroup_place v1, v2;
};

/* Finds the groups of a controller: "memory", "cpu", "pids".  `root` goes before every path: "", or
 * a test's folder.  By one thread at a time: it has memory of its own that is no thread's stack. */
void cgroup_find(struct cgroup *cgroup, const char *controller, const char *root);

/* Bytes that are left now, or CGROUP_NO_LIMIT.  By one thread at a time; keeps errno. */
uint64_t cgroup_left(const struct cgroup *cgroup);

/* How many more processes and threads there may be, or CGROUP_NO_LIMIT; likewise. */
uint64_t cgroup_pids_left(const struct cgroup *cgroup);

/* Thousandths of a CPU that the quotas leave, rounded up, or CGROUP_NO_LIMIT; likewise. */
uint64_t cgroup_cpu_milli(const struct cgroup *cgroup);
