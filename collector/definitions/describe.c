/* SPDX-License-Identifier: MIT */
/* describe.c - writes the definitions of a running session. */
#include "collector/definitions/describe.h"

#include <limits.h>
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

static void describe_counters(const struct session *session, struct lines *out)
{
	lines_meta(out, "counters_missing", session_said(session, session->counters_missing));
	for (uint32_t i = 0; i < session->n_counters && i < SESSION_COUNTERS; i++) {
		lines_print(out, "counter %u", i);
		lines_field(out, "name", session_said(session, session->counter[i].name));
		lines_field(out, "unit", session_said(session, session->counter[i].unit));
		lines_print(out, "\n");
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
	lines_print(out, "sync %llu %llu\n", (unsigned long long)(pair.ticks >> shift),
		    (unsigned long long)pair.ns);
}

static void put_module(struct lines *out, uint32_t i, const struct session *session)
{
	const struct session_module *module = &session->module[i];
	const char *path = session_said(session, module->path);

	lines_print(out, "module %u start=0x%llx end=0x%llx bias=0x%llx build-id=", i,
		    (unsigned long long)module->start, (unsigned long long)module->end,
		    (unsigned long long)module->bias);
	for (uint32_t k = 0; k < module->build_id_bytes && k < sizeof(module->build_id); k++)
		lines_print(out, "%02x", module->build_id[k]);
	/* session_said() bounds it by the session's texts, which the program can write to */
	lines_field(out, "path", strlen(path) < PATH_MAX ? path : "");
	lines_print(out, "\n");
}

static void put_site(struct lines *out, uint32_t i, const struct session *session)
{
	const struct session_site *site = &session->site[i];

	lines_print(out, "site %u runtime=%u ret=0x%llx fn=0x%llx", i, site->runtime,
		    (unsigned long long)site->return_address, (unsigned long long)site->function);
	if (site->return_module)
		lines_print(out, " ret-module=%u", site->return_module - 1);
	if (site->function_module)
		lines_print(out, " fn-module=%u", site->function_module - 1);
	lines_field(out, "name", session_said(session, site->name));
	if (site->file) {
		lines_field(out, "file", session_said(session, site->file));
		lines_print(out, " line=%u", site->line);
	}
	lines_print(out, "\n");
}

static void describe_runtimes(struct describe *done, struct session *session, struct lines *out)
{
	uint32_t n = atomic_load_explicit(&session->n_runtimes, memory_order_acquire);

	if (n > SESSION_RUNTIMES)
		n = SESSION_RUNTIMES;
	for (uint32_t i = 0; i < n; i++) {
		struct session_runtime *runtime = &session->runtime[i];
		uint32_t n_workers = atomic_load(&session->noted.runtime_workers[i]);
		uint32_t calls = atomic_load(&runtime->calls_ps);
		uint32_t tokens = atomic_load(&runtime->tokens);
		session_text note = atomic_load(&runtime->note);
		session_text unlinked = atomic_load(&runtime->unlinked);
		char name[sizeof(runtime->name) + 1] = "",
						  version[sizeof(runtime->version) + 1] = "";

		if (i < done->n_runtimes && n_workers == done->runtime_workers[i] &&
		    calls == done->runtime_calls[i] && tokens == done->runtime_tokens[i] &&
		    note == done->runtime_note[i] &&
		    unlinked == done->runtime_unlinked[i])
			continue;
		/* the whole line again: for a reader the last one counts */
		lines_print(out, "runtime %u", i);
		memcpy(name, runtime->name, sizeof(runtime->name));
		memcpy(version, runtime->version, sizeof(runtime->version));
		lines_field(out, "name", name);
		lines_field(out, "version", version);
		lines_print(out, " workers=%u", n_workers);
		if (calls)
			lines_print(out, " calls-ps=%u", calls);
		if (tokens)
			lines_print(out, " tokens=%u", tokens);
		lines_field(out, "note", session_said(session, note));
		lines_field(out, "unlinked", session_said(session, unlinked));
		lines_print(out, "\n");
		done->runtime_workers[i] = n_workers;
		done->runtime_calls[i] = calls;
		done->runtime_tokens[i] = tokens;
		done->runtime_note[i] = note;
		done->runtime_unlinked[i] = unlinked;
	}
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
	static const char *const word[] = { [MARK_START] = "start",
					    [MARK_STOP] = "stop",
					    [MARK_PHASE] = "phase",
					    [MARK_BEGIN] = "begin",
					    [MARK_END] = "end" };

	if (mark->what >= sizeof(word) / sizeof(word[0]))
		return;
	lines_print(out, "mark %llu %s", (unsigned long long)(mark->ticks >> shift),
		    word[mark->what]);
	lines_word(out, mark->name[0] ? mark->name : NULL);
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
			lines_print(out, "path %u site=%u parent=%u\n", done->n_paths, path->site,
				    path->parent);
	}
}
