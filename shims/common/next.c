/* SPDX-License-Identifier: MIT */
/* next.c - asks the loader, and then the caller's own module. */
#include "shims/common/next.h"

#include <dlfcn.h>
#include <errno.h>

#include "preload/libc.h"
#include "preload/module.h"

void *next_for(const void *from, const char *symbol)
{
	struct segment own = file_of((uintptr_t)next_for);
	Dl_info info;
	void *found = dlsym(RTLD_NEXT, symbol), *module;

	if (found || !dladdr(from, &info))
		return found;
	module = dlopen(info.dli_fname, RTLD_NOLOAD | RTLD_LAZY);
	if (!module)
		return NULL;
	found = dlsym(module, symbol);
	dlclose(module);
	return segment_has(&own, (uintptr_t)found) ? NULL : found; /* the wrapper itself */
}

void *next_versioned(const char *symbol, const char *version)
{
	void *found = dlsym(RTLD_NEXT, symbol);
	void *right = version ? dlvsym(RTLD_NEXT, symbol, version) : NULL;

	return right && file_of((uintptr_t)right).start == file_of((uintptr_t)found).start ? right
											   : found;
}

void *next_bind(void *_Atomic *slot, const char *symbol, const void *from)
{
	int saved = errno;
	void *found = next_for(from, symbol);

	if (found)
		atomic_store_explicit(slot, found, memory_order_release);
	errno = saved;
	return found;
}

/* ---- the sites ---- */

static uint32_t runtime_of(struct next_library *library)
{
	static _Atomic uint32_t lock;

	libc_lock(&lock);
	if (!atomic_load(&library->is_known))
		library->head.runtime =
			record_runtime(library->name, library->version ? library->version : "");
	atomic_store(&library->is_known, true);
	libc_unlock(&lock);
	return library->head.runtime;
}

static uint32_t named_site(void *instance, uintptr_t return_address, uintptr_t function)
{
	struct next_library *library = instance;

	if (library->by_program && record_runtime_calls(return_address))
		return 0;
	return record_site_named(runtime_of(library), return_address, 0, (const char *)function);
}

static struct callsites callsites;

static const struct callsite_runtime runtime = {
	.instance_bytes = sizeof(struct next_library),
	.callsites = &callsites,
	.site = named_site,
};

uint32_t next_site(struct next_library *library, const void *from, const char *function)
{
	void *return_address = (void *)(uintptr_t)from, *called = (void *)(uintptr_t)function;
	struct callsite *callsite = callsite_at_hand(&callsites, return_address, called, 0);

	if (!callsite)
		callsite = callsite_slow(&runtime, library, return_address, called, 0);
	return callsite->site;
}
