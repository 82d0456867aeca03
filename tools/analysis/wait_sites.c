/* SPDX-License-Identifier: MIT */
/* wait_sites.c - one loop over the strands, with the waits that each worker is below. */
#include "tools/analysis/wait_sites.h"

#include <stdlib.h>

#include "tools/analysis/ready_path.h"
#include "tools/analysis/released.h"
#include "tools/base/at_most.h"
#include "tools/base/map.h"
#include "tools/base/order.h"
#include "tools/base/pages.h"
#include "tools/base/xalloc.h"
#include "tools/dag/wait_rules.h"

/* A wait that began on a worker. */
struct open_wait {
	strand_id strand;  /* that ended with it */
	uint64_t until_ns; /* UINT64_MAX while it is not known */
};

struct seat { /* a worker */
	strand_id last;
	struct open_wait *open; /* the newest last */
	uint32_t n;
	uint64_t room;
	const struct tracer_span *hold, *holds_end; /* that may overlap what comes */
};

struct waiting {
	strand_id strand; /* that ended with the wait */
	uint32_t at;	  /* in the open waits of its worker */
};

struct search {
	const struct dag *dag;
	const struct pauses *pauses;
	const struct select *select;
	struct wait_site *site; /* dag->n_waits, as dag->wait[] */
	struct seat *seat;	/* n_slots */
	bool *waits;		/* by task: it has an open wait, and is held in `waiting` */
	struct pages waiting;	/* struct waiting, by task */
	struct wait_pair {
		uint16_t wait;
		struct wait_kind last;
	} * pair;
	uint64_t n_pairs, pair_room;
	struct map by_pair; /* wait << 32 | kind -> pair + 1 */
	uint32_t hint;
};

/* ---- idle time ---- */

static void find_holds(struct search *search)
{
	const struct tracer *tracer = &search->pauses->tracer;

	for (uint64_t i = 0; i < tracer->n; i++) {
		struct seat *seat = &search->seat[tracer->span[i].worker];

		if (!seat->hold)
			seat->hold = &tracer->span[i];
		seat->holds_end = &tracer->span[i + 1];
	}
}

/* How long the recorder held the worker from .. to, which is not before what was asked before. */
static uint64_t held(const struct search *search, struct seat *seat, uint64_t from_ns,
		     uint64_t to_ns)
{
	uint64_t ns = 0;

	for (; seat->hold != seat->holds_end && seat->hold->from_ns < to_ns; seat->hold++) {
		uint64_t from = at_least(from_ns, seat->hold->from_ns);
		uint64_t to = at_most(to_ns, seat->hold->to_ns);

		if (from < to)
			ns += select_within(search->select, from, to);
		if (seat->hold->to_ns > to_ns)
			break;
	}
	return ns;
}

static void charge_idle(struct search *search, struct seat *seat, uint64_t from_ns, uint64_t to_ns)
{
	strand_id s = seat->open[seat->n - 1].strand;

	search->site[dag_wait_number(search->dag, s)].idle_ns +=
		select_within(search->select, from_ns, to_ns) - held(search, seat, from_ns, to_ns);
}

/* The worker is idle then: below its newest wait, until that is over. */
static void pass_idle(struct search *search, struct seat *seat, uint64_t from_ns, uint64_t to_ns)
{
	while (from_ns < to_ns && seat->n) {
		const struct open_wait *top = &seat->open[seat->n - 1];
		uint64_t until_ns = top->until_ns < to_ns ? top->until_ns : to_ns;

		if (from_ns < until_ns) {
			charge_idle(search, seat, from_ns, until_ns);
			from_ns = until_ns;
		}
		if (top->until_ns > until_ns)
			return;
		seat->n--;
	}
}

/* Its pause is over; at the end of the window `ready_ns` is that. */
static void end_pause(struct search *search, struct seat *seat, uint64_t ready_ns, uint64_t to_ns)
{
	uint8_t after;

	if (seat->last == STRAND_NONE)
		return;
	after = search->pauses->after[seat->last];
	if (pause_state(after) == STATE_IDLE)
		pass_idle(search, seat, dag_end(search->dag, seat->last),
			  after & PAUSE_TURNS ? ready_ns : to_ns);
}

/* ---- waits ---- */

/* A place waits for tasks if it does not block; by name, if nobody signalled (locks.h has those).
 */
static bool is_wait(const struct dag *dag, strand_id s)
{
	const struct dag_wait *wait =
		(dag->how[s] & STRAND_ENDED_BY) == WIRE_WAIT ? dag_wait_of(dag, s) : NULL;

	return wait && !wait_blocks(wait->what) &&
	       (wait->what != WIRE_WAIT_NAMED || !dag_object_of(dag, s));
}

static void begin_wait(struct search *search, struct seat *seat, strand_id s)
{
	task_id task = search->dag->strand[s].task;
	struct waiting *waiting = pages_hold(&search->waiting, task, 1);

	search->waits[task] = true;
	*waiting = (struct waiting){ s, seat->n };
	ARRAY_ADD(seat->open, seat->n, seat->room, (struct open_wait){ s, UINT64_MAX });
}

/* The wait was for that one last, so long. */
static void add_last(struct search *search, uint16_t wait, kind_id kind, uint64_t ns)
{
	uint64_t *number = map_put(&search->by_pair, (uint64_t)wait << 32 | kind);

	if (!*number) {
		ARRAY_ADD(search->pair, search->n_pairs, search->pair_room,
			  (struct wait_pair){ wait, { kind, 0, 0 } });
		*number = search->n_pairs;
	}
	search->pair[*number - 1].last.n++;
	search->pair[*number - 1].last.ns += ns;
}

