/* SPDX-License-Identifier: MIT */
/*
 * findings.h - known causes of lost core-seconds, where a run shows their evidence.
 *
 * Each cause claims core-seconds in which workers ran no code of the program, and no core-second is
 * claimed twice: clues.h says how they are told apart at each instant.  A finding is made only if
 * it lost at least FINDING_SHARE of elapsed * P, less what workers waited for CPUs that other
 * programs had: so a busy machine hides no cause.
 */
#pragma once

#include "tools/analysis/breakdown.h"
#include "tools/analysis/findings/causes.h"
#include "tools/analysis/findings/fact.h"
#include "tools/analysis/findings/when.h"
#include "tools/analysis/kinds.h"
#include "tools/analysis/locks.h"
#include "tools/analysis/machine.h"
#include "tools/analysis/spots.h"

#define FINDING_SHARE 0.02
#define FINDING_LARGE 0.05 /* of elapsed x P: what no healthy program has, by DESIGN */
#define FINDING_TEXT 1200

struct finding {
	const char *id;	     /* "serial", .. */
	uint64_t lost_ns;    /* core-seconds */
	uint64_t path_ns;    /* of which on the ready path */
	uint64_t elapsed_ns; /* of elapsed at stake: lost_ns / P */
	uint64_t in_work_ns; /* of lost_ns what is of work: code that took longer than it should */
	kind_id kind;	     /* whose place is the finding's, .. */
	site_id site;	     /* .. or this site, unless SITE_NONE */

	uint64_t gain_ns; /* of elapsed that the cure can bring, at most */
	unsigned variant; /* of the cause's */
	bool is_behind;	  /* small, or no fault of the program: told after its large ones */
	uint32_t n_workers, worker;
	uint64_t from_ns, to_ns; /* of the longest time, since the window began */
	struct when when;	 /* when it was lost (empty: from_ns .. to_ns) */
	const struct lock *lock; /* what is waited for, as findings_of has it; NULL */
	uint32_t n_facts;
	struct fact fact[FACTS_MOST]; /* its evidence */
};

/* Whether most of it was lost while code ran. */
static inline bool finding_is_in_work(const struct finding *finding)
{
	return finding->in_work_ns > finding->lost_ns / 2;
}

/* What to do with the tasks of a kind, by what others could not do and by what they cost. */
enum quadrant {
	QUADRANT_LEAVE,	 /* neither is much */
	QUADRANT_SPLIT,	 /* others had nothing to do because of it: more concurrency */
	QUADRANT_MERGE,	 /* they cost much: fewer and larger ones */
	QUADRANT_CHANGE, /* both: another algorithm */
	QUADRANTS
};
extern const char *const quadrant_name[QUADRANTS]; /* "leave", .. as in the JSON report */

struct kind_grain {
	uint64_t
		cost_ns; /* of a task: what the runtime takes, without the recorder; 0: not known */
	double benefit;	 /* mean work / cost: below 1 it should be called; 0: not known */
	enum quadrant quadrant;
};

struct findings {
	/* the most costly first, but the program's large ones before what is no fault of it */
	struct finding *finding;
	uint32_t n;
	uint64_t room;
	uint64_t total_ns; /* core-seconds in which workers ran nothing, and what findings have of
			      work */
	uint64_t not_explained_ns; /* of which no finding has */
	struct kind_grain *grain;  /* by kind */
	uint64_t event_ps;  /* what the recorder took for an event, as far as the trace bears it out
			     */
	uint64_t tracer_ns; /* what it took of the workers' time */
};

/* What the tasks of a kind took of CPU time, in sum, here and with one worker. */
struct kind_stretch {
	bool is_known;	       /* by enough samples of both; .. */
	bool is_sure;	       /* .. and they differ by more than chance */
	double factor, memory; /* of what it grew by, the part that waits for own memory */
	uint64_t usual_ns, longer_ns;
};

/* What is looked at.  All of it must outlive the call alone. */
struct findings_of {
	const struct dag *dag;
	const struct ready_path *path; /* RUNTIMES_ALL */
	const struct pauses *pauses;
	const struct ahead *ahead;   /* NULL: findings_gather() is to build it, .. */
	const struct rounds *rounds; /* .. and this */
	const struct select *select;
	const struct breakdown *breakdown;
	const struct kind_facts *facts;
	const struct machine *machine;
	const struct machine_rows *machine_rows;
	const struct locks *locks;	    /* findings point to its rows */
	const struct kind_spots *spots;	    /* NULL: there are no samples */
	const struct kind_stretch *stretch; /* by kind; NULL: there is no baseline */
	uint64_t event_ps;     /* what the recorder measured for an event; 0 if that is not known */
	uint64_t strand_ps;    /* of two, what lies in the strand between them; 0: not known */
	uint64_t n_events;     /* that it recorded in the part, with those of collapsed tasks */
	uint64_t collector_ns; /* of CPU time, that its collector had; 0: not known */
	uint64_t elapsed_ns;
};

struct ahead;
struct rounds;
struct clues;

/*
 * The sweep that findings rest on.  It takes about half of the time of all analyses, and may run on
 * a thread of its own: of `of` it needs dag, path, pauses, ahead, rounds, select, machine and facts
 * alone.
 */
struct clues *findings_gather(const struct findings_of *of);

/* Also frees the clues. */
void findings_build(struct findings *findings, const struct findings_of *of, struct clues *clues);
void findings_free(struct findings *findings); /* a zeroed one is fine */

/* How the sentences name things; those with `out` return it. */
struct finding_names {
	void *context;
	char *(*kind)(void *context, kind_id kind, char *out, size_t room);
	char *(*lock)(void *context, const struct lock *lock, char *out, size_t room);
	const char *(*site)(void *context, site_id site);    /* what is called there; "" */
	const char *(*runtime)(void *context, kind_id kind); /* "libgomp"; "" if it is not known */
};

/* What was found, and what to try, as sentences; those in `what` may stand in lines. */
void findings_say(const struct finding *finding, const struct finding_names *names,
		  char what[FINDING_TEXT], char advice[FINDING_TEXT]);

/* What a cause is, for `report --explain ID`. */
struct explanation {
	const char *id, *title, *meaning, *evidence, *remedy;
};
/* That of the id; NULL if there is none. */
const struct explanation *findings_explain(const char *id);
/* CPUs were missing, at no place in the code. */
bool finding_is_of_machine(const struct finding *finding);
/* Its cure divides code of the kind, or begins it earlier: one wants to know what is in it. */
bool finding_divides(const struct finding *finding);
