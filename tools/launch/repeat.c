/* SPDX-License-Identifier: MIT */
/* repeat.c - a child for each run, and the wait for it. */
#include "tools/launch/repeat.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/base/say.h"
#include "tools/base/folder.h"
#include "tools/base/base_name.h"

static const char suffix[] = ".tpt";

static bool ends_in_suffix(const char *path)
{
	size_t bytes = strlen(path), tail = strlen(suffix);

	return bytes > tail && strcmp(path + bytes - tail, suffix) == 0;
}

static int make_folder(const char *path, struct err *err)
{
	if (is_folder(path) || mkdir(path, 0777) == 0)
		return 0;
	return err_set(err, errno, "%s: %s; name a directory for the traces with -o", path,
		       strerror(errno));
}

static bool fits(int bytes, size_t room)
{
	return bytes >= 0 && (size_t)bytes < room;
}

int series_open(struct series_names *names, const char *output, const char *program, unsigned n,
		struct err *err)
{
	bool fit;

	*names = (struct series_names){ .digits = snprintf(NULL, 0, "%u", n) };
	if (output && ends_in_suffix(output) && !is_folder(output)) {
		fit = fits(snprintf(names->stem, sizeof(names->stem), "%.*s.",
				    (int)(strlen(output) - strlen(suffix)), output),
			   sizeof(names->stem));
		snprintf(names->tail, sizeof(names->tail), "%s", suffix);
		return fit ? 0 : err_set(err, ENAMETOOLONG, "%s: name too long", output);
	}
	if (output && *output)
		fit = fits(snprintf(names->folder, sizeof(names->folder), "%s", output),
			   sizeof(names->folder));
	else
		fit = fits(snprintf(names->folder, sizeof(names->folder), "tptrace.%s.%d",
				    path_base(program), (int)getpid()),
			   sizeof(names->folder));
	if (!fit)
		return err_set(err, ENAMETOOLONG, "%s: name too long", output ? output : program);
	snprintf(names->stem, sizeof(names->stem), "tptrace.%%e.");
	snprintf(names->tail, sizeof(names->tail), ".%%p%s", suffix);
	return make_folder(names->folder, err);
}

/* With what stands for itself in TPTRACE_OUTPUT. */
static size_t put_plain(char *out, size_t room, const char *text)
{
	size_t n = 0;

	for (; *text && n + 2 < room; text++) {
		if (*text == '%')
			out[n++] = '%';
		out[n++] = *text;
	}
	out[n] = 0;
	return n;
}

char *series_output(char out[SERIES_PATH], const struct series_names *names, unsigned i)
{
	size_t n = put_plain(out, SERIES_PATH, names->folder);

	if (n && out[n - 1] != '/')
		out[n++] = '/';
	snprintf(out + n, SERIES_PATH - n, "%s%0*u%s", names->stem, names->digits, i, names->tail);
	return out;
}

#define EXIT_NOT_BEGUN 125 /* to 127 */

static const int endings[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
static const int others[] = { SIGUSR1, SIGUSR2, SIGALRM, SIGCONT, SIGWINCH };

struct series {
	pid_t child;
	int status; /* of wait() */
	bool ended; /* the child is gone */
	bool over;  /* by a signal: there is no further run */
	sigset_t mask;
	struct sigaction of_children;
};

static bool ends_series(int number)
{
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		if (endings[i] == number)
			return true;
	return false;
}

static void look_at_child(struct series *series)
{
	int status;

	while (waitpid(series->child, &status, WNOHANG | WUNTRACED) == series->child) {
		if (WIFSTOPPED(status)) {
			raise(SIGSTOP);
			kill(series->child, SIGCONT);
			continue;
		}
		series->status = status;
		series->ended = true;
		return;
	}
}

/* What comes from the terminal is sent to the child, too. */
static void hear(struct series *series, const sigset_t *heard)
{
	siginfo_t info;
	int number = sigwaitinfo(heard, &info);

	if (number == SIGCHLD) {
		look_at_child(series);
		return;
	}
	if (number < 0)
		return;
	if (info.si_code <= 0 && info.si_pid != series->child)
		kill(series->child, number);
	series->over |= ends_series(number);
}

static void block(struct series *series, sigset_t *heard)
{
	const struct sigaction plain = { .sa_handler = SIG_DFL };

	sigemptyset(heard);
	sigaddset(heard, SIGCHLD);
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		sigaddset(heard, endings[i]);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		sigaddset(heard, others[i]);
	sigprocmask(SIG_BLOCK, heard, &series->mask);
	sigaction(SIGCHLD, &plain, &series->of_children); /* ignored, it would not be sent */
}

static void unblock(const struct series *series)
{
	sigaction(SIGCHLD, &series->of_children, NULL);
	sigprocmask(SIG_SETMASK, &series->mask, NULL);
}

static bool has_failed(int status)
{
	return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

/* As the first that failed did. */
static int end_alike(int status)
{
	if (!WIFSIGNALED(status))
		return WEXITSTATUS(status);
	signal(WTERMSIG(status), SIG_DFL);
	raise(WTERMSIG(status));
	return 128 + WTERMSIG(status);
}

int repeat(unsigned n, int (*once)(void *context, unsigned i), void *context)
{
	struct series series = { 0 };
	sigset_t heard;
	int failed = 0;

	block(&series, &heard);
	for (unsigned i = 1; i <= n && !series.over; i++) {
		series.ended = false;
		series.child = fork();
		if (series.child == 0) {
			unblock(&series);
			exit(once(context, i));
		}
		if (series.child < 0) {
			say_print(stderr, "tptrace: cannot start run %u: %s\n", i, strerror(errno));
			failed = failed ? failed : EXIT_NOT_BEGUN << 8;
			break;
		}
		while (!series.ended)
			hear(&series, &heard);
		if (!failed && has_failed(series.status))
			failed = series.status;
		series.over |= WIFSIGNALED(series.status) && ends_series(WTERMSIG(series.status));
		series.over |= WIFEXITED(series.status) &&
			       WEXITSTATUS(series.status) >= EXIT_NOT_BEGUN &&
			       WEXITSTATUS(series.status) < 128;
	}
	unblock(&series);
	return failed ? end_alike(failed) : 0;
}
