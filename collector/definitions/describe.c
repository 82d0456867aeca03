/* SPDX-License-Identifier: MIT */
/* describe.c - writes the definitions of a running session. */
#include "collector/definitions/definitions.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/trace/defs.h"

/* Those that the program could use when it began. */
static void put_cpus(const struct process_info *info, struct lines *out)
{
	/* rounded up: 1.5 CPUs let two threads run at once, for part of the time */
	unsigned long long milli = info->quota_milli, quota = milli / 1000 + (milli % 1000 != 0);

	if (info->affinity)
		lines_print(out, "meta cpus %llu\nmeta affinity %u\n",
			    quota && quota < info->affinity ? quota : info->affinity,
			    info->affinity);
	if (milli)
		lines_print(out, "meta cpu_quota %llu\n", milli);
}

/* NULL if it is none, or damaged. */
static char *text_of(const struct session *session, session_text text)
{
	const char *said = session_said(session, text);

	return *said ? (char *)(uintptr_t)said : NULL;
}

static void describe_counters(const struct session *session, struct lines *out)
{
	lines_meta(out, "counters_missing", session_said(session, session->counters_missing));
	for (uint32_t i = 0; i < session->n_counters && i < SESSION_COUNTERS; i++) {
		struct defs_counter counter = { text_of(session, session->counter[i].name),
						text_of(session, session->counter[i].unit) };

		defs_put(out, DEFS_COUNTER, i, &counter);
	}
}

static void put_program(const struct session *session, struct lines *out)
{
	const struct process_info *info = &session->process;

	/* empty ones are left out: an absent line is "not known" */
	lines_meta(out, "exe", session_said(session, info->exe));
	lines_meta(out, "command", session_said(session, info->command));
	lines_meta(out, "host", session_said(session, info->host));
	lines_meta(out, "kernel", session_said(session, info->kernel));
	lines_meta(out, "machine", session_said(session, info->machine));
	lines_meta(out, "rank", session_said(session, info->rank));
	lines_meta(out, "ranks", session_said(session, info->ranks));
	lines_meta(out, "local_rank", session_said(session, info->local_rank));
	lines_meta(out, "job", session_said(session, info->job));
	lines_meta(out, "param", session_said(session, info->params));
	lines_meta(out, "baseline", session_said(session, info->baseline));
	lines_meta(out, "slow", session_said(session, info->slow));
	lines_meta(out, "virtual", session_said(session, info->virtual));
	lines_meta(out, "launcher", session_said(session, info->launcher));
	lines_meta(out, "ring", session_said(session, info->ring));
	lines_print(out, "meta pid %d\nmeta ppid %d\nmeta cores %u\nmeta recorded %lld\n",
		    session->pid, info->ppid, info->cores, (long long)info->recorded);
	if (session->outside) /* and we are it; a reader sees by its number whether it still writes
			       */
		lines_print(out, "meta collector %d\n", (int)getpid());
	put_cpus(info, out);
	if (info->began_ns)
		lines_print(out, "meta began_ns %llu\n", (unsigned long long)info->began_ns);
	describe_counters(session, out);
	lines_print(out, "clock %s\n", clock_source_name(session->clock.source));
	if (session->clock.cpus_off_ns)
		lines_print(out, "meta clock_cpus_off_ns %llu\n",
			    (unsigned long long)session->clock.cpus_off_ns);
}

/* Behind the runtimes' calls, which are reckoned beside them: they may be lowered meanwhile. */
static void put_costs(struct describe *done, struct session *session, struct lines *out)
{
	uint32_t event_ps = atomic_load(&session->event_ps);
	uint32_t strand_ps = atomic_load(&session->strand_ps);

	if (done->begun && event_ps == done->event_ps && strand_ps == done->strand_ps)
		return;
	lines_print(out, "meta event_cost_ps %u\nmeta strand_cost_ps %u\n", event_ps, strand_ps);
	done->event_ps = event_ps;
	done->strand_ps = strand_ps;
}

static void put_sync(struct lines *out, struct clock_pair pair, uint32_t shift)
{
	defs_put_sync(out, (struct defs_sync){ pair.ticks >> shift, pair.ns }, false);
}

static void put_module(struct lines *out, uint32_t i, const struct session *session)
{
	const struct session_module *module = &session->module[i];
	char build_id[2 * sizeof(module->build_id) + 1] = "";
	struct defs_module defs = { module->start, module->end, module->bias,
				    text_of(session, module->path), build_id };

	for (uint32_t k = 0; k < module->build_id_bytes && k < sizeof(module->build_id); k++)
		snprintf(build_id + 2 * k, 3, "%02x", module->build_id[k]);
	/* session_said() bounds it by the session's texts, which the program can write to */
	if (defs.path && strlen(defs.path) >= PATH_MAX)
		defs.path = NULL;
	defs_put(out, DEFS_MODULE, i, &defs);
}

