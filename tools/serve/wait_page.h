/* SPDX-License-Identifier: MIT */
/*
 * wait_page.h - answers the browser while the page of `tptrace view --serve` is made.
 *
 * A large trace takes half a minute to read.  A child process says meanwhile where the page will
 * be, once a second has passed, and answers there with a page that says how far the parent is, and
 * that asks again every second.  The parent does all else; the child ends when the parent does.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "collector/trace/err.h"
#include "tools/serve/server.h"

enum waiting_stage { WAITING_READ, WAITING_ARRANGE, WAITING_WRITE, WAITING_STAGES };

struct waiting {
	pid_t pid;	   /* 0: none */
	atomic_int *stage; /* enum waiting_stage; shared with the child; NULL: none */
};

/* Forks, while there is one thread.  Where that fails, nobody answers yet: no error. */
void waiting_begin(struct waiting *waiting, const struct server *server);
void waiting_at(const struct waiting *waiting, enum waiting_stage stage);
/* Ends the child.  Whether it has said where the page is.  A zeroed or ended one is fine. */
bool waiting_end(struct waiting *waiting);

/* Prints where the page is.  0, or -errno and *err. */
int waiting_say_address(const struct server *server, struct err *err);
