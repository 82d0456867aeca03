/* SPDX-License-Identifier: MIT */
/*
 * each.c - each OPTIONS.. -- TRACE..: reports each trace in one process, for valgrind, whose
 * translation of the code then serves all of them.  The status is the largest.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/cmd/command.h"

int main(int argc, char **argv)
{
	int n = 1, most = 0;

	while (n < argc && strcmp(argv[n], "--") != 0)
		n++;
	for (int i = n + 1; i < argc; i++) {
		char **report = calloc((size_t)n + 2, sizeof(*report));
		int status;

		if (!report)
			abort();
		memcpy(report, argv, (size_t)n * sizeof(*report));
		report[n] = argv[i];
		optind = 0; /* getopt_long() begins anew */
		status = cmd_report.run(n + 1, report);
		if (status > most)
			most = status;
		free(report);
	}
	return most;
}
