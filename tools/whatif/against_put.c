/* SPDX-License-Identifier: MIT */
/* against_put.c - prints a prediction beside an experiment. */
#include <inttypes.h>

#include "tools/base/units.h"
#include "tools/whatif/against.h"
#include "tools/table/json.h"

#define WAIT_TOLD 0.02 /* share of elapsed x workers that workers waited for a CPU */

static void put_side(FILE *out, const char *name, const struct against_side *side)
{
	char text[3][UNITS_TIME];

	fprintf(out, "  %-10s %4u %s  %9s   %s .. %s\n", name, side->n,
		side->n == 1 ? "run " : "runs", units_time(text[0], side->elapsed_ns[side->middle]),
		units_time(text[1], side->interval.low), units_time(text[2], side->interval.high));
}

static void put_effect(FILE *out, const char *name, const struct against_effect *effect,
		       const char *how)
{
	fprintf(out, "  %-10s %+8.2f %%   %+.2f .. %+.2f %%%s\n", name, 100 * effect->middle,
		100 * effect->low, 100 * effect->high, how);
}

static void put_verdict(FILE *out, const struct against *against)
{
	switch (against->verdict) {
	case AGAINST_AGREES:
		fputs("agrees: the experiment bears out what simulate says of these kinds\n", out);
		break;
	case AGAINST_DISAGREES:
		fputs("DISAGREES: do not believe what simulate and --what-if say of these kinds\n",
		      out);
		break;
	case AGAINST_FEW:
		fprintf(out,
			"not decided: noise is unknown with fewer than %u runs of each; record "
			"both with --repeat 5\n",
			AGAINST_LEAST);
		break;
	case AGAINST_NOISY:
		fputs("not decided: runs differ by more than the effect; slow by a larger factor, "
		      "or record more runs\n",
		      out);
		break;
	case AGAINST_NONE:
		fputs("not decided: nothing was slowed; no task of these kinds ran\n", out);
		break;
	}
}

void against_screen(FILE *out, const struct against *against)
{
	const struct against_side *plain = against->plain, *slowed = against->slowed;

	fprintf(out, "%s, %u worker%s, slowed on purpose\n", slowed->program, slowed->n_workers,
		units_s(slowed->n_workers));
	for (uint32_t i = 0; i < slowed->n_kinds; i++) {
		char text[2][UNITS_TIME];

		fprintf(out, "  %s: x%g asked, x%.3f reached (%s of %s)\n", slowed->kind[i].name,
			slowed->kind[i].factor, 1 / against_speed(slowed, i),
			units_time(text[0], slowed->slowed_ns[i]),
			units_time(text[1], slowed->work_ns[i]));
	}
	fputs("\nelapsed time\n", out);
	put_side(out, "plain", plain);
	put_side(out, "slowed", slowed);
	put_effect(out, "measured", &against->measured, "");
	put_effect(out, "predicted", &against->predicted, "");
	fprintf(out, "  the simulation of the plain run is within %.2f %% of it\n",
		100 * against->own_error);
	if (plain->cpu_wait > WAIT_TOLD || slowed->cpu_wait > WAIT_TOLD)
		fprintf(out,
			"  workers waited for CPUs: %.0f %% of plain, %.0f %% of slowed runs; use "
			"a quiet machine\n",
			100 * plain->cpu_wait, 100 * slowed->cpu_wait);
	fputc('\n', out);
	put_verdict(out, against);
}

/* ---- JSON ---- */

static void put_json_side(struct json *to, const char *name, const struct against_side *side)
{
	json_open(to, name, '{');
	JSON_NUMBERS(to, { "runs", side->n }, { "elapsed_ns", side->elapsed_ns[side->middle] },
		     { "low_ns", side->interval.low }, { "high_ns", side->interval.high });
	json_real(to, "cpu_wait", "%.6f", side->cpu_wait);
	json_close(to, '}');
}

static void put_json_effect(struct json *to, const char *name, const struct against_effect *effect)
{
	json_open(to, name, '{');
	JSON_REALS(to, "%.6f", { "low", effect->low }, { "middle", effect->middle },
		   { "high", effect->high });
	json_close(to, '}');
}

void against_json(FILE *out, const struct against *against)
{
	const struct against_side *slowed = against->slowed;
	struct json json, *to = &json;

	json_begin(to, out);
	json_number(to, "workers", slowed->n_workers);
	json_open(to, "kinds", '[');
	for (uint32_t i = 0; i < slowed->n_kinds; i++) {
		json_open(to, NULL, '{');
		json_text(to, "kind", slowed->kind[i].name);
		json_real(to, "asked", "%g", slowed->kind[i].factor);
		json_real(to, "reached", "%.6f", 1 / against_speed(slowed, i));
		JSON_NUMBERS(to, { "work_ns", slowed->work_ns[i] },
			     { "slowed_ns", slowed->slowed_ns[i] });
		json_close(to, '}');
	}
	json_close(to, ']');
	put_json_side(to, "plain", against->plain);
	put_json_side(to, "slowed", slowed);
	put_json_effect(to, "measured", &against->measured);
	put_json_effect(to, "predicted", &against->predicted);
	json_real(to, "own_error", "%.6f", against->own_error);
	json_text(to, "verdict", against_verdict_name[against->verdict]);
	json_end(to);
}
