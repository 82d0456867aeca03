/* SPDX-License-Identifier: MIT */
/* processes.c - adds up processes, and merges their kinds and phases. */
#include "tools/report/processes.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/at_most.h"
#include "tools/base/order.h"
#include "tools/base/xalloc.h"

/* ---- places ---- */

/* A copy.  NULL stays NULL. */
static void copy_text(char **out, const char *text)
{
	*out = text ? xstrdup(text) : NULL;
}

/* With strings of its own. */
static void own_place(struct place *to, const struct place *from)
{
	*to = *from;
	copy_text((char **)&to->name, from->name ?: "?");
	copy_text((char **)&to->file, from->file);
	copy_text((char **)&to->module, from->module);
}

static void free_place(struct place *place)
{
	free((char *)place->name);
	free((char *)place->file);
	free((char *)place->module);
}

/* The numbers of those that are kept. */
struct places {
	struct rank *rank;
	const struct summary *summary;
	struct map by_kind, by_site; /* number + 1 */
	uint64_t room, work_room;
};

static void add_place(struct places *places, const struct place *from, uint64_t work_ns)
{
	struct rank *rank = places->rank;

	array_grow(&rank->place, &places->room, rank->n_places + 1ull, sizeof(*rank->place));
	array_grow(&rank->work_ns, &places->work_room, rank->n_places + 1ull,
		   sizeof(*rank->work_ns));
	rank->work_ns[rank->n_places] = work_ns;
	own_place(&rank->place[rank->n_places++], from);
}

/* Of a kind, or of a site: in place of its number that of its place. */
static void number_place(struct places *places, struct map *map, uint32_t *number)
{
	const struct summary *summary = places->summary;
	bool is_kind = map == &places->by_kind;
	uint64_t *known = map_put(map, *number);

	if (!*known) {
		struct place place =
			is_kind ? summary->rows.code[*number] : rows_site(summary->run, *number);

		add_place(places, &place, is_kind ? summary->breakdown.kind[*number].work_ns : 0);
		*known = places->rank->n_places;
	}
	*number = (uint32_t)*known - 1;
}

/* Nothing is kept of a part of a run. */
static void keep_rank(struct rank *rank, const struct summary *summary)
{
	struct places places = { .rank = rank, .summary = summary };
	struct rank_calls *calls = &rank->calls;

	*rank = (struct rank){ 0 };
	if (run_is_whole(summary->run))
		rank_calls_find(calls, summary->dag, &summary->pauses, &summary->run->machine,
				summary->defs->first.ns);
	calls->born_ns = run_born_ns(summary->run);
	for (uint32_t i = 0; i < calls->n_steps; i++)
		number_place(&places, &places.by_kind, &calls->step[i].kind);
	for (uint32_t i = 0; i < calls->n_calls; i++)
		number_place(&places, &places.by_site, &calls->call[i].site);
	/* other ranks may be late with what this one did in time */
	for (uint32_t i = 0; i < summary->rows.n && calls->n_calls; i++) {
		uint32_t kind = summary->rows.row[i].kind;

		number_place(&places, &places.by_kind, &kind);
	}
	map_free(&places.by_kind);
	map_free(&places.by_site);
}

/* a zeroed one is fine */
static void rank_free(struct rank *rank)
{
	for (uint32_t i = 0; i < rank->n_places; i++)
		free_place(&rank->place[i]);
	free(rank->place);
	free(rank->work_ns);
	if (!rank->is_spooled)
		rank_calls_free(&rank->calls);
	*rank = (struct rank){ 0 };
}

#define NONE UINT32_MAX

/* Makes the strings its own. */
static void own_identity(struct identity *id)
{
	struct identity borrowed = *id;

	copy_text((char **)&id->host, borrowed.host);
	copy_text((char **)&id->program, borrowed.program);
	copy_text((char **)&id->ended, borrowed.ended);
}

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static uint64_t hash_place(const struct place *place)
{
	uint64_t hash = map_hash(MAP_HASH, place->name);

	return map_hash(map_hash(hash, place->file), place->module) + place->line;
}

static bool is_place(const struct merged_kind *kind, const struct place *place)
{
	return kind->place.line == place->line && same(kind->place.name, place->name) &&
	       same(kind->place.file, place->file) && same(kind->place.module, place->module);
}

