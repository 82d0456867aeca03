/* SPDX-License-Identifier: MIT */
/*
 * cause.h - one row of the table of causes, and what their files share.
 *
 * find() claims rows of the ledger and adds findings with their facts.  The sentences are templates
 * over facts (fact.h), or say() puts them together.  A family of causes is a file, which gives its
 * rows of the table.
 */
#pragma once

#include "tools/analysis/findings/ledger.h"
#include "tools/analysis/findings/sentence.h"

struct wording {
	const char *name, *what, *advice;
};

struct cause {
	struct explanation about;
	/* NULL: it is one of a job (job_findings.h) */
	void (*find)(struct ledger *ledger, struct findings *findings, const struct cause *cause);
	const struct wording *ways; /* by variant: says after .what, and advises before .advice */
	const char *what, *advice;  /* each of these may be NULL; what they do not say: .. */
	void (*say)(const struct finding *finding, struct sentence *what, struct sentence *advice);
	bool gains_nothing; /* its cure makes the figures truer, not the run shorter */
	bool is_stretch;    /* its cure leaves what the tasks take with one worker */
	bool is_last;	    /* nothing of the program: told after what is, if that is large */
	bool of_machine;    /* finding_is_of_machine() */
	bool divides;	    /* finding_divides() */
};

#define CAUSE_DECLARED(id, remedies) extern const struct cause cause_##id;
CAUSES(CAUSE_DECLARED)

/* CPU time that so many samples stand for, in ns. */
double samples_ns(const struct clues *clues, uint64_t n);

/* What no finding has. */
uint64_t not_explained(const struct findings *findings);

/* What is moved before any claim: see ledger.h. */
void calls_settle(struct ledger *ledger);
void lock_settle(struct ledger *ledger);
void copies_settle(struct ledger *ledger);
void fine_settle(struct ledger *ledger);
void asleep_settle(struct ledger *ledger);

/* What it takes to copy what a task of the kind gets, if that is most of the call that creates it;
 * else 0. */
uint64_t copies_each_ns(const struct clues *clues, kind_id kind);

/* Whether so much is worth a finding. */
bool is_worth(const struct clues *clues, const struct loss *loss);

/* What the recorder took for an event, in ps: what it measured (strand_ps: findings.h), and what
 * was seen of all kinds. */
uint64_t grain_event_ps(const struct clues *clues, uint64_t measured_ps, uint64_t strand_ps);
/* The mean work of a task. */
uint64_t grain_work(const struct clues *clues, kind_id kind);
/* Of n like things: whether what one costs is too much for its work. */
bool grain_costs_too_much(uint64_t n, uint64_t work_ns, uint64_t cost_ns);
/* Adds the facts aim, the work that is worth the cost, and more: how many times the mean. */
void grain_aim(struct finding *finding, uint64_t cost_ns, uint64_t mean_ns);

struct kind_grain grain_of(const struct clues *clues, kind_id kind);

/*
 * The lock that decides how long tasks of the kind take: if they cost nothing, it would be held for
 * half of the time.  *share of their work is under it.  NULL: none.
 */
const struct lock *lock_that_decides(const struct clues *clues, kind_id kind, double *share);

/*
 * Samples of a kind at a spot (spot.c): all that is one cause with spot[at] of the spots;
 * false if another of these has more, or they are few.  Gathers the work that they stand for, and
 * what the tasks slept there; adds what they tell.
 */
bool spot_sum(const struct kind_spots *spots, uint32_t at, struct kind_spot *sum);
void spot_claim(struct ledger *ledger, const struct kind_spot *spot);
void spot_facts(const struct kind_spots *spots, uint32_t at, struct finding *finding);
/* The place of the lock that they are at, where workers waited for it, too: one cause with these
 * waits (lock.c).  0: none. */
uint32_t spot_place(const struct clues *clues, const struct kind_spot *spot);

/* Calls that take locks while they are free, or release them (locking.c): whether those of a place
 * are worth a finding; .. */
bool calls_are_worth(const struct ledger *ledger, uint32_t wait);
/* .. what one takes, in ns, of n that took so long; .. */
uint64_t calls_each_ns(const struct clues *clues, uint64_t n, uint64_t sum_ns);
/* .. and recording adds, in ns. */
uint64_t calls_tracer_ns(const struct clues *clues);
/* How long workers were kept by tasks that yield again and again. */
uint64_t yields_sum(const struct clues *clues);

/* The parts of a role, kind and place as one, from the first on: their sum, with the longest. */
struct part part_of_kind(const struct clues *clues, uint32_t i);
/* Of which the longest strand ran on it. */
uint32_t part_worker(const struct clues *clues, const struct part *part);
/* Whether others had nothing to do meanwhile: else the path just happens to lead through it. */
bool part_is_idle(const struct clues *clues, const struct part *part);
/* Of ROLE_CHAIN: whether the path has its tasks one after the other, or those of another chain;
 * else they, or those that they depend on, had something to do between them. */
bool part_is_in_a_row(const struct clues *clues, const struct part *part);
/* Workers that ran strands meanwhile, in the mean. */
double part_busy(const struct part *part);
/* Gathers the rows of all parts that part_of_kind() adds up. */
void part_claim(struct ledger *ledger, uint32_t i);
/* A finding of what is gathered, with the part's kind, longest strand, and the fact busy; NULL as
 * finding_claim(). */
struct finding *part_finding(struct findings *findings, const struct cause *cause,
			     struct ledger *ledger, const struct part *part);

/* Variants of causes that more than one file tells apart. */
enum { PRODUCER_SLOW, PRODUCER_HOLDS, PRODUCER_STOLEN };
enum { TAIL_LATE, TAIL_LONG_ANYWAY }; /* whether the task could have begun much earlier */
/* what would help besides, at a wait that comes again and again */
enum { WAIT_OTHERS = 1, WAIT_EACH, WAIT_FEW, WAIT_UNEVEN, WAIT_BELOW };
