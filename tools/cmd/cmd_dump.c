/* SPDX-License-Identifier: MIT */
/* cmd_dump.c - tptrace dump: prints a trace as text. */
#include <getopt.h>
#include <stdlib.h>

#include "collector/trace/reader.h"
#include "collector/trace/dump.h"
#include "tools/base/say.h"
#include "tools/team/newest.h"
#include "tools/cmd/command.h"

static int run(int argc, char **argv)
{
	struct reader *reader = NULL;
	struct err err = { 0 };
	char *newest = NULL;
	int error, status;

	if (call_is_over(&cmd_dump, argc, argv, &status))
		return status;
	if (argc - optind > 1)
		return say_usage("dump", "too many files; name one");
	if (optind == argc && !(newest = newest_trace(&err)))
		return say_fail(&err);
	error = reader_open(&reader, newest ? newest : argv[optind], &err);
	if (!error)
		error = text_dump(reader, stdout, &err);
	if (!error && reader_facts(reader)->missing[0])
		say_print(stderr, "tptrace: %s: %s\n", reader_facts(reader)->path,
			  reader_facts(reader)->missing);
	status = error ? say_fail(&err) : say_finish(reader_facts(reader)->torn ? 1 : 0);

	reader_close(reader);
	free(newest);
	return status;
}

const struct command cmd_dump = {
	.name = "dump",
	.run = run,
	.line = "print a trace as text",
	.arguments = "[FILE]",
	.about = "Prints a trace as text for `tptrace load`. FILE is the newest *.tpt in the\n"
		 "working directory by default. collector/trace/FORMAT.md describes the text.\n",
};
