/* SPDX-License-Identifier: MIT */
/*
 * launcher.h - what the launcher of many processes (MPI, Slurm) says of this one.
 *
 * Any thread; the strings are the environment's, NULL where no launcher sets one.
 */
#pragma once

#include <stddef.h>

const char *launcher_rank(void);       /* of this process, .. */
const char *launcher_ranks(void);      /* .. of so many */
const char *launcher_local_rank(void); /* among those on this host */

/* The name of the job, the same for all ranks.  `room` is of bytes. */
const char *launcher_job(char *out, size_t room);
