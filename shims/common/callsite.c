/* SPDX-License-Identifier: MIT */
/* callsite.c - finds the instance of a runtime that a call belongs to; keeps its callsites. */
#include "shims/common/callsite.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>

#include "preload/libc.h"
#include "preload/module.h"
#include "shims/common/bypass.h"
#include "shims/common/shim_trial.h"

#define PROBES 64

static struct callsites *_Atomic all_callsites; /* that were asked, for who unloads code */

static void table_acquire(struct callsites *callsites)
{
	libc_lock(&callsites->table_lock);
}

static void table_release(struct callsites *callsites)
{
	libc_unlock(&callsites->table_lock);
}

/*
 * Held by one thread while it looks for an instance, which may run constructors, and these may call
 * the runtime or close a library: it takes it again.
 */
static _Atomic uint32_t finding;
static __thread uint32_t finding_depth __attribute__((tls_model("initial-exec")));

static void finding_acquire(void)
{
	if (finding_depth++ == 0)
		libc_take(&finding);
}

static void finding_release(void)
{
	if (--finding_depth == 0)
		libc_give(&finding);
}

/* libc's, or that of the next who stands before it. */
static int close_library(void *handle)
{
	static int (*_Atomic real)(void *);

	if (!atomic_load(&real))
		atomic_store(&real, (int (*)(void *))dlsym(RTLD_NEXT, "dlclose"));
	return atomic_load(&real)(handle);
}

static void *instance_number(const struct callsite_runtime *runtime, uint32_t n)
{
	return (char *)runtime->instances + n * runtime->instance_bytes;
}

static void *instance_at_hand(const struct callsite_runtime *runtime)
{
	return runtime->at_hand ? runtime->at_hand(runtime) : NULL;
}

void *callsite_first(const struct callsite_runtime *runtime)
{
	return atomic_load_explicit(&runtime->callsites->n_instances, memory_order_acquire)
		       ? instance_number(runtime, 0)
		       : NULL;
}

/* The shim's first and last byte, and in it CALLSITE_BODY, if there is such; from the linker. */
extern const char __ehdr_start[] CALL_HIDDEN, _end[] CALL_HIDDEN;
extern const char __start_callsite_body[] CALL_HIDDEN __attribute__((weak));
extern const char __stop_callsite_body[] CALL_HIDDEN __attribute__((weak));

static bool is_between(uintptr_t address, const char *start, const char *end)
{
	return address - (uintptr_t)start < (uintptr_t)(end - start);
}

bool callsite_is_internal(const struct segment *code, uintptr_t return_address)
{
	return segment_has(code, return_address) ||
	       (is_between(return_address, __ehdr_start, _end) &&
		!is_between(return_address, __start_callsite_body, __stop_callsite_body));
}

/* INSTANCES for the stand-in, which is none of them. */
static uint32_t instance_index(const struct callsite_runtime *runtime, const void *instance)
{
	size_t n = ((uintptr_t)instance - (uintptr_t)runtime->instances) / runtime->instance_bytes;

	return n < INSTANCES ? (uint32_t)n : INSTANCES;
}

/* Where the instance's pointer to its n-th function stands. */
static void *slot_of(void *instance, uint32_t n)
{
	return (char *)instance + sizeof(struct instance) + n * sizeof(void *);
}

/* The probe function of an instance, which lies in its library. */
static void *probe_of(const struct callsite_runtime *runtime, void *instance)
{
	void *probe = NULL;

	for (uint32_t i = 0; i < runtime->n_names; i++)
		if (strcmp(runtime->names[i], runtime->probe) == 0)
			memcpy(&probe, slot_of(instance, i), sizeof(probe));
	return probe;
}

/*
 * The library that has the instance's probe, to be closed; NULL for the program itself.  It stays
 * then, whoever closes it: threads of its pool may be inside when the process ends, and recording
 * makes that last longer.
 */
static void *library_of(const struct segment *file)
{
	return file->path && file->path[0]
		       ? dlopen(file->path, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE)
		       : NULL;
}

/*
 * Of a symbol with several versions, RTLD_NEXT gives the oldest before glibc 2.36, and not the one
 * that programs are linked to; a handle of the library does.  It also passes over another shim's
 * wrapper, where LD_PRELOAD has two for the runtime: the first one records.
 */
static void *function_of(void *handle, void *library, const struct segment *file, const char *name)
{
	void *function = dlsym(handle, name), *own = NULL;
	const char *path = library ? file_of((uintptr_t)function).path : NULL;

	if (path && (segment_has(file, (uintptr_t)function) || strstr(path, "/libtpshim_")))
		own = dlsym(library, name);
	return own ? own : function;
}

