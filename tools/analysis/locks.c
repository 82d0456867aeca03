/* SPDX-License-Identifier: MIT */
/* locks.c - follows each object through the starts and ends of strands, in order of time. */
#include "tools/analysis/locks.h"

#include <stdlib.h>

#include "tools/analysis/lock_rows.h"
#include "tools/analysis/ready_path.h"
#include "tools/base/map.h"
#include "tools/base/xalloc.h"
#include "tools/dag/running.h"
#include "tools/dag/wait_rules.h"

#define NONE UINT32_MAX

struct holder {
	task_id task;	  /* TASK_NONE: nobody */
	strand_id strand; /* with which it went on */
	uint32_t row;	  /* by whose entry */
	uint32_t depth;	  /* entered so often */
	uint64_t since_ns;
	uint64_t from_ns; /* of its work */
};

static const struct holder nobody = { .task = TASK_NONE };

/* An object. */
struct thing {
	uint64_t name;
	bool told;	      /* a signal was given by who had entered */
	bool strange;	      /* another one was given, or entered, while a task held it */
	bool unheld;	      /* a signal was given while nobody held it */
	bool is_word;	      /* which needs no holder to be filled */
	struct holder holder; /* who entered last and has not signalled it */
	struct holder former; /* who held it then, and may yet hand it over (DAG_HANDOVER_NS) */
	uint64_t serial_ns;
	uint32_t n_waiting;
	uint64_t since_ns;   /* of the last change of n_waiting or holder */
	uint64_t nobodys_ns; /* waited for while nobody is known to have held it */
	uint64_t busy_ns;
};

struct search {
	const struct dag *dag;
	const struct select *select;
	struct thing *thing; /* n_things */
	uint64_t n_things, thing_room;
	struct map by_name; /* object -> thing + 1 */
	struct map waiting; /* task -> strand + 1 that it waits since; 0 */
	uint64_t *work_ns;  /* by task, up to the end of its last strand */
	uint8_t *passes;    /* bits, by strand: its wait found the object free */
	struct lock_rows rows;
};

/* ---- objects ---- */

static struct thing *thing_of(struct search *search, uint64_t name)
{
	uint64_t *number = map_put(&search->by_name, name);

	if (!*number) {
		ARRAY_ADD(search->thing, search->n_things, search->thing_room,
			  (struct thing){ .name = name, .holder = nobody, .former = nobody });
		*number = search->n_things;
	}
	return &search->thing[*number - 1];
}

static uint32_t number_of(const struct search *search, const struct thing *thing)
{
	return (uint32_t)(thing - search->thing);
}

/* Somebody held it while others waited. */
static void charge_holder(struct search *search, const struct thing *thing, task_id task,
			  uint64_t ns)
{
	if (ns)
		lock_rows_hold(&search->rows, number_of(search, thing),
			       search->dag->task_kind[task], ns);
}

/* Passes its time up to now. */
static void pass(struct search *search, struct thing *thing, uint64_t now_ns)
{
	uint64_t ns = thing->n_waiting ? select_within(search->select, thing->since_ns, now_ns) : 0;

	thing->since_ns = now_ns;
	thing->busy_ns += ns;
	if (thing->holder.task != TASK_NONE && !(thing->is_word && thing->strange)) {
		charge_holder(search, thing, thing->holder.task, ns * thing->n_waiting);
	} else
		thing->nobodys_ns += ns * thing->n_waiting;
}

/* ---- who waits ---- */

static bool passes(const struct search *search, strand_id s)
{
	return search->passes[s / 8] >> s % 8 & 1;
}

/* Whoever goes on since nobody but itself let it has not waited: nobody is charged for its call. */
static void find_passes(struct search *search)
{
	const struct dag *dag = search->dag;
	uint32_t hint = 0;

	for (strand_id s = 0; s < dag->n_strands; s++) {
		strand_id before = dag_is_node(dag, s) ? STRAND_NONE : dag->strand[s].pred;
		const struct dag_wait *wait =
			before == STRAND_NONE ? NULL : dag_wait_of(dag, before);

		if (wait && !wait_had_to(wait->what) &&
		    ready_path_released_by(dag, s, &hint) == before)
			search->passes[before / 8] |= (uint8_t)(1u << before % 8);
	}
}

/* ---- what happens to them ---- */

