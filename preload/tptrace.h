/* SPDX-License-Identifier: MIT */
/*
 * tptrace.h - what a program may say to tptrace about itself.  For C and C++.
 *
 * Nothing is to be linked: each call finds the recorder if the program is traced (LD_PRELOAD, or
 * `tptrace record`), and else does nothing.  Any thread may call, at any time; none of the calls
 * fails.  They do not wait, unless a thousand of them have not been collected yet.  Signal handlers
 * may call, too, once the program has made its first call outside of one.
 *
 *	#include <tptrace.h>
 *
 *	tptrace_phase("read");			all of the process, until the next phase
 *	...
 *	tptrace_phase("solve");
 *	tptrace_region_begin("sweep");		a stretch of time; regions may overlap, nest, and
 *	...					be of several threads at once
 *	tptrace_region_end("sweep");
 *
 *	#pragma omp task
 *	{
 *		tptrace_name("tile");		what reports call the tasks of this code
 *		...
 *	}
 *
 * `tptrace report --phase solve` and `--region sweep` then tell of these alone, and `--by phase`
 * compares the phases.
 */
#ifndef TPTRACE_H
#define TPTRACE_H

enum tptrace_what {
	TPTRACE_START,
	TPTRACE_STOP,
	TPTRACE_SNAPSHOT,
	TPTRACE_PHASE,
	TPTRACE_REGION_BEGIN,
	TPTRACE_REGION_END,
	TPTRACE_NAME
};

typedef void (*tptrace_call_fn_)(int what, const char *name);

#ifdef __cplusplus
extern "C" {
#endif
/* dlsym(), if the program has it: by another name, so that <dlfcn.h> may be included or not. */
extern tptrace_call_fn_ tptrace_look_up_(void *handle, const char *name) __asm__("dlsym")
	__attribute__((__weak__));
#ifdef __cplusplus
}
#endif

static inline __attribute__((__unused__, __always_inline__)) void
tptrace_call_(enum tptrace_what what, const char *name)
{
	static tptrace_call_fn_ found;
	static int looked;
	tptrace_call_fn_ call;

	if (!__atomic_load_n(&looked, __ATOMIC_ACQUIRE)) {
		tptrace_call_fn_ (*volatile look_up)(void *, const char *) = tptrace_look_up_;

		if (look_up)
			__atomic_store_n(&found, look_up((void *)0, "tptrace_control"),
					 __ATOMIC_RELAXED);
		__atomic_store_n(&looked, 1, __ATOMIC_RELEASE);
	}
	call = __atomic_load_n(&found, __ATOMIC_RELAXED);
	if (call) {
		call((int)what, name);
		__asm__ volatile(""); /* so that it returns here, and not to the caller */
	}
}

/* Events are recorded from here on (TPTRACE_START=off: they were not before), or no more. */
static inline __attribute__((__unused__)) void tptrace_start(void)
{
	tptrace_call_(TPTRACE_START, (const char *)0);
}

static inline __attribute__((__unused__)) void tptrace_stop(void)
{
	tptrace_call_(TPTRACE_STOP, (const char *)0);
}

/* A trace of all up to now is written beside the other one, soon, while the program goes on. */
static inline __attribute__((__unused__)) void tptrace_snapshot(void)
{
	tptrace_call_(TPTRACE_SNAPSHOT, (const char *)0);
}

/* A new phase of the program begins.  The name is copied. */
static inline __attribute__((__unused__)) void tptrace_phase(const char *name)
{
	tptrace_call_(TPTRACE_PHASE, name);
}

static inline __attribute__((__unused__)) void tptrace_region_begin(const char *name)
{
	tptrace_call_(TPTRACE_REGION_BEGIN, name);
}

static inline __attribute__((__unused__)) void tptrace_region_end(const char *name)
{
	tptrace_call_(TPTRACE_REGION_END, name);
}

/*
 * Reports call the tasks whose code this stands in by that name, instead of the function's: for
 * code that compilers or templates make, and where one function has several tasks.  It must stand
 * in the task's own code (the block of a directive, the function or lambda), not in a function that
 * it calls.  Only a place's first call counts; later ones cost a load.  Not in signal handlers.
 */
#define tptrace_name(name)                                                                         \
	do {                                                                                       \
		static int tptrace_named_;                                                         \
                                                                                                   \
		if (!__atomic_load_n(&tptrace_named_, __ATOMIC_RELAXED) &&                         \
		    !__atomic_exchange_n(&tptrace_named_, 1, __ATOMIC_RELAXED))                    \
			tptrace_call_(TPTRACE_NAME, name);                                         \
	} while (0)

#endif