/* The instance whose functions `handle` leads to; NULL if it leads to none. */
static void *instance_through(const struct callsite_runtime *runtime, void *handle)
{
	void *probe = dlsym(handle, runtime->probe);
	uint32_t n = atomic_load(&runtime->callsites->n_instances);

	if (!probe)
		return NULL;
	for (uint32_t i = 0; i < n; i++)
		if (probe_of(runtime, instance_number(runtime, i)) == probe)
			return instance_number(runtime, i);
	if (n == INSTANCES)
		return instance_number(runtime, n - 1);
	struct segment file = file_of((uintptr_t)probe);
	struct instance *instance = instance_number(runtime, n);
	void *library = library_of(&file);

	for (uint32_t i = 0; i < runtime->n_names; i++) {
		void *function = function_of(handle, library, &file, runtime->names[i]);

		memcpy(slot_of(instance, i), &function, sizeof(function));
	}
	instance->code = (struct segment){ file.start, file.end, file.path ? file.path : "" };
	runtime->identify(instance, handle);
	if (library)
		close_library(library);
	dlerror(); /* what was not found is none of the program's business */
	atomic_store_explicit(&runtime->callsites->n_instances, n + 1, memory_order_release);
	return instance;
}

struct search {
	uintptr_t address;
	struct segment segment, file; /* that have it */
};

static int search_one(struct dl_phdr_info *info, size_t bytes, void *data)
{
	struct search *search = data;
	struct segment file = { UINTPTR_MAX, 0, info->dlpi_name };
	bool inside = false;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *phdr = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + phdr->p_vaddr;
		struct segment segment = { at, at + phdr->p_memsz, info->dlpi_name };

		if (phdr->p_type != PT_LOAD)
			continue;
		if (segment.start < file.start)
			file.start = segment.start;
		if (segment.end > file.end)
			file.end = segment.end;
		if (!segment_has(&segment, search->address))
			continue;
		search->segment = segment;
		inside = true;
	}
	if (inside)
		search->file = file;
	return inside;
}

struct segment segment_of(uintptr_t address)
{
	struct search search = { .address = address };

	dl_iterate_phdr(search_one, &search);
	return search.segment;
}

struct segment file_of(uintptr_t address)
{
	struct search search = { .address = address };

	dl_iterate_phdr(search_one, &search);
	return search.file;
}

static void keep_module(struct callsites *callsites, const struct segment *file, void *instance)
{
	uint32_t n = atomic_load(&callsites->n_modules), i = 0;

	while (i < n && callsites->modules[i].instance)
		i++;
	if (i == CALLSITE_MODULES)
		return;
	callsites->modules[i] =
		(struct callsite_module){ *file, instance, record_module(file->start) };
	if (i == n)
		atomic_store_explicit(&callsites->n_modules, n + 1, memory_order_release);
}

/*
 * For a program whose runtime is not in the global scope: the instance that the module of the call
 * is linked to.  A call from within the shim or the runtime is a tail call of a task's code,
 * say: it belongs to the instance that runs it.
 */
static void *instance_of_module(const struct callsite_runtime *runtime, uintptr_t address)
{
	const struct callsite_module *modules = runtime->callsites->modules;
	struct segment file;
	uint32_t n = atomic_load_explicit(&runtime->callsites->n_modules, memory_order_acquire);
	void *instance = NULL;
	void *handle;

	for (uint32_t i = 0; i < n; i++)
		if (segment_has(&modules[i].file, address))
			return modules[i].instance;
	file = file_of(address);
	if (!file.path || segment_has(&file, (uintptr_t)&all_callsites))
		return instance_at_hand(runtime);
	for (uint32_t i = 0; i < atomic_load(&runtime->callsites->n_instances); i++)
		if (segment_has(&file, (uintptr_t)probe_of(runtime, instance_number(runtime, i))))
			return instance_number(runtime, i);
	handle = dlopen(file.path[0] ? file.path : NULL, RTLD_NOLOAD | RTLD_LAZY);
	if (handle) {
		instance = instance_through(runtime, handle);
		close_library(handle);
	}
	if (instance)
		keep_module(runtime->callsites, &file, instance);
	return instance;
}

/*
 * Finds the function that ld.so would have bound the call to: in the global scope, then in the
 * caller's own.  The whole table of functions is looked up at once, on the thread that comes first:
 * a worker that asked the loader while another thread holds it (a runtime used in a constructor)
 * would never return.
 */
