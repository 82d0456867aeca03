/* SPDX-License-Identifier: MIT */
/* defs_read.c - reads the lines of definitions. */
#include "tools/trace/defs_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collector/trace/grow.h"

/* ---- words ---- */

static int hex_digit(char c)
{
	static const char hex[] = "0123456789abcdefABCDEF";
	const char *found = c ? strchr(hex, c) : NULL;

	if (!found)
		return -1;
	return found - hex < 16 ? (int)(found - hex) : (int)(found - hex) - 6;
}

void defs_unescape(char *text)
{
	char *out = text;

	while (*text) {
		int high = -1, low = -1;

		if (*text == '%') {
			high = hex_digit(text[1]);
			low = high < 0 ? -1 : hex_digit(text[2]);
		}
		if (low < 0 || (high == 0 && low == 0)) { /* %00 would end the string */
			*out++ = *text++;
		} else {
			*out++ = (char)(high << 4 | low);
			text += 3;
		}
	}
	*out = 0;
}

char *defs_word(char **at)
{
	char *word = *at + strspn(*at, " \t\r");

	if (*word == 0 || *word == '#')
		return NULL;
	*at = word + strcspn(word, " \t\r#");
	if (**at == '#')
		**at = 0;
	else if (**at)
		*(*at)++ = 0;
	return word;
}

int defs_number(const char *word, uint64_t *value)
{
	char *end;
	int hex = word[0] == '0' && (word[1] == 'x' || word[1] == 'X');

	if (word[0] < '0' || word[0] > '9') /* strtoull() takes signs and blanks */
		return -EPROTO;
	errno = 0;
	*value = strtoull(word, &end, hex ? 16 : 10);
	return *end || errno ? -EPROTO : 0;
}

/* Makes entry `index` of an array exist; new ones are zero. */
static int make_entry(void *array, uint32_t *n, uint64_t index, size_t entry_bytes)
{
	if (index < *n)
		return 0;
	if (!grow(array, *n, index + 1 - *n, entry_bytes))
		return -ENOMEM;
	*n = (uint32_t)index + 1;
	return 0;
}

/* The same; a number far beyond the others is refused: it would size the array by itself. */
static int make_near(void *array, uint32_t *n, uint64_t index, size_t entry_bytes, uint32_t max)
{
	if (index >= *n && (index >= max || index > (uint64_t)*n + 1024))
		return -ERANGE;
	return make_entry(array, n, index, entry_bytes);
}

static int keep_as_is(char **out, const char *value)
{
	char *copy = strdup(value);

	if (!copy)
		return -ENOMEM;
	free(*out);
	*out = copy;
	return 0;
}

static int text_keep(char **out, char *value)
{
	defs_unescape(value);
	return keep_as_is(out, value);
}

static int keep_number32(uint32_t *out, const char *word, uint64_t max)
{
	uint64_t value;

	if (defs_number(word, &value) < 0 || value > max)
		return -EPROTO;
	*out = (uint32_t)value;
	return 0;
}

/* ---- KEY=VALUE ---- */

#define AT(what, member) offsetof(struct defs_##what, member)

static const struct defs_field cpu_fields[] = {
	{ "run", FORM_NUMBER, AT(cpu, run_ns), 0, true },
	{ "wait", FORM_NUMBER, AT(cpu, wait_ns), 0, false },
	{ 0 },
};

static const struct defs_field sample_fields[] = {
	{ "stack", FORM_NUMBER32, AT(sample, stack), DEFS_STACKS_MAX - 1, true },
	{ "asleep", FORM_NUMBER, AT(sample, asleep_ns), 0, false },
	{ "word", FORM_NUMBER, AT(sample, word), 0, false },
	{ "in", FORM_KERNEL, AT(sample, in_kernel), 0, false },
	{ 0 },
};

/* An unknown one is none. */
static uint8_t op_of(const char *name)
{
	uint8_t op = DEFS_OPS - 1;

	while (op > DEFS_OTHER && strcmp(defs_op_name[op], name) != 0)
		op--;
	return op;
}

