/* SPDX-License-Identifier: MIT */
/* cilk.c - what is to be known of an instance of the Cilk Plus runtime. */
#include "shims/cilk/cilk.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "shims/common/linkage.h"

struct cilk *_Atomic cilk_traced;

/* OpenCilk has some of the names, for other frames, and compiles its spawns inline. */
static bool can_trace(const struct cilk *cilk)
{
#ifdef __x86_64__
	return cilk->__cilkrts_enter_frame_fast_1 && cilk->__cilkrts_get_tls_worker;
#else
	return false; /* nor was there a libcilkrts for other 64-bit machines */
#endif
}

/* A thread that is in no task gets one, or there would be no trace to tell what is missing. */
static void leave_note(struct cilk *cilk, const char *note)
{
	struct worker *worker;

	if (atomic_exchange_explicit(&cilk->noted, 1, memory_order_relaxed))
		return;
	record_runtime_note(cilk->head.runtime, note);
	worker = record_worker();
	if (worker && !worker->task)
		record_root(worker);
}

static void cilk_identify(void *instance, void *handle)
{
	struct cilk *cilk = instance, *none = NULL;

	cilk->head.foreign =
		!can_trace(cilk) || !atomic_compare_exchange_strong(&cilk_traced, &none, cilk);
	if (!cilk->head.foreign)
		cilk->head.runtime = record_runtime("libcilkrts", "5");
}

static void *cilk_at_hand(const struct callsite_runtime *runtime)
{
	return atomic_load_explicit(&cilk_traced, memory_order_acquire);
}

/* Whether the file calls that function of another one. */
static bool imports(const struct linkage *file, const char *name)
{
	const ElfW(Sym) * symbol;

	for (int table = 0; table < 2; table++)
		for (size_t i = 0; i < file->relocations[table].n; i++) {
			linkage_slot(file, &file->relocations[table].first[i], &symbol);
			if (symbol->st_shndx == SHN_UNDEF &&
			    strcmp(file->text + symbol->st_name, name) == 0)
				return true;
		}
	return false;
}

/*
 * Other compilers than GCC enter frames inline, and bind the thread themselves if it is new: what
 * runs where can't be known then.
 */
static bool is_inline(const struct link_map *map)
{
	struct linkage file;

	return linkage_open(&file, map->l_addr, map->l_ld) &&
	       imports(&file, "__cilkrts_bind_thread_1") &&
	       !imports(&file, "__cilkrts_enter_frame_fast_1");
}

/* Calls from within the runtime, which has loops of spawns, are its own business. */
static uint32_t cilk_site(void *instance, uintptr_t return_address, uintptr_t function)
{
	struct cilk *cilk = instance;
	struct link_map *map = NULL;
	Dl_info caller, runtime;

	if (dladdr1((void *)return_address, &caller, (void **)&map, RTLD_DL_LINKMAP) && map) {
		if (dladdr((void *)cilk->__cilkrts_sync, &runtime) &&
		    caller.dli_fbase == runtime.dli_fbase)
			return 0;
		if (is_inline(map)) {
			leave_note(cilk, "a compiler other than GCC made spawns inline; these "
					 "are not recorded");
			return 0;
		}
	}
	return record_site(cilk->head.runtime, return_address, function);
}

void cilk_tell_workers(struct cilk *cilk)
{
	if (atomic_exchange_explicit(&cilk->told_workers, 1, memory_order_relaxed) ||
	    !cilk->__cilkrts_get_nworkers)
		return;
	record_runtime_workers(cilk->head.runtime, (uint32_t)cilk->__cilkrts_get_nworkers());
}

CALL_RUNTIME(cilk, CILK_FUNCTIONS(CALL_DOOR), CILK_FUNCTIONS(CALL_NAME) CILK_ASKED(CALL_NAME),
	     .probe = "__cilkrts_sync", .library = "libcilkrts.so.5", .identify = cilk_identify,
	     .at_hand = cilk_at_hand, .site = cilk_site,
	     .stays = true /* CILK_UNSYNCHED may be ours (cilk_task.c) */);
