/* SPDX-License-Identifier: MIT */
/* dump.c - tptrace dump: prints a trace as text. */
#include <getopt.h>
#include <stdlib.h>

#include "collector/reader.h"
#include "collector/text.h"
#include "tools/cmd/cmd.h"

static const char usage[] = "usage: tptrace dump [FILE]\n\n"
			    "Prints the trace (by default the newest *.tpt here) as text, which\n"
			    "`tptrace load` reads. collector/FORMAT.md describes it.\n";

int cmd_dump(int argc, char **argv)
{
	static const struct option options[] = { { "help", no_argument, NULL, 'h' }, { 0 } };
	struct reader *reader = NULL;
	struct err err = { 0 };
	char *newest = NULL;
	int option, error;

	optind = 1;
	opterr = 0;
	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (option != 'h')
			return cmd_usage("dump", "there is no option `%s`", argv[optind - 1]);
		fputs(usage, stdout);
		return cmd_finish(0);
	}
	if (argc - optind > 1)
		return cmd_usage("dump", "one file at a time");
	if (optind == argc && !(newest = cmd_newest(&err)))
		return cmd_fail(&err);
	error = reader_open(&reader, newest ? newest : argv[optind], &err);
	if (!error)
		error = text_dump(reader, stdout, &err);
	if (!error && reader_facts(reader)->missing[0])
		cmd_print(stderr, "tptrace: %s: %s\n", reader_facts(reader)->path,
			reader_facts(reader)->missing);
	int status = error ? cmd_fail(&err) : cmd_finish(reader_facts(reader)->torn ? 1 : 0);

	reader_close(reader);
	free(newest);
	return status;
}
