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

static void put_value(FILE *out, const struct value *value)
{
	FREED char *text = value->is == VALUE_TEXT ? text_utf8(value->text) : NULL;

	if (text)
		text_csv(out, text);
	else if (value->is == VALUE_INTEGER)
		fprintf(out, "%" PRId64, value->integer);
	else if (value->is == VALUE_REAL)
		fprintf(out, value->real == (double)(int64_t)value->real ? "%.1f" : "%.15g",
			value->real);
}

static void put_row(void *out, const struct value *value, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		fputs(i ? "," : "", out);
		put_value(out, &value[i]);
	}
	fputs("\r\n", out);
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
	struct value key[SQL_COLUMNS];
	uint32_t n = 0;
	FREED char *path = xasprintf("%s/%s.csv", folder->path, table->name);
	FILE *out = fopen(path, "we");

	if (!out)
		return err_set(err, errno, "cannot create %s.csv: %s", table->name,
			       strerror(errno));
	for (const struct sql_column *c = tables_columns(table, report, column); c->name; c++)
		if (!c->hidden)
			key[n++] = value_text(c->name);
	put_row(out, key, n);
	tables_stage(export, table);
	tables_put(export, table, report, &(struct rows_to){ .context = out, .row = put_row });
	if (ferror(out) | (fclose(out) != 0))
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
