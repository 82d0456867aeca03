/* SPDX-License-Identifier: MIT */
/* call.c - finds the copy of the runtime that a call belongs to, and keeps the table of calls. */
#include "shims/common/call.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>

#include "preload/libc.h"
#include "preload/module.h"
#include "shims/common/bypass.h"
#include "shims/common/trial.h"

#define PROBES 64

static struct calls *_Atomic all_calls; /* that were asked, for who unloads code */

static void table_acquire(struct calls *calls)
{
	libc_lock(&calls->table_lock);
}

static void table_release(struct calls *calls)
{
	libc_unlock(&calls->table_lock);
}

/*
 * Held by one thread while it looks for a copy, which may run constructors, and these may call the
 * runtime or close a library: it takes it again.
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

static void *copy_number(const struct call_runtime *runtime, uint32_t n)
{
	return (char *)runtime->copies + n * runtime->copy_bytes;
}

static void *copy_at_hand(const struct call_runtime *runtime)
{
	return runtime->at_hand ? runtime->at_hand() : NULL;
}

/* CALL_COPIES for the stand-in, which is none of them. */
static uint32_t number_of(const struct call_runtime *runtime, const void *copy)
{
	size_t n = ((uintptr_t)copy - (uintptr_t)runtime->copies) / runtime->copy_bytes;

	return n < CALL_COPIES ? (uint32_t)n : CALL_COPIES;
}

/* Where the copy's pointer to its n-th function stands. */
static void *slot_of(void *copy, uint32_t n)
{
	return (char *)copy + sizeof(struct call_copy) + n * sizeof(void *);
}

/* The probe function of a copy, which lies in its library. */
static void *probe_of(const struct call_runtime *runtime, void *copy)
{
	void *probe = NULL;

	for (uint32_t i = 0; i < runtime->n_names; i++)
		if (strcmp(runtime->names[i], runtime->probe) == 0)
			memcpy(&probe, slot_of(copy, i), sizeof(probe));
	return probe;
}

/*
 * The library that has the copy's probe, to be closed; NULL for the program itself.  It stays then,
 * whoever closes it: threads of its pool may be inside when the process ends, and recording makes
 * that last longer.
 */
static void *library_of(const struct segment *file)
{
	return file->path && file->path[0]
		       ? dlopen(file->path, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE)
		       : NULL;
}

/* Of a symbol with several versions, RTLD_NEXT gives the oldest before glibc 2.36, and not the one
 * that programs are linked to; a handle of the library does. */
static void *function_of(void *handle, void *library, const struct segment *file, const char *name)
{
	void *function = dlsym(handle, name);

	return library && segment_has(file, (uintptr_t)function) ? dlsym(library, name) : function;
}

