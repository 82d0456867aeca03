/* SPDX-License-Identifier: MIT */
/* papi.c - finds libpapi's functions; their types and numbers are those of papi.h of PAPI 5 to 7.
 */
#include "preload/probes/counters/papi.h"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAPI_OK 0
#define PAPI_ENOEVNT (-7)
#define PAPI_EMULPASS (-19)
#define PAPI_EVENTSET_NONE (-1)
#define PAPI_MAJOR_FIRST 5 /* that have PAPI_add_named_event() */
#define PAPI_MAJOR_LAST 9
#define PAPI_MINORS 10

static const char *const library[] = { "libpapi.so.7.2", "libpapi.so.7.1", "libpapi.so.7.0",
				       "libpapi.so.6.0", "libpapi.so.5.7", "libpapi.so" };
#define LIBRARIES (sizeof(library) / sizeof(library[0]))

/* F(result, what PAPI calls it, parameters) */
#define FUNCTIONS(F)                                                                               \
	F(int, library_init, (int version))                                                        \
	F(int, thread_init, (unsigned long (*id)(void)))                                           \
	F(int, create_eventset, (int *set))                                                        \
	F(int, event_name_to_code, (const char *name, int *code))                                  \
	F(int, add_named_event, (int set, const char *name))                                       \
	F(int, start, (int set))                                                                   \
	F(int, stop, (int set, long long *sums))                                                   \
	F(int, read, (int set, long long *sums))                                                   \
	F(int, cleanup_eventset, (int set))                                                        \
	F(int, destroy_eventset, (int *set))                                                       \
	F(int, unregister_thread, (void))                                                          \
	F(void, shutdown, (void))

static struct {
	void *handle;
	bool started, failed;
#define MEMBER(result, name, parameters) result (*name) parameters;
	FUNCTIONS(MEMBER)
#undef MEMBER
} papi;

static bool papi_find(const char *name, void *function)
{
	void *found = dlsym(papi.handle, name);

	*(void **)function = found;
	return found != NULL;
}

static bool find_all(void)
{
#define FIND(result, name, parameters) &&papi_find("PAPI_" #name, &papi.name)
	return true FUNCTIONS(FIND);
#undef FIND
}

static bool is_loaded(void)
{
	for (size_t i = 0; i < LIBRARIES; i++) {
		void *handle = dlopen(library[i], RTLD_NOW | RTLD_NOLOAD);

		if (!handle)
			continue;
		dlclose(handle);
		return true;
	}
	return false;
}

static const char *load(void)
{
	if (is_loaded())
		return "the program uses libpapi itself";
	for (size_t i = 0; i < LIBRARIES && !papi.handle; i++)
		papi.handle = dlopen(library[i], RTLD_NOW | RTLD_LOCAL);
	if (!papi.handle)
		return "libpapi is not installed";
	return find_all() ? NULL : "libpapi is older than version 5";
}

static unsigned long thread_id(void)
{
	return (unsigned long)syscall(SYS_gettid);
}

/* It takes its own version alone, which is in its header: so each is tried. */
static const char *library_start(void)
{
	for (int major = PAPI_MAJOR_LAST; major >= PAPI_MAJOR_FIRST; major--)
		for (int minor = 0; minor < PAPI_MINORS; minor++) {
			int version = major << 24 | minor << 16;

			if (papi.library_init(version) == version)
				return papi.thread_init(thread_id) == PAPI_OK
					       ? NULL
					       : "libpapi cannot count by thread";
		}
	return "libpapi does not start";
}

bool papi_open(const char **why)
{
	static const char *failure;

	if (!papi.started && !papi.failed) {
		failure = papi.handle ? NULL : load();
		if (!failure)
			failure = library_start();
		papi.started = !failure;
		papi.failed = failure;
	}
	*why = failure;
	return papi.started;
}

int papi_make(void)
{
	int set = PAPI_EVENTSET_NONE;

	return papi.create_eventset(&set) == PAPI_OK ? set : PAPI_NO_SET;
}

enum papi_answer papi_add(int set, const char *event)
{
	int code, got;

	got = papi.event_name_to_code(event, &code);
	if (got != PAPI_OK)
		return got == PAPI_ENOEVNT ? PAPI_MISSING : PAPI_UNKNOWN;
	got = papi.add_named_event(set, event);
	if (got == PAPI_OK)
		return PAPI_COUNTS;
	return got == PAPI_ENOEVNT || got == PAPI_EMULPASS ? PAPI_MISSING : PAPI_CLASHES;
}

bool papi_start(int set)
{
	return papi.start(set) == PAPI_OK;
}

bool papi_read(int set, long long *sums)
{
	return papi.read(set, sums) == PAPI_OK;
}

void papi_free(int set)
{
	if (set == PAPI_NO_SET)
		return;
	papi.stop(set, NULL);
	papi.cleanup_eventset(set);
	papi.destroy_eventset(&set);
}

void papi_leave(void)
{
	papi.unregister_thread();
}

void papi_close(void)
{
	if (papi.started)
		papi.shutdown();
	papi.started = false;
}
