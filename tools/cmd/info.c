/* SPDX-License-Identifier: MIT */
/* info.c - tptrace info: what a trace file holds. */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>

#include "collector/reader.h"
#include "tools/cmd/cmd.h"
#include "tools/export/clock.h"
#include "tools/export/text.h"

static const char usage[] = "usage: tptrace info [FILE...]\n\n"
			    "Says what a trace (by default the newest *.tpt here) holds: program,\n"
			    "runtimes, modules, sizes, and whether it is whole.\n";

static void put_pair(const char *key, const char *value)
{
	text_put(stdout, key);
	fputs(": ", stdout);
	text_put(stdout, value);
	putchar('\n');
}

/* Tasks that were taken out, since they ran whole on one worker. */
static void put_hidden(const struct defs *defs)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < defs->n_sites; i++)
		n += defs->site[i].hidden ? defs->site[i].hidden->n_tasks : 0;
	printf("collapsed tasks: %" PRIu64 "\n", n);
}

static void print_info(const struct reader *reader)
{
	const struct reader_facts *facts = reader_facts(reader);
	const struct defs *defs = reader_defs(reader);
	uint64_t ns = facts->last_ns > facts->first_ns ? facts->last_ns - facts->first_ns : 0;
	const struct clock_facts clock = clock_facts_of(reader, NULL);
	char text[TEXT_TIME];

	text_put(stdout, facts->path);
	printf(": %" PRIu64 " bytes, %" PRIu64 " blocks, %" PRIu64
	       " events of %u workers over %s\n",
	       facts->file_bytes, facts->n_blocks, facts->n_events, facts->n_workers,
	       text_time(text, ns));
	put_pair("state", facts->missing[0] ? facts->missing : "whole");
	if (facts->n_events)
		printf("bytes an event: %.3f\n",
		       (double)facts->file_bytes / (double)facts->n_events);
	put_pair("clock", defs->clock ? defs->clock : "ns");
	printf("sync points: %u\n", defs->n_syncs);
	clock_put_info(stdout, &clock);
	for (uint32_t i = 0; i < defs->n_metas; i++)
		put_pair(defs->meta[i].key, defs->meta[i].value);
	for (uint32_t i = 0; i < defs->n_runtimes; i++) {
		fputs("runtime: ", stdout);
		text_put(stdout, defs->runtime[i].name ? defs->runtime[i].name : "?");
		putchar(' ');
		text_put(stdout, defs->runtime[i].version ? defs->runtime[i].version : "");
		printf(", %u workers\n", defs->runtime[i].n_workers);
	}
	put_hidden(defs);
	printf("sites: %u\n", defs->n_sites ? defs->n_sites - 1 : 0);
	for (uint32_t i = 0; i < defs->n_modules; i++) {
		printf("module: 0x%" PRIx64 "-0x%" PRIx64 " ", defs->module[i].start,
		       defs->module[i].end);
		text_put(stdout, defs->module[i].path ? defs->module[i].path : "?");
		putchar(' ');
		text_put(stdout, defs->module[i].build_id ? defs->module[i].build_id : "");
		putchar('\n');
	}
}

static int info(const char *path)
{
	struct reader *reader = NULL;
	struct err err = { 0 };
	int status;

	if (reader_open(&reader, path, &err) < 0)
		return cmd_fail(&err);
	print_info(reader);
	status = reader_facts(reader)->torn ? 1 : 0;
	reader_close(reader);
	return status;
}

int cmd_info(int argc, char **argv)
{
	static const struct option options[] = { { "help", no_argument, NULL, 'h' }, { 0 } };
	struct err err = { 0 };
	int option, status = 0;
	char *newest;

	optind = 1;
	opterr = 0;
	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (option != 'h')
			return cmd_usage("info", "there is no option `%s`", argv[optind - 1]);
		fputs(usage, stdout);
		return cmd_finish(0);
	}
	if (optind == argc) {
		newest = cmd_newest(&err);
		if (!newest)
			return cmd_fail(&err);
		status = info(newest);
		free(newest);
	}
	for (int i = optind; i < argc; i++)
		if (info(argv[i]))
			status = 1;
	return cmd_finish(status);
}
