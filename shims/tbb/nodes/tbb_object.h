/* SPDX-License-Identifier: MIT */
/* tbb_object.h - how oneTBB's objects begin, as its headers compile them into programs. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct tbb_execution;
struct tbb_task;
struct tbb_delegate;
typedef struct tbb_task *(*tbb_task_fn)(struct tbb_task *task, struct tbb_execution *execution);
typedef bool (*tbb_delegate_fn)(const struct tbb_delegate *delegate);
typedef void (*tbb_suspend_fn)(void *data, void *point);

enum tbb_vtable { /* Itanium C++ ABI: words from where the vtable pointer points */
		  TBB_VTABLE_TOP = -2, /* bytes to the whole object */
		  TBB_VTABLE_TYPE = -1,
		  TBB_VTABLE_DESTROY = 0, /* and 1 */
		  TBB_VTABLE_EXECUTE = 2,
		  TBB_VTABLE_CANCEL = 3,
};

struct tbb_task { /* tbb::detail::d1::task */
	const uintptr_t *vtable;
};

struct tbb_execution { /* tbb::detail::d1::execution_data */
	void *context;
};

struct tbb_delegate { /* tbb::detail::d1::delegate_base: operator(), then its destructors */
	const tbb_delegate_fn *vtable;
};
