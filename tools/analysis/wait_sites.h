/* SPDX-License-Identifier: MIT */
/*
 * wait_sites.h - places that wait for tasks: taskwaits, barriers, taskgroups, joins.
 *
 * Locks and the like are not among them (locks.h).  A task waits from the end of its strand until
 * what it waits for is done; whoever was done last is what it waited for.  Idle time of a worker
 * (pauses.h) is below the wait that began last of those that began on it and are not over.
 *
 * Times are ns, of what is selected.  A wait that lies outside of the selection does not count.
 */
#pragma once

#include "tools/analysis/pauses.h"
#include "tools/analysis/select.h"
#include "tools/dag/dag.h"

#define WAIT_KINDS 4u /* kinds that are named */

struct wait_kind {
	kind_id kind;
	uint64_t n, ns; /* waits of which a task of the kind was done last, and their time */
};

struct wait_site {
	site_id site;
	uint8_t what;	      /* enum wire_wait */
	uint64_t n, n_waited; /* waits; those that were not over at once */
	uint64_t wait_ns, max_ns, idle_ns;
	struct wait_kind last[WAIT_KINDS]; /* the most ns first */
	uint32_t n_kinds;		   /* in all, named or not */
};

struct wait_sites {
	struct wait_site *site; /* the most idle_ns first */
	uint32_t n;
};

void wait_sites_find(struct wait_sites *sites, const struct dag *dag, const struct pauses *pauses,
		     const struct select *select);
void wait_sites_free(struct wait_sites *sites);	  /* a zeroed one is fine */
