/* SPDX-License-Identifier: MIT */
/* queues.c - queues of items, the rules by which workers take them, and the idle workers. */
#include "tools/model/sim.h"

#include "tools/base/bits.h"
#include "tools/base/map.h"

#define LOOKED_THROUGH 64u /* items of a queue, for one that a barred worker may take */
#define LOOKED_AT 8u	   /* queues of others, likewise */

/* ---- queues ---- */

void queue_push(struct sim *sim, struct queue *queue, uint32_t item)
{
	struct item *this = &sim->item[item];

	this->before = queue->newest;
	this->after = NONE;
	if (queue->newest == NONE)
		queue->oldest = item;
	else
		sim->item[queue->newest].after = item;
	queue->newest = item;
	queue->n++;
}

/* As the oldest. */
static void queue_push_front(struct sim *sim, struct queue *queue, uint32_t item)
{
	struct item *this = &sim->item[item];

	this->before = NONE;
	this->after = queue->oldest;
	if (queue->oldest == NONE)
		queue->newest = item;
	else
		sim->item[queue->oldest].before = item;
	queue->oldest = item;
	queue->n++;
}

void queue_remove(struct sim *sim, struct queue *queue, uint32_t item)
{
	const struct item *this = &sim->item[item];

	if (this->before == NONE)
		queue->oldest = this->after;
	else
		sim->item[this->before].after = this->after;
	if (this->after == NONE)
		queue->newest = this->before;
	else
		sim->item[this->after].before = this->before;
	queue->n--;
}

/* ---- children of one task, the newest first ---- */

static void sibling_push(struct sim *sim, task_id task)
{
	task_id parent = sim->graph->parent[task];
	struct sibling *this = &sim->sibling[task];

	this->before = NONE;
	this->after = NONE;
	if (parent == TASK_NONE)
		return;
	this->after = sim->sibling[parent].first;
	if (this->after != NONE)
		sim->sibling[this->after].before = task;
	sim->sibling[parent].first = task;
}

static void sibling_remove(struct sim *sim, task_id task)
{
	task_id parent = sim->graph->parent[task];
	const struct sibling *this = &sim->sibling[task];

	if (parent == TASK_NONE)
		return;
	if (this->before == NONE)
		sim->sibling[parent].first = this->after;
	else
		sim->sibling[this->before].after = this->after;
	if (this->after != NONE)
		sim->sibling[this->after].before = this->before;
}

/* ---- who may take what ---- */

enum policy_bar sim_bar(const struct sim *sim, uint32_t worker)
{
	uint32_t top = sim->worker[worker].top;

	if (top == NONE || sim->policy.bar == BAR_NOTHING)
		return BAR_NOTHING;
	switch (sim->item[top].wait & ~ITEM_DEFERRED) {
	case WIRE_WAIT_CHILDREN:
	case WIRE_WAIT_DEPEND:
		return sim->policy.bar;
	case WIRE_WAIT_GROUP:
		return BAR_DESCENDANTS;
	default:
		return BAR_NOTHING;
	}
}

static task_id task_of(const struct sim *sim, uint32_t item)
{
	return item < sim->n_tasks ? item : sim->graph->step[sim->item[item].at].task;
}

/* A task is made before all below it. */
static bool is_below(const struct sim *sim, task_id task, task_id above)
{
	while (task != TASK_NONE && task > above)
		task = sim->graph->parent[task];
	return task == above;
}

static bool may_take(const struct sim *sim, uint32_t worker, enum policy_bar bar, uint32_t item)
{
	uint32_t top = sim->worker[worker].top;

	if (bar == BAR_NOTHING)
		return true;
	if (bar == BAR_CHILDREN)
		return sim->graph->parent[task_of(sim, item)] == top;
	return is_below(sim, task_of(sim, item), top);
}

/* ---- putting ---- */

static void hold(struct sim *sim, uint32_t worker)
{
	sim->worker[worker].holds_at = sim->n_holders;
	sim->holder[sim->n_holders++] = worker;
}

static void hold_no_more(struct sim *sim, uint32_t worker)
{
	uint32_t at = sim->worker[worker].holds_at, last = sim->holder[--sim->n_holders];

	sim->holder[at] = last;
	sim->worker[last].holds_at = at;
	sim->worker[worker].holds_at = NONE;
}

static void note(struct sim *sim, uint32_t item, uint32_t worker, enum where where)
{
	sim->item[item].worker = (uint16_t)worker;
	sim->item[item].where = (uint8_t)where;
	sim->n_queued++;
	sim->n_ready++;
}

