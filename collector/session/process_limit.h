/* SPDX-License-Identifier: MIT */
/*
 * process_limit.h - whether the user's and the container's limits on processes leave some for the
 * recorder.
 *
 * The program shall have all that it has alone, and nobody knows how many it will start: so the
 * recorder starts processes and threads only where as many as a team of the program takes would
 * still be left; but for a thread that compares the CPUs' clocks, and is over before that is asked.
 * A team is as large as OMP_NUM_THREADS says, or as there are CPUs.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether n_own more fit beside a team of the program, by RLIMIT_NPROC and by pids.max of the
 * cgroups; both count threads.  Processes of the user that /proc does not show are not counted.  By
 * one thread at a time, with bare system calls; keeps errno.
 */
bool process_limit_fits(uint32_t n_own, uint32_t n_cpus);
