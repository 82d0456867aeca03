/* SPDX-License-Identifier: MIT */
/* hottest.c - a vote by samples finds the one line that can have most, and a sum tells if it does.
 */
#include "tools/summary/hottest.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/order.h"
#include "tools/base/ratio.h"
#include "tools/base/xalloc.h"

#define MOST .5

/* What rows are told apart by: a line, or what is called there. */
typedef bool is_alike(const struct code_row *a, const struct code_row *b);

static const struct place *place_of(const struct code_row *row)
{
	return code_row_user(row) ?: &row->code;
}

/* Samples at that place. */
static uint64_t n_of(const struct code_row *row)
{
	return row->is_own ? row->n_line : row->n;
}

static bool is_one_line(const struct code_row *a, const struct code_row *b)
{
	const struct place *x = place_of(a), *y = place_of(b);

	/* copying a lambda and dropping it are functions of its line */
	return x->line == y->line && order_texts(x->file, y->file) == 0 &&
	       (x->line || order_texts(x->name, y->name) == 0);
}

static bool is_one_call(const struct code_row *a, const struct code_row *b)
{
	return is_one_line(a, b) && strcmp(code_row_function(a), code_row_function(b)) == 0;
}

static bool is_own(const struct code_row *a, const struct code_row *b)
{
	return a->is_own && is_one_line(a, b);
}

static bool is_memory(const struct code_row *a, const struct code_row *b)
{
	(void)b;
	return a->copies || a->spot == SPOT_ALLOCATOR;
}

static bool is_memory_there(const struct code_row *a, const struct code_row *b)
{
	return is_memory(a, b) && is_one_line(a, b);
}

static bool is_of_task(const struct code_row *a, const struct code_row *b)
{
	(void)b;
	return a->kind != CODE_NO_KIND;
}

/* Samples of tasks: at places that are like `as`, or of such rows. */
static uint64_t count(const struct code_rows *rows, is_alike *is, const struct code_row *as)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < rows->n; i++)
		if (rows->row[i].kind != CODE_NO_KIND && is(&rows->row[i], as))
			n += as ? n_of(&rows->row[i]) : rows->row[i].n;
	return n;
}

/* Boyer and Moore's: if one line has most of such rows, it is that row's; NULL: there is none. */
static const struct code_row *vote(const struct code_rows *rows, is_alike *is)
{
	const struct code_row *elected = NULL;
	uint64_t votes = 0;

	for (uint32_t i = 0; i < rows->n; i++) {
		const struct code_row *row = &rows->row[i];

		if (row->kind == CODE_NO_KIND || !is(row, NULL))
			continue;
		if (!elected || is_one_line(row, elected)) {
			elected = elected ?: row;
			votes += n_of(row);
		} else if (n_of(row) > votes) {
			elected = row;
			votes = n_of(row) - votes;
		} else {
			votes -= n_of(row);
		}
	}
	return elected;
}

/* The row with most samples that is alike: they are in that order. */
static const struct code_row *first(const struct code_rows *rows, is_alike *is,
				    const struct code_row *as)
{
	for (uint32_t i = 0; i < rows->n; i++)
		if (rows->row[i].kind != CODE_NO_KIND && is(&rows->row[i], as))
			return &rows->row[i];
	return NULL;
}

static struct hottest find_line(const struct code_rows *rows, uint64_t n_all)
{
	const struct code_row *row = vote(rows, is_of_task);
	uint64_t n = row ? count(rows, is_one_line, row) : 0;
	struct hottest found = { .share = ratio(n, n_all) };

	if (!row)
		return found;
	row = first(rows, is_one_line, row);
	found.place = place_of(row);
	if (ratio(count(rows, is_own, row), n) >= MOST)
		return found;
	if (ratio(count(rows, is_one_call, row), n) < MOST)
		found.called = "what that calls";
	else if (code_row_user(row))
		found.called = code_row_function(row);
	return found;
}

static struct hottest find_memory(const struct code_rows *rows, uint64_t n_all)
{
	const struct code_row *row = vote(rows, is_memory);
	uint64_t n = count(rows, is_memory, NULL);
	struct hottest found = { .share = ratio(n, n_all), .is_memory = true };

	if (row && ratio(count(rows, is_memory_there, row), n) >= MOST)
		found.place = place_of(first(rows, is_memory_there, row));
	return found;
}

struct hottest hottest_find(const struct code_rows *rows)
{
	uint64_t n_all = count(rows, is_of_task, NULL);
	struct hottest line = find_line(rows, n_all), memory = find_memory(rows, n_all);
	const struct hottest *most = memory.share > line.share ? &memory : &line;

	return n_all >= SURE_SAMPLES && most->share >= MOST ? *most : (struct hottest){ 0 };
}

/* ---- of one kind ---- */

static struct code_rows rows_of_kind(const struct code_rows *rows, kind_id kind)
{
	struct code_rows of = { .row = xcalloc(rows->n + 1ull, sizeof(*of.row)) };

	for (uint32_t i = 0; i < rows->n; i++)
		if (rows->row[i].kind == kind)
			of.row[of.n++] = rows->row[i];
	return of;
}

static void tell(struct finding *finding, struct code_rows *rows, const struct hottest *hot)
{
	char place[FINDING_TEXT];

	FACTS(finding, fact_share("hot", hot->share));
	if (hot->place)
		FACTS(finding,
		      fact_string("hot_at", code_rows_keep(rows, place_text(place, sizeof(place),
									    hot->place))));
	if (hot->is_memory)
		FACTS(finding, fact_string("hot_in", "what allocates, frees and copies memory"));
	else if (hot->called)
		FACTS(finding, fact_string("hot_in", hot->called));
}

void hottest_tell(struct findings *findings, struct code_rows *rows)
{
	for (uint32_t i = 0; i < findings->n; i++) {
		struct finding *finding = &findings->finding[i];
		struct code_rows of;
		struct hottest hot;

		if (!finding_divides(finding))
			continue;
		of = rows_of_kind(rows, finding->kind);
		hot = hottest_find(&of);
		if (hot.share > 0)
			tell(finding, rows, &hot);
		free(of.row);
	}
}
