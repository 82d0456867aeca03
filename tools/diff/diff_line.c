/* SPDX-License-Identifier: MIT */
/* diff_line.c - cuts and wraps what a comparison says. */
#include "tools/diff/diff_line.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/utf8.h"
#include "tools/base/xalloc.h"
#include "tools/diff/why.h"
#include "tools/table/fit.h"
#include "tools/base/written.h"

void diff_rest(FILE *out, const char *text, int column, int width)
{
	fit_cut(out, text, width - column > DIFF_REST_LEAST ? width - column : DIFF_REST_LEAST);
	fputc('\n', out);
}

void diff_item(FILE *out, const struct item *item, int column, int width)
{
	char text[WHY_ITEM], cut[WHY_ITEM];
	int over = column + fit_columns(why_item(text, item)) - width;
	int room = (int)strlen(item->name) - over - 2;

	if (over <= 0 || room < 4 || !item->has_line) {
		diff_rest(out, text, column, width);
		return;
	}
	snprintf(cut, sizeof(cut), "%.*s.. %s:%u", (int)utf8_part(item->name, (size_t)room),
		 item->name, item->where, item->line);
	diff_rest(out, cut, column, width);
}

void diff_wrapped(FILE *out, void (*put)(FILE *out, const void *of), const void *of, int width)
{
	char *all = written(put, of, NULL), *text = all;

	while (text && *text) {
		size_t n = strcspn(text, "\n");
		char *line = xstrndup(text, n);

		fit_words(out, line ? line : "", 0, 2, width);
		free(line);
		text += n + (text[n] == '\n');
	}
	free(all);
}

void diff_put_ratio(struct json *to, const char *key, double ratio)
{
	json_real(to, key, "%.4f", ratio > 0 ? ratio : (double)NAN);
}
