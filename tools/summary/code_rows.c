/* SPDX-License-Identifier: MIT */
/* code_rows.c - sorts the stacks of samples by what they have in common. */
#include "tools/summary/code_rows.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/order.h"
#include "tools/base/ratio.h"
#include "tools/base/xalloc.h"
#include "tools/run/sites.h"
#include "tools/run/spot_names.h"
#include "tools/dag/wait_rules.h"

static struct code_row cell_row(const struct sampled *sampled, const struct code_cell *cell)
{
	const struct stack_frame *inner = sampled_inner(sampled, cell->stack);
	const struct stack_frame *called, *user = sampled_user(sampled, cell->stack, &called);
	struct code_row row = { .kind = cell->kind,
				.state = cell->state,
				.code = inner ? sites_place(&inner->name) : (struct place){ 0 },
				.caller = user && user != inner ? sites_place(&user->name)
								: (struct place){ 0 },
				.is_own = user && user == inner,
				.called = user && called ? called->name.function : NULL,
				.spot = cell->spot,
				.copies = spot_copies(sampled, cell->stack),
				.counts = spot_counts(sampled, cell->stack),
				.header = user ? user->name.header : NULL,
				.n = cell->n,
				.n_beside = cell->n_beside,
				.n_together = cell->n_together,
				.n_apart = cell->n_apart,
				.n_kernel = cell->in_kernel ? cell->n : 0,
				.n_asleep = cell->n_asleep,
				.asleep_ns = cell->asleep_ns };

	if (!row.code.name)
		row.code.name = "(unknown)";
	return row;
}

typedef int row_order(const struct code_row *x, const struct code_row *y);

static int by_function(const struct place *a, const struct place *b)
{
	return order_texts(a->name, b->name) ?: order_texts(a->module, b->module) ?:
	       order_texts(a->file, b->file);
}

static int by_row(const struct code_row *x, const struct code_row *y)
{
	return order_least(x->kind, y->kind)
		       ?: order_least(x->state, y->state)
		       ?: by_function(&x->code, &y->code)
		       ?: by_function(&x->caller, &y->caller)
		       ?: order_least(x->caller.line, y->caller.line);
}

static int by_row_and_spot(const struct code_row *x, const struct code_row *y)
{
	return by_row(x, y) ?: order_least(x->spot, y->spot);
}

ORDER(by_spot_and_line, struct code_row, by_row_and_spot(x, y) ?: BY_LEAST(code.line) ?:
      BY_LEAST(code.offset))

ORDER(by_row_and_line, struct code_row, by_row(x, y) ?: BY_LEAST(code.line) ?:
      BY_LEAST(code.offset) ?: BY_LEAST(spot))

ORDER(by_samples, struct code_row, BY_MOST(n) ?: BY_MOST(asleep_ns) ?: by_row(x, y))

static void add_samples(struct code_row *to, const struct code_row *row)
{
	to->n += row->n;
	to->n_beside += row->n_beside;
	to->n_together += row->n_together;
	to->n_apart += row->n_apart;
	to->n_kernel += row->n_kernel;
	to->n_asleep += row->n_asleep;
	to->asleep_ns += row->asleep_ns;
}

/* Rows that are equal become one, in place: how many are left. */
static uint32_t merge(struct code_row *row, uint32_t n, row_order *order)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < n;) {
		struct code_row sum = row[i], line = row[i], most = row[i];

		for (i++; i < n && order(&sum, &row[i]) == 0; i++) {
			add_samples(&sum, &row[i]);
			if (row[i].code.line == line.code.line)
				add_samples(&line, &row[i]);
			else
				line = row[i];
			if (line.n > most.n ||
			    (line.n == most.n && line.asleep_ns > most.asleep_ns))
				most = line;
		}
		sum.code = most.code;
		sum.n_line = most.n;
		sum.counts = most.counts;
		sum.header = most.header;
		sum.spot = most.spot;
		row[left++] = sum;
	}
	return left;
}

/* ---- spots ---- */

static struct kind_spot *find_spot(struct kind_spots *spots, const struct code_row *row)
{
	struct kind_spot *spot = spots->spot;

