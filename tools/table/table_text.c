/* SPDX-License-Identifier: MIT */
/* table_text.c - tables on the screen: names to the left, columns left out so that no line is too
 * long. */
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "tools/base/xalloc.h"
#include "tools/base/units.h"
#include "tools/table/apart.h"
#include "tools/table/fit.h"
#include "tools/table/cell.h"

#define COLUMNS_MOST 32

/* The columns that are shown. */
struct layout {
	const struct column *column[COLUMNS_MOST];
	int n, width;
	int names;
};

static bool has_any(const struct table *table, const struct column *column)
{
	struct cell cell;

	for (uint32_t row = 0; row < table->n; row++) {
		table_cell(&cell, table, column, row);
		if ((cell.is == CELL_NUMBER && cell.number) || cell.is == CELL_REAL)
			return true;
	}
	return false;
}

static const char *where_of(const struct table *table, uint32_t row, char room[TABLE_TEXT])
{
	return table->where ? table->where(table, row, room) : "";
}

/* The columns that the names want. */
static int names_wanted(const struct table *table, const struct look *look)
{
	int wanted = table->names_least;
	char label[TABLE_TEXT], where[TABLE_TEXT];

	if (!table->names_least || table->names_least == table->names_most)
		return table->names_least ? table->names_least : INT_MAX;
	for (uint32_t row = 0; row < table->n && row < look->n_most; row++) {
		int name = fit_columns(table->label(table, row, label)) +
			   fit_columns(where_of(table, row, where)) + 2;

		wanted = name > wanted ? name : wanted;
	}
	return wanted;
}

static void drop_columns(struct layout *layout, int level, int wanted, int width)
{
	int least = 0, n = 0;

	for (int i = 0; i < layout->n; i++)
		if (layout->column[i]->drop == level && layout->column[i]->name_least > least)
			least = layout->column[i]->name_least;
	if ((wanted < least ? wanted : least) + layout->width <= width)
		return;
	for (int i = 0; i < layout->n; i++) {
		if (layout->column[i]->drop == level)
			layout->width -= layout->column[i]->width;
		else
			layout->column[n++] = layout->column[i];
	}
	layout->n = n;
}

static struct layout lay_out(const struct table *table, const struct look *look)
{
	int wanted = names_wanted(table, look), most = 0;
	struct layout layout = { 0 };

	for (uint32_t c = 0; c < table->n_columns && layout.n < COLUMNS_MOST; c++) {
		const struct column *column = &table->column[c];

		if (!column->title || (column->hide && !has_any(table, column)))
			continue;
		layout.column[layout.n++] = column;
		layout.width += column->width;
		most = column->drop > most ? column->drop : most;
	}
	for (int level = most; level > 0; level--)
		drop_columns(&layout, level, wanted, (int)look->width);
	layout.names = (int)look->width - layout.width;
	layout.names = wanted < layout.names ? wanted : layout.names;
	return layout;
}

static void put_cell(FILE *out, const struct column *column, const struct cell *cell, int width)
{
	char time[UNITS_TIME];

	if (cell->is == CELL_NULL)
		fprintf(out, "%*s", width, column->unknown ? column->unknown : "-");
	else if (column->blank && !cell->number)
		fprintf(out, "%*s", width, "");
	else if (cell->is == CELL_TEXT)
		fprintf(out, "%*s", width, cell->text);
	else if (column->shown)
		fprintf(out, column->shown, width - (column->type == COLUMN_SHARE), cell->real);
	else if (column->type == COLUMN_SHARE)
		fprintf(out, "%*.1f%%", width - 1, cell->real);
	else if (cell->is == CELL_REAL)
		fprintf(out, "%*.1f", width, cell->real);
	else if (column->type == COLUMN_NS)
		fprintf(out, "%*s", width, units_time(time, cell->number));
	else
		fprintf(out, "%*" PRIu64, width, cell->number);
}

/* The column of a table below that is under that one; NULL. */
static const struct column *find_under(const struct table *below, const struct column *above)
{
	for (uint32_t c = 0; c < below->n_columns; c++)
		if (below->column[c].under && above->key &&
		    strcmp(below->column[c].under, above->key) == 0)
			return &below->column[c];
	return NULL;
}

/* The names of the rows, and of those below them, each with the next to be put. */
struct names {
	struct apart of[1 + TABLE_BELOW];
	uint64_t put[1 + TABLE_BELOW];
	int before[1 + TABLE_BELOW]; /* columns of what stands before each name */
};

