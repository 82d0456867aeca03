/* SPDX-License-Identifier: MIT */
/* export_many.c - names the exports, and has them made. */
#include "tools/cmd/export_many.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/base/say.h"
#include "tools/team/inputs.h"
#include "tools/table/places.h"

char *export_path(const char *there, const char *path, const char *suffix)
{
	const char *base = place_base(path), *end = strstr(base, ".tpt"), *rest = "";
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

struct many {
	struct team *team;
	struct inputs inputs;
	int status;
};

static const char *input_path(void *context, uint32_t i)
{
	const struct many *many = context;

	return many->inputs.at[i].path;
}

static void take_export(void *context, uint32_t i, struct crew_done *done)
{
	struct many *many = context;

	if (team_tell(many->team, many->inputs.at[i].path, done))
		many->status = 1;
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
		error = err_set(err, ENOMEM, "out of memory");
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
	struct stat st;

	if (!there || mkdir(there, 0777) == 0 || (stat(there, &st) == 0 && S_ISDIR(st.st_mode)))
		return 0;
	return err_set(err, errno, "%s: %s; several exports need a directory", there,
		       strerror(errno));
}

/* ---- all of them ---- */

static int export_all(struct many *many, char **argument, int n, const char *there,
		      const char *suffix, struct err *err)
{
	struct team_pieces pieces = { .name = input_path, .take = take_export, .context = many };
	uint32_t *order;
	int error = inputs_open_ordered(&many->inputs, argument, n, &order, err);

	if (error)
		return error;
	pieces.order = order;
	pieces.n = many->inputs.n;
	if (many->inputs.n_bad)
		many->status = 1;
	error = check_names(&many->inputs, there, suffix, err);
	if (!error)
		error = make_folder(there, err);
	if (!error)
		error = team_run(many->team, &pieces, err);
	free(order);
	return error;
}

int export_many(struct team *team, char **argument, int n, const char *there, const char *suffix)
{
	struct many many = { .team = team };
	struct err err = { 0 };

	if (export_all(&many, argument, n, there, suffix, &err) < 0)
		many.status = say_fail(&err);
	if (team_close(team, &err) < 0)
		many.status = say_fail(&err);
	inputs_free(&many.inputs);
	return many.status;
}
