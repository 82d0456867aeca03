/* SPDX-License-Identifier: MIT */
/*
 * cgroup_test.c - what memory cgroups leave, and what the recorder takes of it: on trees of files
 * as the kernel shows them, below a folder of the test's own.
 */
#include "collector/session/cgroup.c" /* NOLINT */
#include "preload/budget.c"	      /* NOLINT */

#include <ftw.h>
#include <pthread.h>
#include <sys/stat.h>

#include "test/lib/test.h"

#define MIB (UINT64_C(1) << 20)
#define NONE "9223372036854771712\n" /* what version 1 says for no limit */

static char folder[] = "/tmp/tptrace-cgroup.XXXXXX";

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *walk)
{
	return remove(path);
}

static int begin(void **state)
{
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	root = mkdtemp(folder);
	budget_forget();
	return root ? 0 : -1;
}

static int end(void **state)
{
	return nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* A file of the tree, and the folders that it is in. */
static void put(const char *path, const char *text)
{
	char full[4096];
	FILE *out;

	snprintf(full, sizeof(full), "%s%s", folder, path);
	for (char *at = strchr(full + strlen(folder) + 1, '/'); at; at = strchr(at + 1, '/')) {
		*at = 0;
		mkdir(full, 0700);
		*at = '/';
	}
	out = fopen(full, "w");
	assert_non_null(out);
	fputs(text, out);
	fclose(out);
}

/* What that tree leaves of it; -1 without a limit. */
static long left_of(const char *controller, uint64_t left(const struct cgroup *cgroup),
		    uint64_t unit)
{
	struct cgroup cgroup;
	uint64_t n;

	cgroup_find(&cgroup, controller, folder);
	n = left(&cgroup);
	return n == CGROUP_NO_LIMIT ? -1 : (long)(n / unit);
}

/* Memory, in MiB. */
static long left(void)
{
	return left_of("memory", cgroup_left, MIB);
}

/* Thousandths of a CPU, by the quotas. */
static long milli(void)
{
	return left_of("cpu", cgroup_cpu_milli, 1);
}

/* Processes. */
static long pids(void)
{
	return left_of("pids", cgroup_pids_left, 1);
}

#define MOUNT2 "30 25 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
#define MOUNT1                                                                                     \
	"24 1 0:22 / /proc rw - proc proc rw\n"                                                    \
	"33 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"                              \
	"35 31 0:32 / /sys/fs/cgroup/memory rw shared:1 - cgroup cgroup rw,memory\n"

/* Without /proc, a hierarchy, its files or a limit there is none. */
TEST_WITH(test_nothing_known, begin, end)
{
	assert_int_equal(left(), -1);
	put("/proc/self/cgroup", "0::/a\n");
	assert_int_equal(left(), -1);
	put("/proc/self/mountinfo", "24 1 0:22 / /proc rw - proc proc rw\nnot a line\n");
	assert_int_equal(left(), -1);
	put("/proc/self/mountinfo", MOUNT2);
	assert_int_equal(left(), -1);
	put("/sys/fs/cgroup/a/memory.max", "max\n");
	put("/sys/fs/cgroup/a/memory.current", "1048576\n");
	assert_int_equal(left(), -1);
	assert_true(budget_left() == BUDGET_NO_LIMIT && budget_take(SIZE_MAX / 2, BUDGET_MORE));
}

/* The smallest rest of all levels up to the mount counts; memory.high is a limit, too. */
TEST_WITH(test_version_2, begin, end)
{
	put("/proc/self/cgroup", "0::/a/b/c\n");
	put("/proc/self/mountinfo", MOUNT2);
	put("/sys/fs/cgroup/a/b/c/memory.max", "104857600\n");
	put("/sys/fs/cgroup/a/b/c/memory.current", "4194304\n");
	assert_int_equal(left(), 96);
	put("/sys/fs/cgroup/a/memory.max", "52428800\n");
	put("/sys/fs/cgroup/a/memory.current", "12582912\n");
	assert_int_equal(left(), 38);
	put("/sys/fs/cgroup/a/b/memory.max", "max\n");
	put("/sys/fs/cgroup/a/b/memory.high", "20971520\n");
	put("/sys/fs/cgroup/a/b/memory.current", "11534336\n");
	assert_int_equal(left(), 9);
	put("/sys/fs/cgroup/a/b/memory.stat", "anon 1048576\nfile 5242880\ninactive_file 3145728\n"
					      "active_file 2097152\nshmem 4194304\n");
	assert_int_equal(left(), 14); /* what the kernel can drop is not used */
	put("/sys/fs/cgroup/a/b/memory.current", "99999999999\n");
	assert_int_equal(left(), 0);
}

/* Lines of any length, of which each hierarchy has one. */
TEST_WITH(test_version_1, begin, end)
{
	char text[20000];

	memset(text, 'x', sizeof(text));
	memcpy(text, "9:cpu:/", 7);
	strcpy(text + 9000, "\n5:hugetlb,memory:/user/a\n4:memory2:/no\n0::/\n");
	put("/proc/self/cgroup", text);
	memset(text, 'y', sizeof(text));
	memcpy(text, "24 1 0:22 / /", 13);
	strcpy(text + 12000, "\n" MOUNT1 MOUNT2);
	put("/proc/self/mountinfo", text);
	put("/sys/fs/cgroup/memory/user/a/memory.limit_in_bytes", NONE);
	put("/sys/fs/cgroup/memory/user/a/memory.usage_in_bytes", "1048576\n");
	assert_int_equal(left(), -1);
	put("/sys/fs/cgroup/memory/user/memory.limit_in_bytes", "50331648\n");
	put("/sys/fs/cgroup/memory/user/memory.usage_in_bytes", "10485760\n");
	put("/sys/fs/cgroup/memory/user/memory.stat",
	    "inactive_file 9999999\ntotal_inactive_file 1048576\ntotal_active_file 1048576\n");
	assert_int_equal(left(), 40);
	put("/sys/fs/cgroup/memory/memory.limit_in_bytes", NONE);
	assert_int_equal(left(), 40);
}

/* In a container the mount's root is its group, and in a namespace the path is of that. */
TEST_WITH(test_namespaces, begin, end)
{
	put("/proc/self/cgroup", "4:memory:/docker/abc/job\n");
	put("/proc/self/mountinfo", "35 31 0:32 /docker/abc /sys/fs/cgroup/mem\\040ory rw - cgroup "
				    "cgroup rw,memory\n");
	put("/sys/fs/cgroup/mem ory/memory.limit_in_bytes", "33554432\n");
	put("/sys/fs/cgroup/mem ory/memory.usage_in_bytes", "1048576\n");
	put("/sys/fs/cgroup/mem ory/job/memory.limit_in_bytes", "16777216\n");
	put("/sys/fs/cgroup/mem ory/job/memory.usage_in_bytes", "1048576\n");
	assert_int_equal(left(), 15);
	put("/proc/self/cgroup", "4:memory:/docker/abcdef\n"); /* not below it: what is mounted */
	assert_int_equal(left(), 31);
	put("/proc/self/cgroup", "4:memory:/docker/abc\n");
	assert_int_equal(left(), 31);
	put("/proc/self/cgroup", "0::/../other\n");
	put("/proc/self/mountinfo", MOUNT2);
	put("/sys/fs/cgroup/memory.max", "8388608\n");
	put("/sys/fs/cgroup/memory.current", "1048576\n");
	assert_int_equal(left(), 7);
}

static bool forbidden;

static bool may(void)
{
	return !forbidden;
}

/* Where no file may be opened, the last answer and what was taken since count. */
TEST_WITH(test_forbidden, begin, end)
{
	put("/proc/self/cgroup", "0::/a\n");
	put("/proc/self/mountinfo", MOUNT2);
	put("/sys/fs/cgroup/a/memory.max", "67108864\n");
	put("/sys/fs/cgroup/a/memory.current", "0\n");
	budget_give(may);
	assert_int_equal(budget_left() / MIB, 32);
	forbidden = true;
	put("/sys/fs/cgroup/a/memory.current", "67108864\n"); /* nobody sees it */
	assert_true(budget_take(24 * MIB, BUDGET_NEEDED));
	assert_int_equal(budget_left() / MIB, 8);
	budget_forget();
	assert_true(budget_left() == BUDGET_NO_LIMIT);
	forbidden = false;
	assert_int_equal(budget_left(), 0);
	budget_give(NULL);
}

/* Likewise of what is mapped. */
TEST(test_forbidden_space)
{
	const struct rlimit small = { 8192 * MIB, RLIM_INFINITY },
			    none = { RLIM_INFINITY, RLIM_INFINITY };
	uint64_t n = 0;

	NOT_SANITIZED();
	assert_int_equal(setrlimit(RLIMIT_AS, &small), 0);
	budget_forget();
	budget_give(may);
	assert_true(budget_allows(MIB));
	forbidden = true;
	while (budget_allows(MIB) && n < 8192)
		n++;
	assert_true(n > 3500 && n <= 4096);
	forbidden = false;
	assert_true(budget_allows(MIB)); /* nothing was mapped */
	budget_give(NULL);
	budget_forget();
	assert_int_equal(setrlimit(RLIMIT_AS, &none), 0);
}

/* Half is the program's, by what was taken and by what the group says; a part is for growing. */
TEST_WITH(test_room, begin, end)
{
	uint64_t taken = 0;

	put("/proc/self/cgroup", "0::/a\n");
	put("/proc/self/mountinfo", MOUNT2);
	put("/sys/fs/cgroup/a/memory.max", "67108864\n");
	put("/sys/fs/cgroup/a/memory.current", "0\n");
	assert_int_equal(budget_left() / MIB, 32);
	assert_false(budget_take(33 * MIB, BUDGET_NEEDED));
	assert_true(budget_take(8 * MIB, BUDGET_NEEDED));
	assert_int_equal(budget_left() / MIB, 24);
	put("/sys/fs/cgroup/a/memory.current", "50331648\n"); /* the program's by now */
	assert_int_equal(budget_left(), 0);
	assert_false(budget_take(4096, BUDGET_NEEDED));
	put("/sys/fs/cgroup/a/memory.current", "25165824\n");
	assert_int_equal(budget_left() / MIB, 8);
	put("/sys/fs/cgroup/a/memory.current", "8388608\n");
	while (budget_take(4096, BUDGET_MORE))
		taken += 4096;
	assert_true(taken > 7 * MIB && taken <= 8 * MIB);
	assert_true(budget_take(8 * MIB, BUDGET_NEEDED));
	budget_forget();
	put("/sys/fs/cgroup/a/memory.max", "max\n");
	assert_true(budget_left() == BUDGET_NO_LIMIT);
}

#define TAKERS 8
#define TAKES 64 /* of each, and in all twice as many as there is room for */

static pthread_barrier_t takers_ready;

static void *take(void *arg)
{
	size_t *n = arg;

	pthread_barrier_wait(&takers_ready);
	for (int i = 0; i < TAKES; i++)
		*n += budget_take(MIB / 8, BUDGET_NEEDED);
	return NULL;
}

/* Threads that take at once get no more than there is. */
TEST_WITH(test_room_of_many, begin, end)
{
	pthread_t taker[TAKERS];
	size_t n[TAKERS], sum;

	put("/proc/self/cgroup", "0::/a\n");
	put("/proc/self/mountinfo", MOUNT2);
	put("/sys/fs/cgroup/a/memory.max", "67108864\n");
	put("/sys/fs/cgroup/a/memory.current", "0\n");
	pthread_barrier_init(&takers_ready, NULL, TAKERS);
	for (int round = 0; round < 20; round++) {
		budget_forget();
		assert_int_equal(budget_left() / MIB, 32);
		sum = 0;
		memset(n, 0, sizeof(n));
		for (int i = 0; i < TAKERS; i++)
			assert_int_equal(pthread_create(&taker[i], NULL, take, &n[i]), 0);
		for (int i = 0; i < TAKERS; i++) {
			pthread_join(taker[i], NULL);
			sum += n[i];
		}
		assert_int_equal(sum, 256);
	}
	pthread_barrier_destroy(&takers_ready);
	budget_forget();
}

/* A quota at any level, rounded up to thousandths of a CPU. */
TEST_WITH(test_quota, begin, end)
{
	assert_int_equal(milli(), -1);
	put("/proc/self/cgroup", "0::/a/b\n");
	put("/proc/self/mountinfo", MOUNT2);
	assert_int_equal(milli(), -1);
	put("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
	assert_int_equal(milli(), -1);
	put("/sys/fs/cgroup/a/cpu.max", "250000 100000\n");
	assert_int_equal(milli(), 2500);
	put("/sys/fs/cgroup/a/b/cpu.max", "50000 50000\n");
	assert_int_equal(milli(), 1000);
	put("/sys/fs/cgroup/a/b/cpu.max", "nonsense\n");
	assert_int_equal(milli(), 2500);
	put("/proc/self/cgroup", "2:memory:/m\n1:cpu:/c\n");
	put("/proc/self/mountinfo", MOUNT1);
	assert_int_equal(milli(), -1);
	put("/sys/fs/cgroup/cpu/c/cpu.cfs_quota_us", "-1\n");
	put("/sys/fs/cgroup/cpu/c/cpu.cfs_period_us", "100000\n");
	assert_int_equal(milli(), -1);
	put("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "400000\n");
	put("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
	assert_int_equal(milli(), 4000);
	put("/sys/fs/cgroup/cpu/c/cpu.cfs_quota_us", "33333\n");
	assert_int_equal(milli(), 334);
	put("/sys/fs/cgroup/cpu/c/cpu.cfs_quota_us", "9223372036854775807\n");
	assert_int_equal(milli(), 4000);
}

TEST_WITH(test_processes_left, begin, end)
{
	put("/proc/self/cgroup", "0::/a/b\n");
	put("/proc/self/mountinfo", MOUNT2);
	assert_int_equal(pids(), -1);
	put("/sys/fs/cgroup/a/b/pids.max", "max\n");
	put("/sys/fs/cgroup/a/b/pids.current", "3\n");
	assert_int_equal(pids(), -1);
	put("/sys/fs/cgroup/a/pids.max", "10\n");
	put("/sys/fs/cgroup/a/pids.current", "7\n");
	assert_int_equal(pids(), 3);
	put("/sys/fs/cgroup/a/b/pids.max", "2\n"); /* it was lowered since */
	assert_int_equal(pids(), 0);
}

/* Of what the limits on address space and on data left when they were asked first, half. */
TEST_WITH(test_limits_of_the_process, begin, end)
{
	struct rlimit before, limit;

	for (unsigned i = 0; i < N_LIMITS; i++) {
		look_at_limits(&limits[i]);
		getrlimit((__rlimit_resource_t)limits[i].resource, &before);
		limit = (struct rlimit){ limits[i].seen + 64 * MIB, before.rlim_max };
		setrlimit((__rlimit_resource_t)limits[i].resource, &limit);
		assert_true(budget_allows_own(31 * MIB));
		assert_false(budget_allows_own(33 * MIB));
		assert_int_equal(budget_allows(33 * MIB), i == DATA);
		void *taken = map_zeroed(8 * MIB);

		assert_non_null(taken);
		assert_true(budget_allows_own(23 * MIB));
		assert_false(budget_allows_own(25 * MIB));
		munmap(taken, 8 * MIB);
		setrlimit((__rlimit_resource_t)limits[i].resource, &before);
		budget_forget();
	}
}
