/* SPDX-License-Identifier: MIT */
/* process_info.c - the process's name, command, place and wishes. */
#include "preload/inside/process_info.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "preload/inside/beginning.h"
#include "collector/session/environment.h"
#include "collector/session/launcher.h"

#define COMMAND_MAX 4096

static char command[COMMAND_MAX]; /* as the process began: some programs write into their argv */

__attribute__((constructor)) static void note_command(int argc, char **argv)
{
	size_t n = 0;

	for (int i = 0; i < argc && argv[i]; i++) {
		if (i && n < COMMAND_MAX - 1)
			command[n++] = ' ';
		for (const char *at = argv[i]; *at && n < COMMAND_MAX - 1; at++)
			command[n++] = *at;
	}
}

static session_text keep_command(struct session *session)
{
	return session_keep(session, command[0] ? command : program_invocation_name);
}

static session_text keep_link(struct session *session, const char *link)
{
	static char path[PATH_MAX];
	ssize_t n = readlink(link, path, sizeof(path) - 1);

	path[n > 0 ? n : 0] = 0;
	return session_keep(session, path);
}

/* Without /proc, as the program was called. */
static session_text keep_exe(struct session *session)
{
	session_text kept = keep_link(session, "/proc/self/exe");
	const char *called = (const char *)getauxval(AT_EXECFN);

	return kept || !called ? kept : session_keep(session, called);
}

static session_text keep_folder(struct session *session)
{
	static char path[PATH_MAX];
	session_text kept = keep_link(session, "/proc/self/cwd");

	return !kept && getcwd(path, sizeof(path)) ? session_keep(session, path) : kept;
}

static session_text keep_text(struct session *session, const char *text)
{
	return text ? session_keep(session, text) : 0;
}

void process_info_gather(struct session *session)
{
	struct process_info *info = &session->process;
	const char *verbose = options_variable("TPTRACE_VERBOSE");
	struct utsname host;
	char launcher[128];

	*info = (struct process_info){ .ppid = (int)getppid(),
					 .slow = info->slow, /* probes said so before */
					 .virtual = info->virtual };
	info->exe = keep_exe(session);
	info->command = keep_command(session);
	if (uname(&host) == 0) {
		info->host = keep_text(session, host.nodename);
		info->kernel = keep_text(session, host.release);
		info->machine = keep_text(session, host.machine);
	}
	info->rank = keep_text(session, launcher_rank());
	info->ranks = keep_text(session, launcher_ranks());
	info->local_rank = keep_text(session, launcher_local_rank());
	info->job = keep_text(session, options_variable("TPTRACE_JOB"));
	info->params = keep_text(session, options_variable("TPTRACE_PARAM"));
	info->baseline = keep_text(session, options_variable("TPTRACE_BASELINE"));
	info->launcher = keep_text(session, launcher_job(launcher, sizeof(launcher)));
	info->program = keep_text(session, program_invocation_short_name);
	info->output = keep_text(session, options_variable("TPTRACE_OUTPUT"));
	info->folder = keep_folder(session);
	info->began_ns = beginning_ns();
	info->affinity = beginning_affinity();
	info->quota_milli = beginning_quota_milli();
	info->cores = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
	info->recorded = (int64_t)time(NULL);
	info->detailed = verbose && strcmp(verbose, "1") == 0;
	info->quiet = verbose && *verbose ? strcmp(verbose, "0") == 0 : !isatty(STDERR_FILENO);
}
