/* SPDX-License-Identifier: MIT */
/* distributions.c - one loop over the strands, one over the times in which steals were leaps. */
#include "tools/analysis/distributions.h"

#include <stdlib.h>

#include "tools/analysis/kinds.h"
#include "tools/analysis/released.h"
#include "tools/base/at_most.h"
#include "tools/base/order.h"
#include "tools/base/sorted.h"
#include "tools/base/xalloc.h"
#include "tools/dag/running.h"

const char *const distribution_name[DISTRIBUTIONS] = { "work", "ready", "steal", "wait" };
const char *const fate_name[FATES] = { "inlined", "done", "waited_for" };

/* By a worker whose task waits. */
struct steal {
	strand_id strand;
	uint32_t pair; /* in out->pair */
};

/* On the pair's thief a task waits behind `wait`, while a child of it runs on its victim. */
struct chance {
	strand_id wait, child; /* the child's last one */
	uint32_t pair;
};

struct count {
	const struct dag *dag;
	const struct select *select;
	struct distributions *out;
	struct map pair;     /* thief << 32 | victim -> 1 + its number in out->pair */
	strand_id *first;    /* by task */
	strand_id *joined;   /* by task: 1 + the strand that joined it last */
	uint32_t *n_waiting; /* by worker: tasks that wait on it, but for those at barriers */
	struct steal *steal; /* in the order of time */
	uint64_t n_steals, steal_room;
	struct chance *chance;
	uint64_t n_chances, chance_room;
};

static bool counts(const struct count *count, strand_id s)
{
	return select_has(count->select, dag_start(count->dag, s), dag_start(count->dag, s));
}

/* ---- steals ---- */

static uint64_t pair_key(uint32_t thief, uint32_t victim)
{
	return (uint64_t)thief << 32 | victim;
}

/* Its number. */
static uint32_t count_pair(struct count *count, uint32_t thief, uint32_t victim, uint64_t ns)
{
	struct distributions *out = count->out;
	uint64_t *number = map_put(&count->pair, pair_key(thief, victim));

	if (*number == 0) {
		ARRAY_ADD(out->pair, out->n_pairs, out->room,
			  (struct steal_pair){ thief, victim, 0, 0 });
		*number = out->n_pairs;
	}
	out->pair[*number - 1].n++;
	out->pair[*number - 1].ns += ns;
	return (uint32_t)(*number - 1);
}

/* While that many workers were idle, the thief among them. */
static void count_steal(struct count *count, strand_id s, strand_id victim, uint32_t n_idle)
{
	const struct dag *dag = count->dag;
	uint64_t ns = dag_start(dag, s) - dag_end(dag, victim);
	uint16_t from = dag->strand[victim].worker, to = dag->strand[s].worker;

	uint32_t pair = count_pair(count, to, from, ns);

	spreads_count(&count->out->spreads, distribution_row(dag_kind(dag, s), OF_STEAL), ns);
	spreads_count(&count->out->spreads, count->out->by_idle + n_idle - 1, ns);
	if (!count->n_waiting[to])
		return;
	ARRAY_ADD(count->steal, count->n_steals, count->steal_room, (struct steal){ s, pair });
}

/* ---- waits ---- */

/* The child's last strand, which the wait that ended with s joins; `wait` is the one before s. */
static void count_child(struct count *count, strand_id child, strand_id wait)
{
	const struct dag *dag = count->dag;
	uint16_t on = dag->strand[wait].worker, other = dag->strand[child].worker;
	enum fate fate = on == other				     ? FATE_INLINED
			 : dag_end(dag, child) <= dag_end(dag, wait) ? FATE_DONE
								     : FATE_WAITED_FOR;
	const uint64_t *pair;

	count->out->fate[dag_kind(dag, child)][fate]++;
	if (fate != FATE_WAITED_FOR)
		return;
	pair = map_find(&count->pair, pair_key(on, other));
	if (!pair) /* nothing was stolen so far, nor will be before its end, which is over */
		return;
	ARRAY_ADD(count->chance, count->n_chances, count->chance_room,
		  (struct chance){ wait, child, (uint32_t)(*pair - 1) });
}

