/* SPDX-License-Identifier: MIT */
/* tptrace_nanos6.hpp - what nanos6.sed makes the hooks of Nanos6 call.  README.md says how. */
#pragma once

#include "tptrace_task.h"

namespace tptrace_nanos6
{

struct task { /* from nanos6_create_task() until Nanos6 disposes of it */
	tptrace_code_t code;
	const char *label;
	tptrace_task_t id;
	struct tptrace_here runs, waits;
};

inline struct tptrace_runtime runtime = { "Nanos6", "", 0 };
/* Where the thread's task creates one, locks or unblocks: a task of Nanos6 stays on its thread. */
inline thread_local struct tptrace_here here;

template <class implementation> task *make(const implementation &of)
{
	return new task{ (tptrace_code_t)of.run, of.task_type_label, 0, {}, {} };
}

inline void resume(struct tptrace_here &left)
{
	if (left.task)
		tptrace_task_resume(&left);
}

}
