/* SPDX-License-Identifier: MIT */
/* sleeper.h - where a thread sleeps: its stack, as /proc and process_vm_readv() have it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "tools/sample/unwind.h"

/* The file that says where the thread is: a descriptor, or -1 where the system has none, or does
 * not let us. */
int sleeper_open(int pid, uint32_t thread);

/* Bytes of a stack: what waits inside of libc may be deep in it.  A scanf() has 4 KiB. */
#define SLEEPER_STACK 8192u

/* False if the thread has a CPU or waits for one. */
bool sleeper_look(int fd, int pid, char stack[SLEEPER_STACK], struct unwind_start *at);
