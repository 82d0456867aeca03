/* SPDX-License-Identifier: MIT */
/*
 * tables.h - a run as tables of rows, for sqlite and csv.
 *
 *	task, strand, edge	what is exported
 *	interval		what each exported worker was in (moments.h)
 *	operation, data		what devices did for exported tasks, and what these use
 *	kind, site, ..		as the report has them (report_tables.h), and finding, worker
 *	meta			facts (facts.h)
 *
 * Ids: of a task the trace's (worker << 48 | n), or -1 - n where it has none; of workers and sites
 * the trace's; of kinds and strands their numbers in the dag, in the order of time.  Times are ns
 * since the window began.  A column that is not known in a row is null.
 */
#pragma once

#include "tools/export/export.h"
#include "tools/table/table.h"

enum sql_type {
	SQL_INTEGER,
	SQL_TEXT,
	SQL_HEX, /* "0x1f" */
	SQL_REAL
};

/* In a database a column takes as few bytes as it can; a view has its value. */
struct sql_column {
	const char *name;
	enum sql_type type;
	/* stored less the value of that integer in front of it, since another: value - less + since
	 */
	const char *less, *since;
	const char *is; /* not stored: that expression of SQL */
	bool hidden;	/* in a database alone, and not in the view */
	/* of few values, which few rows of a table of their own have together: a row has the
	 * number of that one */
	bool few;
};

/* Of a row, in a column. */
struct value {
	enum { VALUE_NULL, VALUE_INTEGER, VALUE_REAL, VALUE_TEXT } is;
	union {
		int64_t integer;
		double real;
		const char *text; /* any bytes; NULL: null */
	};
};

static inline struct value value_of(uint64_t integer)
{
	return (struct value){ VALUE_INTEGER, .integer = (int64_t)integer };
}

static inline struct value value_text(const char *text)
{
	return (struct value){ text ? VALUE_TEXT : VALUE_NULL, .text = text };
}

/* Null unless it is known. */
static inline struct value value_known(uint64_t integer, bool known)
{
	return known ? value_of(integer) : (struct value){ .is = VALUE_NULL };
}

/* What takes the rows: a value for each column in turn. */
struct rows_to {
	void *context;
	bool stores; /* in a database: hidden columns, and no rows that the view finds in them */
	void (*row)(void *context, const struct value *value, uint32_t n);
};
#define ROW(to, ...)                                                                               \
	(to)->row((to)->context, (const struct value[]){ __VA_ARGS__ },                            \
		  sizeof((const struct value[]){ __VA_ARGS__ }) / sizeof(struct value))

struct export_table {
	const char *name;
	const struct sql_column *column; /* up to one without a name .. */
	void (*put)(const struct export *export, const struct rows_to *to);
	const char *more; /* further rows of the view, as SQL; NULL */
	/* .. or both are the report's table */
	void (*open)(struct table *table, const struct summary *summary);
};

#define SQL_COLUMNS 40u /* at most, with one without a name */

/* Its columns: its own, or those of the report's in room[]. */
const struct sql_column *tables_columns(const struct export_table *of, const struct table *report,
					struct sql_column room[SQL_COLUMNS]);
/* Its rows; */
void tables_put(const struct export *export, const struct export_table *of,
		const struct table *report, const struct rows_to *to);

/* Writes a table; 0 or -errno. */
typedef int tables_writer(void *context, const struct export *export, const struct export_table *of,
			  const struct table *report);
/* All of them, those that grow with the run last, until one cannot be written. */
int tables_each(const struct export *export, tables_writer *write, void *context);

/* Those that grow with the run, up to one without a name. */
#define TABLES_OF_RUN 7u
extern const struct export_table tables_of_run[TABLES_OF_RUN];

/* That table is written now: for progress. */
void tables_stage(const struct export *export, const struct export_table *table);

/* The task's id. */
int64_t tables_task_id(const struct export *export, task_id task);
