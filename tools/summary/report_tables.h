/* SPDX-License-Identifier: MIT */
/*
 * report_tables.h - the report's tables, each declared once: a column here is in JSON, CSV and SQL,
 * and on the screen if it has a title.
 *
 * A table is opened of a summary, which it borrows, and closed by table_close().  Those that diff
 * compares are without rows of NULL.
 */
#pragma once

#include "tools/summary/path_rows.h"
#include "tools/summary/summary.h"
#include "tools/table/column.h"

typedef void table_open(struct table *table, const struct summary *summary);

/* What most of these tables are of. */
static inline const struct summary *summary_of(const struct table *table)
{
	return table->of;
}

table_open kind_table;	  /* those with rows, the most costly first */
table_open kind_id_table; /* all, by their numbers in the dag */
table_open path_table;	  /* creation paths, the most costly first */
table_open site_table;	  /* by number */
table_open lock_table;	  /* those waited for longest first; below each who waited, and held it */
table_open wait_table;	  /* places that wait for tasks, those with the most idle time first */
table_open code_table;	  /* what stack samples met, by kind and function, the most first */
table_open stretch_table; /* what tasks take beside others, by kind */
table_open grain_table;	  /* by length of the tasks: what they worked, what they cost */
table_open runtime_table; /* of the trace */
table_open worker_table;  /* and a last row for those that nobody saw */
table_open team_table;	  /* regions whose teams were smaller than their runtime's P */
table_open phase_table;	  /* in the order in which they began */
table_open counter_table; /* what was counted, by kind */
table_open finding_table; /* the most costly first */
table_open fact_table;	  /* of all findings */
table_open loss_table;	  /* what is missing from the trace */
table_open stop_table;	  /* .. and when it was not recorded, which is no loss, in front */
table_open spread_table;  /* how long things took, by kind; how long stolen strands were ready */
table_open steal_table;	  /* who stole from whom */
table_open operation_table; /* what devices did, by site */
table_open data_table;	  /* what tasks use, by kind, access and node */

/* The same columns as finding_table(), of findings that are no summary's. */
struct found;
void found_table(struct table *table, const struct found *found, uint32_t n);

/* The path rows that path_table() shows. */
static inline const struct path_rows *path_table_rows(const struct table *table)
{
	return table->by;
}

/* The grouping of the command line that is such a table, and no profile; NULL. */
table_open *table_by_name(const char *by);

/* Opens, prints and closes it; with `path`, a first column says which file it is of. */
void table_csv(FILE *out, const struct summary *summary, table_open *open, const char *path);

/* Those of a database, up to one without a name. */
struct report_table {
	const char *name;
	table_open *open;
};
extern const struct report_table report_tables[];
