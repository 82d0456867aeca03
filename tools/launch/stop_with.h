/* SPDX-License-Identifier: MIT */
/* stop_with.h - stops this process while its child is stopped. */
#pragma once

#include <sys/types.h>

/*
 * Stops this process, so that the shell takes note.  It goes on when somebody lets it go on, as the
 * shell does, and then the child goes on, too; or once the child is not stopped any more, because
 * somebody let that one go on or killed it.
 */
void stop_with(pid_t child);
