/* SPDX-License-Identifier: MIT */
/*
 * request.h - the head of a request [RFC 9112], as far as a page on this machine sends one: GET,
 * no body.  Whatever else comes is refused with a status; no byte of it is trusted.
 */
#pragma once

#include <stddef.h>

#define REQUEST_MOST 8192u /* bytes of a head; browsers send some 800 */
#define TARGET_MOST 1024u
#define HOST_MOST 256u

struct request {
	char path[TARGET_MOST];	 /* "/..", without the query; nothing in it is decoded */
	char query[TARGET_MOST]; /* behind the first `?`; "" */
	char host[HOST_MOST];	 /* of the header Host */
};

/*
 * Reads the first n bytes that came.  0: the head is not whole yet; 200: it is, and *request has
 * it; else the status to refuse it with, whatever may follow.
 */
int request_read(struct request *request, const char *bytes, size_t n);
