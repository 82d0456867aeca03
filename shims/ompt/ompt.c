/* SPDX-License-Identifier: MIT */
/* ompt.c - what is to be known of an instance of libomp, and the sites of callbacks. */
#include "shims/ompt/ompt.h"

#include <dlfcn.h>

#include "preload/libc.h"

#define KNOWN_MAX 16

struct ompt_state ompt_state;
bool (*ompt_trial)(uint32_t runtime);
__thread struct ompt_thread ompt_thread;

/* ---- what is kept of a thread ---- */

struct omp_room *omp_room(void)
{
	struct worker *worker = worker_self();
	struct omp_room *room;

	if (!worker)
		return NULL;
	room = (struct omp_room *)worker->shim;
	if (ompt_thread.room_of != worker)
		*room = (struct omp_room){ 0 };
	ompt_thread.room_of = worker;
	return room;
}

/* ---- the instances of libomp ---- */

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
	} known[KNOWN_MAX];
	static uint32_t n_known;
	static _Atomic uint32_t lock;
	Dl_info info = { 0 };
	void *handle = ompt_handle(address, &info);
	uint32_t i;

	libc_lock(&lock);
	for (i = 0; i < n_known && known[i].base != info.dli_fbase; i++)
		;
	if (i == n_known && i < KNOWN_MAX) {
		known[i].base = info.dli_fbase;
		known[i].runtime = record_runtime("libomp", release_of(handle));
		n_known++;
	}
	libc_unlock(&lock);
	if (handle)
		dlclose(handle);
	return i < KNOWN_MAX ? known[i].runtime : known[0].runtime;
}

/* ---- sites of callbacks ---- */

static struct callsites site_callsites;
static struct instance site_instance;

static void *site_instance_of(uintptr_t return_address)
{
	site_instance.runtime = ompt_state.runtime;
	return &site_instance;
}

static const struct callsite_runtime site_runtime = {
	.instances = &site_instance,
	.instance_bytes = sizeof(site_instance),
	.callsites = &site_callsites,
	.instance_of = site_instance_of,
};

uint32_t ompt_site_of(const void *return_address, enum ompt_role role)
{
	const struct ompt_region *region = return_address ? NULL : ompt_innermost();

	if (region)
		return_address = region->return_address;
	if (!return_address)
		return_address = (void *)(uintptr_t)1; /* unknown */
	return callsite_find(&site_callsites, &site_runtime, (void *)(uintptr_t)return_address,
			     NULL, role)
		->site;
}

/* ---- wrappers ---- */

struct worker *ompt_worker_else(const struct callsite *callsite)
{
	struct worker *worker;

	if ((!ompt_state.on && !ompt_state.again) || ompt_state.bare)
		return NULL;
	worker = callsite_worker(callsite);
	if (!worker)
		return NULL;
	if (!ompt_state.on && !ompt_state.again()) {
		record_lost_call();
		return NULL;
	}
	if (!worker->task)
		record_root(worker);
	if (worker->task & OMPT_CLOSED || worker->task == ompt_thread.wrapped)
		return NULL;
	return worker;
}