static bool comes_urgently(const struct sim *sim, uint32_t item)
{
	return item < sim->n_tasks && sim->graph->task_flags[item] & GRAPH_FIRST_CHOICE;
}

/* Tasks that were not begun, and parts of one, go around. */
static uint32_t whose(struct sim *sim, uint32_t item, uint32_t worker)
{
	uint32_t *turn = &sim->worker[worker].turn, whose = *turn;

	if (!sim->policy.in_turn ||
	    (item < sim->n_tasks && !(sim->graph->step[sim->item[item].at].flags & STEP_FIRST)))
		return worker;
	*turn = whose + 1 < sim->n_workers ? whose + 1 : 0;
	return whose;
}

uint32_t sim_put(struct sim *sim, uint32_t item, uint32_t releaser)
{
	bool first = comes_urgently(sim, item);
	uint32_t worker = whose(sim, item, releaser);

	note(sim, item, releaser, first ? URGENT : QUEUED);
	if (first) {
		queue_push(sim, &sim->urgent, item);
	} else if (sim->policy.queue == QUEUE_DEQUES) {
		queue_push(sim, &sim->worker[worker].mine, item);
		if (sim->worker[worker].holds_at == NONE)
			hold(sim, worker);
	} else if (sim->policy.queue == QUEUE_CRITICAL) {
		ranked_push(sim, item);
	} else if (sim->policy.bar == BAR_NOTHING) {
		ring_push(sim, item, item >= sim->n_tasks); /* what has begun is to end */
	} else if (item >= sim->n_tasks) {
		queue_push_front(sim, &sim->central, item);
	} else {
		queue_push(sim, &sim->central, item);
	}
	if (!first && sim->sibling && item < sim->n_tasks)
		sibling_push(sim, item);
	return worker;
}

void sim_put_member(struct sim *sim, uint32_t item, uint32_t worker)
{
	note(sim, item, worker, MEMBERS);
	queue_push(sim, &sim->members, item);
}

uint32_t sim_parts(struct sim *sim, strand_id step, uint32_t n)
{
	uint32_t item = sim->free_item;

	if (item != NONE) {
		sim->free_item = sim->item[item].after;
	} else {
		array_grow(&sim->item, &sim->item_room, sim->n_items + 1ull, sizeof(*sim->item));
		array_grow(&sim->n_left, &sim->left_room, sim->n_items - sim->n_tasks + 1ull,
			   sizeof(*sim->n_left));
		item = sim->n_items++;
	}
	sim->item[item] = (struct item){ .at = step };
	sim->n_left[item - sim->n_tasks] = n;
	return item;
}

/* ---- taking ---- */

static uint32_t taken(struct sim *sim, uint32_t item)
{
	sim->n_queued--;
	sim->n_ready--;
	return item;
}

static uint32_t take_from(struct sim *sim, struct queue *queue, uint32_t item)
{
	bool queued = sim->item[item].where == QUEUED;

	queue_remove(sim, queue, item);
	if (queued && sim->sibling && item < sim->n_tasks)
		sibling_remove(sim, item);
	return taken(sim, item);
}

/* The step of the next one to be taken, whose item came since the last time, and the item after it.
 * Inline always: GCC 12 drops calls that only prefetch. */
__attribute__((always_inline)) static inline void fetch_oldest(const struct sim *sim,
							       const struct queue *queue)
{
	const struct item *next;

	if (!queue->n)
		return;
	next = &sim->item[queue->oldest];
	__builtin_prefetch(&sim->graph->step[next->at]);
	if (next->after != NONE)
		__builtin_prefetch(&sim->item[next->after]);
}

static uint32_t take_mine(struct sim *sim, uint32_t worker, uint32_t item)
{
	take_from(sim, &sim->worker[worker].mine, item);
	if (sim->policy.in_turn)
		fetch_oldest(sim, &sim->worker[worker].mine);
	if (!sim->worker[worker].mine.n)
		hold_no_more(sim, worker);
	return item;
}

/* From the newest, or the oldest, on the first that the worker may take; NONE. */
static uint32_t look_through(const struct sim *sim, const struct queue *queue, bool newest,
			     uint32_t worker, enum policy_bar bar)
{
	uint32_t item = newest ? queue->newest : queue->oldest;

	for (uint32_t i = 0; item != NONE && i < LOOKED_THROUGH; i++) {
		if (may_take(sim, worker, bar, item))
			return item;
		item = newest ? sim->item[item].before : sim->item[item].after;
	}
	return NONE;
}

