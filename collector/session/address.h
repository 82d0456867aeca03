/* SPDX-License-Identifier: MIT */
/*
 * address.h - where a traced process can be asked: a socket in the abstract namespace.
 *
 * Anybody may take such a name.  Where "tptrace.PID" is taken, the name goes on with a number that
 * nobody can guess, and who asks finds it in /proc/net/unix; whose it is, the kernel says
 * (SO_PEERCRED).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>

/* The address of the process's socket, with that number unless it is 0; how many bytes of it count.
 */
static inline socklen_t address_of(struct sockaddr_un *address, int pid, uint64_t number)
{
	int n;

	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	n = snprintf(address->sun_path + 1, sizeof(address->sun_path) - 1,
		     number ? "tptrace.%d.%016llx" : "tptrace.%d", pid, (unsigned long long)number);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}
