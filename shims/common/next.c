/* SPDX-License-Identifier: MIT */
/* next.c - asks the loader, and then the caller's own module. */
#include "shims/common/next.h"

#include <dlfcn.h>
#include <stddef.h>

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
