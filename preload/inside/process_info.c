/* SPDX-License-Identifier: MIT */
/* process_info.c - how the process began, its name, command, place and wishes. */
#include "preload/inside/process_info.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "collector/session/cgroup.h"
#include "collector/session/environment.h"
#include "collector/session/proc.h"
#include "collector/trace/create.h"

#define CPU_BYTES 1024u /* a mask of 8192 CPUs */
#define COMMAND_MAX 4096

/* ---- how it began ---- */

static struct {
	pid_t pid;
	uint64_t ns;
	uint32_t n_cpus;
	long seccomp;
	_Atomic uint32_t n_filters; /* since, and those that are about to be */
} beginning;

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts = { 0 };

	syscall(SYS_clock_gettime, clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Of the calling thread; or -1. */
static long seccomp_mode(void)
{
	return syscall(SYS_prctl, PR_GET_SECCOMP, 0, 0, 0, 0);
}

/* Of the trace: a daemon that allows all to its own files means those. */
static void note_umask(void)
{
	const mode_t mask = (mode_t)syscall(SYS_umask, 077);

	syscall(SYS_umask, mask);
	create_allow(0666 & ~mask);
}

void process_note(void)
{
	static unsigned long mask[CPU_BYTES / sizeof(unsigned long)];
	long bytes = syscall(SYS_sched_getaffinity, 0, sizeof(mask), mask);

	beginning.pid = (pid_t)syscall(SYS_getpid);
	beginning.ns = clock_ns(CLOCK_MONOTONIC);
	beginning.seccomp = seccomp_mode();
	note_umask();
	for (long i = 0; i < bytes / (long)sizeof(mask[0]); i++)
		beginning.n_cpus += (uint32_t)__builtin_popcountl(mask[i]);
}

bool process_is_forked(void)
{
	return beginning.pid != (pid_t)syscall(SYS_getpid);
}

/* Ticks since the machine booted; 0 if they are not to be had. */
static uint64_t start_ticks(void)
{
	static struct procstat stat;
	const char *at =
		procstat_read(&stat, 0, 0) ? procstat_field(&stat, PROCSTAT_STARTTIME) : NULL;

	return at ? strtoull(at, NULL, 10) : 0;
}

/* When the process began, on CLOCK_MONOTONIC; 0: not known. */
static uint64_t began_ns_of(void)
{
	uint64_t ticks, now_ns, began_ns;
	long a_second = sysconf(_SC_CLK_TCK);

	if (!process_is_forked())
		return beginning.ns;
	ticks = start_ticks();
	if (!ticks || a_second <= 0)
		return 0;
	began_ns = ticks / (uint64_t)a_second * 1000000000u +
		   ticks % (uint64_t)a_second * (1000000000u / (uint64_t)a_second);
	now_ns = clock_ns(CLOCK_BOOTTIME); /* which counts while the machine sleeps */
	if (now_ns < began_ns)
		return 0;
	now_ns -= began_ns;
	return clock_ns(CLOCK_MONOTONIC) > now_ns ? clock_ns(CLOCK_MONOTONIC) - now_ns : 0;
}

void process_filters(bool on)
{
	atomic_fetch_add(&beginning.n_filters, on ? 1 : -1u);
}

/* Who filters by a call that is not seen may be asked, unless that is what the filter forbids. */
bool process_may_open(void)
{
	return !atomic_load(&beginning.n_filters) && seccomp_mode() == beginning.seccomp;
}

/* What the quotas of its cgroups leave now, in thousandths of a CPU; 0: all. */
static uint64_t quota_milli(void)
{
	static struct cgroup cgroup; /* a thread's stack may be small */
	uint64_t n;

	cgroup_find(&cgroup, "cpu", "");
	n = cgroup_cpu_milli(&cgroup);
	return n == CGROUP_NO_LIMIT ? 0 : n;
}

/* ---- what a launcher of many processes (MPI, Slurm) says of it ---- */

/* The variables, each list up to NULL.  An MPI library's own word comes before that of the batch
 * system around it. */
static const char *const rank_variables[] = {
	"PMIX_RANK",	       "OMPI_COMM_WORLD_RANK", "PMI_RANK",	     "PMI_ID",
	"MV2_COMM_WORLD_RANK", "FLUX_TASK_RANK",       "JSM_NAMESPACE_RANK", "PALS_RANKID",
	"ALPS_APP_PE",	       "SLURM_PROCID",	       NULL
};
static const char *const ranks_variables[] = {
	"OMPI_COMM_WORLD_SIZE", "PMI_SIZE",	"MV2_COMM_WORLD_SIZE", "FLUX_JOB_SIZE",
	"JSM_NAMESPACE_SIZE",	"SLURM_NTASKS", "SLURM_NPROCS",	       NULL
};
static const char *const local_rank_variables[] = {
	"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",	  "MV2_COMM_WORLD_LOCAL_RANK",
	"FLUX_TASK_LOCAL_ID",	      "JSM_NAMESPACE_LOCAL_RANK", "PALS_LOCAL_RANKID",
	"SLURM_LOCALID",	      NULL
};
static const char *const job_variables[] = { "PMIX_NAMESPACE", "FLUX_JOB_ID", "PALS_APID", NULL };

/* The first of these variables that is set; NULL. */
static const char *first_set(const char *const *variable)
{
	for (; *variable; variable++) {
		const char *value = getenv(*variable);

		if (value && *value)
			return value;
	}
	return NULL;
}

/* The name of the job, the same for all ranks.  Slurm's job alone may have many steps, one after
 * the other. */
static const char *launcher_job(char *out, size_t room)
{
	const char *slurm = getenv("SLURM_JOB_ID"), *step = getenv("SLURM_STEP_ID");
	const char *job = first_set(job_variables);

	if (job || !slurm || !step)
		return job;
	snprintf(out, room, "%s.%s", slurm, step);
	return out;
}

/* ---- what it is ---- */

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
	info->rank = keep_text(session, first_set(rank_variables));
	info->ranks = keep_text(session, first_set(ranks_variables));
	info->local_rank = keep_text(session, first_set(local_rank_variables));
	info->job = keep_text(session, options_variable("TPTRACE_JOB"));
	info->params = keep_text(session, options_variable("TPTRACE_PARAM"));
	info->baseline = keep_text(session, options_variable("TPTRACE_BASELINE"));
	info->launcher = keep_text(session, launcher_job(launcher, sizeof(launcher)));
	info->batch = keep_text(session, getenv("SLURM_JOB_ID"));
	info->program = keep_text(session, program_invocation_short_name);
	info->output = keep_text(session, options_variable("TPTRACE_OUTPUT"));
	info->folder = keep_folder(session);
	info->began_ns = began_ns_of();
	info->affinity = beginning.n_cpus;
	info->quota_milli = quota_milli();
	info->cores = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
	info->recorded = (int64_t)time(NULL);
	info->detailed = verbose && strcmp(verbose, "1") == 0;
	info->quiet = verbose && *verbose ? strcmp(verbose, "0") == 0 : !isatty(STDERR_FILENO);
}
