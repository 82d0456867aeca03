/* SPDX-License-Identifier: MIT */
/* codes.c - sorts kinds by the names of their code. */
#include "tools/run/codes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/order.h"

struct coded {
	const struct name *name; /* of its code */
	uint64_t function;	 /* where that is, if the file is not known; else 0 */
	unsigned what, runtimes;
	kind_id kind;
};

/* What is not known comes first. */
static int by_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

static int by_code(const struct coded *x, const struct coded *y)
{
	return by_text(x->name->function, y->name->function)
		       ?: by_text(x->name->file, y->name->file)
		       ?: by_text(x->name->module, y->name->module)
		       ?: order_least(x->name->line, y->name->line)
		       ?: order_least(x->what, y->what) ?: order_least(x->runtimes, y->runtimes)
		       ?: order_least(x->function, y->function);
}

static int by_code_and_kind(const void *a, const void *b)
{
	const struct coded *x = a, *y = b;

	return by_code(x, y) ?: order_least(x->kind, y->kind);
}

int codes_find(kind_id *code, bool *any, const struct dag *dag, const struct sites *sites)
{
	struct coded *coded = malloc((dag->n_kinds + 1ull) * sizeof(*coded));
	uint32_t n = 0;

	*any = false;
	if (!coded)
		return -ENOMEM;
	for (kind_id k = 0; k < dag->n_kinds; k++) {
		site_id site = dag->kind_site[k];

		code[k] = k;
		if (site < sites->n && sites->site[site].code_known)
			coded[n++] = (struct coded){
				.name = &sites->site[site].code,
				.function = sites->site[site].code.file
						    ? 0
						    : sites->defs->site[site].function,
				.what = dag->kind_what[k],
				.runtimes = dag->kind_runtimes[k],
				.kind = k
			};
	}
	qsort(coded, n, sizeof(*coded), by_code_and_kind);
	for (uint32_t i = 1; i < n; i++)
		if (by_code(&coded[i - 1], &coded[i]) == 0) {
			code[coded[i].kind] = code[coded[i - 1].kind];
			*any = true;
		}
	free(coded);
	return 0;
}
