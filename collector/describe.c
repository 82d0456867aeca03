/* SPDX-License-Identifier: MIT */
/* describe.c - writes the definitions of a running session. */
#include "collector/describe.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "collector/defs.h"
#include "collector/path.h"
#include "preload/worker.h"

#define COMMAND_MAX 4096

static void put_meta(FILE *out, const char *key, const char *value)
{
	char *escaped = malloc(3 * strlen(value) + 1);

	if (escaped)
		fprintf(out, "meta %s %s\n", key, defs_escape(escaped, value));
	free(escaped);
}

static void put_command(FILE *out)
{
	char text[COMMAND_MAX];
	FILE *in = fopen("/proc/self/cmdline", "re");
	size_t n = in ? fread(text, 1, sizeof(text) - 1, in) : 0;

	if (in)
		fclose(in);
	while (n && text[n - 1] == 0)
		n--;
	for (size_t i = 0; i < n; i++)
		if (text[i] == 0)
			text[i] = ' ';
	text[n] = 0;
	put_meta(out, "command", text);
}

static void put_program(struct session *session, FILE *out)
{
	struct utsname host;
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n >= 0) {
		path[n] = 0;
		put_meta(out, "exe", path);
	}
	put_command(out);
	if (uname(&host) == 0) {
		put_meta(out, "host", host.nodename);
		put_meta(out, "kernel", host.release);
		put_meta(out, "machine", host.machine);
	}
	if (path_rank())
		put_meta(out, "rank", path_rank());
	fprintf(out, "meta pid %d\nmeta ppid %d\nmeta cores %ld\nmeta recorded %lld\n",
		session->pid, (int)getppid(), sysconf(_SC_NPROCESSORS_ONLN), (long long)time(NULL));
	fprintf(out, "meta event_cost_ps %u\n", session->event_ps);
	fprintf(out, "clock %s\n", clock_source_name(session->clock));
}

static void put_sync(FILE *out, struct clock_pair pair, uint32_t shift)
{
	fprintf(out, "sync %llu %llu\n", (unsigned long long)(pair.ticks >> shift),
		(unsigned long long)pair.ns);
}

static void put_module(FILE *out, uint32_t i, const struct session_module *module)
{
	char path[3 * PATH_MAX + 1] = "";

	if (strlen(module->path) < PATH_MAX)
		defs_escape(path, module->path);
	fprintf(out, "module %u start=0x%llx end=0x%llx bias=0x%llx build-id=", i,
		(unsigned long long)module->start, (unsigned long long)module->end,
		(unsigned long long)module->bias);
	for (uint32_t k = 0; k < module->build_id_bytes; k++)
		fprintf(out, "%02x", module->build_id[k]);
	fprintf(out, " path=%s\n", path);
}

static void put_field(FILE *out, const char *key, const char *value)
{
	char *escaped = value ? malloc(3 * strlen(value) + 1) : NULL;

	if (escaped)
		fprintf(out, " %s=%s", key, defs_escape(escaped, value));
	free(escaped);
}

static void put_site(FILE *out, uint32_t i, const struct session_site *site)
{
	fprintf(out, "site %u runtime=%u ret=0x%llx fn=0x%llx", i, site->runtime,
		(unsigned long long)site->return_address, (unsigned long long)site->function);
	put_field(out, "name", site->name);
	fputc('\n', out);
}

static void put_runtimes(struct describe *done, struct session *session, FILE *out)
{
	uint32_t n = atomic_load_explicit(&session->n_runtimes, memory_order_acquire);

	for (uint32_t i = 0; i < n; i++) {
		struct session_runtime *runtime = &session->runtime[i];
		uint32_t n_workers = atomic_load(&runtime->n_workers);
		const char *note = atomic_load(&runtime->note);

		if (i < done->n_runtimes && n_workers == done->runtime_workers[i] &&
		    note == done->runtime_note[i])
			continue;
		fprintf(out, "runtime %u", i);
		put_field(out, "name", runtime->name);
		put_field(out, "version", runtime->version);
		fprintf(out, " workers=%u", n_workers);
		put_field(out, "note", note);
		fputc('\n', out);
		done->runtime_workers[i] = n_workers;
		done->runtime_note[i] = note;
	}
	done->n_runtimes = n;
}

void describe_whole(struct clock_pair instant, uint32_t shift, FILE *out)
{
	put_sync(out, instant, shift);
	fprintf(out, "whole %llu\n", (unsigned long long)(instant.ticks >> shift));
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

	if (!done->begun) {
		put_program(session, out);
		put_sync(out, session->begin, shift);
		put_sync(out, clock_pair(session->clock), shift);
		done->begun = true;
	}
	for (; done->n_modules < n_modules; done->n_modules++)
		put_module(out, done->n_modules, &session->module[done->n_modules]);
	put_runtimes(done, session, out);
	while (done->n_sites < n_sites) {
		done->n_sites++;
		put_site(out, done->n_sites, &session->site[done->n_sites]);
	}
}

uint64_t describe_lost(struct session *session)
{
	uint32_t n = atomic_load_explicit(&session->n_workers, memory_order_acquire);
	uint64_t lost = 0;

	for (uint32_t i = 0; i < n; i++)
		lost += atomic_load(&atomic_load(&session->worker[i])->lost);
	return lost;
}
