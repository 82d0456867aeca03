/* SPDX-License-Identifier: MIT */
/* cmd_check_marks.c - tptrace check-marks: runs a program and says which of its marks are wrong. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "tools/base/base_name.h"
#include "tools/base/say.h"
#include "tools/base/xalloc.h"
#include "tools/cmd/command.h"
#include "tools/launch/checked.h"
#include "tools/launch/target.h"
#include "tools/names/names.h"
#include "tools/team/installed.h"

#define WHERE_BYTES (MARKS_PATH + 600)

static const char *const what_of[] = {
#define WHAT(id, what, other) what,
	MARKS_WRONG(WHAT)
#undef WHAT
};
static const char *const other_of[] = {
#define OTHER(id, what, other) other,
	MARKS_WRONG(OTHER)
#undef OTHER
};

/* "pool.c:42, in run"; without line numbers "run in pool", or "pool+0x1139". */
static void say_where(char out[WHERE_BYTES], struct names *names, const struct marks_place *place)
{
	struct name name = { 0 };

	/* the file may be rebuilt before the next run: a build id would not help */
	if (*place->path && names_module(names, place->address - 1, place->address, place->bias,
					 place->path, "") == 0)
		name = names_of(names, place->address, 1);
	if (name.file && name.function)
		snprintf(out, WHERE_BYTES, "%s:%u, in %s", name.file, name.line, name.function);
	else if (name.function)
		snprintf(out, WHERE_BYTES, "%s in %s", name.function, path_base(place->path));
	else
		snprintf(out, WHERE_BYTES, "%s+0x%llx",
			 *place->path ? path_base(place->path) : "unknown code",
			 (unsigned long long)(place->address - place->bias));
}

static void show(void *context, const struct marks_found *found)
{
	char at[WHERE_BYTES], other[WHERE_BYTES];

	say_where(at, context, &found->at);
	if (found->other.address && other_of[found->what]) {
		say_where(other, context, &found->other);
		say_print(stderr, "tptrace: %s: %s; %s at %s\n", at, what_of[found->what],
			  other_of[found->what], other);
	} else {
		say_print(stderr, "tptrace: %s: %s\n", at, what_of[found->what]);
	}
}

/* The last line, and the exit status. */
static int conclude(const struct checked *checked, const char *program)
{
	bool has_died = WIFSIGNALED(checked->status);

	if (has_died)
		say_print(stderr, "tptrace: %s was killed by signal %d (%s)\n", program,
			  WTERMSIG(checked->status), strsignal(WTERMSIG(checked->status)));
	if (!checked->n_marks) {
		say_print(stderr,
			  "tptrace: %s: made no mark of tptrace_task.h; is it linked statically, "
			  "or compiled with -DTPTRACE_TASK_OFF?\n",
			  program);
		return 1;
	}
	if (checked->n_found > MARKS_WRONGS)
		say_print(stderr, "tptrace: %u more places are not shown\n",
			  checked->n_found - MARKS_WRONGS);
	say_print(stderr, "tptrace: %s: %llu marks of %llu tasks, %llu of them wrong\n", program,
		  (unsigned long long)checked->n_marks, (unsigned long long)checked->n_tasks,
		  (unsigned long long)checked->n_wrong);
	if (checked->n_wrong || has_died)
		return 1;
	return WEXITSTATUS(checked->status);
}

static int run(int argc, char **argv)
{
	struct checked checked = { 0 };
	struct err err = { 0 };
	struct names *names;
	char directory[PATH_MAX], path[PATH_MAX];
	const char *why = NULL;
	struct call call;
	int error;

	if (!call_open(&call, &cmd_check_marks, argc, argv, NULL))
		return call.status;
	if (!installed_directory(CHECKED_LIBRARY, directory, sizeof(directory)))
		why = "cannot be checked: " CHECKED_LIBRARY
		      " is neither beside tptrace nor in ../lib/tptrace";
	else if (target_find(call.argument[0], path, sizeof(path)))
		why = target_why_not(path);
	if (why) {
		say_print(stderr, "tptrace: %s: %s\n", call.argument[0], why);
		return 1;
	}
	error = names_open(&names);
	if (error)
		out_of_memory();
	error = checked_run(call.argument, directory, show, names, &checked, &err);
	names_free(names);
	return error ? say_fail(&err) : conclude(&checked, call.argument[0]);
}

const struct command cmd_check_marks = {
	.name = "check-marks",
	.run = run,
	.line = "check the marks of tptrace_task.h that a program makes",
	.arguments = "[--] COMMAND [ARGUMENTS]",
	.without = "missing COMMAND",
	.about = "Runs COMMAND, which marks its tasks by tptrace_task.h, and says at once which "
		 "mark\n"
		 "contradicts those before it, with file and line. It records nothing.\n",
	.more = "Exit status: that of COMMAND; 1 if a mark is wrong, or COMMAND makes none.\n",
	.ranks = RANKS_EACH,
};
