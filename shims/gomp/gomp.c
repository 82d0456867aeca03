/* SPDX-License-Identifier: MIT */
/* gomp.c - what is to be known of an instance of libgomp. */
#include "shims/gomp/gomp.h"

#include <dlfcn.h>

__thread struct gomp_thread gomp_thread;

/* The newest version node of which this libgomp has a function.  [libgomp.map] */
static const char *abi_version(void *handle)
{
	static const struct {
		const char *function, *version;
	} mark[] = {
		{ "GOMP_barrier_ext", "GOMP_6.0.2" },
		{ "GOMP_taskwait_depend_nowait", "GOMP_5.1.1" },
		{ "GOMP_teams4", "GOMP_5.1" },
		{ "omp_fulfill_event", "OMP_5.0.1" },
		{ "GOMP_taskwait_depend", "GOMP_5.0" },
		{ "GOMP_taskloop", "GOMP_4.5" },
		{ "GOMP_parallel", "GOMP_4.0" },
		{ "GOMP_taskyield", "GOMP_3.0" },
		{ "GOMP_task", "GOMP_2.0" },
	};

	for (size_t i = 0; i < sizeof(mark) / sizeof(mark[0]); i++)
		if (dlsym(handle, mark[i].function))
			return mark[i].version;
	return "GOMP_1.0";
}

/* Whether the library that has this function is LLVM's, which exports GOMP_* as well. */
static bool is_libomp(void *function)
{
	Dl_info info;
	void *handle;
	bool found;

	if (!function || !dladdr(function, &info) || !info.dli_fname)
		return false;
	handle = dlopen(info.dli_fname, RTLD_NOLOAD | RTLD_LAZY);
	if (!handle)
		return false;
	found = dlsym(handle, "__kmpc_fork_call") != NULL;
	dlclose(handle);
	return found;
}

static void gomp_identify(void *instance, void *handle)
{
	struct gomp *gomp = instance;

	gomp->head.other = is_libomp((void *)gomp->GOMP_parallel_end);
	gomp->head.runtime = gomp->head.other ? ompt_runtime((void *)gomp->GOMP_parallel_end)
					      : record_runtime("libgomp", abi_version(handle));
}

static void *gomp_at_hand(const struct callsite_runtime *runtime)
{
	return gomp_thread.gomp;
}

CALL_RUNTIME(gomp, GOMP_FUNCTIONS(CALL_DOOR), GOMP_FUNCTIONS(CALL_NAME) GOMP_ASKED(CALL_NAME),
	     .probe = "GOMP_parallel_end", /* in every libgomp there ever was */
	     .library = "libgomp.so.1", .identify = gomp_identify, .at_hand = gomp_at_hand);