	while (spot < &spots->spot[spots->n] &&
	       (spot->kind != row->kind || spot->spot != (enum code_spot)row->spot))
		spot++;
	if (spot == &spots->spot[spots->n])
		spots->spot[spots->n++] =
			(struct kind_spot){ .kind = row->kind, .spot = row->spot };
	return spot;
}

static struct kind_sleep *find_sleep(struct kind_spots *spots, kind_id kind)
{
	struct kind_sleep *sleep = spots->sleep;

	while (sleep < &spots->sleep[spots->n_sleeps] && sleep->kind != kind)
		sleep++;
	if (sleep == &spots->sleep[spots->n_sleeps])
		spots->sleep[spots->n_sleeps++] = (struct kind_sleep){ .kind = kind };
	return sleep;
}

static bool is_line_of(const struct name *name, const struct place *place)
{
	return name->file && name->line == place->line && strcmp(name->file, place->file) == 0;
}

/* A wait in that line: for a lock that is not free. */
static uint32_t wait_at(const struct run *run, const struct place *user)
{
	const struct dag *dag = &run->dag;

	for (uint32_t i = 1; i < dag->n_waits && user->file && user->line; i++) {
		site_id number = dag->wait[i].site;
		const struct site_names *site =
			number < run->sites.n ? &run->sites.site[number] : NULL;

		if (wait_blocks(dag->wait[i].what) && site &&
		    is_line_of(site->at.function ? &site->at : &site->code, user))
			return i;
	}
	return 0;
}

const char *code_row_function(const struct code_row *row)
{
	return row->is_own ? row->code.name : row->called ?: row->code.name;
}

const struct place *code_row_user(const struct code_row *row)
{
	return row->is_own ? &row->code : row->caller.name ? &row->caller : NULL;
}

/* What its row with the most samples tells: of those that know a place, if there are any. */
static void place_spot(struct kind_spot *spot, const struct code_row *row, const struct run *run)
{
	const struct place *user = code_row_user(row);

	if (spot->function && (spot->place[0] || !user))
		return;
	spot->is_own = row->is_own;
	spot->counts = row->counts;
	spot->header = row->header;
	spot->function = code_row_function(row);
	if (!user)
		return;
	place_text(spot->place, sizeof(spot->place), user);
	spot->wait = wait_at(run, user);
}

static void add_sleep(struct kind_sleep *sleep, const struct code_row *row)
{
	sleep->ns += row->asleep_ns;
	if (row->asleep_ns <= sleep->most_ns)
		return;
	sleep->most_ns = row->asleep_ns;
	sleep->is_own = row->is_own;
	sleep->function = code_row_function(row);
	sleep->is_timed = spot_sleeps(row->code.name);
	sleep->place[0] = 0;
	if (code_row_user(row))
		place_text(sleep->place, sizeof(sleep->place), code_row_user(row));
}

static uint64_t asleep_ns(const struct kind_spots *spots, kind_id kind)
{
	for (uint32_t i = 0; i < spots->n_sleeps; i++)
		if (spots->sleep[i].kind == kind)
			return spots->sleep[i].ns;
	return 0;
}

/* Which kind that line creates: where the runtime names tasks by it, as OpenMP's. */
static bool find_created(const struct run *run, const struct place *user, kind_id *kind)
{
	for (kind_id k = KIND_OF_ROOTS + 1; user->file && user->line && k < run->dag.n_kinds; k++) {
		site_id number = run->dag.kind_site[k];
		const struct site_names *site =
			number < run->sites.n ? &run->sites.site[number] : NULL;

		*kind = k;
		if (site && run->dag.kind_what[k] == KIND_TASK &&
		    (is_line_of(&site->at, user) || is_line_of(&site->code, user)))
			return true;
	}
	return false;
}

static void add_creation(struct kind_spots *spots, const struct code_row *row,
			 const struct run *run)
{
	kind_id kind;

	if (row->state != STATE_RUNTIME || !row->caller.name ||
	    !find_created(run, &row->caller, &kind))
		return;
	spots->creation[kind].n += row->n;
	spots->creation[kind].n_copying += row->copies ? row->n : 0;
}