static int keep_field(const struct defs_field *field, void *to, uint64_t index, char *value)
{
	int error = 0;

	switch (field->form) {
	case FORM_TEXT:
		return text_keep(to, value);
	case FORM_NUMBER:
		return defs_number(value, to);
	case FORM_NUMBER32:
		return keep_number32(to, value, field->most);
	case FORM_MODULE:
		error = keep_number32(to, value, DEFS_MODULES_MAX - 1);
		*(uint32_t *)to += !error;
		return error;
	case FORM_PARENT:
		return index ? keep_number32(to, value, index - 1) : -EPROTO;
	case FORM_KERNEL:
		*(bool *)to = strcmp(value, "kernel") == 0;
		break;
	case FORM_OP:
		*(uint8_t *)to = op_of(value);
	}
	return error;
}

/* The rest of a line, about the entry of that number; keys of a later version are passed over. */
static int read_fields(const struct defs_field *field, void *entry, uint64_t index, char *rest)
{
	int error = 0;

	for (char *key; !error && (key = defs_word(&rest));) {
		const struct defs_field *one = field;
		char *value = strchr(key, '=');

		if (!value)
			return -EPROTO;
		*value++ = 0;
		while (one->key && strcmp(one->key, key) != 0)
			one++;
		if (one->key)
			error = keep_field(one, (char *)entry + one->at, index, value);
	}
	return error;
}

/* ---- lines ---- */

/* Of things that have numbers: which array of struct defs these are. */
struct numbered {
	uint32_t array, count; /* where its pointer is, and how many entries it has */
	uint32_t entry_bytes, max;
};

