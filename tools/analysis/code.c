/* SPDX-License-Identifier: MIT */
/* code.c - one loop over the samples, with the strand that each worker began last. */
#include "tools/analysis/code.h"

#include <stdlib.h>

#include "tools/base/map.h"
#include "tools/base/order.h"
#include "tools/base/xalloc.h"

/* ---- meetings ---- */

/*
 * Whether workers use the same cache line at about the same time.
 *
 * A line that one of them writes moves between their caches, and makes both wait.  Samples are
 * noted in the order of time; the two workers that used a line last are known.
 */
#define MEETING_NEVER UINT64_MAX
#define MEETING_LINE_SHIFT 4 /* .. 16 of them a line */

struct meeting_use {
	uint64_t ns, wrote_ns; /* the last times; MEETING_NEVER */
	uint64_t n, wrote_n;   /* .. and which of the worker's samples that were */
	uint32_t word;
	uint16_t worker;
	bool is_shared; /* a lock, or an atomic variable: meant for several workers */
};

struct meeting_worker {
	uint64_t n;    /* samples so far */
	bool is_there; /* it runs a task now */
};

struct meetings {
	/* how long ago a use may be: of memory that is meant to be shared; of other memory */
	uint64_t shared_ns, fresh_ns;
	/* .. or how many samples of its worker, which goes on with its task: it may have no CPU */
	uint64_t shared_n;
	const struct meeting_worker *worker;
	struct map lines; /* 1 + the place of its two uses */
	struct meeting_use (*use)[2];
	uint64_t n, room;
};

enum meeting { MEETING_NONE, MEETING_WORD, MEETING_LINE }; /* at the word; elsewhere in its line */

static const struct meeting_use never = { .ns = MEETING_NEVER, .wrote_ns = MEETING_NEVER };

/* A use at then_ns, by sample then_n of the worker. */
static bool is_fresh(const struct meetings *meetings, const struct meeting_use *use,
		     uint64_t then_ns, uint64_t then_n, uint64_t ns, bool is_shared)
{
	const struct meeting_worker *worker = &meetings->worker[use->worker];
	uint64_t fresh_ns = is_shared ? meetings->shared_ns : meetings->fresh_ns;

	if (then_ns == MEETING_NEVER)
		return false;
	return ns - then_ns <= fresh_ns ||
	       (is_shared && worker->is_there && worker->n - then_n <= meetings->shared_n);
}

/* The worker's own use of the line, or the older one, which is then its own. */
static struct meeting_use *own_use(struct meeting_use use[2], uint16_t worker)
{
	for (int i = 0; i < 2; i++)
		if (use[i].ns != MEETING_NEVER && use[i].worker == worker)
			return &use[i];
	/* never is the largest time */
	if (use[0].ns != MEETING_NEVER && (use[1].ns == MEETING_NEVER || use[1].ns < use[0].ns))
		use++;
	*use = never;
	return use;
}

/* A use by a worker: *met who else did. */
static void meetings_note(struct meetings *meetings, const struct meeting_use *now,
			  enum meeting *met)
{
	uint64_t *number = map_put(&meetings->lines, now->word >> MEETING_LINE_SHIFT);
	struct meeting_use *both, *own, *other, before;
	bool is_shared;

	*met = MEETING_NONE;
	if (!*number) {
		array_grow(&meetings->use, &meetings->room, meetings->n + 1,
			   sizeof(*meetings->use));
		meetings->use[meetings->n][0] = meetings->use[meetings->n][1] = never;
		*number = ++meetings->n;
	}
	both = meetings->use[*number - 1];
	own = own_use(both, now->worker);
	other = own == both ? both + 1 : both;
	before = *own;
	*own = *now;
	own->is_shared |= before.is_shared && before.word == now->word;
	if (now->wrote_ns == MEETING_NEVER) {
		own->wrote_ns = before.wrote_ns;
		own->wrote_n = before.wrote_n;
	}
	/* who loads what others change atomically waits for them, too */
	is_shared = now->is_shared || other->is_shared;
	if (is_fresh(meetings, other, other->ns, other->n, now->ns, is_shared) &&
	    (is_fresh(meetings, own, own->wrote_ns, own->wrote_n, now->ns, is_shared) ||
	     is_fresh(meetings, other, other->wrote_ns, other->wrote_n, now->ns, is_shared)))
		*met = other->word == now->word ? MEETING_WORD : MEETING_LINE;
}

static void meetings_free(struct meetings *meetings)
{
	map_free(&meetings->lines);
	free(meetings->use);
	*meetings = (struct meetings){ 0 };
}

/* ---- samples ---- */

