/* SPDX-License-Identifier: MIT */
/* finding_table.c - the columns of findings. */
#include <errno.h>

#include "tools/summary/report_tables.h"
#include "tools/summary/found.h"
#include "tools/summary/tried.h"

/* A finding, and what is said of it. */
struct finding_row {
	const struct finding *finding;
	struct found found;
};

static const void *finding(const struct table *table, uint32_t row)
{
	return ((const struct finding_row *)table_row(table, row))->finding;
}

#define TEXT(field) .type = COLUMN_TEXT, COLUMN_FIELD(struct finding_row, field)
#define FINDING(field) .within = finding, COLUMN_FIELD(struct finding, field)

static const struct column finding_column[] = {
	{ "id", .type = COLUMN_TEXT, FINDING(id) },
	{ "lost_ns", .type = COLUMN_NS, FINDING(lost_ns), .diff = "lost_ns" },
	{ "path_ns", .type = COLUMN_NS, FINDING(path_ns) },
	{ "elapsed_ns", .type = COLUMN_NS, FINDING(elapsed_ns) },
	{ "gain_ns", .type = COLUMN_NS, FINDING(gain_ns) },
	{ "in_work", .type = COLUMN_BOOL, FINDING(in_work) },
	{ "where", TEXT(found.where), .only = FOR_JSON },
	{ "place", TEXT(found.where), .only = FOR_SQL },
	{ "lock", TEXT(found.lock), .optional = true },
	{ "file", TEXT(found.place.file) },
	{ "line", COLUMN_FIELD(struct finding_row, found.place.line) },
	{ "what", TEXT(found.what) },
	{ "try", TEXT(found.advice) },
};

static void put_fact(struct json *to, const struct summary *summary, const struct fact *fact)
{
	char text[FINDING_TEXT];

	json_open(to, NULL, '{');
	json_text(to, "id", fact->id);
	if (fact->unit == FACT_NS || fact->unit == FACT_COUNT)
		json_number(to, "value", fact->n);
	else if (fact->unit == FACT_REAL || fact->unit == FACT_SHARE)
		json_real(to, "value", "%.6g", fact->real);
	else
		json_text(to, "value", found_fact(summary, fact, text));
	json_text(to, "unit", fact_unit_name(fact));
	json_close(to, '}');
}

/* What its sentences say, and what its advice gave when it was simulated. */
static void put_evidence(struct json *to, const struct table *table, uint32_t row)
{
	const struct finding *of = finding(table, row);

	json_open(to, "facts", '[');
	for (uint32_t i = 0; i < of->n_facts; i++)
		put_fact(to, table->of, &of->fact[i]);
	json_close(to, ']');
	tried_put_json_finding(to->out, table->of, row);
}

int finding_table(struct table *table, const struct summary *summary)
{
	uint32_t n = summary ? summary->findings.n : 0;
	struct finding_row *row = calloc(n + 1ull, sizeof(*row));

	for (uint32_t i = 0; row && i < n; i++) {
		row[i].finding = &summary->findings.finding[i];
		found_say(&row[i].found, summary, row[i].finding);
	}
	*table = (struct table){ .name = "findings",
				 TABLE_COLUMNS(finding_column),
				 .of = summary,
				 .own = row,
				 .row = row,
				 .row_bytes = sizeof(*row),
				 .n = row ? n : 0,
				 .members = put_evidence };
	return row ? 0 : -ENOMEM;
}
