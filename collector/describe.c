/* SPDX-License-Identifier: MIT */
/* describe.c - writes the definitions of a running session. */
#include "collector/describe.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/defs.h"

#define COMMAND_MAX 4096

static void put_meta(FILE *out, const char *key, const char *value)
{
	char *escaped = malloc(3 * strlen(value) + 1);

	if (escaped && *value)
		fprintf(out, "meta %s %s\n", key, defs_escape(escaped, value));
	free(escaped);
}

static void put_program(const struct session *session, FILE *out)
{
	const struct session_facts *facts = &session->facts;

	put_meta(out, "exe", session_said(session, facts->exe));
	put_meta(out, "command", session_said(session, facts->command));
	put_meta(out, "host", session_said(session, facts->host));
	put_meta(out, "kernel", session_said(session, facts->kernel));
	put_meta(out, "machine", session_said(session, facts->machine));
	put_meta(out, "rank", session_said(session, facts->rank));
	put_meta(out, "ranks", session_said(session, facts->ranks));
	put_meta(out, "local_rank", session_said(session, facts->local_rank));
	put_meta(out, "ring", session_said(session, facts->ring));
	fprintf(out, "meta pid %d\nmeta ppid %d\nmeta cores %u\nmeta recorded %lld\n", session->pid,
		facts->ppid, facts->cores, (long long)facts->recorded);
	if (session->outside) /* and we are it */
		fprintf(out, "meta collector %d\n", (int)getpid());
	if (facts->cpus)
		fprintf(out, "meta cpus %u\n", facts->cpus);
	if (facts->began_ns)
		fprintf(out, "meta began_ns %llu\n", (unsigned long long)facts->began_ns);
	fprintf(out, "meta event_cost_ps %u\n", session->event_ps);
	fprintf(out, "clock %s\n", clock_source_name(session->clock));
}

static void put_sync(FILE *out, struct clock_pair pair, uint32_t shift)
{
	fprintf(out, "sync %llu %llu\n", (unsigned long long)(pair.ticks >> shift),
		(unsigned long long)pair.ns);
}

static void put_module(FILE *out, uint32_t i, const struct session *session)
{
	const struct session_module *module = &session->module[i];
	const char *said = session_said(session, module->path);
	char path[3 * PATH_MAX + 1] = "";

	if (strlen(said) < PATH_MAX)
		defs_escape(path, said);
	fprintf(out, "module %u start=0x%llx end=0x%llx bias=0x%llx build-id=", i,
		(unsigned long long)module->start, (unsigned long long)module->end,
		(unsigned long long)module->bias);
	for (uint32_t k = 0; k < module->build_id_bytes && k < sizeof(module->build_id); k++)
		fprintf(out, "%02x", module->build_id[k]);
	fprintf(out, " path=%s\n", path);
}

static void put_field(FILE *out, const char *key, const char *value)
{
	char *escaped = *value ? malloc(3 * strlen(value) + 1) : NULL;

	if (escaped)
		fprintf(out, " %s=%s", key, defs_escape(escaped, value));
	free(escaped);
}

static void put_site(FILE *out, uint32_t i, const struct session *session)
{
	const struct session_site *site = &session->site[i];

	fprintf(out, "site %u runtime=%u ret=0x%llx fn=0x%llx", i, site->runtime,
		(unsigned long long)site->return_address, (unsigned long long)site->function);
	if (site->return_module)
		fprintf(out, " ret-module=%u", site->return_module - 1);
	if (site->function_module)
		fprintf(out, " fn-module=%u", site->function_module - 1);
	put_field(out, "name", session_said(session, site->name));
	fputc('\n', out);
}

static void put_runtimes(struct describe *done, struct session *session, FILE *out)
{
	uint32_t n = atomic_load_explicit(&session->n_runtimes, memory_order_acquire);

	if (n > SESSION_RUNTIMES)
		n = SESSION_RUNTIMES;
	for (uint32_t i = 0; i < n; i++) {
		struct session_runtime *runtime = &session->runtime[i];
		uint32_t n_workers = atomic_load(&runtime->n_workers);
		session_text note = atomic_load(&runtime->note);
		char name[sizeof(runtime->name) + 1] = "",
						  version[sizeof(runtime->version) + 1] = "";

		if (i < done->n_runtimes && n_workers == done->runtime_workers[i] &&
		    note == done->runtime_note[i])
			continue;
		fprintf(out, "runtime %u", i);
		memcpy(name, runtime->name, sizeof(runtime->name));
		memcpy(version, runtime->version, sizeof(runtime->version));
		put_field(out, "name", name);
		put_field(out, "version", version);
		fprintf(out, " workers=%u", n_workers);
		put_field(out, "note", session_said(session, note));
		fputc('\n', out);
		done->runtime_workers[i] = n_workers;
		done->runtime_note[i] = note;
	}
	done->n_runtimes = n;
}

