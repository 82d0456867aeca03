/* SPDX-License-Identifier: MIT */
/* to_csv.c - a folder with a CSV file for each table; the first line has the columns [RFC 4180]. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/xalloc.h"
#include "tools/export/format.h"
#include "tools/export/tables.h"
#include "tools/export/text.h"

struct csv {
	FILE *out;
	bool within; /* a row */
};

static void put_comma(struct csv *to)
{
	if (to->within)
		fputc(',', to->out);
	to->within = true;
}

static void take_integer(void *context, int64_t value)
{
	struct csv *to = context;

	put_comma(to);
	fprintf(to->out, "%" PRId64, value);
}

static void take_real(void *context, double value)
{
	struct csv *to = context;

	put_comma(to);
	fprintf(to->out, value == (double)(int64_t)value ? "%.1f" : "%.15g", value);
}

static void take_null(void *context)
{
	put_comma(context);
}

static void take_text(void *context, const char *value)
{
	struct csv *to = context;
	FREED char *text = value ? text_utf8(value) : NULL;

	put_comma(to);
	if (text)
		text_csv(to->out, text);
}

static void take_end(void *context)
{
	struct csv *to = context;

	fputs("\r\n", to->out);
	to->within = false;
}

struct folder {
	const char *path;
	struct err *err;
};

static int write_table(void *context, const struct export *export, const struct export_table *table,
		       const struct table *report)
{
	const struct folder *folder = context;
	struct err *err = folder->err;
	struct sql_column column[SQL_COLUMNS];
	struct csv to = { 0 };
	struct rows_to rows = {
		&to, false, take_integer, take_text, take_real, take_null, take_end
	};
	FREED char *path = xasprintf("%s/%s.csv", folder->path, table->name);

	to.out = fopen(path, "we");
	if (!to.out)
		return err_set(err, errno, "cannot create %s.csv: %s", table->name,
			       strerror(errno));
	for (const struct sql_column *c = tables_columns(table, report, column); c->name; c++)
		if (!c->hidden)
			take_text(&to, c->name);
	take_end(&to);
	tables_stage(export, table);
	tables_put(export, table, report, &rows);
	if (ferror(to.out) | (fclose(to.out) != 0))
		return err_set(err, EIO, "cannot write %s.csv: %s", table->name, strerror(errno));
	return 0;
}

static int write_folder(const struct export *export, const char *path, struct err *err)
{
	return tables_each(export, write_table, &(struct folder){ path, err });
}

const struct format format_csv = {
	.name = "csv",
	.suffix = ".csv",
	.reader = "a spreadsheet, R or pandas",
	.folder = write_folder,
};
