/* SPDX-License-Identifier: MIT */
/* device.c - whether there are devices, and whose they are. */
#include "shims/device/device.h"

#include <errno.h>
#include <string.h>

#include "shims/common/next.h"

/* What was there once stays; before, a library that brings one may be loaded at any time. */
bool device_is_there(const void *from)
{
	static void *_Atomic slot;
	static _Atomic bool is_there;
	int (*omp_get_num_devices)(void) = NULL;
	void *found = atomic_load_explicit(&slot, memory_order_acquire);
	int saved = errno;

	if (atomic_load_explicit(&is_there, memory_order_relaxed))
		return true;
	if (!found)
		found = next_bind(&slot, "omp_get_num_devices", from);
	memcpy(&omp_get_num_devices, &found, sizeof(found));
	if (omp_get_num_devices && omp_get_num_devices() > 0)
		atomic_store_explicit(&is_there, true, memory_order_relaxed);
	errno = saved;
	return atomic_load_explicit(&is_there, memory_order_relaxed);
}

/* By enum device_whose. */
static struct next_library library[] = {
	{ .name = "libomptarget" }, { .name = "OpenCL" }, { .name = "CUDA" }, { .name = "HIP" }
};

uint32_t device_site(const void *from, const struct device_function *function)
{
	return next_site(&library[function->whose], from, function->name);
}
