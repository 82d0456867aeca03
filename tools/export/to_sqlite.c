/* SPDX-License-Identifier: MIT */
/* to_sqlite.c - a database of SQLite: a table each, and views that join them by name. */
#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/late.h"
#include "tools/export/format.h"
#include "tools/base/progress.h"
#include "tools/export/tables.h"
#include "tools/export/text.h"

/* clang-format off */
#define SQLITE_CALLS(CALL)									   \
	CALL(sqlite3_bind_double) CALL(sqlite3_bind_int64) CALL(sqlite3_bind_null) CALL(sqlite3_bind_text)		   \
	CALL(sqlite3_close) CALL(sqlite3_errmsg) CALL(sqlite3_exec) CALL(sqlite3_finalize)	   \
	CALL(sqlite3_open_v2) CALL(sqlite3_prepare_v2) CALL(sqlite3_reset) CALL(sqlite3_step)
/* clang-format on */

static struct LATE_CALLS(SQLITE_CALLS) lib;
static const char *const lib_call[] = { LATE_NAMES(SQLITE_CALLS) };

#define APPLICATION_ID "0x74707472" /* "tptr" */

static const char before[] = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
			     "PRAGMA application_id = " APPLICATION_ID ";"
			     "BEGIN;";

static const char views[] =
	"CREATE INDEX strand_task ON strand(task);"
	"CREATE INDEX strand_worker ON strand(worker, start_ns);"
	"CREATE INDEX edge_to ON edge(to_strand);"
	"CREATE INDEX edge_from ON edge(from_strand);"
	"CREATE VIEW named_task AS SELECT t.*, k.function, k.file, k.line, k.what"
	" FROM task t JOIN kind k ON k.id = t.kind;"
	"CREATE VIEW named_strand AS SELECT s.*, s.end_ns - s.start_ns AS length_ns,"
	" s.start_ns - s.ready_ns AS delay_ns, t.name AS task_name, k.function, k.file, k.line"
	" FROM strand s JOIN task t ON t.id = s.task JOIN kind k ON k.id = t.kind;"
	"CREATE VIEW steal AS SELECT s.id AS strand, s.task, s.worker AS thief,"
	" v.worker AS victim, s.ready_ns, s.start_ns, s.start_ns - s.ready_ns AS delay_ns"
	" FROM strand s LEFT JOIN strand v ON v.id = s.released_by WHERE s.move = 'steal';"
	/* a collapsed strand is in the runtime, or held, when it does not work */
	"CREATE VIEW state_time AS SELECT worker, state, sum(ns) AS ns"
	" FROM (SELECT worker, state, to_ns - from_ns AS ns FROM interval"
	"  UNION ALL SELECT worker, 'running', work_ns - (end_ns - start_ns) FROM strand"
	"   WHERE task IS NOT NULL AND work_ns <> end_ns - start_ns"
	"  UNION ALL SELECT worker, 'runtime', end_ns - start_ns - work_ns - held_ns FROM strand"
	"   WHERE task IS NOT NULL AND work_ns <> end_ns - start_ns"
	"  UNION ALL SELECT worker, 'tracer', held_ns FROM strand WHERE held_ns > 0)"
	" GROUP BY worker, state HAVING ns > 0;"
	"CREATE VIEW ready_path AS SELECT * FROM named_strand WHERE on_ready_path = 1;"
	"COMMIT;";

struct sqlite {
	sqlite3 *db;
	sqlite3_stmt *insert;
	int column; /* the next value's */
	bool failed;
	char why[120]; /* the first time; what fails later is often its consequence */
};

static void check(struct sqlite *to, bool good)
{
	if (good || to->failed)
		return;
	to->failed = true;
	snprintf(to->why, sizeof(to->why), "%s", lib.sqlite3_errmsg(to->db));
}

/* ---- rows ---- */

static void take_integer(void *context, int64_t value)
{
	struct sqlite *to = context;

	check(to, lib.sqlite3_bind_int64(to->insert, ++to->column, value) == SQLITE_OK);
}

