/* SPDX-License-Identifier: MIT */
/* gomp.c - finds the copy of libgomp that a call belongs to, and keeps the table of calls. */
#include "shims/gomp.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <sched.h>
#include <string.h>

#define GOMP_COPIES 16
#define MODULES 256
#define PROBES 64

struct gomp_call gomp_calls[GOMP_CALLS];
__thread struct gomp_frame gomp_frame;

/* Code whose calls go to a copy that only its own module can see. */
struct module {
	uintptr_t start, end;
	struct gomp *gomp;
};

static struct gomp copies[GOMP_COPIES];
static _Atomic uint32_t n_copies;
static struct gomp_call overflow[GOMP_COPIES]; /* of each copy, for calls that found no entry */
static struct gomp *_Atomic global_copy; /* what every module's calls go to, if there is one */
static struct module modules[MODULES];
static _Atomic uint32_t n_modules;
static _Atomic uint32_t table_lock;

static void table_acquire(void)
{
	while (atomic_exchange_explicit(&table_lock, 1, memory_order_acquire))
		sched_yield();
}

static void table_release(void)
{
	atomic_store_explicit(&table_lock, 0, memory_order_release);
}

/* The newest version node of which this libgomp has a function.  [libgomp.map] */
static const char *abi_version(void *handle)
{
	static const struct {
		const char *function, *version;
	} mark[] = {
		{ "GOMP_barrier_ext", "GOMP_6.0.2" },
		{ "GOMP_taskwait_depend_nowait", "GOMP_5.1.1" },
		{ "GOMP_teams4", "GOMP_5.1" },
		{ "omp_fulfill_event", "OMP_5.0.1" },
		{ "GOMP_taskwait_depend", "GOMP_5.0" },
		{ "GOMP_taskloop", "GOMP_4.5" },
		{ "GOMP_parallel", "GOMP_4.0" },
		{ "GOMP_taskyield", "GOMP_3.0" },
		{ "GOMP_task", "GOMP_2.0" },
	};

	for (size_t i = 0; i < sizeof(mark) / sizeof(mark[0]); i++)
		if (dlsym(handle, mark[i].function))
			return mark[i].version;
	return "GOMP_1.0";
}

/* Whether the library that has this function is LLVM's, which exports GOMP_* as well. */
static bool is_libomp(void *function)
{
	Dl_info info;
	void *handle;
	bool found;

	if (!function || !dladdr(function, &info) || !info.dli_fname)
		return false;
	handle = dlopen(info.dli_fname, RTLD_NOLOAD | RTLD_LAZY);
	if (!handle)
		return false;
	found = dlsym(handle, "__kmpc_fork_call") != NULL;
	dlclose(handle);
	return found;
}

/* The copy whose functions `handle` leads to; NULL if it leads to none. */
static struct gomp *copy_through(void *handle)
{
	void *parallel = dlsym(handle, "GOMP_parallel_end"); /* in every libgomp there ever was */
	uint32_t n = atomic_load(&n_copies);

	if (!parallel)
		return NULL;
	for (uint32_t i = 0; i < n; i++)
		if ((void *)copies[i].GOMP_parallel_end == parallel)
			return &copies[i];
	if (n == GOMP_COPIES)
		return &copies[n - 1];
	struct gomp *copy = &copies[n];

#define GOMP_FUNCTION(result, name, parameters) copy->name = (void *)dlsym(handle, #name);
	GOMP_FUNCTIONS
#undef GOMP_FUNCTION
	copy->foreign = is_libomp(parallel);
	if (!copy->foreign)
		copy->runtime = record_runtime("libgomp", abi_version(handle));
	atomic_store_explicit(&n_copies, n + 1, memory_order_release);
	return copy;
}

struct search {
	uintptr_t address, start, end;
	const char *path;
};

static int search_one(struct dl_phdr_info *info, size_t bytes, void *data)
{
	struct search *search = data;
	uintptr_t end = 0;
	bool inside = false;

	(void)bytes;
	search->start = UINTPTR_MAX;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *phdr = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + phdr->p_vaddr;

		if (phdr->p_type != PT_LOAD)
			continue;
		if (at < search->start)
			search->start = at;
		if (at + phdr->p_memsz > end)
			end = at + phdr->p_memsz;
		inside |= search->address - at < phdr->p_memsz;
	}
	search->end = end;
	search->path = info->dlpi_name;
	return inside;
}

/*
 * For a program whose libgomp is not in the global scope: the copy that the module of the call
 * is linked to.  A call from within the shim or libgomp is a tail call of a task's code, or of
 * a region's: it belongs to the copy that runs it.
 */
