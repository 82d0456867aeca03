/* SPDX-License-Identifier: MIT */
/* simulated_fewest.c - the smallest sets of changes, with the kinds' names. */
#include "tools/whatif/simulated_fewest.h"

#include <errno.h>

#include "tools/whatif/kind_names.h"
#include "tools/model/fewest_put.h"

struct shown {
	const struct fewest *fewest;
	const struct forecast *forecast;
	char *const *name;
};

static void put(FILE *out, const void *of)
{
	const struct shown *shown = of;

	fewest_screen(out, shown->fewest, shown->forecast, shown->name);
}

int simulated_fewest(const struct rows *rows, struct err *err)
{
	struct kind_names names = { 0 };
	struct fewest fewest = { 0 };
	struct changes changes;
	struct policy policy;
	int error = simulated_changes(rows, &changes, &policy, err);

	if (!error && kind_names_make(&names, rows->run) < 0)
		error = err_no_memory(err);
	if (!error)
		error = fewest_find(&fewest, rows->forecast, &changes, &policy,
				    &rows->request->wanted, err);
	if (!error && rows->request->json)
		fewest_json(stdout, &fewest, rows->forecast, names.name);
	else if (!error)
		simulated_print(put, &(struct shown){ &fewest, rows->forecast, names.name });
	fewest_free(&fewest);
	kind_names_free(&names);
	changes_free(&changes);
	return error;
}