/* Of a worker's last sample with a CPU. */
struct presence {
	uint8_t spot;
	uint32_t lock[SPOT_ALLOCATOR + 1]; /* the word seen last in functions of locks; 0: none */
};

struct walk {
	struct code *code;
	const struct dag *dag;
	const struct pauses *pauses;
	const struct select *select;
	const struct code_stacks *stacks;
	strand_id next;
	strand_id *last;	    /* by worker: began last; STRAND_NONE: none has */
	struct presence *presence;  /* by worker */
	struct meeting_worker *met; /* .. likewise */
	struct meetings meetings;
	struct map cells;
};

ORDER(by_time, struct code_sample, order_least(code_sample_ns(x), code_sample_ns(y)) ?:
      BY_LEAST(worker) ?: BY_LEAST(stack))

static bool runs(const struct walk *walk, uint32_t worker, uint64_t ns)
{
	strand_id s = walk->last[worker];

	return s != STRAND_NONE && ns < dag_end(walk->dag, s);
}

/* Whether another worker waits for libc's lock, or for one of the program's, as this one does. */
static bool is_with_others(const struct walk *walk, uint32_t worker, uint8_t spot)
{
	for (uint32_t w = 0; w < walk->dag->n_slots; w++)
		if (w != worker && walk->presence[w].spot == spot && walk->met[w].is_there)
			return true;
	return false;
}

/*
 * Whether it meets others: at the memory that its instruction used, or, in functions of locks, at
 * the word that it used there last.  Where no words are known, whoever is in the same function of
 * libc is met, and whoever awaits a lock.
 */
static void meet(struct walk *walk, const struct code_sample *sample, uint8_t told,
		 enum meeting *met)
{
	struct presence *presence = &walk->presence[sample->worker];
	uint64_t ns = code_sample_ns(sample), n = walk->met[sample->worker].n;
	uint8_t spot = told & CODE_SPOT;
	bool of_lock = spot >= SPOT_LOCK && spot <= SPOT_ALLOCATOR;
	uint32_t word = sample->word;

	*met = MEETING_NONE;
	if (of_lock && word && told & CODE_WRITES)
		presence->lock[spot] = word;
	if (of_lock && presence->lock[spot])
		word = presence->lock[spot];
	if (word && spot >= SPOT_LOCK && spot <= SPOT_LINE) {
		meetings_note(&walk->meetings,
			      &(struct meeting_use){ .ns = ns,
						     .wrote_ns = of_lock || told & CODE_WRITES
									 ? ns
									 : MEETING_NEVER,
						     .n = n,
						     .wrote_n = n,
						     .word = word,
						     .worker = sample->worker,
						     .is_shared = spot != SPOT_LINE },
			      met);
		return;
	}
	if ((spot == SPOT_RAND || spot == SPOT_ZONE || told & CODE_AWAITS) &&
	    is_with_others(walk, sample->worker, spot))
		*met = MEETING_WORD;
}

/* Counts it by what other workers do. */
static void count_others(struct walk *walk, struct code_cell *cell,
			 const struct code_sample *sample, uint8_t told)
{
	struct presence *presence = &walk->presence[sample->worker];
	uint64_t ns = code_sample_ns(sample);
	enum meeting met;
	bool beside = false;

	for (uint32_t w = 0; w < walk->dag->n_slots; w++) {
		walk->met[w].is_there = runs(walk, w, ns);
		beside |= w != sample->worker && walk->met[w].is_there;
	}
	walk->met[sample->worker].n++;
	meet(walk, sample, told, &met);
	cell->n_beside += beside;
	cell->n_together += met != MEETING_NONE;
	cell->n_apart += met == MEETING_LINE;
	presence->spot = told & CODE_SPOT;
}

static void begin_strands(struct walk *walk, uint64_t ns)
{
	const struct dag *dag = walk->dag;

	for (; walk->next < dag->n_strands && dag_start(dag, walk->next) <= ns; walk->next++)
		if (!dag_is_node(dag, walk->next))
			walk->last[dag->strand[walk->next].worker] = walk->next;
}

static kind_id kind_at(const struct walk *walk, strand_id s, uint32_t stack)
{
	uint32_t told = stack < walk->stacks->n && dag_collapsed(walk->dag, s)
				? walk->stacks->kind[stack]
				: 0;

	return told ? told - 1 : dag_kind(walk->dag, s);
}

/* Its cell, which may move when the next one is asked for. */
static struct code_cell *cell_of(struct walk *walk, kind_id kind, enum state state, uint32_t stack)
{
	struct code *code = walk->code;
	uint64_t who = kind == CODE_NO_KIND ? state : (uint64_t)kind + STATES;
	uint64_t *number = map_put(&walk->cells, who << 32 | stack);

