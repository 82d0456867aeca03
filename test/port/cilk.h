/* SPDX-License-Identifier: MIT */
/* cilk.h - port.h over Cilk Plus, as GCC 5 to 7 lower it.  It has no dependences. */
#pragma once

#include "lowered.h"

#define PORT_DEPENDS 0
#define PORT_NESTS 1

struct port_task {
	char unused;
};

/* A function's frame is its group. */
#define PORT_BODY(name, type)                                                                      \
	static void name(type *at);                                                                \
	CILK_HELPER(name##_spawn, (type * at), name(at))
#define PORT_OPEN(group) CILK_ENTER
#define PORT_CREATE(group, body, at) CILK_SPAWN(body##_spawn, (at))
#define PORT_WAIT(group) CILK_SYNC
#define PORT_CLOSE(group) CILK_LEAVE
#define PORT_RUN(call) call

static inline void port_start(void)
{
}

static inline void port_stop(void)
{
}

static inline void port_counts(void)
{
}
