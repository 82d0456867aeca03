/* SPDX-License-Identifier: MIT */
/*
 * operation_table.c - what devices did, by site (`--by operation`); and the data that tasks use, by
 * kind (`--by data`).
 */

#include "tools/base/order.h"
#include "tools/base/xalloc.h"
#include "tools/summary/report_tables.h"

/* Operations of one site, or uses of data by one kind in one way and memory. */
struct used {
	uint32_t number; /* of the site or kind */
	uint32_t node;	 /* + 1; 0: not said */
	uint8_t access;
	uint64_t n, ns, bytes;
};

ORDER(used_compare, struct used, BY_LEAST(number) ?: BY_LEAST(access) ?: BY_LEAST(node))

/* Sorts them, and makes one of those that are alike; how many there are then. */
static uint32_t used_fold(struct used *used, uint64_t n)
{
	uint32_t kept = 0;

	qsort(used, n, sizeof(*used), used_compare);
	for (uint64_t i = 0; i < n; i++) {
		struct used *last = kept ? &used[kept - 1] : NULL;

		if (!last || used_compare(last, &used[i])) {
			used[kept++] = used[i];
			continue;
		}
		last->n++;
		last->ns += used[i].ns;
		last->bytes += used[i].bytes;
	}
	return kept;
}

/* Both tables begin with what data has of a row's name. */
#define NAMES(kind, place_of, title)                                                               \
	{ title, .type = COLUMN_TEXT, .only = FOR_CSV, .text = used_label },                       \
		{ "place", .type = COLUMN_TEXT, .only = FOR_CSV, .text = used_where },             \
	{                                                                                          \
		"name", .type = (kind), .only = FOR_JSON | FOR_SQL, .place = (place_of)            \
	}
#define NAME_COLUMN 2u

static const char *used_label(const struct table *table, uint32_t row, char out[TABLE_TEXT])
{
	(void)out;
	return table->column[NAME_COLUMN].place(table, row).name ?: "(unknown)";
}

static const char *used_where(const struct table *table, uint32_t row, char out[TABLE_TEXT])
{
	struct place place = table->column[NAME_COLUMN].place(table, row);

	return place_where(out, TABLE_TEXT, &place);
}

static struct table used_table(const char *name, const struct summary *summary, struct used *used,
			       uint64_t n)
{
	return (struct table){ .name = name,
			       .of = summary,
			       .own = used,
			       .row = used,
			       .row_bytes = sizeof(*used),
			       .n = used ? used_fold(used, n) : 0,
			       .label = used_label,
			       .where = used_where };
}

#define USED(field) COLUMN_FIELD(struct used, field)

/* ---- operations ---- */

/* NULL: the number is what a trace says. */
static const struct defs_site *site_of(const struct table *table, uint32_t row)
{
	const struct defs *defs = ((const struct summary *)table->of)->defs;
	uint32_t number = ((const struct used *)table_row(table, row))->number;

	return number < defs->n_sites ? &defs->site[number] : NULL;
}

/* Where the program says so, with the name that it gives. */
static struct place site_place(const struct table *table, uint32_t row)
{
	const struct used *used = table_row(table, row);
	const struct defs_site *site = site_of(table, row);
	struct place place = rows_site(((const struct summary *)table->of)->run, used->number);

	if (site && site->name)
		place.name = site->name;
	return place;
}

static const char *device(const struct table *table, uint32_t row, char out[TABLE_TEXT])
{
	const struct defs *defs = ((const struct summary *)table->of)->defs;
	const struct defs_site *site = site_of(table, row);
	uint32_t runtime = site ? site->runtime : UINT32_MAX;

	(void)out;
	return runtime < defs->n_runtimes && defs->runtime[runtime].name
		       ? defs->runtime[runtime].name
		       : "?";
}

static const struct column operation_column[] = {
	NAMES(COLUMN_PLACE, site_place, "operation"),
	{ "device", "device", .type = COLUMN_TEXT, .text = device, .width = 12 },
	{ "times", "times", USED(n), .width = 9 },
	{ "busy_ns", "busy", .type = COLUMN_NS, USED(ns), .width = 9 },
	{ "bytes", "bytes", USED(bytes), .width = 12 },
};

void operation_table(struct table *table, const struct summary *summary)
{
	const struct dag *dag = summary->dag;
	struct used *used = xcalloc(dag->n_operations + 1, sizeof(*used));

	for (uint64_t i = 0; i < dag->n_operations; i++) {
		const struct dag_operation *its = &dag->operation[i];

		used[i] = (struct used){ .number = its->site,
					 .n = 1,
					 .ns = its->end_ns - its->begin_ns,
					 .bytes = its->bytes };
	}
	*table = used_table("operations", summary, used, dag->n_operations);
	table->heading = "what devices and I/O did for tasks";
	table->title = "operation";
	table->empty = " the program marked no operations: tptrace-task(7)\n";
	table->column = operation_column;
	table->n_columns = sizeof(operation_column) / sizeof(operation_column[0]);
}

/* ---- data ---- */

CELL(struct place, kind_place, struct used, summary_of(table)->rows.code[its->number])

CELL(uint64_t, node, struct used, its->node ? its->node - 1 : TABLE_UNKNOWN)

static const struct column data_column[] = {
	NAMES(COLUMN_CODE, kind_place, "kind"),
	{ "access", "access", .type = COLUMN_TEXT, USED(access), .word = data_access_name,
	  .width = 10 },
	{ "node", "node", .number = node, .width = 6 },
	{ "times", "times", USED(n), .width = 9 },
	{ "bytes", "bytes", USED(bytes), .width = 12 },
};

void data_table(struct table *table, const struct summary *summary)
{
	const struct dag *dag = summary->dag;
	struct used *used = xcalloc(dag->n_data + 1, sizeof(*used));
	uint64_t n = 0;

	for (uint64_t i = 0; i < dag->n_data; i++) {
		const struct dag_data *its = &dag->data[i];

		if (its->task < dag->n_tasks) /* else its window was cut */
			used[n++] = (struct used){ .number = dag->task_kind[its->task],
						   .node = its->node,
						   .access = its->access,
						   .n = 1,
						   .bytes = its->bytes };
	}
	*table = used_table("data", summary, used, n);
	table->heading = "what data tasks use";
	table->title = "kind";
	table->empty = " the program marked no data: tptrace-task(7)\n";
	table->column = data_column;
	table->n_columns = sizeof(data_column) / sizeof(data_column[0]);
}
