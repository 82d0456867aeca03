/* SPDX-License-Identifier: MIT */
/* simulated_against.c - the plain run, as it is and with its kinds slowed. */
#include "tools/cmd/simulated_against.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static int check_same(const struct against_side *plain, const struct against_side *slowed,
		      struct err *err)
{
	if (strcmp(plain->program, slowed->program) != 0)
		return err_set(err, EINVAL, "%s: of another program than %s", slowed->path[0],
			       plain->path[0]);
	if (plain->n_workers != slowed->n_workers)
		return err_set(err, EINVAL, "%s: on another number of workers than %s",
			       slowed->path[0], plain->path[0]);
	return 0;
}

static int add_row(const struct rows *rows, const struct against_side *slowed, struct err *err)
{
	struct changes changes = { .whole = rows->request->whole };
	struct policy policy = rows->policy;
	int error = 0;

	for (uint32_t i = 0; slowed && i < slowed->n_kinds && !error; i++) {
		char text[SLOWED_NAME + 32];

		snprintf(text, sizeof(text), "%s=%.9f", slowed->kind[i].name,
			 against_speed(slowed, i));
		error = what_if_add(&changes, &policy, rows->run, IF_SPEED, text, err);
	}
	if (!error)
		error = forecast_add(rows->forecast, slowed ? "slowed" : "as recorded", &changes,
				     &policy, &rows->request->wanted, err);
	changes_free(&changes);
	return error;
}

int simulated_against(const struct rows *rows, const struct against_side *plain,
		      const struct against_side *slowed, bool *disagrees, struct err *err)
{
	struct against against = { .plain = plain, .slowed = slowed };
	const struct point *as_is, *changed;
	int error = check_same(plain, slowed, err);

	if (!error)
		error = add_row(rows, NULL, err);
	if (!error)
		error = add_row(rows, slowed, err);
	if (error)
		return error;
	as_is = rows->forecast->row[0].point;
	changed = rows->forecast->row[1].point;
	against.predicted = (struct against_effect){
		(double)changed->low_ns / (double)as_is->high_ns - 1,
		(double)changed->outcome.elapsed_ns / (double)as_is->outcome.elapsed_ns - 1,
		(double)changed->high_ns / (double)as_is->low_ns - 1
	};
	against.own_error = fabs(
		(double)as_is->outcome.elapsed_ns / (double)plain->elapsed_ns[plain->middle] - 1);
	against_judge(&against);
	*disagrees = against.verdict == AGAINST_DISAGREES;
	if (rows->request->json)
		against_json(stdout, &against);
	else
		against_screen(stdout, &against);
	return 0;
}