/* How long it was held is known of those whose entries are all seen. */
static bool held_known(const struct thing *thing)
{
	return thing->told && !thing->strange && thing->former.task == TASK_NONE &&
	       (thing->is_word || !thing->unheld);
}

/* A task begins to wait at the end of the strand. */
static void begin_wait(struct search *search, strand_id s)
{
	const struct dag *dag = search->dag;
	const struct dag_object *object = dag_object_of(dag, s);
	struct thing *thing = object ? thing_of(search, object->name) : NULL;
	uint64_t *since;

	if (!object)
		return;
	since = map_put(&search->waiting, dag->strand[s].task);
	*since = (uint64_t)s + 1;
	pass(search, thing, dag_end(dag, s));
	thing->n_waiting += !passes(search, s);
	thing->is_word |= dag_wait_of(dag, s)->what == WIRE_WAIT_WORD;
}

static void enter(const struct search *search, struct thing *thing, strand_id s, uint32_t row)
{
	task_id task = search->dag->strand[s].task;

	if (thing->holder.task == task) {
		thing->holder.depth++;
		return;
	}
	thing->strange |= thing->former.task != TASK_NONE;
	thing->former = thing->holder;
	thing->holder = (struct holder){ .task = task,
					 .strand = s,
					 .row = row,
					 .depth = 1,
					 .since_ns = thing->since_ns,
					 .from_ns = search->work_ns[task] };
}

/* The holder has left it, or the run is over. */
static void leave(struct search *search, struct thing *thing, const struct holder *holder,
		  uint64_t to_ns)
{
	thing->serial_ns += search->work_ns[holder->task] - holder->from_ns;
	lock_rows_held(&search->rows, holder->row,
		       select_within(search->select, holder->since_ns, to_ns));
}

/* Who held it before hands it over to its holder, now. */
static void hand_over(struct search *search, struct thing *thing)
{
	struct holder *former = &thing->former, *holder = &thing->holder;
	uint64_t now_ns = thing->since_ns;

	if (former->depth == 1 && now_ns - holder->since_ns <= DAG_HANDOVER_NS &&
	    dag_end(search->dag, holder->strand) > now_ns) {
		leave(search, thing, former, now_ns);
		holder->from_ns += select_within(search->select, holder->since_ns, now_ns);
		holder->since_ns = now_ns;
		thing->told = true;
	} else {
		thing->strange = true;
	}
	*former = nobody;
}

/* The wait that began with that strand is over at to_ns; `next` is STRAND_NONE if it goes on. */
static void end_wait(struct search *search, strand_id s, strand_id next, uint64_t to_ns)
{
	const struct dag *dag = search->dag;
	const struct dag_wait *wait = dag_wait_of(dag, s);
	struct thing *thing = thing_of(search, dag_object_of(dag, s)->name);
	bool returns = next != STRAND_NONE && dag->strand[next].pred == s;
	bool waited = !passes(search, s);
	uint64_t from_ns = dag_end(dag, s);
	uint32_t row =
		lock_rows_find(&search->rows, number_of(search, thing), dag_wait_number(dag, s));

	pass(search, thing, to_ns);

	thing->n_waiting -= waited;
	if (next != STRAND_NONE && !returns)
		return; /* how it ended is missing */
	if (returns && wait_holds(wait->what))
		enter(search, thing, next, row);
	if (!select_has(search->select, from_ns, to_ns))
		return;
	lock_rows_enter(&search->rows, row, dag_kind(dag, s), waited,
			select_within(search->select, from_ns, to_ns));
}

/* Its holder leaves it again before the former one hands it over. */
static bool is_before_handover(const struct thing *thing, task_id task)
{
	return thing->former.task != TASK_NONE && thing->holder.task == task &&
	       thing->holder.depth == 1 &&
	       thing->since_ns - thing->holder.since_ns <= DAG_HANDOVER_NS;
}

