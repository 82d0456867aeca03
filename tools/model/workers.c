/* SPDX-License-Identifier: MIT */
/* workers.c - what a worker begins, and how it looks for more. */
#include "tools/model/sim.h"

#include "tools/base/map.h"

/* ---- beginning ---- */

static void begin_own(struct sim *sim, uint32_t worker);

static void seeks_no_more(struct sim *sim, uint32_t worker)
{
	struct virtual_worker *who = &sim->worker[worker];
	uint32_t last;

	if (who->seeks_at == NONE)
		return;
	last = sim->seeker[--sim->n_seekers];
	sim->seeker[who->seeks_at] = last;
	sim->worker[last].seeks_at = who->seeks_at;
	who->seeks_at = NONE;
}

/* The worker begins it after its lead. */
static void schedule_add(struct sim *sim, uint32_t worker, strand_id s, uint64_t lead,
			 uint64_t length)
{
	struct schedule *to = sim->schedule;
	uint64_t start_ns = sim->now_ns + lead;

	ARRAY_ADD(to->ran, to->n, to->room, (struct ran){ start_ns, start_ns + length, worker, s });
}

static void runs_until(struct sim *sim, uint32_t worker, strand_id s, uint64_t lead,
		       uint64_t length, uint64_t inside)
{
	struct virtual_worker *who = &sim->worker[worker];

	sim_not_idle(sim, worker);
	seeks_no_more(sim, worker);
	who->left_ns = NOT_DRAWN;
	who->began = true;
	sim->n_searching -= who->busy == SEARCHES;
	sim->n_blocked -= who->busy == BLOCKED;
	sim->n_running += who->busy != BUSY;
	who->busy = BUSY;
	who->running = s;
	if (sim->schedule)
		schedule_add(sim, worker, s, lead, length);
	sim->outcome->work_ns += length;
	sim->outcome->runtime_ns += inside;
	if (sim->graph->step[s].flags & STEP_OUTSIDE && lead) {
		who->away_ns = sim->now_ns + lead;
		sim->n_away++;
	} else {
		sim->outcome->runtime_ns += lead;
	}
	agenda_set(sim, worker, sim->now_ns + lead + length + inside);
}

void worker_put(struct sim *sim, uint32_t item, uint32_t worker)
{
	uint32_t whose = sim_put(sim, item, worker);

	if (!sim->policy.in_turn)
		worker_wake(sim, item, worker);
	else if (sim->worker[whose].busy == IDLE)
		begin_own(sim, whose);
}

/* One part of a step with several, of which `left` are still to be taken. */
static void begin_part(struct sim *sim, uint32_t worker, strand_id s, uint64_t lead, uint32_t left,
		       bool first)
{
	const struct parts *parts = graph_parts(sim->graph, s);
	uint64_t length = sim_scaled(sim, s, sim->graph->step[s].length), one = length / parts->n;
	uint64_t inside = cost_changed(&sim->changes->cost[COST_INSIDE], parts->inside_ns);
	uint64_t inside_one = inside / parts->n;
	uint32_t item;

	if (first) {
		one = length - one * (parts->n - 1);
		inside_one = inside - inside_one * (parts->n - 1);
	}
	runs_until(sim, worker, s, lead, one, inside_one);
	item = left ? sim_parts(sim, s, left) : NONE;
	if (item != NONE)
		worker_put(sim, item, worker);
}

/* What the end of the step will look at, long enough before: other workers come in between, so that
 * without it each end waits for memory.  Inline always: GCC 12 drops calls that only prefetch. */
__attribute__((always_inline)) static inline void fetch_later(struct sim *sim, strand_id s)
{
	strand_id *coming = &sim->coming[sim->n_coming++ % SIM_COMING];
	const struct step *step = &sim->graph->step[*coming];

	if (!(step->flags & STEP_ALONE))
		__builtin_prefetch(&sim->missing[*coming]);
	if (!(step->flags & STEP_NODE))
		__builtin_prefetch(&sim->item[step->task]);
	if (sim->ranking)
		__builtin_prefetch(&sim->ranking->rank[*coming]);
	if (sim->policy.bar != BAR_NOTHING && step->flags & STEP_FIRST)
		__builtin_prefetch(&sim->graph->parent[step->task]);
	*coming = s;
}

__attribute__((always_inline)) static inline void fetch_ahead(struct sim *sim,
							      const struct step *step)
{
	if (step->next != STRAND_NONE) {
		__builtin_prefetch(&sim->graph->step[step->next]);
		fetch_later(sim, step->next);
	}
	if (step->child != STRAND_NONE) {
		__builtin_prefetch(&sim->graph->step[step->child]);
		fetch_later(sim, step->child);
	}
	if (step->flags & STEP_OUT_ONE) {
		__builtin_prefetch(&sim->graph->step[step->out]);
		fetch_later(sim, step->out);
	} else if (step->flags & STEP_OUT_MANY) {
		__builtin_prefetch(&sim->graph->out[step->out]);
	}
}

void worker_begin(struct sim *sim, uint32_t worker, strand_id s, enum lead of, bool paid)
{
	const struct step *step = &sim->graph->step[s];
	uint64_t lead = paid ? 0 : sim_lead(sim, step, of);

	fetch_ahead(sim, step);
	sim->item[step->task].where = RUNS;
	sim->item[step->task].worker = (uint16_t)worker;
	if (sim->placed)
		sim->placed[s] =
			(struct placed){ .start_ns = sim->now_ns + lead, .worker = worker };
	if (step->flags & STEP_PARTS) {
		sim->missing[s] = graph_parts(sim->graph, s)->n;
		begin_part(sim, worker, s, lead, sim->missing[s] - 1, true);
	} else {
		runs_until(sim, worker, s, lead, sim_length(sim, worker, s), 0);
	}
}

