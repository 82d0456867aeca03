/* SPDX-License-Identifier: MIT */
/* request_test.c - what requests ask for, whole or in pieces, and why others are refused. */
#include "tools/serve/request.h"

#include "test/unit/check.h"
#include "test/unit/random.h"

#define HOST "Host: 127.0.0.1:80\r\n"

static int read_text(struct request *request, const char *text)
{
	size_t n = strlen(text);
	char *copy = malloc(n + 1); /* so that a sanitizer sees what reads behind its end */
	int status;

	memcpy(copy, text, n);
	status = request_read(request, copy, n);
	free(copy);
	return status;
}

TEST(test_whole)
{
	static const char text[] = "GET /t/detail?side=0&from=1?2 HTTP/1.1\r\n"
				   "host:\t 127.0.0.1:8080 \r\nAccept: */*\r\n\r\nbehind";
	struct request request;

	name = "whole";
	check(read_text(&request, text) == 200);
	assert_string_equal(request.path, "/t/detail");
	assert_string_equal(request.query, "side=0&from=1?2");
	assert_string_equal(request.host, "127.0.0.1:8080");
	check(read_text(&request, "GET / HTTP/1.0\r\n" HOST "Content-Length: 0\r\n\r\n") == 200);
	assert_string_equal(request.query, "");
}

/* However it is cut, nothing is said before it is whole. */
TEST(test_split)
{
	static const char text[] = "GET /a?b HTTP/1.1\r\n" HOST "X: y\r\n\r\n";
	struct request request;

	name = "split";
	for (size_t n = 0; n < sizeof(text) - 1; n++)
		check(request_read(&request, text, n) == 0);
	check(request_read(&request, text, sizeof(text) - 1) == 200);
}

static const struct {
	const char *text;
	int status;
} refused[] = {
	{ "POST / HTTP/1.1\r\n", 405 },
	{ "get / HTTP/1.1\r\n", 405 },
	{ "GETS / HTTP/1.1\r\n", 405 },
	{ "GET / HTTP/2.0\r\n", 505 },
	{ "GET / HTTP/1.12\r\n", 400 },
	{ "GET / http/1.1\r\n", 400 },
	{ "GET  / HTTP/1.1\r\n", 400 },
	{ "GET /  HTTP/1.1\r\n", 400 },
	{ " GET / HTTP/1.1\r\n", 400 },
	{ "GET /\r\n", 400 },
	{ "GET\r\n", 400 },
	{ "\r\n", 400 },
	{ "GET / HTTP/1.1\n", 400 },
	{ "GET /\r/ HTTP/1.1\r\n", 400 },
	{ "GET /\x7f HTTP/1.1\r\n", 400 },
	{ "GET /\xc3\xa4 HTTP/1.1\r\n", 400 },
	{ "GET http://127.0.0.1/ HTTP/1.1\r\n", 400 },
	{ "GET ../x HTTP/1.1\r\n", 400 },
	{ "GET / HTTP/1.1\r\n\r\n", 400 },	 /* no host */
	{ "GET / HTTP/1.1\r\n" HOST HOST, 400 }, /* two */
	{ "GET / HTTP/1.1\r\nHost:\r\n", 400 },
	{ "GET / HTTP/1.1\r\n" HOST " folded\r\n", 400 },
	{ "GET / HTTP/1.1\r\nHost : 127.0.0.1\r\n", 400 },
	{ "GET / HTTP/1.1\r\n: x\r\n", 400 },
	{ "GET / HTTP/1.1\r\nno colon\r\n", 400 },
	{ "GET / HTTP/1.1\r\n" HOST "X: \x01\r\n", 400 },
	{ "GET / HTTP/1.1\r\n" HOST "Content-Length: 5\r\n", 400 },
	{ "GET / HTTP/1.1\r\n" HOST "content-length: 00\r\n", 400 },
	{ "GET / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n", 400 },
	{ "GET / HTTP/1.1\r\n" HOST "X: y\n\n", 400 },
};

TEST(test_refused)
{
	struct request request;

	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		name = refused[i].text;
		check(read_text(&request, refused[i].text) == refused[i].status);
	}
	name = "NUL";
	check(request_read(&request, "GET /\0/ HTTP/1.1\r\n", 18) == 400);
}

/* A head of that many bytes, of which the first line has `n_target` in its target. */
static int read_long(size_t n_target, size_t n_header, bool ends)
{
	struct request request;
	size_t room = n_target + n_header + 100;
	char *text = malloc(room), *at = text;
	int status;

	at += sprintf(at, "GET /");
	memset(at, 'a', n_target);
	at += n_target;
	if (ends)
		at += sprintf(at, " HTTP/1.1\r\n" HOST "X: ");
	memset(at, 'b', n_header);
	at += n_header;
	if (ends)
		at += sprintf(at, "\r\n\r\n");
	status = request_read(&request, text, (size_t)(at - text));
	free(text);
	return status;
}

TEST(test_long)
{
	name = "long";
	check(read_long(TARGET_MOST - 2, 0, true) == 200);
	check(read_long(TARGET_MOST - 1, 0, true) == 414);
	check(read_long(TARGET_MOST + 100, 0, false) == 414);
	check(read_long(100, 0, false) == 0);
	check(read_long(10, REQUEST_MOST - 100, true) == 200);
	check(read_long(10, REQUEST_MOST, true) == 431);
	check(read_long(10, HOST_MOST, true) == 200);
}

/* Any bytes: an answer, or more is waited for, but never behind the most. */
TEST(test_random)
{
	static const char *const part[] = {
		"GET ", "/", "?",    " HTTP/1.1", "\r\n", "\n",	  HOST,
		":",	" ", "Host", "\r",	  "a",	  "\xff", "\x7f"
	};
	struct random random = { 42 };

	name = "random";
	for (int i = 0; i < 20000; i++) {
		char text[400] = "", *copy;
		struct request request;
		size_t n;
		int status;

		for (int k = 0; k < 12; k++)
			strcat(text, part[random_below(&random, sizeof(part) / sizeof(*part))]);
		n = strlen(text);
		copy = memcpy(malloc(n), text, n);
		status = request_read(&request, copy, n);
		check(status == 0 || status == 200 || (status >= 400 && status < 600));
		check(status != 200 ||
		      (request.path[0] == '/' && request.host[0] && strstr(text, "\r\n\r\n")));
		free(copy);
	}
}
