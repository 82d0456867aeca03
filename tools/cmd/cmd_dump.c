/* SPDX-License-Identifier: MIT */
/* cmd_dump.c - tptrace dump: prints a trace as text. */

#include "tools/base/dump.h"
#include "tools/base/load.h"
#include "tools/base/say.h"
#include "tools/cmd/command.h"

static int dump(void *context, char **path, int n)
{
	struct reader *reader = NULL;
	struct err err = { 0 };
	int error, status;

	(void)context, (void)n;
	error = text_open(&reader, path[0], &err) ?: text_dump(reader, stdout, &err);
	if (!error && reader_facts(reader)->missing[0])
		say_print(stderr, "tptrace: %s: %s\n", reader_facts(reader)->path,
			  reader_facts(reader)->missing);
	status = error ? say_fail(&err) : say_finish(reader_facts(reader)->torn ? 1 : 0);
	reader_close(reader);
	return status;
}

static int run(int argc, char **argv)
{
	struct call call;

	return call_open(&call, &cmd_dump, argc, argv, NULL) ? call_traces(&call, dump, NULL)
							     : call.status;
}

const struct command cmd_dump = {
	.name = "dump",
	.run = run,
	.line = "print a trace as text",
	.arguments = "[FILE]",
	.n_most = 1,
	.about = "Prints a trace as text for `tptrace load`. FILE is the newest *.tpt in the\n"
		 "working directory by default. collector/trace/FORMAT.md describes the text.\n",
};