/* Those that tasks were at: the rows with the most samples come first. */
static void find_spots(struct code_rows *rows, const struct sampled *sampled, const struct run *run)
{
	struct kind_spots *spots = &rows->spots;
	const char *kernel = defs_meta(sampled->defs, "sample_kernel");

	*spots = (struct kind_spots){ .spot = xcalloc(rows->n + 1ull, sizeof(*spots->spot)),
				      .sleep = xcalloc(rows->n + 1ull, sizeof(*spots->sleep)),
				      .creation = xcalloc(run->dag.n_kinds + 1ull,
							  sizeof(*spots->creation)),
				      .kind_n = sampled->code.kind_n,
				      .memory_n = sampled->code.memory_n,
				      .period_ns = sampled->period_ns,
				      .n_all = sampled->code.n,
				      .all_taken = kernel && strcmp(kernel, "1") == 0 };
	for (uint32_t i = 0; i < rows->n; i++)
		add_creation(spots, &rows->row[i], run);
	for (uint32_t i = 0; i < rows->n; i++)
		if (rows->row[i].asleep_ns && rows->row[i].kind != CODE_NO_KIND)
			add_sleep(find_sleep(spots, rows->row[i].kind), &rows->row[i]);
	for (uint32_t i = 0; i < rows->n; i++) {
		const struct code_row *row = &rows->row[i];
		struct kind_spot *spot =
			row->spot && row->kind != CODE_NO_KIND ? find_spot(spots, row) : NULL;

		if (!spot)
			continue;
		if (!spot->function) {
			spot->n_kind = sampled->code.kind_n[row->kind];
			spot->asleep_kind_ns = asleep_ns(spots, row->kind);
		}
		place_spot(spot, row, run);
		spot->n += row->n;
		spot->n_together += row->n_together;
		spot->n_apart += row->n_apart;
		spot->asleep_ns += row->asleep_ns;
		if (spot->spot == SPOT_FAULTS && spot_returns_memory(row->code.name))
			spot->n_returned += row->n;
	}
}

/* One for all cells that are equal by `order`, which `sorted` begins with; those with the most
 * samples first. */
static void build_rows(struct code_rows *rows, const struct sampled *sampled,
		       int (*sorted)(const void *, const void *), row_order *order)
{
	const struct code *code = &sampled->code;

	for (uint32_t i = 0; i < code->n_cells; i++)
		rows->row[i] = cell_row(sampled, &code->cell[i]);
	qsort(rows->row, code->n_cells, sizeof(*rows->row), sorted);
	rows->n = merge(rows->row, code->n_cells, order);
	qsort(rows->row, rows->n, sizeof(*rows->row), by_samples);
}

/* What is found at spots; who reads rows sees the functions alone. */
void code_rows_build(struct code_rows *rows, const struct sampled *sampled, const struct run *run)
{
	const struct code *code = &sampled->code;

	*rows = (struct code_rows){ .row = xcalloc(code->n_cells + 1ull, sizeof(*rows->row)) };
	build_rows(rows, sampled, by_spot_and_line, by_row_and_spot);
	find_spots(rows, sampled, run);
	build_rows(rows, sampled, by_row_and_line, by_row);
	for (uint32_t i = 0; i < rows->n; i++) {
		struct code_row *row = &rows->row[i];

		row->cpu_ns = sampled->period_ns ? row->n * sampled->period_ns : UINT64_MAX;
		row->share = ratio(row->n, code->n);
	}
}

const char *code_rows_keep(struct code_rows *rows, const char *text)
{
	return *ARRAY_ADD(rows->kept, rows->n_kept, rows->kept_room, xstrdup(text));
}

void code_rows_free(struct code_rows *rows)
{
	for (uint32_t i = 0; i < rows->n_kept; i++)
		free(rows->kept[i]);
	free(rows->kept);
	free(rows->row);
	free(rows->spots.spot);
	free(rows->spots.sleep);
	free(rows->spots.creation);
	*rows = (struct code_rows){ 0 };
}
