/* SPDX-License-Identifier: MIT */
/* late.c - dlopen() and dlsym(); what was loaded stays. */
#include "tools/base/late.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

const char *late_load(const char *library, const char *const name[], uint32_t n, void *calls)
{
	void **call = calls, *handle;

	if (n && call[n - 1])
		return NULL;
	handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	for (uint32_t i = 0; handle && i < n; i++) {
		call[i] = dlsym(handle, name[i]);
		if (!call[i]) {
			memset(calls, 0, n * sizeof(*call));
			handle = NULL;
		}
	}
	return handle ? NULL : dlerror();
}
