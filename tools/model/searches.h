/* SPDX-License-Identifier: MIT */
/*
 * searches.h - how long idle workers leave alone what they could take from others.
 *
 * A steal's own lead tells only of searches that succeeded: most end because the owner was faster,
 * or because the run was over.  So a search is measured in time at risk: the part of an idle period
 * in which something of another worker could be taken; with r such strands and k > r idle workers
 * each is at risk for r / k of the time.  A period that ends without a steal says that its search
 * would have taken longer.  From both follows the distribution of whole searches [Kaplan and Meier
 * 1958], in buckets; beyond the longest, exponential with the rate of all of them.
 *
 *	at once	  something could be taken when the worker became free
 *	woken	  it became free first
 *	first	  until a worker's first strand: its thread has to start, whoever searches besides;
 *		  so it counts from the beginning, whenever something could be taken
 *
 * Tasks that wait bar their worker from some tasks under policies with a bar: such periods are left
 * out.  Read-only once built.  Times are ns.
 */
#pragma once

#include "tools/model/graph.h"
#include "tools/model/leads.h"
#include "tools/model/policy.h"

enum search { SEARCH_AT_ONCE, SEARCH_WOKEN, SEARCHES_OF };
#define SEARCH_NEVER UINT64_MAX

struct searches {
	struct lead_spread of[SEARCHES_OF];
	bool none;	 /* nothing was stolen although it could have been */
	uint64_t *first; /* n_first, ascending: of workers that began by a steal */
	uint32_t n_first;
	uint32_t n_never; /* workers that never ran anything */
};

/* `policy` is the recorded runtime's. */
void searches_build(struct searches *searches, const struct graph *graph,
		    const struct policy *policy);
void searches_free(struct searches *searches); /* a zeroed one is fine */