/* The strand's end signals the object. */
static void give(struct search *search, strand_id s)
{
	const struct dag *dag = search->dag;
	const struct dag_object *object = dag_object_of(dag, s);
	struct thing *thing = object ? thing_of(search, object->name) : NULL;
	task_id task = dag->strand[s].task;
	struct holder *holder;

	if (!object)
		return;
	holder = &thing->holder;
	pass(search, thing, dag_end(dag, s));
	charge_holder(search, thing, task, thing->nobodys_ns);
	thing->nobodys_ns = 0;
	if (thing->former.task == task) {
		hand_over(search, thing);
		return;
	}
	if (is_before_handover(thing, task)) {
		leave(search, thing, holder, thing->since_ns);
		*holder = thing->former;
		thing->former = nobody;
		return;
	}
	thing->strange |= thing->former.task != TASK_NONE ||
			  (holder->task != TASK_NONE && holder->task != task);
	thing->former = nobody;
	thing->unheld |= holder->task == TASK_NONE;
	thing->told |= holder->task == task;
	if (holder->task == task && --holder->depth == 0)
		leave(search, thing, holder, thing->since_ns);
	if (holder->task != task || holder->depth == 0)
		*holder = nobody;
}

/* ---- all of it ---- */

static void end(struct search *search, strand_id s)
{
	const struct dag *dag = search->dag;
	unsigned ended_by = dag->how[s] & STRAND_ENDED_BY;

	search->work_ns[dag->strand[s].task] +=
		select_within(search->select, dag_start(dag, s), dag_end(dag, s));
	if (ended_by == WIRE_SIGNAL) {
		give(search, s);
		return;
	}
	if (ended_by == WIRE_WAIT && dag_wait_of(dag, s))
		begin_wait(search, s);
}

static void start(struct search *search, strand_id s)
{
	const struct dag *dag = search->dag;
	uint64_t *since = map_find(&search->waiting, dag->strand[s].task);
	strand_id from;

	if (!since || !*since)
		return;
	from = (strand_id)(*since - 1);
	*since = 0;
	end_wait(search, from, s, dag_start(dag, s));
}

static void follow(struct search *search)
{
	const struct dag *dag = search->dag;
	struct running running;

	running_open(&running, dag);

	for (strand_id s = 0; s <= dag->n_strands; s++) {
		bool any = s < dag->n_strands;

		if (any && dag_is_node(dag, s))
			continue;
		while (running_ends(&running, any ? dag_start(dag, s) : UINT64_MAX))
			end(search, running_pop(&running));
		if (any)
			start(search, s);
		if (any)
			running_push(&running, s);
	}
	running_close(&running);
	for (uint32_t i = 0; i < search->waiting.n_slots; i++) {
		const struct map_entry *entry = &search->waiting.entry[i];

		if (search->waiting.used[i] && entry->value)
			end_wait(search, (strand_id)(entry->value - 1), STRAND_NONE,
				 dag->elapsed_ns);
	}
}

void locks_find(struct locks *locks, const struct dag *dag, const struct select *select)
{
	struct search search = { .dag = dag, .select = select };

	*locks = (struct locks){ 0 };
	if (!dag->n_objects)
		return;
	search.work_ns = xcalloc(dag->n_tasks + 1ull, sizeof(*search.work_ns));
	search.passes = xcalloc(dag->n_strands / 8 + 1ull, 1);
	find_passes(&search);
	follow(&search);
	for (uint64_t i = 0; i < search.n_things; i++) {
		struct thing *thing = &search.thing[i];
		struct lock_object object = { .name = thing->name,
					      .busy_ns = thing->busy_ns,
					      .held_known = held_known(thing) };

		if (thing->holder.task != TASK_NONE)
			leave(&search, thing, &thing->holder, dag->elapsed_ns);
		if (object.held_known)
			object.serial_ns = thing->serial_ns;
		if (object.serial_ns > locks->serial_ns)
			locks->serial_ns = object.serial_ns;
		lock_rows_object(&search.rows, &object);
	}
	lock_rows_build(&search.rows, dag, locks);
	lock_rows_free(&search.rows);
	free(search.thing);
	free(search.work_ns);
	free(search.passes);
	map_free(&search.by_name);
	map_free(&search.waiting);
}

const struct lock *locks_whole(const struct locks *locks, const struct lock *lock)
{
	for (uint32_t i = 0; i < locks->n_wholes && lock->n_objects == 1; i++)
		if (locks->whole[i].object == lock->object && locks->whole[i].what == lock->what)
			return &locks->whole[i];
	return NULL;
}

void locks_free(struct locks *locks)
{
	free(locks->whole);
	free(locks->lock);
	*locks = (struct locks){ 0 };
}