/* Parts that are left of the step that the worker just ran a part of: its task waits for them. */
static uint32_t rest_of_mine(const struct sim *sim, uint32_t worker)
{
	uint32_t item = sim->central.oldest;

	for (uint32_t i = 0; item != NONE && item >= sim->n_tasks && i < LOOKED_THROUGH; i++) {
		if (sim->item[item].at == sim->worker[worker].running)
			return item;
		item = sim->item[item].after;
	}
	return NONE;
}

static uint32_t take_common(struct sim *sim)
{
	uint32_t item = sim->policy.queue == QUEUE_CRITICAL ? ranked_pop(sim) : ring_pop(sim);

	return item == NONE ? NONE : taken(sim, item);
}

static uint32_t take_central(struct sim *sim, uint32_t worker, enum policy_bar bar)
{
	uint32_t item = bar == BAR_NOTHING ? NONE : rest_of_mine(sim, worker);

	if (item == NONE && bar == BAR_CHILDREN)
		item = sim->sibling[sim->worker[worker].top].first;
	else if (item == NONE)
		item = look_through(sim, &sim->central, bar != BAR_NOTHING, worker, bar);
	return item == NONE ? NONE : take_from(sim, &sim->central, item);
}

uint32_t sim_take(struct sim *sim, uint32_t worker)
{
	enum policy_bar bar = sim_bar(sim, worker);
	uint32_t item;

	if (bar == BAR_NOTHING && sim->members.n)
		return take_from(sim, &sim->members, sim->members.oldest);
	item = look_through(sim, &sim->urgent, false, worker, bar);
	if (item != NONE)
		return take_from(sim, &sim->urgent, item);
	if (sim->policy.queue == QUEUE_CRITICAL ||
	    (sim->policy.queue == QUEUE_CENTRAL && sim->policy.bar == BAR_NOTHING))
		return take_common(sim);
	if (sim->policy.queue == QUEUE_CENTRAL)
		return take_central(sim, worker, bar);
	item = look_through(sim, &sim->worker[worker].mine, !sim->policy.in_turn, worker, bar);
	return item == NONE ? NONE : take_mine(sim, worker, item);
}

static uint32_t nearest_holder(const struct sim *sim, uint32_t worker)
{
	for (uint32_t d = 1; d < sim->n_workers; d++) {
		uint32_t up = (worker + d) % sim->n_workers;
		uint32_t down = (worker + sim->n_workers - d) % sim->n_workers;

		if (sim->worker[up].mine.n)
			return up;
		if (sim->worker[down].mine.n)
			return down;
	}
	return worker;
}

static uint32_t choose_victim(struct sim *sim, uint32_t worker)
{
	uint32_t last = sim->worker[worker].last_victim;

	if (sim->policy.victim == VICTIM_NEAREST)
		return nearest_holder(sim, worker);
	if (sim->policy.victim == VICTIM_LAST && last != NONE && sim->worker[last].mine.n)
		return last;
	return sim->holder[sim_below(sim, sim->n_holders)];
}

/* The victim and the item; NONE.  A barred worker looks at several who hold anything. */
static uint32_t find_loot(struct sim *sim, uint32_t worker, uint32_t *victim)
{
	enum policy_bar bar = sim_bar(sim, worker);
	uint32_t item = NONE, first;

	if (!sim->n_holders)
		return NONE;
	*victim = choose_victim(sim, worker);
	first = sim->worker[*victim].holds_at;
	if (first == NONE)
		return NONE;
	for (uint32_t i = 0; i < sim->n_holders && i < LOOKED_AT && item == NONE; i++) {
		*victim = sim->holder[(first + i) % sim->n_holders];
		item = look_through(sim, &sim->worker[*victim].mine, false, worker, bar);
		if (bar == BAR_NOTHING)
			break;
	}
	return item;
}

bool sim_could_steal(struct sim *sim, uint32_t worker)
{
	uint32_t victim;

	return sim->policy.queue == QUEUE_DEQUES && !sim->policy.in_turn && sim->n_holders &&
	       (sim_bar(sim, worker) == BAR_NOTHING || find_loot(sim, worker, &victim) != NONE);
}

/* A thief of parts takes half of them. */
static uint32_t take_half(struct sim *sim, uint32_t item)
{
	uint32_t n = item < sim->n_tasks ? 1 : sim->n_left[item - sim->n_tasks], half;

	if (n < 2)
		return NONE;
	half = sim_parts(sim, sim->item[item].at, n - n / 2);
	if (half != NONE)
		sim->n_left[item - sim->n_tasks] = n / 2;
	return half;
}