static void names_put(FILE *out, struct names *names, int which)
{
	apart_put(out, &names->of[which], names->put[which]++);
}

static void names_fit(struct names *names, int columns)
{
	for (int i = 0; i <= TABLE_BELOW; i++)
		apart_fit(&names->of[i], columns - names->before[i]);
}

static void names_free(struct names *names)
{
	for (int i = 0; i <= TABLE_BELOW; i++)
		apart_free(&names->of[i]);
}

/* "  waits: NAME  PLACE", and its figures under those of the row above. */
static void put_below_row(FILE *out, const struct layout *layout, const struct table *below,
			  uint32_t row, struct names *names, int which)
{
	struct cell cell;
	int skipped = 0;

	fprintf(out, "  %s: ", below->title);
	names_put(out, names, which);
	for (int i = 0; i < layout->n; i++) {
		const struct column *column = find_under(below, layout->column[i]);

		if (!column) {
			skipped += layout->column[i]->width;
			continue;
		}
		table_cell(&cell, below, column, row);
		put_cell(out, column, &cell, layout->column[i]->width + skipped);
		skipped = 0;
	}
	fputc('\n', out);
}

/* Behind its name. */
static void put_cells(FILE *out, const struct layout *layout, const struct table *table,
		      uint32_t row, struct names *names)
{
	struct table below[TABLE_BELOW];
	struct cell cell;

	for (int i = 0; i < layout->n; i++) {
		table_cell(&cell, table, layout->column[i], row);
		put_cell(out, layout->column[i], &cell, layout->column[i]->width);
	}
	fputc('\n', out);
	for (int i = 0, n = table->below ? table->below(table, row, below) : 0; i < n; i++) {
		for (uint32_t r = 0; r < below[i].n; r++)
			put_below_row(out, layout, &below[i], r, names, 1 + i);
		if (below[i].n_more && below[i].title)
			fprintf(out, "  %s: %u more\n", below[i].title, below[i].n_more);
	}
}

static bool is_shown(const struct table *table, uint32_t row)
{
	return !table->is_shown || table->is_shown(table, row);
}

static void add_names(struct names *names, const struct table *table, uint32_t row)
{
	char label[TABLE_TEXT], where[TABLE_TEXT];
	struct table below[TABLE_BELOW];
	struct cell cell;

	apart_add(&names->of[0], table->label(table, row, label), where_of(table, row, where));
	for (int i = 0, n = table->below ? table->below(table, row, below) : 0; i < n; i++) {
		if (below[i].title)
			names->before[1 + i] = fit_columns(below[i].title) + 4;
		for (uint32_t r = 0; r < below[i].n; r++) {
			table_cell(&cell, &below[i], &below[i].column[0], r);
			apart_add(&names->of[1 + i], cell.place.name,
				  place_where(where, sizeof(where), &cell.place));
		}
	}
}

/* At most n_most of them, and what is left. */
static void put_table_rows(FILE *out, const struct layout *layout, const struct table *table,
			   uint32_t n_most)
{
	AT_END(names_free) struct names names = { 0 };
	uint32_t n = 0, put = 0;

	for (uint32_t row = 0; row < table->n; row++)
		if (is_shown(table, row) && n++ < n_most)
			add_names(&names, table, row);
	if (n > n_most && table->has_rest)
		add_names(&names, table, table->n);
	names_fit(&names, layout->names);
	for (uint32_t row = 0; row < table->n && put < n_most; row++) {
		if (!is_shown(table, row))
			continue;
		put++;
		names_put(out, &names, 0);
		put_cells(out, layout, table, row, &names);
	}
	if (n > n_most && table->has_rest) {
		names_put(out, &names, 0);
		put_cells(out, layout, table, table->n, &names);
	} else if (n > n_most) {
		fprintf(out, "(%u more)\n", n - n_most);
	}
}

void table_put_text(FILE *out, const struct table *table, const struct look *look)
{
	struct layout layout = lay_out(table, look);

	if (table->n == 0 && table->empty) {
		fputs(table->empty, out);
		if (table->after)
			table->after(out, table, look);
		return;
	}
	fprintf(out, "%-*s", layout.names, table->title);
	for (int i = 0; i < layout.n; i++)
		fprintf(out, "%*s", layout.column[i]->width, layout.column[i]->title);
	fputc('\n', out);
	put_table_rows(out, &layout, table, look->n_most);
	if (table->after)
		table->after(out, table, look);
}
