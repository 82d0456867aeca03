/* SPDX-License-Identifier: MIT */
/* defs.c - reads the lines that define runtimes, modules, sites and the clock. */
#include "collector/trace/defs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* How many entries there is room for, where n are in use. */
static size_t room_for(uint64_t n)
{
	size_t room = 16;

	while (room < n)
		room *= 2;
	return room;
}

/* Makes entry `index` of an array exist; new ones are zero. */
static int grow_to(void *array, uint32_t *n, uint64_t index, size_t entry_bytes)
{
	char **base = array;

	if (index < *n)
		return 0;
	if (*n == 0 || room_for(index + 1) > room_for(*n)) {
		char *more = realloc(*base, room_for(index + 1) * entry_bytes);

		if (!more)
			return -ENOMEM;
		*base = more;
	}
	memset(*base + *n * entry_bytes, 0, (index + 1 - *n) * entry_bytes);
	*n = (uint32_t)index + 1;
	return 0;
}

/* The same; a number far beyond the others is refused: it would size the array by itself. */
static int grow(void *array, uint32_t *n, uint64_t index, size_t entry_bytes, uint32_t max)
{
	if (index >= *n && (index >= max || index > (uint64_t)*n + 1024))
		return -ERANGE;
	return grow_to(array, n, index, entry_bytes);
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

static int runtime_field(struct defs_runtime *runtime, const char *key, char *value)
{
	if (strcmp(key, "name") == 0)
		return text_keep(&runtime->name, value);
	if (strcmp(key, "version") == 0)
		return text_keep(&runtime->version, value);
	if (strcmp(key, "note") == 0)
		return text_keep(&runtime->note, value);
	if (strcmp(key, "workers") == 0)
		return keep_number32(&runtime->n_workers, value, 1u << 20);
	if (strcmp(key, "calls-ps") == 0)
		return keep_number32(&runtime->calls_ps, value, DEFS_CALLS_MOST_PS);
	return 0; /* of a later version */
}

static int module_field(struct defs_module *module, const char *key, char *value)
{
	if (strcmp(key, "start") == 0)
		return defs_number(value, &module->start);
	if (strcmp(key, "end") == 0)
		return defs_number(value, &module->end);
	if (strcmp(key, "bias") == 0)
		return defs_number(value, &module->bias);
	if (strcmp(key, "build-id") == 0)
		return text_keep(&module->build_id, value);
	if (strcmp(key, "path") == 0)
		return text_keep(&module->path, value);
	return 0;
}

/* The number of a module, kept as 1 more. */
static int keep_module(uint32_t *to, const char *value)
{
	int error = keep_number32(to, value, DEFS_MODULES_MAX - 1);

	*to += !error;
	return error;
}

static int site_field(struct defs_site *site, const char *key, char *value)
{
	if (strcmp(key, "ret") == 0)
		return defs_number(value, &site->return_address);
	if (strcmp(key, "fn") == 0)
		return defs_number(value, &site->function);
	if (strcmp(key, "ret-module") == 0)
		return keep_module(&site->return_module, value);
	if (strcmp(key, "fn-module") == 0)
		return keep_module(&site->function_module, value);
	if (strcmp(key, "runtime") == 0)
		return keep_number32(&site->runtime, value, DEFS_RUNTIMES_MAX - 1);
	if (strcmp(key, "line") == 0)
		return keep_number32(&site->line, value, UINT32_MAX);
	if (strcmp(key, "name") == 0)
		return text_keep(&site->name, value);
	if (strcmp(key, "file") == 0)
		return text_keep(&site->file, value);
	if (strcmp(key, "at") == 0)
		return text_keep(&site->at, value);
	if (strcmp(key, "at-file") == 0)
		return text_keep(&site->at_file, value);
	if (strcmp(key, "at-line") == 0)
		return keep_number32(&site->at_line, value, UINT32_MAX);
	return 0;
}

static int counter_field(struct defs_counter *counter, const char *key, char *value)
{
	if (strcmp(key, "name") == 0)
		return text_keep(&counter->name, value);
	if (strcmp(key, "unit") == 0)
		return text_keep(&counter->unit, value);
	return 0;
}

/* A parent has a lower number: so no path is endless. */
static int path_field(struct defs_path *path, uint64_t index, const char *key, const char *value)
{
	if (strcmp(key, "site") == 0)
		return keep_number32(&path->site, value, DEFS_SITES_MAX - 1);
	if (strcmp(key, "parent") == 0)
		return index ? keep_number32(&path->parent, value, index - 1) : -EPROTO;
	return 0;
}

/* An unknown one is none. */
static uint8_t op_of(const char *name)
{
	uint8_t op = DEFS_OPS - 1;

	while (op > DEFS_OTHER && strcmp(defs_op_name[op], name) != 0)
		op--;
	return op;
}

static int frame_field(struct defs_frame *frame, const char *key, char *value)
{
	if (strcmp(key, "pc") == 0)
		return defs_number(value, &frame->pc);
	if (strcmp(key, "fn") == 0)
		return defs_number(value, &frame->function);
	if (strcmp(key, "name") == 0)
		return text_keep(&frame->name, value);
	if (strcmp(key, "file") == 0)
		return text_keep(&frame->file, value);
	if (strcmp(key, "line") == 0)
		return keep_number32(&frame->line, value, UINT32_MAX);
	if (strcmp(key, "module") == 0)
		return keep_module(&frame->module, value);
	if (strcmp(key, "op") == 0)
		frame->op = op_of(value);
	return 0;
}

static int stack_field(struct defs_stack *stack, uint64_t index, const char *key, const char *value)
{
	if (strcmp(key, "frame") == 0)
		return keep_number32(&stack->frame, value, DEFS_FRAMES_MAX - 1);
	if (strcmp(key, "parent") == 0)
		return index ? keep_number32(&stack->parent, value, index - 1) : -EPROTO;
	return 0;
}

/* Lines about things that have numbers. */
enum numbered { A_RUNTIME, A_MODULE, A_SITE, A_COUNTER, A_PATH, A_FRAME, A_STACK, NUMBERED };
static const char *const numbered_word[NUMBERED] = { "runtime", "module", "site", "counter",
						     "path",	"frame",  "stack" };

static int field(struct defs *defs, enum numbered what, uint64_t index, const char *key,
		 char *value)
{
	switch (what) {
	case A_RUNTIME:
		return runtime_field(&defs->runtime[index], key, value);
	case A_MODULE:
		return module_field(&defs->module[index], key, value);
	case A_COUNTER:
		return counter_field(&defs->counter[index], key, value);
	case A_PATH:
		return path_field(&defs->path[index], index, key, value);
	case A_FRAME:
		return frame_field(&defs->frame[index], key, value);
	case A_STACK:
		return stack_field(&defs->stack[index], index, key, value);
	default:
		return site_field(&defs->site[index], key, value);
	}
}

/* The next KEY=VALUE of a line, with its `=` cut out; 0 at its end. */
static int next_field(char **rest, char **key, char **value)
{
	*key = defs_word(rest);
	*value = *key ? strchr(*key, '=') : NULL;
	if (!*key)
		return 0;
	if (!*value)
		return -EPROTO;
	*(*value)++ = 0;
	return 1;
}

static int fields(struct defs *defs, enum numbered what, uint64_t index, char *rest)
{
	char *key, *value;
	int error = 0, got = 0;

	while (!error && (got = next_field(&rest, &key, &value)) > 0)
		error = field(defs, what, index, key, value);
	return error ? error : got;
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
	error = grow(&defs->meta, &defs->n_metas, i, sizeof(*defs->meta), DEFS_METAS_MAX);
	if (!error)
		error = keep_as_is(&defs->meta[i].key, key);
	return error ? error : text_keep(&defs->meta[i].value, value ? value : (char[]){ "" });
}

static int sync_line(struct defs *defs, char *rest)
{
	char *units = defs_word(&rest), *ns = defs_word(&rest), *what = defs_word(&rest);
	struct defs_sync sync;
	int error;

	if (!units || !ns || defs_number(units, &sync.units) < 0 || defs_number(ns, &sync.ns) < 0)
		return -EPROTO;
	/* of all lines, snapshots or not: the time of a trace goes from the first to the last */
	if (defs->n_syncs++ == 0)
		defs->first = sync;
	defs->last = sync;
	if (!what || strcmp(what, "snapshot") != 0)
		return 0;
	error = grow(&defs->snapshot, &defs->n_snapshots, defs->n_snapshots, sizeof(sync),
		     DEFS_SNAPSHOTS_MAX);
	if (!error)
		defs->snapshot[defs->n_snapshots - 1] = sync;
	return error;
}

static int make_entry(struct defs *defs, enum numbered what, uint64_t index)
{
	switch (what) {
	case A_RUNTIME:
		return grow(&defs->runtime, &defs->n_runtimes, index, sizeof(*defs->runtime),
			    DEFS_RUNTIMES_MAX);
	case A_MODULE:
		return grow(&defs->module, &defs->n_modules, index, sizeof(*defs->module),
			    DEFS_MODULES_MAX);
	case A_COUNTER:
		return grow(&defs->counter, &defs->n_counters, index, sizeof(*defs->counter),
			    DEFS_COUNTERS_MAX);
	case A_PATH:
		return grow(&defs->path, &defs->n_paths, index, sizeof(*defs->path),
			    DEFS_PATHS_MAX);
	case A_FRAME:
		return grow(&defs->frame, &defs->n_frames, index, sizeof(*defs->frame),
			    DEFS_FRAMES_MAX);
	case A_STACK:
		return grow(&defs->stack, &defs->n_stacks, index, sizeof(*defs->stack),
			    DEFS_STACKS_MAX);
	default:
		if (index == DEFS_SITES_MAX - 1) /* of all that found no room, however few have */
			return grow_to(&defs->site, &defs->n_sites, index, sizeof(*defs->site));
		return grow(&defs->site, &defs->n_sites, index, sizeof(*defs->site),
			    DEFS_SITES_MAX);
	}
}

static int numbered_line(struct defs *defs, enum numbered what, char *rest)
{
	char *number = defs_word(&rest);
	uint64_t index;
	int error;

	if (!number || defs_number(number, &index) < 0)
		return -EPROTO;
	error = make_entry(defs, what, index);
	if (error)
		return error;
	return fields(defs, what, index, rest);
}

const char *const defs_mark_word[DEFS_MARKS] = {
	[DEFS_MARK_START] = "start", [DEFS_MARK_STOP] = "stop", [DEFS_MARK_PHASE] = "phase",
	[DEFS_MARK_BEGIN] = "begin", [DEFS_MARK_END] = "end",
};

/* Marks of a later version are left out. */
static int mark_line(struct defs *defs, char *rest)
{
	char *units = defs_word(&rest), *word = defs_word(&rest), *name = defs_word(&rest);
	struct defs_mark mark = { 0 };
	int what = 0, error;

	if (!units || !word || defs_number(units, &mark.units) < 0)
		return -EPROTO;
	while (what < DEFS_MARKS && strcmp(word, defs_mark_word[what]) != 0)
		what++;
	if (what == DEFS_MARKS)
		return 0;
	mark.what = (enum defs_mark_what)what;
	/* phases and regions have a name, starts and stops none */
	if ((mark.what >= DEFS_MARK_PHASE) != (name != NULL))
		return -EPROTO;
	error = name ? text_keep(&mark.name, name) : 0;
	if (!error)
		error = grow(&defs->mark, &defs->n_marks, defs->n_marks, sizeof(mark),
			     DEFS_MARKS_MAX);
	if (error)
		free(mark.name);
	else
		defs->mark[defs->n_marks - 1] = mark;
	return error;
}

static int cpu_field(struct defs_cpu *cpu, const char *key, const char *value)
{
	if (strcmp(key, "run") == 0)
		return defs_number(value, &cpu->run_ns);
	if (strcmp(key, "wait") != 0)
		return 0;
	cpu->has_wait = true;
	return defs_number(value, &cpu->wait_ns);
}

static int sample_field(struct defs_sample *sample, const char *key, const char *value)
{
	if (strcmp(key, "stack") == 0)
		return keep_number32(&sample->stack, value, DEFS_STACKS_MAX - 1);
	if (strcmp(key, "asleep") == 0)
		return defs_number(value, &sample->asleep_ns);
	if (strcmp(key, "word") == 0)
		return defs_number(value, &sample->word);
	if (strcmp(key, "in") == 0)
		sample->in_kernel = strcmp(value, "kernel") == 0;
	return 0;
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
	char *key, *value;
	int error = read_instant(&rest, &worker, &sample.units), got = 0;

	while (!error && (got = next_field(&rest, &key, &value)) > 0)
		error = sample_field(&sample, key, value);
	sample.worker = (uint16_t)worker;
	if (!error && !got)
		error = grow(&defs->sample, &defs->n_samples, defs->n_samples, sizeof(sample),
			     DEFS_SAMPLES_MAX);
	if (!error && !got)
		defs->sample[defs->n_samples - 1] = sample;
	return error ? error : got;
}

static int cpu_line(struct defs *defs, char *rest)
{
	struct defs_cpu cpu = { 0 };
	char *key, *value;
	int error = read_instant(&rest, &cpu.worker, &cpu.units), got = 0;

	while (!error && (got = next_field(&rest, &key, &value)) > 0)
		error = cpu_field(&cpu, key, value);
	if (!error)
		error = got;
	if (!error)
		error = grow(&defs->cpu, &defs->n_cpus, defs->n_cpus, sizeof(cpu), DEFS_CPUS_MAX);
	if (!error)
		defs->cpu[defs->n_cpus - 1] = cpu;
	return error;
}

void defs_put_cpu(struct lines *out, const struct defs_cpu *cpu)
{
	lines_print(out, "cpu w%u %" PRIu64 " run=%" PRIu64, cpu->worker, cpu->units, cpu->run_ns);
	if (cpu->has_wait)
		lines_print(out, " wait=%" PRIu64, cpu->wait_ns);
	lines_print(out, "\n");
}

int defs_line(struct defs *defs, char *line, const char **what)
{
	char *word = defs_word(&line);
	int error = 0, numbered = 0;

	if (!word)
		return 0;
	while (numbered < NUMBERED && strcmp(word, numbered_word[numbered]) != 0)
		numbered++;
	if (strcmp(word, "meta") == 0) {
		error = meta_line(defs, line);
	} else if (strcmp(word, "sync") == 0) {
		error = sync_line(defs, line);
	} else if (strcmp(word, "whole") == 0) {
		word = defs_word(&line);
		error = word ? defs_number(word, &defs->whole_units) : -EPROTO;
	} else if (strcmp(word, "mark") == 0) {
		error = mark_line(defs, line);
	} else if (strcmp(word, "cpu") == 0) {
		error = cpu_line(defs, line);
	} else if (strcmp(word, "sample") == 0) {
		error = sample_line(defs, line);
	} else if (strcmp(word, "clock") == 0) {
		char *name = defs_word(&line);

		error = name ? text_keep(&defs->clock, name) : -EPROTO;
	} else if (numbered < NUMBERED) {
		error = numbered_line(defs, (enum numbered)numbered, line);
	} else {
		*what = "an unknown definition";
		return -ENOENT;
	}
	if (error == -ENOMEM)
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

void defs_free(struct defs *defs)
{
	for (uint32_t i = 0; i < defs->n_metas; i++) {
		free(defs->meta[i].key);
		free(defs->meta[i].value);
	}
	for (uint32_t i = 0; i < defs->n_runtimes; i++) {
		free(defs->runtime[i].name);
		free(defs->runtime[i].version);
		free(defs->runtime[i].note);
	}
	for (uint32_t i = 0; i < defs->n_modules; i++) {
		free(defs->module[i].path);
		free(defs->module[i].build_id);
	}
	for (uint32_t i = 0; i < defs->n_sites; i++) {
		free(defs->site[i].name);
		free(defs->site[i].file);
		free(defs->site[i].at);
		free(defs->site[i].at_file);
	}
	for (uint32_t i = 0; i < defs->n_counters; i++) {
		free(defs->counter[i].name);
		free(defs->counter[i].unit);
	}
	for (uint32_t i = 0; i < defs->n_marks; i++)
		free(defs->mark[i].name);
	for (uint32_t i = 0; i < defs->n_frames; i++) {
		free(defs->frame[i].name);
		free(defs->frame[i].file);
	}
	free(defs->frame);
	free(defs->stack);
	free(defs->sample);
	free(defs->counter);
	free(defs->path);
	free(defs->mark);
	free(defs->cpu);
	free(defs->snapshot);
	free(defs->meta);
	free(defs->runtime);
	free(defs->module);
	free(defs->site);
	free(defs->clock);
	*defs = (struct defs){ 0 };
}
