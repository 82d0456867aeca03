/* SPDX-License-Identifier: MIT */
/* parts.h - the ready path as parts: strands of one role and kind below one wait (clues.h). */
#pragma once

#include "tools/analysis/findings/ahead.h"
#include "tools/analysis/findings/clues.h"
#include "tools/analysis/findings/seats.h"
#include "tools/analysis/sweep.h"

struct roles {
	uint8_t *role;	/* by number on the path: enum role */
	uint8_t *edge;	/* enum edge_kind, from the strand before */
	uint16_t *wait; /* of the join that the strand leads to next, in dag->wait[]; 0: none */
};

struct parts {
	struct clues *clues;
	const struct ready_path *path;
	const struct ahead *ahead;
	struct roles roles;
	struct map by_key;  /* -> clues->part[] + 1 */
	struct map last_of; /* role, kind and place: likewise, the last */
	uint64_t room;
	uint32_t at;   /* on the path, .. */
	bool outside;  /* .. before its strand begins */
	uint32_t part; /* of what is there */
	const struct machine *machine;
	double passed_ns;	 /* how long that has been the path's, .. */
	double cost_ns;		 /* .. what it has cost so far, .. */
	uint64_t idle_ns;	 /* .. in so much time, .. */
	uint64_t from_ns, to_ns; /* .. from when to when */
	uint64_t alone_ns;	 /* since when it runs alone, and nothing is ready; UINT64_MAX */
	bool any;
};

void parts_open(struct parts *parts, struct clues *clues, const struct findings_of *of,
		const struct ahead *ahead);
void parts_close(struct parts *parts); /* a zeroed one is fine */

/*
 * While the sweep's time passes the path's strand runs, or the path is outside, and so many
 * core-seconds are without work.  `seat` is that of the strand's worker.
 */
void parts_charge(struct parts *parts, const struct sweep *sweep, const struct seat *seat,
		  double ns);
void parts_finish(struct parts *parts);
