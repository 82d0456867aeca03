/* SPDX-License-Identifier: MIT */
/* budget.c - the limits on address space, data and memory, and what of them is in use. */
#include "preload/budget.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "collector/session/cgroup.h"
#include "collector/session/proc.h"

#define MORE_PART 4u /* of the recorder's memory, this part is for BUDGET_MORE, .. */
#define MORE_STEP 8u /* .. and of what is left of it, this part may be taken at once */

static struct {
	struct cgroup cgroup;
	_Atomic uint64_t most, taken; /* the recorder's; most is 0: not asked yet */
	_Atomic uint64_t more;	      /* of that, what was taken as BUDGET_MORE */
	_Atomic uint64_t seen;	      /* that the cgroups left when they were asked last */
	_Atomic uint32_t asking;
} budget;

static bool (*may_open)(void); /* NULL: always */
static const char *root = ""; /* before the paths of the cgroups: a test's */

/* A limit of the process, and which number of /proc/self/statm counts against it. */
struct process_limit {
	int resource;
	unsigned field;
	_Atomic uint64_t most; /* bytes in use before the recorder stops taking; 0: not asked yet */
	_Atomic uint64_t seen; /* in use when it was asked last, and taken since; 0: unknown */
};

enum { SPACE, DATA, N_LIMITS };

static struct process_limit limits[N_LIMITS] = {
	[SPACE] = { .resource = RLIMIT_AS, .field = 0 },
	[DATA] = { .resource = RLIMIT_DATA, .field = 5 }, /* stacks as well, which do not count */
};

static bool may_ask(void)
{
	return !may_open || may_open();
}

void budget_give(bool (*opens)(void))
{
	may_open = opens;
}

/* Asks what is in use, where that is allowed. */
static void look_at_limits(struct process_limit *limit)
{
	char text[160], *at = text; /* "PAGES PAGES .." */
	uint64_t pages = 0;

	if (!may_ask() || !proc_text("/proc/self/statm", text, sizeof(text)))
		return;
	for (unsigned i = 0; i <= limit->field; i++)
		pages = strtoull(at, &at, 10);
	atomic_store(&limit->seen, pages * (uint64_t)sysconf(_SC_PAGESIZE));
}

/* Half of what is not in use yet, and all that is, may be in use; UINT64_MAX: no limit. */
static uint64_t find_most(struct process_limit *limit)
{
	uint64_t most = UINT64_MAX;
	struct rlimit is;

	if (getrlimit((__rlimit_resource_t)limit->resource, &is) == 0 &&
	    is.rlim_cur != RLIM_INFINITY) {
		look_at_limits(limit);
		most = (is.rlim_cur + atomic_load(&limit->seen)) / 2;
	}
	atomic_store(&limit->most, most);
	return most;
}

static bool is_within(struct process_limit *limit, size_t bytes)
{
	uint64_t most = atomic_load(&limit->most), used;

	if (most == 0) /* who asks at the same time finds about the same */
		most = find_most(limit);
	if (most == UINT64_MAX)
		return true;
	look_at_limits(limit);
	used = atomic_load(&limit->seen);
	if (used && used + bytes > most)
		return false;
	atomic_fetch_add(&limit->seen, used ? bytes : 0);
	return true;
}

bool budget_allows(size_t bytes)
{
	return is_within(&limits[SPACE], bytes);
}

bool budget_allows_own(size_t bytes)
{
	return is_within(&limits[DATA], bytes) && budget_allows(bytes);
}

/* One asks at a time; who comes meanwhile, or may not ask, has the last answer. */
static uint64_t ask_cgroups(void)
{
	if (!may_ask() || atomic_exchange(&budget.asking, 1))
		return atomic_load(&budget.seen);
	atomic_store(&budget.seen, cgroup_left(&budget.cgroup));
	atomic_store(&budget.asking, 0);
	return atomic_load(&budget.seen);
}

/* A cgroup counts memory only once it is written to: checks our own sum as well. */
uint64_t budget_left(void)
{
	uint64_t at_most = atomic_load(&budget.most), taken, now;

	if (at_most == 0 && !may_ask())
		return BUDGET_NO_LIMIT;
	if (at_most == 0) {
		cgroup_find(&budget.cgroup, "memory", root);
		now = ask_cgroups();
		at_most = now == CGROUP_NO_LIMIT ? BUDGET_NO_LIMIT : now < 2 ? 1 : now / 2;
		atomic_store(&budget.most, at_most);
	}
	if (at_most == BUDGET_NO_LIMIT)
		return BUDGET_NO_LIMIT;
	taken = atomic_load(&budget.taken);
	now = ask_cgroups();
	if (taken >= at_most || now <= at_most)
		return 0;
	return now - at_most < at_most - taken ? now - at_most : at_most - taken;
}

/* Adds to a sum that stays at most so much, whoever else adds meanwhile. */
static bool claim(_Atomic uint64_t *sum, uint64_t bytes, uint64_t most)
{
	uint64_t now = atomic_load(sum);

	do
		if (now > most || bytes > most - now)
			return false;
	while (!atomic_compare_exchange_weak(sum, &now, now + bytes));
	return true;
}

bool budget_take(size_t bytes, enum budget_use use)
{
	uint64_t left = budget_left(), more = atomic_load(&budget.more);
	uint64_t most = atomic_load(&budget.most), most_more = most / MORE_PART;

	if (left == BUDGET_NO_LIMIT)
		return true;
	if (use == BUDGET_MORE && (more >= most_more || bytes > (most_more - more) / MORE_STEP))
		return false;
	if (bytes > left || !claim(&budget.taken, bytes, most))
		return false;
	if (use == BUDGET_NEEDED || claim(&budget.more, bytes, most_more))
		return true;
	atomic_fetch_sub(&budget.taken, bytes);
	return false;
}

void budget_forget(void)
{
	atomic_store(&limits[SPACE].most, 0);
	atomic_store(&limits[DATA].most, 0);
	atomic_store(&budget.most, 0);
	atomic_store(&budget.taken, 0);
	atomic_store(&budget.more, 0);
	atomic_store(&budget.asking, 0);
}

void *map_zeroed(size_t bytes)
{
	int saved = errno;
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	errno = saved;
	return memory == MAP_FAILED ? NULL : memory;
}
