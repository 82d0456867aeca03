/* SPDX-License-Identifier: MIT */
/* ompt.c - how libomp finds us, what is to be known of it, and which callbacks it is given. */
#include "shims/ompt.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "preload/libc.h"

#define COPIES 16

struct ompt_state ompt_state;
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

static void *handle_of(const void *address, Dl_info *info)
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
	void *handle = handle_of(address, &info);
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

/* Whether a program's calls into the libomp of this address come to our wrappers. */
static bool is_wrapped(const void *address)
{
	Dl_info info, found;
	void *handle = handle_of(address, &info);
	void *function = handle ? dlsym(handle, "__kmpc_omp_task_alloc") : NULL;
	bool wrapped = function && dladdr(function, &found) && found.dli_fbase == info.dli_fbase &&
		       dlsym(RTLD_DEFAULT, "__kmpc_omp_task_alloc") != function;

	if (handle)
		dlclose(handle);
	return wrapped;
}

static void note_copy(uintptr_t address)
{
	struct segment file = file_of(address);
	uint32_t n = ompt_state.n_copies;

	if (n == OMPT_COPIES || !file.path)
		return;
	ompt_state.copy[n] = file;
	ompt_state.n_copies = n + 1;
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
	.copy_of = site_copy_of,
};

uint32_t ompt_site_of(const void *return_address, enum ompt_role role)
{
	const struct ompt_thread *thread = &ompt_thread;

	if (!return_address && thread->n_regions && thread->n_regions <= OMPT_REGIONS)
		return_address = thread->region[thread->n_regions - 1].return_address;
	if (!return_address)
		return_address = (void *)(uintptr_t)1; /* unknown */
	return call_find_in(&site_calls, &site_runtime, (void *)(uintptr_t)return_address, NULL,
			    role)
		->site;
}

/* ---- the start ---- */

void ompt_set_callbacks(ompt_set_fn set)
{
	for (int event = 1; event < OMPT_EVENTS; event++) {
		ompt_callback callback = ompt_callback_of(event);

		if (callback)
			set(event, callback);
	}
}

/* The other tool of the process, which libomp would have taken if we were not there. */
static struct ompt_start *other;

static int initialize(ompt_lookup lookup, int device, union ompt_data *tool)
{
	ompt_set_fn set = (ompt_set_fn)lookup("ompt_set_callback");

	(void)tool;
	if (!set)
		return 0;
	ompt_state.runtime = ompt_runtime((const void *)(uintptr_t)lookup);
	note_copy((uintptr_t)lookup);
	ompt_state.bare = !is_wrapped((const void *)(uintptr_t)lookup);
	if (!other || !ompt_chain_open(other, lookup, device)) {
		other = NULL;
		ompt_set_callbacks(set);
	}
	ompt_state.on = true;
	return 1;
}

static void finalize(union ompt_data *tool)
{
	(void)tool;
	ompt_chain_close();
}

CALL_EXPORT struct ompt_start *ompt_start_tool(unsigned version, const char *runtime)
{
	static struct ompt_start start = { initialize, finalize, { 0 } };
	ompt_start_fn next = (ompt_start_fn)dlsym(RTLD_NEXT, "ompt_start_tool");

	if (!record_on())
		return next ? next(version, runtime) : NULL;
	if (!other && !ompt_state.on)
		other = ompt_chain_find(next, version, runtime);
	return &start;
}