/* The worker begins what it took. */
void worker_begin_item(struct sim *sim, uint32_t worker, uint32_t item, bool paid)
{
	bool was_free = sim->worker[worker].busy == IDLE;
	const struct item *this = &sim->item[item];
	const struct step *step = &sim->graph->step[this->at];
	bool elsewhere = this->worker != worker;
	enum lead of = elsewhere		      ? (was_free ? LEAD_WAKE : LEAD_TAKE)
		       : step->flags & STEP_FIRST     ? LEAD_BEGIN
		       : step->flags & STEP_CONTINUES ? LEAD_BACK
						      : LEAD_RESUME;

	if (item < sim->n_tasks) {
		sim->outcome->n_steals += elsewhere && !(step->flags & STEP_JOINS);
		worker_begin(sim, worker, this->at, of, paid);
		return;
	}
	strand_id s = this->at;
	uint32_t left = sim->n_left[item - sim->n_tasks] - 1;

	sim->item[item].after = sim->free_item;
	sim->free_item = item;
	sim->outcome->n_steals += elsewhere;
	begin_part(sim, worker, s, elsewhere && !paid ? sim_draw(sim, of) : 0, left, false);
}

static void begin_own(struct sim *sim, uint32_t worker)
{
	uint32_t item = sim_take(sim, worker);

	if (item != NONE)
		worker_begin_item(sim, worker, item, false);
}

/* ---- what a worker does next ---- */

static uint32_t pop(struct sim *sim, uint32_t worker)
{
	uint32_t task = sim->worker[worker].top;

	sim->worker[worker].top = sim->item[task].below;
	return task;
}

/* Goes on with the task on top of the stack, if that is ready. */
bool worker_goes_on(struct sim *sim, uint32_t worker, enum lead of, bool paid)
{
	uint32_t top = sim->worker[worker].top;

	if (top == NONE || sim->item[top].where != STACKED)
		return false;
	if (of == LEAD_RESUME && sim->graph->step[sim->item[top].at].flags & STEP_CONTINUES)
		of = LEAD_BACK;
	pop(sim, worker);
	sim->n_ready--;
	worker_begin(sim, worker, sim->item[top].at, of, paid);
	return true;
}

/* The worker, which is idle or in no pool, looks for work. */
static void search(struct sim *sim, uint32_t worker, enum lead of)
{
	struct virtual_worker *who = &sim->worker[worker];
	bool barred = sim_bar(sim, worker) != BAR_NOTHING;

	sim_not_idle(sim, worker);
	if (barred || of == LEAD_MEMBER) {
		who->left_ns = sim_draw(sim, of);
	} else if (who->left_ns == NOT_DRAWN) {
		who->left_ns = sim_search(sim, worker, of);
		if (who->left_ns == SEARCH_NEVER) {
			who->left_ns = NOT_DRAWN;
			sim_rest(sim, worker);
			return;
		}
	}
	if (!barred && of != LEAD_MEMBER) {
		who->seeks_at = sim->n_seekers;
		sim->seeker[sim->n_seekers++] = worker;
	}
	who->busy = SEARCHES;
	sim->n_searching++;
	agenda_set(sim, worker, sim->now_ns + who->left_ns);
}

/* Time passes for as many searches as there is something to be found. */
void worker_balance(struct sim *sim)
{
	while (sim->n_seekers > sim->n_queued) {
		uint32_t worker = sim->seeker[sim->n_seekers - 1];
		struct virtual_worker *who = &sim->worker[worker];

		seeks_no_more(sim, worker);
		who->left_ns = agenda_ns(sim, worker) - sim->now_ns;
		sim->n_searching--;
		sim_idle(sim, worker);
	}
	while (!sim->policy.in_turn && sim->n_idle[FREE] && sim->n_searching < sim->n_queued)
		search(sim, sim->idle[FREE][sim_below(sim, sim->n_idle[FREE])], LEAD_WAKE);
}

/* The worker's strand has ended. */
void worker_look(struct sim *sim, uint32_t worker)
{
	uint32_t item;

	if (worker_goes_on(sim, worker, LEAD_RESUME, false))
		return;
	item = sim->policy.apart && worker == 0 ? NONE : sim_take(sim, worker);
	if (item != NONE) {
		worker_begin_item(sim, worker, item, false);
		return;
	}
	sim->n_running--;
	sim->worker[worker].left_ns = NOT_DRAWN;
	if (sim_could_steal(sim, worker) && sim->n_searching < sim->n_queued)
		search(sim, worker, LEAD_TAKE);
	else
		sim_idle(sim, worker);
}

/* The worker looked for work, and has arrived where it may be. */
void worker_arrives(struct sim *sim, uint32_t worker)
{
	uint32_t item;

	if (worker_goes_on(sim, worker, LEAD_RESUME, true))
		return;
	item = sim_take(sim, worker);
	if (item == NONE)
		item = sim_steal(sim, worker);
	if (item != NONE) {
		worker_begin_item(sim, worker, item, true);
		return;
	}
	seeks_no_more(sim, worker);
	sim->worker[worker].left_ns = NOT_DRAWN;
	sim->n_searching--;
	sim_idle(sim, worker);
}

void worker_wake(struct sim *sim, uint32_t item, uint32_t worker)
{
	uint32_t who = sim_whom_to_wake(sim, item, worker);

	if (who != NONE)
		search(sim, who, sim->item[item].where == MEMBERS ? LEAD_MEMBER : LEAD_WAKE);
}
