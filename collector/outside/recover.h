/* SPDX-License-Identifier: MIT */
/*
 * recover.h - gets back the events in the chunks of a killed process.
 *
 * A process that collects by itself keeps its rings in a ring file (ringfile.h), and its trace
 * names that.  Neither is believed anything before it was copied and checked.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "collector/trace/err.h"
#include "collector/outside/ringfile.h"

struct recovered {
	char trace[4096];     /* "": there was nothing to recover */
	char why_kept[256];   /* "": the ring file was removed; else why it was not */
	uint64_t n_in_all;    /* events that the trace has now */
	uint64_t n_events;    /* those of them that were got back */
	uint64_t n_lost;      /* that were in no file, as far as they are known */
	uint32_t n_bad;	      /* workers whose ring makes no sense, or not behind the trace */
	uint32_t n_elsewhere; /* workers whose ring was in no file */
	bool is_elsewhere;    /* the trace is not where the program would have made it */
	bool is_refused;      /* on failure: a new trace could not be written */
};

/*
 * Appends the events of the ring file to its trace, or makes one, and ends it; `trace` is where
 * that is now, or NULL for where its process had it.  The ring file is removed once all of it is in
 * the trace.  0 or -errno and *err; -EBUSY if the process still lives, -EALREADY if its trace has
 * its end, -ENOENT if that is gone.  A trace that fails to grow is cut back to what it was.
 */
int recover(const char *ring, const char *trace, struct recovered *out, struct err *err);

/* What a ring file has, as its process left it. */
struct recover_content {
	char program[64], trace[4096]; /* "": not known, none begun */
	int pid;
	bool is_here;  /* the trace is, or would be made, in the working directory */
	bool is_empty; /* its process was gone before it recorded anything */
};

/* Changes nothing.  0 or -errno and *err; -EBUSY if the process still lives. */
int recover_inspect(const char *ring, struct recover_content *out, struct err *err);

/* Ring files of this user's whose process has ended: what `recover --all` would see to. */
struct recover_left {
	uint32_t n, n_here;		/* n_here: as in recover_content */
	struct recover_content example; /* one of them, of those that are here if there are any */
};

/* Changes nothing. */
struct recover_left recover_left(void);
