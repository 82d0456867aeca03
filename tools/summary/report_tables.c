/* SPDX-License-Identifier: MIT */
/* report_tables.c - the tables by their names. */
#include "tools/summary/report_tables.h"
#include "tools/base/xalloc.h"

#include <string.h>

table_open *table_by_name(const char *by)
{
	return strcmp(by, "lock") == 0	      ? lock_table
	       : strcmp(by, "wait") == 0      ? wait_table
	       : strcmp(by, "grain") == 0     ? grain_table
	       : strcmp(by, "code") == 0      ? code_table
	       : strcmp(by, "stretch") == 0   ? stretch_table
	       : strcmp(by, "operation") == 0 ? operation_table
	       : strcmp(by, "data") == 0      ? data_table
					      : NULL;
}

void table_csv(FILE *out, const struct summary *summary, table_open *open, const char *path)
{
	AT_END(table_close) struct table table;

	open(&table, summary);
	table_put_csv(out, &table, path, true);
}

const struct report_table report_tables[] = {
	{ "kind", kind_id_table },
	{ "site", site_table },
	{ "wait", wait_table },
	{ "lock", lock_table },
	{ "grain", grain_table },
	{ "path", path_table },
	{ "distribution", spread_table },
	{ "finding", finding_table },
	{ "fact", fact_table },
	{ "worker", worker_table },
	{ "loss", stop_table },
	{ "runtime", runtime_table },
	{ "team", team_table },
	{ "phase", phase_table },
	{ "counter", counter_table },
	{ "steal_pair", steal_table },
	{ "code", code_table },
	{ "stretch", stretch_table },
	{ 0 },
};
