/* SPDX-License-Identifier: MIT */
/* processes.c - adds up processes, and merges their kinds. */
#include "tools/export/processes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

static bool number(const char *text, uint64_t *value)
{
	char *end;

	if (!text || *text < '0' || *text > '9')
		return false;
	*value = strtoull(text, &end, 10);
	return *end == 0;
}

struct identity identity_of(const struct reader *reader)
{
	const struct defs *defs = reader_defs(reader);
	struct identity id = { .host = defs_meta(defs, "host"),
			       .program = place_base(defs_meta(defs, "exe")),
			       .ended = defs_meta(defs, "ended") };

	id.has_rank = number(defs_meta(defs, "rank"), &id.rank);
	number(defs_meta(defs, "pid"), &id.pid);
	return id;
}

int identity_order(const struct identity *a, const struct identity *b)
{
	int hosts = strcmp(a->host ? a->host : "", b->host ? b->host : "");

	if (a->has_rank != b->has_rank)
		return a->has_rank ? -1 : 1;
	if (a->has_rank && a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (hosts)
		return hosts;
	return a->pid < b->pid ? -1 : a->pid > b->pid;
}

static void add_charge(struct charge *to, const struct charge *charge)
{
	to->work_ns += charge->work_ns;
	to->delay_ns += charge->delay_ns;
	to->no_work_sched_ns += charge->no_work_sched_ns;
	to->no_work_app_ns += charge->no_work_app_ns;
}

/* A copy; false if there is no memory for it.  NULL stays NULL. */
static bool copy(char **out, const char *text)
{
	*out = text ? strdup(text) : NULL;
	return *out || !text;
}

/* Makes the strings its own. */
static bool own_identity(struct identity *id)
{
	struct identity borrowed = *id;
	bool host = copy((char **)&id->host, borrowed.host);
	bool program = copy((char **)&id->program, borrowed.program);

	return copy((char **)&id->ended, borrowed.ended) && host && program;
}

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; text && *text; text++) /* FNV-1a */
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
	return hash * 0x100000001b3u;
}

static uint64_t hash_place(const struct place *place)
{
	uint64_t hash = hash_text(0xcbf29ce484222325u, place->name);

	return hash_text(hash_text(hash, place->file), place->module) + place->line;
}

static bool is_place(const struct merged_kind *kind, const struct place *place)
{
	return kind->line == place->line && same(kind->name, place->name) &&
	       same(kind->file, place->file) && same(kind->module, place->module);
}

/* The kind of that place, made if it is new; NULL if out of memory. */
static struct merged_kind *kind_at(struct processes *all, const struct place *place)
{
	uint64_t *first = table_put(&all->by_hash, hash_place(place));
	struct merged_kind *kind;
	uint32_t i;

	if (!first)
		return NULL;
	for (i = (uint32_t)*first - 1; i != NONE; i = all->kind[i].next)
		if (is_place(&all->kind[i], place))
			return &all->kind[i];
	if (!array_grow(&all->kind, &all->kind_room, all->n_kinds + 1ull, sizeof(*kind)))
		return NULL;
	kind = &all->kind[all->n_kinds++];
	*kind = (struct merged_kind){ .line = place->line,
				      .next = (uint32_t)*first - 1,
				      .min_ns = UINT64_MAX,
				      .newest = NONE };
	*first = all->n_kinds;
	if (!copy(&kind->name, place->name) || !copy(&kind->file, place->file) ||
	    !copy(&kind->module, place->module))
		return NULL;
	return kind;
}

static int merge_row(struct processes *all, uint32_t process, const struct kind_row *row)
{
	struct merged_kind *kind = kind_at(all, &row->code);

	if (!kind)
		return -ENOMEM;
	kind->n_processes += kind->newest != process;
	kind->newest = process;
	kind->n_tasks += row->facts->n_tasks;
	if (row->facts->n_begun && row->facts->min_ns < kind->min_ns)
		kind->min_ns = row->facts->min_ns;
	if (row->facts->max_ns > kind->max_ns)
		kind->max_ns = row->facts->max_ns;
	add_charge(&kind->charge, row->charge);
	return 0;
}

