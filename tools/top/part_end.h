/* SPDX-License-Identifier: MIT */
/*
 * part_end.h - the end of a part of a trace (follow.h), as if all stopped at one instant.
 *
 * A strand that still runs has no event that says so, and a task that nobody took up has none that
 * ends its wait: in a trace that ends there, neither would count.  So at the part's last instant
 * each running strand is interrupted and goes on, and each created task begins and ends.
 */
#pragma once

#include "collector/trace/err.h"
#include "collector/trace/file.h"
#include "tools/trace/decode.h"

struct part_end {
	uint64_t n_waiting; /* tasks that were created and had not begun, in the part */
	uint64_t n_untold;  /* of these, those that were too many to be put there */
};

/* The task whose strand runs on a worker after an event; `running` before it; 0: none. */
uint64_t part_running(const struct event *event, uint64_t running);

/* `file` has all its blocks, and `fd` is another descriptor of it: seqno[w] is the number of
 * worker w's next one.  0, or -errno and *err. */
int part_end_put(struct trace_file *file, int fd, struct encoder *encoder, const uint32_t *seqno,
		 struct part_end *end, struct err *err);
