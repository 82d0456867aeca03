/* SPDX-License-Identifier: MIT */
/* load.c - tptrace load: makes a trace of text. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/text.h"
#include "tools/base/table.h"
#include "tools/cmd/cmd.h"

static const char usage[] = "usage: tptrace load [-o|--output FILE] [TEXT]\n\n"
			    "Makes a trace of what `tptrace dump` prints, read from TEXT or from\n"
			    "standard input; FILE is out.tpt by default and must not exist.\n";

static char *read_all(int fd, uint64_t *bytes, struct err *err, const char *path)
{
	char *text = NULL;
	uint64_t room = 0;
	ssize_t n = 1;

	*bytes = 0;
	while (n > 0) {
		if (!array_grow(&text, &room, *bytes + 65536, 1)) {
			err_set(err, ENOMEM, "%s: out of memory", path);
			break;
		}
		n = read(fd, text + *bytes, 65536);
		if (n < 0)
			err_set(err, errno, "%s: %s", path, strerror(errno));
		else
			*bytes += (uint64_t)n;
	}
	if (n == 0)
		return text;
	free(text);
	return NULL;
}

static int load(const char *in_path, const char *out_path, struct err *err)
{
	int in = in_path ? open(in_path, O_RDONLY | O_CLOEXEC) : dup(STDIN_FILENO);
	uint64_t bytes;
	char *text;
	int out, error;

	in_path = in_path ? in_path : "standard input";
	if (in < 0)
		return err_set(err, errno, "%s: %s", in_path, strerror(errno));
	text = read_all(in, &bytes, err, in_path);
	close(in);
	if (!text)
		return err->code;
	out = open(out_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (out < 0)
		error = err_set(err, errno, "%s: cannot create: %s", out_path, strerror(errno));
	else
		error = text_load(text, bytes, in_path, out, err);
	if (error && out >= 0)
		unlink(out_path);
	free(text);
	return error;
}

int cmd_load(int argc, char **argv)
{
	static const struct option options[] = { { "help", no_argument, NULL, 'h' },
						 { "output", required_argument, NULL, 'o' },
						 { 0 } };
	const char *out_path = "out.tpt";
	struct err err = { 0 };
	int option;

	optind = 1;
	opterr = 0;
	while ((option = getopt_long(argc, argv, "ho:", options, NULL)) != -1) {
		switch (option) {
		case 'h':
			fputs(usage, stdout);
			return cmd_finish(0);
		case 'o':
			out_path = optarg;
			break;
		default:
			return cmd_usage("load", "there is no option `%s`, or it lacks its value",
					 argv[optind - 1]);
		}
	}
	if (argc - optind > 1)
		return cmd_usage("load", "one text at a time");
	return load(optind < argc ? argv[optind] : NULL, out_path, &err) < 0 ? cmd_fail(&err) : 0;
}