/* The kind of that place, made if it is new. */
static struct merged_kind *kind_at(struct processes *all, const struct place *place)
{
	uint64_t *first = map_put(&all->by_hash, hash_place(place));
	struct merged_kind *kind;
	uint32_t i;

	for (i = (uint32_t)*first - 1; i != NONE; i = all->kind[i].next)
		if (is_place(&all->kind[i], place))
			return &all->kind[i];
	array_grow(&all->kind, &all->kind_room, all->n_kinds + 1ull, sizeof(*kind));
	kind = &all->kind[all->n_kinds++];
	*kind = (struct merged_kind){ .next = (uint32_t)*first - 1,
				      .min_ns = UINT64_MAX,
				      .newest = NONE };
	*first = all->n_kinds;
	own_place(&kind->place, place);
	kind->place.last_line = 0; /* which processes need not have in common, .. */
	kind->place.offset = 0;	   /* .. nor that */
	return kind;
}

/* ---- one process ---- */

static struct merged_kind merged_kind_of(const struct kind_row *row)
{
	return (struct merged_kind){ .n_tasks = row->facts->n_tasks,
				     .min_ns =
					     row->facts->n_begun ? row->facts->min_ns : UINT64_MAX,
				     .max_ns = row->facts->max_ns,
				     .charge = *row->charge };
}

static void merged_kind_add(struct processes *all, const struct place *place,
			    const struct merged_kind *more)
{
	struct merged_kind *kind = kind_at(all, place);

	kind->n_processes += kind->newest != all->n;
	kind->newest = all->n;
	kind->n_tasks += more->n_tasks;
	kind->min_ns = at_most(kind->min_ns, more->min_ns);
	kind->max_ns = at_least(kind->max_ns, more->max_ns);
	charge_add(&kind->charge, &more->charge);
}

static void merged_phase_add(struct processes *all, const struct merged_phase *more)
{
	struct merged_phase *phase;
	uint32_t i = 0;

	while (i < all->n_phases && strcmp(all->phase[i].name, more->name) != 0)
		i++;
	if (i == all->n_phases)
		ARRAY_ADD(all->phase, all->n_phases, all->phase_room,
			  (struct merged_phase){ .name = xstrdup(more->name), .most = all->n });
	phase = &all->phase[i];
	phase->n_processes++;
	phase->work_ns += more->work_ns;
	if (more->work_ns > phase->most_ns) {
		phase->most_ns = more->work_ns;
		phase->most = all->n;
	}
}

static void add_process(struct processes *all, struct process *more)
{
	struct process *process;

	array_grow(&all->process, &all->room, all->n + 1ull, sizeof(*process));
	process = &all->process[all->n++];
	*process = *more;
	process->path = NULL;
	more->rank = (struct rank){ 0 };
	more->width = NULL;
	own_identity(&process->id);
	copy_text(&process->path, more->path);
}

static void sums_of(struct process_sums *sums, const struct summary *summary)
{
	*sums = (struct process_sums){ .total = summary->breakdown.total,
				       .span_ns = summary->span_ns,
				       .on_cpu = summary->on_cpu,
				       .cumulative_ns = summary->cumulative_ns,
				       .elapsed_ns = summary->dag->elapsed_ns,
				       .n_workers = summary->dag->n_workers,
				       .n_tasks = summary->n_tasks,
				       .n_strands = summary->n_strands,
				       .n_lost = summary->dag->n_lost,
				       .tracer_ns = summary->tracer_ns };
	if (run_is_whole(summary->run))
		sums->outside_ns = summary->ends.head.ns + summary->ends.tail.ns;
	memcpy(sums->state, summary->breakdown.state, sizeof(sums->state));
	memcpy(sums->n_moves, summary->breakdown.n_moves, sizeof(sums->n_moves));
	memcpy(sums->delay_by_edge_ns, summary->breakdown.delay_by_edge_ns,
	       sizeof(sums->delay_by_edge_ns));
}

