/* SPDX-License-Identifier: MIT */
/* view_server.h - the page of `tptrace view --serve`, and all strands of what is in sight on it. */
#pragma once

#include <stdint.h>

#include "collector/trace/err.h"
#include "tools/view/view.h"

/* Prints where the page is, and answers until it is ended; idle_s: server.h.  0, or -errno and
 * *err. */
int view_serve(const struct view *view, uint16_t port, uint32_t idle_s, struct err *err);
