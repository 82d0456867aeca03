/* SPDX-License-Identifier: MIT */
/*
 * ompt_start.c - how libomp finds us, and which callbacks it is given; and how it goes on to call
 * us.
 *
 * libomp asks for a tool once, and calls one: if the process has another, that is its tool.
 *
 * When the program gives all resources back (omp_pause_resource_all() with omp_pause_hard), libomp
 * ends the tool and clears `ompt_enabled`, a word of bits: bit 0 says that there is a tool, and
 * others which callbacks it has; ompt_set_callback() sets those, but nobody sets bit 0 again.  So
 * we do.  Which word it is shows when the first callback is set; that
 * it is the right one, when it has bit 0 in the end, and when ompt_get_callback() answers, which
 * asks for bit 0.  [ompt-general.cpp, ompt-internal.h, LLVM 9 to 20]
 */
#include "shims/ompt/ompt.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "preload/libc.h"

#define LOST_NOTE                                                                                  \
	"libomp calls no tool any more, since the program gave its resources back "                \
	"(omp_pause_resource): further tasks are not recorded"
#define ENDED_NOTE                                                                                 \
	"libomp ended before the program (omp_pause_resource, or no thread of it was left): what " \
	"it runs since then is not recorded"
#define OTHER_NOTE                                                                                 \
	"libomp calls another tool (OMP_TOOL_LIBRARIES, or a library with ompt_start_tool()): "    \
	"its tasks are not recorded"
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

/* What may be asked of each libomp. */
static struct libomp {
	ompt_set_fn set;
	ompt_get_fn get;
	_Atomic uint32_t *enabled; /* NULL: not found */
	bool is_right;
} libomp[OMPT_INSTANCES];

static struct libomp *note_instance(ompt_lookup lookup)
{
	struct segment file = file_of((uintptr_t)lookup);
	uint32_t n = ompt_state.n_instances;

	if (n == OMPT_INSTANCES || !file.path)
		return NULL;
	libomp[n].set = (ompt_set_fn)lookup("ompt_set_callback");
	libomp[n].get = (ompt_get_fn)lookup("ompt_get_callback");
	ompt_state.instance[n] = file;
	ompt_state.n_instances = n + 1;
	return &libomp[n];
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

/* ---- after it has ended us ---- */

#define HAS_TOOL 1u
#define BITS_KNOWN 0xfeu /* of events 1 to 7, each at its number */
#define DATA_MOST (1u << 20)

static uint32_t bits_of_callbacks(void)
{
	uint32_t bits = 0;

	for (int event = 1; event < 8; event++)
		bits |= (uint32_t)(ompt_callback_of(event) != NULL) << event;
	return bits;
}

struct data_search {
	uintptr_t code, start, end;
};

/* The writable data of the file that has the code. */
static int search_data(struct dl_phdr_info *info, size_t bytes, void *data)
{
	struct data_search *search = data;
	bool found = false;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *phdr = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + phdr->p_vaddr;

		if (phdr->p_type != PT_LOAD)
			continue;
		found |= search->code - at < phdr->p_memsz;
		if (phdr->p_flags & PF_W) {
			search->start = (at + 3) & ~(uintptr_t)3;
			search->end = at + phdr->p_memsz;
		}
	}
	return found;
}

/* No callback was set yet: the only word in which setting one sets that event's bit alone. */
static _Atomic uint32_t *find_enabled(const struct libomp *of)
{
	struct data_search search = { .code = (uintptr_t)of->set };
	_Atomic uint32_t *found = NULL;
	uint32_t *before, n_found = 0;
	size_t n;

	if (!dl_iterate_phdr(search_data, &search) || search.end - search.start > DATA_MOST)
		return NULL;
	n = (search.end - search.start) / sizeof(*before);
	before = malloc(n * sizeof(*before));
	if (!before)
		return NULL;
	memcpy(before, (void *)search.start, n * sizeof(*before)); /* NOLINT: an address */
	of->set(OMPT_TASK_CREATE, ompt_callback_of(OMPT_TASK_CREATE));
	for (size_t i = 0; i < n; i++) {
		_Atomic uint32_t *word = (_Atomic uint32_t *)search.start + i; /* NOLINT */

		if (before[i] || *word != 1u << OMPT_TASK_CREATE)
			continue;
		found = word;
		n_found++;
	}
	free(before);
	return n_found == 1 ? found : NULL;
}

static bool starts_again(const struct libomp *of)
{
	ompt_callback callback = NULL;

	if (!of->enabled || *of->enabled & HAS_TOOL)
		return of->enabled;
	if (*of->enabled)
		return false;
	set_callbacks(of->set);
	if ((*of->enabled & BITS_KNOWN) != bits_of_callbacks())
		return false;
	*of->enabled |= HAS_TOOL;
	if (of->get(OMPT_TASK_CREATE, &callback) && callback == ompt_callback_of(OMPT_TASK_CREATE))
		return true;
	*of->enabled &= ~HAS_TOOL;
	return false;
}