#define NUMBERED(what, max)                                                                        \
	{                                                                                          \
		offsetof(struct defs, what), offsetof(struct defs, n_##what##s),                   \
			sizeof(struct defs_##what), max                                            \
	}

static const struct numbered numbered[] = {
	[DEFS_RUNTIME] = NUMBERED(runtime, DEFS_RUNTIMES_MAX),
	[DEFS_MODULE] = NUMBERED(module, DEFS_MODULES_MAX),
	[DEFS_SITE] = NUMBERED(site, DEFS_SITES_MAX),
	[DEFS_COUNTER] = NUMBERED(counter, DEFS_COUNTERS_MAX),
	[DEFS_PATH] = NUMBERED(path, DEFS_PATHS_MAX),
	[DEFS_FRAME] = NUMBERED(frame, DEFS_FRAMES_MAX),
	[DEFS_STACK] = NUMBERED(stack, DEFS_STACKS_MAX),
};
#define N_NUMBERED (sizeof(numbered) / sizeof(numbered[0]))

static uint32_t *count_of(struct defs *defs, const struct numbered *what)
{
	return (uint32_t *)((char *)defs + what->count);
}

static char **array_of(struct defs *defs, const struct numbered *what)
{
	return (char **)((char *)defs + what->array);
}

static int numbered_line(struct defs *defs, enum defs_numbered kind, char *rest)
{
	const struct numbered *what = &numbered[kind];
	char *number = defs_word(&rest), **array = array_of(defs, what);
	uint32_t *n = count_of(defs, what);
	uint64_t index;
	int error;

	if (!number || defs_number(number, &index) < 0)
		return -EPROTO;
	/* the last site is that of all that found no room, however few have */
	if (array == (char **)&defs->site && index == DEFS_SITES_MAX - 1)
		error = make_entry(array, n, index, what->entry_bytes);
	else
		error = make_near(array, n, index, what->entry_bytes, what->max);
	return error ? error
		     : read_fields(defs_numbered_line[kind].field,
				   *array + index * what->entry_bytes, index, rest);
}

/* One entry more of an array that is in the order of the file. */
static int append(void *array, uint32_t *n, const void *entry, size_t bytes, uint32_t max)
{
	int error = make_near(array, n, *n, bytes, max);

	if (!error)
		memcpy(*(char **)array + (*n - 1) * bytes, entry, bytes);
	return error;
}

static int meta_line(struct defs *defs, char *rest)
{
	char *key = defs_word(&rest);
	char *value = defs_word(&rest);
	uint32_t i = 0;
	int error;

	if (!key)
		return -EPROTO;
	defs_unescape(key);
	/* some hundred keys: DEFS_METAS_MAX bounds what a bad file can cost */
	while (i < defs->n_metas && strcmp(defs->meta[i].key, key) != 0)
		i++;
	error = make_near(&defs->meta, &defs->n_metas, i, sizeof(*defs->meta), DEFS_METAS_MAX);
	if (!error)
		error = keep_as_is(&defs->meta[i].key, key);
	return error ? error : text_keep(&defs->meta[i].value, value ? value : (char[]){ "" });
}

static int sync_line(struct defs *defs, char *rest)
{
	char *units = defs_word(&rest), *ns = defs_word(&rest), *what = defs_word(&rest);
	struct defs_sync sync;

	if (!units || !ns || defs_number(units, &sync.units) < 0 || defs_number(ns, &sync.ns) < 0)
		return -EPROTO;
	/* of all lines, snapshots or not: the time of a trace goes from the first to the last */
	if (defs->n_syncs++ == 0)
		defs->first = sync;
	defs->last = sync;
	if (!what || strcmp(what, "snapshot") != 0)
		return 0;
	return append(&defs->snapshot, &defs->n_snapshots, &sync, sizeof(sync), DEFS_SNAPSHOTS_MAX);
}

static int whole_line(struct defs *defs, char *rest)
{
	char *units = defs_word(&rest);

	return units ? defs_number(units, &defs->whole_units) : -EPROTO;
}

static int clock_line(struct defs *defs, char *rest)
{
	char *name = defs_word(&rest);

	return name ? text_keep(&defs->clock, name) : -EPROTO;
}

/* Marks of a later version are left out. */
static int mark_line(struct defs *defs, char *rest)
{
	char *units = defs_word(&rest), *word = defs_word(&rest), *name = defs_word(&rest);
	struct defs_mark mark = { 0 };
	int what = 0, error;

	if (!units || !word || defs_number(units, &mark.units) < 0)
		return -EPROTO;
	while (what < WIRE_MARKS && strcmp(word, defs_mark_word[what]) != 0)
		what++;
	if (what == WIRE_MARKS)
		return 0;
	mark.what = (enum wire_mark)what;
	/* phases and regions have a name, starts and stops none */
	if ((mark.what >= WIRE_MARK_PHASE) != (name != NULL))
		return -EPROTO;
	error = name ? text_keep(&mark.name, name) : 0;
	if (!error)
		error = append(&defs->mark, &defs->n_marks, &mark, sizeof(mark), DEFS_MARKS_MAX);
	if (error)
		free(mark.name);
	return error;
}

/* wK UNITS, of which something is said. */
static int read_instant(char **rest, uint32_t *worker, uint64_t *units)
{
	const char *who = defs_word(rest), *when = defs_word(rest);

	if (!who || *who != 'w' || keep_number32(worker, who + 1, WIRE_WORKERS - 1) < 0 || !when)
		return -EPROTO;
	return defs_number(when, units);
}

static int sample_line(struct defs *defs, char *rest)
{
	struct defs_sample sample = { 0 };
	uint32_t worker = 0;
	int error = read_instant(&rest, &worker, &sample.units);

	sample.worker = (uint16_t)worker;
	if (!error)
		error = read_fields(sample_fields, &sample, 0, rest);
	return error ? error
		     : append(&defs->sample, &defs->n_samples, &sample, sizeof(sample),
			      DEFS_SAMPLES_MAX);
}

static int cpu_line(struct defs *defs, char *rest)
{
	struct defs_cpu cpu = { .wait_ns = UINT64_MAX };
	int error = read_instant(&rest, &cpu.worker, &cpu.units);

	if (!error)
		error = read_fields(cpu_fields, &cpu, 0, rest);
	cpu.has_wait = cpu.wait_ns != UINT64_MAX;
	if (!cpu.has_wait)
		cpu.wait_ns = 0;
	return error ? error : append(&defs->cpu, &defs->n_cpus, &cpu, sizeof(cpu), DEFS_CPUS_MAX);
}

/* "UNITS run=NS": no worker, and no wait, which is known of threads alone. */
static int process_line(struct defs *defs, char *rest)
{
	struct defs_cpu cpu = { 0 };
	char *when = defs_word(&rest);
	int error = when ? defs_number(when, &cpu.units) : -EPROTO;

	if (!error)
		error = read_fields(cpu_fields, &cpu, 0, rest);
	return error ? error
		     : append(&defs->process, &defs->n_processes, &cpu, sizeof(cpu), DEFS_CPUS_MAX);
}

static const struct {
	const char *word;
	int (*read)(struct defs *defs, char *rest);
} others[] = {
	{ "meta", meta_line },	   { "sync", sync_line },	{ "whole", whole_line },
	{ "mark", mark_line },	   { "cpu", cpu_line },		{ "clock", clock_line },
	{ "sample", sample_line }, { "process", process_line },
};
#define N_OTHERS (sizeof(others) / sizeof(others[0]))

/* -ENOENT: the word is not known. */
static int read_line(struct defs *defs, const char *word, char *rest)
{
	for (size_t i = 0; i < N_OTHERS; i++)
		if (strcmp(word, others[i].word) == 0)
			return others[i].read(defs, rest);
	for (size_t i = 0; i < N_NUMBERED; i++)
		if (strcmp(word, defs_numbered_line[i].word) == 0)
			return numbered_line(defs, (enum defs_numbered)i, rest);
	return -ENOENT;
}

int defs_line(struct defs *defs, char *line, const char **what)
{
	char *word = defs_word(&line);
	int error = word ? read_line(defs, word, line) : 0;

	if (error == -ENOENT)
		*what = "an unknown definition";
	else if (error == -ENOMEM)
		*what = "out of memory";
	else if (error)
		*what = "a definition with a bad number or field";
	return error == -ERANGE ? -EPROTO : error;
}

const char *defs_meta(const struct defs *defs, const char *key)
{
	for (uint32_t i = 0; i < defs->n_metas; i++)
		if (strcmp(defs->meta[i].key, key) == 0)
			return defs->meta[i].value;
	return NULL;
}

uint64_t defs_meta_number(const struct defs *defs, const char *key)
{
	const char *value = defs_meta(defs, key);
	uint64_t n;

	return value && defs_number(value, &n) == 0 ? n : 0;
}

const char *defs_unlinked(const struct defs *defs)
{
	for (uint32_t i = 0; i < defs->n_runtimes; i++)
		if (defs->runtime[i].unlinked)
			return defs->runtime[i].unlinked;
	return NULL;
}

void defs_put_all(struct lines *out, const struct defs *defs, enum defs_numbered what)
{
	const char *array = *array_of((struct defs *)defs, &numbered[what]);
	uint32_t first = what == DEFS_PATH || what == DEFS_STACK; /* 0 is none of these */

	for (uint32_t i = first; i < *count_of((struct defs *)defs, &numbered[what]); i++)
		defs_put(out, what, i, array + (size_t)i * numbered[what].entry_bytes);
}

void lines_pour(struct lines *lines, FILE *out)
{
	if (lines->bytes)
		fwrite(lines->text, 1, lines->bytes, out);
	free(lines->text);
	*lines = (struct lines){ 0 };
}

static void free_numbered(struct defs *defs, enum defs_numbered kind)
{
	const struct numbered *what = &numbered[kind];
	char **array = array_of(defs, what);

	for (uint32_t i = 0; i < *count_of(defs, what); i++)
		for (const struct defs_field *field = defs_numbered_line[kind].field; field->key;
		     field++)
			if (field->form == FORM_TEXT)
				free(*(char **)(*array + i * what->entry_bytes + field->at));
	free(*array);
}

void defs_free(struct defs *defs)
{
	for (size_t i = 0; i < N_NUMBERED; i++)
		free_numbered(defs, (enum defs_numbered)i);
	for (uint32_t i = 0; i < defs->n_metas; i++) {
		free(defs->meta[i].key);
		free(defs->meta[i].value);
	}
	for (uint32_t i = 0; i < defs->n_marks; i++)
		free(defs->mark[i].name);
	free(defs->meta);
	free(defs->mark);
	free(defs->cpu);
	free(defs->process);
	free(defs->sample);
	free(defs->snapshot);
	free(defs->clock);
	*defs = (struct defs){ 0 };
}
