/* SPDX-License-Identifier: MIT */
/* cmd_log.c - tptrace log: the recorded versions of a program one after the other, the first bad
 * one. */
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/folder.h"
#include "tools/base/map.h"
#include "tools/base/order.h"
#include "tools/base/say.h"
#include "tools/base/xalloc.h"
#include "tools/cmd/command.h"
#include "tools/cmd/options.h"
#include "tools/cmd/sides.h"
#include "tools/diff/history.h"
#include "tools/table/look.h"

#define EXIT_BAD 1
#define EXIT_TROUBLE 2

enum log_order { ORDER_TIME, ORDER_NAME };

struct request {
	enum log_order order;
	double percent;
	struct diff_shown shown;
	struct sides_wanted wanted;
	bool json, csv;
	uint32_t n_at_once; /* 0: as many as is usual */
};

static const struct command_option options[] = {
	OPTION_THRESHOLD(percent, "how much slower a version may be than the best before it (5)"),
	{ "order", "time|name", INTO(WORD, order),
	  .help = "the order of the versions in FOLDER: when they were recorded (time), or names" },
	OPTION_JOBS(n_at_once),
	OPTION_JSON(json),
	{ "csv", INTO(FLAG, csv), .help = "print a line for each version as CSV" },
	OPTION_COLOR(shown.bold),
	VARIABLE_RANKS,
	VARIABLE_PAGER,
	{ 0 },
};

/* ---- the versions ---- */

/* The names of traces and folders; malloc'ed. */
struct listed {
	char **path;
	uint32_t n;
	uint64_t room;
};

static void listed_free(struct listed *listed)
{
	for (uint32_t i = 0; i < listed->n; i++)
		free(listed->path[i]);
	free(listed->path);
	*listed = (struct listed){ 0 };
}

static int is_named(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* A folder in it, or a trace. */
static void add_version(struct listed *listed, const char *folder, const char *name)
{
	bool slash = folder[strlen(folder) - 1] == '/';
	char *path;

	path = xasprintf("%s%s%s", folder, slash ? "" : "/", name);
	if (!is_folder(path) && fnmatch("*.tpt", name, 0) != 0) {
		free(path);
		return;
	}
	ARRAY_ADD(listed->path, listed->n, listed->room, path);
}

static int list_folder(struct listed *listed, const char *folder, struct err *err)
{
	struct dirent **entry = NULL;
	int n = scandir(folder, &entry, is_named, versionsort);

	if (n < 0)
		return err_set(err, errno, "%s: %s", folder, strerror(errno));
	for (int i = 0; i < n; i++) {
		add_version(listed, folder, entry[i]->d_name);
		free(entry[i]);
	}
	free(entry);
	if (!listed->n)
		return err_set(err, ENOENT,
			       "%s: no version in it; name each: tptrace record -o %s/NAME/ ./app",
			       folder, folder);
	return 0;
}

ORDER(recorded_first, struct side, order_least(history_recorded(x), history_recorded(y)) ?:
      strverscmp(x->label, y->label))

/* By time, if all say when they were recorded; else they stay in the order of their names. */
static void order_sides(struct sides *sides)
{
	for (uint32_t s = 0; s < sides->n; s++)
		if (!history_recorded(&sides->side[s])) {
			say_warn("%s does not say when it was recorded; versions are in the order "
				 "of their names",
				 sides->side[s].label);
			return;
		}
	qsort(sides->side, sides->n, sizeof(*sides->side), recorded_first);
}

/* ---- the command ---- */

static int print_history(const struct request *request, const struct history *history,
			 const struct sides *sides)
{
	if (request->json)
		history_json(stdout, history);
	else if (request->csv)
		history_csv(stdout, history);
	else
		history_screen(stdout, history, &request->shown);
	if (!sides_finish(sides, &(struct sides){ 0 }))
		return EXIT_TROUBLE;
	return history->first_bad == HISTORY_NONE ? 0 : EXIT_BAD;
}

/* Reads all with the team, which then ends. */
static int open_versions(struct request *request, struct sides *sides, struct team *team,
			 char **path, int n, struct err *err)
{
	int error = sides_open(sides, path, n, &request->wanted, team, err);

	if (!error && sides->n != (uint32_t)n) /* of one */
		error = err_set(err, EINVAL,
				"%s: its runs have different numbers of workers; record each "
				"version on one number",
				path[0]);
	return team_end(team, error, err);
}

static int show(void *context, char **argument, int n, struct team *team)
{
	struct request *request = context;
	bool whole = n == 1 && is_folder(argument[0]);
	AT_END(listed_free) struct listed listed = { 0 };
	AT_END(sides_free) struct sides sides = { 0 };
	AT_END(history_free) struct history history = { 0 };
	struct err err = { 0 };
	size_t skipped =
		whole ? strlen(argument[0]) + (argument[0][strlen(argument[0]) - 1] != '/') : 0;
	int status = EXIT_TROUBLE, error = whole ? list_folder(&listed, argument[0], &err) : 0;

	if (!error)
		error = open_versions(request, &sides, team, whole ? listed.path : argument,
				      whole ? (int)listed.n : n, &err);
	if (!error && whole && request->order == ORDER_TIME)
		order_sides(&sides);
	if (!error)
		error = history_build(&history, sides.side, sides.n, skipped,
				      request->percent / 100, &err);
	if (!error)
		status = print_history(request, &history, &sides);
	else if (err.text[0])
		say_fail(&err);
	return status;
}

static int run(int argc, char **argv)
{
	struct request request = { .percent = 100 * THRESHOLD_SHARE,
				   .shown = sides_shown(),
				   .wanted.phases.to_ns = UINT64_MAX };
	struct call call;

	if (!call_open(&call, &cmd_log, argc, argv, &request))
		return call.status;
	return sides_share(&call, &request.wanted, request.n_at_once, request.json && request.csv,
			   show, &request);
}

const struct command cmd_log = {
	.name = "log",
	.run = run,
	.line = "show recorded versions of a program in turn, and the first bad one",
	.arguments = "[OPTIONS] FOLDER | FILE...",
	.without = "name a folder of recorded versions, or each of them",
	.about = "Shows how a program's time and its causes of lost time changed from version to\n"
		 "version, and names the first that is worse, judged as `tptrace diff` judges. "
		 "Each\n"
		 "folder in FOLDER is the runs of a version, and each trace the run of one. Or "
		 "name\n"
		 "the versions, oldest first.\n",
	.option = options,
	.more = "Exit status: 0 the last version is not worse than the best before it; 1 it is; 2\n"
		"trouble.\n",
	.ranks = RANKS_TOGETHER,
	.paged = true,
};
