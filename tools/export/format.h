/* SPDX-License-Identifier: MIT */
/*
 * format.h - the formats: a name, what the output is, and a function that writes it.
 *
 * A format reads the export and does no arithmetic but what its units demand.  One of the three
 * functions is there, or none if the build lacks the format's library; those with a path give 0, or
 * -errno and *err, which does not name the output: its path is that until it is whole.  What fails
 * to arrive in a FILE is noticed by output_keep().  load() is called before, if there is one: NULL,
 * or why the library cannot be loaded.
 */
#pragma once

#include "tools/export/export.h"
#include "tools/export/job_times.h"

/* The ranks of a job, for a format that has them in one output. */
struct format_job {
	struct job_times *times;
	/* Has the i-th read, and shown. */
	int (*visit)(void *context, uint32_t i,
		     int (*show)(void *to, uint32_t i, const struct export *export), void *to);
	void *context;
};

struct format {
	const char *name;
	const char *suffix; /* of the output's name, by default */
	const char *reader; /* what opens it */
	bool binary;
	const char *(*load)(void);
	/* Why it has nothing to write of that export; NULL: it has. */
	const char *(*why_not)(const struct export *export);
	void (*file)(const struct export *export, FILE *out);
	int (*named)(const struct export *export, const char *path, struct err *err);
	int (*folder)(const struct export *export, const char *path, struct err *err);
	/* To the folder `path`, or to `out` if there is file(); NULL: each rank is an export of its
	 * own. */
	int (*job)(const struct format_job *job, const char *path, FILE *out, struct err *err);
};

extern const struct format format_perfetto, format_sqlite, format_csv, format_chrome, format_otf2,
	format_graphml, format_dot, format_folded, format_speedscope, format_paje, format_pprof;

/* All of them; NULL after the last. */
extern const struct format *const formats[];
const struct format *format_find(const char *name); /* NULL if there is none */