void describe_whole(struct clock_pair instant, uint64_t whole_units, uint32_t shift, FILE *out)
{
	put_sync(out, instant, shift);
	fprintf(out, "whole %llu\n", (unsigned long long)whole_units);
}

void describe_mark(const struct session_mark *mark, uint32_t shift, FILE *out)
{
	static const char *const word[] = { [MARK_START] = "start",
					    [MARK_STOP] = "stop",
					    [MARK_PHASE] = "phase",
					    [MARK_BEGIN] = "begin",
					    [MARK_END] = "end" };
	char name[3 * sizeof(mark->name) + 1];

	if (mark->what >= sizeof(word) / sizeof(word[0]))
		return;
	fprintf(out, "mark %llu %s", (unsigned long long)(mark->ticks >> shift), word[mark->what]);
	if (mark->name[0])
		fprintf(out, " %s", defs_escape(name, mark->name));
	fputc('\n', out);
}

void describe_new(struct describe *done, struct session *session, uint32_t shift, FILE *out)
{
	uint32_t n_sites = atomic_load_explicit(&session->n_sites, memory_order_acquire);
	uint32_t n_modules = atomic_load_explicit(&session->n_modules, memory_order_acquire);

	if (n_sites >= SESSION_SITES)
		n_sites = SESSION_SITES - 1;
	if (n_modules > SESSION_MODULES)
		n_modules = SESSION_MODULES;
	if (!done->begun) {
		put_program(session, out);
		put_sync(out, session->begin, shift);
		put_sync(out, clock_pair(session->clock), shift);
		done->begun = true;
	}
	for (; done->n_modules < n_modules; done->n_modules++)
		put_module(out, done->n_modules, session);
	put_runtimes(done, session, out);
	while (done->n_sites < n_sites) {
		done->n_sites++;
		put_site(out, done->n_sites, session);
	}
}

static void add_told(struct defs_hidden *hidden, const struct defs *told, uint32_t site)
{
	const struct defs_hidden *more = site < told->n_sites ? told->site[site].hidden : NULL;

	if (!more || more->n_tasks == 0)
		return;
	hidden->n_tasks += more->n_tasks;
	hidden->work += more->work;
	hidden->ready += more->ready;
	hidden->least = more->least < hidden->least ? more->least : hidden->least;
	hidden->most = more->most > hidden->most ? more->most : hidden->most;
	for (uint32_t k = 0; k < WIRE_BUCKETS; k++)
		hidden->n_by_work[k] += more->n_by_work[k];
}

void describe_hidden(const struct collapse *collapse, const struct defs *told, uint32_t shift,
		     FILE *out)
{
	const char *waits = defs_meta(told, "hidden_waits");
	uint32_t n;
	const struct collapse_tally *tally = collapse_tallies(collapse, &n);

	for (uint32_t i = 0; i < n; i++) {
		struct defs_hidden hidden = { .n_tasks = tally[i].n_tasks,
					      .work = tally[i].work >> shift,
					      .ready = tally[i].ready >> shift,
					      .least = tally[i].least >> shift,
					      .most = tally[i].most >> shift };

		if (!tally[i].n_tasks)
			continue;
		for (uint32_t k = 0; k < WIRE_BUCKETS; k++)
			hidden.n_by_work[wire_bucket(wire_bucket_least(k) >> shift)] +=
				tally[i].n_by_work[k];
		add_told(&hidden, told, tally[i].site);
		defs_put_hidden(out, tally[i].site, &hidden);
	}
	if (n)
		fprintf(out, "meta hidden_waits %llu\n",
			(unsigned long long)collapse_waits(collapse) +
				(waits ? strtoull(waits, NULL, 10) : 0));
}
