/* SPDX-License-Identifier: MIT */
/* sampled.c - looks up the frames of samples, and places the samples in the run. */
#include "tools/run/sampled.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/at_most.h"
#include "tools/base/map.h"
#include "tools/base/xalloc.h"
#include "tools/run/spot_names.h"
#include "tools/base/base_name.h"

/* ---- whose code ---- */

/* Runtimes and shims: no user's code, though tasks are made in there. */
static const char *const runtimes[] = { "libtp", "libtbb", "libgomp", "libomp", "libiomp", NULL };
/* The language's, in which threads are made for others. */
static const char *const languages[] = { "libstdc++.", "libc++.", "libc.", "libpthread.", NULL };

static bool has_prefix(const char *path, const char *const *prefix)
{
	const char *base = path_base(path);

	while (base && *prefix && strncmp(base, *prefix, strlen(*prefix)) != 0)
		prefix++;
	return base && *prefix;
}

static void take_module(bool *user, const struct defs *defs, uint32_t number)
{
	const char *path =
		number && number <= defs->n_modules ? defs->module[number - 1].path : NULL;

	if (path && !has_prefix(path, runtimes) && !has_prefix(path, languages))
		user[number] = true;
}

/* ---- frames ---- */

/*
 * kinds: function -> 1 + the kind whose code it is.  user, by 1 + the number of the module: the
 * program's own and those that make tasks or have a task's code.  Who takes a lock need not be:
 * whether that is in the trace depends on who waited.
 */
static void hear_kinds(struct map *kinds, bool *user, const struct run *run)
{
	const struct defs *defs = reader_defs(run->reader);
	const char *exe = defs_meta(defs, "exe");

	for (uint32_t i = 0; exe && i < defs->n_modules; i++)
		user[i + 1] = defs->module[i].path && strcmp(defs->module[i].path, exe) == 0;
	for (kind_id k = 0; k < run->dag.n_kinds; k++) {
		site_id number = run->dag.kind_site[k];
		const struct defs_site *site = number < defs->n_sites ? &defs->site[number] : NULL;
		uint64_t *kind;

		if (!site)
			continue;
		take_module(user, defs, site->return_module);
		take_module(user, defs, site->function_module);
		kind = site->function > WIRE_NAMES_CODE ? map_put(kinds, site->function) : NULL;
		if (kind && !*kind)
			*kind = k + 1ull;
	}
}

static void name_frames(struct sampled *sampled, const struct run *run)
{
	const struct defs *defs = sampled->defs;
	FREED bool *user = xcalloc(defs->n_modules + 1ull, sizeof(*user));
	AT_END(map_free) struct map kinds = { 0 };

	hear_kinds(&kinds, user, run);
	for (uint32_t f = 0; f < defs->n_frames; f++) {
		struct stack_frame *frame = &sampled->frame[f];
		uint32_t module = at_most(defs->frame[f].module, defs->n_modules);
		const uint64_t *kind;

		frame->name = sites_frame(&run->sites, &defs->frame[f]);
		kind = frame->name.function_begin ? map_find(&kinds, frame->name.function_begin)
						  : NULL;
		frame->kind = kind ? (uint32_t)*kind : 0;
		if (!frame->name.function && kind)
			frame->name.function =
				run->sites.site[run->dag.kind_site[*kind - 1]].code.function;
		frame->name.function = names_say(run->sites.names, &frame->name);
		frame->op = defs->frame[f].op;
		frame->is_runtime = module && has_prefix(defs->module[module - 1].path, runtimes);
		frame->is_user = !frame->name.in_header &&
				 (module ? user[module] : frame->name.file != NULL);
		if (!frame->is_user && !frame->is_runtime)
			frame->name.function =
				spot_library_name(frame->name.around ?: frame->name.function);
	}
}

struct told {
	uint32_t *kind; /* as struct code_stacks has them */
	uint8_t *spot, *spot_in_kernel;
};

static void told_free(struct told *told)
{
	free(told->kind);
	free(told->spot);
	free(told->spot_in_kernel);
}