void process_sums_add(struct process_sums *all, const struct process_sums *more)
{
	charge_add(&all->total, &more->total);
	for (int i = 0; i < STATES; i++)
		charge_add(&all->state[i], &more->state[i]);
	all->span_ns = at_least(all->span_ns, more->span_ns);
	machine_on_cpu_add(&all->on_cpu, &more->on_cpu);
	all->cumulative_ns += more->cumulative_ns;
	all->elapsed_ns += more->elapsed_ns;
	all->n_workers += more->n_workers;
	all->n_tasks += more->n_tasks;
	all->n_strands += more->n_strands;
	for (int i = 0; i < MOVES; i++)
		all->n_moves[i] += more->n_moves[i];
	all->n_lost += more->n_lost;
	all->tracer_ns += more->tracer_ns;
	all->outside_ns += more->outside_ns;
	for (int e = 0; e < EDGE_KINDS; e++)
		all->delay_by_edge_ns[e] += more->delay_by_edge_ns[e];
}

void processes_one(struct processes *one, const struct reader *reader,
		   const struct summary *summary)
{
	struct process process = { .id = identity_of(reader),
				   .path = (char *)summary->file->path,
				   .ended = summary->file->ended,
				   .live = summary->file->live };

	keep_rank(&process.rank, summary);

	*one = (struct processes){ 0 };
	sums_of(&process.sums, summary);
	local_one(&one->local, summary);
	for (uint32_t r = 0; r < summary->rows.n; r++) {
		struct merged_kind kind = merged_kind_of(&summary->rows.row[r]);

		merged_kind_add(one, &summary->rows.row[r].code, &kind);
	}
	for (uint32_t i = 1; summary->breakdown.row && i < summary->run->phases.n; i++)
		merged_phase_add(one, &(struct merged_phase){
					      .name = (char *)summary->run->phases.name[i],
					      .work_ns = summary->breakdown.row[i].work_ns });
	add_process(one, &process);
	rank_free(&process.rank);
}

/* ---- all of them ---- */

/* Hosts and ranks are counted in the order that processes come in: by rank, mostly by host. */
static bool is_known(const struct processes *all, uint32_t n, const char *host)
{
	for (uint32_t i = n; i-- > 0;)
		if (same(all->process[i].id.host, host))
			return true;
	return false;
}

void processes_add(struct processes *all, struct processes *one)
{
	struct process *process = one->process;
	uint32_t i = all->n;

	for (uint32_t k = 0; k < one->n_kinds; k++)
		merged_kind_add(all, &one->kind[k].place, &one->kind[k]);
	for (uint32_t p = 0; p < one->n_phases; p++)
		merged_phase_add(all, &one->phase[p]);
	local_add(&all->local, &one->local, i);
	add_process(all, process);
	process_sums_add(&all->sums, &process->sums);
	all->n_hosts += process->id.host && !is_known(all, i, process->id.host);
	all->n_ranks += process->id.has_rank;
	if (process->id.has_rank && all->n_jobs <= 1)
		all->process[i].id.nth_world = identity_nth_world(&all->worlds, process->id.world);
	if (process->sums.total.work_ns > all->process[all->most_work].sums.total.work_ns)
		all->most_work = i;
	if (process->sums.elapsed_ns > all->process[all->longest].sums.elapsed_ns)
		all->longest = i;
}

/* Processes come in by rank. */
uint64_t processes_missing(const struct processes *all, uint64_t *first)
{
	uint64_t n_ranks = 0, n_there = 0, next = 0;

	*first = UINT64_MAX;
	for (uint32_t i = 0; i < all->n && all->process[i].id.has_rank; i++) {
		const struct identity *id = &all->process[i].id;

		n_ranks = at_least(n_ranks, id->n_ranks);
		if (id->rank > next)
			*first = at_most(*first, next);
		n_there += id->rank >= next;
		next = at_least(next, id->rank + 1);
	}
	*first = at_most(*first, next);
	return above(n_ranks, n_there);
}

/* ---- as bytes ---- */

static void pass_place(struct bytes *bytes, struct place *place)
{
	bytes_pass_text(bytes, (char **)&place->name);
	bytes_pass_text(bytes, (char **)&place->file);
	bytes_pass_text(bytes, (char **)&place->module);
}

