/* SPDX-License-Identifier: MIT */
/* wait_page.c - a child that answers until the page is there. */
#include "tools/serve/wait_page.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { OK = 200, NOT_YET = 404 };
enum { SILENT, SAID }; /* exit status of the child: whether it has printed the address */

#define PATIENCE_S 1 /* most pages are there by then: nobody sees the child */

struct told {
	const atomic_int *stage;
	time_t since;
};

static time_t now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

/* A reload keeps what the URL has behind its #; a refresh does not reload where there is that. */
static int answer(void *of, const char *path, const char *query, FILE *body)
{
	static const char *const doing[WAITING_STAGES] = {
		"reading the trace and computing its figures", "arranging strands and tasks",
		"writing the page"
	};
	const struct told *told = of;
	int stage = atomic_load(told->stage);

	if (*path || *query)
		return NOT_YET;
	fprintf(body,
		"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		"script-src 'unsafe-inline'\">"
		"<script>setTimeout(() => location.reload(), 1000)</script>"
		"<meta name=\"color-scheme\" content=\"light dark\"><link rel=\"icon\" "
		"href=\"data:,\">"
		"<title>reading - tptrace</title></head><body><main><h1>tptrace</h1>\n"
		"<p role=\"status\">Step %d of %d: %s; %lld s so far.</p>\n"
		"<progress max=\"%d\" value=\"%d\" aria-label=\"steps done\"></progress>\n"
		"<p>The page opens here by itself.</p></main></body></html>\n",
		stage + 1, WAITING_STAGES, doing[stage], (long long)(now_s() - told->since),
		WAITING_STAGES, stage);
	return OK;
}

/* SIGTERM, which the parent sends, is blocked: it comes here or in server_run(), nowhere else. */
static void wait_and_answer(const struct server *server, const atomic_int *stage, sigset_t *endings)
{
	struct told told = { .stage = stage, .since = now_s() };
	struct err err;

	if (sigtimedwait(endings, NULL, &(struct timespec){ .tv_sec = PATIENCE_S }) >= 0)
		_exit(SILENT);
	if (waiting_say_address(server, &err) < 0)
		_exit(SILENT);
	server_run(server, 0, answer, &told, &err);
	_exit(SAID);
}

void waiting_begin(struct waiting *waiting, const struct server *server)
{
	pid_t parent = getpid();
	sigset_t endings, before;
	void *stage = mmap(NULL, sizeof(*waiting->stage), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (stage == MAP_FAILED)
		return;
	waiting->stage = stage;
	sigemptyset(&endings);
	sigaddset(&endings, SIGINT);
	sigaddset(&endings, SIGTERM);
	sigaddset(&endings, SIGHUP);
	fflush(stdout);
	sigprocmask(SIG_BLOCK, &endings, &before);
	waiting->pid = fork();
	if (waiting->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() != parent)
			_exit(SILENT);
		wait_and_answer(server, waiting->stage, &endings);
	}
	if (waiting->pid < 0)
		waiting->pid = 0;
	sigprocmask(SIG_SETMASK, &before, NULL);
}

void waiting_at(const struct waiting *waiting, enum waiting_stage stage)
{
	if (waiting->stage)
		atomic_store(waiting->stage, (int)stage);
}

bool waiting_end(struct waiting *waiting)
{
	int status = 0;
	bool ended = false;

	if (waiting->pid) {
		kill(waiting->pid, SIGTERM);
		while (!(ended = waitpid(waiting->pid, &status, 0) == waiting->pid) &&
		       errno == EINTR)
			;
	}
	if (waiting->stage)
		munmap(waiting->stage, sizeof(*waiting->stage));
	*waiting = (struct waiting){ 0 };
	return ended && WIFEXITED(status) && WEXITSTATUS(status) == SAID;
}

int waiting_say_address(const struct server *server, struct err *err)
{
	char *address = server_address(server);

	if (!address)
		return err_no_memory(err);
	printf("%s: open it in a browser; Ctrl-C ends this\n", address);
	free(address);
	if (fflush(stdout) != 0)
		return err_set(err, errno, "standard output: %s", strerror(errno));
	return 0;
}
