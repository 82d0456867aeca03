/* SPDX-License-Identifier: MIT */
/*
 * hello.h - what a traced process and a collector outside say to each other, and it is little.
 *
 * TPTRACE_COLLECTOR is the name of the collector's socket (SOCK_SEQPACKET, abstract, of 128 random
 * bits).  A process whose session starts connects, sends a struct hello with the descriptor of its
 * memory, which must be sealed against shrinking, and gets one byte: HELLO_YES and it is collected,
 * or anything else, or nothing, and it looks after itself.  So it does if its clock is another than
 * the collector's.  Both look who the other one is (SO_PEERCRED).  Then both close the connection:
 * from there on all goes by that memory.
 */
#pragma once

#include <stdint.h>
#include <unistd.h>

#define HELLO_VARIABLE "TPTRACE_COLLECTOR"
#define HELLO_INSIDE "inside" /* instead of a name: no collector outside */
#define HELLO_MAGIC "tphello\n"
#define HELLO_YES 'y'
#define HELLO_WAIT_S 5 /* who does not answer for so long is not there */

struct hello {
	char magic[8];
	uint32_t layout; /* SESSION_LAYOUT */
	uint32_t zero;
	char time_space[32]; /* hello_time_space() */
};

/* Names the time namespace, whose CLOCK_MONOTONIC the times are of; "" if unknown. */
static inline void hello_time_space(char out[32])
{
	ssize_t n = readlink("/proc/self/ns/time", out, 31);

	out[n > 0 ? n : 0] = 0;
}
