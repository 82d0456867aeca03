/* SPDX-License-Identifier: MIT */
/* process_limit.c - counts the user's threads by /proc, where all threads there are come near. */
#include "collector/session/process_limit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/session/cgroup.h"
#include "collector/session/proc.h"

#define TEXT_BYTES 128u

/* Of all users: "LOAD LOAD LOAD RUNNING/ALL PID". */
static uint64_t count_all(void)
{
	char text[TEXT_BYTES], *at;

	proc_text("/proc/loadavg", text, sizeof(text));
	at = strchr(text, '/');
	return at ? strtoull(at + 1, NULL, 10) : 0;
}

/* Whether the kernel limits not even that user: root, if it is so outside of all user namespaces,
 * as where all ids are their own. */
static bool is_exempt(uid_t user)
{
	char text[TEXT_BYTES], *at;

	if (user != 0)
		return false;
	proc_text("/proc/self/uid_map", text, sizeof(text));
	return !text[0] || (strtoull(text, &at, 10) == 0 && strtoull(at, &at, 10) == 0 &&
			    strtoull(at, NULL, 10) == UINT32_MAX);
}

/* Threads of a user. */
struct count {
	uid_t user;
	uint64_t n;
};

/* Those of one process, if it is the user's. */
static bool count_of(void *arg, uint32_t pid)
{
	struct count *count = arg;
	struct procstat stat;
	struct stat st;
	char path[32];
	const char *threads;
	uint64_t n;

	snprintf(path, sizeof(path), "/proc/%u", pid);
	if (syscall(SYS_newfstatat, AT_FDCWD, path, &st, 0) < 0 || st.st_uid != count->user ||
	    !procstat_read(&stat, (pid_t)pid, 0))
		return true;
	threads = procstat_field(&stat, PROCSTAT_THREADS);
	n = threads ? strtoull(threads, NULL, 10) : 1;
	count->n += n ? n : 1; /* a zombie is one */
	return true;
}

static uint64_t count_users(uid_t user)
{
	struct count count = { .user = user };

	proc_numbers("/proc", count_of, &count);
	return count.n;
}

/* Whether the user may have n more. */
static bool user_may_have(uint64_t n)
{
	uid_t user = (uid_t)syscall(SYS_getuid);
	struct rlimit limit;

	if (is_exempt(user) || syscall(SYS_prlimit64, 0, RLIMIT_NPROC, NULL, &limit) < 0 ||
	    limit.rlim_cur == RLIM_INFINITY)
		return true;
	/* the first are no fewer, and each of the user's processes takes a file to read */
	return count_all() + n <= limit.rlim_cur || count_users(user) + n <= limit.rlim_cur;
}

/* Levels of nested teams are multiplied: "4,2" is eight threads. */
static uint64_t team_of(uint32_t n_cpus)
{
	const char *at = getenv("OMP_NUM_THREADS");
	uint64_t n = 1;

	while (at && *at) {
		char *behind;
		uint64_t level = strtoull(at, &behind, 10);

		if (behind == at || level > UINT16_MAX || n > UINT16_MAX)
			break;
		n *= level ? level : 1;
		at = *behind == ',' ? behind + 1 : NULL;
	}
	return n > n_cpus ? n : n_cpus;
}

bool process_limit_fits(uint32_t n_own, uint32_t n_cpus)
{
	uint64_t n = n_own + team_of(n_cpus);
	struct cgroup cgroup;
	int saved = errno;
	bool fits = user_may_have(n);

	if (fits) {
		cgroup_find(&cgroup, "pids", "");
		fits = n <= cgroup_pids_left(&cgroup);
	}
	errno = saved;
	return fits;
}
