/* SPDX-License-Identifier: MIT */
/*
 * file_limit.h - no SIGXFSZ for a file of the recorder's.
 *
 * Who makes a file longer than RLIMIT_FSIZE allows gets an error and that signal, which ends the
 * process.  The limit cannot always be asked for: a filter of system calls may forbid it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct file_limit {
	uint64_t mask;
	bool pending;
};

/* From here to file_limit_release() this thread may exceed the limit: any thread, any function
 * between but one that ends or leaves.  Keeps errno, as that does. */
struct file_limit file_limit_hold(void);
void file_limit_release(const struct file_limit *held);
