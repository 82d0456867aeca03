/* SPDX-License-Identifier: MIT */
/* view_server.c - two things to ask for: the page, and detail?side=0&from=100&to=200 (ns). */
#include "tools/view/view_server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/base/spool.h"
#include "tools/base/xalloc.h"

enum { OK = 200, BAD = 400, NOT_THERE = 404, FAILED = 500 };
enum { WHOLE, ENDED, OUT_OF_RANGE }; /* how a child exits; without memory it is 1 */

/* "NAME=123" at *text, and what `behind` says after it; moves *text behind that. */
static bool read_number(const char **text, const char *name, char behind, uint64_t *number)
{
	size_t n = strlen(name);
	char *end;

	if (strncmp(*text, name, n) != 0 || (*text)[n] != '=' || (*text)[n + 1] < '0' ||
	    (*text)[n + 1] > '9')
		return false;
	errno = 0;
	*number = strtoull(*text + n + 1, &end, 10);
	if (errno || *end != behind)
		return false;
	*text = end + 1;
	return true;
}

/* In a child, whose memory it is: if that runs out, only this answer is lost. */
static int put_apart(FILE *body, const struct view *view, uint32_t side, uint64_t from_ns,
		     uint64_t to_ns)
{
	int fd = spool_file(), status = -1;
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w+");
	pid_t child = file ? fork() : -1;
	char part[16384];
	size_t n;

	if (child == 0) {
		int error = view_put_window(file, view, side, from_ns, to_ns);

		_exit(fclose(file) != 0 ? ENDED : error ? OUT_OF_RANGE : WHOLE);
	}
	if (child > 0)
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
	status = status >= 0 && WIFEXITED(status) ? WEXITSTATUS(status) : ENDED;
	if (status == WHOLE) {
		rewind(file);
		while ((n = fread(part, 1, sizeof(part), file)) > 0)
			fwrite(part, 1, n, body);
	}
	if (file)
		fclose(file);
	else if (fd >= 0)
		close(fd);
	return status == WHOLE ? OK : status == OUT_OF_RANGE ? BAD : FAILED;
}

static int answer_detail(const struct view *view, const char *query, FILE *body)
{
	uint64_t side, from_ns, to_ns;

	if (!read_number(&query, "side", '&', &side) ||
	    !read_number(&query, "from", '&', &from_ns) ||
	    !read_number(&query, "to", '\0', &to_ns) || side > UINT32_MAX)
		return BAD;
	return put_apart(body, view, (uint32_t)side, from_ns, to_ns);
}

/* The page is made once: it takes as long as the report. */
struct served {
	const struct view *view;
	char *page;
	size_t n_page;
};

static int answer(void *of, const char *path, const char *query, FILE *body)
{
	const struct served *served = of;

	if (strcmp(path, "detail") == 0)
		return answer_detail(served->view, query, body);
	if (*path || *query)
		return NOT_THERE;
	fwrite(served->page, 1, served->n_page, body);
	return OK;
}

static void make_page(struct served *served)
{
	FILE *out = xopen_memstream(&served->page, &served->n_page);

	view_put(out, served->view);
	xclose_memstream(out);
}

int view_server_open(struct view_server *server, uint16_t port, struct err *err)
{
	int error = server_open(&server->server, port, err);

	if (error)
		return error;
	server->is_open = true;
	waiting_begin(&server->waiting, &server->server);
	return 0;
}

int view_serve(struct view_server *server, const struct view *view, uint32_t idle_s,
	       struct err *err)
{
	struct served served = { .view = view };
	int error = 0;

	waiting_at(&server->waiting, WAITING_WRITE);
	make_page(&served);
	if (!waiting_end(&server->waiting))
		error = waiting_say_address(&server->server, err);
	if (!error)
		error = server_run(&server->server, idle_s, answer, &served, err);
	free(served.page);
	return error;
}

void view_server_close(struct view_server *server)
{
	waiting_end(&server->waiting);
	if (server->is_open)
		server_close(&server->server);
	server->is_open = false;
}
