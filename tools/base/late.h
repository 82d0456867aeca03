/* SPDX-License-Identifier: MIT */
/*
 * late.h - a library that few commands need, loaded by the command that does.
 *
 * So the others start without it, and where it is not installed they work all the same.  A list of
 * its calls makes a struct of pointers, each of its call's name and type:
 *
 *	#define CALLS(CALL) CALL(cairo_paint) CALL(cairo_fill)
 *	static struct LATE_CALLS(CALLS) lib;
 *	static const char *const name[] = { LATE_NAMES(CALLS) };
 *
 *	why = late_load(CAIRO_LIBRARY, name, LATE_COUNT(name), &lib);
 *	if (!why)
 *		lib.cairo_paint(cairo);
 *
 * The Makefile defines CAIRO_LIBRARY and the like: the name that the loader knows it by.
 */
#pragma once

#include <stdint.h>

#define LATE_POINTER(call) __typeof__(call) *call;
#define LATE_NAME(call) #call,
#define LATE_CALLS(list)                                                                           \
	{                                                                                          \
		list(LATE_POINTER)                                                                 \
	}
#define LATE_NAMES(list) list(LATE_NAME)
#define LATE_COUNT(name) (uint32_t)(sizeof(name) / sizeof((name)[0]))

/*
 * Fills a struct of LATE_CALLS, which begins as zeros; does nothing the second time.  NULL, or why
 * that cannot be, good until the next call.  One thread.
 */
const char *late_load(const char *library, const char *const name[], uint32_t n, void *calls);
