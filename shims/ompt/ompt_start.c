/* SPDX-License-Identifier: MIT */
/* ompt_start.c - how libomp finds us, and which callbacks it is given, alone or beside another
 * tool. */
#include "shims/ompt/ompt.h"

#include <dlfcn.h>

#define BARE_NOTE                                                                                  \
	"libomp is linked statically: tasks ran their code, though they took the model's times"

/* Whether a program's calls into the libomp of this address come to our wrappers. */
static bool is_wrapped(const void *address)
{
	Dl_info info, found;
	void *handle = ompt_handle(address, &info);
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

/* Those that are used. */
static void set_callbacks(ompt_set_fn set)
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
	ompt_state.is_virtual = record_virtual();
	if (ompt_state.is_virtual && ompt_state.bare)
		record_runtime_note(ompt_state.runtime, BARE_NOTE);
	if (!other || !ompt_chain_open(other, lookup, device)) {
		other = NULL;
		set_callbacks(set);
	}
	ompt_state.plain = !ompt_state.bare && !ompt_state.chained;
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
		other = ompt_chain_find(next, ompt_start_tool, version, runtime);
	return &start;
}