	if (!*number) {
		ARRAY_ADD(code->cell, code->n_cells, code->room,
			  (struct code_cell){ .kind = kind,
					      .state = (uint8_t)state,
					      .in_kernel = stack & CODE_IN_KERNEL,
					      .stack = stack & ~CODE_IN_KERNEL });
		*number = code->n_cells;
	}
	return &code->cell[*number - 1];
}

static void put_sample(struct walk *walk, const struct code_sample *sample)
{
	uint64_t n_together, ns = code_sample_ns(sample);
	strand_id s = walk->last[sample->worker];
	bool running = runs(walk, sample->worker, ns);
	kind_id kind = running ? kind_at(walk, s, sample->stack & ~CODE_IN_KERNEL) : CODE_NO_KIND;
	enum state state = running	      ? STATE_RUNNING
			   : s != STRAND_NONE ? pause_state(walk->pauses->after[s])
					      : STATE_IDLE;
	struct code_cell *cell = cell_of(walk, kind, state, sample->stack);
	uint8_t told = 0;

	if (cell->stack < walk->stacks->n)
		told = (cell->in_kernel ? walk->stacks->spot_in_kernel
					: walk->stacks->spot)[cell->stack];
	cell->spot = told & CODE_SPOT;
	if (sample->asleep_us) {
		if (!(told & CODE_AWAITS)) { /* it is elsewhere, for long */
			walk->presence[sample->worker].spot = SPOT_NONE;
			walk->met[sample->worker].n += walk->meetings.shared_n + 1;
		}
		cell->n_asleep++;
		cell->asleep_ns += UINT64_C(1000) * sample->asleep_us;
		return;
	}
	cell->n++;
	walk->code->n++;
	if (running) {
		walk->code->kind_n[kind]++;
		walk->code->strand_n[s]++;
	}
	n_together = cell->n_together;
	count_others(walk, cell, sample, told);
	if (running && cell->spot == SPOT_LINE && cell->n_together == n_together)
		walk->code->memory_n[kind]++;
}

static void place_samples(struct walk *walk, const struct code_sample *sample, uint64_t n)
{
	for (uint32_t w = 0; w < walk->dag->n_slots; w++)
		walk->last[w] = STRAND_NONE;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t ns = code_sample_ns(&sample[i]);

		begin_strands(walk, ns);
		if (sample[i].worker < walk->dag->n_slots && ns <= walk->dag->elapsed_ns &&
		    (!walk->select || select_within(walk->select, ns, ns + 1)))
			put_sample(walk, &sample[i]);
	}
}

/* A place where nobody was met is none. */
static void forget_alone(struct code *code)
{
	for (uint32_t i = 0; i < code->n_cells; i++)
		if (!code->cell[i].n_together &&
		    (code->cell[i].spot == SPOT_ATOMIC || code->cell[i].spot == SPOT_LINE))
			code->cell[i].spot = SPOT_NONE;
}

void code_build(struct code *code, const struct dag *dag, const struct pauses *pauses,
		const struct select *select, struct code_sample *sample, uint64_t n,
		const struct code_stacks *stacks)
{
	struct walk walk = { .code = code,
			     .dag = dag,
			     .pauses = pauses,
			     .select = select,
			     .stacks = stacks,
			     .meetings = { .shared_ns = stacks->fresh_ns,
					   .fresh_ns = stacks->period_ns,
					   .shared_n =
						   stacks->fresh_ns / (stacks->period_ns ?: 1) } };

	*code = (struct code){ 0 };
	if (!n)
		return;
	code->kind_n = xcalloc(dag->n_kinds + 1ull, sizeof(*code->kind_n));
	code->memory_n = xcalloc(dag->n_kinds + 1ull, sizeof(*code->memory_n));
	code->strand_n = xcalloc(dag->n_strands + 1ull, sizeof(*code->strand_n));
	walk.last = xmalloc((dag->n_slots + 1ull) * sizeof(*walk.last));
	walk.presence = xcalloc(dag->n_slots + 1ull, sizeof(*walk.presence));
	walk.met = xcalloc(dag->n_slots + 1ull, sizeof(*walk.met));
	walk.meetings.worker = walk.met;
	SORT(sample, n, by_time);
	place_samples(&walk, sample, n);
	free(walk.last);
	free(walk.presence);
	free(walk.met);
	meetings_free(&walk.meetings);
	forget_alone(code);
	map_free(&walk.cells);
}

void code_free(struct code *code)
{
	free(code->cell);
	free(code->kind_n);
	free(code->memory_n);
	free(code->strand_n);
	*code = (struct code){ 0 };
}
