/* SPDX-License-Identifier: MIT */
/* export_many.c - names the exports, and has them made. */
#include "tools/cmd/export_many.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/base/folder.h"
#include "tools/base/say.h"
#include "tools/team/runs.h"
#include "tools/base/base_name.h"

char *export_path(const char *there, const char *path, const char *suffix)
{
	const char *base = path_base(path), *end = strstr(base, ".tpt"), *rest = "";
	bool slash = there && *there && there[strlen(there) - 1] != '/';
	char *name;

	if (!end)
		end = strstr(base, ".txt");
	if (end)
		rest = end + strlen(".tpt");
	if (asprintf(&name, "%s%s%.*s%s%s", there ? there : "", slash ? "/" : "",
		     end ? (int)(end - base) : (int)strlen(base), base, rest, suffix) < 0)
		return NULL;
	return name;
}

/* ---- names ---- */

struct named {
	char *name;
	const char *path;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

/* Fails if two traces would go to one name. */
static int check_names(const struct inputs *inputs, const char *there, const char *suffix,
		       struct err *err)
{
	struct named *named = calloc(inputs->n + 1ull, sizeof(*named));
	bool all = named;
	int error = 0;

	for (uint32_t i = 0; all && i < inputs->n; i++) {
		named[i] = (struct named){ export_path(there, inputs->at[i].path, suffix),
					   inputs->at[i].path };
		all = named[i].name;
	}
	if (all)
		qsort(named, inputs->n, sizeof(*named), by_name);
	else
		error = err_no_memory(err);
	for (uint32_t i = 1; !error && i < inputs->n; i++)
		if (by_name(&named[i - 1], &named[i]) == 0)
			error = err_set(err, EEXIST,
					"%s and %s would both become %s; export them one after the "
					"other, to two directories",
					named[i - 1].path, named[i].path, named[i].name);
	for (uint32_t i = 0; named && i < inputs->n; i++)
		free(named[i].name);
	free(named);
	return error;
}

static int make_folder(const char *there, struct err *err)
{
	if (!there || mkdir(there, 0777) == 0 || is_folder(there))
		return 0;
	return err_set(err, errno, "%s: %s; several exports need a directory", there,
		       strerror(errno));
}

/* ---- all of them ---- */

static int export_all(struct runs *runs, struct inputs *inputs, char **argument, int n,
		      const char *there, const char *suffix, struct err *err)
{
	int error = inputs_open(inputs, argument, n, err);

	if (!error)
		error = check_names(inputs, there, suffix, err);
	if (!error)
		error = make_folder(there, err);
	return error ? error : runs_of_inputs(runs, inputs, false, err);
}

int export_many(struct team *team, char **argument, int n, const char *there, const char *suffix)
{
	struct runs runs = { .team = team };
	struct inputs inputs = { 0 };
	struct err err = { 0 };
	int status = 0;

	if (export_all(&runs, &inputs, argument, n, there, suffix, &err) < 0)
		status = say_fail(&err);
	if (team_close(team, &err) < 0)
		status = say_fail(&err);
	if (!status)
		status = runs.n_bad || inputs.n_bad;
	inputs_free(&inputs);
	return status;
}
