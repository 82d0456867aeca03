/* SPDX-License-Identifier: MIT */
/*
 * remedy.h - what a finding advises, as changes that a simulation can make (tptrace-simulate(1)).
 *
 * Advice that no change expresses (other dependences, fewer waits, another machine) has no remedy.
 */
#pragma once

#include "tools/analysis/findings/findings.h"

enum remedy_what {
	REMEDY_SPLIT,	      /* each strand of the kind as `n` tasks */
	REMEDY_MERGE,	      /* `n` tasks of the kind as one */
	REMEDY_CALL,	      /* tasks of the kind with less work than `n` ns are calls */
	REMEDY_LONGEST_FIRST, /* long tasks of the kind are created first */
	REMEDY_SPEED,	      /* the kind's code is `factor` times as fast */
	REMEDY_WITHOUT_LOCK,  /* nobody waits for the locks at the site */
	REMEDY_UNTIED,
	REMEDY_NO_THROTTLE,
	REMEDY_FREE_CREATE, /* what nothing takes less than: a creation costs nothing .. */
	REMEDY_FREE_STEAL,
	REMEDY_FREE_INSIDE /* .. of what is inside of collapsed tasks */
};

struct remedy {
	enum remedy_what what;
	kind_id kind;
	site_id site;
	uint64_t n;
	double factor;
	bool is_bound; /* no real change gains more, and most gain less */
};

#define REMEDIES_MOST 4u

/* Returns how many there are.  dag and breakdown are those that the findings are of. */
uint32_t remedies_of(const struct finding *finding, const struct dag *dag,
		     const struct breakdown *breakdown, struct remedy remedy[REMEDIES_MOST]);