static void count_wait(struct count *count, strand_id s, uint32_t *hint)
{
	const struct dag *dag = count->dag;
	strand_id wait = dag->strand[s].pred;

	if (wait == STRAND_NONE || dag->how[s] & STRAND_FIRST || !dag_wait_of(dag, wait))
		return;
	spreads_count(&count->out->spreads, distribution_row(dag_kind(dag, s), OF_WAIT),
		      dag_start(dag, s) - dag_end(dag, wait));
	for (uint32_t e = dag_extras(dag, s, hint); e < dag->n_extras && dag->extra[e].to == s;
	     e++) {
		strand_id from = dag->extra[e].from;

		if (dag_is_node(dag, from) || (dag->how[from] & STRAND_ENDED_BY) != WIRE_END ||
		    count->joined[dag->strand[from].task] == s + 1)
			continue; /* the last: one edge for two reasons */
		count->joined[dag->strand[from].task] = s + 1;
		count_child(count, from, wait);
	}
}

/* ---- leaps ---- */

/* Steals by pair, each pair's in the order of time. */
struct stolen {
	const struct dag *dag;
	struct steal *steal;
	uint64_t *end;	/* by pair: behind its last one, where the next pair's begin */
	uint64_t *next; /* of each: itself, or a later one if it is a leap; and of what is behind */
};

/* Takes the steals from *count. */
static void stolen_open(struct stolen *stolen, struct count *count)
{
	uint64_t n_pairs = count->out->n_pairs, n = 0;

	stolen->dag = count->dag;
	stolen->steal = xmalloc((count->n_steals + 1) * sizeof(*stolen->steal));
	stolen->end = xcalloc(n_pairs + 1, sizeof(*stolen->end));
	for (uint64_t i = 0; i < count->n_steals; i++)
		stolen->end[count->steal[i].pair]++;
	for (uint64_t p = 0; p < n_pairs; p++) {
		uint64_t of_pair = stolen->end[p];

		stolen->end[p] = n;
		n += of_pair;
	}
	for (uint64_t i = 0; i < count->n_steals; i++)
		stolen->steal[stolen->end[count->steal[i].pair]++] = count->steal[i];
	free(count->steal);
	stolen->next = xmalloc((count->n_steals + 1) * sizeof(*stolen->next));
	for (uint64_t i = 0; i <= count->n_steals; i++)
		stolen->next[i] = i;
}

static void stolen_close(struct stolen *stolen)
{
	free(stolen->steal);
	free(stolen->end);
	free(stolen->next);
}

/* The first from i on that is not known to be a leap. */
static uint64_t next_of(const struct stolen *stolen, uint64_t i)
{
	uint64_t *next = stolen->next;

	for (; next[i] != i; i = next[i])
		next[i] = next[next[i]];
	return i;
}

/* The pair's first one at that time, or later. */
static uint64_t stolen_from(const struct stolen *stolen, uint32_t pair, uint64_t ns)
{
	uint64_t first = pair ? stolen->end[pair - 1] : 0;

	return first + SORTED_BEFORE(stolen->steal + first, stolen->end[pair] - first,
				     dag_start(stolen->dag, it->strand) < ns);
}

/* A steal is a leap inside [from, to) of any chance of the same two workers. */
static void find_leaps(struct count *count)
{
	struct distributions *out = count->out;
	const struct dag *dag = count->dag;
	struct stolen stolen;

	stolen_open(&stolen, count);
	for (uint64_t c = 0; c < count->n_chances; c++) {
		const struct chance *chance = &count->chance[c];
		uint64_t from_ns =
			at_least(dag_start(dag, count->first[dag->strand[chance->child].task]),
				 dag_end(dag, chance->wait));
		uint64_t i = next_of(&stolen, stolen_from(&stolen, chance->pair, from_ns));
		uint64_t to_ns = dag_end(dag, chance->child);

		for (;
		     i < stolen.end[chance->pair] && dag_start(dag, stolen.steal[i].strand) < to_ns;
		     i = next_of(&stolen, i)) {
			ARRAY_ADD(out->leap, out->n_leaps, out->leap_room, stolen.steal[i].strand);
			stolen.next[i] = i + 1;
		}
	}
	stolen_close(&stolen);
}

/* ---- strands ---- */

static bool waits(const struct dag *dag, strand_id s)
{
	const struct dag_wait *wait = dag_wait_of(dag, s);

	return wait &&
	       (wait->what != WIRE_WAIT_TEAM || dag->kind_what[dag_kind(dag, s)] != KIND_IMPLICIT);
}

/* What its worker's tasks wait for, from its start on: on a worker a strand ends before the next.
 */
static void turn_waiting(struct count *count, strand_id s)
{
	const struct strand *strand = &count->dag->strand[s];

	if (!(count->dag->how[s] & STRAND_FIRST) && strand->pred != STRAND_NONE &&
	    waits(count->dag, strand->pred))
		count->n_waiting[count->dag->strand[strand->pred].worker]--;
	count->n_waiting[strand->worker] += waits(count->dag, s);
}