uint32_t sim_steal(struct sim *sim, uint32_t worker)
{
	uint32_t victim, half, item;

	if (sim->policy.queue != QUEUE_DEQUES || sim->policy.in_turn)
		return NONE;
	item = find_loot(sim, worker, &victim);
	sim->worker[worker].last_victim = item == NONE ? NONE : victim;
	if (item == NONE)
		return NONE;
	half = take_half(sim, item);
	if (half == NONE)
		return take_mine(sim, victim, item);
	sim->item[half].worker = (uint16_t)victim;
	return half;
}

uint32_t sim_take_any(struct sim *sim)
{
	struct queue *common[] = { &sim->members, &sim->urgent, &sim->central };

	for (size_t i = 0; i < sizeof(common) / sizeof(common[0]); i++)
		if (common[i]->n)
			return take_from(sim, common[i], common[i]->oldest);
	if (sim->ranked.n_front || sim->ring.n)
		return take_common(sim);
	if (sim->n_holders)
		return take_mine(sim, sim->holder[0], sim->worker[sim->holder[0]].mine.oldest);
	return NONE;
}

/* ---- idle workers ---- */

static void join_pool(struct sim *sim, uint32_t worker, enum pool pool)
{
	struct virtual_worker *who = &sim->worker[worker];

	who->busy = IDLE;
	agenda_remove(sim, worker);
	if (sim->policy.apart && worker == 0)
		return;
	if (sim->idle_on && who->top != NONE) {
		who->idle_top = who->top;
		bits_set(sim->idle_on, who->top, true);
	}
	who->pool = (uint8_t)pool;
	who->idle_at = sim->n_idle[pool];
	sim->idle[pool][sim->n_idle[pool]++] = worker;
}

void sim_idle(struct sim *sim, uint32_t worker)
{
	join_pool(sim, worker, sim_bar(sim, worker) != BAR_NOTHING ? BARRED : FREE);
}

void sim_rest(struct sim *sim, uint32_t worker)
{
	join_pool(sim, worker, RESTING);
}

void sim_not_idle(struct sim *sim, uint32_t worker)
{
	struct virtual_worker *who = &sim->worker[worker];
	uint32_t last;

	if (who->idle_at == NONE)
		return;
	last = sim->idle[who->pool][--sim->n_idle[who->pool]];
	sim->idle[who->pool][who->idle_at] = last;
	sim->worker[last].idle_at = who->idle_at;
	who->idle_at = NONE;
	if (who->idle_top != NONE)
		bits_set(sim->idle_on, who->idle_top, false);
	who->idle_top = NONE;
}

static uint32_t apart(const struct sim *sim, uint32_t a, uint32_t b)
{
	uint32_t d = a < b ? b - a : a - b;

	return d < sim->n_workers - d ? d : sim->n_workers - d;
}

static uint32_t nearest_idle(const struct sim *sim, uint32_t worker)
{
	uint32_t best = sim->idle[FREE][0];

	for (uint32_t i = 1; i < sim->n_idle[FREE]; i++)
		if (apart(sim, sim->idle[FREE][i], worker) < apart(sim, best, worker))
			best = sim->idle[FREE][i];
	return best;
}

/* One that waits for a task above the item, on top of its stack: its parent, where who waits runs
 * children alone. */
static uint32_t barred_idle(const struct sim *sim, uint32_t item)
{
	bool far = sim->policy.bar != BAR_CHILDREN || sim->graph->has_groups;
	task_id task = task_of(sim, item);

	while ((task = task == TASK_NONE ? TASK_NONE : sim->graph->parent[task]) != TASK_NONE) {
		const struct item *above = &sim->item[task];

		if (bits_has(sim->idle_on, task) && above->where == SUSPENDED &&
		    may_take(sim, above->worker, sim_bar(sim, above->worker), item))
			return above->worker;
		if (!far)
			break;
	}
	return NONE;
}

uint32_t sim_whom_to_wake(struct sim *sim, uint32_t item, uint32_t worker)
{
	enum pool pool = sim->item[item].where == MEMBERS && !sim->n_idle[FREE] ? RESTING : FREE;

	if (sim->n_idle[pool] && sim->n_searching < sim->n_queued)
		return pool == FREE && sim->policy.victim == VICTIM_NEAREST
			       ? nearest_idle(sim, worker)
			       : sim->idle[pool][sim_below(sim, sim->n_idle[pool])];
	return sim->n_idle[BARRED] ? barred_idle(sim, item) : NONE;
}