/* The copy whose functions `handle` leads to; NULL if it leads to none. */
static void *copy_through(const struct call_runtime *runtime, void *handle)
{
	void *probe = dlsym(handle, runtime->probe);
	uint32_t n = atomic_load(&runtime->calls->n_copies);

	if (!probe)
		return NULL;
	for (uint32_t i = 0; i < n; i++)
		if (probe_of(runtime, copy_number(runtime, i)) == probe)
			return copy_number(runtime, i);
	if (n == CALL_COPIES)
		return copy_number(runtime, n - 1);
	struct segment file = file_of((uintptr_t)probe);
	void *copy = copy_number(runtime, n), *library = library_of(&file);

	for (uint32_t i = 0; i < runtime->n_names; i++) {
		void *function = function_of(handle, library, &file, runtime->names[i]);

		memcpy(slot_of(copy, i), &function, sizeof(function));
	}
	runtime->identify(copy, handle);
	if (library)
		close_library(library);
	atomic_store_explicit(&runtime->calls->n_copies, n + 1, memory_order_release);
	return copy;
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

	(void)bytes;
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

static void keep_module(struct calls *calls, const struct segment *file, void *copy)
{
	uint32_t n = atomic_load(&calls->n_modules), i = 0;

	while (i < n && calls->modules[i].copy)
		i++;
	if (i == CALL_MODULES)
		return;
	calls->modules[i] = (struct call_module){ *file, copy, record_module(file->start) };
	if (i == n)
		atomic_store_explicit(&calls->n_modules, n + 1, memory_order_release);
}

/*
 * For a program whose runtime is not in the global scope: the copy that the module of the call
 * is linked to.  A call from within the shim or the runtime is a tail call of a task's code,
 * say: it belongs to the copy that runs it.
 */
static void *copy_of_module(const struct call_runtime *runtime, uintptr_t address)
{
	const struct call_module *modules = runtime->calls->modules;
	struct segment file;
	uint32_t n = atomic_load_explicit(&runtime->calls->n_modules, memory_order_acquire);
	void *copy = NULL;
	void *handle;

	for (uint32_t i = 0; i < n; i++)
		if (segment_has(&modules[i].file, address))
			return modules[i].copy;
	file = file_of(address);
	if (!file.path || segment_has(&file, (uintptr_t)&all_calls))
		return copy_at_hand(runtime);
	for (uint32_t i = 0; i < atomic_load(&runtime->calls->n_copies); i++)
		if (segment_has(&file, (uintptr_t)probe_of(runtime, copy_number(runtime, i))))
			return copy_number(runtime, i);
	handle = dlopen(file.path[0] ? file.path : NULL, RTLD_NOLOAD | RTLD_LAZY);
	if (handle) {
		copy = copy_through(runtime, handle);
		close_library(handle);
	}
	if (copy)
		keep_module(runtime->calls, &file, copy);
	return copy;
}

/*
 * Finds the function that ld.so would have bound the call to: in the global scope, then in the
 * caller's own.  The whole table of functions is looked up at once, on the thread that comes first:
 * a worker that asked the loader while another thread holds it (a runtime used in a constructor)
 * would never return.
 */
static void *copy_of(const struct call_runtime *runtime, uintptr_t address)
{
	void *copy = atomic_load_explicit(&runtime->calls->global_copy, memory_order_acquire);

	if (copy)
		return copy;
	copy = copy_at_hand(runtime);
	if (copy && atomic_load(&runtime->calls->n_modules) == 0)
		return copy;
	copy = copy_of_module(runtime, address);
	if (copy)
		return copy;
	/* Asked for by a weak reference, say, in a program without the runtime: then it gets one.
	 */
	return copy_through(runtime, dlopen(runtime->library, RTLD_LAZY | RTLD_LOCAL));
}

static void *copy_found(const struct call_runtime *runtime, uintptr_t address)
{
	void *copy;

	if (runtime->copy_of)
		return runtime->copy_of(address);
	copy = atomic_load_explicit(&runtime->calls->global_copy, memory_order_acquire);
	if (copy)
		return copy;
	finding_acquire();
	copy = copy_through(runtime, RTLD_NEXT);
	if (copy)
		atomic_store_explicit(&runtime->calls->global_copy, copy, memory_order_release);
	else
		copy = copy_of(runtime, address);
	finding_release();
	return copy;
}

static bool is_call(const struct call *call, uintptr_t return_address, uintptr_t function,
		    uint32_t entry)
{
	return atomic_load_explicit(&call->return_address, memory_order_acquire) ==
		       return_address &&
	       call->function == function && call->entry == entry;
}

static uint32_t site_of(const struct call_runtime *runtime, void *copy, uintptr_t return_address,
			uintptr_t function)
{
	const struct call_copy *head = copy;

	if (trial_calls(return_address))
		return TRIAL_SITE;
	if (head->foreign || !record_on())
		return 0;
	return runtime->site ? runtime->site(copy, return_address, function)
			     : record_site(head->runtime, return_address, function);
}

/* Whether this is the call's entry from before its code was unloaded, and the code is back. */
static bool is_back(const struct call *call, const void *copy, uintptr_t return_address,
		    uintptr_t function, uint32_t entry)
{
	return is_call(call, return_address | CALL_GONE, function, entry) && call->copy == copy &&
	       record_module(return_address) && (!function || record_module(function)) &&
	       record_site_stands(call->site);
}

/*
 * The call's entry, or else the first that is free; if there is neither, the one that all share.
 * With the table's lock.
 */
static struct call *entry_for(const struct call_runtime *runtime, void *copy,
			      uintptr_t return_address, uintptr_t function, uint32_t entry)
{
	uint64_t hash = call_hash(return_address, function);

	for (unsigned i = 0; i < PROBES; i++) {
		struct call *call = &runtime->calls->table[(hash + i) % CALL_TABLE];

		if (is_back(call, copy, return_address, function, entry))
			atomic_store_explicit(&call->return_address, return_address,
					      memory_order_release);
		if (is_call(call, return_address, function, entry) ||
		    atomic_load(&call->return_address) == 0)
			return call;
	}
	return &runtime->calls->overflow[number_of(runtime, copy)];
}

/* The entry, if there is one already. */
static struct call *entry_of(struct calls *calls, uintptr_t return_address, uintptr_t function,
			     uint32_t entry)
{
	uint64_t hash = call_hash(return_address, function);

	for (unsigned i = 0; i < PROBES; i++) {
		struct call *call = &calls->table[(hash + i) % CALL_TABLE];

		if (is_call(call, return_address, function, entry))
			return call;
		if (atomic_load(&call->return_address) == 0)
			break;
	}
	return NULL;
}

/* With the table's lock: from the first call on, unloading reaches it. */
static void make_known(struct calls *calls)
{
	struct calls *first = atomic_load(&all_calls);

	if (calls->is_known)
		return;
	calls->is_known = true;
	do {
		atomic_store(&calls->next, first);
	} while (!atomic_compare_exchange_weak(&all_calls, &first, calls));
}

/* Nothing was or will be recorded in this process: from now on calls pass us by.  What the copy
 * lacks keeps its wrapper. */
static void turn_off(const struct call_runtime *runtime, void *copy)
{
	struct calls *calls = runtime->calls;

	if ((runtime->stays && atomic_load(&calls->has_sites)) ||
	    atomic_exchange(&calls->off, true))
		return;
	for (uint32_t i = 0; runtime->doors && atomic_load(&runtime->doors[i]); i++) {
		void *real;

		memcpy(&real, slot_of(copy, i), sizeof(real));
		if (real)
			atomic_store_explicit(&runtime->doors[i], real, memory_order_release);
	}
}

/* Once a copy, of which something will be recorded. */
static void try_copy(const struct call_runtime *runtime, void *copy, uintptr_t ret)
{
	bool (*trial)(const void *copy) = atomic_load(&runtime->calls->trial);
	struct call_copy *head = copy;

	if (trial && !trial_calls(ret) && !atomic_exchange(&head->tried, true))
		atomic_store(&head->tried, trial(copy));
}

/* The entry is made, for that copy. */
static struct call *call_make(const struct call_runtime *runtime, void *copy, uintptr_t ret,
			      uintptr_t fn, uint32_t entry)
{
	struct calls *calls = runtime->calls;
	struct call *call;
	uint32_t site;

	table_acquire(calls);
	make_known(calls);
	call = entry_for(runtime, copy, ret, fn, entry);
	table_release(calls);
	if (is_call(call, ret, fn, entry))
		return call;
	site = site_of(runtime, copy, ret, fn);
	if (site) {
		atomic_store(&calls->has_sites, true);
		try_copy(runtime, copy, ret);
	} else if (!record_on() && copy == atomic_load(&calls->global_copy)) {
		turn_off(runtime, copy);
	}
	table_acquire(calls);
	call = entry_for(runtime, copy, ret, fn, entry);
	if (!is_call(call, ret, fn, entry)) {
		call->function = fn;
		call->copy = copy;
		__atomic_store_n(&call->site, site, __ATOMIC_RELAXED);
		call->entry = entry;
		if (call != &calls->overflow[number_of(runtime, copy)])
			atomic_store_explicit(&call->return_address, ret, memory_order_release);
	}
	table_release(calls);
	return call;
}

struct call *call_slow_in(const struct call_runtime *runtime, void *copy, void *return_address,
			  void *function, uint32_t entry)
{
	uintptr_t ret = (uintptr_t)return_address, fn = (uintptr_t)function;
	struct call *call = entry_of(runtime->calls, ret, fn, entry);
	int saved = errno;

	if (call)
		return call;
	if (!copy)
		copy = trial_calls(ret) ? runtime->calls->stand_in : copy_found(runtime, ret);
	call = call_make(runtime, copy, ret, fn, entry);
	errno = saved;
	return call;
}

struct call *call_slow(const struct call_runtime *runtime, void *return_address, void *function,
		       uint32_t entry)
{
	return call_slow_in(runtime, NULL, return_address, function, entry);
}

/* ---- code that was unloaded ---- */

static void forget_gone(struct calls *calls)
{
	table_acquire(calls);
	for (uint32_t i = 0; i < CALL_TABLE; i++) {
		struct call *call = &calls->table[i];
		uintptr_t address = atomic_load(&call->return_address);

		if (!address || (call->site && record_site_stands(call->site)))
			continue;
		atomic_store_explicit(&call->return_address, address | CALL_GONE,
				      memory_order_release);
	}
	table_release(calls);
	finding_acquire();
	for (uint32_t i = 0; i < atomic_load(&calls->n_modules); i++)
		if (record_module(calls->modules[i].file.start) != calls->modules[i].number)
			calls->modules[i] = (struct call_module){ 0 };
	finding_release();
}

/*
 * Other code may be loaded in its place.  Whoever runs the code that was unloaded is lost anyway,
 * so that nobody looks for its calls now.
 */
CALL_EXPORT int dlclose(void *handle)
{
	static _Atomic uint64_t n_seen;
	int status;

	bypass_look_again();
	status = close_library(handle);
	uint64_t n = record_unloads();

	if (atomic_exchange(&n_seen, n) != n)
		for (struct calls *calls = atomic_load(&all_calls); calls;
		     calls = atomic_load(&calls->next))
			forget_gone(calls);
	return status;
}
