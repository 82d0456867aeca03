/* SPDX-License-Identifier: MIT */
/* earlier.c - looks at what is there. */
#include "tools/launch/earlier.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/trace/wire.h"
#include "tools/base/say.h"

#define NUMBERS_MOST 1000 /* as the recorder has it (collector/drain/path.c) */

static bool is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static bool is_trace(const char *path)
{
	char magic[sizeof(WIRE_MAGIC) - 1] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool is;

	if (fd < 0)
		return false;
	is = read(fd, magic, sizeof(magic)) == sizeof(magic) &&
	     memcmp(magic, WIRE_MAGIC, sizeof(magic)) == 0;
	close(fd);
	return is;
}

static void say_where(const char *path)
{
	char numbered[PATH_MAX + 16];
	int i = 0;

	do
		snprintf(numbered, sizeof(numbered), "%s.%d", path, ++i);
	while (i < NUMBERS_MOST && access(numbered, F_OK) == 0);
	say_print(stderr,
		  "tptrace: %s is there already, and stays: this run is written to %s (--force "
		  "replaces a trace)\n",
		  path, numbered);
}

const char *earlier_make_way(const char *output, bool force)
{
	if (!output || !*output || strchr(output, '%') || !is_file(output))
		return NULL;
	if (!force) {
		say_where(output);
		return NULL;
	}
	if (!is_trace(output))
		return "it is no trace, so --force does not replace it";
	return unlink(output) == 0 ? NULL : strerror(errno);
}
