/* SPDX-License-Identifier: MIT */
/* device.c - finds the functions, and who calls. */
#include "shims/device/device.h"

#include <errno.h>
#include <string.h>

#include "preload/libc.h"
#include "shims/common/next.h"

void *device_bind(void *_Atomic *slot, const char *symbol, const void *from)
{
	int saved = errno;
	void *found = next_for(from, symbol);

	if (found)
		atomic_store_explicit(slot, found, memory_order_release);
	errno = saved;
	return found;
}

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
		found = device_bind(&slot, "omp_get_num_devices", from);
	memcpy(&omp_get_num_devices, &found, sizeof(found));
	if (omp_get_num_devices && omp_get_num_devices() > 0)
		atomic_store_explicit(&is_there, true, memory_order_relaxed);
	errno = saved;
	return atomic_load_explicit(&is_there, memory_order_relaxed);
}

/* ---- the sites ---- */

static struct callsites device_callsites;
static struct instance the_instance;

static void *only_instance(uintptr_t return_address)
{
	(void)return_address;
	return &the_instance;
}

/* It becomes known when the first task waits in it. */
static uint32_t runtime_of(enum device_whose whose)
{
	static const char *const name[] = { "libomptarget", "OpenCL", "CUDA", "HIP" };
	static uint32_t runtime[sizeof(name) / sizeof(name[0])];
	static bool known[sizeof(name) / sizeof(name[0])];
	static _Atomic uint32_t lock;

	libc_lock(&lock);
	if (!known[whose])
		runtime[whose] = record_runtime(name[whose], "");
	known[whose] = true;
	libc_unlock(&lock);
	return runtime[whose];
}

static uint32_t named_site(void *instance, uintptr_t return_address, uintptr_t function)
{
	const struct device_function *called = (const struct device_function *)function;

	(void)instance;
	return record_site_named(runtime_of(called->whose), return_address, 0, called->name);
}

static const struct callsite_runtime device_runtime = {
	.instances = &the_instance,
	.instance_bytes = sizeof(the_instance),
	.callsites = &device_callsites,
	.instance_of = only_instance,
	.site = named_site,
};

uint32_t device_site(const void *from, const struct device_function *function)
{
	return callsite_find(&device_callsites, &device_runtime, (void *)(uintptr_t)from,
			     (void *)(uintptr_t)function, 0)
		->site;
}
