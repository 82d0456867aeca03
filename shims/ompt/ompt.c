/* SPDX-License-Identifier: MIT */
/* ompt.c - what is to be known of a copy of libomp, and the sites of callbacks. */
#include "shims/ompt/ompt.h"

#include <dlfcn.h>

#include "preload/libc.h"

#define COPIES 16

struct ompt_state ompt_state;
bool (*ompt_trial)(uint32_t runtime);
__thread struct ompt_thread ompt_thread;

/* ---- the copies of libomp ---- */

/* Its version string is always the same; what functions it has tells releases apart. */
static const char *release_of(void *handle)
{
	static const struct {
		const char *function, *release;
	} mark[] = {
		{ "__kmpc_dispatch_deinit", "LLVM 17 or later" },
		{ "__kmpc_omp_has_task_team", "LLVM 15 or 16" },
		{ "__kmpc_taskloop_5", "LLVM 11 to 14" },
	};

	for (size_t i = 0; handle && i < sizeof(mark) / sizeof(mark[0]); i++)
		if (dlsym(handle, mark[i].function))
			return mark[i].release;
	return "OMPT 5.0";
}

void *ompt_handle(const void *address, Dl_info *info)
{
	if (!dladdr(address, info) || !info->dli_fname)
		return NULL;
	return dlopen(info->dli_fname, RTLD_NOLOAD | RTLD_LAZY);
}

uint32_t ompt_runtime(const void *address)
{
	static struct {
		void *base;
		uint32_t runtime;
	} known[COPIES];
	static uint32_t n_known;
	static _Atomic uint32_t lock;
	Dl_info info = { 0 };
	void *handle = ompt_handle(address, &info);
	uint32_t i;

	libc_lock(&lock);
	for (i = 0; i < n_known && known[i].base != info.dli_fbase; i++)
		;
	if (i == n_known && i < COPIES) {
		known[i].base = info.dli_fbase;
		known[i].runtime = record_runtime("libomp", release_of(handle));
		n_known++;
	}
	libc_unlock(&lock);
	if (handle)
		dlclose(handle);
	return i < COPIES ? known[i].runtime : known[0].runtime;
}

/* ---- sites of callbacks ---- */

static struct calls site_calls;
static struct call_copy site_copy;

static void *site_copy_of(uintptr_t return_address)
{
	(void)return_address;
	site_copy.runtime = ompt_state.runtime;
	return &site_copy;
}

static const struct call_runtime site_runtime = {
	.copies = &site_copy,
	.copy_bytes = sizeof(site_copy),
	.calls = &site_calls,
	.copy_of = site_copy_of,
};

uint32_t ompt_site_of(const void *return_address, enum ompt_role role)
{
	const struct ompt_thread *thread = &ompt_thread;

	if (!return_address && thread->n_regions && thread->n_regions <= OMPT_REGIONS)
		return_address = thread->region[thread->n_regions - 1].return_address;
	if (!return_address)
		return_address = (void *)(uintptr_t)1; /* unknown */
	return call_find(&site_calls, &site_runtime, (void *)(uintptr_t)return_address, NULL, role)
		->site;
}

/* ---- wrappers ---- */

struct worker *ompt_worker_else(const struct call *call)
{
	struct worker *worker;

	if (!ompt_state.on || ompt_state.bare)
		return NULL;
	worker = call_worker(call);
	if (!worker)
		return NULL;
	if (!worker->task)
		record_root(worker);
	if (worker->task & OMPT_CLOSED || worker->task == ompt_thread.wrapped)
		return NULL;
	if (ompt_state.chained)
		ompt_thread.caller = (const void *)atomic_load_explicit(&call->return_address,
									memory_order_relaxed);
	return worker;
}
