/* SPDX-License-Identifier: MIT */
/* series.c - puts a number into names. */
#include "tools/launch/series.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
