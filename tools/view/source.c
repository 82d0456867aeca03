/* SPDX-License-Identifier: MIT */
/* source.c - reads source files. */
#include "tools/view/source.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/base/xalloc.h"
#include "tools/table/put.h"
#include "tools/summary/rows.h"
#include "tools/base/base_name.h"

#define SOURCE_BYTES (256u << 10) /* of a file, */
#define SOURCE_FILES 64u	  /* and so many of them */

struct sources {
	const char *file[SOURCE_FILES]; /* borrowed; each once */
	uint32_t n;
};

static bool is_source(const char *file)
{
	static const char *const suffix[] = { "c",   "h",   "cc",  "cpp", "cxx", "C",	"hh", "hpp",
					      "hxx", "inc", "ipp", "f",	  "f90", "F90", "cu" };
	const char *dot = strrchr(path_base(file), '.');

	for (size_t i = 0; dot && i < sizeof(suffix) / sizeof(suffix[0]); i++)
		if (strcmp(dot + 1, suffix[i]) == 0)
			return true;
	return false;
}

static void add(struct sources *sources, const char *file)
{
	uint32_t i = 0;

	if (!file || !is_source(file) || sources->n == SOURCE_FILES)
		return;
	while (i < sources->n && strcmp(sources->file[i], file) != 0)
		i++;
	if (i == sources->n)
		sources->file[sources->n++] = file;
}

/* Those of the most costly kinds first. */
static void collect(struct sources *sources, const struct summary *summary)
{
	for (uint32_t r = 0; r < summary->rows.n; r++) {
		add(sources, summary->rows.row[r].code.file);
		add(sources, summary->rows.row[r].site.file);
	}
	for (site_id i = 0; i < summary->run->sites.n; i++)
		add(sources, rows_site(summary->run, i).file);
}

/* The text of a regular file of no more than SOURCE_BYTES, malloc'ed; NULL if it is none. */
static char *read_text(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat stat;
	char *text = NULL;
	ssize_t n = -1;

	if (fd < 0 || fstat(fd, &stat) < 0 || !S_ISREG(stat.st_mode) || stat.st_size > SOURCE_BYTES)
		goto out;
	text = xmalloc((size_t)stat.st_size + 1);
	n = read(fd, text, (size_t)stat.st_size);
	if (n < 0) {
		free(text);
		text = NULL;
	} else {
		text[n] = '\0';
	}
out:
	if (fd >= 0)
		close(fd);
	return text;
}

/* As it is named, below the folder, or in it. */
static char *find_text(const char *file, const char *folder)
{
	const char *const name[] = { file, path_base(file) };
	char *text = file[0] == '/' || !folder ? read_text(file) : NULL;

	for (int i = 0; i < 2 && !text && folder; i++) {
		FREED char *path = xasprintf("%s/%s", folder, name[i]);

		text = read_text(path);
	}
	return text;
}

static void put(FILE *out, const struct sources *sources, const char *folder)
{
	const char *comma = "";

	fputs("{", out);
	for (uint32_t i = 0; i < sources->n; i++) {
		FREED char *text = find_text(sources->file[i], folder);

		if (!text)
			continue;
		fputs(comma, out);
		put_string(out, sources->file[i]);
		fputs(":", out);
		put_string(out, text);
		comma = ",";
	}
	fputs("}", out);
}

void source_put(FILE *out, const struct view_run *run, const char *folder)
{
	struct sources sources = { .n = 0 };

	collect(&sources, run->summary);
	put(out, &sources, folder);
}

void source_put_found(FILE *out, const struct found *found, uint32_t n, const char *folder)
{
	struct sources sources = { .n = 0 };

	for (uint32_t i = 0; i < n; i++)
		add(&sources, found[i].place.file);
	put(out, &sources, folder);
}