/* What the stacks tell: the kind is that of the innermost frame that has one. */
static void hear_stacks(struct told *told, const struct sampled *sampled)
{
	const struct defs *defs = sampled->defs;

	told->kind = xcalloc(defs->n_stacks + 1ull, sizeof(*told->kind));
	told->spot = xcalloc(defs->n_stacks + 1ull, sizeof(*told->spot));
	told->spot_in_kernel = xcalloc(defs->n_stacks + 1ull, sizeof(*told->spot_in_kernel));
	for (uint32_t s = 1; s < defs->n_stacks; s++) {
		const struct stack_frame *frame = sampled_inner(sampled, s);

		told->kind[s] =
			frame && frame->kind ? frame->kind : told->kind[defs->stack[s].parent];
		told->spot[s] = spot_of(sampled, s, false);
		told->spot_in_kernel[s] = spot_of(sampled, s, true);
	}
}

const struct stack_frame *sampled_user(const struct sampled *sampled, uint32_t stack,
				       const struct stack_frame **called)
{
	const struct stack_frame *frame;

	*called = NULL;
	for (; (frame = sampled_inner(sampled, stack)) && !frame->is_user;
	     stack = sampled->defs->stack[stack].parent)
		*called = frame->is_runtime ? *called : frame;
	return frame;
}

/* ---- samples ---- */

#define ASLEEP_UNIT_NS 1000u
/* Beside each other workers have a sample each period.  On a machine with more threads than CPUs a
 * turn of all takes Linux some 20 ms, ten periods at 500 Hz. */
#define FRESH_PERIODS 10u

/* Those of the window. */
static struct code_sample *samples_of(const struct run *run, uint64_t *n)
{
	const struct defs *defs = reader_defs(run->reader);
	struct code_sample *sample = xmalloc((defs->n_samples + 1ull) * sizeof(*sample));

	*n = 0;
	for (uint32_t i = 0; i < defs->n_samples; i++) {
		const struct defs_sample *its = &defs->sample[i];
		uint64_t us = its->asleep_ns / ASLEEP_UNIT_NS, ns;

		if (!timeline_fits(reader_timeline(run->reader), its->units))
			continue;
		ns = reader_ns(run->reader, its->units);
		if (ns < run->dag.begin_ns || ns - run->dag.begin_ns > run->dag.elapsed_ns)
			continue;
		ns -= run->dag.begin_ns;
		us = its->asleep_ns && !us ? 1 : at_most(us, UINT32_MAX);
		sample[(*n)++] =
			(struct code_sample){ .ns_low = (uint32_t)ns,
					      .ns_high = (uint16_t)(ns >> 32),
					      .worker = its->worker,
					      .stack = its->stack |
						       (its->in_kernel ? CODE_IN_KERNEL : 0),
					      /* 0 is none */
					      .word = (uint32_t)(its->word >> MEETING_WORD_SHIFT),
					      .asleep_us = (uint32_t)us };
	}
	return sample;
}

void sampled_open(struct sampled *sampled, const struct run *run, const struct pauses *pauses)
{
	const struct defs *defs = reader_defs(run->reader);
	FREED struct code_sample *sample = NULL;
	AT_END(told_free) struct told told = { 0 };
	uint64_t n = 0;

	*sampled = (struct sampled){ .defs = defs };
	if (!defs->n_samples)
		return;
	sampled->period_ns = defs_meta_number(defs, "sample_period_ns");
	sampled->cost_ns = defs_meta_number(defs, "sample_cost_ns");
	sampled->frame = xcalloc(defs->n_frames + 1ull, sizeof(*sampled->frame));
	name_frames(sampled, run);
	hear_stacks(&told, sampled);
	sample = samples_of(run, &n);
	code_build(&sampled->code, &run->dag, pauses, run_selected(run), sample, n,
		   &(struct code_stacks){ defs->n_stacks, told.kind, told.spot, told.spot_in_kernel,
					  FRESH_PERIODS * sampled->period_ns, sampled->period_ns });
}

void sampled_close(struct sampled *sampled)
{
	code_free(&sampled->code);
	free(sampled->frame);
	*sampled = (struct sampled){ 0 };
}
