/* SPDX-License-Identifier: MIT */
/* inputs.c - lists directories, and groups traces by process. */
#include "tools/team/inputs.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/base/folder.h"
#include "tools/base/load.h"
#include "tools/base/map.h"
#include "tools/base/order.h"
#include "tools/base/say.h"
#include "tools/base/xalloc.h"
#include "tools/team/jobs.h"
#include "tools/run/identity.h"

bool inputs_single(char **argument, int n)
{
	return n == 1 && !is_folder(argument[0]);
}

static uint64_t bytes_of(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
}

/* Keeps a trace that can be opened, and tells what is wrong with others. */
static void add_file(struct inputs *inputs, const char *path)
{
	struct reader *reader;
	struct err err = { 0 };
	struct identity id;
	struct input *input;

	if (text_open(&reader, path, &err) < 0) {
		if (!inputs->quiet)
			say_fail(&err);
		inputs->n_bad++;
		return;
	}
	id = identity_of(reader);
	array_grow(&inputs->at, &inputs->room, inputs->n + 1ull, sizeof(*inputs->at));
	input = &inputs->at[inputs->n];
	*input = (struct input){ .path = xstrdup(path),
				 .host = xstrdup(id.host ? id.host : ""),
				 .program = xstrdup(id.program ? id.program : ""),
				 .has_rank = id.has_rank,
				 .world = id.world,
				 .rank = id.rank,
				 .pid = id.pid,
				 .given = inputs->n++,
				 .is_baseline = defs_meta(reader_defs(reader), "baseline"),
				 .bytes = bytes_of(path),
				 .facts = xcalloc(1, sizeof(*input->facts)) };
	job_facts_of(input->facts, reader);
	reader_close(reader);
}

static int is_trace(const struct dirent *entry)
{
	return fnmatch("*.tpt", entry->d_name, 0) == 0 ||
	       fnmatch("*.tpt.[0-9]*", entry->d_name, 0) == 0;
}

static void add_folder(struct inputs *inputs, const char *path)
{
	FREED struct dirent **entry = NULL;
	struct err err = { 0 };
	int n = scandir(path, &entry, is_trace, alphasort);
	bool slash = path[strlen(path) - 1] == '/';

	if (n <= 0) {
		if (n < 0)
			err_set(&err, errno, "%s: %s", path, strerror(errno));
		else
			err_set(&err, ENOENT, "%s: no trace (*.tpt) in this directory", path);
		if (!inputs->quiet)
			say_fail(&err);
		inputs->n_bad++;
	}
	for (int i = 0; i < n; i++) {
		FREED char *file =
			xasprintf("%s%s%s", path, slash ? "" : "/", entry[i]->d_name);

		add_file(inputs, file);
		free(entry[i]);
	}
}

static int in_order(const void *a, const void *b)
{
	const struct input *x = a, *y = b;
	struct identity id_x = { x->host, .has_rank = x->has_rank, .rank = x->rank, .pid = x->pid };
	struct identity id_y = { y->host, .has_rank = y->has_rank, .rank = y->rank, .pid = y->pid };

	return identity_order(&id_x, &id_y) ?: order_least(x->given, y->given);
}

static void free_input(struct input *input)
{
	free(input->path);
	free(input->host);
	free(input->program);
	job_facts_free(input->facts);
	free(input->facts);
}

static void leave_out_baselines(struct inputs *inputs)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < inputs->n; i++)
		n += !inputs->at[i].is_baseline;
	if (!n || n == inputs->n)
		return;
	n = 0;
	for (uint32_t i = 0; i < inputs->n; i++) {
		struct input *input = &inputs->at[i];

		if (!input->is_baseline) {
			inputs->at[n] = *input;
			inputs->at[n].given = n;
			n++;
			continue;
		}
		if (!inputs->baseline) {
			inputs->baseline = input->path;
			input->path = NULL;
		}
		free_input(input);
	}
	inputs->n = n;
}

void inputs_open(struct inputs *inputs, char **argument, int n)
{
	for (int i = 0; i < n; i++)
		(is_folder(argument[i]) ? add_folder : add_file)(inputs, argument[i]);
	leave_out_baselines(inputs);
	SORT(inputs->at, inputs->n, in_order);
}

bool inputs_pair(char **argument, int n, struct inputs *pair)
{
	*pair = (struct inputs){ .quiet = true };
	inputs_open(pair, argument, n);
	if (pair->n == 1 && pair->baseline)
		return true;
	inputs_free(pair);
	return false;
}

void inputs_free(struct inputs *inputs)
{
	for (uint32_t i = 0; i < inputs->n; i++)
		free_input(&inputs->at[i]);
	free(inputs->at);
	free(inputs->baseline);
	*inputs = (struct inputs){ 0 };
}

char **inputs_split(const char *argument, int *n)
{
	size_t most = strlen(argument) + 1; /* paths, and bytes of text */
	char **path = xcalloc(most, sizeof(*path) + 1);
	bool is_file = access(argument, F_OK) == 0;
	char *text = (char *)(path + most);

	*n = 0;
	memcpy(text, argument, most);
	for (char *at = text; at; at = is_file ? NULL : at)
		path[(*n)++] = is_file ? text : strsep(&at, ",");
	return path;
}
