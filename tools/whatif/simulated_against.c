/* SPDX-License-Identifier: MIT */
/* simulated_against.c - the plain run, as it is and with its kinds slowed. */
#include "tools/whatif/simulated_against.h"

static int add_row(const struct rows *rows, const struct against_side *slowed, struct err *err)
{
	struct changes changes = { .whole = rows->request->whole };
	struct policy policy = rows->policy;
	int error = 0;

	if (slowed)
		error = against_change(&changes, &policy, rows->run, slowed, err);
	if (!error)
		error = forecast_add(rows->forecast, slowed ? "slowed" : "as recorded", &changes,
				     &policy, &rows->request->wanted, err);
	changes_free(&changes);
	return error;
}

static void put(FILE *out, const void *of)
{
	against_screen(out, of);
}

int simulated_against(const struct rows *rows, const struct against_side *plain,
		      const struct against_side *slowed, bool *disagrees, struct err *err)
{
	struct against against = { .plain = plain, .slowed = slowed };
	int error = against_check(plain, slowed, err);

	if (!error)
		error = add_row(rows, NULL, err);
	if (!error)
		error = add_row(rows, slowed, err);
	if (error)
		return error;
	against_judge(&against, rows->forecast->row[0].point, rows->forecast->row[1].point);
	*disagrees = against.verdict == AGAINST_DISAGREES;
	if (rows->request->json)
		against_json(stdout, &against);
	else
		simulated_print(put, &against);
	return 0;
}
