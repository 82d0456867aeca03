/* SPDX-License-Identifier: MIT */
/*
 * server.h - answers one user's browser on this machine: HTTP on 127.0.0.1, below a path that
 * nobody can guess.
 *
 * Only GET, one request a connection, and only from a page that names this very address as its
 * host, so that no site can have its own name lead here.  There are no files to be had: what the
 * caller of server_run() writes is all.  One thread; an answer is made whole before it is sent, and
 * other requests wait for it.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "collector/trace/err.h"

#define SERVER_TOKEN 32 /* hex digits: 128 random bits */

struct server {
	int socket;
	uint16_t port;
	char token[SERVER_TOKEN + 1];
};

/* `path`: what follows the token and a slash.  Returns the status, 200 if the body was written. */
typedef int server_answer(void *of, const char *path, const char *query, FILE *body);

/* Port 0: any that is free.  0, or -errno and *err.  *server is yours to server_close(). */
int server_open(struct server *server, uint16_t port, struct err *err);
/* Where it is: "http://127.0.0.1:PORT/TOKEN/".  malloc'ed; NULL if out of memory. */
char *server_address(const struct server *server);
/*
 * Answers until SIGINT, SIGTERM or SIGHUP comes, which it blocks from here on, or nothing was asked
 * for idle_s seconds; 0: whatever time passes.  Then who is connected still gets his answer, within
 * half a second.  0, or -errno and *err.
 */
int server_run(const struct server *server, uint32_t idle_s, server_answer *answer, void *of,
	       struct err *err);
void server_close(struct server *server);
