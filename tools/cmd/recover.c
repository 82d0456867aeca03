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
	"in a ring file in " RING_FOLDER
	". This puts that into the trace (by default the newest *.tpt\n"
	"here), ends the trace, and removes the ring file once all of it is in the trace.\n\n"
	"  -a, --all      list your ring files, then recover those whose process has ended\n"
	"  -n, --dry-run  list what would be recovered, and change nothing\n\n"
	"A trace that was not begun yet is made where the program would have made it, or in\n"
	"the working directory if that folder is gone, not writable, or another user's.\n"
	"FILE may be a ring file, too.\n";

static int tell_look(const char *path)
{
	struct recover_look look;
	struct err err = { 0 };
	int error = recover_look(path, &look, &err);

	if (error == -EBUSY)
		printf("%s: its process is alive\n", path);
	else if (error)
		return cmd_fail(&err);
	else if (look.is_empty)
		printf("%s: holds nothing\n", path);
	else
		printf("%s: of %s, pid %d, which has ended; its trace: %s\n", path, look.program,
		       look.pid, look.trace[0] ? look.trace : "none yet");
	return 0;
}

/* As a path that leads there from anywhere. */
static void tell_trace(const struct recovered *got)
{
	char *full = realpath(got->trace, NULL);

	printf("%s: %" PRIu64 " events recovered, %" PRIu64 " in all%s\n", full ? full : got->trace,
	       got->n_events, got->n_in_all,
	       got->is_elsewhere ? " (its own folder cannot be used)" : "");
	free(full);
}

static int recover_one(const char *path, bool all)
{
	struct recovered got;
	struct err err = { 0 };
	int error = recover(path, all, &got, &err);

	if (error == -EBUSY && all)
		return 0;
	if (error == -EEXIST) {
		printf("%s\n", err.text);
		return 0;
	}
	if (error)
		return cmd_fail(&err);
	if (got.trace[0])
		tell_trace(&got);
	else
		printf("%s: held no events%s\n", path, got.why_kept[0] ? "" : "; removed");
	if (got.n_lost)
		cmd_print(stderr,
			  "tptrace: %s: %" PRIu64 " earlier events were in the program's memory "
			  "alone, or in a trace that is gone: lost\n",
			  path, got.n_lost);
	if (got.n_elsewhere)
		cmd_print(stderr,
			  "tptrace: %s: the rings of %u workers were in no file (" RING_FOLDER
			  " was full): their last events are lost\n",
			  path, got.n_elsewhere);
	if (!got.why_kept[0])
		return 0;
	cmd_print(stderr, "tptrace: %s: %s; the file is kept: remove it when it is of no use\n", path,
		  got.why_kept);
	return 1;
}

/* Calls f for all ring files of this user's: 1 if any call gave that. */
static int for_all(int (*f)(const char *path))
{
	DIR *folder = opendir(RING_FOLDER);
	struct dirent *entry;
	char path[sizeof(RING_FOLDER) + sizeof(entry->d_name) + 1];
	struct stat st;
	int status = 0;

	if (!folder) {
		cmd_print(stderr, "tptrace: " RING_FOLDER ": %s\n", strerror(errno));
		return 1;
	}
	while ((entry = readdir(folder))) {
		if (strncmp(entry->d_name, RING_PREFIX, sizeof(RING_PREFIX) - 1) != 0)
			continue;
		snprintf(path, sizeof(path), RING_FOLDER "/%s", entry->d_name);
		if (lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
		    f(path))
			status = 1;
	}
	closedir(folder);
	return status;
}

static int recover_of_all(const char *path)
{
	return recover_one(path, true);
}

static int recover_all(bool dry)
{
	int status = for_all(tell_look);

	return dry ? status : for_all(recover_of_all) | status;
}

/* A trace names its ring file; what is told is that. */
static int look_at(const char *path)
{
	char ring[RING_PATH_MAX];
	struct err err = { 0 };
	int error = recover_ring_of(path, ring, &err);

	if (error == -EEXIST) {
		printf("%s\n", err.text);
		return 0;
	}
	return error ? cmd_fail(&err) : tell_look(ring);
}

static int recover_named(const char *path, bool dry)
{
	return dry ? look_at(path) : recover_one(path, false);
}

int cmd_recover(int argc, char **argv)
{
	static const struct option options[] = { { "help", no_argument, NULL, 'h' },
						 { "all", no_argument, NULL, 'a' },
						 { "dry-run", no_argument, NULL, 'n' },
						 { 0 } };
	struct err err = { 0 };
	bool all = false, dry = false;
	int option, status = 0;
	char *newest;

	optind = 1;
	opterr = 0;
	while ((option = getopt_long(argc, argv, "han", options, NULL)) != -1) {
		switch (option) {
		case 'h':
			fputs(usage, stdout);
			return cmd_finish(0);
		case 'a':
			all = true;
			break;
		case 'n':
			dry = true;
			break;
		default:
			return cmd_usage("recover", "there is no option `%s`", argv[optind - 1]);
		}
	}
	if (all && optind < argc)
		return cmd_usage("recover", "--all takes no file");
	if (all)
		return cmd_finish(recover_all(dry));
	if (optind == argc) {
		newest = cmd_newest(&err);
		if (!newest)
			return cmd_fail(&err);
		status = recover_named(newest, dry);
		free(newest);
	}
	for (int i = optind; i < argc; i++)
		if (recover_named(argv[i], dry))
			status = 1;
	return cmd_finish(status);
}
