/* SPDX-License-Identifier: MIT */
/* sleeper.h - where a thread sleeps: its stack, as /proc and process_vm_readv() have it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "tools/sample/unwind.h"

/* The file that says where the thread is: a descriptor, or -1 where the system has none, or does
 * not let us. */
int sleeper_open(int pid, uint32_t thread);

/* False if the thread has a CPU or waits for one.  `stack` has room for so many bytes. */
bool sleeper_look(int fd, int pid, char *stack, size_t room, struct unwind_start *at);
