/* SPDX-License-Identifier: MIT */
/*
 * cause.h - one row of the table of causes, and what their files share.
 *
 * find() claims rows of the clues and adds findings with their facts.  The sentences are templates
 * over facts (fact.h), or say() puts them together.  A family of causes is a file, which gives its
 * rows of the table.
 */
#pragma once

#include "tools/analysis/findings/clues.h"
#include "tools/analysis/findings/sentence.h"

struct wording {
	const char *name, *what, *advice;
};

struct cause {
	struct explanation about;
	int (*find)(const struct clues *clues,
		    struct findings *findings); /* 0 or -1; may be NULL */
	/* of what several causes share, in place of find() */
	int (*find_as)(const struct clues *clues, struct findings *findings,
		       const struct cause *cause);
	const struct wording *ways; /* by variant: says after .what, and advises before .advice */
	const char *what, *advice;  /* each of these may be NULL; what they do not say: .. */
	void (*say)(const struct finding *finding, struct sentence *what, struct sentence *advice);
	bool gains_nothing; /* its cure makes the figures truer, not the run shorter */
	/* after all that: of what no cause has, rest_ns, what may be its own; may be NULL */
	int (*claim_rest)(const struct clues *clues, struct findings *findings, uint64_t rest_ns);
};

/* grain.c */
extern const struct cause cause_fine, cause_recorder;
/* supply.c */
extern const struct cause cause_producer, cause_away, cause_held;
/* stretches.c */
extern const struct cause cause_serial, cause_tail, cause_coarse;
/* chain.c */
extern const struct cause cause_chain;
/* cutoff.c */
extern const struct cause cause_cutoff;
/* yields.c */
extern const struct cause cause_yields;
/* unshared.c */
extern const struct cause cause_unshared;
/* lock.c */
extern const struct cause cause_lock, cause_word, cause_blocked;
/* locking.c */
extern const struct cause cause_locking;
/* waits.c */
extern const struct cause cause_barred, cause_buried, cause_wait, cause_imbalance;
/* barriers.c */
extern const struct cause cause_barrier;
/* cpus.c */
extern const struct cause cause_oversubscribed, cause_loaded;
/* asleep.c */
extern const struct cause cause_asleep;
/* beside.c */
extern const struct cause cause_stretch;

/* Adds a finding of that cause, whose place is the kind; NULL if memory runs out. */
struct finding *finding_add(struct findings *findings, const struct cause *cause,
			    const struct clues *clues, const struct loss *loss, kind_id kind);

/* Where and when the longest was, as the finding's place and as facts. */
void burial_add(struct finding *finding, const struct burial *burial);

/* Whether so much is worth a finding. */
bool is_worth(const struct clues *clues, const struct loss *loss);

/* Work for which there was no CPU, for certain: where waits are known, time in wait of one. */
struct loss without_cpu(const struct clues *clues);

/* What the recorder took for an event, in ps: what it measured (strand_ps: findings.h), and what
 * was seen of all kinds. */
uint64_t grain_event_ps(const struct clues *clues, uint64_t measured_ps, uint64_t strand_ps);
/*
 * What the runtime takes for a task of the kind, creation, begin and its creator's wait, in ns,
 * without what the recorder took for it (*tracer_ns).  0 if nothing tells.
 */
uint64_t grain_cost(const struct clues *clues, kind_id kind, uint64_t *tracer_ns);
/* The mean work of a task. */
uint64_t grain_work(const struct clues *clues, kind_id kind);
/* Of n like things: whether what one costs is too much for its work. */
bool grain_costs_too_much(uint64_t n, uint64_t work_ns, uint64_t cost_ns);
/* Adds the facts aim, the work that is worth the cost, and more: how many times the mean. */
void grain_aim(struct finding *finding, uint64_t cost_ns, uint64_t mean_ns);
/* Whether its tasks are so short that they are not worth what they cost. */
bool grain_is_fine(const struct clues *clues, kind_id kind);

struct kind_grain grain_of(const struct clues *clues, kind_id kind);

/*
 * The lock that decides how long tasks of the kind take: if they cost nothing, it would be held for
 * half of the time.  *share of their work is under it.  NULL: none.
 */
const struct lock *lock_that_decides(const struct clues *clues, kind_id kind, double *share);

/* Calls that take locks while they are free, or release them (calls.c): what recording took of
 * them; .. */
struct loss calls_recorded(const struct clues *clues);
/* .. what those of a place lost without that, none if it is not worth a finding; .. */
struct loss calls_at(const struct clues *clues, uint32_t wait);
/* .. what one takes, in ns, of n that took so long; .. */
uint64_t calls_each_ns(const struct clues *clues, uint64_t n, uint64_t sum_ns);
/* .. and recording adds, in ns. */
uint64_t calls_tracer_ns(const struct clues *clues);
/* Whether there is a finding that workers wait for the lock of that place: it has these calls. */
bool lock_is_found(const struct clues *clues, uint32_t wait);

/* Whether the program asked that most tasks of the kind, or the long ones, run at once, in those
 * that create them. */
bool cutoff_calls(const struct clues *clues, kind_id kind);

/* Whether tasks of the kind begin only once their creator waits. */
bool supply_is_held(const struct clues *clues, kind_id kind);

/* How long workers were kept by tasks that yield again and again. */
uint64_t yields_sum(const struct clues *clues);

/* The parts of a role, kind and place as one: their sum, with the longest of them. */
bool part_is_first(const struct clues *clues, uint32_t i);
struct part part_of_kind(const struct clues *clues, uint32_t i);
/* Of which the longest strand ran on it. */
uint32_t part_worker(const struct clues *clues, const struct part *part);
/* Whether others had nothing to do meanwhile: else the path just happens to lead through it. */
bool part_is_idle(const struct clues *clues, const struct part *part);
/* Whether that was because they depend on these tasks, or these on others, and between them they
 * had something to do: that is no chain. */
bool part_is_gate(const struct clues *clues, const struct part *part);
/* Workers that ran strands meanwhile, in the mean. */
double part_busy(const struct part *part);
/* Adds a finding with the part's loss, kind, longest strand, and the fact busy; NULL if memory runs
 * out. */
struct finding *part_add(struct findings *findings, const struct cause *cause,
			 const struct clues *clues, const struct part *part);
