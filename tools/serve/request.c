/* SPDX-License-Identifier: MIT */
/* request.c - a line at a time; a line ends with CR LF, and nothing else does. */
#include "tools/serve/request.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

enum {
	WAIT = 0,
	WHOLE = 200,
	BAD = 400,
	NOT_GET = 405,
	LONG_TARGET = 414,
	LONG_HEAD = 431,
	OTHER_HTTP = 505
};

struct line {
	const char *at;
	size_t n;
};

/* Cuts a line off; false if no whole one is there. */
static bool next_line(struct line *rest, struct line *line)
{
	const char *end = memchr(rest->at, '\n', rest->n);

	if (!end)
		return false;
	*line = (struct line){ rest->at, (size_t)(end - rest->at) };
	rest->n -= line->n + 1;
	rest->at = end + 1;
	return true;
}

/* Takes CR away; false if it is not there, or anything else is there that no line has. */
static bool is_plain(struct line *line)
{
	if (line->n == 0 || line->at[line->n - 1] != '\r')
		return false;
	line->n--;
	for (size_t i = 0; i < line->n; i++)
		if ((line->at[i] < ' ' && line->at[i] != '\t') || line->at[i] == 0x7f)
			return false;
	return true;
}

static bool is_word(const char *at, size_t n, const char *word)
{
	return n == strlen(word) && strncasecmp(at, word, n) == 0;
}

static int read_target(struct request *request, const char *target, size_t n)
{
	const char *mark = memchr(target, '?', n);
	size_t n_path = mark ? (size_t)(mark - target) : n;

	if (n >= TARGET_MOST)
		return LONG_TARGET;
	if (n == 0 || target[0] != '/')
		return BAD;
	for (size_t i = 0; i < n; i++)
		if (target[i] <= ' ' || target[i] > '~')
			return BAD;
	memcpy(request->path, target, n_path);
	request->path[n_path] = '\0';
	request->query[0] = '\0';
	if (!mark)
		return WHOLE;
	memcpy(request->query, mark + 1, n - n_path - 1);
	request->query[n - n_path - 1] = '\0';
	return WHOLE;
}

/* "GET /path?query HTTP/1.1" */
static int read_first(struct request *request, const struct line *line)
{
	const char *space = memchr(line->at, ' ', line->n), *end = line->at + line->n;
	const char *target = space ? space + 1 : end;
	const char *after = memchr(target, ' ', (size_t)(end - target));
	int status;

	if (!space || !after || space == line->at)
		return BAD;
	status = read_target(request, target, (size_t)(after - target));
	if (status != WHOLE)
		return status;
	after++;
	if (end - after != 8 || memcmp(after, "HTTP/", 5) != 0)
		return BAD;
	if (memcmp(after, "HTTP/1.1", 8) != 0 && memcmp(after, "HTTP/1.0", 8) != 0)
		return OTHER_HTTP;
	return space - line->at == 3 && memcmp(line->at, "GET", 3) == 0 ? WHOLE : NOT_GET;
}

/* "Name: value" */
static int read_header(struct request *request, const struct line *line)
{
	const char *colon = memchr(line->at, ':', line->n);
	const char *value = colon ? colon + 1 : NULL, *end = line->at + line->n;
	size_t n_name = colon ? (size_t)(colon - line->at) : 0;

	if (n_name == 0 || line->at[0] == ' ' || line->at[0] == '\t' || colon[-1] == ' ' ||
	    colon[-1] == '\t')
		return BAD;
	while (value < end && (*value == ' ' || *value == '\t'))
		value++;
	while (end > value && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	if (is_word(line->at, n_name, "Transfer-Encoding") ||
	    (is_word(line->at, n_name, "Content-Length") &&
	     !is_word(value, (size_t)(end - value), "0")))
		return BAD; /* a body: GET has none */
	if (!is_word(line->at, n_name, "Host"))
		return WHOLE;
	if (request->host[0] || end == value || (size_t)(end - value) >= HOST_MOST)
		return BAD;
	memcpy(request->host, value, (size_t)(end - value));
	request->host[end - value] = '\0';
	return WHOLE;
}

/* What is to be said of a head without an end. */
static int unfinished(const struct line *rest, size_t n, bool is_first)
{
	if (n >= REQUEST_MOST)
		return LONG_HEAD;
	return is_first && rest->n > TARGET_MOST + 64 ? LONG_TARGET : WAIT;
}

int request_read(struct request *request, const char *bytes, size_t n)
{
	struct line rest = { bytes, n }, line;
	bool is_first = true;

	*request = (struct request){ .host = "" };
	while (next_line(&rest, &line)) {
		int status;

		if ((size_t)(rest.at - bytes) > REQUEST_MOST)
			return LONG_HEAD;
		if (!is_plain(&line))
			return BAD;
		if (!is_first && line.n == 0)
			return request->host[0] ? WHOLE : BAD;
		status = is_first ? read_first(request, &line) : read_header(request, &line);
		if (status != WHOLE)
			return status;
		is_first = false;
	}
	return unfinished(&rest, n, is_first);
}
