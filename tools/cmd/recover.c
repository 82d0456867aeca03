/* SPDX-License-Identifier: MIT */
/* recover.c - tptrace recover: gets back what a killed program's rings hold. */
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/recover.h"
#include "tools/cmd/cmd.h"

static const char usage[] =
	"usage: tptrace recover [OPTIONS] [FILE...]\n\n"
	"A program that was killed while it collected its events itself (that is, not under\n"
	"`tptrace record`) leaves a trace without end, and what its workers had recorded last\n"
	"in a file in " RECOVER_FOLDER
	". This puts that into the trace (by default the newest *.tpt\n"
	"here), ends the trace, and removes that file.\n\n"
	"  -a, --all     all such files of yours, of whatever program, that is no longer there.\n"
	"                A trace that was not begun yet is made where it would have been\n\n"
	"FILE may be such a file, too.\n";

static int recover_one(const char *path, bool quiet_if_alive)
{
	struct recovered got;
	struct err err = { 0 };
	int error = recover(path, &got, &err);

	if (error == -EBUSY && quiet_if_alive)
		return 0;
	if (error == -EEXIST) {
		cmd_print(stdout, "%s\n", err.text);
		return 0;
	}
	if (error)
		return cmd_fail(&err);
	if (!got.trace[0])
		cmd_print(stdout, "%s: held no events; removed\n", path);
	else
		cmd_print(stdout, "%s: %" PRIu64 " events recovered, %" PRIu64 " in all\n", got.trace,
		       got.n_events, got.n_in_all);
	if (got.n_bad)
		cmd_print(stderr, "tptrace: %s: the rings of %u workers could not be had\n", path,
			got.n_bad);
	return 0;
}

/* All ring files of this user's; those of living processes are let be. */
static int recover_all(void)
{
	DIR *folder = opendir(RECOVER_FOLDER);
	struct dirent *entry;
	char path[sizeof(RECOVER_FOLDER) + sizeof(entry->d_name) + 1];
	struct stat st;
	int status = 0;

	if (!folder) {
		fprintf(stderr, "tptrace: " RECOVER_FOLDER ": %s\n", strerror(errno));
		return 1;
	}
	while ((entry = readdir(folder))) {
		if (strncmp(entry->d_name, RECOVER_PREFIX, sizeof(RECOVER_PREFIX) - 1) != 0)
			continue;
		snprintf(path, sizeof(path), RECOVER_FOLDER "/%s", entry->d_name);
		if (lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
		    recover_one(path, true))
			status = 1;
	}
	closedir(folder);
	return status;
}

int cmd_recover(int argc, char **argv)
{
	static const struct option options[] = { { "help", no_argument, NULL, 'h' },
						 { "all", no_argument, NULL, 'a' },
						 { 0 } };
	struct err err = { 0 };
	bool all = false;
	int option, status = 0;
	char *newest;

	optind = 1;
	opterr = 0;
	while ((option = getopt_long(argc, argv, "ha", options, NULL)) != -1) {
		switch (option) {
		case 'h':
			fputs(usage, stdout);
			return cmd_finish(0);
		case 'a':
			all = true;
			break;
		default:
			return cmd_usage("recover", "there is no option `%s`", argv[optind - 1]);
		}
	}
	if (all && optind < argc)
		return cmd_usage("recover", "--all takes no file");
	if (all)
		return cmd_finish(recover_all());
	if (optind == argc) {
		newest = cmd_newest(&err);
		if (!newest)
			return cmd_fail(&err);
		status = recover_one(newest, false);
		free(newest);
	}
	for (int i = optind; i < argc; i++)
		if (recover_one(argv[i], false))
			status = 1;
	return cmd_finish(status);
}
