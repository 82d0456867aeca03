/* SPDX-License-Identifier: MIT */
/* diff_csv.c - a line for each row. */
#include "tools/diff/diff_csv.h"

#include <inttypes.h>

#include "tools/diff/diff_counters.h"
#include "tools/table/put.h"

void diff_csv(FILE *out, const struct comparison *c, enum list list)
{
	fprintf(out, "%s,place,line", list_name[list]);
	for (int v = value_next(list, -1); v < VALUES_ALL; v = value_next(list, v))
		fprintf(out, ",a_%s,b_%s", value_name(list, v), value_name(list, v));
	diff_counters_csv_names(out, c);
	fputs("\n", out);
	for (uint32_t row = 0; row < c->list[list].n; row++) {
		const struct item *name = matches_name(&c->list[list], row);

		put_quoted(out, name->name);
		fputc(',', out);
		put_quoted(out, name->where);
		fprintf(out, ",%u", name->line);
		for (int v = value_next(list, -1); v < VALUES_ALL; v = value_next(list, v))
			fprintf(out, ",%" PRIu64 ",%" PRIu64,
				comparison_item(c, list, row, 0, (enum value)v),
				comparison_item(c, list, row, c->n - 1, (enum value)v));
		diff_counters_csv(out, c, (struct counted_of){ list, row });
		fputc('\n', out);
	}
}
