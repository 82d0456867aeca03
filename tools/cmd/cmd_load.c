/* SPDX-License-Identifier: MIT */
/* cmd_load.c - tptrace load: makes a trace of text. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/base/xalloc.h"
#include "tools/base/load.h"
#include "tools/base/event_text.h"
#include "tools/base/map.h"
#include "tools/base/output.h"
#include "tools/base/say.h"
#include "tools/cmd/command.h"
#include "tools/cmd/options.h"

/* Whether it may be a trace as text; what is none is not read to its end, which it may not have. */
static bool is_text(const char *text, uint64_t bytes)
{
	return bytes < strlen(TEXT_FIRST_WORDS) ||
	       memcmp(text, TEXT_FIRST_WORDS, strlen(TEXT_FIRST_WORDS)) == 0;
}

static char *read_all(int fd, uint64_t *bytes, struct err *err, const char *path)
{
	char *text = NULL;
	uint64_t room = 0;
	ssize_t n = 1;

	*bytes = 0;
	while (n > 0 && is_text(text, *bytes)) {
		array_grow(&text, &room, *bytes + 65536, 1);
		n = read(fd, text + *bytes, 65536);
		if (n < 0)
			err_set(err, errno, "%s: %s", path, strerror(errno));
		else
			*bytes += (uint64_t)n;
	}
	if (n >= 0 && (n == 0 || !is_text(text, *bytes)))
		return text;
	free(text);
	return NULL;
}

static int load(const char *in_path, const char *out_path, struct err *err)
{
	int in = in_path ? open(in_path, O_RDONLY | O_CLOEXEC) : dup(STDIN_FILENO);
	FREED char *text = NULL;
	AT_END(output_discard) struct output output = { 0 };
	uint64_t bytes;
	int out;

	in_path = in_path ? in_path : "standard input";
	if (in < 0)
		return err_set(err, errno, "%s: %s", in_path, strerror(errno));
	text = read_all(in, &bytes, err, in_path);
	close(in);
	if (!text)
		return err->code;
	out = output_new(&output, out_path, err);
	if (out < 0)
		return out;
	return text_load(text, bytes, in_path, out, out_path, err) ?: output_keep(&output, err);
}

/* A trace is written in more than one place. */
static bool is_name(const char *text)
{
	return strcmp(text, "-") != 0;
}

struct request {
	const char *output;
};

static const struct command_option options[] = {
	{ "output", "FILE", .letter = 'o', .is = is_name, .takes = "the name of a file",
	  INTO(TEXT, output), .help = "write the trace to FILE (out.tpt), which must not exist" },
	{ 0 },
};

static int run(int argc, char **argv)
{
	struct request request = { .output = "out.tpt" };
	struct call call;
	struct err err = { 0 };

	if (!call_open(&call, &cmd_load, argc, argv, &request))
		return call.status;
	return load(call.argument[0], request.output, &err) < 0 ? say_fail(&err) : 0;
}

const struct command cmd_load = {
	.name = "load",
	.run = run,
	.line = "convert text from `dump` back into a trace",
	.arguments = "[OPTIONS] [TEXT]",
	.n_most = 1,
	.about = "Converts text from `tptrace dump` back into a trace. TEXT is standard input by\n"
		 "default.\n",
	.option = options,
};
