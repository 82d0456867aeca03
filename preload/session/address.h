/* SPDX-License-Identifier: MIT */
/*
 * address.h - where a traced process can be asked: a socket in the abstract namespace.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>

/* The address of the process's socket; how many bytes of it count. */
static inline socklen_t address_of(struct sockaddr_un *address, int pid)
{
	int n;

	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	n = snprintf(address->sun_path + 1, sizeof(address->sun_path) - 1, "tptrace.%d", pid);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}
