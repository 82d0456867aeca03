/* SPDX-License-Identifier: MIT */
/*
 * local.h - what single processes found, kept without their summaries, and merged.
 *
 * A process finds what its own workers lost; a job's own findings are of its ranks' waits for each
 * other.  Findings of one cause at one place in several processes are one: their times are added,
 * but what cures bring each of them, of which it has the largest; their words are those of the
 * process that lost most.  It may come from another process of ours, as bytes.
 */
#pragma once

#include "tools/run/identity.h"
#include "tools/summary/bytes.h"
#include "tools/summary/found.h"

struct local_finding {
	struct finding finding;	    /* its facts are numbers, and texts of its own */
	struct found found;	    /* likewise its place */
	uint32_t n_processes, most; /* process that lost most, of so many */
	uint64_t most_ns;
};

struct local {
	struct local_finding *finding; /* n, in the order that they came in */
	uint32_t n;
	uint64_t room;
};

/* Those of a summary, as of process 0. */
void local_one(struct local *one, const struct summary *summary);
/* Adds those of one process, which is `process` of all, and takes them over. */
void local_add(struct local *all, struct local *one, uint32_t process);
/* That one of all the n processes, in words: on how many, and on which most.  Once for each. */
struct found local_say(struct local_finding *local, const struct identity *most, uint32_t n);
void local_pass(struct local *local, struct bytes *bytes);
void local_free(struct local *local); /* a zeroed one is fine */
