/* SPDX-License-Identifier: MIT */
/* cmd_info.c - tptrace info: what a trace file holds. */
#include <inttypes.h>
#include <limits.h>

#include "tools/base/load.h"
#include "tools/base/units.h"
#include "tools/base/say.h"
#include "tools/cmd/command.h"
#include "tools/cmd/options.h"
#include "tools/launch/keep_names.h"
#include "tools/base/values.h"
#include "tools/summary/clock_facts.h"
#include "tools/table/fit.h"
#include "tools/table/look.h"
#include "tools/report/machine_facts.h"
#include "tools/table/put.h"

static void put_pair(FILE *out, const char *key, const char *value)
{
	put_text(out, key);
	fputs(": ", out);
	put_text(out, value);
	fputc('\n', out);
}

static void put_info(FILE *out, const void *of)
{
	const struct reader *reader = of;
	const struct reader_facts *facts = reader_facts(reader);
	const struct defs *defs = reader_defs(reader);
	uint64_t ns = facts->last_ns > facts->first_ns ? facts->last_ns - facts->first_ns : 0;
	const struct clock_facts clock = clock_facts_of(reader, NULL);
	char text[UNITS_TIME];

	put_text(out, facts->path);
	fprintf(out,
		": %" PRIu64 " bytes, %" PRIu64 " blocks, %" PRIu64
		" events of %u worker%s over %s\n",
		facts->file_bytes, facts->n_blocks, facts->n_events, facts->n_workers,
		units_s(facts->n_workers), units_time(text, ns));
	put_pair(out, "state", facts->missing[0] ? facts->missing : "whole");
	if (facts->n_events)
		fprintf(out, "bytes an event: %.3f\n",
			(double)facts->file_bytes / (double)facts->n_events);
	put_pair(out, "clock", defs->clock ? defs->clock : "ns");
	fprintf(out, "sync points: %u\n", defs->n_syncs);
	clock_put_info(out, &clock);
	for (uint32_t i = 0; i < defs->n_metas; i++)
		put_pair(out, defs->meta[i].key, defs->meta[i].value);
	for (uint32_t i = 0; i < defs->n_runtimes; i++) {
		fputs("runtime: ", out);
		put_text(out, defs->runtime[i].name ? defs->runtime[i].name : "?");
		fputc(' ', out);
		put_text(out, defs->runtime[i].version ? defs->runtime[i].version : "");
		fprintf(out, ", %u worker%s\n", defs->runtime[i].n_workers,
			units_s(defs->runtime[i].n_workers));
	}
	machine_put_info(out, defs);
	fprintf(out, "sites: %u\n", defs->n_sites ? defs->n_sites - 1 : 0);
	for (uint32_t i = 0; i < defs->n_modules; i++) {
		fprintf(out, "module: 0x%" PRIx64 "-0x%" PRIx64 " ", defs->module[i].start,
			defs->module[i].end);
		put_text(out, defs->module[i].path ? defs->module[i].path : "?");
		fputc(' ', out);
		put_text(out, defs->module[i].build_id ? defs->module[i].build_id : "");
		fputc('\n', out);
	}
}

static int info(const char *path)
{
	struct reader *reader = NULL;
	struct err err = { 0 };
	int status;

	if (text_open(&reader, path, &err) < 0)
		return say_fail(&err);
	fit_output(stdout, put_info, reader, (int)value_width(LOOK_NARROWEST, INT_MAX, INT_MAX));
	status = reader_facts(reader)->torn ? 1 : 0;
	reader_close(reader);
	return status;
}

/* Puts the names into the trace. */
static int embed(const char *path)
{
	struct err err = { 0 };
	uint32_t n_sites = 0;

	if (keep_names(path, &n_sites, &err) < 0)
		return say_fail(&err);
	put_text(stdout, path);
	printf(": keeps the names of %u sites\n", n_sites);
	return 0;
}

struct request {
	bool embed;
};

static const struct command_option options[] = {
	{ "embed", INTO(FLAG, embed),
	  .help = "store the names of functions, files and lines in FILE, so that it can be read "
		  "without the program" },
	VARIABLE_PAGER,
	{ 0 },
};

static int each(void *context, char **path, int n)
{
	const struct request *request = context;
	int status = 0;

	for (int i = 0; i < n; i++)
		if ((request->embed ? embed : info)(path[i]))
			status = 1;
	return status;
}

static int run(int argc, char **argv)
{
	struct request request = { 0 };
	struct call call;

	if (!call_open(&call, &cmd_info, argc, argv, &request))
		return call.status;
	return say_finish(call_traces(&call, each, &request));
}

const struct command cmd_info = {
	.name = "info",
	.run = run,
	.line = "describe a trace file",
	.arguments = "[--embed] [FILE...]",
	.about = "Describes a trace: program, runtimes, modules, sizes, and whether it is "
		 "complete.\n"
		 "FILE is the newest *.tpt in the working directory by default.\n",
	.option = options,
	.paged = true,
};