static void *instance_of(const struct callsite_runtime *runtime, uintptr_t address)
{
	void *instance =
		atomic_load_explicit(&runtime->callsites->global_instance, memory_order_acquire);

	if (instance)
		return instance;
	instance = instance_at_hand(runtime);
	if (instance && atomic_load(&runtime->callsites->n_modules) == 0)
		return instance;
	instance = instance_of_module(runtime, address);
	if (instance)
		return instance;
	/* Asked for by a weak reference, say, in a program without the runtime: then it gets one.
	 */
	return instance_through(runtime, dlopen(runtime->library, RTLD_LAZY | RTLD_LOCAL));
}

static void *instance_found(const struct callsite_runtime *runtime, uintptr_t address)
{
	void *instance;

	if (runtime->instance_of)
		return runtime->instance_of(address);
	instance = atomic_load_explicit(&runtime->callsites->global_instance, memory_order_acquire);
	if (instance)
		return instance;
	finding_acquire();
	instance = instance_through(runtime, RTLD_NEXT);
	if (instance)
		atomic_store_explicit(&runtime->callsites->global_instance, instance,
				      memory_order_release);
	else
		instance = instance_of(runtime, address);
	finding_release();
	return instance;
}

static bool is_callsite(const struct callsite *callsite, uintptr_t return_address,
			uintptr_t function, uint32_t entry)
{
	return atomic_load_explicit(&callsite->return_address, memory_order_acquire) ==
		       return_address &&
	       callsite->function == function && callsite->entry == entry;
}

static uint32_t site_of(const struct callsite_runtime *runtime, void *instance,
			uintptr_t return_address, uintptr_t function)
{
	const struct instance *head = instance;

	if (trial_calls(return_address))
		return TRIAL_SITE;
	if (head->foreign || !record_on() ||
	    (runtime->passes_own && callsite_is_internal(&head->code, return_address)))
		return 0;
	return runtime->site ? runtime->site(instance, return_address, function)
			     : record_site(head->runtime, return_address, function);
}

/* Whether this is the callsite's entry from before its code was unloaded, and the code is back. */
static bool is_back(const struct callsite *callsite, const void *instance, uintptr_t return_address,
		    uintptr_t function, uint32_t entry)
{
	return is_callsite(callsite, return_address | CALLSITE_GONE, function, entry) &&
	       callsite->instance == instance && record_module(return_address) &&
	       (!function || record_module(function)) && record_site_stands(callsite->site);
}

/*
 * The callsite's entry, or else the first that is free; if there is neither, the one that all
 * share.  With the table's lock.
 */
static struct callsite *entry_for(const struct callsite_runtime *runtime, void *instance,
				  uintptr_t return_address, uintptr_t function, uint32_t entry)
{
	uint64_t hash = callsite_hash(return_address, function);

	for (unsigned i = 0; i < PROBES; i++) {
		struct callsite *callsite = &runtime->callsites->table[(hash + i) % CALLSITE_TABLE];

		if (is_back(callsite, instance, return_address, function, entry))
			atomic_store_explicit(&callsite->return_address, return_address,
					      memory_order_release);
		if (is_callsite(callsite, return_address, function, entry) ||
		    atomic_load(&callsite->return_address) == 0)
			return callsite;
	}
	return &runtime->callsites->overflow[instance_index(runtime, instance)];
}

/* The entry, if there is one already. */
static struct callsite *entry_of(struct callsites *callsites, uintptr_t return_address,
				 uintptr_t function, uint32_t entry)
{
	uint64_t hash = callsite_hash(return_address, function);

	for (unsigned i = 0; i < PROBES; i++) {
		struct callsite *callsite = &callsites->table[(hash + i) % CALLSITE_TABLE];

		if (is_callsite(callsite, return_address, function, entry))
			return callsite;
		if (atomic_load(&callsite->return_address) == 0)
			break;
	}
	return NULL;
}

/* With the table's lock: from the first call on, unloading reaches it. */
static void make_known(struct callsites *callsites)
{
	struct callsites *first = atomic_load(&all_callsites);

	if (callsites->is_known)
		return;
	callsites->is_known = true;
	do {
		atomic_store(&callsites->next, first);
	} while (!atomic_compare_exchange_weak(&all_callsites, &first, callsites));
}

/* Nothing was or will be recorded in this process: from now on calls pass us by.  What the instance
 * lacks keeps its wrapper. */