static void take_null(void *context)
{
	struct sqlite *to = context;

	check(to, lib.sqlite3_bind_null(to->insert, ++to->column) == SQLITE_OK);
}

static void take_text(void *context, const char *value)
{
	struct sqlite *to = context;
	char *text;

	if (!value) {
		take_null(context);
		return;
	}
	text = text_utf8(value);
	check(to,
	      text && lib.sqlite3_bind_text(to->insert, ++to->column, text, -1, free) == SQLITE_OK);
}

static void take_real(void *context, double value)
{
	struct sqlite *to = context;

	check(to, lib.sqlite3_bind_double(to->insert, ++to->column, value) == SQLITE_OK);
}

static void take_end(void *context)
{
	struct sqlite *to = context;

	check(to, lib.sqlite3_step(to->insert) == SQLITE_DONE);
	lib.sqlite3_reset(to->insert);
	to->column = 0;
}

/* ---- tables ---- */

/* "CREATE TABLE ..", or "INSERT ..".  Freed by the caller; NULL if out of memory. */
static char *statement(const struct export_table *table, const struct table *report, bool create)
{
	static const char *const word[] = { "INTEGER", "TEXT", "REAL" };
	struct sql_column column[SQL_COLUMNS];
	const struct sql_column *first = tables_columns(table, report, column);
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return NULL;
	fprintf(out, create ? "CREATE TABLE %s(" : "INSERT INTO %s VALUES(", table->name);
	for (const struct sql_column *c = first; c->name; c++) {
		bool id = c == first && c->type == SQL_INTEGER && strcmp(c->name, "id") == 0;

		fputs(c == first ? "" : ", ", out);
		if (!create)
			fputc('?', out);
		else
			fprintf(out, "\"%s\" %s%s", c->name, word[c->type],
				id ? " PRIMARY KEY" : "");
	}
	fputc(')', out);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

/* What SQLite refuses is in *to, and ends it, too. */
static int write_table(void *context, const struct export *export, const struct export_table *table,
		       const struct table *report)
{
	struct sqlite *to = context;
	struct rows_to rows = { .context = to,
				.integer = take_integer,
				.text = take_text,
				.real = take_real,
				.null = take_null,
				.end_row = take_end };
	char *create = statement(table, report, true), *insert = statement(table, report, false);
	int error = 0;

	tables_stage(export, table);
	check(to,
	      create && insert && lib.sqlite3_exec(to->db, create, NULL, NULL, NULL) == SQLITE_OK &&
		      lib.sqlite3_prepare_v2(to->db, insert, -1, &to->insert, NULL) == SQLITE_OK);
	if (!to->failed)
		error = tables_put(export, table, report, &rows);
	check(to, lib.sqlite3_finalize(to->insert) == SQLITE_OK);
	to->insert = NULL;
	free(create);
	free(insert);
	return error ? error : to->failed ? -EIO : 0;
}

static int write_named(const struct export *export, const char *path, struct err *err)
{
	const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
	struct sqlite to = { 0 };
	int error = 0;

	/* one thread: no mutex around each value */
	check(&to, lib.sqlite3_open_v2(path, &to.db, flags, NULL) == SQLITE_OK &&
			   lib.sqlite3_exec(to.db, before, NULL, NULL, NULL) == SQLITE_OK);
	if (!to.failed)
		error = tables_each(export, write_table, &to);
	progress_stage(export->progress, "indexing", 0);
	if (!error && !to.failed)
		check(&to, lib.sqlite3_exec(to.db, views, NULL, NULL, NULL) == SQLITE_OK);
	if (to.failed)
		error = err_set(err, EIO, "cannot write: %s", to.why);
	else if (error)
		err_set(err, -error, "out of memory");
	lib.sqlite3_close(to.db);
	return error;
}

static const char *load(void)
{
	return late_load(SQLITE_LIBRARY, lib_call, LATE_COUNT(lib_call), &lib);
}

const struct format format_sqlite = {
	.name = "sqlite",
	.suffix = ".sqlite",
	.reader = "sqlite3",
	.binary = true,
	.load = load,
	.named = write_named,
};