/* Hosts and ranks are counted in the order that processes come in: by rank, mostly by host. */
static bool is_known(const struct processes *all, uint32_t n, const char *host)
{
	for (uint32_t i = n; i-- > 0;)
		if (same(all->process[i].id.host, host))
			return true;
	return false;
}

static void add_sums(struct processes *all, const struct summary *summary)
{
	add_charge(&all->total, &summary->breakdown.total);
	all->cumulative_ns += summary->cumulative_ns;
	all->elapsed_sum_ns += summary->dag->elapsed_ns;
	all->n_workers += summary->dag->n_workers;
	all->n_tasks += summary->dag->n_tasks;
	all->n_strands += summary->n_strands;
	all->n_steals += summary->breakdown.n_steals;
	all->n_lost += summary->dag->n_lost;
	all->tracer_ns += summary->tracer_ns;
	for (int e = 0; e < EDGE_KINDS; e++)
		all->delay_by_edge_ns[e] += summary->breakdown.delay_by_edge_ns[e];
}

int processes_add(struct processes *all, const struct reader *reader, const struct summary *summary)
{
	struct process *process;
	uint32_t i = all->n;
	int error = 0;

	if (!array_grow(&all->process, &all->room, i + 1ull, sizeof(*process)))
		return -ENOMEM;
	process = &all->process[i];
	*process = (struct process){ .id = identity_of(reader),
				     .total = summary->breakdown.total,
				     .elapsed_ns = summary->dag->elapsed_ns,
				     .cumulative_ns = summary->cumulative_ns,
				     .n_tasks = summary->dag->n_tasks,
				     .n_workers = summary->dag->n_workers,
				     .ended = summary->file->ended,
				     .live = summary->file->live };
	all->n++;
	if (!own_identity(&process->id) || !copy(&process->path, summary->file->path))
		return -ENOMEM;
	all->n_hosts += process->id.host && !is_known(all, i, process->id.host);
	all->n_ranks += process->id.has_rank;
	if (process->total.work_ns > all->process[all->most_work].total.work_ns)
		all->most_work = i;
	if (process->elapsed_ns > all->process[all->longest].elapsed_ns)
		all->longest = i;
	add_sums(all, summary);
	for (uint32_t r = 0; r < summary->n_rows && !error; r++)
		error = merge_row(all, i, &summary->row[r]);
	return error;
}

static int costly_first(const void *a, const void *b)
{
	const struct merged_kind *x = a, *y = b;
	uint64_t cost_x = charge_sum(&x->charge), cost_y = charge_sum(&y->charge);

	if (cost_x != cost_y)
		return cost_x < cost_y ? 1 : -1;
	return strcmp(x->name, y->name);
}

void processes_sort(struct processes *all)
{
	for (uint32_t i = 0; i < all->n_kinds; i++)
		if (all->kind[i].min_ns == UINT64_MAX) /* none of its tasks ever began */
			all->kind[i].min_ns = 0;
	if (all->n_kinds)
		qsort(all->kind, all->n_kinds, sizeof(*all->kind), costly_first);
}

void processes_free(struct processes *all)
{
	for (uint32_t i = 0; i < all->n; i++) {
		free((char *)all->process[i].id.host);
		free((char *)all->process[i].id.program);
		free((char *)all->process[i].id.ended);
		free(all->process[i].path);
	}
	for (uint32_t i = 0; i < all->n_kinds; i++) {
		free(all->kind[i].name);
		free(all->kind[i].file);
		free(all->kind[i].module);
	}
	free(all->process);
	free(all->kind);
	table_free(&all->by_hash);
	*all = (struct processes){ 0 };
}

static double over_mean(uint64_t largest, uint64_t sum, uint32_t n)
{
	return sum ? (double)largest * n / (double)sum : 0;
}

double processes_work_imbalance(const struct processes *all)
{
	return all->n ? over_mean(all->process[all->most_work].total.work_ns, all->total.work_ns,
				  all->n)
		      : 0;
}

double processes_elapsed_imbalance(const struct processes *all)
{
	return all->n ? over_mean(all->process[all->longest].elapsed_ns, all->elapsed_sum_ns,
				  all->n)
		      : 0;
}
