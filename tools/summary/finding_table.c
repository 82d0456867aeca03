/* SPDX-License-Identifier: MIT */
/* finding_table.c - the columns of findings. */

#include "tools/summary/report_tables.h"
#include "tools/base/xalloc.h"
#include "tools/summary/found.h"
#include "tools/summary/tried.h"

/* A finding, and what is said of it. */
struct finding_row {
	const struct finding *finding;
	struct found found;
	bool in_work; /* most of it */
};

CELL(const void *, finding, struct finding_row, its->finding)

CELL_OF(uint64_t, gain_ns, struct finding, finding(table, row),
	table->of ? tried_gain_ns(table->of, row, its->gain_ns) : its->gain_ns)

#define TEXT(field) .type = COLUMN_TEXT, COLUMN_FIELD(struct finding_row, field)
#define FINDING(field) .within = finding, COLUMN_FIELD(struct finding, field)

static const struct column finding_column[] = {
	{ "id", .type = COLUMN_TEXT, FINDING(id) },
	{ "lost_ns", .type = COLUMN_NS, FINDING(lost_ns), .diff = "lost_ns" },
	{ "path_ns", .type = COLUMN_NS, FINDING(path_ns) },
	{ "elapsed_ns", .type = COLUMN_NS, FINDING(elapsed_ns) },
	{ "gain_ns", .type = COLUMN_NS, .number = gain_ns },
	{ "in_work_ns", .type = COLUMN_NS, FINDING(in_work_ns) },
	{ "in_work", .type = COLUMN_BOOL, COLUMN_FIELD(struct finding_row, in_work) },
	{ "where", TEXT(found.where), .only = FOR_JSON },
	{ "place", TEXT(found.where), .only = FOR_SQL },
	{ "lock", TEXT(found.lock), .optional = true },
	{ "file", TEXT(found.place.file) },
	{ "line", COLUMN_FIELD(struct finding_row, found.place.line) },
	{ "what", TEXT(found.what) },
	{ "try", TEXT(found.advice) },
};

static bool is_integer(const struct fact *of)
{
	return of->unit == FACT_NS || of->unit == FACT_COUNT || of->unit == FACT_RANK;
}

static void put_fact(struct json *to, const struct finding_names *names, const struct fact *fact)
{
	char text[FINDING_TEXT];

	json_open(to, NULL, '{');
	json_text(to, "id", fact->id);
	if (is_integer(fact))
		json_number(to, "value", fact->n);
	else if (fact->unit == FACT_REAL || fact->unit == FACT_SHARE)
		json_real(to, "value", "%.6g", fact->real);
	else
		json_text(to, "value", fact_text(fact, names, text, sizeof(text)));
	if (fact->unit == FACT_RANK)
		json_number(to, "world", fact->rank.nth_world);
	json_text(to, "unit", fact_unit_name(fact));
	json_close(to, '}');
}

/* What its sentences say, and what its advice gave when it was simulated. */
static void put_evidence(struct json *to, const struct table *table, uint32_t row)
{
	const struct found *found = &((const struct finding_row *)table_row(table, row))->found;
	const struct finding *of = found->finding;

	json_open(to, "facts", '[');
	for (uint32_t i = 0; i < of->n_facts; i++)
		put_fact(to, &found->names, &of->fact[i]);
	json_close(to, ']');
	if (table->of)
		tried_put_json_finding(to, ((const struct summary *)table->of)->tried, row);
}

static void finish(struct table *table, const struct summary *summary, struct finding_row *row,
		   uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		row[i].finding = row[i].found.finding;
		row[i].in_work = finding_is_in_work(row[i].finding);
	}
	*table = (struct table){ .name = "findings",
				 TABLE_COLUMNS(finding_column),
				 .of = summary,
				 .own = row,
				 TABLE_ROWS(row, n),
				 .members = put_evidence };
}

void finding_table(struct table *table, const struct summary *summary)
{
	uint32_t n = summary->findings.n;
	struct finding_row *row = xcalloc(n + 1ull, sizeof(*row));

	for (uint32_t i = 0; i < n; i++)
		found_say(&row[i].found, summary, &summary->findings.finding[i]);
	finish(table, summary, row, n);
}

void found_table(struct table *table, const struct found *found, uint32_t n)
{
	struct finding_row *row = xcalloc(n + 1ull, sizeof(*row));

	for (uint32_t i = 0; i < n; i++)
		row[i].found = found[i];
	finish(table, NULL, row, n);
}

/* ---- facts, where a row has no list ---- */

struct fact_row {
	const struct fact *fact;
	uint64_t finding; /* its row, from 1 on */
};

CELL(const struct fact *, fact, struct fact_row, its->fact)

CELL_OF(bool, is_number, struct fact, fact(table, row),
	is_integer(its) || its->unit == FACT_REAL || its->unit == FACT_SHARE)

CELL_OF(double, value, struct fact, fact(table, row), is_integer(its) ? (double)its->n : its->real)

static const char *text(const struct table *table, uint32_t row, char room[TABLE_TEXT])
{
	char said[FINDING_TEXT];

	if (is_number(table, row))
		return NULL;
	snprintf(room, TABLE_TEXT, "%s", found_fact(table->of, fact(table, row), said));
	return room;
}

CELL_TEXT(id, void, fact(table, row)->id)

CELL_TEXT(unit, void, fact_unit_name(fact(table, row)))

static const struct column fact_column[] = {
	{ "finding", COLUMN_FIELD(struct fact_row, finding) },
	{ "id", .type = COLUMN_TEXT, .text = id },
	{ "value", .type = COLUMN_REAL, .real = value, .format = "%.12g", .has = is_number },
	{ "text", .type = COLUMN_TEXT, .text = text },
	{ "unit", .type = COLUMN_TEXT, .text = unit },
};

void fact_table(struct table *table, const struct summary *summary)
{
	uint32_t n_findings = summary->findings.n, n = 0;
	struct fact_row *row = xcalloc(n_findings * FACTS_MOST + 1ull, sizeof(*row));

	for (uint32_t i = 0; i < n_findings; i++)
		for (uint32_t f = 0; f < summary->findings.finding[i].n_facts; f++)
			row[n++] = (struct fact_row){ &summary->findings.finding[i].fact[f],
						      i + 1ull };
	*table = (struct table){ .name = "facts",
				 TABLE_COLUMNS(fact_column),
				 .of = summary,
				 .own = row,
				 TABLE_ROWS(row, n) };
}
