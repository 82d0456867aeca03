/* SPDX-License-Identifier: MIT */
/* view_server.c - two things to ask for: the page, and detail?side=0&from=100&to=200 (ns). */
#include "tools/cmd/view_server.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tools/serve/server.h"

enum { OK = 200, BAD = 400, NOT_THERE = 404, FAILED = 500 };

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

static int answer_detail(const struct view *view, const char *query, FILE *body)
{
	uint64_t side, from_ns, to_ns;
	int error;

	if (!read_number(&query, "side", '&', &side) ||
	    !read_number(&query, "from", '&', &from_ns) ||
	    !read_number(&query, "to", '\0', &to_ns) || side > UINT32_MAX)
		return BAD;
	error = view_put_window(body, view, (uint32_t)side, from_ns, to_ns);
	return error == -ERANGE ? BAD : error ? FAILED : OK;
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

static int make_page(struct served *served, struct err *err)
{
	FILE *out = open_memstream(&served->page, &served->n_page);
	int error = out ? view_put(out, served->view, err) : err_set(err, ENOMEM, "out of memory");

	if (out && fclose(out) != 0 && !error)
		error = err_set(err, ENOMEM, "out of memory");
	return error;
}

static int say_address(const struct server *server, struct err *err)
{
	char *address = server_address(server);

	if (!address)
		return err_set(err, ENOMEM, "out of memory");
	printf("%s: open it in a browser; Ctrl-C ends this\n", address);
	free(address);
	if (fflush(stdout) != 0)
		return err_set(err, errno, "standard output: %s", strerror(errno));
	return 0;
}

int view_serve(const struct view *view, uint16_t port, uint32_t idle_s, struct err *err)
{
	struct served served = { .view = view };
	struct server server;
	int error = server_open(&server, port, err);

	if (!error)
		error = make_page(&served, err);
	if (!error)
		error = say_address(&server, err);
	if (!error)
		error = server_run(&server, idle_s, answer, &served, err);
	free(served.page);
	server_close(&server);
	return error;
}
