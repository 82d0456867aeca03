/* SPDX-License-Identifier: MIT */
/* cmd_recover.c - tptrace recover: gets back what a killed program's rings hold. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/outside/recover.h"
#include "tools/base/xalloc.h"
#include "tools/base/units.h"
#include "tools/base/say.h"
#include "tools/trace/reader.h"
#include "tools/team/newest.h"
#include "tools/cmd/command.h"
#include "tools/cmd/options.h"

/* The ring file of a trace, or that file itself.  0 or -errno and *err; -EALREADY if the trace has
 * its end. */
static int find_ring(const char *path, char out[RING_PATH_MAX], struct err *err)
{
	struct reader *reader = NULL;
	const char *ring;
	int error;

	if (ring_named(path) && snprintf(out, RING_PATH_MAX, "%s", path) < RING_PATH_MAX)
		return 0;
	error = reader_open(&reader, path, err);
	if (error)
		return ring_find(path, out, RING_PATH_MAX) ? 0 : error;
	ring = defs_meta(reader_defs(reader), "ring");
	if (reader_facts(reader)->ended)
		error = err_set(err, EALREADY, "%s: is whole: nothing to recover", path);
	else if (!ring && !ring_find(path, out, RING_PATH_MAX))
		error = err_set(err, ENOENT, "%s: has no ring file; there is nothing to add to it",
				path);
	else if (ring && snprintf(out, RING_PATH_MAX, "%s", ring) >= RING_PATH_MAX)
		error = err_set(err, EPROTO, "%s: names an invalid ring file", path);
	reader_close(reader);
	return error;
}

static int tell_look(const char *path)
{
	struct recover_content content;
	struct err err = { 0 };
	int error = recover_inspect(path, &content, &err);

	if (error == -EBUSY)
		printf("%s: in use: its process is alive, or another recover is at it\n", path);
	else if (error)
		return say_fail(&err);
	else if (content.is_empty)
		printf("%s: holds nothing\n", path);
	else
		printf("%s: from %s, pid %d, which has ended; trace: %s\n", path, content.program,
		       content.pid, content.trace[0] ? content.trace : "none yet");
	return 0;
}

/* As a path that leads there from anywhere. */
static void tell_trace(const struct recovered *got)
{
	FREED char *full = realpath(got->trace, NULL);

	printf("%s: %" PRIu64 " events recovered, %" PRIu64 " in all%s\n", full ? full : got->trace,
	       got->n_events, got->n_in_all,
	       got->is_elsewhere ? " (its own place cannot be used)" : "");
}

static int recover_one(const char *path, bool all)
{
	char ring[RING_PATH_MAX];
	struct recovered got;
	struct err err = { 0 };
	int error = find_ring(path, ring, &err);

	if (!error)
		error = recover(ring, ring_named(path) ? NULL : path, &got, &err);
	if (error == -EBUSY && all)
		return 0;
	if (error == -EALREADY) {
		printf("%s\n", err.text);
		return 0;
	}
	if (error)
		return say_fail(&err);
	if (got.trace[0])
		tell_trace(&got);
	else
		printf("%s: held no events%s\n", path, got.why_kept[0] ? "" : "; removed");
	if (got.n_lost)
		say_print(stderr,
			  "tptrace: %s: %" PRIu64 " earlier events are lost: they were only in the "
			  "program's memory\n",
			  path, got.n_lost);
	if (got.n_elsewhere)
		say_print(stderr,
			  "tptrace: %s: the rings of %u worker%s were in no file (" RING_FOLDER
			  " was full): the last events there are lost\n",
			  path, got.n_elsewhere, units_s(got.n_elsewhere));
	if (!got.why_kept[0])
		return 0;
	say_print(stderr,
		  "tptrace: %s: %s; the file is kept; remove it when you no longer need it\n", path,
		  got.why_kept);
	return 1;
}

static int look_of_all(const char *path, void *arg)
{
	(void)arg;
	return tell_look(path);
}

static int recover_of_all(const char *path, void *arg)
{
	(void)arg;
	return recover_one(path, true);
}

static int recover_all(bool dry)
{
	int status = ring_each(look_of_all, NULL);

	if (status < 0) {
		say_print(stderr, "tptrace: " RING_FOLDER ": %s\n", strerror(-status));
		return 1;
	}
	return dry ? status : ring_each(recover_of_all, NULL) | status;
}

/* A trace names its ring file; what is told is that. */
static int look_at(const char *path)
{
	char ring[RING_PATH_MAX];
	struct err err = { 0 };
	int error = find_ring(path, ring, &err);

	if (error == -EALREADY) {
		printf("%s\n", err.text);
		return 0;
	}
	return error ? say_fail(&err) : tell_look(ring);
}

/* Its ring file, which nobody knows the name of, may be there though its trace is not. */
static int fail_to_find(const char *what)
{
	say_print(stderr,
		  "tptrace: %s; if the program was killed before its trace began, `tptrace "
		  "recover --all` makes one\n",
		  what);
	return 1;
}

static int recover_named(const char *path, bool dry)
{
	char what[PATH_MAX + 64];

	if (access(path, F_OK) < 0 && errno == ENOENT) {
		snprintf(what, sizeof(what), "%s: %s", path, strerror(ENOENT));
		return fail_to_find(what);
	}
	return dry ? look_at(path) : recover_one(path, false);
}

struct request {
	bool all, dry;
};

static const struct command_option options[] = {
	{ "all", .letter = 'a', INTO(FLAG, all),
	  .help = "recover all your ring files whose process has ended" },
	{ "dry-run", .letter = 'n', INTO(FLAG, dry),
	  .help = "list what would be recovered, and change nothing" },
	{ 0 },
};

static int recover_each(const struct request *request, char **path, int n)
{
	int status = 0;

	for (int i = 0; i < n; i++)
		if (recover_named(path[i], request->dry))
			status = 1;
	return status;
}

static int run(int argc, char **argv)
{
	struct request request = { 0 };
	struct call call;
	struct err err = { 0 };
	FREED char *newest = NULL;

	if (!call_open(&call, &cmd_recover, argc, argv, &request))
		return call.status;
	if (request.all && call.n)
		return say_usage("recover", "--all takes no FILE");
	if (request.all)
		return say_finish(recover_all(request.dry));
	newest = call.n ? NULL : newest_trace(&err);
	if (!call.n && !newest)
		return fail_to_find("no trace (*.tpt) in the working directory");
	return say_finish(newest ? recover_named(newest, request.dry)
				 : recover_each(&request, call.argument, call.n));
}

const struct command cmd_recover = {
	.name = "recover",
	.run = run,
	.line = "complete the trace of a killed program",
	.arguments = "[OPTIONS] [FILE...]",
	.about = "Completes the trace of a program that was killed while it collected its own\n"
		 "events (not under `tptrace record`). Its last events are in a ring file "
		 "in\n" RING_FOLDER
		 ". recover appends them to the trace, ends it, and removes the ring file\n"
		 "once all of it is in the trace. FILE is the trace, by default the newest *.tpt "
		 "in\n"
		 "the working directory, or the ring file.\n",
	.option = options,
	.more = "If the program had not begun its trace, recover creates it where the program\n"
		"would have; or in the working directory if that directory is gone or another "
		"user's,\n"
		"or the trace cannot be written there.\n",
	.ranks = RANKS_EACH,
};