static bool start_again(void)
{
	static _Atomic uint32_t lock;
	bool on = false;

	libc_lock(&lock);
	for (uint32_t i = 0; i < ompt_state.n_instances && !ompt_state.lost; i++)
		on |= starts_again(&libomp[i]);
	if (!on && !ompt_state.lost)
		record_runtime_note(ompt_state.runtime, LOST_NOTE);
	ompt_state.lost = !on;
	ompt_state.plain = on;
	ompt_state.on = on;
	libc_unlock(&lock);
	return on;
}

/* Where libomp is not as it is known to be, the word is none of ours. */
static void check_enabled(struct libomp *of)
{
	const uint32_t bits = bits_of_callbacks() | HAS_TOOL;

	if (of->enabled && !of->is_right && (*of->enabled & bits) != bits)
		of->enabled = NULL;
	of->is_right = true;
}

/* ---- at its start, and its end ---- */

/*
 * libomp's own handler of exit() was there before this one, and runs after it.  So a libomp that
 * ends us without it, and is not unloaded either, may run tasks once more.  Where no wrapper sees
 * the program's calls, nobody can say whether it does.
 */
static bool exits;

static void note_exit(void)
{
	exits = true;
}

static int initialize(ompt_lookup lookup, int device, union ompt_data *tool)
{
	ompt_set_fn set = (ompt_set_fn)lookup("ompt_set_callback");
	struct libomp *instance;

	if (!set)
		return 0;
	ompt_state.runtime = ompt_runtime((const void *)(uintptr_t)lookup);
	instance = note_instance(lookup);
	ompt_state.bare = !is_wrapped((const void *)(uintptr_t)lookup);
	if (instance && !ompt_state.bare)
		instance->enabled = find_enabled(instance);
	if (record_virtual() && ompt_state.bare)
		record_runtime_note(ompt_state.runtime, BARE_NOTE);
	if (ompt_state.bare)
		atexit(note_exit);
	set_callbacks(set);
	ompt_state.plain = !ompt_state.bare;
	ompt_state.on = true;
	return 1;
}

static void finalize(union ompt_data *tool)
{
	for (uint32_t i = 0; i < ompt_state.n_instances; i++)
		check_enabled(&libomp[i]);
	ompt_state.on = ompt_state.plain = false;
	ompt_state.again = start_again;
	if (ompt_state.bare && !exits && !callsite_closes()) {
		record_runtime_note(ompt_state.runtime, ENDED_NOTE);
		record_lost_call();
	}
}

/* A thread that is in no task gets one, or there would be no trace to tell it. */
static void note_other(const void *in_libomp)
{
	struct worker *worker = record_worker();

	if (worker && !worker->task)
		record_root(worker);
	record_runtime_note(ompt_runtime(in_libomp), OTHER_NOTE);
	record_lost_call();
}

static struct ompt_start *tool_of(void *handle, unsigned version, const char *runtime)
{
	ompt_start_fn tool = (ompt_start_fn)dlsym(handle, "ompt_start_tool");

	return tool && tool != ompt_start_tool ? tool(version, runtime) : NULL;
}

/*
 * The first tool among the libraries that OMP_TOOL_LIBRARIES names, or ThreadSanitizer's (Archer),
 * without which that reports races that there are not; as libomp finds it if nobody is here.
 * [ompt-general.cpp]
 */
static struct ompt_start *listed_tool(unsigned version, const char *runtime)
{
	const char *list = getenv("OMP_TOOL_LIBRARIES");
	char *names = list ? strdup(list) : NULL, *rest = names, *name;
	struct ompt_start *other = NULL;

	while (!other && (name = strsep(&rest, ":"))) {
		void *handle = *name ? dlopen(name, RTLD_LAZY) : NULL;

		other = handle ? tool_of(handle, version, runtime) : NULL;
		if (handle && !other)
			dlclose(handle);
	}
	free(names);
	if (!other && dlsym(RTLD_DEFAULT, "__tsan_init")) {
		void *archer = dlopen("libarcher.so", RTLD_LAZY);

		other = archer ? tool_of(archer, version, runtime) : NULL;
	}
	return other;
}

CALL_EXPORT struct ompt_start *ompt_start_tool(unsigned version, const char *runtime)
{
	static struct ompt_start start = { initialize, finalize, { 0 } };
	struct ompt_start *other = tool_of(RTLD_NEXT, version, runtime);

	if (!record_on())
		return other;
	if (!other)
		other = listed_tool(version, runtime);
	if (!other)
		return &start;
	note_other(__builtin_return_address(0));
	return other;
}