static void put_site(struct lines *out, uint32_t i, const struct session *session)
{
	const struct session_site *site = &session->site[i];
	struct defs_site defs = { .return_address = site->return_address,
				  .function = site->function,
				  .return_module = site->return_module,
				  .function_module = site->function_module,
				  .runtime = site->runtime,
				  .line = site->line,
				  .name = text_of(session, site->name),
				  .file = text_of(session, site->file) };

	defs_put(out, DEFS_SITE, i, &defs);
}

/* The whole line again, if anything of it is new: for a reader the last one counts. */
static void put_runtime(struct described_runtime *done, struct session *session, uint32_t i,
			bool is_new, struct lines *out)
{
	struct session_runtime *runtime = &session->runtime[i];
	const struct described_runtime now = {
		.n_workers = atomic_load(&runtime->n_workers),
		.calls_ps = atomic_load(&runtime->calls_ps),
		.tokens = atomic_load(&runtime->tokens),
		.note = atomic_load(&runtime->note),
		.unlinked = atomic_load(&runtime->unlinked),
	};
	char name[sizeof(runtime->name) + 1] = "", version[sizeof(runtime->version) + 1] = "";

	if (!is_new && memcmp(&now, done, sizeof(now)) == 0)
		return;
	*done = now;
	memcpy(name, runtime->name, sizeof(runtime->name));
	memcpy(version, runtime->version, sizeof(runtime->version));
	defs_put(out, DEFS_RUNTIME, i,
		 &(struct defs_runtime){ .name = *name ? name : NULL,
					 .version = *version ? version : NULL,
					 .note = text_of(session, now.note),
					 .unlinked = text_of(session, now.unlinked),
					 .n_workers = now.n_workers,
					 .tokens = now.tokens,
					 .calls_ps = now.calls_ps });
}

static void describe_runtimes(struct describe *done, struct session *session, struct lines *out)
{
	uint32_t n = atomic_load_explicit(&session->n_runtimes, memory_order_acquire);

	if (n > SESSION_RUNTIMES)
		n = SESSION_RUNTIMES;
	for (uint32_t i = 0; i < n; i++)
		put_runtime(&done->runtime[i], session, i, i >= done->n_runtimes, out);
	done->n_runtimes = n;
}

void describe_watermark(struct clock_pair instant, uint64_t units, uint32_t shift,
			struct lines *out)
{
	put_sync(out, instant, shift);
	lines_print(out, "whole %llu\n", (unsigned long long)units);
}

void describe_mark(const struct session_mark *mark, uint32_t shift, struct lines *out)
{
	struct defs_mark defs = { mark->ticks >> shift, (enum wire_mark)mark->what,
				  mark->name[0] ? (char *)(uintptr_t)mark->name : NULL };

	if (mark->what < WIRE_MARKS)
		defs_put_mark(out, &defs);
}

static void put_bypassing(struct describe *done, const struct session *session, struct lines *out)
{
	uint32_t n = atomic_load(&session->n_bypassing);
	char key[32];

	for (; done->n_bypassing < n && done->n_bypassing < SESSION_BYPASSING;
	     done->n_bypassing++) {
		snprintf(key, sizeof(key), "bypassing_%u", done->n_bypassing + 1);
		lines_meta(out, key, session_said(session, session->bypassing[done->n_bypassing]));
	}
}

void describe_new(struct describe *done, struct session *session, uint32_t shift, struct lines *out)
{
	/* first: their sites are among those that are seen then */
	uint32_t n_paths = atomic_load_explicit(&session->n_paths, memory_order_acquire);
	uint32_t n_sites = atomic_load_explicit(&session->n_sites, memory_order_acquire);
	uint32_t n_modules = atomic_load_explicit(&session->n_modules, memory_order_acquire);

	/* counts of shared memory; number 0 of sites and paths is none */
	if (n_sites >= SESSION_SITES)
		n_sites = SESSION_SITES - 1;
	if (n_paths >= SESSION_PATHS)
		n_paths = SESSION_PATHS - 1;
	if (n_modules > SESSION_MODULES)
		n_modules = SESSION_MODULES;
	if (!done->begun) {
		put_program(session, out);
		put_sync(out, session->begin, shift);
		put_sync(out, clock_pair(&session->clock), shift);
	}
	for (; done->n_modules < n_modules; done->n_modules++)
		put_module(out, done->n_modules, session);
	describe_runtimes(done, session, out);
	put_bypassing(done, session, out);
	put_costs(done, session, out);
	done->begun = true;
	while (done->n_sites < n_sites) {
		done->n_sites++;
		put_site(out, done->n_sites, session);
	}
	while (done->n_paths < n_paths) {
		const struct session_path *path = &session->path[++done->n_paths];

		/* a parent is known before its children; anything else is damage, and would go in
		 * circles */
		if (path->parent < done->n_paths)
			defs_put(out, DEFS_PATH, done->n_paths,
				 &(struct defs_path){ path->site, path->parent });
	}
}