static void count_strands(struct count *count)
{
	const struct dag *dag = count->dag;
	struct running running = { 0 };
	uint32_t hint = 0, n_running = 0;
	uint64_t now = 0;

	running_open(&running, dag);

	for (strand_id s = 0; s < dag->n_strands; s++) {
		uint64_t start = dag_start(dag, s);
		strand_id releaser;

		if (dag_is_node(dag, s))
			continue;
		while (running_ends(&running, start))
			running_pop(&running);
		if (start > now)
			n_running = running.n; /* without what starts now */
		now = start;
		running_push(&running, s);
		if (dag->how[s] & STRAND_FIRST)
			count->first[dag->strand[s].task] = s;
		turn_waiting(count, s);
		releaser = dag_releaser(dag, s, &hint);
		if (releaser == STRAND_NONE || !counts(count, s))
			continue;
		if (dag->how[s] & STRAND_FIRST)
			spreads_count(&count->out->spreads,
				      distribution_row(dag_kind(dag, s), OF_READY),
				      start - released_ready_ns(dag, s, releaser));
		if (released_move(dag, s, releaser) == MOVE_STEAL)
			count_steal(count, s, releaser, count->out->n_idle - n_running);
		else
			count_wait(count, s, &hint);
	}
	running_close(&running);
}

/* ---- tasks ---- */

static void count_work(struct count *count)
{
	const struct dag *dag = count->dag;
	uint64_t *work = kinds_work(dag, count->select);

	for (task_id t = 0; t < dag->n_tasks; t++)
		if (dag->task_state[t] & TASK_BEGUN && work[t] != KINDS_NOT_THERE)
			spreads_count(&count->out->spreads,
				      distribution_row(dag->task_kind[t], OF_WORK), work[t]);
	free(work);
}

static void count_collapsed(struct count *count)
{
	const struct dag *dag = count->dag;

	for (uint32_t k = 0; k < dag->n_kinds; k++) {
		const struct kind_collapsed *collapsed = dag->kind_collapsed[k];
		uint64_t row = distribution_row(k, OF_WORK);
		struct spread *spread = &count->out->spreads.row[row];
		bool first = spread->n == 0;

		if (!collapsed || collapsed->n_tasks == 0)
			continue;
		count->out->fate[k][FATE_INLINED] += collapsed->n_tasks;
		for (uint32_t i = 0; i < WIRE_BUCKETS; i++)
			if (collapsed->n_by_work[i])
				spreads_count_bucket(&count->out->spreads, row, i,
						     collapsed->n_by_work[i]);
		spread->sum += collapsed->work_ns;
		if (first || collapsed->least_ns < spread->least)
			spread->least = collapsed->least_ns;
		if (collapsed->most_ns > spread->most)
			spread->most = collapsed->most_ns;
	}
}

/* ---- all ---- */

ORDER(most_first, struct steal_pair, BY_MOST(n) ?: BY_LEAST(thief) ?: BY_LEAST(victim))

void distributions_build(struct distributions *all, const struct dag *dag,
			 const struct select *select)
{
	struct count count = { .dag = dag, .select = select, .out = all };

	*all = (struct distributions){
		.by_idle = (uint64_t)dag->n_kinds * DISTRIBUTIONS,
		.n_idle = dag->n_workers > dag->n_seen + dag->n_beside
				  ? dag->n_workers
				  : dag->n_seen + dag->n_beside,
		.fate = xcalloc(dag->n_kinds + 1ull, sizeof(*all->fate)),
	};
	count.first = xcalloc(dag->n_tasks + 1ull, sizeof(*count.first));
	count.joined = xcalloc(dag->n_tasks + 1ull, sizeof(*count.joined));
	count.n_waiting = xcalloc(dag->n_slots + 1ull, sizeof(*count.n_waiting));
	spreads_open(&all->spreads, all->by_idle + all->n_idle);
	count_strands(&count);
	free(count.joined);
	find_leaps(&count);
	free(count.first);
	free(count.chance);
	count_work(&count);
	count_collapsed(&count);
	SORT(all->pair, all->n_pairs, most_first);
	spreads_settle(&all->spreads);
	free(count.n_waiting);
	map_free(&count.pair);
}

void distributions_free(struct distributions *all)
{
	spreads_free(&all->spreads);
	free(all->pair);
	free(all->fate);
	free(all->leap);
	*all = (struct distributions){ 0 };
}