static struct gomp *copy_of_module(uintptr_t address)
{
	struct search search = { .address = address };
	uint32_t n = atomic_load_explicit(&n_modules, memory_order_acquire);
	struct gomp *copy = NULL;
	void *handle;

	for (uint32_t i = 0; i < n; i++)
		if (address - modules[i].start < modules[i].end - modules[i].start)
			return modules[i].gomp;
	if (!dl_iterate_phdr(search_one, &search))
		return gomp_frame.gomp;
	if ((uintptr_t)gomp_calls - search.start < search.end - search.start)
		return gomp_frame.gomp;
	for (uint32_t i = 0; i < atomic_load(&n_copies); i++)
		if ((uintptr_t)copies[i].GOMP_parallel_end - search.start <
		    search.end - search.start)
			return &copies[i];
	handle = dlopen(search.path[0] ? search.path : NULL, RTLD_NOLOAD | RTLD_LAZY);
	if (handle) {
		copy = copy_through(handle);
		dlclose(handle);
	}
	if (copy && n < MODULES) {
		modules[n] = (struct module){ search.start, search.end, copy };
		atomic_store_explicit(&n_modules, n + 1, memory_order_release);
	}
	return copy;
}

/*
 * What ld.so would have bound the call to: the global scope first, then the caller's own.  The
 * whole table of functions is looked up at once, on the thread that comes first: a worker that
 * asked the loader while another thread holds it (OpenMP in a constructor) would never return.
 */
static struct gomp *copy_of(uintptr_t address)
{
	struct gomp *copy = atomic_load_explicit(&global_copy, memory_order_acquire);

	if (copy)
		return copy;
	if (gomp_frame.gomp && atomic_load(&n_modules) == 0)
		return gomp_frame.gomp;
	copy = copy_of_module(address);
	if (copy)
		return copy;
	/* Asked for by a weak reference, say, in a program without OpenMP: then it gets one. */
	return copy_through(dlopen("libgomp.so.1", RTLD_LAZY | RTLD_LOCAL));
}

static struct gomp *copy_found(uintptr_t address)
{
	static _Atomic uint32_t finding; /* held by one thread; taken again by itself */
	static __thread uint32_t depth __attribute__((tls_model("initial-exec")));
	struct gomp *copy;

	copy = atomic_load_explicit(&global_copy, memory_order_acquire);
	if (copy)
		return copy;
	while (depth == 0 && atomic_exchange_explicit(&finding, 1, memory_order_acquire))
		sched_yield();
	depth++;
	copy = copy_through(RTLD_NEXT);
	if (copy)
		atomic_store_explicit(&global_copy, copy, memory_order_release);
	else
		copy = copy_of(address);
	if (--depth == 0)
		atomic_store_explicit(&finding, 0, memory_order_release);
	return copy;
}

static bool is_call(const struct gomp_call *call, uintptr_t return_address, uintptr_t function,
		    uint32_t entry)
{
	return atomic_load_explicit(&call->return_address, memory_order_acquire) ==
		       return_address &&
	       call->function == function && call->entry == entry;
}

struct gomp_call *gomp_call_slow(void *return_address, void *function, uint32_t entry)
{
	uintptr_t ret = (uintptr_t)return_address, fn = (uintptr_t)function;
	uint64_t hash = ((ret ^ fn << 7) * 0x9e3779b97f4a7c15u) >> 51;
	struct gomp_call *call = NULL;
	int saved = errno;

	for (unsigned i = 0; i < PROBES; i++) {
		call = &gomp_calls[(hash + i) % GOMP_CALLS];
		if (is_call(call, ret, fn, entry))
			return call;
		if (atomic_load(&call->return_address) == 0)
			break;
	}
	struct gomp *gomp = copy_found(ret);
	uint32_t site = gomp->foreign || !record_on() ? 0 : record_site(gomp->runtime, ret, fn);

	table_acquire();
	call = &overflow[gomp - copies];
	for (unsigned i = 0; i < PROBES; i++) {
		struct gomp_call *slot = &gomp_calls[(hash + i) % GOMP_CALLS];

		if (is_call(slot, ret, fn, entry) || atomic_load(&slot->return_address) == 0) {
			call = slot;
			break;
		}
	}
	if (!is_call(call, ret, fn, entry)) {
		call->function = fn;
		call->gomp = gomp;
		call->site = site;
		call->entry = entry;
		if (call != &overflow[gomp - copies])
			atomic_store_explicit(&call->return_address, ret, memory_order_release);
	}
	table_release();
	errno = saved;
	return call;
}
