/* SPDX-License-Identifier: MIT */
/*
 * starpu_insert.c - functions of StarPU that submit a task for their caller: whose call it is.
 *
 * starpu_task_insert() takes a list of arguments of any length and type (variadic.h): its wrapper
 * notes the return address.
 */
#include "shims/common/variadic.h"
#include "shims/starpu/starpu.h"

/* Note the call, and say where to go on. */
VARIADIC_TO(starpu_insert_call);
const void *starpu_insert_call(void *from, const uintptr_t *arguments)
{
	starpu_thread.return_address = (uintptr_t)from;
	return starpu_of(CALLSITE_FROM(from, starpu, starpu_task_insert, NULL))->starpu_task_insert;
}

VARIADIC_TO(starpu_insert_call_old);
const void *starpu_insert_call_old(void *from, const uintptr_t *arguments)
{
	starpu_thread.return_address = (uintptr_t)from;
	return starpu_of(CALLSITE_FROM(from, starpu, starpu_insert_task, NULL))->starpu_insert_task;
}

VARIADIC(starpu_task_insert, starpu_insert_call);
VARIADIC(starpu_insert_task, starpu_insert_call_old); /* its name up to 1.1 */

/* The same, of functions that C can pass on. */
#define NOTES(result, name, parameters, arguments)                                                 \
	result name parameters                                                                     \
	{                                                                                          \
		struct callsite *callsite = CALLSITE(starpu, name, NULL);                          \
                                                                                                   \
		starpu_thread.return_address = (uintptr_t)__builtin_return_address(0);             \
		return starpu_of(callsite)->name arguments;                                        \
	}

STARPU_IN_INSERT(CALL_MADE)
