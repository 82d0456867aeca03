/* SPDX-License-Identifier: MIT */
/* json_parts.c - places and components as members of JSON objects. */
#include "tools/report/json_parts.h"

#include <inttypes.h>

#include "tools/table/put.h"

void json_put_code(FILE *out, const char *key, const struct place *place)
{
	fprintf(out, "\"%s\":", key);
	put_string(out, place->name);
	fputs(",\"file\":", out);
	put_string(out, place->file);
	fprintf(out, ",\"line\":%u", place->line);
}

void json_put_place(FILE *out, const char *key, const struct place *place)
{
	json_put_code(out, key, place);
	fputs(",\"module\":", out);
	put_string(out, place->module);
}

void json_put_charge(FILE *out, const struct charge *charge)
{
	fprintf(out,
		"\"work_ns\":%" PRIu64 ",\"delay_ns\":%" PRIu64 ",\"no_work_sched_ns\":%" PRIu64
		",\"no_work_app_ns\":%" PRIu64,
		charge->work_ns, charge->delay_ns, charge->no_work_sched_ns,
		charge->no_work_app_ns);
}