static void turn_off(const struct callsite_runtime *runtime, void *instance)
{
	struct callsites *callsites = runtime->callsites;

	if ((runtime->stays && atomic_load(&callsites->has_sites)) ||
	    atomic_exchange(&callsites->off, true))
		return;
	for (uint32_t i = 0; runtime->doors && atomic_load(&runtime->doors[i]); i++) {
		void *real;

		memcpy(&real, slot_of(instance, i), sizeof(real));
		if (real)
			atomic_store_explicit(&runtime->doors[i], real, memory_order_release);
	}
}

/* Once an instance, of which something will be recorded. */
static void try_instance(const struct callsite_runtime *runtime, void *instance, uintptr_t ret)
{
	bool (*trial)(const void *instance) = atomic_load(&runtime->callsites->trial);
	struct instance *head = instance;

	if (trial && !trial_calls(ret) && !atomic_exchange(&head->tried, true))
		atomic_store(&head->tried, trial(instance));
}

/* The entry is made, for that instance. */
static struct callsite *callsite_make(const struct callsite_runtime *runtime, void *instance,
				      uintptr_t ret, uintptr_t fn, uint32_t entry)
{
	struct callsites *callsites = runtime->callsites;
	struct callsite *callsite;
	uint32_t site;

	table_acquire(callsites);
	make_known(callsites);
	callsite = entry_for(runtime, instance, ret, fn, entry);
	table_release(callsites);
	if (is_callsite(callsite, ret, fn, entry))
		return callsite;
	site = site_of(runtime, instance, ret, fn);
	if (site) {
		atomic_store(&callsites->has_sites, true);
		try_instance(runtime, instance, ret);
	} else if (!record_on() && instance == atomic_load(&callsites->global_instance)) {
		turn_off(runtime, instance);
	}
	table_acquire(callsites);
	callsite = entry_for(runtime, instance, ret, fn, entry);
	if (!is_callsite(callsite, ret, fn, entry)) {
		callsite->function = fn;
		callsite->instance = instance;
		__atomic_store_n(&callsite->site, site, __ATOMIC_RELAXED);
		callsite->entry = entry;
		if (callsite != &callsites->overflow[instance_index(runtime, instance)])
			atomic_store_explicit(&callsite->return_address, ret, memory_order_release);
	}
	table_release(callsites);
	return callsite;
}

struct callsite *callsite_slow(const struct callsite_runtime *runtime, void *instance,
			       void *return_address, void *function, uint32_t entry)
{
	uintptr_t ret = (uintptr_t)return_address, fn = (uintptr_t)function;
	struct callsite *callsite = entry_of(runtime->callsites, ret, fn, entry);
	int saved = errno;

	if (callsite)
		return callsite;
	if (!instance)
		instance = trial_calls(ret) ? runtime->callsites->stand_in
					    : instance_found(runtime, ret);
	callsite = callsite_make(runtime, instance, ret, fn, entry);
	errno = saved;
	return callsite;
}

/* ---- code that was unloaded ---- */

static void forget_gone(struct callsites *callsites)
{
	table_acquire(callsites);
	for (uint32_t i = 0; i < CALLSITE_TABLE; i++) {
		struct callsite *callsite = &callsites->table[i];
		uintptr_t address = atomic_load(&callsite->return_address);

		if (!address || (callsite->site && record_site_stands(callsite->site)))
			continue;
		atomic_store_explicit(&callsite->return_address, address | CALLSITE_GONE,
				      memory_order_release);
	}
	table_release(callsites);
	finding_acquire();
	for (uint32_t i = 0; i < atomic_load(&callsites->n_modules); i++)
		if (record_module(callsites->modules[i].file.start) != callsites->modules[i].number)
			callsites->modules[i] = (struct callsite_module){ 0 };
	finding_release();
}

/* dlclose()s that this thread is in: a library's destructors may close others. */
static __thread uint32_t n_closing __attribute__((tls_model("initial-exec")));

bool callsite_closes(void)
{
	return n_closing > 0;
}

/*
 * Other code may be loaded in its place.  Whoever runs the code that was unloaded is lost anyway,
 * so that nobody looks for its callsites now.
 */
CALL_EXPORT int dlclose(void *handle)
{
	static _Atomic uint64_t n_seen;
	int status;

	bypass_look_again();
	n_closing++;
	status = close_library(handle);
	n_closing--;
	uint64_t n = record_unloads();

	if (atomic_exchange(&n_seen, n) != n)
		for (struct callsites *callsites = atomic_load(&all_callsites); callsites;
		     callsites = atomic_load(&callsites->next))
			forget_gone(callsites);
	return status;
}
