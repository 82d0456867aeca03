/* SPDX-License-Identifier: MIT */
/* view_server.h - the page of `tptrace view --serve`, and all strands of what is in sight on it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "collector/trace/err.h"
#include "tools/serve/wait_page.h"
#include "tools/serve/server.h"
#include "tools/view/view.h"

struct view_server {
	struct server server;
	struct waiting waiting; /* its .stage: how far the page is; waiting_at() */
	bool is_open;
};

/* Answers from now on that the page is being made.  0, or -errno and *err. */
int view_server_open(struct view_server *server, uint16_t port, struct err *err);
/* Answers with the page until it is ended; idle_s: server.h.  0, or -errno and *err. */
int view_serve(struct view_server *server, const struct view *view, uint32_t idle_s,
	       struct err *err);
void view_server_close(struct view_server *server); /* a zeroed one is fine */