static void pass_rank(struct bytes *bytes, struct rank *rank, struct spool *spool)
{
	struct rank_calls *calls = &rank->calls;

	BYTES_PASS(bytes, calls->born_ns);
	BYTES_PASS(bytes, calls->begin_ns);
	BYTES_PASS(bytes, calls->end_ns);
	BYTES_PASS(bytes, calls->last_step);
	bytes->spool = spool;
	bytes_pass_array(bytes, &calls->call, &calls->n_calls, sizeof(*calls->call));
	bytes_pass_array(bytes, &calls->message, &calls->n_messages, sizeof(*calls->message));
	bytes_pass_array(bytes, &calls->step, &calls->n_steps, sizeof(*calls->step));
	bytes->spool = NULL;
	bytes_pass_array(bytes, &rank->work_ns, &rank->n_places, sizeof(*rank->work_ns));
	bytes_pass_array(bytes, &rank->place, &rank->n_places, sizeof(*rank->place));
	for (uint32_t i = 0; i < rank->n_places; i++)
		pass_place(bytes, &rank->place[i]);
}

static void pass_process(struct bytes *bytes, struct process *process)
{
	BYTES_PASS(bytes, process->id);
	BYTES_PASS(bytes, process->ended);
	BYTES_PASS(bytes, process->live);
	BYTES_PASS(bytes, process->sums);
	bytes_pass_text(bytes, (char **)&process->id.host);
	bytes_pass_text(bytes, (char **)&process->id.program);
	bytes_pass_text(bytes, (char **)&process->id.ended);
	bytes_pass_text(bytes, &process->path);
	bytes_pass_array(bytes, &process->width, &process->n_widths, sizeof(*process->width));
}

void processes_pass(struct processes *one, struct bytes *bytes, struct spool *spool)
{
	if (!bytes->out)
		*one = (struct processes){ .process = xcalloc(1, sizeof(*one->process)) };
	one->n = one->process != NULL;
	pass_process(bytes, one->process);
	bytes_pass_array(bytes, &one->kind, &one->n_kinds, sizeof(*one->kind));
	for (uint32_t k = 0; k < one->n_kinds; k++)
		pass_place(bytes, &one->kind[k].place);
	bytes_pass_array(bytes, &one->phase, &one->n_phases, sizeof(*one->phase));
	for (uint32_t i = 0; i < one->n_phases; i++)
		bytes_pass_text(bytes, &one->phase[i].name);
	local_pass(&one->local, bytes);
	one->process->rank.is_spooled = !bytes->out;
	pass_rank(bytes, &one->process->rank, spool);
	if (spool)
		spool_rest(spool);
}

/* ---- shown ---- */

ORDER(by_charge, struct merged_kind, order_most(charge_sum(&x->charge), charge_sum(&y->charge)) ?:
      strcmp(x->place.name, y->place.name))

void processes_sort(struct processes *all)
{
	for (uint32_t i = 0; i < all->n_kinds; i++)
		if (all->kind[i].min_ns == UINT64_MAX) /* none of its tasks ever began */
			all->kind[i].min_ns = 0;
	SORT(all->kind, all->n_kinds, by_charge);
}

void processes_free(struct processes *all)
{
	for (uint32_t i = 0; i < all->n; i++) {
		free((char *)all->process[i].id.host);
		free((char *)all->process[i].id.program);
		free((char *)all->process[i].id.ended);
		free(all->process[i].path);
		free(all->process[i].width);
		rank_free(&all->process[i].rank);
	}
	for (uint32_t i = 0; i < all->n_kinds; i++)
		free_place(&all->kind[i].place);
	for (uint32_t i = 0; i < all->n_phases; i++)
		free(all->phase[i].name);
	free(all->process);
	free(all->kind);
	free(all->phase);
	local_free(&all->local);
	map_free(&all->by_hash);
	map_free(&all->worlds);
	spool_free(&all->spool);
	*all = (struct processes){ 0 };
}

static double over_mean(uint64_t largest, uint64_t sum, uint32_t n)
{
	return sum ? (double)largest * n / (double)sum : 0;
}

double processes_work_imbalance(const struct processes *all)
{
	return all->n ? over_mean(all->process[all->most_work].sums.total.work_ns,
				  all->sums.total.work_ns, all->n)
		      : 0;
}

double processes_elapsed_imbalance(const struct processes *all)
{
	return all->n ? over_mean(all->process[all->longest].sums.elapsed_ns, all->sums.elapsed_ns,
				  all->n)
		      : 0;
}
