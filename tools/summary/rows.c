/* SPDX-License-Identifier: MIT */
/* rows.c - gives kinds their names. */
#include "tools/summary/rows.h"

#include <stdio.h>
#include <stdlib.h>

#include "tools/base/order.h"
#include "tools/base/map.h"
#include "tools/base/xalloc.h"

static const char *own(struct rows *rows, char *text)
{
	if (!text) {
		free(text);
		return "?";
	}
	ARRAY_ADD(rows->owned, rows->n_owned, rows->room, text);
	return text;
}

struct place rows_site(const struct run *run, site_id number)
{
	const struct site_names *site = number < run->sites.n ? &run->sites.site[number] : NULL;

	if (!site)
		return (struct place){ 0 };
	return sites_place(site->at.function ? &site->at : &site->code);
}

uint64_t rows_site_offset(const struct run *run, site_id number)
{
	const struct defs *defs = reader_defs(run->reader);
	const struct defs_site *site = number < defs->n_sites ? &defs->site[number] : NULL;

	if (!site || !site->return_address || !site->return_module ||
	    site->return_module > defs->n_modules)
		return 0;
	return site->return_address - defs->module[site->return_module - 1].bias;
}

static void name_row(struct rows *rows, const struct run *run, const struct dag *dag,
		     struct kind_row *row)
{
	const struct sites *sites = &run->sites;
	site_id number = dag->kind_site[row->kind];
	char text[40];

	if (number == SITE_NONE) {
		row->code = (struct place){ .name = "main",
					    .file = sites->main.file,
					    .line = sites->main.line,
					    .last_line = sites->main_last_line };
		row->site = row->code;
		return;
	}
	if (number == SITE_UNKNOWN && run->dag.n_found)
		snprintf(text, sizeof(text), "(creation not recorded)");
	else
		snprintf(text, sizeof(text), "site %u", number);
	row->code = row->site = (struct place){ 0 };
	if (number < sites->n) {
		row->code = sites_place(&sites->site[number].code);
		row->site = sites_place(&sites->site[number].at);
	}
	if (!row->code.name)
		row->code = row->site;
	if (!row->code.name)
		row->code.name = own(rows, xstrdup(text));
	if (!row->site.name)
		row->site = row->code;
}

ORDER(by_charge, struct kind_row, order_most(charge_sum(x->charge), charge_sum(y->charge)) ?:
      BY_LEAST(kind))

void rows_name(struct rows *rows, const struct run *run, const struct dag *dag)
{
	*rows = (struct rows){ .code = xcalloc(dag->n_kinds + 1ull, sizeof(*rows->code)) };
	for (uint32_t k = 0; k < dag->n_kinds; k++) {
		struct kind_row row = { .kind = k };

		name_row(rows, run, dag, &row);
		rows->code[k] = row.code;
	}
}

void rows_build(struct rows *rows, const struct run *run, const struct dag *dag,
		const struct kind_facts *facts, const struct breakdown *breakdown)
{
	*rows = (struct rows){ .row = xcalloc(dag->n_kinds + 1ull, sizeof(*rows->row)),
			       .code = xcalloc(dag->n_kinds + 1ull, sizeof(*rows->code)),
			       .row_of = xcalloc(dag->n_kinds + 1ull, sizeof(*rows->row_of)) };
	for (uint32_t k = 0; k < dag->n_kinds; k++) {
		struct kind_row *row = &rows->row[rows->n];

		row->kind = k;
		row->facts = &facts[k];
		row->charge = &breakdown->kind[k];
		name_row(rows, run, dag, row);
		rows->code[k] = row->code;
		/* in a part, one that only waited has its delay all the same */
		rows->n += facts[k].n_tasks || breakdown_has(breakdown, k);
	}
	qsort(rows->row, rows->n, sizeof(*rows->row), by_charge);
	for (uint32_t i = 0; i < rows->n; i++)
		rows->row_of[rows->row[i].kind] = i;
}

void rows_free(struct rows *rows)
{
	for (uint32_t i = 0; i < rows->n_owned; i++)
		free(rows->owned[i]);
	free(rows->owned);
	free(rows->code);
	free(rows->row_of);
	free(rows->row);
	*rows = (struct rows){ 0 };
}

const struct kind_row *rows_find(const struct rows *rows, uint32_t kind)
{
	return &rows->row[rows->row_of[kind]];
}