/* It is over, since what `by` ran last was done at ready_ns; STRAND_NONE: it is not over. */
static void count_wait(struct search *search, strand_id s, strand_id by, uint64_t ready_ns,
		       uint64_t to_ns)
{
	const struct dag *dag = search->dag;
	struct wait_site *site = &search->site[dag_wait_number(dag, s)];
	uint64_t from_ns = dag_end(dag, s), ns;

	if (!select_has(search->select, from_ns, to_ns))
		return;
	site->n++;
	if (by == s || ready_ns <= from_ns)
		return;
	ns = select_within(search->select, from_ns, ready_ns);
	site->n_waited++;
	site->wait_ns += ns;
	site->max_ns = ns > site->max_ns ? ns : site->max_ns;
	if (!(by == STRAND_NONE))
		add_last(search, dag_wait_number(dag, s), dag_kind(dag, by), ns);
}

/* A strand of a task that waits: so the wait is over. */
static void end_wait(struct search *search, strand_id next, strand_id by, uint64_t ready_ns)
{
	const struct dag *dag = search->dag;
	task_id task = dag->strand[next].task;
	const struct waiting *waiting = pages_at(&search->waiting, task);
	strand_id s = waiting->strand;

	search->seat[dag->strand[s].worker].open[waiting->at].until_ns = dag_start(dag, next);
	search->waits[task] = false;
	pages_drop(&search->waiting, task);
	if (dag->strand[next].pred != s)
		return; /* how it ended is missing */
	count_wait(search, s, by, ready_ns, dag_start(dag, next));
}

static void pass(struct search *search, strand_id s)
{
	const struct dag *dag = search->dag;
	const struct strand *strand = &dag->strand[s];
	struct seat *seat = &search->seat[strand->worker];
	strand_id direct = dag_releaser(dag, s, &search->hint), by;
	uint64_t ready_ns = released_ready_ns(dag, s, direct);

	if (search->waits[strand->task]) {
		by = ready_path_released_by(dag, s, &search->hint);
		end_wait(search, s, by, ready_ns);
	}
	end_pause(search, seat, ready_ns, dag_start(dag, s));
	seat->last = s;
	if (is_wait(dag, s)) {
		begin_wait(search, seat, s);
		return;
	}
}

static void follow(struct search *search)
{
	const struct dag *dag = search->dag;

	for (strand_id s = 0; s < dag->n_strands; s++)
		if (!dag_is_node(dag, s))
			pass(search, s);
	for (task_id t = 0; t < dag->n_tasks; t++)
		if (search->waits[t]) {
			const struct waiting *waiting = pages_at(&search->waiting, t);

			count_wait(search, waiting->strand, STRAND_NONE, dag->elapsed_ns,
				   dag->elapsed_ns);
		}
	for (uint32_t w = 0; w < dag->n_slots; w++)
		end_pause(search, &search->seat[w], dag->elapsed_ns, dag->elapsed_ns);
}

/* ---- all of it ---- */

/* Keeps the most ns first. */
static void add_kind(struct wait_site *site, const struct wait_kind *kind)
{
	uint32_t at = site->n_kinds < WAIT_KINDS ? site->n_kinds : WAIT_KINDS;

	site->n_kinds++;
	for (; at > 0 &&
	       (kind->ns > site->last[at - 1].ns ||
		(kind->ns == site->last[at - 1].ns && kind->kind < site->last[at - 1].kind));
	     at--)
		if (at < WAIT_KINDS)
			site->last[at] = site->last[at - 1];
	if (at < WAIT_KINDS)
		site->last[at] = *kind;
}

ORDER(idle_first, struct wait_site, BY_MOST(idle_ns) ?: BY_LEAST(site) ?: BY_LEAST(what))

static void keep_sites(const struct search *search, struct wait_sites *sites)
{
	const struct dag *dag = search->dag;

	for (uint64_t i = 0; i < search->n_pairs; i++)
		add_kind(&search->site[search->pair[i].wait], &search->pair[i].last);
	for (uint32_t i = 0; i < dag->n_waits; i++) {
		struct wait_site *site = &sites->site[sites->n];

		*site = search->site[i];
		site->site = dag->wait[i].site;
		site->what = dag->wait[i].what;
		sites->n += site->n > 0;
	}
	SORT(sites->site, sites->n, idle_first);
}

void wait_sites_find(struct wait_sites *sites, const struct dag *dag, const struct pauses *pauses,
		     const struct select *select)
{
	struct search search = { .dag = dag, .pauses = pauses, .select = select };

	*sites = (struct wait_sites){ .site = xcalloc(dag->n_waits + 1ull, sizeof(*sites->site)) };
	search.site = xcalloc(dag->n_waits + 1ull, sizeof(*search.site));
	search.seat = xcalloc(dag->n_slots + 1ull, sizeof(*search.seat));
	search.waits = xcalloc(dag->n_tasks + 1ull, sizeof(*search.waits));
	pages_open(&search.waiting, dag->n_tasks, sizeof(struct waiting));
	for (uint32_t w = 0; w < dag->n_slots; w++)
		search.seat[w].last = STRAND_NONE;
	find_holds(&search);
	if (dag->n_waits)
		follow(&search);
	keep_sites(&search, sites);
	for (uint32_t w = 0; w < dag->n_slots; w++)
		free(search.seat[w].open);
	free(search.seat);
	free(search.site);
	free(search.waits);
	pages_close(&search.waiting);
	free(search.pair);
	map_free(&search.by_pair);
}

void wait_sites_free(struct wait_sites *sites)
{
	free(sites->site);
	*sites = (struct wait_sites){ 0 };
}
